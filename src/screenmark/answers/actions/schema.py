"""What an agent can do with a screen: one schema for every dialect and every environment.

Places are ``(x, y)`` as fractions of the screenshot's width and height, origin top left; None
means where the pointer is. Lengths of scrolls are wheel notches or fractions of the screen; to
the right and down are positive, as in a browser. Seconds are seconds. Keys have the names of
`screenmark.answers.actions.keys`. As JSON every action is an object with its name under
``action``.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import msgspec

from screenmark.geometry import Size
from screenmark.types import Json

Place: TypeAlias = tuple[float, float]
Button: TypeAlias = Literal["left", "right", "middle", "back", "forward"]
Modifier: TypeAlias = Literal["ctrl", "alt", "shift", "meta"]
SystemButton: TypeAlias = Literal["back", "forward", "home", "menu", "recents"]

MODIFIERS: Final[tuple[Modifier, ...]] = get_args(Modifier)


class _Base(
    msgspec.Struct,
    frozen=True,
    tag_field="action",
    tag=lambda name: "".join(f"_{c.lower()}" if c.isupper() else c for c in name).strip("_"),
    forbid_unknown_fields=True,
):
    """Common configuration: the tag is the class's name in snake case."""


class Click(_Base, frozen=True):
    """Press and release ``button`` ``count`` (1 to 3) times while ``modifiers`` are held."""

    point: Place | None = None
    button: Button = "left"
    count: int = 1
    modifiers: tuple[Modifier, ...] = ()


class Move(_Base, frozen=True):
    """Bring the pointer to a place; hovering."""

    point: Place


class MouseDown(_Base, frozen=True):
    """Press a button and keep it down."""

    point: Place | None = None
    button: Button = "left"


class MouseUp(_Base, frozen=True):
    """Release a button."""

    point: Place | None = None
    button: Button = "left"


class Drag(_Base, frozen=True):
    """Press at the first place, move through the others, release at the last.

    A path of one place begins where the pointer is.
    """

    path: tuple[Place, ...]
    button: Button = "left"
    modifiers: tuple[Modifier, ...] = ()


class Scroll(_Base, frozen=True):
    """Bring what lies to the right (``dx``) or below (``dy``) into view; negative: left, above.

    ``unit`` is ``notch`` (of the wheel) or ``screen`` (fractions of its width and height).
    """

    dx: float = 0.0
    dy: float = 0.0
    unit: Literal["notch", "screen"] = "notch"
    point: Place | None = None
    modifiers: tuple[Modifier, ...] = ()


class Type(_Base, frozen=True):
    """Type text where the focus is, or at ``point`` after a click there.

    A line break within ``text`` is typed; one at its end is ``submit``, the Enter key after it.
    ``clear`` empties the field first.
    """

    text: str
    submit: bool = False
    clear: bool = False
    point: Place | None = None


class Key(_Base, frozen=True):
    """Press keys in order and release them in the reverse order: a key, or a chord."""

    keys: tuple[str, ...]


class HoldKey(_Base, frozen=True):
    """Hold a key or a chord for some seconds."""

    keys: tuple[str, ...]
    seconds: float


class KeyDown(_Base, frozen=True):
    """Press a key and keep it down."""

    key: str


class KeyUp(_Base, frozen=True):
    """Release a key."""

    key: str


class LongPress(_Base, frozen=True):
    """Touch a place and stay there for some seconds."""

    point: Place | None = None
    seconds: float = 1.0


class Swipe(_Base, frozen=True):
    """Move a finger from ``start`` to ``end``; the content follows the finger."""

    start: Place
    end: Place
    seconds: float | None = None


class System(_Base, frozen=True):
    """A button of the system or of the browser; ``back`` and ``forward`` are history's."""

    button: SystemButton


class OpenApp(_Base, frozen=True):
    """Open an application by name."""

    name: str


class Goto(_Base, frozen=True):
    """Load an address in the browser."""

    url: str


class SwitchTab(_Base, frozen=True):
    """Bring a tab to the front; the first is 0."""

    index: int


class NewTab(_Base, frozen=True):
    """Open an empty tab."""


class CloseTab(_Base, frozen=True):
    """Close the tab in front."""


class SelectOption(_Base, frozen=True):
    """Choose an option of the list at ``point`` by its text."""

    point: Place
    value: str


class Wait(_Base, frozen=True):
    """Do nothing for some seconds."""

    seconds: float


class Zoom(_Base, frozen=True):
    """Look closely at ``region``, ``(x1, y1, x2, y2)`` as fractions; changes nothing."""

    region: tuple[float, float, float, float]


class Screenshot(_Base, frozen=True):
    """Look; changes nothing."""


class CursorPosition(_Base, frozen=True):
    """Ask where the pointer is; changes nothing."""


class GiveAnswer(_Base, frozen=True, tag="answer"):
    """Say something to the user; whether that ends the episode is the loop's business."""

    text: str


class Done(_Base, frozen=True):
    """The agent says that the task is done."""

    text: str = ""


class Fail(_Base, frozen=True):
    """The agent says that the task cannot be done."""

    reason: str = ""


class CallUser(_Base, frozen=True):
    """The agent cannot go on without the user."""

    text: str = ""


Pointer: TypeAlias = Click | Move | MouseDown | MouseUp | Drag | Scroll | LongPress | Swipe
Keyboard: TypeAlias = Type | Key | HoldKey | KeyDown | KeyUp
Other: TypeAlias = (
    System | OpenApp | Goto | SwitchTab | NewTab | CloseTab | SelectOption | Wait | Zoom
)
Word: TypeAlias = Screenshot | CursorPosition | GiveAnswer | Done | Fail | CallUser
Action: TypeAlias = Pointer | Keyboard | Other | Word
"""Any action."""

ENDINGS: Final = (GiveAnswer, Done, Fail, CallUser)
"""What an agent says about the task rather than does on the screen."""


def actions_from_json(value: Json) -> tuple[Action, ...]:
    """Inverse of `actions_to_json`.

    Raises:
        msgspec.ValidationError: it is no list of actions; says where and why.
    """
    return msgspec.convert(value, tuple[Action, ...])


def actions_to_json(actions: tuple[Action, ...]) -> list[Json]:
    """Actions as plain JSON: one object each, defaults included."""
    return [_plain(msgspec.to_builtins(action)) for action in actions]


def _plain(value: Json) -> Json:
    """Tuples as lists, as they come back from a file."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def pixel_at(place: Place, size: Size) -> tuple[int, int]:
    """The pixel of an image of ``size`` at a place; the right and the lower edge are inside."""
    x, y = round(place[0] * size.width), round(place[1] * size.height)
    return min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1)
