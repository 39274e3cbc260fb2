"""Keeps a key out of everything that an adapter says, however a server spells it back."""

from __future__ import annotations

import base64
import re

import msgspec

from screenmark.types import Reply

_MASK = "***"
_SHORTEST = 4
_CUT = 12
"""So many first characters of a key count as the key: messages are cut, also by others."""
_ESCAPES = ("\\", "%", "&#")
_NAME = 200


class Redactor:
    """Takes one key out of texts: plain, escaped for JSON, URLs or HTML, or in base64.

    Args:
        key: what must not be seen; None if there is none.
    """

    def __init__(self, key: str | None) -> None:
        self._key = key if key and len(key) >= _SHORTEST else None
        # A key that is a mere word, as local servers take, may well stand on a screen.
        self._secret = len(key or "") >= 16 or (len(key or "") >= 8 and not str(key).isalpha())
        self._in_base64 = _base64_forms(self._key) if self._key else []
        spelled = [_spellings(c) for c in self._key or ""]
        self._whole = re.compile("".join(spelled))
        self._start = re.compile("".join(spelled[:_CUT]))
        self._rest = [re.compile(one) for one in spelled[_CUT:]]

    def message(self, text: str) -> str:
        """A message without the key, and without one whose end was cut off."""
        if self._key is None:
            return text
        kept, position = [], 0
        while found := self._start.search(text, position):
            kept += [text[position : found.start()], _MASK]
            position = found.end()
            for one in self._rest:
                if (more := one.match(text, position)) is None:
                    break
                position = more.end()
        return self._without_base64("".join(kept) + text[position:])

    def reply(self, reply: Reply) -> Reply:
        """A reply without the key; its short fields are held to a short length."""
        finish = self._name(reply.finish_reason)
        model = self._name(reply.model)
        text = self._text(reply.text)
        if (text, finish, model) == (reply.text, reply.finish_reason, reply.model):
            return reply
        return msgspec.structs.replace(reply, text=text, finish_reason=finish, model=model)

    def _name(self, name: str | None) -> str | None:
        if name is not None and self._secret:
            name = self.message(name)
        return name and name[:_NAME]

    def _text(self, text: str) -> str:
        if self._key is None or not self._secret:
            return text
        if any(escape in text for escape in _ESCAPES):
            text = self._whole.sub(_MASK, text)
        return self._without_base64(text.replace(self._key, _MASK))

    def _without_base64(self, text: str) -> str:
        for form in self._in_base64:
            text = text.replace(form, _MASK)
        return text


def _spellings(c: str) -> str:
    """A pattern for one character as it is and as JSON, Python, URLs and HTML escape it.

    Repetitions are bounded: a server's text may be one long row of backslashes.
    """
    code = ord(c)
    forms = [
        rf"\\{{0,4}}{re.escape(c)}",
        rf"\\{{1,4}}(?i:u00|x){_hex(code)}",
        rf"%(?:25){{0,3}}{_hex(code)}",
        rf"&\#0{{0,4}}{code};",
        rf"&\#[xX]0{{0,4}}{_hex(code)};",
    ]
    return f"(?:{'|'.join(forms)})"


def _hex(code: int) -> str:
    return f"(?i:{code:02x})"


def _base64_forms(key: str) -> list[str]:
    """What base64 makes of the key at each place of a longer text, without its neighbours."""
    found = []
    for before in range(3):
        data = b"\0" * before + key.encode("utf-8")
        whole = slice((0, 2, 3)[before], len(data) * 8 // 6)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(data).decode("ascii")[whole]
            if len(form) >= _CUT - 2:
                found.append(form)
    return sorted(set(found))
