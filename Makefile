# What a newcomer types. Everything here works offline but for the package registries.
VENV := .venv
PYTHON := $(VENV)/bin/python

.PHONY: help setup demo test test-full check bench-engine bench-peers bench-matching bench-classification bench-startup bench-batching bench-render bench-env clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

setup: $(VENV)/.ready ## make .venv with everything that demo and tests need

$(VENV)/.ready: pyproject.toml constraints.txt scripts/setup
	@scripts/setup $(VENV)
	@touch $@

demo: setup ## a share of every family, with embedded models on bundled data
	@scripts/demo

test: setup ## all checks and tests but the long ones
	@scripts/test

test-full: setup ## the long tests too
	@scripts/test --full

check: setup ## style, types and import contracts
	@scripts/check

bench-engine: setup ## wall clock, CPU and memory of a run against a bare client
	@scripts/bench engine
	@scripts/bench throughput

bench-peers: setup ## cost and logs of the same run in Inspect AI and OpenAI's SDK
	@scripts/bench peers

bench-matching: setup ## matching against a plain pure-Python reference
	@scripts/bench matching

bench-classification: setup ## a million predicted classes, against a plain pure-Python reference
	@scripts/bench classification

bench-env: setup ## steps a second of agents' worlds, memory, reset, against BrowserGym
	@scripts/bench environments

bench-startup: setup ## CPU time of an import and of --help
	@scripts/bench startup

bench-batching: setup ## a local checkpoint in batches against one sample at a time
	@scripts/bench batching

bench-render: setup ## time a page when it is watched, against a wait of three seconds
	@scripts/bench rendering

clean: ## remove what the targets made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
