"""The demonstration of `medground research`: replies recorded once, then reports of each form without a network."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from medground.sources.http import wire
from medground.testing.command import run

SCRIPT = Path(__file__).resolve().parents[3] / "examples" / "research" / "make_replies.py"


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the script of the example makes, and the report of the run that was recorded."""
    folder = tmp_path_factory.mktemp("demonstration")
    spec = importlib.util.spec_from_file_location("make_replies", SCRIPT)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as left:
        patch.setattr(wire, "Recording", wire.Recording)  # the script replaces it
        spec.loader.exec_module(script)
        patch.setenv("MEDGROUND_HOME", str(folder / "home"))
        patch.setattr(sys, "argv", ["make_replies.py", str(folder / "replies"), "-q", "-o", str(folder / "first.json")])
        script.main()
    assert not left.value.code
    return folder


def _cited(answer: Any) -> list[tuple[str, str]]:
    return [(one["id"], one["quote"]) for one in answer["evidence"]]


def test_three_kinds_of_evidence_without_a_network_in_every_form(home: Path, replies: Path, tmp_path: Path) -> None:
    question, file = "Effects of cyp17a1 knockout on zebrafish?", tmp_path / "report.json"
    assert run("research", question, "--replay", str(replies / "replies"), "-q", "-o", str(file)) == 0
    answer = json.loads(file.read_text(encoding="utf-8"))
    quotes = [quote for _, quote in _cited(answer)]
    kinds = {one["id"]: one["kind"] for one in answer["documents"]}
    assert {kinds[one["document_id"]] for one in answer["evidence"]} == {"research", "protein", "web"}
    assert _cited(answer) == _cited(json.loads((replies / "first.json").read_text(encoding="utf-8")))
    missing = {one["source"] for one in answer["searches"] if one["status"] == "failed"}
    assert missing == {"sciencedirect", "google", "brave"}
    merged = [row["merged"] for row in answer["report"]["flow"] if row["tool"] == "literature"]
    assert any(merged), "a paper of PubMed and Europe PMC is one"
    for name in ("report.md", "report.html", "report.docx", "report.pdf"):
        assert run("export", "last", "-o", str(tmp_path / name)) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "All 48 adult cyp17a1 knockout zebrafish developed as males" in page
    assert "<script" not in page
    assert (tmp_path / "report.docx").read_bytes()[:2] == b"PK"
    assert (tmp_path / "report.pdf").read_bytes()[:5] == b"%PDF-"
    text = " ".join((tmp_path / "report.md").read_text(encoding="utf-8").replace("\\", "").split())
    assert all(" ".join(quote.split()) in text for quote in quotes)
