"""Any endpoint that speaks OpenAI's chat completions, over a thin wire layer of our own.

The vendor's SDK costs four times the CPU of this file for the same request, which shows
as soon as screenshots are sent by the thousand.
"""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import orjson

from screenmark.errors import (
    CredentialsError,
    RejectedError,
    ReplyTimeoutError,
    TransientError,
    UnreachableError,
)
from screenmark.images import EncodedImage
from screenmark.models.addresses import checked_base, checked_key, proxy_for
from screenmark.models.base import ModelOptions
from screenmark.models.hosted import HostedAdapter
from screenmark.models.image_limits import limits_at
from screenmark.models.sent import encode_images, sent_image
from screenmark.types import Image, Message, Reply, Request, SentImage, Usage

if TYPE_CHECKING:
    import aiohttp

    from screenmark.models.request_body import RequestBody

_TRY_HTTP = "; if the server does not speak HTTPS, try http://"
DEFAULT_BASE = "https://api.openai.com/v1"
_RETRY_STATUS = frozenset({408, 409, 425, 429, *range(500, 600)})
_EXCERPT = 500
_LOOKED_AT = 64 * 1024
_CONNECT_SECONDS = 15.0
_MOST_WAIT = 86_400.0
_IMAGE = b"\0"
"""Where an image goes, between quotes; JSON escapes the null bytes of texts."""
_MOST_TOKENS = 1 << 40
"""Sums over millions of replies still fit into 64 bits."""


class OpenAIAdapter(HostedAdapter):
    """Chat completions at ``api_base``, images as data URLs in their original format.

    The key comes from ``api_key`` or the environment variable ``OPENAI_API_KEY``; without
    either no key is sent, as local servers expect.
    """

    def __init__(self, options: ModelOptions) -> None:
        key = options.api_key or os.environ.get("OPENAI_API_KEY")
        super().__init__(checked_key(key, "OPENAI_API_KEY"))
        self.name = options.model or "model"
        base = options.api_base[0] if options.api_base else os.environ.get("OPENAI_BASE_URL", "")
        self._url = checked_base(base or DEFAULT_BASE).rstrip("/") + "/chat/completions"
        self.image_limits = limits_at(self._url)
        self._proxy = proxy_for(self._url)
        self._timeout = options.timeout
        self._renamed: dict[str, str | None] = {}

    async def start(self) -> None:
        import aiohttp

        from screenmark.models.bounded_response import BoundedResponse

        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
            headers=headers,
            timeout=aiohttp.ClientTimeout(
                total=self._timeout, sock_connect=min(_CONNECT_SECONDS, self._timeout)
            ),
            response_class=BoundedResponse,
        )

    async def ask(self, request: Request) -> Reply:
        while True:
            said = dict(self._renamed)
            body, sent = await self._body(request)
            try:
                data, raw = await self._post(body, len(sent))
            except RejectedError as error:
                # The endpoint may have named an option that it wants otherwise; requests
                # that were under way at the time learn of it here too.
                self._learn(error)
                if self._renamed == said:
                    raise
            else:
                break
        reply = _reply(data, sent)
        if reply is None:
            seen = self._excerpt(raw)
            raise TransientError(f"the reply has no choices[0].message: {seen}")
        return reply

    async def _body(self, request: Request) -> tuple[RequestBody, tuple[SentImage, ...]]:
        """What is posted, and the facts about its images, which are held no longer."""
        from screenmark.models.request_body import RequestBody

        messages, images, sent = await self._content(request)
        payload: dict[str, Any] = {
            "model": self.name,
            "messages": messages,
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            **(request.generate_cfg or {}),
        }
        for old, new in self._renamed.items():
            value = payload.pop(old, None)
            if new is not None and value is not None:
                payload[new] = value
        pieces = _with_images(orjson.dumps(payload), images)
        return RequestBody(pieces), sent

    async def _content(
        self, request: Request
    ) -> tuple[Any, list[EncodedImage], tuple[SentImage, ...]]:
        """The messages, the images that go where those have a mark, and the facts about them."""
        images = await encode_images(request)
        messages = [_message(message, request.image_detail) for message in request.messages]
        return messages, images, tuple(map(sent_image, images))

    def _learn(self, error: RejectedError) -> None:
        """Say an option that this endpoint does not take its way from now on."""
        if error.status != 400:
            return
        text = str(error)
        unsupported = "unsupported" in text.lower() or "not support" in text.lower()
        if "max_completion_tokens" in text:
            self._renamed["max_tokens"] = "max_completion_tokens"
        if unsupported and "temperature" in text:
            self._renamed["temperature"] = None

    async def _post(self, body: RequestBody, images: int) -> tuple[Any, bytes]:
        """The JSON of the response, and its bytes."""
        import aiohttp

        if self._session is None:
            raise RuntimeError("start() was not called")
        size = f"{body.size:,} bytes, {images} image{'' if images == 1 else 's'}"
        try:
            async with self._session.post(
                self._url, data=body, allow_redirects=False, proxy=self._proxy
            ) as response:
                data = await response.read()
                if response.status != 200:
                    raise self._refused(response, data, size)
        # What the library says may hold the key, so it goes no further than into a message.
        except aiohttp.ClientConnectorError as error:
            hint = _TRY_HTTP if isinstance(error, aiohttp.ClientConnectorSSLError) else ""
            problem = f"cannot connect to {self._url}: {error.os_error}{hint}"
            raise UnreachableError(problem) from None
        except aiohttp.ConnectionTimeoutError:
            hint = _TRY_HTTP if self._url.startswith("https:") else ""
            raise UnreachableError(
                f"no connection to {self._url} within {min(_CONNECT_SECONDS, self._timeout):g} s"
                f"{hint}"
            ) from None
        except aiohttp.InvalidURL:
            raise RejectedError(f"{self._url!r} is not a URL") from None
        except TimeoutError:
            raise ReplyTimeoutError(f"no reply within {self._timeout:g} s ({size})") from None
        except (aiohttp.ClientError, asyncio.IncompleteReadError, OSError, ValueError) as error:
            said = self._redactor.message(str(error))[:_EXCERPT]
            raise TransientError(f"connection to {self._url} broke: {said} ({size})") from None
        try:
            return orjson.loads(data), data
        except orjson.JSONDecodeError as error:
            excerpt = self._excerpt(data)
            raise TransientError(f"status 200 but not JSON ({error}): {excerpt}") from None

    def _refused(self, response: aiohttp.ClientResponse, data: bytes, size: str) -> Exception:
        status = response.status
        message = f"status {status} from {self._url} ({size}): {self._excerpt(data)}"
        if status in _RETRY_STATUS:
            wait = retry_after(response.headers.get("Retry-After"), response.headers.get("Date"))
            return TransientError(message, status=status, retry_after=wait)
        if status in {401, 403}:
            had = "the key was not accepted" if self._key else "no key was sent"
            hint = "set OPENAI_API_KEY or pass --api-key"
            return CredentialsError(f"{had}; {hint}. {message}", status=status)
        if status == 413:
            message = f"the images are too large for it; try --max-image-bytes. {message}"
        return RejectedError(message, status=status)

    def _excerpt(self, data: bytes) -> str:
        text = self._redactor.message(data[:_LOOKED_AT].decode("utf-8", "replace"))
        return text[:_EXCERPT].strip() or "(empty body)"


def retry_after(value: str | None, date: str | None = None) -> float | None:
    """Seconds to wait, a day at most, from a ``Retry-After`` in seconds or as an HTTP date.

    Args:
        date: the response's ``Date``. The wait is counted from there, by the server's own clock:
            ours may be wrong, or jump.
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        until = _http_date(value)
        if until is None:
            return None
        seconds = (until - (_http_date(date or "") or datetime.now(UTC))).total_seconds()
    return min(max(0.0, seconds), _MOST_WAIT) if seconds == seconds else None


def _http_date(value: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


def token_count(value: Any) -> int:
    """A count of tokens as a server says it; 0 if it says no such thing."""
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return min(max(0, value), _MOST_TOKENS)


def _with_images(body: bytes, images: list[EncodedImage]) -> list[bytes]:
    """JSON with the images' data URLs in their places, as pieces.

    Base64 needs no escaping, and the JSON encoder would take longer over it than to make it.
    """
    first, *rest = body.split(_IMAGE)
    pieces = [first]
    for image, piece in zip(images, rest, strict=True):
        pieces += [*image.data_url(), piece]
    return pieces


def _message(message: Message, detail: str) -> dict[str, Any]:
    if all(not isinstance(part, Image) for part in message.parts):
        return {"role": message.role, "content": "\n".join(p.text for p in message.parts)}  # type: ignore[union-attr]
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Image):
            url = {"url": orjson.Fragment(b'"%b"' % _IMAGE), "detail": detail}
            content.append({"type": "image_url", "image_url": url})
        else:
            content.append({"type": "text", "text": part.text})
    return {"role": message.role, "content": content}


def _reply(data: Any, images: tuple[SentImage, ...]) -> Reply | None:
    """What a response says; None if it is not a chat completion."""
    try:
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    finish = choice.get("finish_reason")
    refusal = message.get("refusal")
    if refusal and not content:
        content, finish = refusal, "refusal"
    return Reply(
        text=_text(content),
        finish_reason=finish if isinstance(finish, str) else None,
        model=data.get("model") if isinstance(data.get("model"), str) else None,
        usage=_usage(data.get("usage")),
        images=images,
    )


def _text(content: Any) -> str:
    """The text of a message: a string, a list of parts, or null."""
    if isinstance(content, list):
        texts = (p.get("text") for p in content if isinstance(p, dict))
        return "".join(t for t in texts if isinstance(t, str))
    return content if isinstance(content, str) else ""


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    return Usage(
        token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))
    )
