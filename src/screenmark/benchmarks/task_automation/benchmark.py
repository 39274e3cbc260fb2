"""What all benchmarks do alike in which an agent acts in a world until it is done."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from screenmark.agents.adapter import EpisodeAdapter
from screenmark.agents.episode import Episode
from screenmark.agents.model_agent import dialect_for
from screenmark.agents.prompt import can_answer
from screenmark.agents.readiness import make_sure
from screenmark.benchmarks.base import Benchmark, BenchmarkInfo, DataOptions, Dataset, Sample
from screenmark.benchmarks.task_automation.dataset import TaskSample, episodes_of
from screenmark.benchmarks.task_automation.makers import (
    EMBEDDED_AGENTS,
    adapters_of,
    profile_of_run,
)
from screenmark.benchmarks.task_automation.options import AgentOptions
from screenmark.benchmarks.task_automation.summary import summarise_episodes
from screenmark.benchmarks.task_automation.tables import episode_tables, result_tables
from screenmark.environments import Suite, Task, world_class
from screenmark.environments.registry import TASK_FILE, WORLDS, world_names, world_of
from screenmark.needs import Needs
from screenmark.profile_files import find_profile
from screenmark.types import Answer, Json, Message, Outcome, Record, Reply, Table, Text


class TaskAutomation(Benchmark[TaskSample, AgentOptions]):
    """A task, a world, an episode, a verdict."""

    options_type: ClassVar[type[DataOptions]] = AgentOptions
    sample_type: ClassVar[type[Sample]] = TaskSample
    columns = ("id", "success", "steps", "ended", "claim", "reason")
    local_only: ClassVar[bool] = True
    cacheable: ClassVar[bool] = False

    def __init__(self, options: AgentOptions) -> None:
        super().__init__(options)
        self._players: list[EpisodeAdapter] = []

    @classmethod
    def agents(cls) -> Mapping[str, str]:
        return {name: what for name, (_, what) in EMBEDDED_AGENTS.items()}

    def adapters(self, options: Any) -> list[Any]:
        self._players = adapters_of(self.options, options)
        return list(self._players)

    def settle_profile(self, fixed_space: str | None, model: str | None = None) -> None:
        if model in EMBEDDED_AGENTS:
            self.profile, self.profile_source = None, None
            return
        profile, source = profile_of_run(self.options, model)
        self.profile, self.profile_source = self.options.profile or profile.name, source

    async def make_sure(self, samples: Sequence[TaskSample]) -> None:
        names = dict.fromkeys(sample.world for sample in samples)
        await make_sure({name: [s.task for s in samples if s.world == name] for name in names})

    def work_in(self, folder: Path, earlier: Path | None) -> None:
        for player in self._players:
            player.use_folder(folder)

    @abstractmethod
    def worlds(self) -> Sequence[str]:
        """Names of the worlds whose tasks there are."""

    @abstractmethod
    def ids_of(self, tasks: Mapping[str, Task], suite: Suite) -> Sequence[str]:
        """The tasks of a suite."""

    def load(self) -> Dataset[TaskSample]:
        worlds = [world_class(name)() for name in self.worlds()]
        tasks = {id: task for world in worlds for id, task in world.tasks().items()}
        left_out = {id: why for world in worlds for id, why in world.left_out().items()}
        suite = self.ids_of(tasks, self.options.suite)
        named = f"{self.info.id}, suite {self.options.suite}"
        return episodes_of(
            tasks, suite, self.options, named, left_out=left_out, answers=self._answers()
        )

    def _answers(self) -> bool:
        if self.profile is None or self.options.planner is not None:
            return True
        profile = find_profile(self.profile)
        return can_answer(profile, dialect_for(profile, self.options.dialect))

    def build_prompt(self, sample: TaskSample) -> tuple[Message, ...]:
        text = msgspec.json.encode(sample.ask).decode("utf-8")
        return (Message("user", (Text(text),)),)

    def parse(self, reply: Reply, sample: TaskSample) -> Answer:
        try:
            episode = msgspec.json.decode(reply.text, type=Episode)
        except msgspec.DecodeError as error:
            return Answer(Outcome.UNPARSEABLE, reason=f"no episode: {error}")
        return Answer(Outcome.OK, msgspec.to_builtins(episode))

    def score(self, sample: TaskSample, answer: Answer | None) -> Json:
        value = answer.value if answer is not None else None
        return {"success": value["success"] if value is not None else None}

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        return summarise_episodes(records, self.options.max_steps, self.options.observe)

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return result_tables(results)

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return episode_tables(record)

    def group_of(self, sample: TaskSample) -> str:
        return sample.world


class MiniWobBenchmark(TaskAutomation):
    """MiniWoB++ by pixels alone."""

    info = BenchmarkInfo(
        id="miniwob",
        family="task_automation",
        title="MiniWoB++",
        paper="https://arxiv.org/abs/1802.08802",
        licence="MIT (pages of the package miniwob)",
        primary_metric="success_rate",
        sample_metric="success",
        sample_pass=1.0,
        bundled_samples=126,
        splits={},
        blind_baselines={},
        needs=Needs(browser=True),
    )

    def worlds(self) -> Sequence[str]:
        return ("miniwob",)

    def ids_of(self, tasks: Mapping[str, Task], suite: Suite) -> Sequence[str]:
        if suite == "full":
            return list(tasks)
        return world_class("miniwob")().suite("full")


class MMBenchL3(TaskAutomation):
    """Tasks within one application, over all worlds that come with the package."""

    info = BenchmarkInfo(
        id="mmbench-gui-l3",
        family="task_automation",
        title="MMBench-GUI L3: task automation",
        paper="https://arxiv.org/abs/2507.19478",
        licence="tasks of this package, Apache-2.0; MiniWoB++ pages, MIT",
        primary_metric="success_rate",
        sample_metric="success",
        sample_pass=1.0,
        bundled_samples=64,
        splits={},
        blind_baselines={},
        needs=Needs(browser=True),
    )

    def worlds(self) -> Sequence[str]:
        """Ours, and those that ``--tasks`` names: files of tasks, and other packages' worlds."""
        named = (world_of(id) for id in self.options.tasks)
        others = [name for name in named if name.endswith(TASK_FILE) or name in world_names()]
        return tuple(dict.fromkeys((*WORLDS, *others)))

    def ids_of(self, tasks: Mapping[str, Task], suite: Suite) -> Sequence[str]:
        found = [id for name in WORLDS for id in world_class(name)().suite(suite)]
        return [id for id in found if len(set(tasks[id].apps)) < 2]
