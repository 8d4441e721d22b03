"""Fixtures of the whole suite: no test reaches past this machine, and none spends money by accident."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections anywhere but to this machine fail the test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> Any:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOCAL):
            raise AssertionError(f"a test tried to reach {address}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "WHILEAI_EXP_AGENT", "WHILEAI_EXP_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    yield
