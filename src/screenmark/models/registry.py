"""From the options of a command to the model that they mean."""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec

from screenmark.errors import CredentialsError, UsageError
from screenmark.models.base import BaseLLMAdapter, ModelOptions
from screenmark.models.encoders import Encoder
from screenmark.models.local_options import check_adapter_has
from screenmark.models.presets import preset_of, with_preset

ADAPTERS: dict[str, str] = {
    "openai": "screenmark.models.openai:OpenAIAdapter",
    "dashscope": "screenmark.models.dashscope:DashScopeAdapter",
    "anthropic": "screenmark.models.anthropic_adapter:AnthropicAdapter",
    "embedded": "screenmark.models.embedded_adapter:EmbeddedAdapter",
    "transformers": "screenmark.models.transformers_adapter:TransformersAdapter",
    "vllm": "screenmark.models.vllm_adapter:VllmAdapter",
}
"""Adapters that come with the package, as ``module:Class``, loaded when used."""

_SPEAKS_HTTP = frozenset({"openai", "anthropic"})

_STAGED = "screenmark.models.staged_openai:StagedOpenAIAdapter"

ENTRY_POINT_GROUP = "screenmark.adapters"
"""A package offers an adapter by an entry point in this group."""


def embedded_models() -> list[str]:
    """Names of the models that ship with the package."""
    from screenmark.models.embedded_adapter import EMBEDDED

    return list(EMBEDDED)


def adapter_names() -> list[str]:
    """Names that ``--adapter`` knows, installed entry points included."""
    return [*ADAPTERS, *(point.name for point in entry_points(group=ENTRY_POINT_GROUP))]


def build_adapter(options: ModelOptions) -> BaseLLMAdapter:
    """Make the model that the options name.

    ``predictions`` comes first; else an explicit ``adapter``; else the name of an embedded
    model selects itself; else the adapter is ``openai``.

    Raises:
        UsageError: no model is named, or the adapter is unknown or cannot be made.
        MissingExtra: the adapter needs packages that are not installed.
        CredentialsError: the vendor takes no request without a key, and there is none.
        DataError: the file of predictions cannot be read.
    """
    if options.predictions is not None:
        if options.model is not None and options.model in embedded_models():
            raise UsageError("--predictions stands in place of --model; give one of them")
        from screenmark.models.predictions import PredictionsFile

        return PredictionsFile(options.predictions, options.model)
    options = with_preset(options)
    _check_preset(options)
    own_class = bool(options.adapter) and options.adapter not in ADAPTERS
    if not options.model and not own_class:
        raise UsageError(
            "no model: pass --model NAME (an endpoint's model, or an embedded one: "
            f"{', '.join(embedded_models())}) or --predictions FILE"
        )
    name = resolve_adapter(options)
    if name in ADAPTERS:
        check_adapter_has(options, name)
    if options.model and name == "openai" and not (options.adapter or names_endpoint(options)):
        close = difflib.get_close_matches(options.model, embedded_models(), n=1)
        hint = f" Did you mean --model {close[0]}?" if close else ""
        raise UsageError(
            f"no endpoint for {options.model!r}: pass --api-base URL or --preset NAME, or "
            f"--adapter openai to ask OpenAI's own service.{hint}"
        )
    if name == "embedded" and options.api_base and options.model in embedded_models():
        raise UsageError(
            f"--api-base: the model {options.model} ships with Screenmark and asks no endpoint; "
            "leave it out, or say --adapter openai if the endpoint has a model of that name"
        )
    if name == "embedded" and options.model not in embedded_models():
        raise UsageError(
            f"{options.model!r} is not an embedded model; there are: {', '.join(embedded_models())}"
        )
    adapter = _construct(_adapter_class(_staged(name, options)), name, options)
    if options.structured == "on" and not adapter.takes_schema:
        raise UsageError(
            f"--structured on: the adapter {name!r} has no way to ask for it; try auto"
        )
    if adapter.queues:
        return adapter
    if adapter.concurrency == BaseLLMAdapter.concurrency:
        adapter.concurrency = options.most_in_flight
    else:
        # The class knows how much it can take.
        adapter.concurrency = min(adapter.concurrency, options.most_in_flight)
    return adapter


def build_replicas(options: ModelOptions) -> list[BaseLLMAdapter]:
    """The model once for each of its addresses.

    Raises:
        UsageError, MissingExtra, DataError: as for `build_adapter`.
    """
    options = with_preset(options)
    if len(options.api_base) < 2:
        return [build_adapter(options)]
    return [
        build_adapter(msgspec.structs.replace(options, api_base=(base,)))
        for base in dict.fromkeys(options.api_base)
    ]


def _check_preset(options: ModelOptions) -> None:
    """Refuse what the preset's address would not take: an adapter's protocol, no key."""
    preset = preset_of(options)
    if preset is None:
        return
    if options.adapter in ADAPTERS and options.adapter not in _SPEAKS_HTTP:
        raise UsageError(
            f"--preset {preset.name} is for --adapter {preset.adapter}, not {options.adapter}"
        )
    theirs = options.api_base == (preset.api_base,) and not preset.is_local
    if theirs and preset.key and not options.api_key:
        raise CredentialsError(f"no key; set {preset.key} or pass --api-key")


def names_endpoint(options: ModelOptions) -> bool:
    """Whether the user said where to send screenshots."""
    return bool(options.api_base or os.environ.get("OPENAI_BASE_URL"))


def adapter_name(options: ModelOptions, adapter: BaseLLMAdapter) -> str:
    """What a run folder calls the adapter, however it came about."""
    if options.predictions is not None:
        return "predictions"
    if options.model or options.adapter:
        return resolve_adapter(options)
    return f"{type(adapter).__module__}:{type(adapter).__qualname__}"


def resolve_adapter(options: ModelOptions) -> str:
    """The adapter's name that the options come to."""
    if options.adapter:
        return options.adapter
    return "embedded" if options.model in embedded_models() else "openai"


def _staged(name: str, options: ModelOptions) -> str:
    """The class in a built-in adapter's place if the user's function makes its messages."""
    return _STAGED if name == "openai" and options.preprocess is not None else name


def _adapter_class(name: str) -> type[Any]:
    if name in ADAPTERS:
        return _import(ADAPTERS[name], name)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name == name:
            return _import(f"{point.module}:{point.attr}", name)
    if ":" in name:
        return _checked(_own_class(name), name)
    raise UsageError(
        f"unknown adapter {name!r}; there are: {', '.join(adapter_names())}, "
        "or name a class of your own as package.module:Class"
    )


def _own_class(name: str) -> Any:
    """What a user's ``package.module:Class`` names."""
    here = str(Path.cwd())
    if here not in sys.path:
        # As `python -m` does: a module beside the user is importable by name.
        sys.path.insert(0, here)
    return _found(name, name)


def own_encoder(options: ModelOptions) -> Encoder | None:
    """The encoder that ``--adapter package.module:Class`` names; None if that is none.

    Raises:
        UsageError: there is no such class, or it cannot be made.
    """
    name = options.adapter
    if name is None or ":" not in name or options.predictions is not None:
        return None
    found = _own_class(name)
    if not (inspect.isclass(found) and issubclass(found, Encoder)):
        return None
    _refuse_abstract(found, name)
    encoder: Encoder = _made(found, name, options)
    if encoder.name == Encoder.name:
        encoder.name = options.model or name
    return encoder


def _import(target: str, name: str) -> type[Any]:
    return _checked(_found(target, name), name)


def _found(target: str, name: str) -> Any:
    module, _, attribute = target.partition(":")
    if not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"adapter {name!r}: {module!r} is not the name of a module")
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            raise UsageError(f"adapter {name!r}: there is no module {error.name!r}") from None
        raise
    found = getattr(loaded, attribute, None)
    if found is None:
        raise UsageError(f"adapter {name!r}: {module} has no {attribute!r}")
    return found


def _checked(found: Any, name: str) -> type[Any]:
    if not (inspect.isclass(found) and issubclass(found, BaseLLMAdapter)):
        raise UsageError(f"adapter {name!r} is not a subclass of screenmark.models.BaseLLMAdapter")
    _refuse_abstract(found, name)
    return found


def _refuse_abstract(found: type[Any], name: str) -> None:
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise UsageError(f"adapter {name!r} does not implement {missing}")


def _construct(adapter_class: type[Any], name: str, options: ModelOptions) -> BaseLLMAdapter:
    adapter: BaseLLMAdapter = _made(adapter_class, name, options)
    if adapter.name == BaseLLMAdapter.name:
        adapter.name = options.model or name
    return adapter


def _made(adapter_class: type[Any], name: str, options: ModelOptions) -> Any:
    """Call a class with what its constructor takes by name: ``options`` or single fields.

    What the user left out (None) is left out here too where the constructor has a default.
    """
    try:
        parameters = inspect.signature(adapter_class).parameters
    except (TypeError, ValueError):
        parameters = {}  # type: ignore[assignment]
    values: dict[str, Any] = {f: getattr(options, f) for f in options.__struct_fields__}
    values["api_base"] = options.api_base[0] if options.api_base else None
    values["model_name"] = options.model
    values["options"] = options
    unknown = [
        p.name
        for p in parameters.values()
        if p.default is p.empty
        and p.name not in values
        and p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}
    ]
    if unknown:
        raise UsageError(
            f"adapter {name!r}: its constructor asks for {', '.join(unknown)}; "
            f"it can have {', '.join(sorted(values))}"
        )
    wanted = {
        p.name: values[p.name]
        for p in parameters.values()
        if p.name in values and (values[p.name] is not None or p.default is p.empty)
    }
    return adapter_class(**wanted)
