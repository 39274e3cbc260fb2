"""The names that users import, exactly: adding or losing one is a decision."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

PUBLIC = {
    "screenmark": {"Run", "__version__", "run"},
    "screenmark.answers": {
        "JsonText", "Profile", "ProfileError", "Stripped", "get_profile", "is_refusal",
        "judge_reply", "parse_box", "parse_choice", "parse_elements", "parse_point",
        "parse_rubric", "profile_of_model", "profiles", "read_json", "read_profiles",
        "strip_thinking",
    },
    "screenmark.benchmarks": {
        "BENCHMARKS", "Benchmark", "BenchmarkInfo", "DataOptions", "Dataset", "Sample",
        "benchmark_class",
    },
    "screenmark.engine": {
        "Display", "EngineOptions", "Progress", "Run", "rescore", "run", "side_by_side",
    },
    "screenmark.environments": {
        "DEFAULT_BUDGET", "Environment", "ImpossibleAction", "Observation", "Step", "Suite",
        "Task", "Turns", "Verdict", "View", "World", "world_class",
    },
    "screenmark.metrics": {
        "ClassScores", "ClassificationReport", "Interval", "OptionWeighted",
        "Repetition", "accuracy", "bootstrap_interval", "center_distance",
        "classification_report", "compute_iou", "confusion_matrix",
        "description_similarity", "efficiency_quality_area", "evaluate_dataset",
        "evaluate_sample", "f1_of_counts",
        "flip_rate", "macro_f1", "majority", "match_boxes", "mcnemar_p_value",
        "mean_f1_of_counts", "mean_reciprocal_rank", "option_weighted", "order_averaged_eqa",
        "pass_at_k",
        "point_in_shape", "ratio_of_sums", "success_rate", "summarise_repeats",
        "summarise_samples",
        "top_k_accuracy", "wilson_interval",
    },
    "screenmark.models": {
        "ADAPTERS", "AsyncAdapter", "BaseLLMAdapter", "Component", "Encoder", "ModelOptions",
        "build_adapter", "embedded_models",
    },
    "screenmark.reports": {"FORMATS", "make_display", "render"},
}  # fmt: skip

NAMES = [(module, name) for module, names in PUBLIC.items() for name in sorted(names)]


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_exactly_these(module: str) -> None:
    loaded = importlib.import_module(module)
    assert sorted(loaded.__all__) == sorted(PUBLIC[module])
    assert loaded.__all__ == sorted(loaded.__all__)
    assert loaded.__doc__


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{m}.{n}" for m, n in NAMES])
def test_every_name_is_there_and_documented(module: str, name: str) -> None:
    loaded = importlib.import_module(module)
    value = getattr(loaded, name)
    assert not isinstance(value, ModuleType), "a submodule hides the function of its name"
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__module__.startswith("screenmark.")
        assert value.__doc__
        assert inspect.getdoc(value) != inspect.getdoc(type(value))
        # msgspec and NamedTuple write a docstring of their own where there is none.
        assert not value.__doc__.startswith(f"{name}(")


def test_every_public_method_of_a_model_is_documented() -> None:
    from screenmark.models import BaseLLMAdapter

    for name, method in inspect.getmembers(BaseLLMAdapter, inspect.isfunction):
        assert name.startswith("_") or method.__doc__, name


def test_unknown_names_are_attribute_errors() -> None:
    import screenmark

    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = screenmark.runn
    assert {"Run", "run", "__version__"} <= set(dir(screenmark))


def test_run_is_one_function_wherever_it_is_imported_from() -> None:
    import screenmark
    from screenmark.engine import run

    assert screenmark.run is run
    assert next(iter(inspect.signature(run).parameters)) == "benchmark"
