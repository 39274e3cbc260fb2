"""Records of content understanding to results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks.content_understanding.audit import audit, look_at
from screenmark.benchmarks.content_understanding.baselines import blind_scores
from screenmark.benchmarks.content_understanding.dataset import DIFFICULTIES, ChoiceSample
from screenmark.metrics.choices import option_weighted
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.intervals import wilson_interval
from screenmark.metrics.pages import mean
from screenmark.types import Record


class _Question(NamedTuple):
    """One question of one repetition; in circular evaluation all its rotations together."""

    sample: ChoiceSample
    correct: int
    answered: bool


def summarise_choices(records: Iterable[Record], *, circular: bool) -> dict[str, Any]:
    """The benchmark's part of ``results.json``; ``records`` are in data order."""
    rows, seen = [], []
    grouped: dict[tuple[str, int], list[tuple[ChoiceSample, int, bool]]] = defaultdict(list)
    chosen: Counter[str] = Counter()
    true: Counter[str] = Counter()
    for record in records:
        sample = msgspec.convert(record.sample, ChoiceSample)
        answered = record.answer is not None and record.answer.value is not None
        rows.append(_row(sample, record))
        seen.append(look_at(sample, record))
        chosen[record.score["chosen"] or "none"] += 1
        true[sample.answer] += 1
        key = (sample.question_id, record.repeat)
        grouped[key].append((sample, record.score["correct"], answered))
    whole = [parts for parts in grouped.values() if not circular or _is_whole(parts)]
    questions = [_together(parts) for parts in whole]
    # Each sample once, however often it was repeated.
    unique = {sample.id: sample for parts in whole for sample, *_ in parts}
    overall = _scores(questions)
    low, high = clustered_interval(
        [question.correct for question in questions],
        [question.sample.image_path for question in questions],
    )
    by_difficulty = _by_difficulty(questions)
    return {
        "circular": circular,
        "num_questions": len({sample.question_id for sample in unique.values()}),
        "num_incomplete": len(grouped) - len(whole),
        "headline": {
            "metric": "accuracy",
            "value": overall["score"],
            "low": low,
            "high": high,
        },
        "blind_baselines": blind_scores(list(unique.values()), circular=circular),
        "accuracy": overall["score"],
        "accuracy_weighted": overall["score_weighted"],
        "accuracy_macro": mean([part["score"] for part in by_difficulty.values()]),
        "answered_only": _scores([question for question in questions if question.answered]),
        "by_difficulty": by_difficulty,
        "by_platform": _by(questions, lambda sample: sample.platform),
        "by_language": _by(questions, lambda sample: sample.language),
        "by_num_options": _by(questions, lambda sample: str(len(sample.options))),
        "by_app": _by(questions, lambda sample: sample.app_name),
        "letters": {
            letter: {"chosen": chosen[letter], "true": true[letter]}
            for letter in sorted({*chosen, *true})
        },
        "audit": audit(seen),
        "per_sample": rows,
    }


def _row(sample: ChoiceSample, record: Record) -> dict[str, Any]:
    return {
        "id": sample.id,
        "image_path": sample.image_path,
        "question": sample.question,
        "difficulty": sample.difficulty,
        "platform": sample.platform,
        **record.score,
        "outcome": record.outcome.value,
    }


def _is_whole(parts: Sequence[tuple[ChoiceSample, int, bool]]) -> bool:
    """Whether every rotation was asked: one that is left out could have been answered wrong."""
    return len(parts) == len(parts[0][0].options)


def _together(parts: Sequence[tuple[ChoiceSample, int, bool]]) -> _Question:
    """A question is right only if it is under every rotation."""
    first = min(parts, key=lambda part: part[0].rotation)[0]
    return _Question(
        first, min(correct for _, correct, _ in parts), any(answered for *_, answered in parts)
    )


def _scores(questions: Sequence[_Question]) -> dict[str, Any]:
    """Plain and option-weighted accuracy of some questions, with a Wilson interval."""
    hits = [question.correct for question in questions]
    weighted = option_weighted(hits, [len(question.sample.options) for question in questions])
    low, high = wilson_interval(sum(hits), len(hits))
    return {
        "num_samples": len(hits),
        "score": sum(hits) / len(hits) if hits else None,
        "low": low,
        "high": high,
        "score_weighted": weighted.score,
    }


def _by(
    questions: Sequence[_Question], key: Callable[[ChoiceSample], str | None]
) -> dict[str, Any]:
    groups: dict[str, list[_Question]] = defaultdict(list)
    for question in questions:
        name = key(question.sample)
        if name is not None:
            groups[name].append(question)
    return {name: _scores(members) for name, members in sorted(groups.items())}


def _by_difficulty(questions: Sequence[_Question]) -> dict[str, Any]:
    found = {}
    for difficulty in DIFFICULTIES:
        members = [q for q in questions if q.sample.difficulty == difficulty]
        if members:
            platforms = _by(members, lambda sample: sample.platform)
            found[difficulty] = {**_scores(members), "by_platform": platforms}
    return found


def public_scores(results: dict[str, Any], *, weighted: bool) -> dict[str, Any]:
    """Results in the layout of the public implementation's ``_scores.json``.

    ``{difficulty: {platform: {"score", "sample_num"[, "score_weighted", "score_base"]},
    "level_sample_num", "level_score"}, "total_sample_num"}``, fractions from 0 to 1. With
    ``weighted`` the score is the option-weighted one, as in the published table.
    """
    layout: dict[str, Any] = {}
    for difficulty in DIFFICULTIES:
        rows = [row for row in results["per_sample"] if row["difficulty"] == difficulty]
        platforms: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            platforms[row["platform"]].append(row)
        if not rows:
            continue
        level: dict[str, Any] = {}
        total = 0.0
        for platform, members in sorted(platforms.items()):
            hits = [row["correct"] for row in members]
            part = option_weighted(hits, [row["num_options"] for row in members])
            score = part.score if weighted else sum(hits) / len(hits)
            level[platform] = {"score": score, "sample_num": len(members)}
            if weighted:
                level[platform] |= {"score_weighted": part.weighted, "score_base": part.base}
            total += (score or 0.0) * len(members)
        level["level_sample_num"] = len(rows)
        level["level_score"] = total / len(rows)
        layout[difficulty] = level
    layout["total_sample_num"] = len(results["per_sample"])
    return layout
