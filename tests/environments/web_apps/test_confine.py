"""What an application cannot do while it serves an agent."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REFUSED = (
    "open(outside / 'new', 'w')",
    "open(outside / 'kept')",
    "open(inside / '..' / 'outside' / 'kept', 'r+')",
    "open(inside / 'link', 'a')",
    "os.open(outside / 'new', os.O_CREAT | os.O_WRONLY)",
    "open('/etc/passwd')",
    "os.listdir(outside)",
    "(inside / 'kept').rename(outside / 'new')",
    "(outside / 'kept').unlink()",
    "shutil.rmtree(outside)",
    "os.symlink(outside, 'other')",
    "sqlite3.connect(outside / 'new')",
    "sqlite3.connect(f'file:{outside}/new?mode=rwc', uri=True)",
    "os.system('true')",
    "subprocess.run(['true'])",
    "socket.create_connection(('127.0.0.1', 9))",
)
ALLOWED = (
    "open('new', 'w').write('x'); open('new').read(); os.rename('new', 'newer')",
    "import colorsys, zoneinfo; zoneinfo.ZoneInfo('UTC')",
    "sqlite3.connect('x.db').execute('CREATE TABLE t (n)')",
    "sqlite3.connect(':memory:')",
)

SCRIPT = """
import json, os, shutil, socket, sqlite3, subprocess, sys
from pathlib import Path
from screenmark.environments.web_apps.confine import confine

outside, inside = Path(sys.argv[1]), Path(sys.argv[2])
os.chdir(inside)
os.symlink(outside / "kept", inside / "link")
confine(inside)
found = {}
for code in json.loads(sys.argv[3]):
    try:
        exec(code)
        found[code] = "done"
    except PermissionError:
        found[code] = "refused"
    except Exception as error:
        found[code] = repr(error)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("confine")
    outside, inside = folder / "outside", folder / "inside"
    for made in (outside, inside):
        made.mkdir()
        (made / "kept").write_text("here", encoding="utf-8")
    codes = json.dumps([*REFUSED, *ALLOWED])
    command = [sys.executable, "-c", SCRIPT, str(outside), str(inside), codes]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    found["outside"] = [path.name for path in outside.iterdir()]
    found["kept"] = (outside / "kept").read_text(encoding="utf-8")
    return found


@pytest.mark.parametrize("code", REFUSED)
def test_refused(outcomes: dict[str, Any], code: str) -> None:
    assert outcomes[code] == "refused"


@pytest.mark.parametrize("code", ALLOWED)
def test_allowed(outcomes: dict[str, Any], code: str) -> None:
    assert outcomes[code] == "done"


def test_nothing_was_touched(outcomes: dict[str, Any]) -> None:
    assert (outcomes["outside"], outcomes["kept"]) == (["kept"], "here")


def test_files_do_not_grow_without_end(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from screenmark.environments.web_apps.confine import confine; "
        "confine(Path(sys.argv[1])); file = open(sys.argv[1] + '/x', 'wb'); "
        "[file.write(bytes(1 << 20)) for _ in range(64)]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert "File too large" in done.stderr
    assert (tmp_path / "x").stat().st_size <= 32 << 20
