"""Replies kept between runs, in one SQLite file.

The key is everything that is sent: model, adapter, words, decoding options, the images'
content, and which repetition it is. What is not worth having again is never kept: failures,
policy refusals, truncations, empty replies.

A cache knows a model by its name. Another checkpoint under the same name needs another cache.
"""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

import msgspec

from screenmark.engine.manifest import now
from screenmark.engine.requests import request_hash
from screenmark.errors import DataError
from screenmark.models import ModelOptions
from screenmark.types import TARGET_ABSENT, Answer, Outcome, Record, Reply, Request

FILE_NAME = "replies.sqlite3"
_FORMAT = 1
_SECONDS_FOR_OTHERS = 30.0


class CacheStats(NamedTuple):
    """What a cache holds."""

    replies: int
    bytes: int
    models: dict[str, int]
    oldest: str | None
    newest: str | None


class ReplyCache:
    """An open cache; several processes may use one file.

    Raises:
        DataError: the file cannot be opened or is not a cache.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path,
                timeout=_SECONDS_FOR_OTHERS,
                isolation_level=None,
                check_same_thread=False,  # a notebook's run has a thread of its own
            )
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            problem = f"cannot be used as a cache ({error}); clear it or name another folder"
            raise DataError(problem, file=self.path) from None

    def get(self, key: str) -> Reply | None:
        """The reply under a key, if there is one."""
        row = self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else msgspec.json.decode(row[0], type=Reply)

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Keep a reply; one that is there already stays."""
        self._database.execute(
            "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)",
            (key, model, msgspec.json.encode(reply), now()),
        )

    def stats(self) -> CacheStats:
        """What the cache holds, by model."""
        one = self._database.execute
        count, oldest, newest = one(
            "SELECT count(*), min(created), max(created) FROM replies"
        ).fetchone()
        models = dict(one("SELECT model, count(*) FROM replies GROUP BY model ORDER BY 1"))
        return CacheStats(count, self.path.stat().st_size, models, oldest, newest)

    def clear(self, model: str | None = None) -> int:
        """Forget all replies, or those of one model; how many they were."""
        if model is None:
            cursor = self._database.execute("DELETE FROM replies")
        else:
            cursor = self._database.execute("DELETE FROM replies WHERE model = ?", (model,))
        removed = cursor.rowcount
        self._database.execute("VACUUM")
        return removed

    def close(self) -> None:
        self._database.close()

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        # A reply lost in a power cut is asked for again; a synced write for each costs more.
        self._database.execute("PRAGMA synchronous = NORMAL")
        (found,) = self._database.execute("PRAGMA user_version").fetchone()
        if found > _FORMAT:
            raise sqlite3.DatabaseError(f"format {found} is newer than this version knows")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS replies ("
            "key TEXT PRIMARY KEY, model TEXT NOT NULL, reply BLOB NOT NULL, "
            "created TEXT NOT NULL) WITHOUT ROWID"
        )
        self._database.execute(f"PRAGMA user_version = {_FORMAT}")


class RunCache:
    """A cache as one run uses it."""

    def __init__(self, cache: ReplyCache, options: ModelOptions, adapter: str, model: str) -> None:
        self._cache = cache
        self._options = options
        self._adapter = adapter
        self._model = model
        self._keys: dict[tuple[str, int], str] = {}

    def answer(self, request: Request, record: Record) -> bool:
        """Fill a record in from the cache, if the cache has the reply."""
        try:
            key = cache_key(request, self._options, self._adapter, record.repeat)
        except OSError:
            return False  # asking says what is wrong with the image
        record.reply = self._cache.get(key)
        if record.reply is None:
            self._keys[record.key] = key
            return False
        record.cached, record.attempts = True, 0
        return True

    def keep(self, record: Record) -> None:
        """Keep what was asked for and is worth it."""
        key = self._keys.pop(record.key, None)
        if key is None or record.reply is None or record.answer is None:
            return
        if worth_keeping(record.answer):
            self._cache.put(key, self._model, record.reply)

    def close(self) -> None:
        self._cache.close()


def cache_key(request: Request, options: ModelOptions, adapter: str, repeat: int) -> str:
    """What tells two requests apart, images by their content.

    Raises:
        OSError: an image cannot be read.
    """
    images = []
    for path in request.images:
        with Path(path).open("rb") as file:
            images.append(hashlib.file_digest(file, "sha256").hexdigest())
    identity = (
        options.model,
        adapter,
        request_hash(request),
        images,
        repeat,
        getattr(options, "max_image_pixels", None),
        getattr(options, "max_image_bytes", None),
    )
    return hashlib.sha256(msgspec.json.encode(identity)).hexdigest()


def worth_keeping(answer: Answer) -> bool:
    """Whether the reply behind an answer may be used again."""
    if answer.outcome is Outcome.REFUSED:
        return answer.reason == TARGET_ABSENT
    return answer.outcome in {Outcome.OK, Outcome.UNPARSEABLE}
