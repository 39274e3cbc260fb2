"""MMBench-GUI's evaluation command, carried out by Screenmark.

    python evaluate.py --config configs/config_local_uitars.json

Every model of the configuration is asked on every data set of it, one after the other. Files
go to ``{work_dir}/{model}/``, under MMBench-GUI's names. After an interruption the same command
goes on where it stopped. Exit codes: 0 done, 1 done with too many failures, 2 wrong use,
configuration or data, 3 interrupted and resumable.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from utils.environment import is_on, load_env_file

try:
    import screenmark  # noqa: F401 - all else that is imported needs it
except ModuleNotFoundError as _error:
    _hint = "install Screenmark: pip install -r requirements.txt"
    print(f"error: {_error}; {_hint}", file=sys.stderr)
    sys.exit(2)

HERE = Path(__file__).resolve().parent
JUDGES = ("exact_matching", "exact_match")
L2 = "GUIElementGrounding"


def parse_arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Ask GUI models about screenshots and score their answers, as a "
        "configuration in MMBench-GUI's form says. / 按配置文件评测 GUI 模型。"
    )
    add = parser.add_argument
    add("--config", required=True, type=Path, metavar="FILE", help="configuration / 配置文件")
    add("--data", nargs="+", metavar="NAME", help="only these of its data sets / 数据集")
    add("--model", nargs="+", metavar="NAME", help="only these of its models / 模型")
    add(
        "--work-dir",
        type=Path,
        metavar="DIR",
        help="where files go (default: EVAL_WORK_DIR, else ./outputs) / 输出目录",
    )
    add(
        "--mode",
        choices=("all", "infer"),
        default="all",
        help="infer: write predictions and no scores (default %(default)s) / 只推理或全部",
    )
    add("--max-samples", type=at_least(1), metavar="N", help="only the first N items / 最多样本数")
    add(
        "--scoring",
        choices=("strict", "compat"),
        default="strict",
        help="compat: read answers as the public code does, faults included (default "
        "%(default)s) / 评分方式",
    )
    add(
        "--api-nproc",
        type=at_least(1),
        default=4,
        metavar="N",
        help="requests in flight (default %(default)s) / 并发数",
    )
    add("--retry", type=at_least(0), metavar="N", help="tries after the first one / 重试次数")
    add("--reuse", action="store_true", help="take up the last run of the same command / 复用")
    add(
        "--ignore",
        action="store_true",
        help="end with 0 however many samples failed / 忽略失败样本",
    )
    add("--verbose", action="store_true", help="print every answer / 打印每个回答")
    add("--judge", metavar="NAME", help="exact_matching is the only one / 评判方式")
    add("--judge-args", metavar="JSON", help="no effect / 无作用")
    add("--reuse-aux", metavar="BOOL", help="no effect / 无作用")
    add("--use-vllm", action="store_true", help="no effect / 无作用")
    return parser.parse_args(argv)


def at_least(least: int) -> Callable[[str], int]:
    """A whole number that is not below ``least``, out of a word of the command line."""

    def number(word: str) -> int:
        if not word.removeprefix("-").isdecimal() or int(word) < least:
            raise argparse.ArgumentTypeError(f"{word!r}: expected a whole number from {least} on")
        return int(word)

    return number


def without_effect(args: argparse.Namespace) -> list[str]:
    """What was said that changes nothing here, and what would."""
    lines = []
    if args.judge is not None and args.judge not in JUDGES:
        lines.append(f"--judge {args.judge}: not available; answers are matched exactly")
    if args.judge_args is not None:
        lines.append("--judge-args: no judge is asked")
    if args.reuse_aux is not None:
        lines.append("--reuse-aux: there are no auxiliary files; runs are kept whole")
    if args.use_vllm:
        lines.append(
            "--use-vllm: had no effect in the original either; start vLLM's server and name its "
            "address as model_path"
        )
    if os.environ.get("EVAL_PROXY"):
        lines.append("EVAL_PROXY: no judge is asked")
    return lines


def main(argv: list[str] | None = None) -> int:
    """Run the evaluation and return the exit code."""
    from screenmark.cli.messages import note
    from screenmark.configs import load_config
    from screenmark.errors import RunInterrupted, ScreenmarkError

    args = parse_arguments(argv)
    load_env_file(HERE / ".env")
    if os.environ.get("RANK", "0") != "0":
        return 0  # torchrun starts many of us; the first one does the work
    work_dir = args.work_dir or Path(os.environ.get("EVAL_WORK_DIR") or "outputs")
    for line in without_effect(args):
        note("warning", line, "yellow")
    if os.environ.get("WORLD_SIZE", "1") != "1":
        note("warning", "torchrun: this version works on one graphics card only", "yellow")
    try:
        pairs = chosen(load_config(args.config).pairs, args)
        codes = [evaluate(pair, args, work_dir) for pair in pairs]
    except (RunInterrupted, KeyboardInterrupt):
        note("stopped", "interrupted; give the same command again to go on", "yellow")
        return RunInterrupted.exit_code
    except ScreenmarkError as error:
        for line in error.lines:
            note("error", line, "red")
        return error.exit_code
    return max(codes)


def chosen(pairs: Any, args: argparse.Namespace) -> list[Any]:
    """The pairs that --data and --model name; all of them where nothing was said."""
    from screenmark.errors import UsageError

    for flag, given, known in (
        ("--data", args.data, {pair.dataset for pair in pairs}),
        ("--model", args.model, {pair.name for pair in pairs}),
    ):
        if unknown := sorted(set(given or ()) - known):
            names = ", ".join(sorted(known))
            raise UsageError(f"{flag} {unknown[0]}: {args.config} has {names}")
    return [
        pair
        for pair in pairs
        if pair.dataset in (args.data or [pair.dataset])
        and pair.name in (args.model or [pair.name])
    ]


def evaluate(pair: Any, args: argparse.Namespace, work_dir: Path) -> int:
    """One model on one data set; an error ends this pair and no other."""
    from utils.outputs import Outputs

    from screenmark.cli.messages import note, say
    from screenmark.cli.outcome import finish
    from screenmark.configs import run_pair
    from screenmark.errors import RunInterrupted, ScreenmarkError, UnreachableError
    from screenmark.reports.progress import make_display

    say(f"── {pair.name} on {pair.dataset} ──")
    for line in pair.warnings:
        note("warning", line, "yellow")
    try:
        run = run_pair(pair, display=make_display(), **overrides(pair, args, work_dir))
        outputs = Outputs(work_dir, pair.name, pair.dataset, run.path.name)
        outputs.write_predictions(run)
        if args.mode == "all":
            outputs.write_scores(run, weighted=is_on("L1_USE_WEIGHTED"))
    except RunInterrupted:
        raise
    except (ScreenmarkError, OSError) as error:
        note("error", str(error), "red")
        if isinstance(error, UnreachableError):
            say(
                f"is model_path of {pair.name} in {args.config} the right address? Look with: "
                f"screenmark doctor --config {args.config}"
            )
        return getattr(error, "exit_code", 2)
    outputs.link()
    if args.verbose:
        show_answers(run)
    code = finish(run, "table" if args.mode == "all" else None)
    for path in outputs.written:
        say(f"written: {path}")
    return code


def overrides(pair: Any, args: argparse.Namespace, work_dir: Path) -> dict[str, Any]:
    """What command line and environment say, as options of ``screenmark.run``."""
    options: dict[str, Any] = {
        "runs_dir": work_dir / "runs",
        "scoring": args.scoring,
        "concurrency": args.api_nproc,
        "reuse": args.reuse,
    }
    if args.max_samples is not None:
        options["max_samples"] = args.max_samples
    if args.ignore:
        options["max_error_rate"] = 1.0
    if args.retry is not None:
        options["max_retries"] = args.retry
    template = os.environ.get("L2_USER_PROMPT")
    if template and pair.dataset == L2 and "build_prompt" not in pair.options:
        path = work_dir / "L2_USER_PROMPT.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template, encoding="utf-8")
        options["prompt"] = path
    return options


def show_answers(run: Any) -> None:
    """Every answer on a line of its own."""
    from screenmark.cli.messages import say

    for record in run.records:
        said = "" if record.reply is None else " ".join(record.reply.text.split())
        say(f"{record.sample_id}: {record.outcome.value}: {said}")


if __name__ == "__main__":
    sys.exit(main())
