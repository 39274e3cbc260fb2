from __future__ import annotations

from screenmark.rendering.glyphs import glyph_range


def fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a protocol buffer, numbers and byte strings."""
    found: list[tuple[int, int | bytes]] = []
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
        else:
            size = varint()
            found.append((key >> 3, message[at : at + size]))
            at += size
    return found


def test_letters_and_their_fields_of_distances() -> None:
    [(_, stack)] = fields(glyph_range("Open Sans Regular", 0))
    assert isinstance(stack, bytes)
    parts = fields(stack)
    assert parts[:2] == [(1, b"Open Sans Regular"), (2, b"0-255")]
    glyphs = {}
    for _, body in parts[2:]:
        assert isinstance(body, bytes)
        glyph = dict(fields(body))
        glyphs[glyph[1]] = glyph
    letter = glyphs[ord("H")]
    width, height, field = letter[3], letter[4], letter[2]
    assert isinstance(width, int)
    assert isinstance(height, int)
    assert isinstance(field, bytes)
    assert len(field) == (width + 6) * (height + 6)
    assert 14 <= height <= 20
    middle = field[(3 + height // 2) * (width + 6) :][: width + 6]
    assert middle[0] < 100 < 192 < max(middle)  # outside, and on a stem
    assert 2 not in glyphs[ord(" ")]
    assert ord("é") in glyphs


def test_a_range_without_letters_is_empty_but_whole() -> None:
    [(_, stack)] = fields(glyph_range("x", 0xAC00))
    assert isinstance(stack, bytes)
    assert [number for number, _ in fields(stack)] == [1, 2]
