"""The built-in families, how they are found, and what a definition may say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers import (
    Profile,
    ProfileError,
    get_profile,
    profile_of_model,
    profiles,
    read_profiles,
)
from screenmark.answers.marks import SYNTAXES
from screenmark.geometry import Size

GENERIC = {"unit", "permille", "percent", "pixel"}


@pytest.mark.parametrize("name", profiles())
def test_each_is_complete(name: str) -> None:
    profile = get_profile(name)
    assert profile.name == name == name.lower()
    assert profile.title
    assert profile.source
    assert len(set(profile.syntaxes)) == len(profile.syntaxes)
    assert str(profile.coordinates) == profile.space
    assert bool(profile.models) == (name not in GENERIC)
    assert profile_of_model(name) in {profile, None}


def test_no_name_means_two_things() -> None:
    names = [name for p in profiles().values() for name in {p.name, *p.aliases}]
    assert len(set(names)) == len(names)
    models = [model for p in profiles().values() for model in p.models]
    assert len(set(models)) == len(models)


def test_every_alias_leads_to_its_family() -> None:
    for profile in profiles().values():
        for alias in profile.aliases:
            assert get_profile(alias.upper()) is profile


@pytest.mark.parametrize(
    ("name", "width", "height", "across", "down"),
    [
        ("qwen2.5-vl", 1920, 1080, 1932, 1092),
        ("qwen2.5-vl", 2560, 1440, 2548, 1428),
        ("ui-tars-1.5", 1366, 768, 1372, 756),
        ("qwen2.5-vl", 1179, 2556, 1176, 2548),
        ("scalecua", 2560, 1440, 1932, 1064),
        ("claude", 2560, 1440, 1456, 819),
        ("uground", 2688, 1000, 1344, 500),
        ("molmo", 5, 5, 100, 100),
        ("gemini", 5, 5, 1000, 1000),
        ("gpt", 5, 5, 1, 1),
        ("openai-computer-use", 1024, 768, 1024, 768),
    ],
)
def test_extents(name: str, width: int, height: int, across: float, down: float) -> None:
    space = get_profile(name).coordinates
    assert space.extent(Size(width, height)) == (across, down)


MODELS = {
    "UI-TARS-1.5-7B": "ui-tars-1.5",
    "ByteDance-Seed/UI-TARS-72B-DPO": "ui-tars",
    "doubao-1-5-ui-tars-250428": "doubao-ui-tars",
    "/m/Qwen2.5-VL-7B-Instruct-AWQ/": "qwen2.5-vl",
    "qwen2_5-vl": "qwen2.5-vl",
    "C:\\models\\Qwen2-VL-7B": "qwen2-vl",
    "Qwen/Qwen3-VL-8B-Instruct": "qwen3-vl",
    "Qwen/Qwen-VL": "qwen-vl",
    "qwen-vl-max": None,
    "claude-sonnet-4-6": "claude",
    "anthropic/claude-3.7-sonnet:beta": "claude",
    "gpt-4o-2024-08-06": "gpt",
    "gemini-2.5-pro": "gemini",
    "osunlp/UGround-V1-7B": "uground-v1",
    "osunlp/UGround": "uground",
    "OS-Copilot/OS-Atlas-Base-7B": "os-atlas-base-7b",
    "OS-Copilot/OS-Atlas-Base-4B": "os-atlas-base-4b",
    "Hcompany/Holo1-7B": "holo1",
    "Hcompany/Holo1.5-7B": "holo1.5",
    "Hcompany/Holo2-8B": "holo2",
    "inclusionAI/UI-Venus-Ground-7B": "ui-venus",
    "inclusionAI/UI-Venus-1.5-8B": "ui-venus-1.5",
    "THUDM/cogagent-9b-20241220": "cogagent-9b",
    "OpenGVLab/InternVL3-78B": "internvl",
    "allenai/Molmo-7B-D-0924": "molmo",
    "zai-org/GLM-4.5V": "glm-v",
    "computer-use-preview": "openai-computer-use",
    "HelloKKMe/GTA1-7B": "gta1",
    "showlab/ShowUI-2B": "showui",
    "qwen2.5vl:7b": "qwen2.5-vl",
    "qwen2.5vl": "qwen2.5-vl",
    "qwen3-vl:235b-cloud": "qwen3-vl",
    "qwen3vl:8b": "qwen3-vl",
    "minicpm-v:8b": "minicpm-v",
    "openbmb/minicpm-v4.5:8b": "minicpm-v",
    "openbmb/minicpm-o2.6:latest": "minicpm-v",
    "avil/UI-TARS1.5:q4_K_M": "ui-tars-1.5",
    "hf.co/bytedance-research/UI-TARS-1.5-7B-GGUF:Q4_K_M": "ui-tars-1.5",
    "uitars:7b": "ui-tars",
    "glm4v:9b": "glm-v",
    # Nobody says in which coordinates these answer.
    "gemma3:27b": None,
    "llava:13b": None,
    "qwen2.5:7b": None,
    "llama-3.2-90b-vision": None,
    "my-qwen": None,
    "": None,
    "/": None,
}


@pytest.mark.parametrize(("model", "family"), MODELS.items())
def test_family_of_a_model(model: str, family: str | None) -> None:
    found = profile_of_model(model)
    assert (found and found.name) == family


@given(st.text(max_size=80))
def test_any_model_name_is_looked_up(model: str) -> None:
    found = profile_of_model(model)
    assert found is None or found.name in profiles()


class TestGetProfile:
    def test_another_space(self) -> None:
        found = get_profile("qwen2.5-vl@resized(28, 3136, 2116800)")
        assert found.space == "resized(28, 3136, 2116800)"
        assert found.syntaxes == get_profile("qwen2.5-vl").syntaxes

    def test_a_bare_space_reads_every_form(self) -> None:
        found = get_profile("scaled(1280, 800)")
        assert found.space == "scaled(1280, 800)"
        assert set(found.syntaxes) == set(SYNTAXES)

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("qwen2.5", "did you mean"),
            ("gta2", "did you mean gta1"),
            ("zzzz", "see: screenmark list profiles"),
            ("gpt@inches", "space: no coordinate space is called 'inches'"),
            ("resized(28)", "resized takes resized(factor, min_pixels, max_pixels)"),
            ("", "there is no profile ''"),
        ],
    )
    def test_what_is_wrong(self, name: str, says: str) -> None:
        with pytest.raises(ProfileError) as error:
            get_profile(name)
        assert says in str(error.value)


def test_the_documented_table_is_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "profiles.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.count(" | ") == 5]
    shown = {row[0].strip("| `"): (row[1], row[2].strip("`"), row[3], row[5]) for row in rows[1:]}
    shown.pop("---", None)
    assert shown == {
        profile.name: (
            ", ".join(f"`{alias}`" for alias in profile.aliases),
            profile.space,
            ", ".join(profile.syntaxes),
            f"{profile.source} |",
        )
        for profile in profiles().values()
        if profile.name not in GENERIC
    }


@given(st.text(max_size=200))
def test_any_text_is_profiles_or_an_error_of_ours(text: str) -> None:
    try:
        found = read_profiles(text)
    except ProfileError:
        return
    assert all(isinstance(profile, Profile) for profile in found.values())
