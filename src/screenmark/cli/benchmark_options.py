"""Which options a benchmark takes, in words and panels for ``--help``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from typer.core import TyperCommand

from screenmark.cli.declared import described

if TYPE_CHECKING:
    from screenmark.options import OptionField

COMMON = "Data and benchmark"
_NAMED = 3  # benchmarks that a panel's heading names; of more it names the families
_FAMILIES = 2


class Offered(NamedTuple):
    """An option of some benchmarks: its panel, how it is read, and what help says of it."""

    panel: str
    field: OptionField
    text: str


def offered() -> list[Offered]:
    """The options of all benchmarks, those first that all of them have, then panel by panel."""
    from screenmark.benchmarks import BENCHMARKS, benchmark_class
    from screenmark.options import declared

    owners: dict[str, dict[str, OptionField]] = {}
    for name in BENCHMARKS:
        for field in declared(benchmark_class(name).options_type):
            owners.setdefault(field.name, {})[name] = field
    found = []
    for fields in owners.values():
        own, *others = fields.values()
        for other in others:
            own = either(own, other)
        found.append(Offered(_panel(fields), own, _text(fields)))
    panels = list(dict.fromkeys([COMMON, *(each.panel for each in found)]))
    return sorted(found, key=lambda each: panels.index(each.panel))


def either(one: OptionField, other: OptionField) -> OptionField:
    """An option that two benchmarks have under one name, with the words of both."""
    words = tuple(dict.fromkeys((*one.choices, *other.choices)))
    shapes = dict.fromkeys(filter(None, (one.info.metavar, other.info.metavar)))
    info = msgspec.structs.replace(one.info, metavar="|".join(shapes) or None)
    kind = Literal[words] if words != one.choices else one.type
    return msgspec.structs.replace(one, type=kind, info=info)


def _panel(fields: Mapping[str, OptionField]) -> str:
    from screenmark.benchmarks import BENCHMARKS, benchmark_class

    if len(fields) == len(BENCHMARKS):
        return COMMON
    if len(fields) <= _NAMED:
        return "Of " + ", ".join(fields)
    families = dict.fromkeys(benchmark_class(name).info.family for name in fields)
    if len(families) > _FAMILIES:
        return COMMON
    return "Of " + ", ".join(family.replace("_", " ").replace("ui ", "UI ") for family in families)


def _text(fields: Mapping[str, OptionField]) -> str:
    """What the option means, benchmark by benchmark where that differs."""
    meanings: dict[str, list[str]] = {}
    for name, field in fields.items():
        meanings.setdefault(described(field), []).append(name)
    if len(meanings) == 1:
        return next(iter(meanings))
    ranked = sorted(meanings.items(), key=lambda item: -len(item[1]))
    return " ".join(
        text if n == 0 and len(names) > _NAMED else f"{', '.join(names)}: {text}"
        for n, (text, names) in enumerate(ranked)
    )


def of_benchmark(name: str) -> dict[str, tuple[str, str | None] | None]:
    """Help and metavar of every option; None for those of others, and what this one refuses."""
    from screenmark.benchmarks import benchmark_class
    from screenmark.engine.options import EngineOptions
    from screenmark.models.base import ModelOptions
    from screenmark.options import declared

    kind = benchmark_class(name)
    texts: dict[str, tuple[str, str | None] | None] = {e.field.name: None for e in offered()}
    for struct in (ModelOptions, EngineOptions, kind.options_type):
        for field in declared(struct):
            default: Any = kind.defaults.get(field.name, field.default)
            text = described(msgspec.structs.replace(field, default=default))
            texts[field.name] = text, field.info.metavar
    return texts | dict.fromkeys(kind.not_here)


class RunCommand(TyperCommand):
    """A command whose help shows, once a benchmark is named, only what that one takes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from screenmark.benchmarks import BENCHMARKS

        named = next((word for word in args if word in BENCHMARKS), None)
        if named is not None and not {"--help", "-h"}.isdisjoint(args):
            texts = of_benchmark(named)
            shown: list[Any] = [each for each in self.params if each.name in texts]
            for parameter in shown:
                found = texts[parameter.name]
                if found is None:
                    parameter.hidden = True
                    continue
                parameter.help, parameter.metavar = found
                if parameter.rich_help_panel.startswith("Of "):
                    parameter.rich_help_panel = f"Of {named}"
        return super().parse_args(ctx, args)
