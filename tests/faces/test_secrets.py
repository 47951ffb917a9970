"""No secret of a user is shown or kept, whatever a peer repeats of it."""

from __future__ import annotations

import base64
import json
import logging
import stat
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from http_peer import Asked, Peer, Reply
from live_server import live_server
from rows import each_row

from medground.home.secrets import secret_forms, shown_address
from medground.home.settings_groups import KeySettings
from medground.testing.command import run

PAPERS = "examples/papers/papers.jsonl"
QUESTION = "Does exercise lower blood pressure?"
SOURCES = ("europepmc", "pmc", "sciencedirect", "brave", "google", "duckduckgo", "uniprot", "alphafold", "pdb")


class Secrets:
    """Secrets that stand nowhere else, with characters that are encoded differently in addresses, headers and JSON."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def new(self, name: str) -> str:
        self.all.append(f'zq"{name}/Hor+se==')
        return self.all[-1]

    def address(self, peer: Peer, name: str) -> str:
        user, key = (quote(self.new(f"{name}-{what}"), safe="") for what in ("user", "key"))
        return peer.url.replace("//", f"//somebody:{user}@") + f"?api_key={key}"

    def found_in(self, text: str) -> list[str]:
        return [secret for secret in self.all if any(form in text for form in secret_forms([secret]))]


def echoing(status: int) -> Callable[[Asked], Reply]:
    """A reply that repeats all that was asked, also what its Basic header holds."""

    def reply(asked: Asked) -> Reply:
        kind, _, credentials = asked.headers.get("authorization", "").partition(" ")
        plain = base64.b64decode(credentials).decode() if kind == "Basic" else credentials
        said = f"{plain} {asked.headers} {asked.target}"
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        body = {"error": {"message": said}, "message": said, "id": "1", "object": "chat.completion", "created": 1}
        whole = json.dumps({**body, "model": plain, "choices": [choice]}).encode()
        return Reply(whole, status, "application/json", {"x-echo": quote(plain), "location": asked.target})

    return reply


def told(capfd: pytest.CaptureFixture[str], logged: pytest.LogCaptureFixture) -> str:
    out, err = capfd.readouterr()
    text = "\n".join([out, err, *(record.getMessage() for record in logged.records if record.name != "asyncio")])
    logged.clear()
    return text


@pytest.mark.parametrize("status", [200, 401])
def test_what_a_peer_repeats_is_shown_and_kept_nowhere(
    status: int,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make_peer: Callable[..., Peer],
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    peer, secrets = make_peer(echoing(status)), Secrets()
    for name in KeySettings.model_fields:
        monkeypatch.setenv(f"MEDGROUND_KEYS__{name.upper()}", secrets.new(name))
    monkeypatch.setenv("GROQ_API_KEY", secrets.new("groq"))
    caplog.set_level(logging.INFO)
    options = {
        "model.base_url": secrets.address(peer, "model"),
        "model.retries": "0",
        "google.engine": "engine",
        **{f"{name}.address": secrets.address(peer, name) for name in SOURCES},
    }
    given = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    out = ["-o", str(tmp_path / "report.html")]
    monkeypatch.setattr("stamina.is_active", lambda: False)
    lines = [
        ["corpus", "build", "papers", PAPERS, "-q"],
        ["config", "show", *given],
        ["ask", QUESTION, "-c", "papers", "--model", "openai:x", "--details", *given],
        ["ask", QUESTION, "-c", "papers", "--model", "openai:x", "--json", *given],
        ["research", QUESTION, "-c", "papers", "--model", "openai:x", *out, *given],
        ["plan", QUESTION, "--model", "openai:x", *given],
        ["verify", QUESTION, "-c", "papers", "--model", "openai:x", *given],
        ["history"],
        ["show", "last", "--json"],
        ["export", "last", "--format", "html"],
        ["trace", "show", "last"],
        ["doctor"],
        ["models", "list"],
    ]
    if status == 401:  # another status is asked for again, with pauses
        lines += [["ask", "Is TP53 mutated in cancer?", "--source", name, *given] for name in SOURCES]
        lines += [["ask", QUESTION, "--pubmed", secrets.address(peer, "pubmed")]]
    for line in lines:
        run(*line)
        assert secrets.found_in(told(capfd, caplog)) == [], line[:4]
    assert len(peer.asked) > 3
    for path in [*home.rglob("*"), *tmp_path.rglob("report*")]:
        if path.is_file():
            assert secrets.found_in(path.read_bytes().decode(errors="replace")) == [], path
            if path.relative_to(tmp_path).parts[1:2] in (("answers",), ("traces",), ("research",), ("cache",)):
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or path.name == "lock", path


def test_a_server_repeats_nothing_of_its_model(
    home: Path, make_peer: Callable[..., Peer], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    run("corpus", "build", "papers", PAPERS, "-q")
    for status in (200, 401):
        peer, secrets = make_peer(echoing(status)), Secrets()
        options = {
            "model.base_url": secrets.address(peer, "model"),
            "model.default": "openai:x",
            "model.retries": 0,
            "keys.openai": secrets.new("openai"),
        }
        with live_server(home, "papers", **options) as address, httpx.Client(base_url=address) as client:
            replies = [client.post("/v1/ask", json={"question": QUESTION})]
            replies += [
                client.get(path) for path in ("/healthz", "/v1/settings", "/v1/recipes", "/metrics", "/nothing")
            ]
        assert len(peer.asked) > 0
        shown = "\n".join(f"{reply.headers} {reply.text}" for reply in replies)
        assert secrets.found_in(shown + told(capfd, caplog)) == []


@each_row("address", ["somebody:{}@127.0.0.1:9/v1", "http://somebody:{}@127.0.0.1:9/v1", "x:{}@y"])
def test_a_password_is_hidden_in_an_address_that_is_not_well_written(
    address: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without its scheme, and with a slash in the password that should have been encoded."""
    password = "correct/horse+staple"
    given = address.format(password)
    for line in (
        ["config", "show", "--set", f"model.base_url={given}", "--set", f"serve.hosts={given}"],
        ["ask", QUESTION, "--model", "openai:x", "--set", f"model.base_url={given}"],
        ["ask", QUESTION, "--pubmed", given],
    ):
        run(*line)
        out, err = capfd.readouterr()
        assert password not in out + err
        assert out + err


@each_row(
    "address",
    ["https://medium.com/@somebody/x", "https://host:8080/@scope/package", "mailto:a@b.org", "https://[::1]:80/x"],
)
def test_an_address_without_a_password_stays(address: str) -> None:
    assert shown_address(address) == address
