"""What a run will cost, from the tokens of the doctor's own questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from screenmark.benchmarks import Sample
from screenmark.doctor.asking import Interview
from screenmark.doctor.finding import Finding
from screenmark.doctor.questions import Questions
from screenmark.engine.plan import Plan
from screenmark.engine.prices import load_prices
from screenmark.errors import ScreenmarkError
from screenmark.geometry import Size
from screenmark.images import probe, size_as_sent
from screenmark.types import ImageLimits, Message, Text, Usage

_LOOKED_AT = 20
_LETTERS_A_TOKEN = 4
_MILLION = 1_000_000


class Rates(NamedTuple):
    """What the questions showed.

    Attributes:
        per_pixel: tokens for a pixel of an image as it is sent.
        reply: tokens of a short reply.
    """

    per_pixel: float
    reply: float


def rates_of(questions: Questions, found: Interview) -> Rates | None:
    """Tokens of images and of replies; None if the endpoint counts none."""
    tokens = pixels = written = count = 0.0
    for question, heard in zip(questions.targets, found.targets, strict=True):
        usage = heard.reply.usage if heard.reply is not None else None
        if heard.reply is None or not heard.reply.images:
            continue
        if usage is None or not usage.input_tokens:
            continue
        sent = heard.reply.images[0]
        tokens += max(0, usage.input_tokens - tokens_of(question.request.text))
        pixels += sent.width * sent.height
        written += usage.output_tokens
        count += 1
    return Rates(tokens / pixels, written / count) if pixels else None


def tokens_of(text: str) -> int:
    """Tokens of a text, roughly: four letters each, or one Chinese character."""
    plain = sum(c.isascii() for c in text)
    return math.ceil(plain / _LETTERS_A_TOKEN) + len(text) - plain


def check_cost(
    plan: Plan, samples: Sequence[Sample], questions: Questions, found: Interview
) -> Finding | None:
    """An estimate for a run; None if nothing came of the questions."""
    if found.alone is None:
        return None
    rates = rates_of(questions, found)
    if rates is None:
        return Finding(
            check="price", status="note", detail="the endpoint counts no tokens: no estimate"
        )
    requests = len(samples) * plan.engine.repeats
    read = requests * _mean_input(plan, samples, rates)
    least, most = requests * rates.reply, float(requests * plan.model.max_tokens)
    tokens = (
        f"{requests:,} requests, about {_tokens(read)} tokens in, {_tokens(least)} out if replies "
        f"are as short as here, {_tokens(max(least, most))} at the most"
    )
    price = load_prices(plan.engine.prices).price_of(str(plan.model.model))
    if price is None:
        return Finding(
            check="price",
            status="note",
            detail=f"{plan.benchmark_id}: {tokens}; what they cost is not known here",
            remedy="--prices FILE",
        )
    low, high = (price.of(Usage(round(read), round(out))) for out in (least, max(least, most)))
    detail = f"{plan.benchmark_id}: {low:.2f} to {high:.2f} dollars, {tokens}"
    limit = plan.engine.max_cost
    if limit is not None and low > limit:
        return Finding(
            check="price",
            status="warning",
            detail=f"{detail}; the run would stop at --max-cost {limit:g}",
            remedy=f"--max-cost {math.ceil(low)}, or --max-samples N",
        )
    return Finding(check="price", status="ok", detail=detail)


def _mean_input(plan: Plan, samples: Sequence[Sample], rates: Rates) -> float:
    """Tokens that a request of the run has on average, by the look of some."""
    counts = []
    step = max(1, len(samples) // _LOOKED_AT)
    for sample in samples[::step][:_LOOKED_AT]:
        try:
            counts.append(_input(plan.benchmark.build_prompt(sample), plan, rates))
        except ScreenmarkError:  # it is told of elsewhere
            continue
    return sum(counts) / len(counts) if counts else 0.0


def _input(messages: Sequence[Message], plan: Plan, rates: Rates) -> float:
    total = 0.0
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, Text):
            total += tokens_of(part.text)
        else:
            total += rates.per_pixel * _pixels(part.path, plan.benchmark.image_limits)
    return total


def _pixels(path: str, limits: ImageLimits | None) -> int:
    info = probe(path)
    sent = size_as_sent(path, Size(info.width, info.height), limits)
    return sent.width * sent.height


def _tokens(count: float) -> str:
    return f"{count / _MILLION:.2f} M" if count >= _MILLION / 10 else f"{count:,.0f}"
