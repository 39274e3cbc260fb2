"""Expectations drafted by a model from the tasks' prompts, for a person to confirm.

A draft is marked as one, and a run does not use it until somebody has taken the mark away: checks
against what a model made up would be no checks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from screenmark.answers.json_text import read_json
from screenmark.benchmarks.map_judging.headings import EXPECTATIONS
from screenmark.benchmarks.map_judging.samples import Task
from screenmark.types import Json, Message, Request, Text

if TYPE_CHECKING:
    from screenmark.models.base import BaseLLMAdapter

DRAFT: Final = "_draft"
"""The mark: a key of every drafted entry, to be taken away by whoever has checked it."""

_PROMPT = """\
You prepare the automatic checking of maps. Say, as one JSON object and nothing else, what any \
right output for the task below has to satisfy. Use only these keys, and leave out every key that \
the task does not settle:

region: list of ISO 3166-1 alpha-3 codes of the countries in which the features have to lie, or \
the name of one continent as text
region_kind: "continent" if region is a list of names of continents
bbox: [west, south, east, north] in degrees around the features, generous
geometry: "Point", "LineString" or "Polygon", or several joined by "+"
count: [least, most] number of features; count_points: the same of the points alone
title, legend, labels: true if asked for
highlight: list of ISO alpha-3 codes, or of US states' two letters, that have to stand out
buffers_km: list of radii; center: [longitude, latitude] of their common centre
distances_km: object of place to distance; tolerance_pct: allowed error of it
projection: name of the projection, if one is asked for
colour_direction: "dark=high" or "dark=low", if the task says so
view_on_data: true if the map has to show all of the data at once

Do not compute what you do not know for certain: a wrong expectation is worse than none.

Task: {prompt}{dataset}
"""


async def draft(
    tasks: Sequence[Task], adapter: BaseLLMAdapter, *, max_tokens: int, temperature: float
) -> dict[str, Json]:
    """Ask a model about every task.

    Returns:
        By the task's number as text: the drafted expectations with the mark in them, or the mark
        alone with ``_problem`` where the reply cannot be used.

    Raises:
        ModelError: the model cannot be asked.
    """
    await adapter.start()
    try:
        turns = asyncio.Semaphore(max(1, min(adapter.concurrency, 4)))

        async def one(task: Task) -> tuple[str, Json]:
            async with turns:
                reply = await adapter.generate(
                    Request(
                        messages=(Message("user", (Text(_question(task)),)),),
                        temperature=temperature,
                        max_tokens=max_tokens,
                        sample_id=str(task.number),
                    )
                )
            return str(task.number), entry_of(task, reply.text)

        return dict(await asyncio.gather(*map(one, tasks)))
    finally:
        await adapter.close()


def _question(task: Task) -> str:
    dataset = f"\nDataset: {task.dataset}" if task.dataset else ""
    return _PROMPT.replace("{dataset}", dataset).replace("{prompt}", task.prompt)


def entry_of(task: Task, text: str) -> dict[str, Json]:
    """The draft in a reply; keys that there are not are dropped and named."""
    head: dict[str, Any] = {DRAFT: True, "_prompt": task.prompt}
    found = [value for value in read_json(text).values if isinstance(value, dict)]
    if not found:
        return {**head, "_problem": f"no JSON object in the reply: {text[:200]}"}
    known = {name: value for name, value in found[-1].items() if name in EXPECTATIONS}
    unknown = sorted(str(name) for name in found[-1].keys() - known.keys())
    if unknown:
        head["_dropped"] = unknown
    if task.level:
        known = {"level": task.level, **known}
    return {**head, **_plain(known)}


def _plain(value: dict[str, Json]) -> dict[str, Json]:
    """Without NaN and the like, which no JSON file can hold."""
    plain: dict[str, Json] = msgspec.json.decode(msgspec.json.encode(value))
    return plain


def is_draft(entry: Json) -> bool:
    """Whether nobody has confirmed an entry yet."""
    return isinstance(entry, dict) and bool(entry.get(DRAFT))
