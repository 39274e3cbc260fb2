"""Code blocks of the README and of docs/ are run, against a local endpoint."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from screenmark.benchmarks import BENCHMARKS
from screenmark.cli.main import COMMANDS
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY

ROOT = Path(__file__).parent.parent
ENDPOINT = "http://localhost:8000/v1"
_BLOCK = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]+) -->\n)?```(?P<kind>\w+)\n(?P<code>.*?)```", re.S
)


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    number: int
    kind: str
    code: str
    why_not: str | None


def blocks() -> Iterator[Block]:
    pages = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md"]
    for page in [*pages, *sorted((ROOT / "docs").glob("*.md"))]:
        for number, found in enumerate(_BLOCK.finditer(page.read_text(encoding="utf-8"))):
            name = str(page.relative_to(ROOT))
            yield Block(name, number, found["kind"], found["code"], found["why"])


ALL = list(blocks())
RUN = [b for b in ALL if b.kind in {"bash", "python"} and b.why_not is None]


PAGES = list(dict.fromkeys(block.page for block in RUN))


@pytest.mark.parametrize("page", PAGES)
def test_blocks(page: str, tmp_path: Path) -> None:
    """All blocks of a page in order, in one folder: a later one may use an earlier one's files."""
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        for block in RUN:
            if block.page == page:
                run_block(block, tmp_path, endpoint.url)


def run_block(block: Block, place: Path, url: str) -> None:
    code = block.code.replace(ENDPOINT, url)
    if block.kind == "python":
        named = re.match(r"# (\w+\.py)\n", code)
        path = place / (named[1] if named else "block.py")
        path.write_text(code, encoding="utf-8")
        command = [sys.executable, str(path)]
    else:
        command = ["bash", "-euo", "pipefail", "-c", code]
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "COLUMNS": "100"}
    for key in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "VLLM_API_KEY"):
        environment.pop(key, None)
    done = subprocess.run(
        command,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{block.page}, block {block.number}: {done.stdout}{done.stderr}"


def test_json_blocks_are_json() -> None:
    for block in ALL:
        if block.kind == "json":
            json.loads(block.code)


def test_every_block_is_of_a_known_kind_and_what_is_not_run_says_why() -> None:
    assert {block.kind for block in ALL} <= {"bash", "python", "json", "text", "toml"}
    assert len(RUN) >= 8
    for block in ALL:
        assert block.why_not is None or len(block.why_not) > 15


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("compat/*/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_two_readmes_show_the_same_numbers() -> None:
    tables = []
    for name in ("README.md", "README.zh.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        shown = re.search(r"<!-- demo -->(.*?)<!-- /demo -->", text, re.S)
        assert shown is not None, name
        tables.append(shown[1])
    assert tables[0] == tables[1]
    assert "F1" in tables[0]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_a_readme_leads_to_every_page_and_names_every_command_and_benchmark(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    pages = [*(ROOT / "docs").glob("*.md"), *ROOT.glob("compat/*/README.md")]
    wanted = [f"({page.relative_to(ROOT)}" for page in pages]
    rows = "".join(line for line in text.splitlines() if line.startswith("|"))
    assert [link for link in wanted if link not in text] == []
    assert [word for word in (*COMMANDS, *BENCHMARKS) if f"`{word}`" not in rows] == []
