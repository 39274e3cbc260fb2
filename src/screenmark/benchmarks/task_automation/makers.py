"""From the options of a run to the agents that play it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Final

import msgspec

from screenmark.agents.adapter import EpisodeAdapter
from screenmark.agents.asking import Asker
from screenmark.agents.base import AgentMaker
from screenmark.agents.model_agent import History, ModelMaker
from screenmark.agents.ocr_agent import OcrMaker
from screenmark.agents.oracle import OracleMaker
from screenmark.agents.random_agent import RandomMaker
from screenmark.answers import Profile, profile_of_model
from screenmark.benchmarks.task_automation.options import AgentOptions
from screenmark.errors import UsageError
from screenmark.models import BaseLLMAdapter, ModelOptions, embedded_models
from screenmark.models.registry import (
    ADAPTERS,
    build_adapter,
    build_replicas,
    names_endpoint,
)
from screenmark.profile_files import find_profile

EMBEDDED_AGENTS: Final[dict[str, tuple[Callable[[], AgentMaker], str]]] = {
    "ocr-agent": (OcrMaker, "reads instruction and screen, clicks on words, types quotations"),
    "random": (RandomMaker, "acts without looking"),
    "oracle": (OracleMaker, "plays the solution; checks the environment and is no model"),
}
"""Agents that come with the package: how one is made, and what it is."""

DEFAULT_PROFILE: Final = "pixel"


def profile_of_run(options: AgentOptions, model: str | None) -> tuple[Profile, str]:
    """The profile that a model's actions are read in, and how it was chosen.

    Raises:
        UsageError: ``--profile`` names none.
    """
    if options.profile is not None:
        return find_profile(options.profile), "option"
    known = profile_of_model(model) if model else None
    if known is not None:
        return known, "model"
    return find_profile(DEFAULT_PROFILE), "default"


def adapters_of(options: AgentOptions, model: ModelOptions) -> list[EpisodeAdapter]:
    """Who plays the episodes.

    Raises:
        UsageError, MissingExtra, DataError, CredentialsError: the model cannot be had.
    """
    if model.predictions is not None:
        raise UsageError("--predictions: an episode has to be played; name a --model")
    if options.planner is not None or options.grounder is not None:
        return [_pair(options, model)]
    named = None if model.adapter or model.api_base else EMBEDDED_AGENTS.get(model.model or "")
    if named is not None:
        if options.observe != "screenshot":
            raise UsageError(f"--observe: {model.model} looks at the picture alone, if at all")
        return [EpisodeAdapter(named[0](), model.most_in_flight)]
    if model.model in embedded_models() and not model.adapter:
        raise UsageError(f"--model {model.model}: it is no agent; did you mean ocr-agent?")
    _check_named(model)
    return [_single(replica, options, model) for replica in build_replicas(model)]


def _check_named(model: ModelOptions) -> None:
    """Say who can act, where nobody is named or a name is one letter off.

    Raises:
        UsageError: no model is named, or nobody knows where it is.
    """
    agents = ", ".join(EMBEDDED_AGENTS)
    if model.adapter is not None and model.adapter not in ADAPTERS:
        return
    if not model.model:
        raise UsageError(
            f"no model: pass --model NAME (an endpoint's model, or an agent of this package: "
            f"{agents}), or --planner and --grounder"
        )
    close = difflib.get_close_matches(model.model, EMBEDDED_AGENTS, n=1)
    if close and not model.adapter and not names_endpoint(model):
        raise UsageError(
            f"no endpoint for {model.model!r}: pass --api-base URL or --preset NAME; did you mean "
            f"--model {close[0]}?"
        )


def _single(replica: BaseLLMAdapter, options: AgentOptions, model: ModelOptions) -> EpisodeAdapter:
    profile, _ = profile_of_run(options, replica.name)
    asker = Asker(replica, model)
    seen = options.observe.split(",")
    maker = ModelMaker(asker, profile, options.dialect, History(screens=options.history))
    return EpisodeAdapter(
        maker, min(model.most_in_flight, replica.concurrency), (asker,), observe=seen
    )


def _pair(options: AgentOptions, model: ModelOptions) -> EpisodeAdapter:
    from screenmark.agents.pair_agent import PairMaker

    if options.planner is None or options.grounder is None:
        raise UsageError("--planner and --grounder belong together: give both")
    if model.model is not None:
        raise UsageError("--model: --planner and --grounder stand in its place")
    planner = Asker(_named(options.planner, model), model)
    grounder = Asker(_named(options.grounder, model), model)
    profile, _ = profile_of_run(options, options.grounder.partition("@")[0])
    if grounder.adapter.fixed_space is not None:
        profile = find_profile(grounder.adapter.fixed_space)
    seen = options.observe.split(",")
    maker = PairMaker(planner, grounder, profile, History(screens=options.history))
    return EpisodeAdapter(maker, model.most_in_flight, (planner, grounder), observe=seen)


def _named(said: str, model: ModelOptions) -> BaseLLMAdapter:
    name, _, url = said.partition("@")
    base = (url,) if url else model.api_base
    if name in embedded_models() and not url:
        base = ()
    return build_adapter(msgspec.structs.replace(model, model=name, api_base=base))
