"""Qwen-VL and its kin at Alibaba Cloud's DashScope, through the vendor's SDK.

Key, address, connections and timeout are handed over with every call; the SDK's module
globals stay as they are, so that two adapters in one process do not meet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from screenmark.errors import (
    CredentialsError,
    MissingExtra,
    RejectedError,
    TransientError,
    UnreachableError,
)
from screenmark.images import EncodedImage
from screenmark.models.addresses import checked_base, checked_key, proxy_for
from screenmark.models.base import ModelOptions
from screenmark.models.hosted import HostedAdapter
from screenmark.models.presets import presets
from screenmark.models.sent import encode_images, sent_image
from screenmark.models.wire import retry_after, token_count
from screenmark.types import Image, Message, Reply, Request, SentImage, Usage

if TYPE_CHECKING:
    pass

_RETRY_STATUS = frozenset({408, 409, 425, 429, *range(500, 600)})
_INSPECTION = "datainspectionfailed"
_ACCOUNT_CODES = frozenset({"invalidapikey", "accessdenied", "arrearage"})
"""Codes that no request of this account gets past, whatever the status they come with."""
_EXCERPT = 500
_LOOKED_AT = 64 * 1024


class DashScopeAdapter(HostedAdapter):
    """Multimodal conversations at DashScope, images as data URLs in their original format.

    The key comes from ``api_key``, the environment variable ``DASHSCOPE_API_KEY`` or where
    else the SDK looks for one; the address from ``api_base`` or the SDK's default.

    Raises:
        MissingExtra: the SDK is not installed.
        CredentialsError: there is no key.
        UsageError: the address or the key is none that could be used.
    """

    def __init__(self, options: ModelOptions) -> None:
        if find_spec("dashscope") is None:
            raise MissingExtra("the adapter 'dashscope'", "dashscope")
        key = options.api_key or os.environ.get("DASHSCOPE_API_KEY") or _stored_key()
        super().__init__(checked_key(key, "DASHSCOPE_API_KEY"))
        self.name = options.model or "model"
        self._base = checked_base(options.api_base[0]) if options.api_base else None
        self._timeout = options.timeout
        self.image_limits = presets()["dashscope"].limits
        self._conversation = _conversation_class()

    async def start(self) -> None:
        import aiohttp
        import dashscope

        from screenmark.models.bounded_response import BoundedResponse

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
            proxy=proxy_for(self._base or dashscope.base_http_api_url),
            response_class=BoundedResponse,
        )

    async def ask(self, request: Request) -> Reply:
        messages, sent = await _messages(request)
        size = f"{len(sent)} image{'' if len(sent) == 1 else 's'}"
        response = await self._call(request, messages, size)
        if response.status_code == 200:
            return self._reply(response, sent)
        code = str(response.code or "")
        if _plain(code).startswith(_INSPECTION):
            # The service's filter withheld the answer: that is a policy, not a fault.
            return Reply(text="", finish_reason="content_filter", images=sent)
        raise self._refused(response, code, size)

    async def _call(self, request: Request, messages: list[dict[str, Any]], size: str) -> Any:
        import aiohttp
        from dashscope.common.error import DashScopeException

        if self._session is None:
            raise RuntimeError("start() was not called")
        try:
            return await self._conversation.call(
                model=self.name,
                messages=messages,
                api_key=self._key,
                base_address=self._base,
                temperature=request.temperature,
                max_tokens=request.max_tokens,
                session=self._session,
                request_timeout=self._timeout,
            )
        except aiohttp.ClientConnectorError as error:
            raise UnreachableError(
                f"cannot connect to {error.host}:{error.port}: {error.os_error}"
            ) from None
        except TimeoutError:
            raise TransientError(f"no reply within {self._timeout:g} s ({size})") from None
        except aiohttp.ClientError as error:
            raise TransientError(f"connection broke: {self._masked(error)} ({size})") from None
        except DashScopeException as error:
            raise RejectedError(f"the SDK refuses the request: {self._masked(error)}") from None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            # The SDK takes the body's form for granted.
            problem = f"{type(error).__name__}: {self._masked(error)}"
            raise TransientError(f"the reply is not DashScope's JSON ({problem})") from None

    def _reply(self, response: Any, images: tuple[SentImage, ...]) -> Reply:
        try:
            choice = response.output["choices"][0]
            content = choice["message"]["content"]
        except (KeyError, IndexError, TypeError):
            seen = self._masked(response.output)
            raise TransientError(f"the reply has no choices[0].message: {seen}") from None
        finish = choice.get("finish_reason")
        return Reply(
            text=_text(content),
            finish_reason=finish if isinstance(finish, str) else None,
            usage=_usage(response.usage),
            images=images,
        )

    def _refused(self, response: Any, code: str, size: str) -> Exception:
        status = int(response.status_code)
        detail = self._masked(f"{code}: {response.message}")
        if response.request_id:
            detail += f", request {self._masked(response.request_id)}"
        message = f"status {status} from DashScope ({size}): {detail}"
        if status in {401, 403} or _plain(code) in _ACCOUNT_CODES:
            hint = "set DASHSCOPE_API_KEY or pass --api-key"
            return CredentialsError(f"the key was not accepted; {hint}. {message}", status=status)
        if status in _RETRY_STATUS:
            headers = {name.lower(): value for name, value in (response.headers or {}).items()}
            wait = retry_after(headers.get("retry-after"), headers.get("date"))
            return TransientError(message, status=status, retry_after=wait)
        if status == 413:
            message = f"the images are too large for it; try --max-image-bytes. {message}"
        return RejectedError(message, status=status)

    def _masked(self, value: object) -> str:
        return self._redactor.message(str(value)[:_LOOKED_AT])[:_EXCERPT]


def _conversation_class() -> Any:
    from dashscope import AioMultiModalConversation

    class Conversation(AioMultiModalConversation):
        """The SDK's class without its uploads.

        As it comes, it uploads the file that any image, and any *text*, happens to name, so
        that a question of a data set could send a file of this machine.
        """

        @classmethod
        def _preprocess_messages(cls, *_: Any) -> bool:
            return False

    return Conversation


def _stored_key() -> str:
    """A key from one of the files that the SDK knows."""
    from dashscope.common.api_key import get_default_api_key
    from dashscope.common.error import AuthenticationError

    try:
        return str(get_default_api_key())
    except (AuthenticationError, OSError):
        raise CredentialsError("no key; set DASHSCOPE_API_KEY or pass --api-key") from None


async def _messages(request: Request) -> tuple[list[dict[str, Any]], tuple[SentImage, ...]]:
    """What is sent, and the facts about its images, which are held no longer."""
    images = await encode_images(request)
    left = iter(images)
    messages = [_message(message, left) for message in request.messages]
    return messages, tuple(map(sent_image, images))


def _message(message: Message, images: Iterator[EncodedImage]) -> dict[str, Any]:
    content: list[dict[str, str]] = []
    for part in message.parts:
        if isinstance(part, Image):
            content.append({"image": b"".join(next(images).data_url()).decode("ascii")})
        else:
            content.append({"text": part.text})
    return {"role": message.role, "content": content}


def _text(content: Any) -> str:
    """The text of a message: a string, or a list of parts of which some are text."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    read, written = (token_count(usage.get(name)) for name in ("input_tokens", "output_tokens"))
    return Usage(read, written) if read or written else None


def _plain(code: str) -> str:
    """A code without the ways in which its spelling varies (``data_inspection_failed``)."""
    return code.replace("_", "").replace(".", "").lower()
