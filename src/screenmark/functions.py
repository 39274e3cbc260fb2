"""Functions that a user names: ``package.module.function`` or ``package.module:function``.

Whoever names a function runs it: a configuration file is as trusted as a script. What models
and data sets say is never taken for such a name.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from screenmark.errors import UsageError


def load_function(reference: str, option: str, folder: Path | None = None) -> Callable[..., Any]:
    """The function that a reference names.

    Args:
        reference: the module's name and the function's, with a dot or a colon between.
        option: what it is for, to be named in an error.
        folder: where the user's modules are; the working folder is looked at after it.

    Raises:
        UsageError: there is no such module or function, or it cannot be called.
    """
    module, _, name = reference.replace(":", ".").rpartition(".")
    if not module or not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(
            f"{option}: {reference!r} names no function; expected package.module.function"
        )
    _make_importable(folder)
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            where = " or ".join(str(place) for place in (folder, Path.cwd()) if place is not None)
            raise UsageError(f"{option}: there is no module {error.name!r} in {where}") from None
        raise UsageError(f"{option}: {module} needs a package, {error}") from error
    except Exception as error:
        raise UsageError(
            f"{option}: {module} cannot be imported, {type(error).__name__}: {error}"
        ) from error
    found = getattr(loaded, name, None)
    if not callable(found):
        known = [n for n, value in vars(loaded).items() if inspect.isfunction(value)]
        listed = f"; it has {', '.join(known)}" if known else ""
        raise UsageError(f"{option}: {module} has no function {name!r}{listed}")
    function: Callable[..., Any] = found
    return function


def _make_importable(folder: Path | None) -> None:
    for place in (Path.cwd(), folder):
        if place is not None and str(place) not in sys.path:
            # As `python -m` does: a module beside the user is importable by name.
            sys.path.insert(0, str(place))


def code_digest(function: Callable[..., Any]) -> str:
    """A short hash of the file that a function stands in, so that a changed one is noticed."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(function))
        data = Path(file).read_bytes() if file else b""
    except (TypeError, OSError):
        data = b""
    return hashlib.sha256(data).hexdigest()[:16]


FAULTS: Final = (Exception, SystemExit)
"""What a function may raise without ending the run: ``sys.exit`` in it is no exit of ours."""


def said(error: BaseException) -> str:
    """An error of a user's function in words."""
    return f"{type(error).__name__}: {error}"


def with_second(function: Callable[..., Any], option: str, name: str) -> Callable[[Any, Any], Any]:
    """A call of a function that needs one argument, and may want a second.

    The second goes by ``name`` where the function has it, else by place where it has to have
    one, else nowhere.

    Raises:
        UsageError: the function can be called in none of these ways.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of C, which knows nothing of ours
        return lambda first, _: function(first)
    if _binds(signature, None, **{name: None}):
        return lambda first, second: function(first, **{name: second})
    if _binds(signature, None):
        return lambda first, _: function(first)
    if _binds(signature, None, None):
        return function
    raise UsageError(
        f"{option}: {getattr(function, '__qualname__', function)}{signature} cannot be called; "
        f"expected f(response, {name}) or f(response)"
    )


def _binds(signature: inspect.Signature, *given: Any, **named: Any) -> bool:
    try:
        signature.bind(*given, **named)
    except TypeError:
        return False
    return True


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has a parameter of this name, or takes any."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
