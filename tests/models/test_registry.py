"""From options to an adapter: which one is chosen and what its constructor gets."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from screenmark.errors import DataError, MissingExtra, UsageError
from screenmark.models import BaseLLMAdapter, ModelOptions, build_adapter, embedded_models
from screenmark.models import registry as registry_module
from screenmark.models.openai import OpenAIAdapter
from screenmark.models.predictions import PredictionsFile
from screenmark.models.registry import ADAPTERS, adapter_name, adapter_names, resolve_adapter

pytestmark = pytest.mark.usefixtures("in_tmp", "own_modules")


def write_module(text: str, name: str = "mine.py") -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "from screenmark.models import BaseLLMAdapter\n"
        "class Base(BaseLLMAdapter):\n"
        "    def infer(self, image_path, prompt):\n"
        "        return ''\n" + text,
        encoding="utf-8",
    )
    importlib.invalidate_caches()


def make(adapter: str | None = "mine:Mine", **options: Any) -> BaseLLMAdapter:
    return build_adapter(ModelOptions(adapter=adapter, **{"model": "m", **options}))


def entry_points(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    group = registry_module.ENTRY_POINT_GROUP
    made = [EntryPoint(name, value, group) for name, value in points.items()]
    monkeypatch.setattr(
        registry_module, "entry_points", lambda *, group: made if group == made[0].group else []
    )


class TestChoice:
    @pytest.mark.parametrize(
        ("options", "kind"),
        [
            pytest.param(
                ModelOptions(model="gpt-9", api_base=("http://127.0.0.1:9/v1",)),
                "OpenAIAdapter",
                id="openai by default",
            ),
            pytest.param(
                ModelOptions(model="gpt-9", adapter="openai"), "OpenAIAdapter", id="OpenAI itself"
            ),
            pytest.param(ModelOptions(model="ocr"), "EmbeddedAdapter", id="embedded by its name"),
            pytest.param(
                ModelOptions(model="ocr", adapter="openai"), "OpenAIAdapter", id="explicit one wins"
            ),
            pytest.param(
                ModelOptions(model="ocr", adapter="embedded"), "EmbeddedAdapter", id="embedded"
            ),
        ],
    )
    def test_adapter(self, options: ModelOptions, kind: str) -> None:
        adapter = build_adapter(options)
        assert type(adapter).__name__ == kind
        assert adapter.name == options.model
        assert adapter_name(options, adapter) == resolve_adapter(options)

    def test_nothing_is_sent_to_an_address_that_nobody_named(self) -> None:
        with pytest.raises(UsageError, match=r"no endpoint for 'orc'.*Did you mean --model ocr"):
            build_adapter(ModelOptions(model="orc", api_key="k"))

    def test_predictions_stand_in_place_of_a_model(self, tmp_path: Path) -> None:
        file = tmp_path / "from last week.json"
        file.write_text('[{"image_path": "a", "elements": []}]', encoding="utf-8")
        options = ModelOptions(predictions=file)
        adapter = build_adapter(options)
        assert isinstance(adapter, PredictionsFile)
        assert adapter.name == "from last week"
        assert adapter_name(options, adapter) == "predictions"
        with pytest.raises(UsageError, match="in place of --model"):
            build_adapter(ModelOptions(predictions=file, model="ocr"))
        with pytest.raises(DataError, match="no such file"):
            build_adapter(ModelOptions(predictions=tmp_path / "none"))

    @pytest.mark.parametrize("model", [None, ""])
    def test_no_model(self, model: str | None) -> None:
        with pytest.raises(UsageError, match=r"--model NAME .*ocr.* or --predictions FILE"):
            build_adapter(ModelOptions(model=model))

    def test_an_address_for_what_asks_no_endpoint(self) -> None:
        with pytest.raises(UsageError, match="--api-base: the model ocr ships with Screenmark"):
            build_adapter(ModelOptions(model="ocr", api_base=("http://127.0.0.1:9/v1",)))

    def test_a_model_that_is_not_embedded(self) -> None:
        with pytest.raises(UsageError, match="'gpt-9' is not an embedded model; there are: ocr"):
            make("embedded", model="gpt-9")
        assert embedded_models() == ["ocr"]

    def test_an_object_of_ones_own_has_a_name_in_the_run_folder(self) -> None:
        class Mine(BaseLLMAdapter):
            def infer(self, image_path: str, prompt: str) -> str:
                return ""

        assert adapter_name(ModelOptions(), Mine()).endswith(
            "test_registry:TestChoice.test_an_object_of_ones_own_has_a_name_in_the_run_folder"
            ".<locals>.Mine"
        )


class TestOwnClass:
    def test_beside_the_working_directory(self) -> None:
        write_module("class Mine(Base):\n    pass\n")
        adapter = make()
        assert type(adapter).__module__ == "mine"
        assert adapter.name == "m"
        assert adapter.infer("", "") == ""

    def test_in_a_package(self) -> None:
        write_module("class Mine(Base):\n    name = 'lab model'\n", "lab/models/mine.py")
        assert make("lab.models.mine:Mine").name == "lab model"

    def test_the_working_directory_is_added_once(self) -> None:
        write_module("class Mine(Base):\n    pass\n")
        make()
        make()
        assert sys.path.count(str(Path.cwd())) == 1

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            pytest.param("nowhere:Mine", "there is no module 'nowhere'", id="no module"),
            pytest.param("mine.deeper:Mine", "there is no module 'mine.deeper'", id="no package"),
            pytest.param("mine:Yours", "mine has no 'Yours'", id="no class"),
            pytest.param("mine:", "mine has no ''", id="no name"),
            pytest.param(":Mine", "'' is not the name of a module", id="no module name"),
            pytest.param(".mine:Mine", "'.mine' is not the name of a module", id="relative"),
            pytest.param("mi ne:Mine", "'mi ne' is not the name of a module", id="blank"),
            pytest.param("mine:number", "is not a subclass of", id="not a class"),
            pytest.param("mine:Other", "is not a subclass of", id="another class"),
            pytest.param("mine:Half", "does not implement infer", id="abstract"),
            pytest.param("mine", "unknown adapter 'mine'; there are: openai, ", id="no colon"),
        ],
    )
    def test_what_is_not_an_adapter(self, name: str, message: str) -> None:
        write_module(
            "class Mine(Base): pass\n"
            "class Other: pass\n"
            "class Half(BaseLLMAdapter): pass\n"
            "number = 3\n"
        )
        with pytest.raises(UsageError) as caught:
            make(name)
        assert message in str(caught.value)

    def test_a_fault_inside_the_module_is_shown_as_it_is(self) -> None:
        write_module("import nowhere_at_all\n", "mine/missing.py")
        with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
            make("mine.missing:Base")
        write_module("import json\njson.decode\n", "mine/broken.py")
        with pytest.raises(AttributeError, match="module 'json' has no attribute 'decode'"):
            make("mine.broken:Base")


class TestConstructor:
    def test_gets_what_it_asks_for_by_name(self) -> None:
        write_module(
            "class Mine(Base):\n"
            "    def __init__(self, options, model, model_name, api_base, api_key, *,\n"
            "                 temperature, max_tokens, timeout):\n"
            "        self.got = dict(locals())\n"
        )
        options = ModelOptions(
            model="m", adapter="mine:Mine", api_base=("http://a", "http://b"), api_key="k",
            temperature=0.5, max_tokens=9, timeout=3.0,
        )  # fmt: skip
        got = vars(build_adapter(options))["got"]
        del got["self"]
        assert got == {
            "options": options, "model": "m", "model_name": "m", "api_base": "http://a",
            "api_key": "k", "temperature": 0.5, "max_tokens": 9, "timeout": 3.0,
        }  # fmt: skip

    def test_keeps_its_own_defaults_for_what_the_user_left_out(self) -> None:
        write_module(
            "class Mine(Base):\n"
            "    def __init__(self, api_key, model_name='x', api_base='http://home', size=7):\n"
            "        self.got = [api_key, model_name, api_base, size]\n"
        )
        assert vars(make())["got"] == [None, "m", "http://home", 7]
        assert vars(make(api_base=("http://b",)))["got"] == [None, "m", "http://b", 7]

    def test_any_arguments(self) -> None:
        write_module(
            "class Mine(Base):\n"
            "    def __init__(self, *args, **kwargs):\n"
            "        self.got = [args, kwargs]\n"
        )
        assert vars(make())["got"] == [(), {}]

    def test_asks_for_something_unknown(self) -> None:
        write_module("class Mine(Base):\n    def __init__(self, model, device, size): pass\n")
        with pytest.raises(UsageError, match=r"asks for device, size; it can have .*api_base"):
            make()

    @pytest.mark.parametrize(
        ("body", "asked", "concurrency"),
        [
            pytest.param("pass", 7, 7, id="the option"),
            pytest.param("concurrency = 1", 7, 1, id="the class can take less"),
            pytest.param("concurrency = 99", 7, 7, id="the class can take more"),
        ],
    )
    def test_concurrency(self, body: str, asked: int, concurrency: int) -> None:
        write_module(f"class Mine(Base):\n    {body}\n")
        assert make(concurrency=asked).concurrency == concurrency


class TestEntryPoints:
    def test_a_package_offers_an_adapter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        write_module("class Mine(Base):\n    pass\n", "lab/__init__.py")
        monkeypatch.syspath_prepend(str(Path.cwd()))
        entry_points(monkeypatch, lab="lab:Mine")
        assert type(make("lab")).__name__ == "Mine"
        assert adapter_names() == [*ADAPTERS, "lab"]
        with pytest.raises(UsageError, match=r"there are: openai, .*, lab, or"):
            make("lap")

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("nowhere:Mine", "there is no module 'nowhere'"),
            ("json:loads", "is not a subclass"),
            ("json:nothing", "json has no 'nothing'"),
        ],
    )
    def test_broken_ones(self, monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
        entry_points(monkeypatch, lab=value)
        with pytest.raises(UsageError, match=message):
            make("lab")

    def test_ours_cannot_be_replaced(self, monkeypatch: pytest.MonkeyPatch) -> None:
        entry_points(monkeypatch, openai="json:loads")
        assert isinstance(make("openai"), OpenAIAdapter)


@pytest.mark.parametrize("absent", ["rapidocr", "onnxruntime", "cv2"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
    monkeypatch.setitem(sys.modules, absent, None)  # as if it were not installed
    with pytest.raises(MissingExtra, match=r"pip install 'screenmark\[ocr\]'") as caught:
        make(None, model="ocr")
    assert caught.value.extra == "ocr"
