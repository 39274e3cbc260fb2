"""The same question asked several times: what holds on the whole, and how steady it is.

A repetition has a value (the benchmark's per-sample metric, None where it is undefined)
and, if the benchmark says from which value on a sample passes, a verdict. Values and
verdicts are reduced sample by sample first, then averaged over the samples.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from screenmark.metrics.pages import mean, ratio

H = TypeVar("H", bound=Hashable)


class Repetition(NamedTuple):
    """One answer of several to one question.

    Attributes:
        sample_id: which question.
        value: the per-sample metric, None where it is undefined.
        answered: False if the question could not be asked. Such a repetition counts with
            its value, as in the headline, but says nothing about how steady the model is.
    """

    sample_id: str
    value: float | None
    answered: bool = True


def majority(values: Sequence[H]) -> H:
    """The most frequent value; of several, the one that came first.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values, so no majority")
    # Counter keeps the order of first occurrence, and max takes the first maximum.
    counts = Counter(values)
    return max(counts, key=counts.__getitem__)


def pass_at_k(n: int, c: int, k: int) -> float:
    """Probability that at least one of ``k`` repetitions passes, estimated without bias.

    ``1 - C(n - c, k) / C(n, k)`` (Chen et al., "Evaluating Large Language Models Trained on
    Code", 2021), from ``c`` passes in ``n`` repetitions.

    Raises:
        ValueError: unless 0 <= c <= n and 1 <= k <= n.
    """
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"pass@{k} of {c} passes in {n}: expected 0 <= c <= n and 1 <= k <= n")
    tries = math.comb(n, k)
    # Whole numbers until the division, so nothing cancels.
    return (tries - math.comb(n - c, k)) / tries


def flip_rate(groups: Iterable[Sequence[Hashable]]) -> float | None:
    """Share of the samples whose values are not all the same.

    A sample with fewer than two values cannot differ and is left out; None without any.
    """
    differs = [len(set(values)) > 1 for values in groups if len(values) > 1]
    return ratio(sum(differs), len(differs))


def standard_deviation(values: Sequence[float]) -> float | None:
    """Standard deviation over repetitions, with n - 1; None of fewer than two values."""
    if len(values) < 2:
        return None
    if len(set(values)) == 1:
        return 0.0  # the mean of equal floats may be another float
    centre = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1))


def summarise_repeats(
    repetitions: Iterable[Repetition], n: int, *, pass_from: float | None
) -> dict[str, Any]:
    """The block ``repeats`` of the results of a run that asks every sample ``n`` times.

    Args:
        repetitions: those of one sample in their order; samples may be interleaved.
        n: how often every sample is asked; fewer may be there if the run is not complete.
        pass_from: a sample passes if its value is at least this; None if the benchmark
            knows no such verdict.

    Returns:
        A dict with

        - ``n``, ``num_samples`` (different ones) and ``pass_from``;
        - ``reducers``: ``mean`` and ``median`` of the values, ``majority`` (share of the
          samples of which most repetitions pass; of a tie, the first repetition decides),
          ``pass_at_k`` for k = 1, 2, 4, … and n, and ``all`` (share of the samples that pass
          every time). The last three are over samples with all n values, and None
          without verdicts;
        - ``flip_rate``, the share of the samples whose verdict differs between answered
          repetitions; None without verdicts;
        - ``value_flip_rate``, the share whose value differs at all, and
          ``mean_standard_deviation`` of the values;
        - ``per_sample``, the same for each sample in the order of first appearance.
    """
    groups: dict[str, list[Repetition]] = {}
    for repetition in repetitions:
        groups.setdefault(repetition.sample_id, []).append(repetition)
    samples = [_Sample.of(members, pass_from) for members in groups.values()]
    rows = [_row(id, s, pass_from) for id, s in zip(groups, samples, strict=True)]
    whole = [] if pass_from is None else [s.passes for s in samples if len(s.values) == n]
    counts = [sum(passes) for passes in whole]
    return {
        "n": n,
        "num_samples": len(rows),
        "pass_from": pass_from,
        "reducers": {
            "mean": mean([row["mean"] for row in rows]),
            "median": mean([row["median"] for row in rows]),
            "majority": ratio(sum(majority(passes) for passes in whole), len(whole)),
            "pass_at_k": {str(k): mean([pass_at_k(n, c, k) for c in counts]) for k in _sizes(n)},
            "all": ratio(sum(c == n for c in counts), len(whole)),
        },
        "flip_rate": None
        if pass_from is None
        else flip_rate([v >= pass_from for v in s.steady] for s in samples),
        "value_flip_rate": flip_rate(s.steady for s in samples),
        "mean_standard_deviation": mean([row["standard_deviation"] for row in rows]),
        "per_sample": rows,
    }


class _Sample(NamedTuple):
    """The defined values of one sample, those of answered repetitions, and the verdicts."""

    values: list[float]
    steady: list[float]
    passes: list[bool]

    @classmethod
    def of(cls, members: Sequence[Repetition], pass_from: float | None) -> _Sample:
        values = [m.value for m in members if m.value is not None]
        steady = [m.value for m in members if m.value is not None and m.answered]
        passes = [] if pass_from is None else [value >= pass_from for value in values]
        return cls(values, steady, passes)


def _row(sample_id: str, sample: _Sample, pass_from: float | None) -> dict[str, Any]:
    values, steady, passes = sample
    row: dict[str, Any] = {
        "sample_id": sample_id,
        "repetitions": len(values),
        "mean": mean(values),
        "median": statistics.median(values) if values else None,
        "standard_deviation": standard_deviation(steady),
        "distinct_values": len(set(steady)),
    }
    if pass_from is not None:
        row["passes"] = sum(passes)
        row["majority"] = majority(passes) if passes else None
        row["flips"] = len({value >= pass_from for value in steady}) > 1
    return row


def _sizes(n: int) -> list[int]:
    """1, 2, 4, … and n."""
    return sorted({1 << bit for bit in range(n.bit_length())} | {n})
