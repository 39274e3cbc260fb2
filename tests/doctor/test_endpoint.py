"""Endpoints that are as they should be, and in every way not, asked the doctor's questions."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from screenmark.doctor import Finding, check_endpoint
from screenmark.engine.plan import Plan
from screenmark.models import BaseLLMAdapter
from tests.support.commands import command
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.screen_reader import ScreenReader, image_size
from tests.support.vendors import Vendor, sends

KEY = "sk-secret-0123456789abcdef"
LISTED = ("m", "other-model", "qwen-vl-max")


def refusing(status: int, message: str, **fields: Any) -> Act:
    return Act(status=status, body=json.dumps({"error": {"message": message, **fields}}).encode())


def no_image(number: int, body: dict[str, Any]) -> Act | None:
    return refusing(400, "image_url is not supported") if image_size(body) else None


def examine(
    script: Any,
    *,
    benchmark: str = "calibration",
    models: tuple[str, ...] | None = LISTED,
    **options: Any,
) -> tuple[dict[str, Finding], list[str], FakeEndpoint]:
    said: list[str] = []
    with FakeEndpoint(script, models=models) as endpoint:
        plan = Plan(benchmark, {"model": "m", "api_base": [endpoint.url], "api_key": KEY} | options)
        findings = list(check_endpoint([plan], said.append))
    found = {finding.check: finding for finding in findings}
    assert len(found) == len(findings)
    assert KEY not in repr(findings) + repr(said)
    return found, said, endpoint


def failing(found: dict[str, Finding]) -> list[str]:
    return [name for name, finding in found.items() if finding.status == "failed"]


def test_everything_fine() -> None:
    found, said, endpoint = examine(ScreenReader())
    assert {f.status for f in found.values()} == {"ok"}, found
    checks = ["endpoint", "key", "model", "image", "coordinates", "system prompt", "thinking"]
    assert list(found) == [*checks, "latency", "concurrency"]
    assert "m answers, and is listed" in found["model"].detail
    assert "5 of 5 replies fit pixel" in found["coordinates"].detail
    assert len(endpoint.requests) == 8  # and the list
    assert len(said) == 1
    assert said[0].startswith(f"doctor sends 9 short requests to {endpoint.url}")
    assert "--offline" in said[0]


@pytest.mark.parametrize(
    ("script", "options", "check", "message", "remedy", "requests"),
    [
        pytest.param(
            [refusing(401, f"Incorrect API key provided: {KEY}")],
            {},
            *("key", "the key was not accepted", "export OPENAI_API_KEY=…, or --api-key KEY", 1),
            id="wrong key",
        ),
        pytest.param(
            [refusing(429, "You exceeded your quota", code="insufficient_quota")],
            {},
            *("key", "no credit", "add credit", 1),
            id="no credit",
        ),
        pytest.param(
            [refusing(404, "The model `qwen-vl-mx` does not exist", code="model_not_found")],
            {"model": "qwen-vl-mx"},
            *("model", "does not exist", "--model qwen-vl-max (2 more are listed)", 1),
            id="wrong model",
        ),
        pytest.param(
            [refusing(400, "Unknown model: gtp")],
            {"model": "gtp", "models": None},
            *("model", "Unknown model", "--model NAME as the endpoint calls it", 2),
            id="wrong model and no list",
        ),
        pytest.param(
            [refusing(403, "Project has no access to model m")],
            {},
            *("key", "no access", "--model of one that this key may use, or export", 1),
            id="a model that the key may not use",
        ),
        pytest.param(
            [Act(status=404, body=b"Not Found")],
            {},
            *("endpoint", "status 404", "--api-base URL with the path", 1),
            id="wrong path",
        ),
        pytest.param(
            [Act(body=b"<html>welcome</html>")],
            {},
            *("endpoint", "not JSON", "--api-base URL of the API itself", 1),
            id="a page in its place",
        ),
        pytest.param(
            [Act(status=500, body=b"CUDA error")],
            {},
            *("endpoint", "CUDA error", "the server's own log", 1),
            id="broken server",
        ),
        pytest.param(
            [refusing(429, "slow down")],
            {},
            *("endpoint", "slow down", "--min-interval SECONDS", 1),
            id="too many requests",
        ),
        pytest.param(
            [refusing(400, "max_tokens is too large: 4096")],
            {},
            *("request", "too large", "--max-tokens N", 2),
            id="an option that is refused",
        ),
        pytest.param(
            [Act(seconds=20)],
            {"timeout": 0.3},
            *("endpoint", "no reply within 0.3 s", "--timeout 0.6", 1),
            id="no reply in time",
        ),
        pytest.param(
            ScreenReader(refuses=no_image),
            {},
            *("image", "image_url is not supported", "--model of one that takes images", 3),
            id="no images",
        ),
        pytest.param(
            ScreenReader(blind=True),
            {},
            *("image", "read as 'I see 12.'", "vision-language model", 8),
            id="blind",
        ),
    ],
)
def test_what_is_wrong(
    script: Any, options: dict[str, Any], check: str, message: str, remedy: str, requests: int
) -> None:
    found, _, endpoint = examine(script, **options)
    assert failing(found) == [check], found
    assert message in found[check].detail
    assert remedy in found[check].remedy
    assert len(endpoint.requests) == requests


def test_endpoint_down() -> None:
    with FakeEndpoint() as endpoint:
        url = endpoint.url
    found, _, _ = examine(ScreenReader(), api_base=[url])
    assert failing(found) == ["endpoint"]
    assert "cannot connect" in found["endpoint"].detail
    assert "start the server" in found["endpoint"].remedy


def test_a_model_that_is_not_listed_but_answers() -> None:
    found, _, _ = examine(ScreenReader(), models=("another",))
    assert found["model"].status == "warning"
    assert "another model may be answering" in found["model"].detail


def test_one_of_two_replicas_is_down() -> None:
    with FakeEndpoint() as other:
        down = other.url
    with FakeEndpoint(ScreenReader()) as endpoint:
        plan = Plan("calibration", {"model": "m", "api_base": [endpoint.url, down]})
        found = {f.check: f for f in check_endpoint([plan], lambda text: None)}
    assert failing(found) == ["replica"]
    assert down in found["replica"].detail


class TestCoordinates:
    def test_swapped_axes(self) -> None:
        found, _, _ = examine(
            ScreenReader(space="permille", swapped=True),
            benchmark="mmbench-gui-l2",
            profile="permille",
        )
        assert failing(found) == ["coordinates"]
        assert "5 of 5 replies fit permille, y before x" in found["coordinates"].detail
        assert "0 of 5 hit" in found["coordinates"].detail
        assert found["coordinates"].remedy == "--profile gemini"

    def test_another_space_than_the_profiles(self) -> None:
        found, _, _ = examine(
            ScreenReader(space="permille"), benchmark="mmbench-gui-l2", profile="pixel"
        )
        assert failing(found) == ["coordinates"]
        assert found["coordinates"].remedy == "--profile permille"

    def test_the_profiles_own_space(self) -> None:
        found, _, _ = examine(
            ScreenReader(space="resized(28, 3136, 12845056)"),
            benchmark="mmbench-gui-l2",
            profile="qwen2.5-vl",
        )
        assert failing(found) == []
        assert "5 of 5 targets are hit" in found["coordinates"].detail

    def test_swapped_axes_without_a_benchmark(self) -> None:
        found, _, _ = examine(ScreenReader(space="unit", swapped=True))
        assert found["coordinates"].status == "warning"
        assert "unit, y before x" in found["coordinates"].detail
        assert "screenmark calibrate" in found["coordinates"].remedy

    def test_a_benchmark_that_asks_for_another_space_says_so_itself(self) -> None:
        found, _, _ = examine(ScreenReader(space="permille"), benchmark="gui-hallubench")
        assert found["coordinates"].status == "warning"
        assert "--profile permille" in found["coordinates"].remedy

    def test_no_convention_fits(self) -> None:
        found, _, _ = examine(ScreenReader(blind=True), benchmark="mmbench-gui-l2")
        assert failing(found) == ["image", "coordinates"]
        assert "5 of 5 replies hold coordinates, such as '(1, 1)'" in found["coordinates"].detail

    def test_a_parse_function_that_loses_them(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code = "def parse(response):\n    return None\n"
        (tmp_path / "own_loser.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        found, _, _ = examine(
            ScreenReader(), benchmark="mmbench-gui-l2", parse_function="own_loser.parse"
        )
        assert failing(found) == ["coordinates"]
        assert "--parse-function" in found["coordinates"].remedy

    @pytest.mark.parametrize("builder", ["needy", "elsewhere"])
    def test_a_prompt_builder_that_takes_no_other_pages(
        self, builder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code = """
def needy(line, dataset):
    return [{"role": "user", "type": "text", "value": line["app_name"].upper()}]
def elsewhere(line, dataset):
    return [{"role": "user", "type": "image", "value": "/data/" + line["image_path"]},
            {"role": "user", "type": "text", "value": line["instruction"]}]
"""
        (tmp_path / "own_needy.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "own_needy", raising=False)
        found, _, _ = examine(
            ScreenReader(), benchmark="mmbench-gui-l2", build_prompt=f"own_needy.{builder}"
        )
        assert found["coordinates"].detail == "5 of 5 replies fit pixel"


class TestWhatItUnderstands:
    def test_no_system_prompt(self) -> None:
        found, _, _ = examine(ScreenReader(obeys=False))
        assert (found["system prompt"].status, failing(found)) == ("note", [])
        found, _, _ = examine(ScreenReader(obeys=False), system_prompt="Be brief.")
        assert found["system prompt"].status == "warning"
        assert "--prompt FILE" in found["system prompt"].remedy

    def test_thinking_in_tags(self) -> None:
        found, _, _ = examine(ScreenReader(thinks="<think>Let me (1, 2) see.</think>"))
        assert found["thinking"].status == "note"
        assert "on in 8 of 8 replies" in found["thinking"].detail
        assert "enable_thinking" in found["thinking"].remedy
        assert failing(found) == []

    def test_thinking_that_is_only_counted(self) -> None:
        found, _, _ = examine(ScreenReader(usage=(1000, 900)))
        assert "on in 8 of 8 replies, up to 900 tokens" in found["thinking"].detail

    def test_replies_without_end(self) -> None:
        found, _, _ = examine([Act(content="<think>Hm", finish_reason="length")])
        assert found["length"].status == "warning"
        assert found["length"].remedy.startswith("--max-tokens 16384")

    def test_empty_replies(self) -> None:
        found, _, _ = examine([Act(content="")])
        assert "8 of 8 replies are empty" in found["replies"].detail


def test_price() -> None:
    reader = ScreenReader(usage=(1000, 10))
    found, _, _ = examine(reader, benchmark="mmbench-gui-l1", model="gpt-4o", models=None)
    assert found["price"].status == "ok"
    assert "mmbench-gui-l1: " in found["price"].detail
    assert "135 requests" in found["price"].detail
    assert "1,350 out if replies are as short as here" in found["price"].detail
    found, _, _ = examine(reader, benchmark="mmbench-gui-l1", max_samples=2)
    assert found["price"].remedy == "--prices FILE"
    found, _, _ = examine(ScreenReader(usage=None), benchmark="mmbench-gui-l1", max_samples=2)
    assert "counts no tokens" in found["price"].detail
    found, _, _ = examine(ScreenReader(usage=(0, 0)), benchmark="mmbench-gui-l1", max_samples=2)
    assert "counts no tokens" in found["price"].detail


def test_price_above_the_limit() -> None:
    found, _, _ = examine(
        ScreenReader(usage=(90_000, 10)), benchmark="mmbench-gui-l1", model="gpt-4o", max_cost=0.5
    )
    assert found["price"].status == "warning"
    assert found["price"].remedy.startswith("--max-cost ")


class Careless(BaseLLMAdapter):
    """A model of a user's own that fails."""

    def infer(self, image_path: str, prompt: str) -> str:
        raise ValueError("no tokens")


def test_an_adapter_of_the_users_own() -> None:
    plan = Plan("calibration", {"adapter": f"{__name__}:Careless", "model": "m"})
    said: list[str] = []
    found = {f.check: f for f in check_endpoint([plan], said.append)}
    assert failing(found) == ["model"]
    assert "ValueError: no tokens" in found["model"].detail
    assert "Careless" in found["model"].remedy
    assert said[0].startswith("doctor sends 8 short requests")


@pytest.mark.parametrize("model", ["ocr", "somebody/checkpoint"])
def test_what_runs_here_is_not_asked(model: str) -> None:
    options = {"model": model} | ({"adapter": "transformers"} if "/" in model else {})
    said: list[str] = []
    assert list(check_endpoint([Plan("mmbench-gui-l1", options)], said.append)) == []
    assert said == []


def test_anthropic() -> None:
    error = {"type": "error", "error": {"type": "authentication_error", "message": "invalid"}}
    vendor = Vendor(sends(401, error))

    async def ask() -> list[Finding]:
        async with vendor.serve() as url:
            options = {"adapter": "anthropic", "model": "m", "api_base": [url], "api_key": KEY}
            plan = Plan("calibration", options)
            return await asyncio.to_thread(lambda: list(check_endpoint([plan], lambda text: None)))

    found = {f.check: f for f in asyncio.run(ask())}
    assert failing(found) == ["key"]
    assert "ANTHROPIC_API_KEY" in found["key"].remedy
    assert vendor.paths[-1] == "/v1/messages"
    assert KEY not in repr(found)


def test_everything_fine_in_another_protocol() -> None:
    reader = ScreenReader(space="fitted(1568, 28, 1568)")

    async def answer(http: web.Request) -> web.StreamResponse:
        body = await http.json()
        for part in (p for m in body["messages"] for p in m["content"] if p["type"] == "image"):
            url = f"data:image/png;base64,{part['source']['data']}"
            part |= {"type": "image_url", "image_url": {"url": url}}
        if "system" in body:
            body["messages"].insert(0, {"role": "system", "content": body["system"]})
        content = [{"type": "text", "text": reader.answer(body)}]
        usage = {"input_tokens": 1000, "output_tokens": 8}
        return web.json_response({"content": content, "stop_reason": "end_turn", "usage": usage})

    vendor = Vendor(answer)

    async def ask() -> list[Finding]:
        async with vendor.serve() as url:
            options = {"adapter": "anthropic", "model": "claude-sonnet-4-6", "api_base": [url]}
            plan = Plan("mmbench-gui-l2", options | {"api_key": KEY, "max_samples": 3})
            return await asyncio.to_thread(lambda: list(check_endpoint([plan], lambda text: None)))

    found = {f.check: f for f in asyncio.run(ask())}
    assert {f.status for f in found.values()} == {"ok"}, found
    assert "5 of 5 targets are hit, read as the profile claude" in found["coordinates"].detail
    assert "3 requests" in found["price"].detail


def test_a_model_that_only_looks() -> None:
    def only_images(number: int, body: dict[str, Any]) -> Act | None:
        return None if image_size(body) else refusing(400, "there is no image")

    found, _, endpoint = examine(ScreenReader(refuses=only_images))
    assert failing(found) == []
    assert "there is no image" in found["text"].detail
    assert "5 of 5" in found["coordinates"].detail
    assert "system prompt" not in found
    assert len(endpoint.requests) == 7


def test_too_many_at_once() -> None:
    def busy(number: int, body: dict[str, Any]) -> Act | None:
        return refusing(429, "slow down") if number in {6, 7} else None

    found, _, _ = examine(ScreenReader(refuses=busy))
    assert failing(found) == []
    assert found["coordinates"].detail == "3 of 5 replies fit pixel"
    assert found["concurrency"].status == "warning"
    assert found["concurrency"].remedy == "--concurrency 1 --min-interval 1"


class TestCommand:
    def test_a_model_alone(self) -> None:
        with FakeEndpoint(ScreenReader(), models=LISTED) as endpoint:
            arguments = ("doctor", "--model", "m", "--api-base", endpoint.url, "--api-key", KEY)
            done = command(*arguments, "--json")
            asked = len(endpoint.requests)
            offline = command(*arguments, "--offline", "--json")
            assert len(endpoint.requests) == asked
        assert (done.returncode, offline.returncode) == (0, 0)
        about = {row["about"] for row in json.loads(done.stdout)}
        assert about == {"this machine", "m", "endpoint of m"}
        assert {row["about"] for row in json.loads(offline.stdout)} == {"this machine", "m"}
        assert "doctor sends 9 short requests" in done.stderr
        assert offline.stderr == ""
        assert KEY not in done.stdout + done.stderr

    def test_what_fails_ends_with_what_mends_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        with FakeEndpoint([refusing(401, "no such key")]) as endpoint:
            done = command("doctor", "--model", "m", "--api-base", endpoint.url, "--api-key", KEY)
        assert done.returncode == 2
        lines = done.stdout.splitlines()
        assert max(map(len, lines)) <= 80
        (start,) = (n for n, line in enumerate(lines) if line.startswith("  failed"))
        rest = "\n".join(lines[start:]).split("\n\n")[0]
        assert rest.splitlines()[-1].endswith("→ export OPENAI_API_KEY=…, or --api-key KEY")
        assert lines[-1] == "1 failed. What mends it stands behind →"

    def test_one_model_on_two_benchmarks_is_asked_once(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        with FakeEndpoint(ScreenReader()) as endpoint:
            text = (
                f'[models.m]\napi-base = "{endpoint.url}"\n[benchmarks.mmbench-gui-l1]\n'
                "[benchmarks.mmbench-gui-l2]\nmax-samples = 3\n"
            )
            path.write_text(text, encoding="utf-8")
            done = command("doctor", "--config", path, "--json")
            assert len(endpoint.requests) == 8
        rows = [r for r in json.loads(done.stdout) if r["about"] == "endpoint of m"]
        assert "targets are hit" in next(r for r in rows if r["check"] == "coordinates")["detail"]
        assert [r["check"] for r in rows].count("price") == 2
