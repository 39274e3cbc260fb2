"""An endpoint's list of its models, where it has one."""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

import orjson

from screenmark.errors import RejectedError, ScreenmarkError
from screenmark.models import ModelOptions
from screenmark.models.addresses import checked_base, checked_key, proxy_for
from screenmark.models.anthropic_adapter import DEFAULT_BASE as ANTHROPIC
from screenmark.models.openai import DEFAULT_BASE as OPENAI
from screenmark.models.presets import key_variable, with_preset
from screenmark.models.registry import resolve_adapter

_SECONDS = 15.0
_MOST = 20_000
_KNOWN: Final = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", OPENAI),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ANTHROPIC),
}
"""By adapter: the variables of the key and of the address, and the address without them."""


class Listing(NamedTuple):
    """Names of models; None if the endpoint has no such list, or did not show it."""

    names: tuple[str, ...] | None


NONE: Final = Listing(None)


def has_list(options: ModelOptions) -> bool:
    """Whether the adapter's protocol knows such a list."""
    return resolve_adapter(with_preset(options)) in _KNOWN


def address_of(options: ModelOptions) -> str | None:
    """Where requests go, for people; None if the adapter has that to itself."""
    options = with_preset(options)
    known = _KNOWN.get(resolve_adapter(options))
    if options.api_base:
        return options.api_base[0]
    return known and (os.environ.get(known[1]) or known[2])


async def listed_models(options: ModelOptions) -> Listing:
    """Ask for the list: one request, whose failure means nothing."""
    import aiohttp

    from screenmark.models.bounded_response import BoundedResponse

    options = with_preset(options)
    adapter = resolve_adapter(options)
    if adapter not in _KNOWN:
        return NONE
    variable, _, _ = _KNOWN[adapter]
    named = key_variable(options, variable)
    try:
        key = checked_key(
            options.api_key or (os.environ.get(named) if named else None), named or ""
        )
        base = checked_base(str(address_of(options))).rstrip("/")
    except ScreenmarkError:
        return NONE  # the adapter says so
    if adapter == "anthropic":
        url = f"{base.removesuffix('/v1')}/v1/models?limit=1000"
        headers = {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}
    else:
        url = f"{base}/models"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=min(_SECONDS, options.timeout))
    try:
        async with (
            aiohttp.ClientSession(
                headers=headers, timeout=timeout, response_class=BoundedResponse
            ) as session,
            session.get(url, allow_redirects=False, proxy=proxy_for(base)) as response,
        ):
            data = await response.read()
            return Listing(_names(orjson.loads(data))) if response.status == 200 else NONE
    except (aiohttp.ClientError, RejectedError, OSError, TimeoutError, ValueError):
        return NONE


def _names(data: Any) -> tuple[str, ...] | None:
    rows = data.get("data") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        return None
    names = (row.get("id") for row in rows[:_MOST] if isinstance(row, dict))
    # Gemini's compatible endpoint puts this before names that it takes without.
    return tuple(name.removeprefix("models/") for name in names if isinstance(name, str))
