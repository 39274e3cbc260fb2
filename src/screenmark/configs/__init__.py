"""Configuration files: which models on which benchmarks, with which options.

Two forms: MMBench-GUI's JSON as it is, and our own in TOML, YAML or JSON.
"""

from screenmark.configs.pairs import Config, Pair, load_config
from screenmark.configs.running import run_pair

__all__ = ["Config", "Pair", "load_config", "run_pair"]
