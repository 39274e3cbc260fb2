"""Any endpoint that speaks OpenAI's chat completions, over a thin wire layer of our own.

Models that only the Responses API serves are asked there, once the endpoint says so.

The vendor's SDK costs four times the CPU of this file for the same request, which shows
as soon as screenshots are sent by the thousand.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import msgspec
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
from screenmark.models.chat_completions import IMAGE, messages_of, options_of, reply_of
from screenmark.models.chat_ways import Ways, learned, ways_of
from screenmark.models.error_words import says_no_credit, says_withheld
from screenmark.models.hosted import HostedAdapter, WithheldError
from screenmark.models.image_limits import limits_at
from screenmark.models.presets import key_variable, preset_of, with_preset
from screenmark.models.responses import responses_body, responses_reply
from screenmark.models.sent import encode_images, sent_image
from screenmark.models.wire import response_json, retry_after
from screenmark.types import Reply, Request, SentImage

if TYPE_CHECKING:
    import aiohttp

    from screenmark.models.request_body import RequestBody

_TRY_HTTP = "; if the server does not speak HTTPS, try http://"
DEFAULT_BASE = "https://api.openai.com/v1"
_RETRY_STATUS = frozenset({408, 409, 425, 429, *range(500, 600)})
_EXCERPT = 500
_LOOKED_AT = 64 * 1024
_CONNECT_SECONDS = 15.0


class OpenAIAdapter(HostedAdapter):
    """Chat completions at ``api_base``, images as data URLs in their original format.

    The key comes from ``api_key`` or the environment variable ``OPENAI_API_KEY``, with a preset
    from that one's; without either no key is sent, as local servers expect.
    """

    takes_schema = True

    def __init__(self, options: ModelOptions) -> None:
        options = with_preset(options)
        preset = preset_of(options)
        variable = key_variable(options, "OPENAI_API_KEY")
        key = options.api_key or (os.environ.get(variable) if variable else None)
        super().__init__(checked_key(key, variable or "the preset's"))
        self._key_hint = f"set {variable} or pass --api-key" if variable else "pass --api-key"
        self.name = options.model or "model"
        base = options.api_base[0] if options.api_base else os.environ.get("OPENAI_BASE_URL", "")
        self._base = checked_base(base or DEFAULT_BASE).rstrip("/")
        self.image_limits = preset.limits if preset else limits_at(self._base)
        self._proxy = proxy_for(self._base)
        self._timeout = options.timeout
        self._ways = ways_of(preset)
        self._fixed = set() if options.structured == "auto" else {"schema"}

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
            ways = self._ways
            body, sent = await self._body(request, ways)
            try:
                data, raw = await self._post(self._url(ways), body, len(sent))
            except WithheldError:
                return Reply(text="", finish_reason="content_filter", images=sent)
            except RejectedError as error:
                # The endpoint may have named an option that it wants otherwise; requests
                # that were under way at the time learn of it here too.
                self._ways = learned(self._ways, error, fixed=self._fixed)
                if self._ways == ways:
                    raise
            else:
                break
        reply = responses_reply(data, sent) if ways.responses else reply_of(data, sent)
        if reply is None:
            what = "output" if ways.responses else "choices[0].message"
            raise TransientError(f"the reply has no {what}: {self._excerpt(raw)}")
        if request.schema is None:
            return reply
        return msgspec.structs.replace(reply, structured=ways.schema)

    def _url(self, ways: Ways) -> str:
        return self._base + ("/responses" if ways.responses else "/chat/completions")

    async def _body(
        self, request: Request, ways: Ways
    ) -> tuple[RequestBody, tuple[SentImage, ...]]:
        """What is posted, and the facts about its images, which are held no longer."""
        from screenmark.models.request_body import RequestBody

        if ways.responses:
            images = await encode_images(request)
            sent = tuple(map(sent_image, images))
            payload = responses_body(self.name, request, ways)
        else:
            messages, images, sent = await self._content(request, ways)
            payload = {"model": self.name, "messages": messages, **options_of(request, ways)}
        pieces = _with_images(orjson.dumps(payload), images, bare=ways.raw_base64)
        return RequestBody(pieces), sent

    async def _content(
        self, request: Request, ways: Ways
    ) -> tuple[Any, list[EncodedImage], tuple[SentImage, ...]]:
        """The messages, the images that go where those have a mark, and the facts about them."""
        images = await encode_images(request)
        return messages_of(request, ways), images, tuple(map(sent_image, images))

    async def _post(self, url: str, body: RequestBody, images: int) -> tuple[Any, bytes]:
        """The JSON of the response, and its bytes."""
        import aiohttp

        if self._session is None:
            raise RuntimeError("start() was not called")
        size = f"{body.size:,} bytes, {images} image{'' if images == 1 else 's'}"
        try:
            async with self._session.post(
                url, data=body, allow_redirects=False, proxy=self._proxy
            ) as response:
                data = await response.read()
                if response.status != 200:
                    raise self._refused(response, data, size)
        # What the library says may hold the key, so it goes no further than into a message.
        except aiohttp.ClientConnectorError as error:
            hint = _TRY_HTTP if isinstance(error, aiohttp.ClientConnectorSSLError) else ""
            problem = f"cannot connect to {url}: {error.os_error}{hint}"
            raise UnreachableError(problem) from None
        except aiohttp.ConnectionTimeoutError:
            hint = _TRY_HTTP if url.startswith("https:") else ""
            raise UnreachableError(
                f"no connection to {url} within {min(_CONNECT_SECONDS, self._timeout):g} s{hint}"
            ) from None
        except aiohttp.InvalidURL:
            raise RejectedError(f"{url!r} is not a URL") from None
        except TimeoutError:
            raise ReplyTimeoutError(f"no reply within {self._timeout:g} s ({size})") from None
        except (aiohttp.ClientError, asyncio.IncompleteReadError, OSError, ValueError) as error:
            said = self._redactor.message(str(error))[:_EXCERPT]
            raise TransientError(f"connection to {url} broke: {said} ({size})") from None
        try:
            return response_json(data), data
        except orjson.JSONDecodeError as error:
            excerpt = self._excerpt(data)
            raise TransientError(f"status 200 but not JSON ({error}): {excerpt}") from None

    def _refused(self, response: aiohttp.ClientResponse, data: bytes, size: str) -> Exception:
        status = response.status
        said = self._excerpt(data)
        message = f"status {status} from {response.url} ({size}): {said}"
        if says_no_credit(status, said):
            return CredentialsError(f"the account has no credit. {message}", status=status)
        if says_withheld(status, said):
            return WithheldError(message, status=status)
        if status in _RETRY_STATUS:
            wait = retry_after(response.headers.get("Retry-After"), response.headers.get("Date"))
            return TransientError(message, status=status, retry_after=wait)
        if status in {401, 403}:
            had = "the key was not accepted" if self._key else "no key was sent"
            return CredentialsError(f"{had}; {self._key_hint}. {message}", status=status)
        if status == 413:
            message = f"the images are too large for it; try --max-image-bytes. {message}"
        return RejectedError(message, status=status)

    def _excerpt(self, data: bytes) -> str:
        text = self._redactor.message(data[:_LOOKED_AT].decode("utf-8", "replace"))
        return text[:_EXCERPT].strip() or "(empty body)"


def _with_images(body: bytes, images: list[EncodedImage], *, bare: bool) -> list[bytes]:
    """JSON with the images' data URLs, or their bare base64, in their places, as pieces.

    Base64 needs no escaping, and the JSON encoder would take longer over it than to make it.
    """
    first, *rest = body.split(IMAGE)
    pieces = [first]
    for image, piece in zip(images, rest, strict=True):
        head, data = image.data_url()
        pieces += [data, piece] if bare else [head, data, piece]
    return pieces
