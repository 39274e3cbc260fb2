"""Asking a model the doctor's questions, few and one after another but for the last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

from screenmark.doctor.model_list import Listing, listed_models
from screenmark.doctor.questions import Questions
from screenmark.errors import CredentialsError, RejectedError, ReplyTimeoutError, TransientError
from screenmark.functions import FAULTS
from screenmark.models import BaseLLMAdapter, ModelOptions
from screenmark.types import Reply, Request

_GRACE = 10.0
"""Seconds beyond ``--timeout`` after which an adapter that does not keep to it is given up."""


class Heard(NamedTuple):
    """What came of one request: a reply or an error, after so many seconds."""

    reply: Reply | None
    error: BaseException | None
    seconds: float

    @property
    def busy(self) -> bool:
        """Whether the endpoint had too much to do."""
        return isinstance(self.error, TransientError) and self.error.status in {429, 503, 529}


class Interview(NamedTuple):
    """All that a model said.

    Attributes:
        listing: the endpoint's list of models.
        word: answer to a plain question.
        system, picture: None if they were not asked, since they would have failed too.
        alone: the first target, asked while nothing else was.
        together: the other targets, asked at once.
        together_seconds: from the first of them to the last.
        others: the word, of the other replicas.
    """

    listing: Listing
    word: Heard
    system: Heard | None = None
    picture: Heard | None = None
    alone: Heard | None = None
    together: Sequence[Heard] = ()
    together_seconds: float = 0.0
    others: Sequence[Heard] = ()

    @property
    def targets(self) -> list[Heard]:
        """What came of the targets, in their order."""
        return [] if self.alone is None else [self.alone, *self.together]

    @property
    def replies(self) -> list[Reply]:
        """Every reply."""
        heard = [self.word, self.system, self.picture, *self.targets, *self.others]
        return [one.reply for one in heard if one is not None and one.reply is not None]


async def interview(
    replicas: Sequence[BaseLLMAdapter], options: ModelOptions, questions: Questions
) -> Interview:
    """Ask; what would only fail again is not asked."""
    listing = await listed_models(options)
    started: list[BaseLLMAdapter] = []
    try:
        for replica in replicas:
            started.append(replica)
            await replica.start()
        return await _interview(started, options, questions, listing)
    finally:
        for replica in started:
            await replica.close()


async def _interview(
    replicas: Sequence[BaseLLMAdapter],
    options: ModelOptions,
    questions: Questions,
    listing: Listing,
) -> Interview:
    model, timeout = replicas[0], options.timeout
    word = await _ask(model, questions.word, timeout)
    others = [await _ask(replica, questions.word, timeout) for replica in replicas[1:]]
    found = Interview(listing, word, others=others)
    if word.reply is None and not _may_want_images(word.error):
        return found
    system = await _ask(model, questions.system, timeout) if word.reply is not None else None
    picture = await _ask(model, questions.picture, timeout)
    found = found._replace(system=system, picture=picture)
    if picture.reply is None:
        return found
    first, *rest = (target.request for target in questions.targets)
    alone = await _ask(model, first, timeout)
    room = asyncio.Semaphore(max(1, model.concurrency))

    async def in_turn(request: Request) -> Heard:
        async with room:
            return await _ask(model, request, timeout)

    began = time.perf_counter()
    together = await asyncio.gather(*map(in_turn, rest))
    seconds = time.perf_counter() - began
    return found._replace(alone=alone, together=together, together_seconds=seconds)


def _may_want_images(error: BaseException | None) -> bool:
    """Whether it may have been refused for being text alone, as by models that only look."""
    plain = isinstance(error, RejectedError) and not isinstance(error, CredentialsError)
    return plain and getattr(error, "status", None) in {400, 422}


async def _ask(model: BaseLLMAdapter, request: Request, timeout: float) -> Heard:
    began = time.perf_counter()
    reply: Reply | None = None
    error: BaseException | None = None
    try:
        async with asyncio.timeout(timeout + _GRACE):
            reply = await model.generate(request)
    except TimeoutError:
        error = ReplyTimeoutError(f"no reply within {timeout + _GRACE:g} s")
    except FAULTS as fault:  # an adapter of the user's own may raise anything
        error = fault
    return Heard(reply, error, time.perf_counter() - began)
