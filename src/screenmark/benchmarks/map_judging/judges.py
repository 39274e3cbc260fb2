"""Who judges: models by name, through which service, and never a model of its own outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from screenmark.benchmarks.map_judging import checks_judge
from screenmark.errors import UsageError

if TYPE_CHECKING:
    from screenmark.models.base import BaseLLMAdapter, ModelOptions

DEFAULT: Final = "claude-sonnet-4-6"


class Judge(NamedTuple):
    """One judge as ``--judge`` names it: ``[SERVICE:]MODEL[@URL]``.

    Attributes:
        said: all of it, without the address's credentials; the judge's name in results.
        model: the model's name at its service.
        service: a preset or an adapter; None if the model's name or the options decide.
        url: of its endpoint; None if the service or the options decide.
    """

    said: str
    model: str
    service: str | None = None
    url: str | None = None


def judges_of(texts: Sequence[str]) -> list[Judge]:
    """The judges that ``--judge`` names.

    Raises:
        UsageError: one is named twice, or not at all.
    """
    found = [_judge(text) for text in texts]
    names = [judge.said for judge in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"--judge {twice[0]}: named twice; to ask it more often: --repeats")
    if not found:
        raise UsageError("--judge: nobody is named")
    return found


def _judge(text: str) -> Judge:
    from screenmark.models.presets import presets
    from screenmark.models.registry import ADAPTERS

    rest, at, url = text.strip().rpartition("@")
    if not at or not re.match(r"https?://", url):
        if "://" in text:
            # What stands here goes into the manifest, and a password should not.
            raise UsageError("--judge: expected NAME@URL, the address without user and password")
        rest, url = text.strip(), ""
    service, colon, model = rest.partition(":")
    if not colon or service not in {*presets(), *ADAPTERS}:
        service, model = "", rest
    if not model:
        raise UsageError(f"--judge {text}: expected a model's name")
    return Judge(model, model, service or None, url or None)


def judge_adapters(judges: Sequence[Judge], options: ModelOptions) -> list[BaseLLMAdapter]:
    """The models behind the judges, as the adapters of a run.

    Args:
        judges: as they were named.
        options: of the run; ``api_base``, ``adapter``, ``preset`` and ``api_key`` hold for every
            judge that does not say otherwise.

    Raises:
        UsageError, MissingExtra, CredentialsError: as for `screenmark.models.build_adapter`.
    """
    from screenmark.models.panel import Panel
    from screenmark.models.registry import build_adapter, build_replicas

    if options.model is not None or options.predictions is not None:
        given = "--model" if options.model is not None else "--predictions"
        raise UsageError(
            f"{given}: gis-bench judges what models have left in --outputs; name those with "
            "--models, and who judges with --judge"
        )
    asked = [judge for judge in judges if judge.said != checks_judge.NAME]
    if not asked:
        return [Panel({}, name=checks_judge.NAME)]
    elsewhere = any(judge.url or judge.service for judge in asked)
    if len(asked) > 1 and options.api_key and (elsewhere or not options.api_base):
        raise UsageError(
            "--api-key: of which judge? Set each service's own environment variable instead"
        )
    if len(judges) == 1:
        return build_replicas(_options_of(asked[0], options))
    members = {judge.said: build_adapter(_options_of(judge, options)) for judge in asked}
    return [Panel(members, name="+".join(judge.said for judge in judges))]


def _options_of(judge: Judge, options: ModelOptions) -> ModelOptions:
    from screenmark.models.registry import ADAPTERS

    changed = msgspec.structs.replace(options, model=judge.model)
    if judge.url is not None:
        changed = msgspec.structs.replace(changed, api_base=(judge.url,))
    if judge.service in ADAPTERS:
        return msgspec.structs.replace(changed, adapter=judge.service)
    if judge.service is not None:
        own = () if judge.url is None else (judge.url,)
        return msgspec.structs.replace(changed, preset=judge.service, adapter=None, api_base=own)
    if changed.adapter is None and judge.model.lower().startswith("claude"):
        return msgspec.structs.replace(changed, adapter="anthropic")
    return changed


def check_self_judging(judges: Iterable[Judge], models: Iterable[str], *, forced: bool) -> None:
    """Refuse a judge of its own outputs.

    Raises:
        UsageError: a judge and a folder have the same name.
    """
    if forced:
        return
    for judge in judges:
        name = judge.model.rsplit("/", 1)[-1]
        for model in models:
            if _letters(model) == _letters(name):
                raise UsageError(
                    f"--judge {judge.said}: it would judge its own outputs in {model}; name "
                    "another judge, or allow it with --self-judging"
                )


def family_warnings(judges: Iterable[Judge], models: Iterable[str]) -> list[str]:
    """A warning for each judge of outputs that seem to be its family's."""
    found = []
    for judge in judges:
        family = _family(judge.model)
        kin = [model for model in models if family and _family(model) == family]
        if kin:
            found.append(
                f"judge {judge.said} and {', '.join(kin)} seem to be of one family; judges "
                "favour their own: look at a second judge of another family"
            )
    return found


_FAMILIES: Final = (
    *("claude", "gpt", "gemini", "gemma", "qwen", "llama", "mistral", "internvl", "glm", "grok"),
    *("deepseek", "kimi", "phi", "exaone", "hyperclova"),
)


def _family(name: str) -> str | None:
    letters = _letters(name)
    return next((family for family in _FAMILIES if family in letters), None)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
