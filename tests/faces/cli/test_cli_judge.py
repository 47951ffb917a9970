"""`medground judge`: a scripted model over a real socket proves itself, or does not, and answers change accordingly."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_peer import ChatPeer, Sent, chat, prompt_of, refusal
from command_line import Said, run
from runs import write_lines

from medground.answering.verify.judges import has_last_word, judges_folder, measured_judges, with_measured
from medground.home.settings import Settings
from medground.values.answer import Answer

Peer = Callable[[dict[str, Any]], Sent]
MODEL = "openai:stub"
PAPERS = ({"id": "PMID:1", "title": "A trial", "text": "Aspirin significantly reduced the risk of stroke."},)
TRUTHS = {"support": "entails", "refute": "contradicts", "neutral": "neutral"}
WRITTEN = {"statements": [{"text": "Aspirin made strokes rarer.", "sentences": ["P1.S1"]}], "answer": ["yes"]}


WORDS = [truth for truth, count in {"support": 30, "refute": 25, "neutral": 14}.items() for _ in range(count)]
"""The truth of each statement, which is one of its words."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of public sets, as their owners publish them."""
    folder = tmp_path_factory.mktemp("data")
    files: dict[str, list[dict[str, Any]]] = {
        **{f"scifact/{name}.jsonl": [] for name in ("corpus", "claims_dev")},
        **{f"check_covid/{name}.json": [] for name in ("corpus", "covidCheck_dev_all")},
    }
    labels, trials, rows = {"support": "SUPPORT", "refute": "CONTRADICT"}, {}, []
    for n, word in enumerate(WORDS):
        claim, texts = f"Claim {n} is {word}.", [f"Finding {n}.", "More."]
        evidence = {str(n): [{"sentences": [0], "label": labels[word]}]} if word in labels else {}
        files["scifact/corpus.jsonl"].append({"doc_id": n, "title": f"T{n}", "abstract": texts})
        files["scifact/claims_dev.jsonl"].append({"id": n, "claim": claim, "cited_doc_ids": [n], "evidence": evidence})
        said = {"id": n, "claim": claim, "cord_id": f"c{n}", "evidence_set": [{"sent_index": 1}]}
        files["check_covid/corpus.json"].append({"cord_id": f"c{n}", "abstract": texts})
        label = {"neutral": "NOTENOUGHINFO"}.get(word, word.upper())
        files["check_covid/covidCheck_dev_all.json"].append(said | {"label": label})
        rows.append(f'{n},"Finding, {n}.",{claim},{word.title()}{"" if word == "neutral" else "s"}\n')
        if word in labels:
            kind = {"support": "Entailment", "refute": "Contradiction"}[word]
            named = {"Primary_id": f"NCT{n}", "Primary_evidence_index": [0], "Section_id": "Results"}
            trials[f"t{n}"] = {**named, "Statement": claim, "Label": kind}
            files[f"nli4ct/CT json/NCT{n}.json"] = [{"Results": [f"  Finding {n}."]}]
    files["nli4ct/dev.json"] = [trials]
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
    (folder / "healthver").mkdir()
    (folder / "healthver" / "healthver_dev.csv").write_text("id,evidence,claim,label\n" + "".join(rows))
    return folder


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Papers with findings."""
    told = "In trial {0}, pain was significantly reduced to {0} points, and it was longer in the other adults."
    return write_lines(tmp_path / "r.jsonl", [{"id": f"PMID:{n}", "text": told.format(n)} for n in range(100, 170)])


def judge(said: Callable[[str], str]) -> Peer:
    """A peer that writes one sentence, and judges statements and short answers as `said` does by their truth."""

    def answer(request: dict[str, Any]) -> Sent:
        prompt = prompt_of(request)
        quotes = dict(re.findall(r"^(E\d+) “(.*)”$", prompt, re.MULTILINE))
        if not (told := re.findall(r"^(S\d+)[^:\n]*: (.*)$", prompt, re.MULTILINE)):
            return chat(json.dumps(WRITTEN))
        found = []
        for name, text in told:
            changed = "In trial" in text and text not in quotes[f"E{name[1:]}"]
            truth = "refute" if changed else next((word for word in TRUTHS if f" is {word}" in text), "support")
            best = f"E{name[1:]}" if said(truth) in ("entails", "contradicts") else None
            found.append({"statement": name, "relation": said(truth), "best": best})
        put = re.search(r"Is this right\? (.*)", prompt)
        wrong = said("refute") == "contradicts" and put is not None and put[1] not in quotes["E1"]
        closed = {"found": ["no" if wrong else "yes"], "result": "contradicted" if wrong else "follows"}
        return chat(json.dumps({"statements": found, **(closed if "<answer>\n<item>" in prompt else {})}))

    return answer


GOOD = judge(TRUTHS.__getitem__)


def options(peer: ChatPeer) -> list[str]:
    sets = (f"model.base_url={peer.url}", "keys.openai=sk-test-0123456789", "model.cache=false")
    return [word for option in sets for word in ("--set", option)]


def measure(peer: ChatPeer, data: Path | None, *words: str | Path) -> int:
    given = [] if data is None else ["--data", str(data)]
    return run("judge", "measure", MODEL, *given, "--yes", "-q", *options(peer), *map(str, words))


@pytest.fixture
def ask(papers: Path, said: Said) -> Callable[..., tuple[Answer, str]]:
    def asked(peer: ChatPeer, *words: str) -> tuple[Answer, str]:
        models = ["--set", f"model.operators.read_and_answer={MODEL}", "--set", f"model.operators.check={MODEL}"]
        command = ["ask", "Does aspirin reduce strokes?", "-c", "papers", "-q", *options(peer), *models, *words]
        answer = Answer.model_validate_json(said(*command, "--json").out)
        return answer, " ".join(said(*command).out.split())

    return asked


@pytest.mark.usefixtures("loopback")
def test_a_judge_that_proves_itself_counts_from_then_on(
    data: Path,
    records: Path,
    ask: Callable[..., tuple[Answer, str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ChatPeer(GOOD) as peer:
        answer, shown = ask(peer)
        verdict = answer.statements[0].verdict
        assert (verdict.label, verdict.assessed) == ("not judged", "supported")
        assert (answer.decision.status, answer.decision.shown(), answer.decision.validated) == ("decided", "yes", False)
        assert answer.support is None
        assert "Written and checked by openai:stub (not validated here) from the quoted evidence." in shown
        assert "Aspirin made strokes rarer. [E1] ✓" in shown and "In line with" not in shown
        assert "judge measure" not in shown
        assert "Supported (openai:stub)" not in shown

        assert measure(peer, None, "--records", records) == 0
        told = capsys.readouterr()
        assert "160 pairs of 4 sets; to do: 70 calls, about" in told.err
        assert "not proven: it passed all, and a proof needs SciFact and 2 more public sets (--data)" in told.out
        assert "passed  planted: a short answer: right 100% (91% to 100%) of 40" in told.out
        unproven, shown = ask(peer)
        assert unproven.statements[0].verdict.label == "not judged"
        assert "more public sets (--data); measured here: 160 of 160 findings with and without planted errors" in shown

        assert measure(peer, data, "--records", records) == 0
        told = capsys.readouterr()
        assert "388 pairs of 8 sets; to do: 127 calls, about" in told.err
        assert "price unknown" in told.err
        assert "openai:stub" in told.out
        assert "proven: its verdicts count as supported and contradicted on this machine" in told.out
        assert told.out.count("passed  ") == 10

        proven, shown = ask(peer)
        verdict = proven.statements[0].verdict
        assert (verdict.label, verdict.assessed, proven.decision.validated) == ("supported", None, True)
        assert proven.support == 1.0
        assert "Aspirin made strokes rarer. [E1] ✓ All statements are supported." in shown
        assert "not validated here" not in shown
        assert "openai:stub was measured on 160 of 160 findings with and without planted errors right, SciFact" in shown
        assert proven.settings_hash != answer.settings_hash

        monkeypatch.setenv("MEDGROUND_KEYS__OPENAI", "sk-test-0123456789")
        assert run("ask", "--again", answer.trace_id, "-q", "--json") == 0
        again = Answer.model_validate(json.loads(capsys.readouterr().out)["answer"])
        assert again.settings_hash == answer.settings_hash
        assert again.statements[0].verdict.assessed == "supported", "as it was when it was asked"

        asked = len(peer.requests)
        assert measure(peer, data, "--records", records) == 0
        assert len(peer.requests) == asked, "nothing is asked twice"
    with ChatPeer(GOOD) as elsewhere:
        assert ask(elsewhere)[0].statements[0].verdict.label == "not judged", "another address is another model"
    assert run("judge", "list") == 0
    assert "SciFact dev: SUPPORT against CONTRADICT 100% (93% to 100%) of 48, guessing 50%" in capsys.readouterr().out
    assert run("judge", "list", "--json") == 0
    row, before = json.loads(capsys.readouterr().out)
    assert (row["model"], row["proven"], row["pairs"], before["proven"]) == (MODEL, True, 388, False)


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
def test_a_judge_that_cannot_tell_is_not_proven(
    data: Path, records: Path, home: Path, ask: Callable[..., tuple[Answer, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatPeer(judge(lambda truth: "entails")) as peer:
        assert measure(peer, data, "--records", records) == 0
        told = capsys.readouterr().out
        assert "not proven: no better than guessing on planted: a number, planted: a direction, planted: a nega" in told
        assert "FAILED  the statements it calls supported: right 42%" in told
        assert ask(peer)[0].statements[0].verdict.label == "not judged"
        settings = Settings.load(options={"model.default": MODEL, "model.base_url": peer.url})
        found = with_measured(settings).verify
        assert (found.measured_judges, found.unproven_judges) == ((), (MODEL,))
        assert has_last_word(MODEL, settings.verify)  # not measured, as far as these settings know
        assert not has_last_word(MODEL, found)
        assert has_last_word(MODEL, found.model_copy(update={"trusted_judges": (MODEL,)}))


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
def test_a_measurement_that_was_stopped_is_resumed(data: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls = 0

    def failing(request: dict[str, Any]) -> Sent:
        nonlocal calls
        calls += 1
        return refusal(400, "no more credit") if calls > 5 else GOOD(request)

    with ChatPeer(failing) as peer:
        assert measure(peer, data, "--concurrency", "1") == 1
        line = capsys.readouterr().err.splitlines()[-1]
        assert "no reply" in line
        assert "20 of 228 pairs are judged and kept; run the same command to resume" in line
        assert measured_judges(home) == []
        calls = -1000
        sheet = next(judges_folder(home).glob("*.jsonl"))
        with sheet.open("a", encoding="utf-8") as file:
            file.write('{"pair": "cut o')
        before = len(peer.requests)
        assert measure(peer, data) == 0
        assert "to do: 52 calls" in capsys.readouterr().err
        assert len(peer.requests) == before + 52
    assert measured_judges(home)[0].is_proven


@pytest.mark.usefixtures("loopback")
def test_a_model_that_answers_nonsense_or_a_wrong_key_costs_a_few_calls(
    data: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatPeer(chat("I would rather talk about the weather.")) as peer:
        assert measure(peer, data, "--set", "model.retries=0") == 1
        assert len(peer.requests) < 30
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("medground:")]
    assert "none of its first" in line
    assert "it is not a judge" in line
    with ChatPeer(refusal(401, "bad key")) as peer:
        assert measure(peer, data) == 2
        assert len(peer.requests) <= 8
    assert "rejected the key (HTTP 401)" in capsys.readouterr().err.splitlines()[-1]
    assert measured_judges(home) == []


def test_bad_input_is_one_line(
    data: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    key = ("--set", "keys.openai=sk-test-0123456789")
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, problem in (
        (("gpt", "--data", str(data)), "unknown model 'gpt'"),
        (("keyless", "--data", str(data)), "keyless compares words and is not a judge"),
        (("nli:x", "--data", str(data)), "nli:x is not a language model"),
        ((MODEL, "--data", str(data)), "needs OPENAI_API_KEY: set MEDGROUND_KEYS__OPENAI or OPENAI_API_KEY"),
        (
            (MODEL, "--data", str(tmp_path / "none"), *key),
            "none is not a folder; put the public sets into one: scifact/ from",
        ),
        ((MODEL, "--data", str(empty), *key), "empty has too few sets; a proof needs scifact and 2 more"),
        ((MODEL, *key), "no record with findings; name a corpus of papers with -c"),
        ((MODEL, "--data", str(data), *key), "no calls were made; add --yes to make them"),
    ):
        assert run("judge", "measure", *words) == 2
        err = capsys.readouterr().err.splitlines()
        assert problem in err[-1], err
        assert sum(line.startswith("medground:") for line in err) == 1
    assert not list(judges_folder(home).glob("*"))


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
def test_doctor_says_how_to_validate(data: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def told(peer: ChatPeer, **more: str) -> str:
        from medground.doctor import examine

        chosen = {"model.default": MODEL, "model.base_url": peer.url, "keys.openai": "sk-test-0123456789", **more}
        (check,) = [c for c in examine(Settings.load(options=chosen)) if c.what == f"judge {MODEL}"]
        return f"{check.state}: {check.note}"

    with ChatPeer(GOOD) as peer:
        assert told(peer).startswith('missing: not validated here, so its verdicts read "assessed by"; to validate it')
        assert f"medground judge measure {MODEL} --data FOLDER, with SciFact and 2 more public sets" in told(peer)
        assert told(peer, **{"verify.trusted_judges": MODEL}).startswith("ok: trusted by")
        assert measure(peer, data) == 0
        assert "SciFact dev 100% right" in told(peer) and told(peer).startswith("ok: proven here on ")
        assert told(peer, **{"model.temperature": "0.7"}).startswith("missing")
        record = next(judges_folder(home).glob("*.json"))
        content = json.loads(record.read_text(encoding="utf-8"))
        record.write_text(json.dumps({**content, "asked": "an earlier version"}), encoding="utf-8")
        assert "measured with the instructions of another version; measure it again" in told(peer)
