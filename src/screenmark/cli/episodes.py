"""Episodes of a run by the names that people give them, and as the run's records have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from screenmark.cli.messages import note, say

if TYPE_CHECKING:
    from pathlib import Path

    from screenmark.agents.episode import Episode
    from screenmark.agents.trajectory import Trajectory
    from screenmark.engine import Run

_SHOWN: Final = 5


class _Recorded(NamedTuple):
    """An episode as its record has it, and the number of its repetition."""

    episode: Episode
    repeat: int


class _Named(NamedTuple):
    """A folder and what was played in it; the repeat is None if no record speaks of it."""

    folder: str
    task: str
    seed: int
    repeat: int | None

    @property
    def order(self) -> tuple[int, float, str]:
        return self.seed, float("inf") if self.repeat is None else self.repeat, self.folder

    def __str__(self) -> str:
        which = "no record" if self.repeat is None else f"repeat {self.repeat}"
        return f"{self.folder} (seed {self.seed}, {which})"


def find_episode(run: Run, wanted: str) -> Trajectory:
    """The trajectory in the folder ``wanted``, or of the sample whose id ends in it.

    Of several of one task the first, by seed and repetition; standard error names the others.

    Raises:
        UsageError: there is none, or it could be of several tasks.
        DataError: a file of it is damaged, or it was broken off.
    """
    from screenmark.agents.trajectory import read_trajectory
    from screenmark.errors import UsageError

    recorded = recorded_episodes(run)
    root = run.folder.artifacts / "episodes"
    if wanted in {path.name for path in root.glob("*") if path.is_dir()}:
        return as_recorded([read_trajectory(root / wanted)], recorded)[0]
    named = sorted(_named(root, recorded), key=lambda one: one.order)
    found = _called(named, wanted)
    if not found:
        raise UsageError(f"--episode {wanted}: {_why_none(run, named, wanted)}")
    if len({one.task for one in found}) > 1:
        raise UsageError(f"--episode {wanted}: could be {_listed(found)}")
    first, *others = found
    if others:
        say(f"this is {first}; there are also {_listed(others)}")
    return as_recorded([read_trajectory(root / first.folder)], recorded)[0]


def recorded_episodes(run: Run) -> dict[str, _Recorded]:
    """What the run's records say of its episodes, by folder."""
    import msgspec

    from screenmark.agents.episode import Episode

    found = {}
    for record in run.records:
        value = record.answer.value if record.answer is not None else None
        with suppress(msgspec.ValidationError):  # there was no episode, or it was edited
            episode = msgspec.convert(value, Episode)
            found[episode.folder] = _Recorded(episode, record.repeat)
    return found


def as_recorded(
    trajectories: Sequence[Trajectory], recorded: Mapping[str, _Recorded]
) -> list[Trajectory]:
    """Trajectories that end as their records say, with a warning where the files say otherwise."""
    import msgspec

    found = []
    for trajectory in trajectories:
        name = trajectory.folder.name
        if name not in recorded:
            note("warning", f"{name}: the run's records do not speak of it", "yellow")
            found.append(trajectory)
            continue
        episode = recorded[name].episode
        for line in _differences(trajectory, episode):
            note("warning", f"{name}: {line}", "yellow")
        found.append(msgspec.structs.replace(trajectory, episode=episode))
    return found


def _differences(trajectory: Trajectory, episode: Episode) -> Iterator[str]:
    import msgspec

    says = msgspec.structs.asdict(trajectory.episode)
    for field, value in msgspec.structs.asdict(episode).items():
        if says[field] != value:
            yield (
                f"episode.json says {field} {says[field]!r}, the run's record {value!r}; the "
                "record counts"
            )
    if len(trajectory.steps) != episode.steps:
        yield f"steps.jsonl holds {len(trajectory.steps)} turns, and {episode.steps} were recorded"


def _named(root: Path, recorded: Mapping[str, _Recorded]) -> Iterator[_Named]:
    """What was played in each folder, as the records say, or else as the folder does."""
    from screenmark.agents.trajectory import read_trajectory
    from screenmark.errors import DataError

    for path in root.glob("*"):
        if path.name in recorded:
            episode, repeat = recorded[path.name]
            yield _Named(path.name, episode.task, episode.seed, repeat)
            continue
        try:
            episode = read_trajectory(path).episode
        except DataError:
            continue  # broken off
        yield _Named(path.name, episode.task, episode.seed, None)


def _called(named: Sequence[_Named], wanted: str) -> list[_Named]:
    """Those that are called so; the whole name goes before a word at its end, and that before
    any other end of it.
    """
    ways: tuple[Callable[[str], bool], ...] = (
        lambda id: id == wanted,
        lambda id: id.endswith(f"/{wanted}"),
        lambda id: id.endswith(wanted),
    )
    for fits in ways:
        found = [one for one in named if fits(one.task) or fits(f"{one.task}#{one.seed}")]
        if found:
            return found
    return []


def _listed(found: Sequence[_Named]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(map(str, found[:_SHOWN])) + more


def _why_none(run: Run, named: Sequence[_Named], wanted: str) -> str:
    for record in run.records:
        id = record.sample_id
        if record.failure is not None and (id.endswith(wanted) or f"/{wanted}#" in f"/{id}"):
            return f"{id} was broken off ({record.outcome.value}: {record.failure.message})"
    return f"no such episode in this run; there are {_listed(named) or 'none'}"
