"""Whether a model sees images, follows a system prompt, and thinks before it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from screenmark.answers import strip_thinking
from screenmark.doctor.access import shortened
from screenmark.doctor.asking import Heard, Interview
from screenmark.doctor.finding import Finding
from screenmark.doctor.questions import CODE, WORD
from screenmark.engine.plan import Plan
from screenmark.errors import CredentialsError, TransientError
from screenmark.types import Reply

_SHOWN = 60
_HIDDEN = 48
"""Tokens counted beyond the letters of a reply, from which on there was hidden thinking."""
_THINKING_OFF = """--generate-cfg '{"chat_template_kwargs": {"enable_thinking": false}}'"""


def check_picture(picture: Heard, *, on_target: bool) -> Finding:
    """Whether the picture was taken and the number in it read.

    Args:
        on_target: whether the targets were found, which nobody can without seeing.
    """
    if picture.reply is None:
        return Finding(
            check="image",
            status="failed",
            detail=f"refused, while text is answered: {shortened(picture.error)}",
            remedy=_for_images(picture.error),
        )
    sent = picture.reply.images[0] if picture.reply.images else None
    how = f"{sent.width}x{sent.height} {sent.media_type}, " if sent is not None else ""
    text = strip_thinking(picture.reply.text).text
    if CODE in re.sub(r"(?<=\d)[\s,.](?=\d)", "", text):
        return Finding(check="image", status="ok", detail=f"{how}the number in it is read")
    return Finding(
        check="image",
        status="warning" if on_target else "failed",
        detail=f"{how}taken, but the number {CODE} in it is read as {text[:_SHOWN]!r}"
        + ("" if on_target else ": the model may not see it"),
        remedy="--model of a vision-language model, served with its image support",
    )


def _for_images(error: BaseException | None) -> str:
    if isinstance(error, CredentialsError):
        return "a key or an account that may send images"
    if isinstance(error, TransientError):
        return "the server's own log says why; try again"
    if getattr(error, "status", None) == 413 or "too large" in str(error):
        return "--max-image-bytes N or --max-image-pixels N"
    return "--model of one that takes images, or the server started with its image support"


def check_system(heard: Heard, plan: Plan) -> Finding:
    """Whether the system prompt was followed."""
    needed = plan.model.system_prompt is not None
    remedy = "--prompt FILE with that text in it, in place of --system-prompt"
    worse = "warning" if needed else "note"
    if heard.reply is None:
        return Finding(
            check="system prompt",
            status="failed" if needed else "note",
            detail=f"refused: {shortened(heard.error)}",
            remedy=remedy,
        )
    text = strip_thinking(heard.reply.text).text
    if WORD in text.lower():
        return Finding(check="system prompt", status="ok", detail="followed")
    return Finding(
        check="system prompt",
        status=worse,  # type: ignore[arg-type]
        detail=f"not followed: told to say {WORD!r}, it says {text[:_SHOWN]!r}",
        remedy=remedy,
    )


def check_thinking(found: Interview, max_tokens: int) -> Iterator[Finding]:
    """Whether the model thinks first, and whether that leaves room for an answer."""
    replies = found.replies
    cut = [reply for reply in replies if _is_cut(reply)]
    thinking = [reply for reply in replies if _thought(reply)]
    most = max((r.usage.output_tokens for r in replies if r.usage), default=0)
    tokens = f", up to {most:,} tokens a reply" if most else ""
    if thinking:
        yield Finding(
            check="thinking",
            status="note",
            detail=f"on in {len(thinking)} of {len(replies)} replies{tokens}",
            remedy=f"to turn it off on vLLM or SGLang: {_THINKING_OFF}",
        )
    else:
        yield Finding(check="thinking", status="ok", detail=f"off{tokens}")
    if cut:
        yield Finding(
            check="length",
            status="warning",
            detail=f"{len(cut)} of {len(replies)} replies to short questions were cut off at "
            f"--max-tokens {max_tokens}",
            remedy=f"--max-tokens {4 * max_tokens}" + (", or thinking off" if thinking else ""),
        )
    if empty := _empty(replies):
        yield Finding(
            check="replies",
            status="warning",
            detail=f"{empty} of {len(replies)} replies are empty",
            remedy="--max-tokens N, a larger one, or thinking off: " + _THINKING_OFF,
        )


def _is_cut(reply: Reply) -> bool:
    return reply.finish_reason == "length" or not strip_thinking(reply.text).closed


def _thought(reply: Reply) -> bool:
    """Whether there is thinking in a reply, or more tokens were counted than it has letters."""
    if strip_thinking(reply.text).removed:
        return True
    return reply.usage is not None and reply.usage.output_tokens > len(reply.text) + _HIDDEN


def _empty(replies: Sequence[Reply]) -> int:
    return sum(not reply.text.strip() and not _is_cut(reply) for reply in replies)
