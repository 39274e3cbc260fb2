"""``screenmark.run(...)``, and scoring an old run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from screenmark.engine import results as results_module
from screenmark.engine.job import Job
from screenmark.engine.manifest import Manifest
from screenmark.engine.plan import Plan
from screenmark.engine.progress import Display, Silent
from screenmark.engine.records import RecordFile
from screenmark.engine.run_folder import RunFolder, open_folder
from screenmark.engine.run_view import Run
from screenmark.errors import UsageError
from screenmark.models import BaseLLMAdapter


def run(
    benchmark: str | None = None,
    *,
    resume: str | Path | None = None,
    fork: bool = False,
    display: Display | None = None,
    adapter_object: BaseLLMAdapter | None = None,
    **options: Any,
) -> Run:
    """Run a benchmark and return the finished run.

    Args:
        benchmark: id as in ``screenmark list benchmarks``; may be left out with ``resume``.
        resume: folder of an earlier run to go on with; its options hold unless given anew.
        fork: with ``resume``, start a new run from the records that still hold.
        display: shows progress; nothing is shown by default.
        adapter_object: a model of your own, already made, in place of ``adapter``.
        options: options of ``screenmark run`` with underscores, as ``max_samples=5``.

    Raises:
        UsageError, DataError, RunFolderError: what was asked for cannot be started.
        RunInterrupted: stopped on the way; the same call goes on.
        CredentialsError, UnreachableError: the endpoint takes no request at all.

    Example::

        run = screenmark.run("gui-hallubench", model="ocr", max_samples=5)
        run.results["overall_f1"]
    """
    old: tuple[RunFolder, Manifest] | None = None
    if resume is not None:
        old = open_folder(Path(resume))
        benchmark = benchmark or old[1].benchmark
        options = _inherited(old[1], options)
    elif fork:
        raise UsageError("--fork starts from an earlier run: name it with --resume DIR")
    if benchmark is None:
        raise UsageError("no benchmark; see: screenmark list benchmarks")
    plan = Plan(benchmark, options)
    if adapter_object is not None and plan.engine.executor != "local":
        raise UsageError(
            f"--executor {plan.engine.executor} makes the model anew in every worker: name it "
            "with --adapter package.module:Class"
        )
    replicas = [adapter_object] if adapter_object else plan.replicas()
    job = Job(plan, replicas, display or Silent())
    return job.execute(old, fork=fork)


def rescore(path: str | Path, **options: Any) -> dict[str, Any]:
    """Results of an old run under the current metrics, without asking the model again.

    Args:
        path: the run folder.
        options: options of the benchmark that take the place of the run's own, such as
            ``iou_threshold=0.3``.

    Raises:
        RunFolderError: there is no run in ``path``.
        UsageError: an option is unknown, or would need new answers.
    """
    folder, manifest, plan = old_plan(path, options)
    records = results_module.rescored(plan.benchmark, RecordFile(folder.records))
    return results_module.summarise(plan.benchmark, manifest, records)


def old_plan(path: str | Path, options: dict[str, Any]) -> tuple[RunFolder, Manifest, Plan]:
    """A run on disk and its plan, with options that only change scores on top.

    Raises:
        RunFolderError: there is no run in ``path``.
        UsageError: an option is unknown, or would need new answers.
    """
    folder, manifest = open_folder(Path(path))
    plan = Plan(manifest.benchmark, _inherited(manifest, options))
    for name in options:
        if name in manifest.identity:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} changes answers; scoring alone cannot apply it")
    plan.benchmark.settle_profile(manifest.profile)
    plan.benchmark.profile_source = manifest.profile_source
    return folder, manifest, plan


def _inherited(manifest: Manifest, options: dict[str, Any]) -> dict[str, Any]:
    """The run's own options with those of the command on top; where to write stays new."""
    ours = {k: v for k, v in manifest.options.items() if v is not None}
    for name in ("output", "resume", "fork", "reuse"):
        ours.pop(name, None)
    return ours | options
