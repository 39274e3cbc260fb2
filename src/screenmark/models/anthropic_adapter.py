"""Claude and its kin at Anthropic's Messages API, through the vendor's SDK.

The SDK's own retries are off, since the run has its own; so are its traces, which could carry
screenshots elsewhere, and its look through the machine for other credentials.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import orjson

from screenmark.errors import (
    CredentialsError,
    MissingExtra,
    ModelError,
    RejectedError,
    ReplyTimeoutError,
    TransientError,
    UnreachableError,
)
from screenmark.images import EncodedImage
from screenmark.models.addresses import checked_base, checked_key, proxy_for
from screenmark.models.base import ModelOptions
from screenmark.models.error_words import says_no_credit, says_withheld
from screenmark.models.hosted import HostedAdapter, WithheldError
from screenmark.models.presets import key_variable, preset_of, presets, with_preset
from screenmark.models.sent import encode_images, sent_image
from screenmark.models.wire import call_text, response_json, retry_after, token_count
from screenmark.types import Image, Json, Message, Reply, Request, SentImage, Usage

if TYPE_CHECKING:
    import anthropic

DEFAULT_BASE: Final = "https://api.anthropic.com"

_RETRY_STATUS = frozenset({408, 409, 425, 429, *range(500, 600)})
_RETRY_TYPES = frozenset({"rate_limit_error", "overloaded_error", "api_error", "timeout_error"})
_ACCOUNT_TYPES = frozenset({"authentication_error", "permission_error"})
"""Types of error that no request of this account gets past, whatever the status."""
_ON_TOOLS = re.compile(r"\btools?\b|tool_choice|input_schema|structured output")
_SAMPLING = ("temperature", "top_p", "top_k")
_NOT_TAKEN = ("deprecated", "not support", "unsupported", "not permitted", "removed")
_FINISH: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
"""``stop_reason`` in the words that the rest of the package reads."""
_TOOL: Final = "answer"
_EXCERPT = 500
_LOOKED_AT = 64 * 1024
_CONNECT_SECONDS = 15.0


class AnthropicAdapter(HostedAdapter):
    """The Messages API: images in base64 and in their original format, before the text.

    The key comes from ``api_key`` or the environment variable ``ANTHROPIC_API_KEY``, the address
    from ``api_base`` or ``ANTHROPIC_BASE_URL``; without either it is the vendor's own, which
    takes no request without a key. Nothing is marked for the vendor's prompt cache.

    Raises:
        MissingExtra: the SDK is not installed.
        CredentialsError: there is no key for the vendor's own address.
        UsageError: the address or the key is none that could be used.
    """

    takes_schema = True

    def __init__(self, options: ModelOptions) -> None:
        if find_spec("anthropic") is None:
            raise MissingExtra("the adapter 'anthropic'", "anthropic")
        options = with_preset(options)
        variable = key_variable(options, "ANTHROPIC_API_KEY")
        key = options.api_key or (os.environ.get(variable) if variable else None)
        super().__init__(checked_key(key, variable or "the preset's"))
        self._key_hint = f"set {variable} or pass --api-key" if variable else "pass --api-key"
        self.name = options.model or "model"
        named = options.api_base[0] if options.api_base else os.environ.get("ANTHROPIC_BASE_URL")
        # The SDK adds /v1/messages; other clients are given the address with /v1.
        self._base = checked_base(named or DEFAULT_BASE).rstrip("/").removesuffix("/v1")
        if self._key is None and self._base == DEFAULT_BASE:
            raise CredentialsError(f"no key; {self._key_hint}")
        self._timeout = options.timeout
        self.image_limits = (preset_of(options) or presets()["anthropic"]).limits
        self._left_out: set[str] = set()
        self._may_fall_back = options.structured == "auto"
        self._client: anthropic.AsyncAnthropic | None = None

    async def start(self) -> None:
        import anthropic
        import httpx2

        from screenmark.models.bounded_transport import BoundedTransport

        timeout = httpx2.Timeout(self._timeout, connect=min(_CONNECT_SECONDS, self._timeout))
        limits = httpx2.Limits(max_connections=None, keepalive_expiry=60)
        # Not by the environment: that would read ~/.netrc too.
        transport = BoundedTransport(limits=limits, proxy=proxy_for(self._base), trust_env=False)
        client = httpx2.AsyncClient(transport=transport, timeout=timeout, trust_env=False)
        keyless: Any = {} if self._key else {"Authorization": anthropic.Omit()}
        self._client = anthropic.AsyncAnthropic(
            api_key=self._key or "",
            base_url=self._base,
            timeout=timeout,
            max_retries=0,
            default_headers=keyless,
            open_telemetry=False,
            http_client=client,
        )

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None
        await super().close()

    async def ask(self, request: Request) -> Reply:
        images = await encode_images(request)
        sent = tuple(map(sent_image, images))
        size = f"{len(sent)} image{'' if len(sent) == 1 else 's'}"
        system, messages = _messages(request, images)
        del images
        while True:
            left_out = set(self._left_out)
            body = self._body(request, system, messages)
            held = None if request.schema is None else "tool_choice" in body
            try:
                data = await self._post(body, size)
            except WithheldError:
                return Reply(text="", finish_reason="content_filter", images=sent)
            except RejectedError as error:
                # As in OpenAIAdapter: requests under way learn of it here too.
                self._learn(error)
                if self._left_out == left_out:
                    raise
            else:
                return _reply(data, sent, held, self._masked)

    def _body(
        self, request: Request, system: str, messages: list[dict[str, Any]]
    ) -> dict[str, Any]:
        body = {
            "model": self.name,
            "max_tokens": request.max_tokens,
            "messages": messages,
            "temperature": request.temperature,
            **({"system": system} if system else {}),
            **({} if request.schema is None else _tool(request.schema)),
            **(request.generate_cfg or {}),
        }
        return {name: value for name, value in body.items() if name not in self._left_out}

    def _learn(self, error: RejectedError) -> None:
        """Leave out options that this model does not take from now on."""
        text = str(error).lower()
        if error.status != 400:
            return
        if any(words in text for words in _NOT_TAKEN):
            self._left_out |= {name for name in _SAMPLING if name in text}
        if self._may_fall_back and _ON_TOOLS.search(text):
            self._left_out |= {"tools", "tool_choice"}

    async def _post(self, body: dict[str, Any], size: str) -> Any:
        import anthropic

        if self._client is None:
            raise RuntimeError("start() was not called")
        required = {name: body.pop(name) for name in ("model", "max_tokens", "messages")}
        try:
            async with asyncio.timeout(self._timeout):
                raw = await self._client.messages.with_raw_response.create(
                    **required, extra_body=body
                )
        except anthropic.APIStatusError as error:
            raise self._refused(error, size) from None
        except anthropic.APIError as error:
            raise self._unanswered(error, size) from None
        except TimeoutError:
            raise ReplyTimeoutError(f"no reply within {self._timeout:g} s ({size})") from None
        except (ValueError, TypeError) as error:
            raise RejectedError(f"the SDK refuses the request: {self._masked(error)}") from None
        data = raw.http_response.content
        try:
            return response_json(data)
        except orjson.JSONDecodeError as error:
            said = self._masked(data[:_LOOKED_AT].decode("utf-8", "replace"))
            raise TransientError(f"status 200 but not JSON ({error}): {said}") from None

    def _refused(self, error: anthropic.APIStatusError, size: str) -> ModelError:
        response, status = error.response, error.status_code
        kind = error.type if isinstance(error.type, str) else ""
        said = self._masked(response.text[:_LOOKED_AT].strip()) or "(empty body)"
        message = f"status {status} from {self._base} ({size}): {said}"
        if says_no_credit(status, said) or kind == "billing_error":
            return CredentialsError(f"the account has no credit. {message}", status=status)
        if says_withheld(status, said):
            return WithheldError(message, status=status)
        if status in {401, 403} or kind in _ACCOUNT_TYPES:
            had = "the key was not accepted" if self._key else "no key was sent"
            return CredentialsError(f"{had}; {self._key_hint}. {message}", status=status)
        if status in _RETRY_STATUS or kind in _RETRY_TYPES:
            wait = retry_after(response.headers.get("retry-after"), response.headers.get("date"))
            return TransientError(message, status=status, retry_after=wait)
        if status == 413 or "image exceeds" in said:
            message = f"the images are too large for it; try --max-image-bytes. {message}"
        return RejectedError(message, status=status)

    def _unanswered(self, error: anthropic.APIError, size: str) -> ModelError:
        """What a request without any response failed of."""
        import anthropic
        import httpx2

        cause = error.__cause__
        if isinstance(cause, RejectedError):
            return cause
        why = self._masked(cause or error)
        if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
            return UnreachableError(f"cannot connect to {self._base}: {why}")
        if isinstance(error, anthropic.APITimeoutError):
            return ReplyTimeoutError(f"no reply within {self._timeout:g} s ({size})")
        return TransientError(f"connection to {self._base} broke: {why} ({size})")

    def _masked(self, value: object) -> str:
        return self._redactor.message(str(value)[:_LOOKED_AT])[:_EXCERPT]


def _messages(request: Request, images: list[EncodedImage]) -> tuple[str, list[dict[str, Any]]]:
    """The system text, and the turns with their images first, as the vendor advises."""
    left = iter(images)
    system, turns = [], []
    for message in request.messages:
        content = _content(message, left)
        if message.role == "system":
            system += [part["text"] for part in content if part["type"] == "text"]
        elif content:
            turns.append({"role": message.role, "content": content})
    return "\n\n".join(system), turns


def _content(message: Message, images: Iterator[EncodedImage]) -> list[dict[str, Any]]:
    from pybase64 import b64encode

    pictures: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Image):
            image = next(images)
            source = {
                "type": "base64",
                "media_type": image.media_type,
                "data": b64encode(image.data).decode("ascii"),
            }
            pictures.append({"type": "image", "source": source})
        elif part.text.strip():
            # The API refuses a text block without a letter.
            texts.append({"type": "text", "text": part.text})
    return pictures + texts


def _tool(schema: dict[str, Json]) -> dict[str, Any]:
    """A tool that the model has to call, whose input is the answer."""
    tool = {"name": _TOOL, "description": "Give the answer.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


def _reply(
    data: Any,
    images: tuple[SentImage, ...],
    structured: bool | None,
    masked: Callable[[object], str],
) -> Reply:
    content = data.get("content") if isinstance(data, dict) else None
    if not isinstance(content, list):
        raise TransientError(f"the reply is no message with content: {masked(data)}")
    stop = data.get("stop_reason")
    called = _input(content) if structured else None
    if called is not None and stop == "tool_use":
        stop = "end_turn"
    model = data.get("model")
    text = _text(content) if called is None else called
    calls = () if structured else tuple(_calls(content))
    return Reply(
        text=text or "\n".join(calls),
        finish_reason=_FINISH.get(stop, stop) if isinstance(stop, str) else None,
        model=model if isinstance(model, str) else None,
        usage=_usage(data.get("usage")),
        images=images,
        structured=structured,
        calls=calls if text else (),
        reasoning="\n".join(_strings(content, "thinking")),
    )


def _calls(content: list[Any]) -> Iterator[str]:
    """The calls of tools, as other adapters write them."""
    for block in content:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield call_text(block.get("name"), block.get("input"))


def _input(content: list[Any]) -> str | None:
    """What the model gave to the tool that stands for its answer, as JSON."""
    for block in content:
        if isinstance(block, dict) and block.get("name") == _TOOL and "input" in block:
            return orjson.dumps(block["input"]).decode("utf-8")
    return None


def _text(content: list[Any]) -> str:
    """The text blocks joined; thinking is the model's own business."""
    return "".join(_strings(content, "text"))


def _strings(content: list[Any], kind: str) -> Iterator[str]:
    """What blocks of a kind hold under the kind's own name."""
    for block in content:
        if isinstance(block, dict) and block.get("type") == kind:
            text = block.get(kind)
            if isinstance(text, str):
                yield text


def _usage(usage: Any) -> Usage | None:
    """Tokens read, out of the vendor's cache or not, and written."""
    if not isinstance(usage, dict):
        return None
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        sum(token_count(usage.get(name)) for name in read), token_count(usage.get("output_tokens"))
    )
