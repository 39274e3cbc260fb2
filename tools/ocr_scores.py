"""Scores of the embedded model `ocr` on the pages it was made with and on the others.

    screenmark run mmbench-gui-l2 --model ocr
    python -m tools.ocr_scores runs/mmbench-gui-l2-ocr-…

Takes run folders of `mmbench-gui-l1` and `mmbench-gui-l2` over the bundled data and prints, for
development pages, other pages and all, what docs/models.md reports.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

DEVELOPMENT = (
    "admin_lte_",
    "startbootstrap_",
    "zh_calendar_",
    "zh_chat_list_",
    "zh_product_",
    "zh_settings_",
)
"""Starts of the names of the pages whose items were looked at while the rules were written."""


def groups_of(record: dict[str, Any]) -> list[str]:
    """What a record counts for, besides everything."""
    sample = record["sample"]
    if "difficulty" in sample:
        return [sample["difficulty"], sample["language"]]
    return [f"{sample['target']} {sample['groups']['grounding_type']}"]


def is_right(record: dict[str, Any]) -> bool:
    """Whether the answer is right; of an absent target, whether it was declined."""
    score = record["score"] or {}
    if record["sample"].get("target") == "absent":
        return str(record["answer"].get("reason")) == "target_absent"
    return bool(score.get("hit") or score.get("correct"))


def main(folders: list[str]) -> None:
    """Print a line for each group of each run."""
    for folder in folders:
        counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        with (Path(folder) / "records.jsonl").open(encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                page = Path(record["sample"]["image_path"]).name
                pages = "dev" if page.startswith(DEVELOPMENT) else "test"
                for where in (pages, "both"):
                    for group in ("all", *groups_of(record)):
                        counts[where, group][0] += is_right(record)
                        counts[where, group][1] += 1
        sys.stdout.write(f"{folder}\n")
        for (where, group), (right, number) in sorted(counts.items()):
            share = 100 * right / number
            sys.stdout.write(f"  {where:5} {group:17} {right:4} of {number:4}  {share:5.1f} %\n")


if __name__ == "__main__":
    main(sys.argv[1:])
