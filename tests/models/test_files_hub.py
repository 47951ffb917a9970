"""A hub that does not answer is detected at once; any answer leaves the rest to the hub's own client."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from medground.errors import ConfigError
from medground.models.embedders import is_away

pytest.importorskip("huggingface_hub", reason="needs the extra torch")
ENDPOINT = "huggingface_hub.constants.ENDPOINT"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


class Refusing(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_error(403)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def hub(loopback: None) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def closed_address(loopback: None) -> Iterator[str]:
    """An address where nothing listens and nothing else can start to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_hub_is_away_only_where_nothing_listens_and_it_is_needed(
    hub: str, closed_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ENDPOINT, hub)
    assert not is_away("owner/model")  # a refusal is an answer
    monkeypatch.setattr(ENDPOINT, closed_address)
    assert is_away("owner/model")
    assert not is_away(str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert not is_away("owner/model")


def test_a_model_from_a_hub_that_is_away_fails_in_one_line(
    closed_address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("transformers", reason="needs the extra torch")
    from medground.answering.verify.critics import check_critic

    monkeypatch.setattr(ENDPOINT, closed_address)
    with pytest.raises(ConfigError, match="cannot load the NLI model 'nobody/away'") as caught:
        check_critic("nli:nobody/away", Path())
    assert "\n" not in str(caught.value)
    assert "Retrying" not in capfd.readouterr().err
