from __future__ import annotations

import msgspec

from screenmark.rendering import Blocked, PageRecord, Picture, Readiness, ScriptError, Served


def test_long_lists_are_cut_and_counted() -> None:
    record = PageRecord(page="1.html")
    for number in range(250):
        record.add(Blocked(url=f"http://x/{number}", kind="fetch", reason="no"))
    assert len(record.blocked) == 200
    assert record.left_out == {"blocked": 50}


def test_what_is_left_out_is_said() -> None:
    record = PageRecord(page="1.html")
    for number in range(203):
        record.add(Blocked(url=f"https://x/{number}", kind="script", reason="no", matters=True))
        record.add(Served(url="u", kind="script", source="package"))
    assert len(record.warnings) == 201
    assert record.warnings[-1] == "blocked: 3 entries beyond 200 are only counted"


def test_warnings_say_what_matters() -> None:
    record = PageRecord(page="1.html", lost="memory")
    record.add(Blocked(url="https://x/map.js", kind="script", reason="unknown", matters=True))
    record.add(Blocked(url="https://x/ping", kind="ping", reason="unknown"))
    record.add(ScriptError(message="L is not defined", uncaught=True))
    record.add(ScriptError(message="a remark", uncaught=False))
    note = "9 for 2, another major version"
    record.add(Served(url="u", kind="script", source="package", package="p", substituted=note))
    record.picture = Picture(
        width=1, height=1, sha256="", dominant=0.9999, colours=1, verdict="blank"
    )
    record.readiness = Readiness(rule="ready", seconds=15, capped=True, reasons=("images",))
    assert record.warnings == [
        "the page is lost: it took more memory than a page may",
        "script not served: https://x/map.js (unknown)",
        "script error: L is not defined",
        "the picture is blank: 99.99% of it is one colour",
        "not settled after 15.0 s: images",
        "p: 9 for 2, another major version",
    ]


def test_a_record_survives_json() -> None:
    record = PageRecord(page="1.html", tiles={"a": 2})
    record.add(Served(url="u", kind="script", source="package", package="leaflet"))
    assert msgspec.json.decode(msgspec.json.encode(record), type=PageRecord) == record
