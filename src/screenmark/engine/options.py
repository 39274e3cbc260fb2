"""How a run goes about its work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from screenmark.options import option


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Retries, the run folder, and when a run counts as failed."""

    max_retries: Annotated[int, option("Tries after the first one.", minimum=0, maximum=100)] = 5
    min_interval: Annotated[
        float, option("Least seconds between the starts of two requests.", minimum=0)
    ] = 0.0
    repeats: Annotated[
        int, option("Ask every sample so many times.", changes_answers=True, minimum=1)
    ] = 1
    executor: Annotated[
        Literal["local", "ray"],
        option("Where the work is done: in this process, or on the workers of a Ray cluster."),
    ] = "local"
    ray_address: Annotated[
        str | None,
        option(
            "With --executor ray: a cluster's address, or auto for the one of this machine; "
            "left out, that one or else one that ends with the run.",
            metavar="HOST:PORT",
        ),
    ] = None
    ray_workers: Annotated[
        int | None,
        option(
            "With --executor ray: workers; left out, one on each node, or as many as it has "
            "GPUs, browsers or displays for.",
            minimum=1,
            maximum=4096,
        ),
    ] = None
    runs_dir: Annotated[Path, option("Folder that holds the run folders.", metavar="DIR")] = Path(
        "runs"
    )
    resume: Annotated[Path | None, option("Go on with the run in this folder.", metavar="DIR")] = (
        None
    )
    reuse: Annotated[bool, option("Return the finished run of the same command, if any.")] = False
    fork: Annotated[
        bool, option("With --resume: start a new run from those of its records that still hold.")
    ] = False
    cache: Annotated[
        str | None,
        option(
            "Folder of replies to use again, or off. One folder for one set of weights.",
            metavar="DIR",
        ),
    ] = None
    max_total_tokens: Annotated[
        int | None, option("Stop, resumably, once so many tokens are spent.", minimum=1)
    ] = None
    max_cost: Annotated[
        float | None, option("Stop, resumably, once so many US dollars are spent.", minimum=0)
    ] = None
    deadline: Annotated[
        str | None,
        option("Stop, resumably, after so long: 90s, 15m, 2h.", metavar="DURATION"),
    ] = None
    prices: Annotated[
        Path | None, option("Prices of tokens that replace the bundled ones.", metavar="FILE")
    ] = None
    output: Annotated[
        Path | None, option("Also write the results to this JSON file.", metavar="FILE")
    ] = None
    max_error_rate: Annotated[
        float, option("Share of failures above which the exit code is 1.", minimum=0, maximum=1)
    ] = 0.05
