"""Where requests go and what they carry: addresses, proxies and keys, checked at the start."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from screenmark.errors import UsageError

_EXAMPLE = "http://127.0.0.1:8000/v1"


def checked_base(base: str) -> str:
    """Refuse an address that no request could be sent to, before the run starts.

    Messages show the address only where it can hold no secret.

    Raises:
        UsageError: it is no HTTP URL, or has more than scheme, host, port and path.
    """
    for mark, what in (("?", "a query (?…)"), ("#", "a fragment (#…)")):
        if mark in base:
            raise UsageError(f"--api-base: {what} in the URL; expected one such as {_EXAMPLE}")
    if any(c.isspace() or not c.isprintable() for c in base):
        raise UsageError(
            "--api-base: a space, line break or control character in the URL; "
            f"expected one such as {_EXAMPLE}"
        )
    try:
        parts = urlsplit(base)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    authority = base.partition("//")[2] or base
    if "@" in authority.partition("/")[0]:
        # The address stands in the manifest and in messages.
        raise UsageError("--api-base: a name or password in the URL; pass --api-key instead")
    if not usable:
        raise UsageError(f"--api-base {base!r}: expected a URL such as {_EXAMPLE}")
    if any(unquote(step) in {".", ".."} for step in parts.path.split("/")):
        raise UsageError(f"--api-base {base!r}: '.' or '..' in its path")
    return base


def checked_key(key: str | None, variable: str) -> str | None:
    """The key without white space around it; None if it is empty.

    Raises:
        UsageError: no HTTP header could hold it.
    """
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(
            f"--api-key: the key (or {variable}) holds a line break, a control character or "
            "one that is not ASCII"
        )
    return key or None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address.

    Looked up once: aiohttp's ``trust_env`` does it in a thread for every request, and reads
    ``~/.netrc`` besides.
    """
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)
