"""One tree of errors.

ScreenmarkError
├── UsageError            a flag, an option or a combination of them            exit 2
├── MissingExtra          an optional package is not installed                  exit 2
├── DataError             a file, a sample, a field; what was expected          exit 2
│   └── DataErrors         several mistakes of one file                         exit 2
├── DownloadError         data could not be had, or are not what was promised   exit 2
├── RunFolderError        the folder is locked, or does not fit the command     exit 2
├── RunInterrupted        stopped by the user or by the machine, resumable      exit 3
├── ImageError            an image cannot be used                    outcome image_error
├── StageError            a function of the user's own failed        outcome api_error
├── EnvironmentFailure    a world for agents broke down      outcome environment_error
└── ModelError            no reply could be had                        outcome api_error
    ├── TransientError    worth another try (429, 5xx, connection, timeout)
    │   ├── ReplyTimeoutError  no reply in time
    │   └── UnreachableError   nobody listens at the address
    └── RejectedError     the same request will fail again (400, 404, 413, …)
        └── CredentialsError   401 or 403: every request will fail
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class ScreenmarkError(Exception):
    """Base of every error that the package raises on purpose."""

    exit_code = 2

    @property
    def lines(self) -> list[str]:
        """What to tell people, a mistake a line."""
        return [str(self)]


class UsageError(ScreenmarkError):
    """A wrong flag value, an unknown name, or options that contradict each other."""


class MissingExtra(ScreenmarkError):
    """A package that only an extra installs is missing."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'screenmark[{extra}]'")
        self.extra = extra


class DataError(ScreenmarkError):
    """Bad input data, located as closely as it can be.

    Args:
        problem: what is wrong and what was expected instead.
        file: the file at fault.
        sample: the sample in it (an ``image_path``, an id or a position).
        field: path of the field inside the sample, as ``elements[3].coordinates[2]``.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        sample: str | None = None,
        field: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.sample = sample
        self.field = field
        where = [part for part in (self.file, sample, field) if part]
        super().__init__(": ".join([*where, problem]))


class DataErrors(DataError):
    """Several mistakes of one file; ``errors`` has them one by one."""

    def __init__(self, errors: Sequence[DataError]) -> None:
        problem = "\n".join(str(error) for error in errors)
        super().__init__(problem)
        self.file = errors[0].file
        self.errors = tuple(errors)

    @property
    def lines(self) -> list[str]:
        return [str(error) for error in self.errors]


class DownloadError(ScreenmarkError):
    """A file could not be fetched, or is not what its source promised."""


class RunFolderError(ScreenmarkError):
    """A run folder is in use, damaged, or belongs to another command."""


class RunInterrupted(ScreenmarkError):
    """The run stopped before its end; what is finished is kept and the run can be resumed."""

    exit_code = 3


class ImageError(ScreenmarkError):
    """An image is missing, broken, or not something that can be sent."""


class StageError(ScreenmarkError):
    """A function that the user put in a stage's place failed or broke its contract."""


class EnvironmentFailure(ScreenmarkError):
    """A world for agents did not come up or broke down; says nothing about the agent."""


class ModelError(ScreenmarkError):
    """A model gave no reply.

    Args:
        message: what happened, without any credential.
        status: HTTP status, if there was one.
        retry_after: seconds that the server asked to wait.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class TransientError(ModelError):
    """Worth another try: 408, 409, 429, 5xx, a broken connection, a timeout."""

    @property
    def congested(self) -> bool:
        """Whether the endpoint had more to do than it can."""
        return self.status is not None and (self.status in {408, 429} or self.status >= 500)


class ReplyTimeoutError(TransientError):
    """No reply in the time that a request may take."""

    @property
    def congested(self) -> bool:
        return True


class UnreachableError(TransientError):
    """No connection at all: wrong address, wrong port, or the server is not up (yet)."""


class RejectedError(ModelError):
    """The same request would fail again: 400, 404, 413 and the like."""


class CredentialsError(RejectedError):
    """401 or 403: no request of this run can succeed."""
