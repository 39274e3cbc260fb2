"""How some pages of MiniWoB++ are solved: by actions alone, from what the page holds."""

from screenmark.environments.miniwob.oracles.clicking import CLICKING
from screenmark.environments.miniwob.oracles.turns import Oracle
from screenmark.environments.miniwob.oracles.typing import TYPING

ORACLES: dict[str, Oracle] = dict(sorted((CLICKING | TYPING).items()))

__all__ = ["ORACLES", "Oracle"]
