"""Fetches what a page asks for from the public network, and from nowhere else.

The browser itself never has a network. Here every address is looked up before a connection is
made, and one of this machine or of a private network is refused, on every redirect anew.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from screenmark.rendering.record import Blocked, Served
from screenmark.rendering.routes import Answer, Asked, refusal

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

_SECONDS = 10.0
_MOST_BYTES = 32 << 20
_REDIRECTS = 5
_CHUNK = 1 << 16


class NetworkSource:
    """The public network, by GET only."""

    async def answer(self, asked: Asked) -> Answer | Blocked | None:
        """What the network says, or None where it says nothing."""
        import aiohttp

        if asked.method != "GET":
            return refusal(asked, f"only GET reaches the network, not {asked.method}")
        url = asked.url
        connector = aiohttp.TCPConnector(resolver=public_resolver())
        timeout = aiohttp.ClientTimeout(total=_SECONDS)
        try:
            async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
                for _ in range(_REDIRECTS):
                    if not is_public_address(urlsplit(url).hostname or ""):
                        return refusal(asked, "an address of this machine or a private network")
                    async with session.get(url, allow_redirects=False) as response:
                        if location := response.headers.get("location"):
                            url = urljoin(url, location)
                            continue
                        return await _read(asked, response)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return None
        return refusal(asked, f"more than {_REDIRECTS} redirects")


async def _read(asked: Asked, response: Any) -> Answer | Blocked | None:
    if response.status >= 400:
        return None
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > _MOST_BYTES:
            return refusal(asked, f"larger than {_MOST_BYTES >> 20} MiB")
    kind = response.headers.get("content-type", "application/octet-stream")
    served = Served(url=asked.url[:500], kind=asked.kind, source="network")
    return Answer(bytes(body), kind, served, status=response.status)


def is_public_address(host: str) -> bool:
    """False for an IP address that is not one of the public network; names are looked at when
    they are resolved."""
    if host == "localhost" or host.endswith(".localhost") or not host:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return not _is_number(host)
    return _is_public(address)


def _is_number(host: str) -> bool:
    """Whether a host is an address in a short or octal form, as ``127.1`` or ``0x7f000001``."""
    try:
        socket.inet_aton(host)
    except OSError:
        return False
    return True


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_global and not address.is_multicast


def public_resolver() -> AbstractResolver:
    """A resolver that leaves out every address that is not public."""
    from aiohttp.resolver import ThreadedResolver

    class PublicResolver(ThreadedResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> Any:
            found = await super().resolve(host, port, family)
            public = [f for f in found if _is_public(ipaddress.ip_address(f["host"]))]
            if not public:
                raise OSError(f"{host} is not an address of the public network")
            return public

    return PublicResolver()
