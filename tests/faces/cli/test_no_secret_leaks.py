"""Every secret that a user can give, against servers that repeat all they are sent: whatever command then runs, nothing
that is shown, logged, replied or kept holds one."""

import asyncio
import importlib.util
import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
pytest.importorskip("mcp", reason="needs the extra mcp")
pytest.importorskip("pydantic_ai", reason="needs the extra models")
import httpx2
from command_line import run
from echo_peer import EchoPeer
from live_server import live_server
from mcp import Client
from rows import each_row

from medground.faces.mcp.server import make_server
from medground.faces.service.service import Service
from medground.home.secrets import secret_forms
from medground.home.settings import Settings
from medground.home.settings_groups import KeySettings
from medground.sources.http.service import ADDRESSES

SOURCES = ("europepmc", "pmc", "sciencedirect", *ADDRESSES)
QUESTION = "Does aspirin reduce the risk of stroke?"
PAPERS = [
    {"id": "PMID:1", "title": "Aspirin and stroke", "text": "Aspirin significantly reduced the risk of stroke."},
    {"id": "PMID:2", "title": "Statins", "text": "Statins lowered cholesterol in adults with diabetes."},
]
QUESTIONS = [{"id": "1", "question": QUESTION, "answer": "yes", "context": PAPERS}]


SPEC = """name = "base"
embed = "none"
[[sources]]
kind = "book"
name = "book"
about = "A chapter."
licence = "CC0"
origin = "https://example.org"
inputs = [{ path = "book.jsonl" }]
"""


def secret(name: str) -> str:
    """A value that looks different in each of the forms that a text may hold it in."""
    return f'zq{name}+/="{name}zq'


KEYS = {
    f"MEDGROUND_KEYS__{name.upper()}": secret(f"key{name}") for name in KeySettings.model_fields if name != "models"
}
AMBIENT = {
    name: secret(name.lower())
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY")
}
HEADERS = {"OTEL_EXPORTER_OTLP_HEADERS": secret("otelheader"), "OTEL_EXPORTER_OTLP_TRACES_HEADERS": secret("oteltrace")}
PARAMETERS = ("api_key", "key", "token", "access_token", "sig")


def address(port: int, name: str, path: str = "") -> tuple[str, list[str]]:
    """An address with a user, a password and secret parameters, and those secrets."""
    password, parameter = secret(f"{name}pw"), secret(f"{name}param")
    which = PARAMETERS[len(name) % len(PARAMETERS)]
    user = f"{name}user:{quote(password, safe='')}"
    return f"http://{user}@127.0.0.1:{port}{path}?{which}={quote(parameter, safe='')}", [password, parameter]


class Sweep:
    """A user's machine: settings full of secrets, and everything that they could come out of."""

    def __init__(self, folder: Path, home: Path, peer: EchoPeer, patch: pytest.MonkeyPatch) -> None:
        self.home, self.folder, self.peer = home, folder, peer
        self.secrets = [*KEYS.values(), *AMBIENT.values(), *HEADERS.values()]
        self.secrets.append(secret("ownserver"))
        (folder / "medground.toml").write_text(f'[keys.models]\n"openai:own" = {json.dumps(self.secrets[-1])}\n')
        self.shown: list[tuple[str, str]] = []
        variables = {**KEYS, **AMBIENT}
        places = {
            "MEDGROUND_MODEL__BASE_URL": "/v1",
            "MEDGROUND_RETRIEVAL__PUBMED": "/pubmed",
            **{f"MEDGROUND_{name.upper()}__ADDRESS": f"/{name}" for name in SOURCES if name not in ADDRESSES},
            "PIP_INDEX_URL": "/simple",
            "FTP_PROXY": "",
        }
        if importlib.util.find_spec("opentelemetry.exporter") is not None:
            places["MEDGROUND_TRACE__OTLP_ENDPOINT"] = "/otlp"
        for name, path in places.items():
            variables[name], found = address(peer.port, path.strip("/") or "proxy", path)
            self.secrets += found
        for name in ADDRESSES:
            patch.setitem(ADDRESSES, name, f"http://127.0.0.1:{peer.port}/{name}")
        for name, value in HEADERS.items():
            variables[name] = f"x-team=ours,authorization={quote(f'Bearer {value}', safe='')}"
        variables |= {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}  # no index but that of the peer
        patch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
        for name, value in variables.items():
            patch.setenv(name, value)

    def leaks(self) -> list[str]:
        """Where a secret stands in what was shown, and in any file below the home and the working folder."""
        forms = {form: one for one in self.secrets for form in secret_forms([one])}
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.name != "medground.toml"]
        texts = [*self.shown, *((str(path.relative_to(self.folder)), _text(path)) for path in files)]
        return sorted({f"{forms[form][:22]} in {where}" for where, text in texts for form in forms if form in text})


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


@pytest.fixture
def sweep(home: Path, tmp_path: Path, loopback: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sweep]:
    """Such a machine, with the corpus `papers`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, PAPERS)), encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    with EchoPeer() as peer:
        (tmp_path / "book.jsonl").write_text(json.dumps(PAPERS[1]) + "\n", encoding="utf-8")
        (tmp_path / "kb.toml").write_text(SPEC, encoding="utf-8")
        yield Sweep(tmp_path, home, peer, monkeypatch)


MODEL = ("--model", "openai:stub", "--set", "model.retries=0", "--set", "model.timeout=5")
ASK = ("ask", "-c", "papers", *MODEL, QUESTION)
REACHING: dict[str, tuple[str, ...]] = {
    "corpus build": ("corpus", "build", "papers", "papers.jsonl"),
    "ask": (*ASK, "--details"),
    "ask sources": ("ask", *(f"--source={name}" for name in ("pubmed", *SOURCES)), QUESTION, "--details"),
    "research": ("research", "-c", "papers", "--source", "pubmed", *MODEL, QUESTION, "-o", "report.md"),
    "models fetch": ("models", "fetch", "minilm"),
}
COMMANDS = {
    **REACHING,
    "kb build": ("kb", "build", "kb.toml"),
    "config show --json": ("config", "show", "--json"),
    "doctor": ("doctor",),
    "ask json": (*ASK, "--json"),
    "plan": ("plan", *MODEL, QUESTION),
    "verify": ("verify", "-c", "papers", *MODEL, "Aspirin reduces the risk of stroke."),
    "eval run": ("eval", "run", "jsonl", "--data", "questions.jsonl", "--with-context", "--out", "run.jsonl", *MODEL),
    "eval report": ("eval", "report", "run.jsonl", "--out", "judged"),
    "show": ("show", "last", "--json"),
    "export": ("export", "last", "--format", "html"),
    "trace show": ("trace", "show", "last", "--text"),
    "wrong value": ("ask", QUESTION, "--set", "keys.openai=[1]"),
    "wrong address": (*ASK, "--set", "model.base_url=user:zqnoscheme@host.example/v1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("manner", ["good", "error", "redirect"])
def test_no_command_shows_or_keeps_a_secret(
    sweep: Sweep, manner: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sweep.peer.manner = manner
    sweep.secrets.append("zqnoscheme")
    for name, words in (COMMANDS if manner == "good" else REACHING).items():
        caplog.clear()
        run(*words, "--debug")
        out, err = capsys.readouterr()
        sweep.shown += [(f"{name}: stdout", out), (f"{name}: stderr", err), (f"{name}: logs", caplog.text)]
    assert sweep.leaks() == []
    for folder in ("answers", "traces", "research", "cache"):
        for path in (sweep.home / folder).rglob("*"):
            assert not path.is_file() or stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or path.name == "lock", path


@pytest.mark.slow
@pytest.mark.parametrize("manner", ["good", "error"])
def test_no_reply_of_a_server_or_a_tool_holds_a_secret(
    sweep: Sweep, manner: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The API, the chat API, and the tools of MCP; a token of the API is a secret too."""
    caplog.set_level(logging.DEBUG)
    run("corpus", "build", "papers", "papers.jsonl", "-q")
    run("token", "create", "ward")
    token = capsys.readouterr().out.split()[-1]  # shown once, as it must be
    sweep.secrets.append(token)
    sweep.peer.manner = manner
    settings = Settings.load(options={"model.retries": 0, "model.timeout": 5, "model.default": "openai:stub"})
    model = settings.model.model_dump(include={"base_url", "default", "retries", "timeout"})
    options = {f"model.{name}": value for name, value in model.items()} | {"keys.openai": settings.keys.openai}
    heading = {"Authorization": f"Bearer {token}"}
    with live_server(sweep.home, "papers", authenticated=True, **options) as address:
        chat = {"model": "ground", "messages": [{"role": "user", "content": QUESTION}]}
        with httpx2.Client(base_url=address, headers=heading, timeout=60) as client:
            read = ("/healthz", "/v1/recipes", "/v1/usage", "/v1/answers", "/metrics", "/nothing")
            sent = (("ask", {"question": QUESTION}), ("chat/completions", chat), ("ask", {"wrong": token[:5]}))
            replies = [client.get(path) for path in read]
            replies += [client.post(f"/v1/{path}", json=body) for path, body in sent]
    sweep.shown += [(f"{reply.url.path} {reply.status_code}", f"{reply.headers} {reply.text}") for reply in replies]
    sweep.shown += [(f"mcp {name}", said) for name, said in asyncio.run(_tools(settings))]
    sweep.shown += [
        ("stdout, stderr", "".join(capsys.readouterr())),
        ("logs", caplog.text.replace(f"Bearer {token}", "")),
    ]
    assert len(sweep.peer.sent) > 3
    assert sweep.leaks() == []


async def _tools(settings: Settings) -> list[tuple[str, str]]:
    changed = settings.with_options({"retrieval.corpora": ("papers",)})
    asked = {"ask": {"question": QUESTION}, "search": {"query": QUESTION}, "plan_query": {"question": QUESTION}}
    async with Service.open(changed) as service, Client(make_server(service)) as client:
        return [(name, (await client.call_tool(name, given)).model_dump_json()) for name, given in asked.items()]


@each_row("address", ["somebody:{}@127.0.0.1:9/v1", "http://somebody:{}@127.0.0.1:9/v1"])
def test_a_password_is_hidden_in_an_address_that_is_not_well_written(
    address: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without its scheme, and with a slash in the password that should have been encoded."""
    given = address.format("correct/horse+staple")
    run("config", "show", "--set", f"model.base_url={given}", "--set", f"serve.hosts={given}")
    run("ask", QUESTION, "--pubmed", given)
    shown = "".join(capfd.readouterr())
    assert shown
    assert "correct/horse+staple" not in shown
