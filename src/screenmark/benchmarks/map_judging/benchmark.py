"""GIS-Bench: outputs of GIS tasks, judged by a vision model and looked at by checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from screenmark.answers.rubric import answer_of
from screenmark.benchmarks.base import (
    Benchmark,
    BenchmarkInfo,
    DataOptions,
    Dataset,
    JudgedOutputs,
    Sample,
)
from screenmark.benchmarks.map_judging import judges
from screenmark.benchmarks.map_judging.checks import run_checks
from screenmark.benchmarks.map_judging.dataset import load_outputs, selection
from screenmark.benchmarks.map_judging.map_reading import plain_maps, without_shapes
from screenmark.benchmarks.map_judging.outputs import as_it_is_called, said_of_links
from screenmark.benchmarks.map_judging.probes import Probe, altered, shuffled
from screenmark.benchmarks.map_judging.prompt import (
    LANGUAGES,
    again,
    fill,
    own_template,
    question,
    rubric_schema,
    template,
)
from screenmark.benchmarks.map_judging.runs import SEED_FIELDS
from screenmark.benchmarks.map_judging.samples import MapSample
from screenmark.benchmarks.map_judging.scoring import score_answer, settled_answer, verdict_on
from screenmark.benchmarks.map_judging.summary import summarise_runs
from screenmark.benchmarks.map_judging.tables import record_tables, result_tables
from screenmark.benchmarks.map_judging.viewing import Viewer, take_over
from screenmark.errors import MissingExtra, UsageError
from screenmark.options import option
from screenmark.types import Answer, Image, Json, Message, Record, Reply, Request, Table, Text

if TYPE_CHECKING:
    import asyncio

_BUNDLED = Path(__file__).parent / "data"
_NOT_HERE = ("annotation", "image_dir", "split", "profile")


class MapJudgingOptions(DataOptions, frozen=True, kw_only=True):
    """Options of map judging."""

    tasks: Annotated[
        tuple[str, ...],
        option(
            "The task sheet (.xlsx, .csv, .jsonl), or the numbers of tasks, as 1,3,5-8.",
            metavar="FILE|NUMBERS",
        ),
    ] = ()
    prompt: Annotated[
        Path | None,
        option(
            "Replace the judge's prompt by this file's text; {prompt}, {level} and {dataset} in it "
            "stand for the task's.",
            metavar="FILE",
        ),
    ] = None
    outputs: Annotated[
        Path | None,
        option(
            "Folder with a folder of outputs for each model: BASE/MODEL/TASK_NO.html, .png, .jpg.",
            metavar="BASE",
        ),
    ] = None
    models: Annotated[
        tuple[str, ...],
        option("Models whose outputs are judged.", changes_answers=True, metavar="NAME"),
    ] = ()
    levels: Annotated[
        tuple[str, ...],
        option("Levels of the tasks, as 1 or Level1.", changes_answers=True, metavar="LEVEL"),
    ] = ()
    expect: Annotated[
        Path | None,
        option("What right outputs satisfy, by task, as JSON; for the checks.", metavar="FILE"),
    ] = None
    judge: Annotated[
        tuple[str, ...],
        option(
            "Who judges: a vision model as MODEL, PRESET:MODEL or MODEL@URL, or checks for the "
            "embedded judge; several give each their own marks.",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = (judges.DEFAULT,)
    self_judging: Annotated[
        bool, option("Let a model judge its own outputs.", changes_answers=True)
    ] = False
    language: Annotated[
        Literal["ko", "en", "task"],
        option("Language of the judge's prompt; task: the task's own.", changes_answers=True),
    ] = "ko"
    repairs: Annotated[
        int,
        option(
            "How often a reply that cannot be used is sent back to the judge.",
            changes_answers=True,
            minimum=0,
            maximum=2,
        ),
    ] = 1
    skip_blank: Annotated[
        bool, option("Score blank pictures 0 without a judge.", changes_answers=True)
    ] = False
    probe: Annotated[
        Probe,
        option(
            "Change something that a fair judge does not care about, to compare with a run "
            "without (see: gis bias).",
            changes_answers=True,
        ),
    ] = "none"
    wait: Annotated[
        str,
        option(
            "When a page is photographed: ready (it has settled), or fixed:SECONDS.",
            changes_answers=True,
            metavar="RULE",
        ),
    ] = "ready"
    network: Annotated[
        Literal["assets", "allow", "block"],
        option(
            "What a page gets: libraries and base maps kept here, the public network for what "
            "is not kept, or nothing.",
            changes_answers=True,
        ),
    ] = "assets"
    assets: Annotated[
        Path | None, option("Folder filled by `screenmark assets fetch`.", metavar="DIR")
    ] = None
    browser: Annotated[
        Path | None, option("Path of Chromium; else the one of the system.", metavar="FILE")
    ] = None
    pages: Annotated[int, option("Pages rendered at a time.", minimum=1, maximum=16)] = 2


class MapJudging(Benchmark[MapSample, MapJudgingOptions]):
    """GIS-Bench: 130 points from a judge, and beside them what the map really shows."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="gis-bench",
        family="map_judging",
        title="GIS-Bench, judged maps",
        paper="",
        licence="bundled tasks and outputs: Apache-2.0, with data of others; see NOTICE.md there",
        primary_metric="pass_rate",
        sample_metric="score",
        outputs=JudgedOutputs(maker="model", item="task_no", most=100.0, verdict="pass"),
        bundled_samples=22,
        blind_baselines={},
    )
    options_type: ClassVar[type[DataOptions]] = MapJudgingOptions
    sample_type: ClassVar[type[Sample]] = MapSample
    columns = ("task_no", "level", "model", "score", "bounds", "pass", "scores_3x", "reason")
    ranked_by = "score, or else by the most that it can be, then by failed checks"
    defaults: ClassVar[dict[str, Any]] = {
        "max_tokens": 1024,
        "repeats": 3,
        "structured": "auto",
    }
    not_here = (*_NOT_HERE, "scoring", "model", "predictions")
    local_only = True
    merges_repeats = True
    published_fields = SEED_FIELDS

    def __init__(self, options: MapJudgingOptions) -> None:
        super().__init__(options)
        for name in _NOT_HERE:
            if getattr(options, name) is not None:
                flag = "--" + name.replace("_", "-")
                raise UsageError(f"{flag}: not with gis-bench; see --tasks, --outputs and --expect")
        if options.scoring != "strict":
            raise UsageError("--scoring compat: gis-bench has no other scoring than strict")
        self._judges = judges.judges_of(options.judge)
        self._own_prompt = None if options.prompt is None else own_template(options.prompt)
        self._folder: Path | None = None
        self._viewer: Viewer | None = None
        self._checked: dict[tuple[str, int], asyncio.Task[tuple[Any, ...]]] = {}

    def load(self) -> Dataset[MapSample]:
        options = self.options
        bundled = options.outputs is None
        sheet = _BUNDLED / "tasks.csv" if bundled else None
        chosen = selection(options.tasks, options.levels, options.models, sheet)
        expect = options.expect
        if bundled:
            if chosen.sheet != sheet:
                raise UsageError(
                    "--outputs BASE: where the outputs for these tasks are is not said"
                )
            expect = expect or _BUNDLED / "expectations.json"
        names = [judge.said for judge in self._judges]
        base = as_it_is_called(options.outputs or _BUNDLED / "outputs")
        dataset = load_outputs(chosen, base, expect, names)
        models = list(dict.fromkeys(sample.output.model for sample in dataset.samples))
        judges.check_self_judging(self._judges, models, forced=options.self_judging)
        if _has_pages(dataset) and find_spec("playwright") is None:
            raise MissingExtra("rendering HTML outputs", "render")
        warnings = [*dataset.warnings, *judges.family_warnings(self._judges, models)]
        samples = shuffled(dataset.samples, options.probe)
        links = said_of_links((sample.output for sample in samples), base)
        return msgspec.structs.replace(
            dataset, samples=samples, warnings=warnings, beforehand=[*dataset.beforehand, *links]
        )

    def adapters(self, options: Any) -> list[Any]:
        return judges.judge_adapters(self._judges, options)

    def asked_of(self, sample: MapSample) -> str:
        return sample.judge

    def work_in(self, folder: Path, earlier: Path | None) -> None:
        self._folder = folder / "pictures"
        if earlier is not None:
            take_over(earlier / "pictures", self._folder)

    async def prepare(self, sample: MapSample) -> MapSample:
        import asyncio

        key = (sample.output.model, sample.task.number)
        if key not in self._checked:
            self._checked[key] = asyncio.ensure_future(self._look(sample))
        output, checks = await asyncio.shield(self._checked[key])
        return msgspec.structs.replace(sample, output=output, file=output.file, checks=checks)

    async def _look(self, sample: MapSample) -> tuple[Any, ...]:
        import asyncio

        if self._viewer is None:
            self._viewer = self._make_viewer()
        output = await self._viewer.look(sample.output, sample.content)
        checks = await asyncio.to_thread(run_checks, sample.task, output)
        # The shapes stay in the run's folder; a record of each run of a judge needs no copy.
        output = msgspec.structs.replace(output, maps=without_shapes(output.maps))
        if output.file and self._folder is not None:
            # After the checks, which look at what the candidate made.
            file = await asyncio.to_thread(
                altered, Path(output.file), self._folder, sample.content[:24], self.options.probe
            )
            output = msgspec.structs.replace(output, file=str(file))
        return output, tuple(checks)

    def _make_viewer(self) -> Viewer:
        from screenmark.rendering import RenderOptions
        from screenmark.rendering.maps import MAP_SCRIPTS

        if self._folder is None:
            raise RuntimeError("work_in() was not called")
        given = self.options
        options = RenderOptions(
            wait=given.wait,
            network=given.network,
            assets=given.assets,
            browser=given.browser,
            pages=given.pages,
        )
        return Viewer(options, self._folder, scripts=MAP_SCRIPTS, read_maps=plain_maps)

    async def finish(self) -> None:
        import asyncio

        # Of a run that is broken off some are still at it.
        looking = list(self._checked.values())
        self._checked.clear()
        for task in looking:
            task.cancel()
        await asyncio.gather(*looking, return_exceptions=True)
        if self._viewer is not None:
            await self._viewer.close()
            self._viewer = None

    def settled(self, sample: MapSample) -> Answer | None:
        return settled_answer(sample, skip_blank=self.options.skip_blank)

    def build_prompt(self, sample: MapSample) -> tuple[Message, ...]:
        if self._own_prompt is not None:
            words = fill(self._own_prompt, sample.task)
        else:
            words = question(self._language(sample), sample.task, sample.output)
        return (Message("user", (Image(sample.file), Text(words))),)

    def _language(self, sample: MapSample) -> str:
        language = self.options.language
        return sample.task.language if language == "task" else language

    def answer_schema(self, sample: MapSample) -> dict[str, Json] | None:
        return rubric_schema()

    def follow_up(self, request: Request, reply: Reply, sample: MapSample) -> Request | None:
        if verdict_on(reply).status != "invalid" or len(reply.earlier) >= self.options.repairs:
            return None
        turns = list(request.messages)
        for text in (*reply.earlier, reply.text):
            verdict = verdict_on(msgspec.structs.replace(reply, text=text))
            if text.strip():
                turns.append(Message("assistant", (Text(text),)))
            turns.append(Message("user", (Text(again(self._language(sample), verdict)),)))
        return msgspec.structs.replace(request, messages=tuple(turns))

    def parse(self, reply: Reply, sample: MapSample) -> Answer:
        return answer_of(verdict_on(reply))

    def score(self, sample: MapSample, answer: Answer | None) -> dict[str, Any]:
        return score_answer(answer)

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        return summarise_runs(records)

    @classmethod
    def rank(cls, row: Mapping[str, Any]) -> tuple[float, ...] | None:
        failed = sum(check["status"] == "failed" for check in row["checks"])
        most = row["bounds"][1] if row["score"] is None and "bounds" in row else row["score"]
        return None if most is None else (most, -failed)

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return result_tables(results)

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return record_tables(record)

    @classmethod
    def sample_caption(cls, record: Record) -> str:
        total = record.score["total_normalized"]
        said = record.score["reason"] or ""
        return f"{record.sample_id}: {'not scored' if total is None else total}. {said}"

    def told(self, sample: MapSample) -> dict[str, str]:
        return {"task": sample.task.prompt}

    @property
    def prompt_text(self) -> str:
        languages = LANGUAGES if self.options.language == "task" else (self.options.language,)
        return self._own_prompt or "\n".join(map(template, languages))

    def group_of(self, sample: MapSample) -> str:
        return sample.task.level


def _has_pages(dataset: Dataset[MapSample]) -> bool:
    outputs = (sample.output for sample in dataset.samples)
    return any(o.file_type == "html_screenshot" and o.fault is None for o in outputs)
