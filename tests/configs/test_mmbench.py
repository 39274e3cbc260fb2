import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.configs import load_config, run_pair
from screenmark.configs.mmbench import data_folder
from screenmark.errors import DataError, DataErrors

LOCAL: dict[str, Any] = {
    "model_path": "ckpt/mine",
    "generate_cfg": {"max_new_tokens": 32, "do_sample": False},
    "imp_type": "transformers",
    "generate_function": "generate",
    "preprocess_function": "models.mine.preprocess",
    "postprocess_function": "models.mine.postprocess",
    "custom_prompt": {"GUIElementGrounding": "models.mine.build", "GUIContentUnderstanding": None},
    "kwargs": {"system_prompt": "model_default", "img_size": -1, "max_pixels": 100},
}
HOSTED: dict[str, Any] = {
    "model_path": "http://127.0.0.1:9/v1?api_key=k123&model=some-model",
    "generate_cfg": {"max_tokens": 64, "temperature": 0.5, "top_p": 0.9},
    "imp_type": "openai",
    "preprocess_function": "",
    "kwargs": {"system_prompt": "benchmark_default", "img_detail": "low", "img_size": 1024},
}
L1, L2 = "GUIContentUnderstanding", "GUIElementGrounding"


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LMUData", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def config(folder: Path, model: Any, data: Any) -> Path:
    path = folder / "configs" / "config_x.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"model": model, "data": data}), encoding="utf-8")
    return path


def options(folder: Path, model: dict[str, Any], dataset: str = L2, **data: Any) -> dict[str, Any]:
    (pair,) = load_config(config(folder, {"m": model}, {dataset: data})).pairs
    return pair.options


def test_local_checkpoint(tmp_path: Path) -> None:
    assert options(tmp_path, LOCAL, mode="basic", parse_function="models.mine.parse") == {
        "mode": "basic",
        "parse_function": "models.mine.parse",
        "adapter": "transformers",
        "model": "ckpt/mine",
        "max_tokens": 32,
        "generate_cfg": {"max_new_tokens": 32, "do_sample": False},
        "preprocess": "models.mine.preprocess",
        "postprocess": "models.mine.postprocess",
        "build_prompt": "models.mine.build",
        "model_kwargs": LOCAL["kwargs"],
        "code_dir": str(tmp_path),
    }
    assert "build_prompt" not in options(tmp_path, LOCAL, L1)


def test_endpoint(tmp_path: Path) -> None:
    found = options(tmp_path, HOSTED)
    assert found["adapter"] == "openai"
    assert found["api_base"] == ("http://127.0.0.1:9/v1",)
    assert (found["api_key"], found["model"]) == ("k123", "some-model")
    assert (found["max_tokens"], found["temperature"]) == (64, 0.5)
    assert found["generate_cfg"] == {"top_p": 0.9}
    assert (found["image_detail"], found["max_image_pixels"]) == ("low", 1024 * 1024)
    assert found["system_prompt"].startswith("You operate")
    assert "preprocess" not in found


@pytest.mark.parametrize(
    ("address", "base", "model", "key"),
    [
        ("https://h/v1", "https://h/v1", "gpt-4o", None),
        ("https://h/v1/?model=a/b", "https://h/v1", "a/b", None),
        ("https://h/v1?api_key=api_key_placeholder", "https://h/v1", "gpt-4o", None),
        ("https://h/v1/chat/completions?api_key=x", "https://h/v1", "gpt-4o", "x"),
    ],
    ids=["bare", "model", "placeholder", "whole address"],
)
def test_addresses(tmp_path: Path, address: str, base: str, model: str, key: str | None) -> None:
    found = options(tmp_path, {**HOSTED, "model_path": address})
    assert (found["api_base"], found["model"], found.get("api_key")) == ((base,), model, key)


def test_all_four_data_sets_are_known_and_the_last_says_what_it_needs(tmp_path: Path) -> None:
    names = [L1, L2, "GUITaskAutomation", "GUITaskCollaboration"]
    pairs = load_config(config(tmp_path, {"a": HOSTED, "b": LOCAL}, {n: {} for n in names})).pairs
    assert [(pair.dataset, pair.name) for pair in pairs] == [(n, m) for n in names for m in "ab"]
    assert pairs[4].benchmark == "mmbench-gui-l3"
    assert not {"mode", "data"} & pairs[4].options.keys()
    with pytest.raises(DataError, match=r"GUITaskCollaboration .* needs environments"):
        run_pair(pairs[6])


def test_public_defaults_that_never_worked_mean_ours(tmp_path: Path) -> None:
    model = {**LOCAL, "preprocess_function": "models.base.default_preprocess_function"}
    assert "preprocess" not in options(tmp_path, model)


@pytest.mark.parametrize(
    ("model", "data", "warning"),
    [
        ({**HOSTED, "kwargs": {"system_propmpt": "x"}}, {}, "did you mean system_prompt?"),
        ({**HOSTED, "temprature": 1}, {}, "model.m.temprature: has no effect"),
        (HOSTED, {"parse_func": "x"}, f"data.{L2}.parse_func: has no effect; did you mean parse_f"),
        (HOSTED, {"match_mode": "gpt"}, f"data.{L2}.match_mode: 'gpt' is not available"),
        (HOSTED, {}, "low shows the model about 512 pixels"),
        (HOSTED, {}, "no MMBench-GUI data in"),
        ({**HOSTED, "imp_type": "transformers"}, {}, "the model_path means openai"),
    ],
    ids=["kwargs", "model", "data", "match mode", "detail", "no data", "type"],
)
def test_warnings(tmp_path: Path, model: Any, data: Any, warning: str) -> None:
    (pair,) = load_config(config(tmp_path, {"m": model}, {L2: data})).pairs
    assert warning in "\n".join(pair.warnings)


@pytest.mark.parametrize(
    ("model", "data", "message"),
    [
        ({"m": {}}, {L1: {}}, "model.m.model_path: expected the path of a checkpoint"),
        ({"m": 3}, {L1: {}}, "model.m: expected an object"),
        ({}, {L1: {}}, "model: names none"),
        ({"m": HOSTED}, {}, "data: names none"),
        ({"m": HOSTED}, {"GUIElementGroundin": {}}, "did you mean GUIElementGrounding?"),
        ({"m": {**HOSTED, "imp_type": "vllm"}}, {L1: {}}, "model.m.imp_type: 'vllm' is not avail"),
        ({"m": {**HOSTED, "kwargs": []}}, {L1: {}}, "model.m.kwargs: expected an object"),
        ({"m": {**HOSTED, "imp_type": ["x"]}}, {L1: {}}, "model.m.imp_type: expected a text, got"),
        (
            {"m": {**LOCAL, "preprocess_function": 3}},
            {L1: {}},
            "model.m.preprocess_function: expected the name of a function, package.module.function"
            ", got 3",
        ),
        (
            {"m": {**LOCAL, "custom_prompt": {L2: []}}},
            {L1: {}},
            f"model.m.custom_prompt.{L2}: expected the name of a function",
        ),
        ({"m": HOSTED}, {L1: {"parse_function": []}}, f"data.{L1}.parse_function: expected the na"),
        ({"m": HOSTED}, {L1: {"mode": []}}, f"data.{L1}.mode: expected a text, got []"),
        ({"m": HOSTED}, {L1: {"match_mode": {}}}, f"data.{L1}.match_mode: expected a text"),
        (
            {"m": {**HOSTED, "generate_cfg": {"max_tokens": "9"}}},
            {L1: {}},
            "model.m.generate_cfg.max_tokens: expected a number, got '9'",
        ),
    ],
    ids=[
        *("path", "model", "no model", "no data", "data set", "type", "kwargs", "type's type"),
        *("function", "prompt", "parse", "mode", "match", "number"),
    ],
)
def test_wrong_files(tmp_path: Path, model: Any, data: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load_config(config(tmp_path, model, data))
    assert message in str(caught.value)


def test_data_is_found_where_the_public_tools_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lmu" / "MMBench-GUI"
    folder.mkdir(parents=True)
    (folder / "L2_annotations.json").write_text("[]", encoding="utf-8")
    monkeypatch.setenv("LMUData", str(tmp_path / "lmu"))
    assert data_folder()[0] == folder
    assert options(tmp_path, HOSTED)["data"] == str(folder)
    monkeypatch.setenv("LMUData", str(tmp_path / "nothing"))
    assert data_folder() == (None, str(tmp_path / "home" / "LMUData" / "MMBench-GUI"))


def test_every_mistake_is_named_with_its_place(tmp_path: Path) -> None:
    models = {
        "a": {**LOCAL, "generate_cfg": {"max_new_tokens": 0}},
        "b": {**HOSTED, "generate_cfg": {"max_tokens": 1, "temperature": 9}},
        "c": {**LOCAL, "model_path": "", "imp_type": "lmdeploy"},
    }
    data = {L1: {"mode": "basic"}, L2: {}, "GUIContentUnderstandin": {}}
    with pytest.raises(DataErrors) as caught:
        load_config(config(tmp_path, models, data))
    file = tmp_path / "configs" / "config_x.json"
    assert sorted(line.removeprefix(f"{file}: ").split(": ")[0] for line in caught.value.lines) == [
        "data.GUIContentUnderstandin",
        f"data.{L1}.mode",
        "model.a.generate_cfg.max_new_tokens",
        "model.b.generate_cfg.temperature",
        "model.c.imp_type",
        "model.c.model_path",
    ]


def test_models_are_looked_at_without_a_data_set_too(tmp_path: Path) -> None:
    with pytest.raises(DataErrors) as caught:
        load_config(config(tmp_path, {"m": {**LOCAL, "imp_type": 3}}, {"GUIElementGroundin": {}}))
    found = "\n".join(caught.value.lines)
    assert "data.GUIElementGroundin" in found
    assert "model.m.imp_type" in found
