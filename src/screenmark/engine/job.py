"""One call of ``screenmark.run`` while it goes: find the folder, ask the rest, sum up."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from screenmark.benchmarks import Benchmark, Dataset, Sample
from screenmark.engine import results as results_module
from screenmark.engine.budget import Budget
from screenmark.engine.cache import ReplyCache, RunCache
from screenmark.engine.cached_answers import CachedAnswers
from screenmark.engine.endpoints import Endpoints
from screenmark.engine.manifest import Manifest, Status, new_session, now, write_manifest
from screenmark.engine.pictures import save_pictures
from screenmark.engine.plan import Plan, differing_options
from screenmark.engine.prices import load_prices
from screenmark.engine.progress import Display, Progress
from screenmark.engine.records import OpenSink, RecordFile, RecordWriter
from screenmark.engine.requests import make_request, still_holds
from screenmark.engine.retry import RetryPolicy
from screenmark.engine.run_folder import (
    RunFolder,
    folder_name,
    folders_of,
    next_folder,
    next_number,
    open_folder,
)
from screenmark.engine.run_view import Run
from screenmark.engine.runner import Runner, Work
from screenmark.errors import (
    DataError,
    EnvironmentFailure,
    ImageError,
    RunFolderError,
    RunInterrupted,
    UsageError,
)
from screenmark.jsonfile import check_writable, dump_json, write_atomically
from screenmark.models import BaseLLMAdapter
from screenmark.models.image_limits import limits_of_run
from screenmark.models.predictions import PredictionsFile
from screenmark.types import Record

_ALLOCATIONS = 20_000
"""New objects after which the collector looks for garbage."""


class Job:
    """One call of `run` while it goes."""

    def __init__(self, plan: Plan, replicas: list[BaseLLMAdapter], display: Display) -> None:
        if plan.engine.output is not None:
            check_writable(plan.engine.output)
        self.plan = plan
        self.replicas = replicas
        self.model = model = replicas[0]
        self.display = display
        self.benchmark: Benchmark[Any, Any] = plan.benchmark
        self.benchmark.settle_profile(model.fixed_space, model.name)
        self.benchmark.settle_image_limits(limits_of_run(plan.model, replicas))
        with _no_collection():
            self.dataset: Dataset[Any] = self.benchmark.load()
        self.samples: Sequence[Sample] = plan.choose(self.dataset)
        self.identity = plan.identity(self.dataset, model)
        price = load_prices(plan.engine.prices).price_of(model.name)
        self.budget = Budget(plan.engine, price)
        self.cache = self._open_cache()
        self._sure = False
        self.problems = [str(problem) for problem in self.dataset.problems]
        self._first = ""
        if not self.samples:
            raise DataError(_nothing_left(self.dataset), file=self.dataset.source)
        if isinstance(model, PredictionsFile):
            self._check_predictions(model)

    def execute(self, old: tuple[RunFolder, Manifest] | None, *, fork: bool) -> Run:
        with _few_collections():
            return self._execute(old, fork=fork)

    def _execute(self, old: tuple[RunFolder, Manifest] | None, *, fork: bool) -> Run:
        if old is not None and fork:
            self._make_sure()
            with (folder := self._fresh()).locked():
                return self._go(folder, self._new_manifest(), forked_from=old)
        if old is not None:
            self._refuse_other_answers(*old)
            folder, manifest = old[0], old[1]
        else:
            folder, found = self._folder_of_command()
            if found is None:
                self._make_sure()
            manifest = found or self._new_manifest()
        with folder.locked():
            return self._go(folder, manifest)

    def _make_sure(self) -> None:
        """What samples need is there: better one error now than one a sample."""
        _run_async(self.benchmark.make_sure(self.samples))
        self._sure = True

    def _folder_of_command(self) -> tuple[RunFolder, Manifest | None]:
        """The unfinished folder of this command, with --reuse the finished one, or a new one."""
        engine = self.plan.engine
        before = ""
        for folder in reversed(folders_of(engine.runs_dir, self._name)):
            if not folder.manifest.is_file():
                return folder, None
            manifest = open_folder(folder.path)[1]
            # Results come last: without them something is still to do.
            finished = manifest.status == "finished" and folder.results.is_file()
            if not finished or engine.reuse:
                return folder, manifest
            before = before or self._finished_before(folder, manifest)
        self._first = before
        return self._fresh(), None

    def _finished_before(self, folder: RunFolder, manifest: Manifest) -> str:
        """What a person has to know before the same is asked, and maybe paid, again."""
        count = len(self.samples) * self.plan.engine.repeats
        kept = "" if self.cache is None else "; replies in --cache are not asked for again"
        return (
            f"The same command has finished before, at {manifest.finished}: its results are in "
            f"{folder}, and --reuse returns them. This is a new run, with up to {count} "
            f"requests to {self.model.name}{kept}."
        )

    def _fresh(self) -> RunFolder:
        return next_folder(self.plan.engine.runs_dir, self._name)

    @property
    def _name(self) -> str:
        return folder_name(self.plan.benchmark_id, self.model.name, self.identity)

    def _go(
        self,
        folder: RunFolder,
        manifest: Manifest,
        forked_from: tuple[RunFolder, Manifest] | None = None,
    ) -> Run:
        manifest.options = self.plan.options
        manifest.scoring = self.benchmark.options.scoring
        manifest.status = "running"
        manifest.problems = self.problems
        manifest.sessions.append(new_session(self.plan.model.api_base))
        _save(folder, manifest)
        run = Run(folder, manifest)
        run.warnings = list(self.dataset.warnings)
        earlier = None if forked_from is None else forked_from[0].artifacts
        self.benchmark.work_in(folder.artifacts, earlier)
        if forked_from is not None:
            run.warnings += self._copy_records(*forked_from, folder)
        status: Status = "interrupted"
        try:
            done = self._done_before(run)
            run.warnings += self._ask_the_rest(folder, done)
            with _no_collection():
                self._write_results(run)
            status = "finished"
        finally:
            manifest.status = status
            manifest.sessions[-1].ended = now()
            manifest.finished = manifest.sessions[-1].ended if status == "finished" else None
            # Another error on the way is the one to hear of.
            with suppress(RunInterrupted) if status == "interrupted" else nullcontext():
                _save(folder, manifest)
        return run

    def _done_before(self, run: Run) -> NDArray[np.bool_]:
        """What earlier sessions finished, and a warning for what of theirs is of no use."""
        records = RecordFile(run.folder.records)
        path = run.folder.records
        run.warnings += [
            f"{path}: line {n} is damaged; its sample is asked again" for n in records.bad_lines
        ]
        foreign = self._keep_ours(records)
        if foreign:
            run.warnings.append(f"{path}: {foreign} records are not of this run and left out")
        done = records.done(len(self.samples), self.plan.engine.repeats)
        run.resumed = int(done.sum())
        return done

    def _keep_ours(self, records: RecordFile) -> int:
        """Forget records that this run does not ask for; how many those were."""
        ids = (sample.id for sample in self.samples)
        return records.keep_only(ids, self.plan.engine.repeats)

    def _ask_the_rest(self, folder: RunFolder, done: NDArray[np.bool_]) -> list[str]:
        """Ask about what is not done; what was worth a warning on the way."""
        engine = self.plan.engine
        total, finished = done.size, int(done.sum())
        if self.budget.needs_past:
            self.budget.spend(RecordFile(folder.records))
        first = [self._first, *self.dataset.beforehand, _about_data(self.dataset)]
        progress = Progress(total, finished, " ".join(line for line in first if line))
        if self.model.looks_once:
            rows = zip(self.samples, done, strict=True)
            progress.expect_images(
                getattr(sample, "file", "") for sample, row in rows if not row.all()
            )
        open_sink = partial(RecordWriter, folder.records)
        try:
            if finished >= total:
                return []
            if not self._sure:
                self._make_sure()
            work = self.plan.work(self.samples, done)
            if engine.executor == "ray":
                return self._ask_on_ray(work, total - finished, progress, open_sink)
            runner = Runner(
                self.benchmark,
                Endpoints(self.replicas, self.plan.limiter),
                self.plan.model,
                policy=RetryPolicy(max_retries=engine.max_retries),
                progress=progress,
                display=self.display,
                budget=self.budget,
                cache=self.cache,
            )
            _run_async(runner.run(work, open_sink))
        finally:
            if self.cache is not None:
                self.cache.close()
        return []

    def _ask_on_ray(
        self, work: Iterable[Work], count: int, progress: Progress, open_sink: OpenSink
    ) -> list[str]:
        from screenmark.engine.ray_executor import RayCluster, connected

        cache = None
        if self.cache is not None:
            cache = CachedAnswers(self.benchmark, self.plan.model, self.cache)
        with connected(self.plan.engine.ray_address) as ray:
            run = RayCluster(ray, self.plan, self.model).spread(
                work, count, progress, self.display, self.budget, cache
            )
            _run_async(run.run(open_sink))
        return run.warnings

    def _open_cache(self) -> RunCache | None:
        where = self.plan.engine.cache
        if where in {None, "off"} or isinstance(self.model, PredictionsFile):
            return None
        if not self.benchmark.cacheable:
            raise UsageError(f"--cache: replies of {self.plan.benchmark_id} are played, not kept")
        cache = ReplyCache(Path(str(where)))
        return RunCache(cache, self.plan.model, self.identity["adapter"], self.model.name)

    def _write_results(self, run: Run) -> None:
        records = self._our_records(run.folder)
        if run.resumed:
            # Earlier sessions may have read and scored under other options, other functions or
            # an older version. The records say what the results say, so they are brought up.
            changed = results_module.reread(self.benchmark, records)
            _run_async(_append(run.folder.records, changed))
            records = self._our_records(run.folder)
        results = results_module.summarise(self.benchmark, run.manifest, records)
        text = dump_json(results)
        try:
            write_atomically(run.folder.results, text)
        except OSError as error:
            raise _no_room(run.folder.results, error) from None
        save_pictures(type(self.benchmark), results, run.folder.path)
        output = self.plan.engine.output
        if output is not None:
            write_output(output, text)

    def _our_records(self, folder: RunFolder) -> RecordFile:
        records = RecordFile(folder.records)
        self._keep_ours(records)
        return records

    def _new_manifest(self) -> Manifest:
        return Manifest(
            benchmark=self.plan.benchmark_id,
            model=self.model.name,
            adapter=self.identity["adapter"],
            profile=self.benchmark.profile,
            profile_source=self.benchmark.profile_source,
            scoring=self.benchmark.options.scoring,
            identity=self.identity,
            options=self.plan.options,
            prompt=self.benchmark.prompt_text,
            data_source=self.dataset.source,
            data_hash=self.dataset.data_hash,
            num_samples=len(self.samples) * self.plan.engine.repeats,
            number=next_number(self.plan.engine.runs_dir),
            created=now(),
        )

    def _refuse_other_answers(self, folder: RunFolder, manifest: Manifest) -> None:
        differing = differing_options(manifest.identity, self.identity)
        if differing:
            raise RunFolderError(
                f"{folder}: would give other answers: {'; '.join(differing)}. Add --fork to "
                "start a new run from the records that still hold"
            )

    def _copy_records(self, source: RunFolder, manifest: Manifest, target: RunFolder) -> list[str]:
        """Take over the old answers to requests that this run would send too, to the same model.

        Returns:
            A warning if nothing can hold.
        """
        for name in ("benchmark", "model", "adapter", "predictions"):
            if manifest.identity.get(name) != self.identity.get(name):
                return [f"{source}: nothing of it holds here, since --{name} differs"]
        positions = {sample.id: n for n, sample in enumerate(self.samples)}
        candidates = []
        for record in RecordFile(source.records):
            position = positions.get(record.sample_id)
            if position is None or record.repeat >= self.plan.engine.repeats:
                continue
            if self.samples[position].problem or record.outcome.is_failure:
                continue
            record.position = position
            candidates.append(record)
        _run_async(self._append_held(target.records, candidates))
        return []

    async def _append_held(self, path: Path, candidates: Iterable[Record]) -> None:
        kept = []
        try:
            for record in candidates:
                try:
                    sample = await self.benchmark.prepare(self.samples[record.position])
                    request = make_request(self.benchmark, sample, self.plan.model)
                except (ImageError, EnvironmentFailure):
                    continue
                if still_holds(record, request):
                    record.sample = msgspec.to_builtins(sample)
                    kept.append(record)
        finally:
            await self.benchmark.finish()
        await _append(path, results_module.rescored(self.benchmark, kept))

    def _check_predictions(self, model: PredictionsFile) -> None:
        unknown = self.benchmark.check_predictions(model.ids, self.dataset)
        self.problems += [
            str(DataError("not in the annotation", file=model.path, sample=id)) for id in unknown
        ]
        if len(unknown) == len(model.ids):
            example = f"{unknown[0]!r}" if unknown else "none"
            ids = [sample.id for sample in self.dataset.samples]
            hint = ""
            if unknown and any(id.startswith(f"{unknown[0]}#") for id in ids):
                hint = (
                    ". An image has several questions here: give each item the sample's id, as "
                    "in per_sample of results.json and in screenmark export"
                )
            raise DataError(
                f"no prediction is for a sample of {self.dataset.source}; predictions are for "
                f"{example}, expected ids like {ids[0]!r}{hint}",
                file=model.path,
            )


def write_output(path: Path, text: str) -> None:
    """Write the results where the user asked for them.

    Raises:
        UsageError: that place cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    except OSError as error:
        raise UsageError(f"--output {path}: cannot be written ({error.strerror})") from None


@contextmanager
def _no_collection() -> Iterator[None]:
    """Make a great many objects that all stay, without looking for garbage among them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for garbage seldom, and not among what is there already.

    The data set stays until the end, and of a sample's many small objects next to none are
    in a cycle.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _save(folder: RunFolder, manifest: Manifest) -> None:
    try:
        write_manifest(folder.manifest, manifest)
    except OSError as error:
        raise _no_room(folder.manifest, error) from None


def _no_room(path: Path, error: OSError) -> RunInterrupted:
    return RunInterrupted(
        f"{path}: cannot be written ({error.strerror}); "
        "what is finished is kept: make room and give the same command again"
    )


async def _append(path: Path, records: Iterable[Record]) -> None:
    writer = RecordWriter(path, lambda group: None)
    try:
        for record in records:
            await writer.put(record)
    finally:
        await writer.close()


def _nothing_left(dataset: Dataset[Any]) -> str:
    problems: Sequence[DataError] = dataset.problems
    first = f"; the first problem: {problems[0]}" if problems else ""
    return f"no sample can be used, {len(problems)} have problems{first}"


def _run_async(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, also under a notebook's running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    caught: list[BaseException] = []

    def target() -> None:
        try:
            asyncio.run(work)
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=target, name="screenmark-run")
    thread.start()
    thread.join()
    if caught:
        raise caught[0]


def _about_data(dataset: Dataset[Any]) -> str:
    """What a person may want to stop for before anything is asked; the whole follows at the end."""
    kinds = {"problem": dataset.problems, "warning": dataset.warnings}
    counts = [f"{len(v)} {name}{'s'[: len(v) > 1]}" for name, v in kinds.items() if v]
    if not counts:
        return ""
    first = next(str(line) for found in kinds.values() for line in found)
    return f"the data have {' and '.join(counts)}, listed at the end; the first: {first}"
