"""`medground ask` with an NLI model as critic: its verdicts count only if it is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rows import each_row

from medground.answering.verify.nli.open import open_nli
from medground.faces.cli.app import main
from medground.testing.chat_peer import ChatPeer, chat
from medground.values.answer import Answer

Write = Callable[..., str]
TEXT = "The lens is short."
STATED = ("The lens is the cause.", "The aorta is short.", "The gene is short.")
SAID = {"yes": "supported", "no": "contradicted", "neither": "not found"}


def relation(model: str, statement: str) -> str:
    """What the model itself says of a statement about the text."""
    score = open_nli(model).score([(TEXT, statement)])[0]
    if score.contradiction >= 0.5:
        return "no"
    return "yes" if score.entailment >= 0.5 else "neither"


def ask(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["ask", "Is the lens short?", "--corpus", "papers", "--quiet", *words])
    return int(stopped.value.code or 0)


@pytest.fixture
def papers(home: Path, tmp_path: Path) -> None:
    """A corpus of one paper."""
    file = tmp_path / "papers.jsonl"
    file.write_text(json.dumps({"id": "PMID:1", "title": "The lens", "text": TEXT}), encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["corpus", "build", "papers", str(file), "--quiet"])
    assert not stopped.value.code


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("papers", "loopback")
@each_row("runtime", ["onnx_model", "torch_model"])
@each_row("trusted", [True, False])
def test_an_nli_model_judges_what_a_model_wrote(
    runtime: str, trusted: bool, request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]
) -> None:
    model = request.getfixturevalue(runtime)()
    relations = [relation(model, statement) for statement in STATED]
    assert sorted(relations) == ["neither", "no", "yes"]
    written = {"sentences": [{"text": text, "evidence": ["E1"]} for text in STATED], "answer": []}
    with ChatPeer(chat(json.dumps(written))) as peer:
        options = [f"model.base_url={peer.url}", "model.operators.write=openai:stub", "keys.openai=sk-test-012345"]
        options += [f"verify.critic=nli:{model}", *([f"verify.trusted_judges=nli:{model}"] if trusted else [])]
        sets = [part for option in options for part in ("--set", option)]
        capfd.readouterr()
        assert ask(*sets, "--json") == 0
        out, err = capfd.readouterr()
        answer = Answer.model_validate_json(out)
        assert ask(*sets) == 0
    shown = capfd.readouterr().out
    assert "Traceback" not in err
    labels = {s.text: s.verdict.label for s in answer.statements}
    assert {d.text for d in answer.dropped} == {t for t, said in zip(STATED, relations, strict=True) if said == "no"}
    if trusted:
        assert [labels.get(text, "contradicted") for text in STATED] == [SAID[said] for said in relations]
        assert "Supported (nli:" in shown
    else:
        assert [labels.get(text, "contradicted") for text in STATED] == [
            "not judged" if said == "yes" else SAID[said] for said in relations
        ]
        assert answer.support is None
        assert "Supported (nli:" not in shown
        assert "(not validated here): in line with the quote" in " ".join(shown.split())
