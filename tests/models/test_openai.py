"""The OpenAI adapter against a local endpoint, over real HTTP."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import html
import json
import random
import re
import socket
import ssl
import threading
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from PIL import Image as PillowImage

from screenmark.errors import (
    CredentialsError,
    ImageError,
    ModelError,
    RejectedError,
    TransientError,
    UnreachableError,
    UsageError,
)
from screenmark.models import ModelOptions, bounded_response, openai
from screenmark.models.openai import DEFAULT_BASE, OpenAIAdapter
from screenmark.types import Image, Message, Reply, Request, SentImage, Text, Usage
from tests.support.endpoint import Act, FakeEndpoint, Script

pytestmark = pytest.mark.usefixtures("in_tmp")

KEY = "sk-nobody-should-see-this"
QUESTION = Request((Message("user", (Text("why?"),)),))


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def generate(
    url: str, request: Request = QUESTION, *, times: int = 1, **options: Any
) -> list[Reply | BaseException]:
    """Replies to the same request sent ``times`` times at once."""

    async def main() -> list[Reply | BaseException]:
        adapter = OpenAIAdapter(ModelOptions(model="m", api_base=(url,), **options))
        await adapter.start()
        try:
            asked = (adapter.generate(request) for _ in range(times))
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await adapter.close()

    return asyncio.run(main())


def reply_to(script: Script, request: Request = QUESTION, **options: Any) -> Reply:
    with FakeEndpoint(script) as endpoint:
        (reply,) = generate(endpoint.url, request, **options)
    if isinstance(reply, BaseException):
        raise reply
    return reply


def whole(message: dict[str, Any], **fields: Any) -> Act:
    return Act(body=json.dumps({"choices": [{"message": message}], **fields}).encode())


class TestWhatIsSent:
    def test_words_alone_are_a_string(self) -> None:
        request = Request(
            (
                Message("system", (Text("Be brief."),)),
                Message("user", (Text("one"), Text("two"))),
                Message("assistant", (Text("three"),)),
            ),
            temperature=0.25,
            max_tokens=17,
            sample_id="s1",
        )
        with FakeEndpoint() as endpoint:
            generate(endpoint.url, request)
        assert endpoint.requests == [
            {
                "model": "m",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "one\ntwo"},
                    {"role": "assistant", "content": "three"},
                ],
                "temperature": 0.25,
                "max_tokens": 17,
            }
        ]

    def test_images_go_out_byte_for_byte_and_in_their_place(self, tmp_path: Path) -> None:
        path = tmp_path / "page.jpg"
        PillowImage.new("RGB", (40, 30), "navy").save(path)
        request = Request((Message("user", (Text("a"), Image(str(path)), Text("b"))),))
        with FakeEndpoint() as endpoint:
            (reply,) = generate(endpoint.url, request)
        first, image, last = endpoint.requests[0]["messages"][0]["content"]
        assert (first, last) == ({"type": "text", "text": "a"}, {"type": "text", "text": "b"})
        assert image["type"] == "image_url"
        assert image["image_url"]["detail"] == "high"
        head, _, data = image["image_url"]["url"].partition(",")
        assert head == "data:image/jpeg;base64"
        sent = path.read_bytes()
        assert base64.b64decode(data, validate=True) == sent
        assert isinstance(reply, Reply)
        digest = hashlib.sha256(sent).hexdigest()
        assert reply.images == (SentImage(digest, "image/jpeg", len(sent), 40, 30),)

    def test_several_images_stay_in_order_whatever_the_words_hold(self, tmp_path: Path) -> None:
        words = 'null \0, quoted \0 and "\\u0000"'
        paths = [tmp_path / f"{number}.png" for number in range(3)]
        for number, path in enumerate(paths):
            PillowImage.new("L", (3 + number, 2)).save(path)
        first, *others = (Image(str(path)) for path in paths)
        asked = (Message("user", (Text(words), first)), Message("user", (*others, Text(words))))
        with FakeEndpoint() as endpoint:
            generate(endpoint.url, Request(asked))
        (text, *_), (*_, last) = (m["content"] for m in endpoint.requests[0]["messages"])
        assert text["text"] == last["text"] == words
        parts = [p for m in endpoint.requests[0]["messages"] for p in m["content"]]
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        assert [base64.b64decode(url.partition(",")[2]) for url in urls] == [
            path.read_bytes() for path in paths
        ]

    def test_a_large_screenshot(self, tmp_path: Path) -> None:
        # Warnings are errors here: aiohttp warns about large bodies that are not streams.
        path = tmp_path / "large.png"
        noise = random.Random(0).randbytes(1000 * 1000 * 3)
        PillowImage.frombytes("RGB", (1000, 1000), noise).save(path, compress_level=0)
        with FakeEndpoint() as endpoint:
            (reply,) = generate(endpoint.url, Request((Message("user", (Image(str(path)),)),)))
        assert isinstance(reply, Reply)
        (part,) = endpoint.requests[0]["messages"][0]["content"]
        assert len(part["image_url"]["url"]) > 4_000_000
        assert int(endpoint.headers[0]["Content-Length"]) > 4_000_000

    def test_a_broken_image_is_not_sent(self, tmp_path: Path) -> None:
        path = tmp_path / "broken.png"
        path.write_bytes(b"GIF89a?")
        request = Request((Message("user", (Image(str(path)),)),))
        with FakeEndpoint() as endpoint:
            (error,) = generate(endpoint.url, request)
        assert isinstance(error, ImageError)
        assert not endpoint.requests

    @pytest.mark.parametrize("end", ["", "/", "//"])
    def test_address(self, end: str) -> None:
        with FakeEndpoint() as endpoint:
            generate(endpoint.url + end)
        assert len(endpoint.requests) == 1

    @pytest.mark.parametrize(
        ("option", "variable", "header"),
        [
            pytest.param("sk-a", "sk-b", "Bearer sk-a", id="the option wins"),
            pytest.param(None, "sk-b", "Bearer sk-b", id="environment"),
            pytest.param(None, "sk-b\n", "Bearer sk-b", id="line break at the end"),
            pytest.param(None, " ", None, id="blank"),
            pytest.param(None, None, None, id="none"),
        ],
    )
    def test_key(
        self,
        monkeypatch: pytest.MonkeyPatch,
        option: str | None,
        variable: str | None,
        header: str | None,
    ) -> None:
        if variable is not None:
            monkeypatch.setenv("OPENAI_API_KEY", variable)
        with FakeEndpoint() as endpoint:
            generate(endpoint.url, api_key=option)
        assert endpoint.headers[0].get("Authorization") == header

    def test_base_url_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with FakeEndpoint() as endpoint:
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
            text = OpenAIAdapter(ModelOptions(model="m")).infer(str(page()), "why?")
        assert text == "[]"
        assert DEFAULT_BASE.startswith("https://")


def page() -> Path:
    path = Path("page.png")
    PillowImage.new("RGB", (4, 3)).save(path)
    return path


def called(name: Any, arguments: str) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("message", "text", "finish_reason"),
    [
        pytest.param({"content": "hi"}, "hi", None, id="string"),
        pytest.param({"content": None}, "", None, id="null"),
        pytest.param({}, "", None, id="no content"),
        pytest.param(
            {
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image"},
                    {"text": 3},
                    "x",
                    {"text": "b"},
                ]
            },
            "ab",
            None,
            id="parts",
        ),
        pytest.param(
            {"content": None, "tool_calls": [called("click", '{"x": 1}'), called("wait", "{")]},
            '{"name":"click","arguments":{"x":1}}\n{"name":"wait","arguments":"{"}',
            None,
            id="calls of tools",
        ),
        pytest.param(
            {"content": "", "function_call": {"name": "f", "arguments": {"x": 1}}},
            '{"name":"f","arguments":{"x":1}}',
            None,
            id="the older form",
        ),
        pytest.param({"content": "hi", "tool_calls": [called("f", "{}")]}, "hi", None, id="both"),
        pytest.param({"content": None, "tool_calls": 3}, "", None, id="no calls"),
        pytest.param({"content": None, "tool_calls": [3, {}]}, "", None, id="calls of nothing"),
        pytest.param(
            {"content": None, "tool_calls": [called(3, "[" * 900 + "]" * 900)]},
            '{"name":"","arguments":"' + "[" * 900 + "]" * 900 + '"}',
            None,
            id="a deep call",
        ),
        pytest.param({"content": None, "refusal": "No."}, "No.", "refusal", id="refusal"),
        pytest.param({"content": "yes", "refusal": "No."}, "yes", None, id="refusal beside text"),
        pytest.param({"content": "hi", "refusal": None}, "hi", None, id="no refusal"),
    ],
)
def test_reading_a_message(message: dict[str, Any], text: str, finish_reason: str | None) -> None:
    reply = reply_to([whole(message)])
    assert (reply.text, reply.finish_reason) == (text, finish_reason)


@pytest.mark.parametrize(("content", "kind"), [({"a": 1}, "an object"), (3, "int"), (True, "bool")])
def test_content_that_holds_no_text_is_an_error(content: Any, kind: str) -> None:
    with pytest.raises(TransientError, match=rf"message\.content is {kind}, expected a text"):
        reply_to([whole({"content": content})])


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param('{"choices": [{"message": {"content": "a\\ud800b"}}]}', "a\ufffdb", id="half"),
        pytest.param(
            '{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": NaN}}',
            "a",
            id="NaN",
        ),
        pytest.param('{"choices": [{"message": {"content": "a"}}], "x": -Infinity}', "a", id="inf"),
    ],
)
def test_what_is_nearly_json_is_read(body: str, text: str) -> None:
    assert reply_to([Act(body=body.encode())]).text == text


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 3}, Usage(7, 3)),
        ({"prompt_tokens": None, "completion_tokens": -3}, Usage(0, 0)),
        ({}, Usage(0, 0)),
        (None, None),
        ("many", None),
    ],
)
def test_reading_the_usage(usage: Any, expected: Usage | None) -> None:
    assert reply_to([whole({"content": ""}, usage=usage)]).usage == expected


def test_the_model_is_the_one_that_the_provider_names() -> None:
    assert reply_to([Act()]).model == "fake-1"
    assert reply_to([whole({"content": ""}, model=4)]).model is None
    assert reply_to([Act(finish_reason="length")]).finish_reason == "length"


TOKENS = b'{"error": {"message": "Unsupported parameter: \'max_tokens\' is not supported with this'
TOKENS += b" model. Use 'max_completion_tokens' instead.\"}}"
WARMTH = b"Unsupported value: 'temperature' does not support 0 with this model."


def reasoning_model(number: int, body: dict[str, Any]) -> Act:
    """Complains about one thing at a time, as the vendor's models do."""
    if "max_tokens" in body:
        return Act(status=400, body=TOKENS, seconds=0.05)
    if "temperature" in body:
        return Act(status=400, body=WARMTH, seconds=0.05)
    return Act(content="ok")


class TestOptionsThatAnEndpointWantsOtherwise:
    def test_are_learnt_one_after_the_other(self) -> None:
        with FakeEndpoint(reasoning_model) as endpoint:
            (reply,) = generate(endpoint.url, Request(QUESTION.messages, max_tokens=17))
        assert isinstance(reply, Reply)
        assert reply.text == "ok"
        assert [set(body) - {"model", "messages"} for body in endpoint.requests] == [
            {"temperature", "max_tokens"},
            {"temperature", "max_completion_tokens"},
            {"max_completion_tokens"},
        ]
        assert endpoint.requests[-1]["max_completion_tokens"] == 17

    def test_are_learnt_by_requests_that_were_under_way(self) -> None:
        with FakeEndpoint(reasoning_model) as endpoint:
            replies = generate(endpoint.url, times=8)
        assert [r.text if isinstance(r, Reply) else r for r in replies] == ["ok"] * 8

    def test_are_learnt_for_good(self) -> None:
        async def main(url: str) -> None:
            adapter = OpenAIAdapter(ModelOptions(model="m", api_base=(url,)))
            await adapter.start()
            for _ in range(3):
                await adapter.generate(QUESTION)
            await adapter.close()

        with FakeEndpoint(reasoning_model) as endpoint:
            asyncio.run(main(endpoint.url))
        assert len(endpoint.requests) == 3 + 2

    @pytest.mark.parametrize(
        ("status", "body", "requests"),
        [
            pytest.param(400, TOKENS, 2, id="still not content"),
            pytest.param(400, b"temperature is unsupported", 2, id="still not content, warmth"),
            pytest.param(400, b"temperature must be below 2", 1, id="out of range"),
            pytest.param(404, TOKENS, 1, id="another status"),
        ],
    )
    def test_are_not_tried_for_ever(self, status: int, body: bytes, requests: int) -> None:
        with FakeEndpoint([Act(status=status, body=body)]) as endpoint:
            (error,) = generate(endpoint.url)
        assert isinstance(error, RejectedError)
        assert len(endpoint.requests) == requests


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        pytest.param(Act(status=400, body=b"no"), RejectedError, "status 400", id="400"),
        pytest.param(Act(status=404, body=b"no such model"), RejectedError, "no such", id="404"),
        pytest.param(Act(status=204, body=b""), RejectedError, "(empty body)", id="204"),
        pytest.param(Act(status=401), CredentialsError, "no key was sent; set OPENAI", id="401"),
        pytest.param(Act(status=403), CredentialsError, "--api-key", id="403"),
        pytest.param(Act(status=429), TransientError, "status 429", id="429"),
        pytest.param(Act(status=408), TransientError, "status 408", id="408"),
        pytest.param(Act(status=529), TransientError, "status 529", id="529"),
        pytest.param(Act(reset=True), TransientError, "connection to http://", id="reset"),
        pytest.param(Act(body=b"<html>"), TransientError, "not JSON", id="not JSON"),
        pytest.param(Act(body=b"[" * 5000), TransientError, "not JSON", id="bomb"),
        pytest.param(Act(body=b'{"choices": []}'), TransientError, '"choices": []', id="empty"),
        pytest.param(Act(body=b'{"choices": {}}'), TransientError, "no choices[0]", id="object"),
        pytest.param(Act(body=b'{"choices": [3]}'), TransientError, "no choices[0]", id="number"),
        pytest.param(
            Act(body=b'{"choices": [{"message": null}]}'), TransientError, "no ch", id="null"
        ),
        pytest.param(Act(body=b"[1]"), TransientError, "no choices[0]", id="a list"),
        pytest.param(
            Act(body=b'{"a": ' + b"[" * 400 + b"]" * 400 + b"}"), TransientError, "[[[", id="deep"
        ),
        pytest.param(
            Act(body=b"not gzip at all", headers={"Content-Encoding": "gzip"}),
            TransientError, "broke: ", id="not what it says",
        ),
        pytest.param(Act(body=b'"hi"'), TransientError, "no choices[0]", id="a string"),
        pytest.param(
            Act(body=b'{"error": {"message": "busy"}}'), TransientError, "busy", id="200, error"
        ),
    ],
)  # fmt: skip
def test_errors(act: Act, kind: type[ModelError], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        reply_to([act])
    assert type(caught.value) is kind
    assert message in str(caught.value)
    if act.status != 200:
        assert caught.value.status == act.status
        assert "bytes, 0 images)" in str(caught.value)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("1e9", 86400.0),
        ("inf", 86400.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86400.0),
        ("1 Jan 99999999999999999999 00:00:00 GMT", None),
        ("1 Jan 2030 00:00:00 +99999999999999999999", None),
    ],
)
def test_a_wait_that_the_server_asks_for(header: str, seconds: float | None) -> None:
    with pytest.raises(TransientError) as caught:
        reply_to([Act(status=429, headers={"Retry-After": header})])
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        pytest.param('{"prompt_tokens": 7, "completion_tokens": true}', Usage(7, 0), id="bool"),
        pytest.param('{"prompt_tokens": 18446744073709551615}', Usage(2**40, 0), id="64 bits"),
        pytest.param('{"prompt_tokens": 1e99, "completion_tokens": -1}', Usage(0, 0), id="odd"),
        pytest.param('{"prompt_tokens": [], "completion_tokens": {}}', Usage(0, 0), id="types"),
        pytest.param("[]", None, id="a list"),
        pytest.param("true", None, id="true"),
    ],
)
def test_counts_of_tokens_that_are_none(usage: str, expected: Usage | None) -> None:
    body = f'{{"choices": [{{"message": {{"content": "ok"}}}}], "usage": {usage}}}'
    reply = reply_to([Act(body=body.encode())])
    assert reply.usage == expected
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply


class TestHowMuchIsRead:
    def test_a_small_stream_that_unpacks_to_much(self) -> None:
        packed = gzip.compress(b" " * (bounded_response.MOST_BYTES + 1), 9)
        with pytest.raises(RejectedError, match=r"^the reply is larger than 32 MB$"):
            reply_to([Act(body=packed, headers={"Content-Encoding": "gzip"})])

    def test_a_packed_reply_below_the_limit(self) -> None:
        body = json.dumps({"choices": [{"message": {"content": "x" * 300_000}}]}).encode()
        packed = Act(body=gzip.compress(body), headers={"Content-Encoding": "gzip"})
        assert reply_to([packed]).text == "x" * 300_000

    def test_a_long_error_is_shown_in_part_and_keeps_its_status(self) -> None:
        with pytest.raises(RejectedError, match="status 400") as caught:
            reply_to([Act(status=400, body=b"\xe5\xa5\xbd" * bounded_response.MOST_OF_AN_ERROR)])
        assert "好好好" in str(caught.value)
        assert len(str(caught.value)) < 800


def test_no_reply_in_time() -> None:
    with pytest.raises(TransientError, match=r"no reply within 0\.2 s"):
        reply_to([Act(seconds=2)], timeout=0.2)


def test_a_redirect_is_not_followed() -> None:
    with FakeEndpoint() as other:
        moved = Act(status=307, headers={"Location": other.url + "/chat/completions"})
        with pytest.raises(RejectedError, match="status 307"):
            reply_to([moved], api_key=KEY)
        assert not other.requests


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(Act(status=401, body=f"bad key {KEY}".encode()), id="401"),
        pytest.param(Act(status=400, body=f"{KEY} " .encode() * 200), id="many times"),
        pytest.param(Act(status=400, body=b"x" * 490 + KEY.encode()), id="at the cut"),
        pytest.param(Act(body=f"<p>{KEY}".encode()), id="200 but not JSON"),
        pytest.param(Act(body=json.dumps({"error": KEY}).encode()), id="200 but an error"),
    ],
)  # fmt: skip
def test_the_key_is_in_no_message(act: Act) -> None:
    with pytest.raises(ModelError) as caught:
        reply_to([act], api_key=KEY)
    text = str(caught.value)
    assert KEY[:12] not in text
    assert "***" in text or "x" * 400 in text
    assert len(text) < 800


@contextmanager
def raw_server(answer: bytes) -> Iterator[str]:
    """Takes one request and answers with bytes that need not be HTTP; b"" says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(10)
                if answer:
                    while b'"max_tokens"' not in connection.recv(1 << 20):
                        pass
                    connection.sendall(answer)
                else:
                    while connection.recv(1 << 20):
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        thread.join(10)


ODD_KEY = "sk-SEC/ret%key+'12345678"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("HTTP/1.1 2x0 {key}\r\n\r\n", id="status line"),
        pytest.param("HTTP/1.1 200 OK\r\nbad header {key}\r\n\r\n", id="header"),
        pytest.param(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZ{key}\r\n", id="chunk size"
        ),
        pytest.param("\0{key} hello\r\n\r\n", id="not HTTP"),
        pytest.param("HTTP/1.1 200 OK\r\nX: " + "a" * 84 + "{key}" + "a" * 9000, id="cut off"),
    ],
)
def test_the_key_is_in_no_message_about_what_is_not_http(answer: str) -> None:
    with raw_server(answer.format(key=ODD_KEY).encode()) as url:
        (error,) = generate(url, api_key=ODD_KEY)
    assert type(error) is TransientError
    assert "SEC" not in str(error)
    assert error.__cause__ is None


def escaped(key: str) -> list[Any]:
    unicode = "".join(f"\\u{ord(c):04X}" for c in key)
    bearer = base64.b64encode(f"Bearer {key}".encode()).decode()
    return [
        pytest.param(key, id="plain"),
        pytest.param(key.replace("/", "\\/"), id="JSON"),
        pytest.param(json.dumps(json.dumps(key.replace("/", "\\/"))), id="JSON in JSON"),
        pytest.param(unicode, id="code points"),
        pytest.param(urllib.parse.quote(key, safe=""), id="URL"),
        pytest.param(urllib.parse.quote(urllib.parse.quote(key)), id="URL in URL"),
        pytest.param(html.escape(key), id="HTML"),
        pytest.param(bearer, id="base64 of the header"),
        pytest.param(base64.b64encode(f"me:{key}".encode()).decode(), id="base64 of a password"),
    ]


@pytest.mark.parametrize("form", escaped(ODD_KEY))
class TestTheKeySpelledOtherwise:
    def test_in_a_message(self, form: str) -> None:
        with pytest.raises(RejectedError) as caught:
            reply_to([Act(status=400, body=f"before {form} after".encode())], api_key=ODD_KEY)
        assert form[8:-4] not in str(caught.value)
        assert "before " in str(caught.value)
        assert str(caught.value).endswith(" after")

    def test_in_what_a_reply_says(self, form: str) -> None:
        message = {"content": f"before {form} after"}
        choice = {"message": message, "finish_reason": form}
        body = json.dumps({"choices": [choice], "model": form}).encode()
        reply = reply_to([Act(body=body)], api_key=ODD_KEY)
        for said in (reply.text, reply.finish_reason, reply.model):
            assert said is not None
            assert "***" in said
            assert form[8:-4] not in said
        assert reply.text.startswith("before ")
        assert reply.text.endswith(" after")


@pytest.mark.parametrize("key", ["EMPTY", "none", "password", "x"])
def test_a_word_in_place_of_a_key_stays_in_replies(key: str) -> None:
    assert reply_to([Act(content=f"[{key}]")], api_key=key).text == f"[{key}]"


def test_a_reply_of_nothing_but_escapes_is_searched_in_bounded_steps() -> None:
    text = "\\" * 200_000 + "%25" * 100_000
    assert reply_to([Act(content=text)], api_key=ODD_KEY).text == text


def test_fields_that_should_be_short_are() -> None:
    reply = reply_to([whole({"content": "ok"}, model="m" * 10**6)])
    assert reply.model == "m" * 200


@pytest.mark.parametrize(
    "key", ["sk-1\nX-Evil: 1", "sk\r\n2", "sk\0three", "sk\x7ffour", "sk\x85five", "sk\udcff6"]
)
def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    with pytest.raises(UsageError, match=r"^--api-key: ") as caught:
        OpenAIAdapter(ModelOptions(model="m", api_key=key))
    assert "sk" not in str(caught.value)
    OpenAIAdapter(ModelOptions(model="m", api_key=" sk-spaces-around\n"))


def test_passwords_in_netrc_are_sent_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password p\n", encoding="utf-8")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with FakeEndpoint() as endpoint:
        generate(endpoint.url)
    assert "Authorization" not in endpoint.headers[0]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def test_nobody_listens() -> None:
    (error,) = generate(f"http://127.0.0.1:{free_port()}/v1")
    assert isinstance(error, UnreachableError)
    assert "cannot connect to http://127.0.0.1" in str(error)
    assert error.status is None


def test_https_where_http_is_spoken() -> None:
    with FakeEndpoint() as endpoint:
        (error,) = generate(endpoint.url.replace("http://", "https://"))
    assert isinstance(error, UnreachableError)
    assert "SSL" in str(error)
    assert "try http://" in str(error)


def test_https_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "_CONNECT_SECONDS", 0.2)
    with raw_server(b"") as url:
        (error,) = generate(url.replace("http://", "https://"))
    assert isinstance(error, UnreachableError)
    assert re.search(r"no connection to https://.* within 0\.2 s; .*try http://", str(error))


def test_a_certificate_that_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    key = aiohttp.client_reqrep.ConnectionKey("host", 443, True, True, None, None, None)
    fault = aiohttp.ClientConnectorCertificateError(key, ssl.CertificateError("self-signed"))

    def post(self: aiohttp.ClientSession, *args: Any, **kwargs: Any) -> Any:
        raise fault

    monkeypatch.setattr(aiohttp.ClientSession, "post", post)
    (error,) = generate("https://host/v1")
    assert isinstance(error, UnreachableError)
    assert "self-signed" in str(error)
    assert "http://" not in str(error)


@pytest.mark.parametrize(
    "base",
    ["127.0.0.1:8000/v1", "localhost:8000", "ftp://host/v1", "http://", "http://[::1/v1",
     "http://host:port/v1", "http://host:99999", "/v1"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_before_the_run(base: str) -> None:
    with pytest.raises(UsageError, match=r"--api-base .*expected a URL such as http://127"):
        OpenAIAdapter(ModelOptions(model="m", api_base=(base,)))


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("http://me:hunter2@host/v1", "pass --api-key instead"),
        ("me:hunter2@host/v1", "pass --api-key instead"),
        ("http://hunter2@[::1", "pass --api-key instead"),
        ("http://host/v1?key=hunter2", r"a query \(\?"),
        ("host?hunter2", r"a query \(\?"),
        ("http://host/v1#hunter2", "a fragment"),
        ("http://host/v1 hunter2", "a space"),
        ("http://host/v1\nhunter2", "line break"),
        ("http://host/\u202ehunter2", "control character"),
        ("http://host/v1/../admin", "in its path"),
        ("http://host/%2e%2E/admin", "in its path"),
    ],
)
def test_what_has_no_place_in_an_address_is_refused_and_not_repeated(
    base: str, message: str
) -> None:
    with pytest.raises(UsageError, match=f"^--api-base.*{message}") as caught:
        OpenAIAdapter(ModelOptions(model="m", api_base=(base,)))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("base", ["https://host/a/@cf/v1", "http://[::1]:8000/v1/", "http://中.cn"])
def test_unusual_addresses(base: str) -> None:
    OpenAIAdapter(ModelOptions(model="m", api_base=(base,)))


@pytest.mark.parametrize("parts", [(), (Text("hi"),)])
def test_it_must_be_started(parts: Sequence[Text]) -> None:
    adapter = OpenAIAdapter(ModelOptions(model="m"))
    with pytest.raises(RuntimeError, match="start"):
        asyncio.run(adapter.generate(Request((Message("user", tuple(parts)),))))


def test_closing_twice_and_starting_again() -> None:
    async def main(url: str) -> str:
        adapter = OpenAIAdapter(ModelOptions(model="m", api_base=(url,)))
        await adapter.close()
        await adapter.start()
        await adapter.close()
        await adapter.close()
        await adapter.start()
        try:
            return (await adapter.generate(QUESTION)).text
        finally:
            await adapter.close()

    with FakeEndpoint() as endpoint:
        assert asyncio.run(main(endpoint.url)) == "[]"
