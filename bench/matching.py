"""Speed of ``evaluate_dataset`` against the plain-Python reference, results being identical.

    python -m bench.matching [--pages 1000] [--rounds 5] [--stream 1000 10000]

Pages are made up, with the shape of real ones: 60 true elements in rows and columns and a
few containers around them; 60 predicted ones, of which about 70 % hit an element. Of these,
a third has the very same description, the others one with a few edits. Both programs run in
turn on the same pages. Both are single-threaded, and what is compared is the least CPU time
of either over all rounds, which neighbours on the machine disturb least; the medians are
shown too. Exits with 1 if the results differ anywhere or the reference is less than 20 times
slower. Before that, pages are streamed through to show time and memory by their number.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench import reference_matching
from screenmark.metrics import evaluate_dataset

Page = dict[str, Any]

ELEMENTS = 60
CONTAINERS = 6
REQUIRED_RATIO = 20
WORDS = [
    *("Search", "settings", "Sign in", "account", "orders", "Checkout", "shipping address"),
    *("Continue", "profile picture", "of the", "notification bell", "badge", "Add to cart"),
    *("Quantity", "Price", "filter", "results", "newest first", "Privacy policy", "Download"),
    *("report", "PDF", "Close", "dialog", "menu", "home", "breadcrumb", "Submit", "form", "2,150"),
    *("支付宝", "首页", "我的订单", "搜索", "设置", "返回", "立即购买", "优惠券"),
]
MORE_WORDS = (9, 5, 3, 2, 1)
"""Weights of descriptions of one to five words; real ones have a median of about ten characters."""


def make_page(number: int) -> tuple[Page, Page]:
    """The prediction and the truth of one page; the same for the same number."""
    rng = random.Random(number)
    path = f"images/page-{number:05d}.png"
    true = [_control(rng, cell) for cell in range(ELEMENTS - CONTAINERS)]
    true += [_container(rng) for _ in range(CONTAINERS)]
    predicted = [
        _predicted(rng, element) if rng.random() < 0.7 else _stray(rng) for element in true
    ]
    rng.shuffle(predicted)
    return (
        {"image_path": path, "elements": predicted},
        {"image_path": path, "elements": true},
    )


def _control(rng: random.Random, cell: int) -> dict[str, Any]:
    row, column = divmod(cell, 6)
    x, y = column * 240 + rng.randint(4, 60), row * 100 + rng.randint(4, 40)
    return _element(rng, x, y, rng.randint(40, 170), rng.randint(18, 48))


def _container(rng: random.Random) -> dict[str, Any]:
    x, y = rng.randint(0, 900), rng.randint(0, 600)
    return _element(rng, x, y, rng.randint(250, 540), rng.randint(120, 300))


def _stray(rng: random.Random) -> dict[str, Any]:
    x, y = rng.randint(0, 1300), rng.randint(0, 850)
    return _element(rng, x, y, rng.randint(15, 140), rng.randint(12, 50))


def _element(rng: random.Random, x: int, y: int, width: int, height: int) -> dict[str, Any]:
    (count,) = rng.choices(range(1, len(MORE_WORDS) + 1), MORE_WORDS)
    description = " ".join(rng.choices(WORDS, k=count))[:40].ljust(5, ".")
    box = [x, y, x + width, y + height]
    return {"type": "button", "index": 0, "description": description, "coordinates": box}


def _predicted(rng: random.Random, element: dict[str, Any]) -> dict[str, Any]:
    x1, y1, x2, y2 = element["coordinates"]
    jitter = [rng.randint(-3, 3) for _ in range(4)]
    box = [x1 + jitter[0], y1 + jitter[1], x2 + jitter[2], y2 + jitter[3]]
    description = element["description"]
    if rng.random() > 1 / 3:
        description = _edited(rng, description)
    return {**element, "description": description, "coordinates": box}


def _edited(rng: random.Random, text: str) -> str:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "e", " ", "icon"]) + text[at + rng.randint(0, 2) :]
        text = text or "icon"
    return text[:40].ljust(5, ".")


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _same(ours: dict[str, Any], reference: dict[str, Any]) -> bool:
    rows = [
        {key: row[key] for key in expected}
        for row, expected in zip(ours["per_sample"], reference["per_sample"], strict=True)
    ]
    totals = {key: ours[key] for key in reference}
    return {**totals, "per_sample": rows} == reference


def _print_stream_rows(counts: Sequence[int]) -> None:
    """Time a page and peak memory while ever more pages pass through."""
    pool = [make_page(number) for number in range(100)]

    def stream(side: int, pages: int) -> Iterator[Page]:
        return ({**pool[k % 100][side], "image_path": f"images/{k}.png"} for k in range(pages))

    for pages in counts:
        seconds, _ = _timed(evaluate_dataset, stream(0, pages), stream(1, pages))
        print(
            f"{pages:6d} pages streamed: {seconds / pages * 1e3:.3f} ms a page, "
            f"peak memory {_peak_mb():.0f} MB"
        )


def main() -> int:
    """Run the comparison, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stream", type=int, nargs="*", default=[1000, 10000])
    options = parser.parse_args()

    _print_stream_rows(options.stream)

    predictions, truth = (
        list(side) for side in zip(*map(make_page, range(options.pages)), strict=True)
    )
    gc.collect()
    gc.freeze()  # neither program is to search the input for garbage
    times: dict[str, list[float]] = {"reference": [], "screenmark": []}
    identical = True
    for _ in range(options.rounds):
        seconds, expected = _timed(reference_matching.evaluate_dataset, predictions, truth)
        times["reference"].append(seconds)
        seconds, ours = _timed(evaluate_dataset, predictions, truth)
        times["screenmark"].append(seconds)
        identical = identical and _same(ours, expected)

    ratio = min(times["reference"]) / min(times["screenmark"])
    matched = ours["total_tp"] / (options.pages * ELEMENTS)
    print(f"{options.pages} pages x {ELEMENTS} predicted x {ELEMENTS} true, {matched:.0%} matched")
    for name, values in times.items():
        least, median = (
            value / options.pages * 1e3 for value in (min(values), statistics.median(values))
        )
        print(f"{name:10} {least:7.3f} ms a page (median {median:.3f})")
    print(f"ratio      {ratio:7.1f}   required {REQUIRED_RATIO}; results identical: {identical}")
    return 0 if identical and ratio >= REQUIRED_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
