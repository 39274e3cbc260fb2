"""YAML as configurations need it: ``on`` and ``no`` are words, dates are text, aliases end."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

_MOST_NODES: Final = 100_000
"""A file of settings has some hundred; aliases of aliases multiply."""


class SettingsError(yaml.YAMLError):
    """What YAML allows and settings cannot mean: endless aliases, a key that is there twice."""


class SettingsLoader(yaml.SafeLoader):
    """PyYAML's safe loader with YAML 1.2's booleans and with aliases held to a size."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nodes = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        alias: Any = None
        if self.check_event(yaml.AliasEvent):
            alias = self.peek_event()  # type: ignore[no-untyped-call]
        before = self._nodes
        node = super().compose_node(parent, index)
        if alias is None:
            self._nodes += 1
            self._sizes[id(node)] = self._nodes - before
            return node
        place = f"*{alias.anchor} in line {alias.start_mark.line + 1}"
        if id(node) not in self._sizes:
            raise SettingsError(f"the alias {place} stands for a value that holds it")
        self._nodes += self._sizes[id(node)]
        if self._nodes > _MOST_NODES:
            raise SettingsError(
                f"with the alias {place} there are more than {_MOST_NODES:,} values"
            )
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            # PyYAML would keep the last. What a merged mapping (<<) brings may be overridden.
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                continue
            line = key.start_mark.line + 1
            if key.value in lines:
                raise SettingsError(
                    f"the key {key.value!r} is there twice, in lines {lines[key.value]} and {line}"
                )
            lines[key.value] = line
        return node


_BOOL: Final = "tag:yaml.org,2002:bool"
_DATE: Final = "tag:yaml.org,2002:timestamp"

SettingsLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in {_BOOL, _DATE}]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
SettingsLoader.add_implicit_resolver(
    _BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def load_settings(text: str) -> Any:
    """The value of a YAML text.

    Raises:
        yaml.YAMLError: it is not YAML.
        SettingsError: its aliases do not end, or come to too much; a key is there twice.
        ValueError, RecursionError: it holds a number that cannot be read, or is too deep.
    """
    loader = SettingsLoader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()
