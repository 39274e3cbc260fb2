"""What the time is in the world of the applications: always the same."""

from __future__ import annotations

import datetime
import sys
from types import SimpleNamespace
from typing import Any, Final

NOW: Final = datetime.datetime(2024, 3, 25, 9, tzinfo=datetime.UTC)
"""A Monday morning, after the last entry of the ledger and the last loan."""


def stop_fava() -> None:
    """Let Fava and its query language think that it is `NOW`; both are loaded already.

    The year to date, the days since an account was last used, and ``today()`` would else be
    others tomorrow.
    """
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "fava" and hasattr(module, "local_today"):
            vars(module)["local_today"] = NOW.date
    query = sys.modules.get("beanquery.query_env")
    if query is not None:
        vars(query)["datetime"] = SimpleNamespace(**{**vars(datetime), "date": _Date})


class _AnyDate(type):
    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, datetime.date)


class _Date(datetime.date, metaclass=_AnyDate):
    """A date that knows another today."""

    def __new__(cls, *given: Any) -> Any:
        return datetime.date(*given)

    @classmethod
    def today(cls) -> Any:
        return NOW.date()


def stop_flask(application: Any) -> None:
    """Let the templates of a Flask application that ask for ``now`` get `NOW`."""
    application.context_processor(lambda: {"now": NOW})
