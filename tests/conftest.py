"""Fixtures for all rooms. No test reaches the network; `loopback` opens this machine's own address only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of real data beside the checkout."""
    data = SHARED / "data"
    if not data.is_dir():
        pytest.skip("needs the real data in ../shared/data, which is absent here")
    return data


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for everything a user owns."""
    folder = tmp_path / "home"
    monkeypatch.setenv("MEDGROUND_HOME", str(folder))
    return folder


@pytest.fixture
def loopback() -> Iterator[None]:
    """Sockets to this machine's own address."""
    pytest_socket.enable_socket()
    pytest_socket.socket_allow_hosts(["127.0.0.1", "localhost", "::1"])
    yield
    pytest_socket.disable_socket(allow_unix_socket=True)
