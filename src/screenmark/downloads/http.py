"""Requests that may fail: what is worth another try, how long to wait, what to say."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import msgspec

from screenmark.downloads.watch import Watch
from screenmark.errors import DownloadError, UsageError

if TYPE_CHECKING:
    import aiohttp

RETRY_STATUS = frozenset({408, 425, 429, *range(500, 600)})
_REDIRECTS = 10
_SMALL = 16 << 20
_T = TypeVar("_T")


class Policy(msgspec.Struct, frozen=True):
    """How patient a download is; seconds.

    Attributes:
        tries: failures in a row without progress before giving up.
        first_wait: pause after the first failure; doubled after each further one.
        longest_wait: no pause is longer, except one that the server asks for.
        longest_asked: a server that asks for more is not waited for.
    """

    tries: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_asked: float = 600.0
    connect: float = 30.0
    read: float = 60.0
    parallel: int = 4


class Again(Exception):
    """Worth another try; ``wait`` is what the server asks for, in seconds."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Unreachable(DownloadError):
    """Nobody was reached at all; most likely this machine is offline."""


class Client:
    """Requests of one download.

    Attributes:
        reached: whether any server has answered yet.
    """

    def __init__(self, session: aiohttp.ClientSession, policy: Policy, watch: Watch) -> None:
        self.policy = policy
        self.watch = watch
        self.reached = False
        self._session = session

    @asynccontextmanager
    async def get(
        self, url: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A response, after redirects (to http and https only).

        A token in ``headers`` goes to the address's own host, not to where that redirects.

        Raises:
            Again: it failed in a way that may pass.
            Unreachable: nobody was reached, now or before.
            DownloadError: it will not work.
        """
        import aiohttp

        host = shown_host(url)
        plain = {"Accept-Encoding": "identity", **(headers or {})}
        try:
            async with self._session.get(url, headers=plain, max_redirects=_REDIRECTS) as response:
                self.reached = True
                yield response
        except aiohttp.TooManyRedirects:
            raise DownloadError(f"{host} redirects more than {_REDIRECTS} times") from None
        except aiohttp.RedirectClientError:
            raise DownloadError(f"{host} redirects to what is no HTTP address") from None
        except aiohttp.InvalidURL:
            raise DownloadError(f"{host}: the address cannot be used") from None
        except aiohttp.ClientSSLError as error:
            raise DownloadError(f"{host}: its certificate is not accepted ({error})") from None
        except aiohttp.ClientConnectorError as error:
            why = f"cannot connect to {error.host}:{error.port} ({_reason(error.os_error)})"
            if self.reached:
                raise Again(why) from None
            raise Unreachable(why) from None
        except TimeoutError:
            why = f"{host} sends nothing for {self.policy.read:g} s"
            raise (Again(why) if self.reached else Unreachable(why)) from None
        except aiohttp.ClientError as error:
            raise Again(f"{host} breaks off ({type(error).__name__})") from None

    async def patiently(self, what: str, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """Try until it works.

        Raises:
            DownloadError: it did not, as often as the policy allows.
        """
        failures = 0
        while True:
            try:
                return await attempt()
            except Again as error:
                failures += 1
                if failures >= self.policy.tries:
                    raise DownloadError(f"{what}: {error}, {failures} times") from None
                await self.pause(what, error, failures)

    async def pause(self, what: str, error: Again, failures: int) -> None:
        """Wait as long as the server or the policy says.

        Raises:
            DownloadError: the server wants too much patience.
        """
        wait = min(self.policy.longest_wait, self.policy.first_wait * 2 ** (failures - 1))
        wait *= random.uniform(0.75, 1.25)  # noqa: S311 - not a secret
        if error.wait is not None:
            if error.wait > self.policy.longest_asked:
                raise DownloadError(
                    f"{what}: {error}, and the server asks to come back in {error.wait:.0f} s; "
                    "give the same command again then"
                )
            wait = max(wait, error.wait)
        self.watch.say(f"{what}: {error}; next try in {wait:.1f} s")
        await asyncio.sleep(wait)

    async def small(
        self, what: str, url: str, absent: frozenset[int] = frozenset({404})
    ) -> bytes | None:
        """The content of a small file; None with one of the statuses of ``absent``."""

        async def attempt() -> bytes | None:
            async with self.get(url) as response:
                if response.status in absent:
                    return None
                refuse_status(response, what)
                data = b""
                async for block in response.content.iter_chunked(1 << 16):
                    data += block
                    if len(data) > _SMALL:
                        raise DownloadError(f"{what}: more than {_SMALL >> 20} MB")
                return data

        return await self.patiently(what, attempt)


@asynccontextmanager
async def open_client(policy: Policy, watch: Watch) -> AsyncIterator[Client]:
    """A client whose connections are closed at the end. Proxies are those of the environment."""
    from importlib.metadata import version

    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=policy.connect, sock_read=policy.read)
    async with aiohttp.ClientSession(
        timeout=timeout,
        auto_decompress=False,
        trust_env=True,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": f"screenmark/{version('screenmark')}"},
    ) as session:
        yield Client(session, policy, watch)


def refuse_status(response: aiohttp.ClientResponse, what: str) -> None:
    """Go on only with 200 and 206.

    Raises:
        Again: another try may bring one.
        DownloadError: it will not.
    """
    status, host = response.status, shown_host(str(response.url))
    if status in {200, 206}:
        return
    if status in RETRY_STATUS:
        asked = seconds_asked(response.headers.get("Retry-After"))
        raise Again(f"status {status} from {host}", asked)
    if status in {401, 403}:
        hint = "it wants credentials, or its terms have to be accepted (HF_TOKEN for the hub)"
        raise DownloadError(f"{what}: status {status} from {host}; {hint}")
    raise DownloadError(f"{what}: status {status} from {host}")


def seconds_asked(value: str | None) -> float | None:
    """What ``Retry-After`` comes to: seconds, or a date."""
    if value is None:
        return None
    if re.fullmatch(r"\d{1,9}", value.strip()):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def shown_host(url: str) -> str:
    """The host of an address: what stands around it may hold a secret."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def checked_url(url: str) -> str:
    """The address of a mirror, without a slash at its end.

    Raises:
        UsageError: it is no HTTP address, or holds more than a host and a path.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise UsageError("--url: expected an address such as https://example.org/mmbench-gui")
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError("--url: expected scheme, host and path, without name, ? or #")
    return url.rstrip("/")


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
