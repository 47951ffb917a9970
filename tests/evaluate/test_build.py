"""Building a set: from the literature to files that other commands read, resumed where it stopped."""

import asyncio
import csv
import itertools
import json
import random
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_peer import ChatPeer, Sent, chat, prompt_of
from command_line import run as medground
from refusals import refused
from rows import each_row
from views import sentenced

from medground.answering.run import Run
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.errors import BadDocument, UsageError
from medground.home.settings import Settings
from medground.models.operators.base import InvalidOutput
from medground.values.document import Document
from medground_evaluate.build import file as files
from medground_evaluate.build import operators
from medground_evaluate.build.attempt import Rejected, Wanted, attempt, gives_away, too_easy
from medground_evaluate.build.make import FILE, Built, Plan, build_set, key_counts
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))

MakeRun = Callable[..., Run]
DRUGS = ("aspirin", "statin", "insulin", "zinc", "digoxin", "codeine", "lithium", "heparin", "quinine", "dopamine")
ORGANS = ("heart", "liver", "kidney", "lung", "spleen", "brain", "skin", "colon", "bone", "retina", "ear")
DOSES = ("early", "late", "oral", "inhaled", "topical", "repeated", "intravenous", "nightly")
MEASURES = ("blood flow", "oxygen use", "water content", "cell count", "pressure", "volume", "sodium", "temperature")
PEOPLE = ("older men", "young women", "children", "rats", "infants", "athletes", "smokers", "nurses")
PLACES = ("at night", "in winter", "after surgery", "during exercise", "at altitude", "on wards", "at home", "at sea")


TURNED = {"increased": "decreased", "decreased": "increased"}
"""What the scripted model exchanges in a finding, so that the paper does not say it."""


def _turned(text: str) -> str:
    return re.sub("|".join(TURNED), lambda found: TURNED[found[0]], text)


def _writes(asked: dict[str, Any]) -> Sent:
    """A model that divides nothing, quotes what papers found, and makes wrong options by turning a finding round."""
    form, told = asked["response_format"]["json_schema"]["name"], prompt_of(asked)
    block = re.compile(r"<(topic|right|wrong|option)>\n(.*?)\n</\1>", re.DOTALL)
    given = dict(block.findall(told))
    said = dict(re.findall(r"^(P\d+\.S\d+) (.+)$", told, re.MULTILINE))
    if form == "DivideOutput":
        name = "septic shock" if "septic" in told else given["topic"]
        return chat(json.dumps({"subtopics": [{"text": name, "keywords": name.split()}]}))
    if form == "BriefOutput":
        found = [{"text": text, "sentences": [one]} for one, text in said.items() if "creased the" in text]
        return chat(json.dumps({"findings": found[:12]}))
    if form == "CheckOptionOutput":
        shown = [one for one, text in said.items() if text in given["option"]]
        out = [one for one, text in said.items() if _turned(text) in given["option"]]
        says = "ruled out" if out else "shown" if shown else "silent"
        return chat(json.dumps({"sentences": (out or shown)[:6], "says": says}))
    findings = re.findall(r"<id>(F\d+)</id>\n<text>(.*?)</text>", told)
    right, wrong = int(given["right"]), int(given["wrong"])
    options = [
        {"text": text if n < right else _turned(text), "right": n < right, "findings": [one]}
        for n, (one, text) in enumerate(findings[: right + wrong])
    ]
    return chat(json.dumps({"question": f"What do studies of {given['topic']} report?", "options": options}))


@pytest.fixture
def settings(home: Path, tmp_path: Path, loopback: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings that search a corpus of small papers on septic shock: half of their findings go up, half down."""
    drawn = random.Random(1)
    records = []
    for n, (drug, organ) in enumerate(itertools.product(DRUGS, ORGANS)):
        some = [drawn.choice(words) for words in (DOSES, MEASURES, PEOPLE, PLACES)]
        verb = "increased" if n % 2 else "decreased"
        told = f"In septic shock, {some[0]} {drug} {verb} the {some[1]} of the {organ} in {some[2]} {some[3]}."
        text = f"We studied {organ} tissue. {told}"
        records.append({"id": f"PAPER:{n}", "title": f"{drug} for the {organ} in septic shock", "text": text})
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    build(Library(home), "sepsis", find_inputs([file]))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ChatPeer(_writes) as peer:
        monkeypatch.setenv("MEDGROUND_MODEL__BASE_URL", peer.url)
        yield Settings.load(options={"retrieval.corpora": ("sepsis",), "model.default": "openai:stub"})


MODEL = ("--model", "openai:stub")
PLAN = Plan(topics=("septic shock",), count=10, subtopics=1, papers=200, top=200, tries=8)


def _built(plan: Plan, settings: Settings, folder: Path) -> Built:
    return asyncio.run(build_set(plan, settings, folder))


def test_a_set_is_built_balanced_proved_and_read_by_other_commands_and_a_stopped_build_ends_the_same(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, stopped = tmp_path / "set", tmp_path / "stopped"
    plan = ["--count", "10", "--tries", "8", "--subtopics", "1", "--papers", "200", "--top", "200", "-q"]
    assert medground("eval", "build", str(out), "--topic", "septic shock", "-c", "sepsis", *MODEL, *plan) == 0
    said = capsys.readouterr().out
    assert "10 of 10 questions" in said and "the set passes" in said
    assert (out / "audit.json").exists()
    content = (out / FILE).read_bytes()
    built = _built(PLAN, settings, out)
    assert (out / FILE).read_bytes() == content  # nothing was asked again
    assert (len(built.questions), built.missing) == (10, {})
    assert set(key_counts(built.questions).values()) == {1}  # each of the ten sets of letters once
    with Library(settings.home).open("sepsis") as snapshot:
        texts = {document.id: document.text for document in snapshot.all_documents()}
    for question in built.questions:
        for option in question.options:
            assert option.checked == ("shown" if option.right else "ruled out")
            assert option.proofs
            for proof in option.proofs:
                assert texts[proof.document_id][proof.start : proof.end] == proof.quote
                assert (option.text == proof.quote) is option.right
    own = open_dataset("jsonl")
    assert [item.gold for item in own.read(out / "questions.jsonl", "test")] == [one.key for one in built.questions]
    authors = open_dataset("biomedmcqs")
    as_text = list(authors.read(authors.find(out), "test"))
    assert [item.question.options for item in as_text] == [one.item().question.options for one in built.questions]
    assert [item.gold for item in as_text] == [one.key for one in built.questions]
    rows = _rows(out)
    assert len(rows) == 40 and {row["key"] for row in rows} == {"right", "wrong"}

    stopped.mkdir()
    (stopped / FILE).write_bytes(content[: int(len(content) * 0.9)])  # killed in the middle of a line
    assert _built(PLAN, settings, stopped).questions == built.questions
    with pytest.raises(UsageError, match="has different options"):
        _built(Plan(topics=("septic shock",), count=11), settings, stopped)


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "review.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_level_2_random_topics_and_what_cannot_be_made(settings: Settings, tmp_path: Path) -> None:
    plan = Plan(random_topics=1, levels=(2,), count=4, subtopics=2, papers=200, top=200, tries=8, rounds=0)
    built = _built(plan, settings, tmp_path / "two")
    assert {question.topic for question in built.questions} == {"septic shock"}
    assert [question.level for question in built.questions] == [2] * 4

    built = _built(Plan(topics=("whales",), count=3, papers=5, top=5), settings, tmp_path / "none")
    assert (built.questions, built.missing) == ((), {"too few findings are left": 3})
    assert medground("eval", "build", str(tmp_path / "x"), "-c", "sepsis", *MODEL, "--topic", "whales", "-q") != 0

    refused(UsageError, "no topic", lambda: _built(Plan(), settings, tmp_path))
    keyless = settings.with_options({"model.default": "keyless"})
    refused(UsageError, "name one with --model", lambda: _built(PLAN, keyless, tmp_path / "keyless"))


ASPIRIN = Document(id="PAPER:1", title="Aspirin", text="Aspirin lowered fever in children. Aspirin was given by mouth.")
ZINC = Document(id="PAPER:2", title="Zinc", text="Zinc raised the plasma level of copper in rats.")
FINDINGS = tuple(
    files.Finding(text=one.text, proofs=(files.Proof(document_id=one.id, start=0, end=end, quote=one.text[:end]),))
    for one, end in ((ASPIRIN, 34), (ZINC, 47))
)
WANTED = Wanted("L1-1-1", 1, files.SubTopic(topic="t", text="drugs", keywords=("drug",)), ("B",), 2, FINDINGS)
WRITTEN = operators.WriteQuestionOutput(
    question="What do trials of old drugs show?",
    options=(
        operators.WrittenOption(text="Aspirin lowered the fever of children.", right=True, findings=("F1",)),
        operators.WrittenOption(text="Zinc lowered the copper level of rats.", right=False, findings=("F2",)),
    ),
)


def _attempt(
    make_run: MakeRun, memory_source: Any, scripted_model: Any, says: dict[str, str], there: list[Item] | None = None
) -> files.BuiltQuestion:
    def check(value: Any) -> operators.CheckOptionOutput:
        said = says[value.option.split()[0]]
        ids = tuple(p.sentences[0].id for p in value.passages if p.title == value.option.split()[0])
        return operators.CheckOptionOutput.model_validate({"sentences": ids if said != "silent" else (), "says": said})

    model = scripted_model({"write_choice_question": lambda value: WRITTEN, "check_option": check})
    run = make_run("drugs", [memory_source([ASPIRIN, ZINC])], model, by_model=["write_choice_question", "check_option"])
    return asyncio.run(attempt(WANTED, there or [], run))


def test_a_models_question_gets_the_wanted_letters_if_the_second_check_bears_it_out(
    make_run: MakeRun, memory_source: Any, scripted_model: Any
) -> None:
    makers = make_run, memory_source, scripted_model
    made = _attempt(*makers, {"Aspirin": "shown", "Zinc": "ruled out"})
    assert (made.key, made.written_by, made.checked_by) == (("B",), "scripted:model", "scripted:model")
    assert made.options[0].text == "Zinc lowered the copper level of rats."
    assert [proof.document_id for proof in made.options[1].proofs] == ["PAPER:1"]
    for says, reason in (
        ({"Aspirin": "silent", "Zinc": "ruled out"}, "says silent of a right option"),
        ({"Aspirin": "shown", "Zinc": "shown"}, "says shown of a wrong option"),
        ({"Aspirin": "shown", "Zinc": "ruled out"}, "nearly the same as L1-1-1"),
    ):
        with pytest.raises(Rejected, match=reason):
            _attempt(*makers, says, [made.item()])


def _question(*options: tuple[str, bool], text: str = "What is true?", number: int = 0) -> files.BuiltQuestion:
    built = tuple(
        files.BuiltOption(
            letter="ABCD"[n], text=said, right=right, checked="shown" if right else "ruled out", proofs=()
        )
        for n, (said, right) in enumerate(options)
    )
    known = {"level": 1, "topic": "t", "subtopic": "t", "written_by": "keyless", "checked_by": "keyless"}
    return files.BuiltQuestion.model_validate({**known, "id": f"Q{number}", "question": text, "options": built})


@each_row(("options", "reason"), TABLES["telling options"])
def test_what_marks_right_or_wrong_options_alike_is_rejected(options: list[tuple[str, bool]], reason: str) -> None:
    found = gives_away(_question(*options))
    assert reason in found
    assert bool(found) is bool(reason)
    told = _question(("It helps men.", True), ("It harms men.", False), text="What does the context describe?")
    assert "a context that is not shown" in gives_away(told)


@pytest.mark.slow
def test_a_set_that_option_texts_give_away_is_found_out() -> None:
    pytest.importorskip("sklearn")
    keys = files.answer_sets()

    def clued_option(n: int, letter: str) -> tuple[str, bool]:
        right = letter in keys[n % 10]
        return f"Drug {n} {'helps' if right else 'harms'} organ {letter} {n}.", right

    clued = [_question(*(clued_option(n, letter) for letter in "ABCD"), number=n).item() for n in range(60)]
    assert len(too_easy(clued)) == 15  # at most a quarter at once
    assert too_easy(clued[:20]) == []  # too few to say


HEAD = files.Head(options={}, models={}, settings_hash="0")


def test_the_file_of_a_build(tmp_path: Path) -> None:
    first = _question(("It helps men.", True), ("It harms men.", False), number=1)
    with files.BuildFile(tmp_path / FILE, HEAD) as file:
        file.add(files.Line(slot=0, attempt=1, question=first))
        assert file.questions() == {0: first}
        file.add(files.Line(dropped=("Q1",)))
        assert (file.questions(), file.attempts(0)) == ({}, [])
    with files.BuildFile(tmp_path / FILE, HEAD) as file:
        assert (file.questions(), file.attempts(0)) == ({}, [])

    (tmp_path / FILE).write_text("nonsense", encoding="utf-8")
    refused(UsageError, "is not the file of a build", files.BuildFile, tmp_path / FILE, HEAD)
    assert (tmp_path / FILE).read_text(encoding="utf-8") == "nonsense"
    (tmp_path / FILE).write_text('{"options":{},"models":{},"settings_hash":"0"}\n{"slot":"x"}\n', encoding="utf-8")
    with pytest.raises(BadDocument) as damaged:
        files.BuildFile(tmp_path / FILE, HEAD)
    assert damaged.value.position == 2

    files.write_set([_question(("=1+1 helps men.", True), ("It harms men.", False))], None, tmp_path)
    rows = _rows(tmp_path)
    assert rows[0]["option text"] == "'=1+1 helps men."


def test_findings_of_a_model_name_sentences_of_one_paper() -> None:
    value = operators.BriefInput(topic="t", level=1, papers=tuple(sentenced(name, "It rose.") for name in ("P1", "P2")))
    for sentences in (["P9.S1"], ["P1.S1", "P2.S1"]):
        found = {"findings": [{"text": "It rose in all of them.", "sentences": sentences}]}
        with pytest.raises(InvalidOutput):
            operators.brief_papers.check(value, operators.BriefOutput.model_validate(found))


@each_row(
    ("question", "options"),
    [
        (" ", ["lowers", "raises"]),
        ("What does aspirin do?", ["lowers"]),
        ("What does aspirin do?", ["lowers", "LOWERS"]),
        ("What does aspirin do?", ["lowers", "F9"]),
    ],
)
def test_a_question_of_a_model_has_the_form_that_was_asked(question: str, options: list[str]) -> None:
    findings = (operators.FindingView(id="F1", text="Aspirin lowers fever."),)
    value = operators.WriteQuestionInput(topic="t", level=1, right=1, wrong=1, findings=findings)
    written = [
        {"text": f"Aspirin {verb} fever.", "right": not n, "findings": ["F9" if verb == "F9" else "F1"]}
        for n, verb in enumerate(options)
    ]
    with pytest.raises(InvalidOutput):
        operators.write_choice_question.check(
            value, operators.WriteQuestionOutput.model_validate({"question": question, "options": written})
        )
