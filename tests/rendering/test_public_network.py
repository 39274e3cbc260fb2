from __future__ import annotations

import asyncio
import socket

import pytest

from screenmark.rendering.public_network import is_public_address, public_resolver


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "app.localhost", "10.0.0.8", "192.168.1.1", "172.20.0.1",
        "169.254.169.254", "0.0.0.0", "::1", "::ffff:127.0.0.1", "fe80::1", "fd00::1", "127.1",
        "0x7f000001", "2130706433", "0177.0.0.1", "224.0.0.1", "",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(host: str) -> None:
    assert not is_public_address(host)


@pytest.mark.parametrize("host", ["8.8.8.8", "example.com", "2606:4700::1111"])
def test_addresses_that_may_be_asked(host: str) -> None:
    assert is_public_address(host)


def test_names_of_this_machine_are_not_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(*_: object, **__: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)

    async def resolve() -> object:
        return await public_resolver().resolve("rebound.example.com", 80)

    with pytest.raises(OSError, match="public network"):
        asyncio.run(resolve())
