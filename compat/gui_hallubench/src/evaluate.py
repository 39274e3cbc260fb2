"""GUI-HalluBench's evaluation command, carried out by Screenmark.

    python src/evaluate.py --annotation data/annotation/en/ui_elements_en.json \
        --model qwen-vl-max --adapter openai --api-base http://localhost:8000/v1 \
        --api-key YOUR_API_KEY --output result/eval_result.json

Runs are kept in ``result/runs`` of the working directory: after an interruption, the same
command goes on where it stopped. Exit codes: 0 done, 1 done with too many failures, 2 wrong
use or data, 3 interrupted and resumable.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

try:
    import metrics  # noqa: F401 - says how to install Screenmark where it is missing
except ModuleNotFoundError as _error:
    if __name__ != "__main__":
        raise
    print(f"error: {_error}", file=sys.stderr)
    sys.exit(2)

import screenmark
from screenmark import models
from screenmark.errors import ScreenmarkError, UsageError
from screenmark.models import BaseLLMAdapter
from screenmark.options import build

__all__ = ["BaseLLMAdapter", "build_adapter", "main"]

RUNS_DIR = Path("result", "runs")


def build_adapter(args: argparse.Namespace) -> BaseLLMAdapter:
    """The model that the command line names.

    Register your own here, with a name of your choice for ``--adapter``::

        if args.adapter == "mine":
            return MyCustomAdapter()

    Or leave this file alone and say ``--adapter package.module:MyCustomAdapter``.
    """
    given = options_of(args)
    fields = models.ModelOptions.__struct_fields__
    return models.build_adapter(
        build(models.ModelOptions, {name: given[name] for name in fields if name in given})
    )


def options_of(args: argparse.Namespace) -> dict:
    """The command line as options of ``screenmark.run``; what was not said is left out."""
    options = {name: value for name, value in vars(args).items() if value is not None}
    if "api_base" in options:
        options["api_base"] = [options["api_base"]]
    return options


def parse_arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Ask a model for the elements of GUI screenshots and score its answers. / "
        "让模型解析界面截图并评分。",
    )
    add = parser.add_argument
    add("--annotation", metavar="FILE", help="annotation file; left out: bundled pages / 标注文件")
    add("--model", required=True, metavar="NAME", help="model name / 模型名称")
    add(
        "--adapter",
        metavar="NAME",
        help="openai, dashscope, your own name from build_adapter, or package.module:Class "
        "(default openai; an embedded model such as ocr needs none) / 适配器",
    )
    add("--api-base", metavar="URL", help="address of the endpoint / 接口地址")
    add("--api-key", metavar="KEY", help="key of the endpoint / 接口密钥")
    add("--image-dir", metavar="DIR", help="folder that image paths start from / 图片根目录")
    add("--prompt", metavar="FILE", help="file with a prompt of your own / 自定义提示词文件")
    add(
        "--iou-threshold",
        type=float,
        default=0.5,
        metavar="X",
        help="boxes match above this IoU (default %(default)s) / IoU 阈值",
    )
    add("--max-samples", type=int, metavar="N", help="only the first N samples / 最多样本数")
    add(
        "--temperature",
        type=float,
        default=0.0,
        metavar="X",
        help="sampling temperature (default %(default)s) / 生成温度",
    )
    add(
        "--max-tokens",
        type=int,
        default=4096,
        metavar="N",
        help="most tokens in a reply (default %(default)s) / 最大生成 token 数",
    )
    add("--output", metavar="FILE", help="write the results there as JSON / 结果文件")
    args = parser.parse_args(argv)
    if args.adapter is None and args.model in models.embedded_models():
        args.adapter = "embedded"
    return args


def main(argv: list[str] | None = None) -> int:
    """Run the evaluation and return the exit code."""
    from screenmark.cli.outcome import finish
    from screenmark.reports import make_display

    args = parse_arguments(argv)
    try:
        adapter = build_adapter(args)
        if not isinstance(adapter, BaseLLMAdapter):
            kind = type(adapter).__name__
            raise UsageError(f"build_adapter returned {kind}, expected a BaseLLMAdapter")
        if adapter.name == BaseLLMAdapter.name:
            adapter.name = args.model
        run = screenmark.run(
            "gui-hallubench",
            adapter_object=adapter,
            display=make_display(),
            profile="pixel",
            scoring="compat",
            runs_dir=RUNS_DIR,
            **options_of(args),
        )
        return finish(run, "table")
    except ScreenmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
