"""Whether an endpoint is there, takes the key, and has the model."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from screenmark.doctor.asking import Interview
from screenmark.doctor.finding import Finding
from screenmark.doctor.model_list import Listing, address_of
from screenmark.doctor.remedies import key_remedy
from screenmark.errors import (
    CredentialsError,
    ModelError,
    RejectedError,
    ReplyTimeoutError,
    ScreenmarkError,
    StageError,
    UnreachableError,
)
from screenmark.functions import said
from screenmark.models import ModelOptions

_ON_MODEL = re.compile(
    r"model[^.]{0,120}(?:not (?:found|exist)|n't exist|unknown|unsupported|invalid|not supported)"
    r"|(?:unknown|invalid|no such|unsupported) model|model_?not_?found"
    r"|\bnot_found_error\b.{0,60}model"
    r"|模型不存在",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 300
_SHOWN = 4


def check_access(found: Interview, model: ModelOptions) -> Iterator[Finding]:
    """Endpoint, key and model, from the first answer."""
    where = address_of(model) or str(model.adapter)
    error = found.word.error
    if error is not None and found.picture is not None and found.picture.reply is not None:
        yield Finding(
            check="text", status="note", detail=f"alone it is refused: {shortened(error)}"
        )
        error = None
    if error is None:
        yield _fine("endpoint", f"{where} answers")
        yield _fine("key", "accepted, or none is needed")
        yield _known(found.listing, model)
    else:
        yield from _refused(error, found.listing, model, where)
    for number, heard in enumerate(found.others, start=2):
        place = model.api_base[number - 1] if number <= len(model.api_base) else f"no. {number}"
        if heard.error is None:
            yield _fine("replica", f"{place} answers")
        else:
            yield Finding(
                check="replica",
                status="failed",
                detail=f"{place}: {shortened(heard.error)}",
                remedy="start it, or leave its --api-base out",
            )


def shortened(error: BaseException | None) -> str:
    """An error in a few lines."""
    if error is None:
        return "no reply"
    own = isinstance(error, ScreenmarkError)
    text = " ".join((str(error) if own else said(error)).split())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _fine(check: str, detail: str) -> Finding:
    return Finding(check=check, status="ok", detail=detail)


def _failed(check: str, detail: str, remedy: str) -> Finding:
    return Finding(check=check, status="failed", detail=detail, remedy=remedy)


def _known(listing: Listing, model: ModelOptions) -> Finding:
    name, names = str(model.model or model.adapter), listing.names
    if names is None:
        return _fine("model", f"{name} answers")
    if name in names:
        return _fine("model", f"{name} answers, and is listed")
    near = _nearest(name, names)
    return Finding(
        check="model",
        status="warning",
        detail=f"{name} answers, but is not among the {len(names)} that the endpoint lists: "
        "another model may be answering in its place",
        remedy=f"--model {near[0]}, if that is the one" if near else "--model NAME as listed",
    )


def _refused(
    error: BaseException, listing: Listing, model: ModelOptions, where: str
) -> Iterator[Finding]:
    text, status = shortened(error), getattr(error, "status", None)
    if isinstance(error, UnreachableError):
        yield _failed("endpoint", text, "start the server, or --api-base URL of one that runs")
    elif isinstance(error, ReplyTimeoutError):
        yield _failed("endpoint", text, f"--timeout {2 * model.timeout:g}, or a faster server")
    elif isinstance(error, CredentialsError):
        yield _fine("endpoint", f"{where} answers")
        yield _failed("key", text, _for_key(text, status) + key_remedy(model))
    elif isinstance(error, RejectedError) and _is_about_model(error, listing, model):
        yield _fine("endpoint", f"{where} answers")
        yield _failed("model", text, _another_model(listing, model))
    elif isinstance(error, RejectedError) and status in {404, 405}:
        right = "" if where.rstrip("/").endswith("/v1") else f", such as {where.rstrip('/')}/v1"
        yield _failed("endpoint", text, f"--api-base URL with the path of the API{right}")
    elif isinstance(error, RejectedError):
        yield _fine("endpoint", f"{where} answers")
        yield _failed("request", text, _named_option(text))
    elif status == 429:
        yield _failed("endpoint", text, "a later try, --min-interval SECONDS, or a higher limit")
    elif status is not None and status >= 500:
        yield _failed("endpoint", text, "the server's own log says why; restart it, or try later")
    elif isinstance(error, StageError):
        yield _failed("functions", text, "mend the function that is named")
    elif isinstance(error, ModelError):
        yield _failed("endpoint", text, "--api-base URL of the API itself; most end in /v1")
    else:
        yield _failed("model", text, f"mend infer or generate of {model.adapter}")


def _for_key(text: str, status: int | None) -> str:
    """What mends a refusal of the account besides another key."""
    if "no credit" in text:
        return "add credit to the account, or "
    if status == 403 and "model" in text.lower():
        return "--model of one that this key may use, or "
    return ""


def _is_about_model(error: RejectedError, listing: Listing, model: ModelOptions) -> bool:
    if _ON_MODEL.search(str(error)):
        return True
    return error.status == 404 and bool(listing.names) and model.model not in (listing.names or ())


def _another_model(listing: Listing, model: ModelOptions) -> str:
    names = listing.names or ()
    if not names:
        return "--model NAME as the endpoint calls it"
    near = _nearest(str(model.model), names) or names[:_SHOWN]
    more = len(names) - len(near)
    listed = " or ".join(near[:_SHOWN])
    return f"--model {listed}" + (f" ({more} more are listed)" if more > 0 else "")


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    short = name.rpartition("/")[2].lower()
    by_end = [one for one in names if one.rpartition("/")[2].lower() == short]
    return by_end or difflib.get_close_matches(name, names, n=_SHOWN, cutoff=0.5)


def _named_option(text: str) -> str:
    """The option that a message of an endpoint seems to be about."""
    for word, option in (
        ("max_tokens", "--max-tokens N, a smaller one"),
        ("max_completion_tokens", "--max-tokens N, a smaller one"),
        ("context length", "--max-tokens N, a smaller one"),
        ("temperature", "--temperature 1"),
    ):
        if word in text.lower():
            return option
    return "the option that the message names, --generate-cfg included"
