"""From an output to the picture that a judge is shown, and what else there is to see of it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec

from screenmark.benchmarks.map_judging.picture import measure
from screenmark.benchmarks.map_judging.samples import Output, Picture
from screenmark.errors import DataError, EnvironmentFailure, ImageError
from screenmark.jsonfile import write_atomically
from screenmark.rendering import PageLostError, Renderer, RenderingError, RenderOptions
from screenmark.rendering.live import LivePage
from screenmark.rendering.readiness import needs_patience

MapReader = Callable[[LivePage], Awaitable[list[dict[str, Any]] | None]]
"""Reads the maps of a page that has settled; None where it cannot."""

_FAULTS = {
    "hung": "the page does not answer: its scripts never end",
    "crashed": "the page crashes the browser's renderer",
    "memory": "the page takes more memory than a page may",
    "time": "the page takes longer than a page may",
}
"""What a page does that nobody can look at; a browser that died by itself is not its fault."""

_TRIES = 2
_PATIENCE = 3
"""How much longer a page is waited for that was not done on a machine that others use too."""

_SLOW = frozenset({"hung", "time"})


class Viewer:
    """Looks at outputs, at each of them once, and keeps what it saw in a folder.

    A picture lies under a hash of what it was made of, so that a later session of the run takes
    it instead of rendering again, and no name of a model or a file goes with it to a judge.

    Args:
        options: how pages are rendered.
        folder: where pictures of pages are kept.
        scripts: run in a page before its own, for ``read_maps``.
        read_maps: reads the maps of a page.
    """

    def __init__(
        self,
        options: RenderOptions,
        folder: Path,
        *,
        scripts: tuple[str, ...] = (),
        read_maps: MapReader | None = None,
    ) -> None:
        self._options = options
        self._folder = folder
        self._scripts = scripts
        self._read_maps = read_maps
        self._renderer: Renderer | None = None
        self._starting = asyncio.Lock()
        self._turns = asyncio.Semaphore(options.pages)
        self._alone = asyncio.Lock()
        self._seen: dict[str, asyncio.Task[Output]] = {}
        self._of_content: dict[Path, asyncio.Lock] = {}
        self._fresh: set[Path] = set()

    async def look(self, output: Output, content: str) -> Output:
        """The output with its picture and what was seen of it.

        Args:
            output: as it was found.
            content: hash of its file.

        Raises:
            EnvironmentFailure: the browser cannot be used, or the picture not be kept.
        """
        if output.fault is not None:
            return output
        key = f"{output.model}/{output.path}"
        if key not in self._seen:
            self._seen[key] = asyncio.ensure_future(self._look(output, content))
        # Shielded: another repetition may wait for it when one is cancelled.
        return await asyncio.shield(self._seen[key])

    async def close(self) -> None:
        """Close the browsers."""
        for task in self._seen.values():
            task.cancel()
        await asyncio.gather(*self._seen.values(), return_exceptions=True)
        if self._renderer is not None:
            await self._renderer.__aexit__(None, None, None)
            self._renderer = None

    async def _look(self, output: Output, content: str) -> Output:
        if output.file_type != "html_screenshot":
            picture = await asyncio.to_thread(_measured, Path(output.path))
            return msgspec.structs.replace(output, file=output.path, picture=picture)
        kept = self._folder / f"{self._key(content)}.json"
        try:
            # Pages of several models may be the same one, which has one place in the folder.
            async with self._of_content.setdefault(kept, asyncio.Lock()):
                seen = await self._seen_of(Path(output.path), kept)
        except (RenderingError, DataError, OSError) as error:
            raise EnvironmentFailure(_about(output.path, error)) from error
        except Exception as error:
            if not _is_browsers(error):
                raise
            first = next(iter(str(error).splitlines()), "")
            raise EnvironmentFailure(f"{output.path}: the browser fails: {first}") from error
        return msgspec.structs.replace(
            output,
            fault=seen.fault,
            file="" if seen.fault else str(kept.with_suffix(".png")),
            picture=seen.picture,
            page=seen.page,
            maps=seen.maps,
        )

    async def _seen_of(self, page: Path, kept: Path) -> _Seen:
        """What was kept of a page by this run, or else what is seen of it now."""
        seen = await asyncio.to_thread(_recall, kept)
        if seen is None or (seen.unsettled and kept not in self._fresh):
            seen = await self._rendered(page, kept.with_suffix(".png"))
            await asyncio.to_thread(_keep, kept, seen)
            self._fresh.add(kept)
        return seen

    def _key(self, content: str) -> str:
        options = msgspec.to_builtins(self._options, enc_hook=str)
        for name in ("assets", "browser", "pages"):
            del options[name]  # they change how, not what is seen
        made_of = msgspec.json.encode([content, options, self._scripts])
        return hashlib.sha256(made_of).hexdigest()[:24]

    async def _rendered(self, page: Path, target: Path) -> _Seen:
        """What is seen of a page; one that was not done is given more time, and nothing beside."""
        async with self._turns:
            seen = await self._render(await self._started(), page, target)
        if not seen.unsettled:
            return seen
        given = self._options
        patient = msgspec.structs.replace(
            given,
            pages=1,
            settle_s=given.settle_s * _PATIENCE,
            call_s=given.call_s * _PATIENCE,
            page_s=given.page_s * _PATIENCE,
        )
        async with self._alone, AsyncExitStack() as turns:
            for _ in range(given.pages):
                await turns.enter_async_context(self._turns)
            async with Renderer(patient) as renderer:
                return await self._render(renderer, page, target)

    async def _render(self, renderer: Renderer, page: Path, target: Path) -> _Seen:
        for attempt in range(_TRIES):
            record: Any = None
            try:
                async with renderer.open(page, init_scripts=self._scripts) as live:
                    record = live.record
                    await live.ready()
                    png = await live.screenshot()
                    maps = None if self._read_maps is None else await self._read_maps(live)
                    await asyncio.to_thread(_write, target, png)
                    picture = await asyncio.to_thread(measure, target)
                    return _Seen(picture=picture, page=_plain(record), maps=maps)
            except PageLostError as error:
                record = record or error.record  # it may be lost while it is opened
                lost = getattr(record, "lost", "")
                if lost in _FAULTS:
                    fault = "; ".join(filter(None, (_FAULTS[lost], record.about_dialogs)))
                    return _Seen(fault=fault, page=_plain(record))
                if attempt + 1 == _TRIES:
                    raise
        raise AssertionError("unreachable")

    async def _started(self) -> Renderer:
        async with self._starting:
            if self._renderer is None:
                renderer = Renderer(self._options)
                await renderer.__aenter__()
                self._renderer = renderer
        return self._renderer


class _Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a page beside its picture."""

    fault: str | None = None
    picture: Picture | None = None
    page: dict[str, Any] | None = None
    maps: list[dict[str, Any]] | None = None

    @property
    def unsettled(self) -> bool:
        """Whether the page might be another one with more time."""
        page = self.page or {}
        if page.get("lost"):
            return page["lost"] in _SLOW
        return needs_patience((page.get("readiness") or {}).get("reasons", ()))


def take_over(earlier: Path, folder: Path) -> None:
    """Copy the pictures of another run that are not there yet."""
    if not earlier.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in earlier.iterdir():
        if path.is_file() and not (folder / path.name).exists():
            shutil.copyfile(path, folder / path.name)


def _about(path: str, error: Exception) -> str:
    """A message that names the file once."""
    text = str(error)
    for name in (path, Path(path).name):
        text = text.removeprefix(f"{name}: ")
    return f"{path}: {text}"


def _is_browsers(error: Exception) -> bool:
    """Whether an error comes from the driver, which ends with an error of no kind of its own."""
    from playwright.async_api import Error

    return isinstance(error, Error) or "reading from the driver" in str(error)


def _plain(record: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    plain["warnings"] = list(record.warnings)
    del plain["page"]  # the name of the file
    return plain


def _measured(path: Path) -> Picture:
    try:
        return measure(path)
    except ImageError as error:
        raise EnvironmentFailure(str(error)) from error


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    draft.write_bytes(data)
    draft.replace(path)


def _keep(path: Path, seen: _Seen) -> None:
    # After the picture: a crash in between leaves nothing that counts as seen.
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, msgspec.json.encode(seen).decode("utf-8"))


def _recall(path: Path) -> _Seen | None:
    """What an earlier session saw; None if there is nothing or it cannot be read."""
    try:
        seen = msgspec.json.decode(path.read_bytes(), type=_Seen)
    except (OSError, msgspec.DecodeError):
        return None
    if seen.fault is None and not path.with_suffix(".png").is_file():
        return None
    return seen
