"""Options of benchmarks in which an agent acts."""

from __future__ import annotations

from typing import Annotated, Literal

from screenmark.answers.actions import DIALECTS
from screenmark.benchmarks.base import DataOptions
from screenmark.options import option


class AgentOptions(DataOptions, frozen=True, kw_only=True):
    """Which tasks, for how long, and how a model is made an agent."""

    suite: Annotated[
        Literal["lite", "full"],
        option("lite: a first look, minutes; full: every task.", changes_answers=True),
    ] = "lite"
    tasks: Annotated[
        tuple[str, ...],
        option(
            "Only these tasks, by id; a world or a file of tasks of your own (env new-task) "
            "stands for all of its.",
            changes_answers=True,
            metavar="ID",
        ),
    ] = ()
    max_steps: Annotated[
        int,
        option(
            "Step budget of an episode; published budgets are 15 and 50.",
            changes_answers=True,
            minimum=1,
            maximum=500,
        ),
    ] = 15
    seeds: Annotated[
        int,
        option("Episodes of a task, each from a seed of its own.", changes_answers=True, minimum=1),
    ] = 1
    first_seed: Annotated[
        int, option("Seed of the first episode of each task.", changes_answers=True, minimum=0)
    ] = 0
    history: Annotated[
        int | None,
        option(
            "Screenshots that a model is sent, the present one included; left out, as many as "
            "its dialect's own agents send in OSWorld: 10 for claude, 5 for ui-tars and qwen, 3 "
            "for others.",
            changes_answers=True,
            minimum=1,
            maximum=50,
        ),
    ] = None
    observe: Annotated[
        Literal["screenshot", "screenshot,tree", "screenshot,text", "screenshot,tree,text"],
        option(
            "What a model is shown of the screen: besides the picture, the page's accessibility "
            "tree, its visible text, or both.",
            changes_answers=True,
        ),
    ] = "screenshot"
    dialect: Annotated[
        str | None,
        option(
            f"Language of the model's actions, in place of the profile's: {', '.join(DIALECTS)}.",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    planner: Annotated[
        str | None,
        option(
            "Model that says what to do in words; with --grounder, in place of --model. "
            "NAME@URL asks another endpoint.",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    grounder: Annotated[
        str | None,
        option(
            "Model that says where that is; NAME@URL asks another endpoint.",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
