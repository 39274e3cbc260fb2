"""Providers by name: what a preset fills in, and what an explicit option takes from it."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.answers import get_profile
from screenmark.engine.plan import Plan
from screenmark.errors import CredentialsError, RunFolderError, UsageError
from screenmark.models import ADAPTERS, BaseLLMAdapter, ModelOptions, build_adapter
from screenmark.models.anthropic_adapter import AnthropicAdapter
from screenmark.models.presets import Preset, preset_at, presets, with_preset
from screenmark.models.registry import build_replicas
from screenmark.types import Image, ImageLimits, Message, Request, Text
from tests.support.vendors import Vendor, sends

KEYS = [preset.key for preset in presets().values() if preset.key]
SAYS = sends(200, {"choices": [{"message": {"content": "[]"}, "finish_reason": "stop"}]})


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*KEYS, "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "http_proxy", "HTTP_PROXY"]:
        monkeypatch.delenv(name, raising=False)


def make(preset: str, **options: Any) -> BaseLLMAdapter:
    return build_adapter(ModelOptions(model="m", preset=preset, **options))


def address(adapter: BaseLLMAdapter) -> str:
    return str(vars(adapter)["_base"])


@pytest.mark.parametrize("preset", presets().values(), ids=lambda preset: preset.name)
class TestEveryPreset:
    def test_makes_an_adapter(self, preset: Preset, monkeypatch: pytest.MonkeyPatch) -> None:
        if preset.key:
            monkeypatch.setenv(preset.key, "secret-of-it")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
        adapter = make(preset.name)
        assert type(adapter).__module__ == ADAPTERS[preset.adapter].partition(":")[0]
        assert address(adapter) == preset.api_base
        assert adapter.image_limits == preset.limits
        assert vars(adapter)["_key"] == ("secret-of-it" if preset.key else None)

    def test_says_where_it_is_from(self, preset: Preset) -> None:
        assert preset.source
        parts = urlsplit(preset.api_base)
        assert parts.scheme == ("http" if parts.hostname == "127.0.0.1" else "https")
        if preset.profile:
            assert get_profile(preset.profile).name == preset.profile


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "zhipu", "api_base": ("http://127.0.0.1:9",)},
        {"preset": "ollama"},
        {"preset": "anthropic", "api_base": ("http://127.0.0.1:9",)},
        {"preset": "vllm", "adapter": "openai"},
    ],
    ids=str,
)
def test_no_provider_is_sent_the_key_of_another(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-openai")
    adapter = build_adapter(ModelOptions(model="m", **options))
    assert vars(adapter)["_key"] is None


class TestAnExplicitOptionWins:
    def test_address_key_and_limits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ZHIPUAI_API_KEY", "secret-of-zhipu")
        adapter = make("zhipu", api_base=("http://127.0.0.1:9/v4",), api_key="given")
        assert address(adapter) == "http://127.0.0.1:9/v4"
        assert vars(adapter)["_key"] == "given"

    def test_a_preset_s_limits_stay_at_another_address(self) -> None:
        adapter = make("zhipu", api_base=("http://127.0.0.1:9/v4",))
        assert adapter.image_limits == ImageLimits(max_bytes=3_700_000, max_edge=6000)

    def test_adapter(self) -> None:
        adapter = make("vllm", adapter="anthropic")
        assert isinstance(adapter, AnthropicAdapter)
        assert address(adapter) == "http://127.0.0.1:8000"

    @pytest.mark.parametrize("adapter", ["dashscope", "embedded", "transformers"])
    def test_an_adapter_that_does_not_speak_with_it(self, adapter: str) -> None:
        said = f"--preset dashscope is for --adapter openai, not {adapter}"
        with pytest.raises(UsageError, match=said):
            make("dashscope", adapter=adapter)

    def test_replicas(self) -> None:
        bases = ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1")
        options = ModelOptions(model="m", preset="vllm", api_base=bases)
        assert [address(replica) for replica in build_replicas(options)] == list(bases)


@pytest.mark.parametrize(
    ("name", "message"),
    [("zipu", "there is no 'zipu'; did you mean zhipu"), ("x", "there are: openai, ")],
)
def test_an_unknown_one(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make(name)


def test_without_a_preset_nothing_changes() -> None:
    options = ModelOptions(model="m")
    assert with_preset(options) is options


@pytest.mark.parametrize("preset", presets().values(), ids=lambda preset: preset.name)
def test_a_vendor_is_not_asked_without_a_key(preset: Preset) -> None:
    if preset.key is None or preset.is_local:
        assert vars(make(preset.name))["_key"] is None
        return
    with pytest.raises(CredentialsError, match=f"no key; set {preset.key} or pass --api-key"):
        make(preset.name)
    assert vars(make(preset.name, api_key="given"))["_key"] == "given"


def test_the_page_on_vendors_has_them_all() -> None:
    page = Path(__file__).parents[2] / "docs" / "vendors.md"
    rows = [r for r in page.read_text(encoding="utf-8").splitlines() if r.startswith("| `")]
    for preset in presets().values():
        (row,) = (r for r in rows if f"`{preset.name}`" in r.split("|")[1])
        assert (f"`{preset.key}`" in row) is (preset.key is not None)
        millions = preset.max_image_bytes and f"{preset.max_image_bytes / 1e6:g} MB"
        assert (millions or "") in row


@pytest.mark.parametrize("preset", presets().values(), ids=lambda preset: preset.name)
def test_an_address_tells_its_provider(preset: Preset) -> None:
    found = preset_at(preset.api_base + "/chat/completions")
    if preset.is_local:
        assert found is None
    else:
        assert found is not None
        assert found.limits == preset.limits


class TestInARun:
    def plan(self, **options: Any) -> Plan:
        return Plan("gui-hallubench", {"model": "m", "max_samples": 1, **options})

    def test_the_folder_keeps_what_was_said_and_no_key(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ZHIPUAI_API_KEY", "secret-of-zhipu")
        plan = self.plan(preset="zhipu")
        assert plan.model.api_key == "secret-of-zhipu"
        assert not plan.options["api_base"]
        assert plan.options["adapter"] is None
        assert "secret" not in str(plan.options)

    def test_identity(self) -> None:
        def identity(**options: Any) -> dict[str, Any]:
            plan = self.plan(**options)
            return plan.identity(plan.benchmark.load(), build_adapter(plan.model))

        here = identity(preset="vllm")
        assert (here["preset"], here["adapter"]) == ("vllm", "openai")
        assert identity(preset="vllm", api_base="http://127.0.0.1:9/v1") == here
        assert identity(preset="sglang") != here

    def test_another_preset_is_not_the_same_run(self, tmp_path: Path) -> None:
        async def main(preset: str, **options: Any) -> Any:
            async with Vendor(SAYS).serve() as base:
                return await asyncio.to_thread(
                    screenmark.run,
                    "gui-hallubench",
                    model="m",
                    preset=preset,
                    api_base=[base + "/v1"],
                    max_samples=1,
                    runs_dir=tmp_path,
                    **options,
                )

        run = asyncio.run(main("vllm"))
        assert run.manifest.options["preset"] == "vllm"
        with pytest.raises(RunFolderError, match="--preset"):
            asyncio.run(main("sglang", resume=run.path))


def sent_by(preset: str, *messages: Message) -> Any:
    """The body of a request under a preset."""

    async def main() -> None:
        async with vendor.serve() as base:
            options = ModelOptions(model="m", preset=preset, api_base=(base + "/v1",))
            adapter = build_adapter(options)
            await adapter.start()
            await adapter.generate(Request(messages, max_tokens=9, image_limits=ImageLimits()))
            await adapter.close()

    vendor = Vendor(SAYS)
    asyncio.run(main())
    return vendor.bodies[-1]


class TestDialects:
    @pytest.fixture
    def asked(self, tmp_path: Path) -> Message:
        path = tmp_path / "page.png"
        PillowImage.new("RGB", (40, 30), "navy").save(path)
        return Message("user", (Image(str(path)), Text("?")))

    def image(self, body: Any) -> dict[str, Any]:
        (url,) = (p["image_url"] for p in body["messages"][0]["content"] if "image_url" in p)
        return dict(url)

    @pytest.mark.parametrize("preset", ["openai", "vllm", "openrouter"])
    def test_detail_and_data_urls_are_usual(self, preset: str, asked: Message) -> None:
        url = self.image(sent_by(preset, asked))
        assert url["detail"] == "high"
        assert url["url"].startswith("data:image/png;base64,")

    def test_bare_base64_without_detail(self, asked: Message) -> None:
        url = self.image(sent_by("zhipu", asked))
        assert set(url) == {"url"}
        assert base64.b64decode(url["url"], validate=True).startswith(b"\x89PNG")

    @pytest.mark.parametrize(
        ("preset", "name"), [("openai", "max_completion_tokens"), ("vllm", "max_tokens")]
    )
    def test_name_of_the_limit_of_tokens(self, preset: str, name: str, asked: Message) -> None:
        body = sent_by(preset, asked)
        assert {key: body[key] for key in body if "tokens" in key} == {name: 9}


NO_SYSTEM = sends(400, {"object": "error", "message": "System role not supported", "code": 400})


class TestAnEndpointWithoutASystemRole:
    def ask(self, *messages: Message) -> list[Any]:
        async def main() -> None:
            async with vendor.serve() as base:
                adapter = build_adapter(ModelOptions(model="m", api_base=(base + "/v1",)))
                await adapter.start()
                for _ in range(2):
                    await adapter.generate(Request(messages))
                await adapter.close()

        vendor = Vendor(NO_SYSTEM, SAYS)
        asyncio.run(main())
        return [body["messages"] for body in vendor.bodies]

    def test_hears_its_text_from_the_user_from_then_on(self) -> None:
        refused, *others = self.ask(
            Message("system", (Text("Be brief."),)), Message("user", (Text("why?"),))
        )
        assert refused[0]["role"] == "system"
        assert others == [[{"role": "user", "content": "Be brief.\nwhy?"}]] * 2

    def test_turns_stay_in_order(self) -> None:
        roles = ("user", "assistant", "system", "user", "system")
        turns = [Message(role, (Text(str(n)),)) for n, role in enumerate(roles)]  # type: ignore[arg-type]
        assert [(m["role"], m["content"]) for m in self.ask(*turns)[-1]] == [
            ("user", "0"),
            ("assistant", "1"),
            ("user", "2\n3"),
            ("user", "4"),
        ]
