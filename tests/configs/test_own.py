from pathlib import Path
from typing import Any

import pytest

from screenmark.configs import load_config
from screenmark.errors import DataError, DataErrors

TOML = """
[options]
concurrency = 4
runs-dir = "out"

[models.ocr]

[models.qwen]
model = "Qwen2.5-VL-7B-Instruct"
api-base = ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"]
max-tokens = 99
mode = "hard"

[models.qwen.on.mmbench-gui-l1]
max_tokens = 7

[benchmarks.mmbench-gui-l1]
mode = "easy"
max-tokens = 5

[benchmarks.gui-hallubench]
iou-threshold = 0.3
"""
YAML = """
models: {ocr: {}}
benchmarks:
  mmbench-gui-l2: {mode: basic, image-dir: pictures}
"""


def written(folder: Path, text: str, name: str = "a.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_pairs_are_models_by_benchmarks(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, TOML))
    assert [(pair.name, pair.benchmark) for pair in config.pairs] == [
        ("ocr", "mmbench-gui-l1"),
        ("qwen", "mmbench-gui-l1"),
        ("ocr", "gui-hallubench"),
        ("qwen", "gui-hallubench"),
    ]


def test_the_narrower_table_wins(tmp_path: Path) -> None:
    ocr, qwen, _, parsing = (pair.options for pair in load_config(written(tmp_path, TOML)).pairs)
    assert (ocr["model"], ocr["mode"], ocr["max_tokens"], ocr["concurrency"]) == (
        *("ocr", "easy"),
        *(5, 4),
    )
    assert (qwen["mode"], qwen["max_tokens"]) == ("hard", 7)
    assert qwen["api_base"] == ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1")
    # An option of another benchmark may stand in a model's table, and is left out here.
    assert "mode" not in parsing
    assert (parsing["max_tokens"], parsing["iou_threshold"]) == (99, 0.3)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "configs"
    folder.mkdir()
    (pair,) = load_config(written(folder, YAML, "b.yaml")).pairs
    assert pair.options["image_dir"] == str(folder / "pictures")
    assert pair.options["code_dir"] == str(tmp_path)
    ocr = load_config(written(tmp_path, TOML)).pairs[0].options
    assert ocr["runs_dir"] == str(tmp_path / "out")


def test_a_file_of_profiles_too(tmp_path: Path) -> None:
    profile = '[mine]\nspace = "unit"\nsyntaxes = ["bare"]\n'
    written(tmp_path, profile, "mine.toml")
    text = "[models.a]\nprofile = 'mine.toml:mine@permille'\n[benchmarks.mmbench-gui-l2]"
    (pair,) = load_config(written(tmp_path, text)).pairs
    assert pair.options["profile"] == f"{tmp_path}/mine.toml:mine@permille"


def test_json_and_yaml_say_the_same(tmp_path: Path) -> None:
    text = '{"models": {"ocr": {}}, "benchmarks": {"mmbench-gui-l2": {"mode": "basic", '
    as_json = written(tmp_path, text + '"image-dir": "pictures"}}}', "c.json")
    as_yaml = written(tmp_path, YAML, "c.yaml")
    assert load_config(as_json).pairs == load_config(as_yaml).pairs


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        pytest.param("models = 3", "a.toml", "models: expected a table", id="no table"),
        pytest.param("", "a.toml", "expected models and benchmarks at the top", id="empty"),
        pytest.param("[models", "a.toml", "not TOML", id="not TOML"),
        pytest.param("a: [", "a.yaml", "not YAML", id="not YAML"),
        pytest.param("{", "a.json", "not JSON", id="not JSON"),
        pytest.param("[1]", "a.json", "expected a table of settings at the top", id="a list"),
        pytest.param("[models.a]", "a.toml", "benchmarks: names no benchmarks", id="none"),
        pytest.param(
            "[models.a]\n[benchmarks.mmbench-gui-l3x]",
            "a.toml",
            "benchmarks.mmbench-gui-l3x: there is no such setting; did you mean 'mmbench-gui-l",
            id="unknown benchmark",
        ),
        pytest.param(
            "[models.a]\nmodle = 'x'\n[benchmarks.mmbench-gui-l1]",
            "a.toml",
            "models.a.modle: there is no such setting; did you mean 'mod",
            id="misspelt option",
        ),
        pytest.param(
            "[models.a]\n[benchmarks.mmbench-gui-l1]\niou-threshold = 0.5",
            "a.toml",
            "benchmarks.mmbench-gui-l1.iou-threshold: there is no such setting",
            id="option of another benchmark",
        ),
        pytest.param(
            "[models.a]\nresume = 'x'\n[benchmarks.mmbench-gui-l1]",
            "a.toml",
            "models.a.resume: there is no such setting",
            id="of the command line only",
        ),
        pytest.param(
            "[models.a.on.mmbench-gui-l7]\n[benchmarks.mmbench-gui-l1]",
            "a.toml",
            "models.a.on.mmbench-gui-l7: there is no such setting",
            id="on an unknown benchmark",
        ),
        pytest.param(
            "[extra]\n[models.a]\n[benchmarks.mmbench-gui-l1]",
            "a.toml",
            "extra: there is no such setting; expected one of options, models, benchmarks",
            id="unknown table",
        ),
        pytest.param(
            '{"model": {}, "benchmarks": {}}', "a.json", "benchmarks, model together", id="mixed"
        ),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, name: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load_config(written(tmp_path, text, name))
    assert message in str(caught.value)
    assert name in str(caught.value)


WRONG = """
[options]
concurency = 3
{max_samples} = 0
[models.a]
temperature = -3
{max_tokens} = 1
profile = "qwen9-vl"
[models.a.on.mmbench-gui-l1]
{max_tokens} = "many"
[benchmarks.mmbench-gui-l1]
mode = "eazy"
max{bar}tokns = 1
"""


@pytest.mark.parametrize(
    ("bar", "suggestion"), [("-", "max-tokens"), ("_", "max_tokens")], ids=["dashes", "underscores"]
)
def test_every_mistake_is_named_with_its_table_and_key(
    tmp_path: Path, bar: str, suggestion: str
) -> None:
    keys = {"max_samples": f"max{bar}samples", "max_tokens": f"max{bar}tokens", "bar": bar}
    with pytest.raises(DataErrors) as caught:
        load_config(written(tmp_path, WRONG.format(**keys)))
    file = tmp_path / "a.toml"
    assert sorted(line.removeprefix(f"{file}: ").split(": ")[0] for line in caught.value.lines) == [
        "benchmarks.mmbench-gui-l1.max" + bar + "tokns",
        "benchmarks.mmbench-gui-l1.mode",
        "models.a.on.mmbench-gui-l1.max" + bar + "tokens",
        "models.a.profile",
        "models.a.temperature",
        "options.concurency",
        "options.max" + bar + "samples",
    ]
    said = str(caught.value)
    assert f"did you mean '{suggestion}'?" in said
    assert "options.max" + bar + "samples: 0 is out of range, expected at least 1" in said
    assert "mode: 'eazy' is none of all, easy, medium, hard" in said
    assert "there is no profile 'qwen9-vl'; did you mean" in said


def test_a_key_is_suggested_as_the_file_writes_keys(tmp_path: Path) -> None:
    tail = "\n[benchmarks.mmbench-gui-l1]"
    for key, wanted in (("max_tokns = 1", "max_tokens"), ("maxtokens = 1", "max-tokens")):
        with pytest.raises(DataError, match=f"did you mean '{wanted}'"):
            load_config(written(tmp_path, f"[models.a]\n{key}{tail}"))
    with pytest.raises(DataError, match="did you mean 'max_tokens'"):
        load_config(written(tmp_path, f"[models.a]\nmaxtokens = 1\nmax_retries = 2{tail}"))


def test_only_the_value_that_counts_has_to_be_right(tmp_path: Path) -> None:
    text = """
    [options]
    mode = "basic"
    [models.a]
    [benchmarks.mmbench-gui-l1]
    mode = "easy"
    [benchmarks.mmbench-gui-l2]
    """
    one, two = load_config(written(tmp_path, text)).pairs
    assert (one.options["mode"], two.options["mode"]) == ("easy", "basic")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_config(tmp_path / "none.toml")


def test_a_model_may_be_a_class_of_ones_own(tmp_path: Path) -> None:
    text = "[models.mine]\nadapter = 'mine:Model'\n[benchmarks.mmbench-gui-l1]"
    (pair,) = load_config(written(tmp_path, text)).pairs
    wanted: dict[str, Any] = {"adapter": "mine:Model", "code_dir": str(tmp_path)}
    assert pair.options == wanted


def test_words_and_dates_are_text_in_yaml(tmp_path: Path) -> None:
    text = """
    models:
      no: {model: 2024-08-06, on: {mmbench-gui-l1: {max-tokens: 7}}}
      off: {structured: on, on: {mmbench-gui-l1: {reuse: true}}}
    benchmarks: {mmbench-gui-l1: }
    """
    first, second = load_config(written(tmp_path, text, "a.yaml")).pairs
    assert (first.name, first.options["model"], first.options["max_tokens"]) == (
        *("no", "2024-08-06"),
        7,
    )
    assert (second.name, second.options["structured"]) == ("off", "on")
    assert second.options["reuse"] is True


def test_aliases_of_yaml(tmp_path: Path) -> None:
    text = """
    models:
      a: &a {max-tokens: 7, temperature: 0.5}
      b: {<<: *a, max-tokens: 8}
    benchmarks: {mmbench-gui-l1: }
    """
    a, b = load_config(written(tmp_path, text, "a.yaml")).pairs
    assert (a.options["max_tokens"], b.options["max_tokens"]) == (7, 8)
    assert b.options["temperature"] == 0.5


LAUGHS = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{{', '.join(f'k{k}: *a{n - 1}' for k in range(9))}}}\n" for n in range(1, 9)
)
MERGED = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "models: &a {m: *a}\nbenchmarks: {mmbench-gui-l1: }",
            "the alias *a in line 1 stands for a value that holds it",
            id="of itself",
        ),
        pytest.param(LAUGHS, "there are more than 100,000 values", id="of aliases"),
        pytest.param(MERGED, "there are more than 100,000 values", id="merged"),
        pytest.param(
            "models: {m: }\nbenchmarks: {mmbench-gui-l1: }\nmodels: {n: }",
            "the key 'models' is there twice, in lines 1 and 3",
            id="a key twice",
        ),
        pytest.param(
            "models:\n  m: {max-tokens: 7, 'max-tokens': 8}\nbenchmarks: {mmbench-gui-l1: }",
            "the key 'max-tokens' is there twice, in lines 2 and 2",
            id="an option twice",
        ),
    ],
)
def test_yaml_that_settings_cannot_mean(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load_config(written(tmp_path, text, "a.yaml"))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param(
            "[options]\nmax-sampels = 2\n[models.a]\n[benchmarks.mmbench-gui-l9]\nmoed = 1",
            ["benchmarks.mmbench-gui-l9", "benchmarks.mmbench-gui-l9.moed", "options.max-sampels"],
            id="unknown benchmark",
        ),
        pytest.param(
            "[models.x]\nmodel = 3\nmax-tokens = 0",
            ["benchmarks", "models.x.max-tokens", "models.x.model"],
            id="no benchmarks",
        ),
        pytest.param(
            "models = 3\n[benchmarks.mmbench-gui-l1]\niou-threshold = 1",
            ["benchmarks.mmbench-gui-l1.iou-threshold", "models"],
            id="no models",
        ),
        pytest.param(
            "[models.a]\nmax-samples = 1\nmax_samples = 2\nmodle = 1\n[benchmarks.mmbench-gui-l1]",
            ["models.a.max_samples", "models.a.modle"],
            id="twice",
        ),
    ],
)
def test_mistakes_of_tables_that_no_pair_has(tmp_path: Path, text: str, places: list[str]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(DataErrors) as caught:
        load_config(path)
    found = [line.removeprefix(f"{path}: ").split(": ")[0] for line in caught.value.lines]
    assert sorted(found) == places
