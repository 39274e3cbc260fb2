"""The file that tasks of one's own begin with."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from screenmark.environments.web_apps.own import SUFFIX
from screenmark.environments.web_apps.tasks import APPS
from screenmark.errors import UsageError


def write_template(app: str, file: Path, *, force: bool = False) -> None:
    """Write a file of two tasks that pass every check, with what each line means.

    Raises:
        UsageError: there is no such application, the file's name does not end in ``.toml``, the
            file is there already and ``force`` is not said, or it cannot be written.
    """
    if app not in APPS:
        raise UsageError(f"--app {app}: expected {' or '.join(APPS)}")
    if file.suffix != SUFFIX:
        raise UsageError(f"{file}: expected a name that ends in {SUFFIX}")
    folder = files("screenmark.environments.web_apps") / "templates"
    text = (folder / f"{app.replace('-', '_')}{SUFFIX}").read_text("utf-8")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w" if force else "x", encoding="utf-8") as out:
            out.write(text.replace("THIS_FILE", str(file)))
    except FileExistsError:
        raise UsageError(f"{file} is there already; --force writes over it") from None
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror})") from None
