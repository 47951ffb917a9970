"""A fetched critic judges only what it proved, says when it is not sure, and shows what it read."""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row
from tiny_networks import LABELS, TinyBase, trained

from medground.answering.conclude.claim import CheckedClaim, check_claim
from medground.answering.verify.context import premise_spans
from medground.answering.verify.critic import Claim, Score
from medground.answering.verify.critics import check_critic
from medground.answering.verify.judges import ONE, SEVERAL, decides_from, domain, may_judge
from medground.answering.verify.trained_critic import WINDOWS, of_passages, of_windows, on_subject, telling
from medground.engine.opening import with_fetched
from medground.errors import ConfigError
from medground.home.settings import Settings
from medground.home.settings_groups import VerifySettings
from medground.models.available import make
from medground.models.operators.answering import AnswerOutput
from medground.models.operators.base import EvidenceView
from medground.models.operators.reasoning import SubClaim
from medground.models.pair_network import PairNetwork
from medground.recipes.ground.recipe import GROUND, ground
from medground.values.answer import Answer
from medground.values.document import Document

CLAIMS = [
    {"dataset": name, "pairs": 200, "accuracy": 0.82, "low": 0.76, "high": 0.87, "majority": 0.6}
    for name in ("SciFact dev", "Check-COVID dev", "Evidence Inference validation")
]
ASKED = [
    {**CLAIMS[0], "dataset": "eyes", "of": "questions", "kind": "several papers", "said": said}
    for said in ("", "yes", "no")
]
TRIAL = Document(
    id="PMID:1",
    title="Lens trial",
    text="The lens is short in people. The gene is the cause of the long lens. The aorta is not the cause.",
    year=2001,
)
ONE_PAPER = TRIAL.model_copy(update={"text": "The gene is the cause of the long lens."})
OTHER_TEXT = "In 40 families the gene was the cause of the long lens."
OTHER = TRIAL.model_copy(update={"id": "PMID:2", "title": "Lens study", "text": OTHER_TEXT})
QUESTION = "Is the gene the cause of the long lens?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The home of all rows of a test."""
    return tmp_path


@pytest.fixture
def critic(ship: Any, base: TinyBase, tmp_path: Path) -> Callable[..., str]:
    """Ships and makes a critic that always says one thing, with the probability that a bias gives it."""

    def fetched(says: str = "entails", bias: float = 9.0, least: str = "0.6", proofs: Any = (), **card: Any) -> str:
        tensors = trained(base.weights, len(LABELS))
        tensors["head.2.weight"] *= 0
        tensors["head.2.bias"] = np.array([bias if label == says else 0 for label in LABELS], np.float16)
        model = ship(tensors=tensors, about={"abstain_below": least}, card={"proofs": list(proofs), **card})
        make(model, tmp_path / "models")
        return str(model.name)

    return fetched


def settings(tmp_path: Path, **options: Any) -> Settings:
    return Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}, options=options)


def verified(make_run: Any, memory_source: Any, claim: str, *documents: Document, **options: Any) -> CheckedClaim:
    run = make_run(claim, sources=[memory_source(documents)], options={"verify.critic": "critic", **options})
    return asyncio.run(check_claim(run))


def asked(make_run: Any, memory_source: Any, question: str, *documents: Document, **more: Any) -> Answer:
    options = {"verify.critic": "critic"}
    run = make_run(question, sources=[memory_source(documents)], options=options, recipe=GROUND, **more)
    return asyncio.run(ground(run.question, run))


@each_row(
    ("proofs", "judges"),
    [
        (CLAIMS, True),
        (CLAIMS[:2], False),
        ([*CLAIMS[:2], {**CLAIMS[2], "low": 0.59}], False),
        ([*CLAIMS, {**CLAIMS[2], "low": 0.59}], False),
        ([*CLAIMS, {**CLAIMS[0], "of": "search", "low": 0.59}], False),
        ([], False),
    ],
)
def test_it_judges_if_it_passed_scifact_and_two_more_sets(critic: Any, folder: Path, proofs: Any, judges: bool) -> None:
    name = critic(proofs=proofs)
    assert may_judge(name, VerifySettings()) is judges
    assert not may_judge("keyless", VerifySettings()) and not may_judge("openai:gpt-5", VerifySettings())
    chosen = with_fetched(settings(folder))
    assert chosen.verify.critic == ("critic" if judges else "check")


def test_it_is_the_default_without_a_language_model_and_with_the_extra(
    critic: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = settings(tmp_path)
    assert with_fetched(plain) is plain
    critic(proofs=CLAIMS)
    assert with_fetched(plain).verify.critic == "critic"
    assert with_fetched(plain).hash != plain.hash
    assert with_fetched(with_fetched(plain)) == with_fetched(plain)
    for chosen in (
        {"verify.critic": "check"},
        {"model.default": "openai:gpt-5"},
        {"model.operators": {"check": "openai:gpt-5"}},
    ):
        named = settings(tmp_path, **chosen)
        assert with_fetched(named) is named
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert with_fetched(plain).verify.critic == "check"


def test_what_is_not_fetched_is_refused(ship: Any, tmp_path: Path) -> None:
    ship(card={"proofs": CLAIMS})
    assert with_fetched(settings(tmp_path)).verify.critic == "check"
    with pytest.raises(ConfigError, match="the critic critic has not been fetched; run: medground models fetch critic"):
        check_critic("critic", tmp_path / "models")


def test_a_proven_critic_gives_verdicts_and_says_what_it_was_measured_on(
    critic: Any, make_run: Any, memory_source: Any
) -> None:
    critic(proofs=CLAIMS)
    found = verified(make_run, memory_source, "The gene is the cause of the lens.", TRIAL)
    verdict = found.statements[0].verdict
    assert (verdict.label, verdict.critic) == ("supported", "critic")
    assert verdict.probability is not None
    assert verdict.probability > 0.9
    assert found.warnings == ("critic was measured on lenses; it may be wrong more often on other texts",)
    critic("contradicts", proofs=CLAIMS)
    for claim, label in {"The gene is long.": "contradicted", "The gene is a cause of asthma.": "not found"}.items():
        assert verified(make_run, memory_source, claim, TRIAL).statements[0].verdict.label == label


UNSURE = "critic is not certain enough to judge: it {} with a probability of 65%, and counts from {}"
ASSESSED = ""
UNKNOWN = "no text found mentions the subject of the statement; this is the nearest"


@each_row(
    ("made", "claim", "note"),
    [
        ({"proofs": CLAIMS[:2]}, "The gene is the cause.", ASSESSED),
        ({"bias": 2.0, "least": "0.9"}, "The gene is the cause.", UNSURE.format("supports", "90%")),
        ({"says": "contradicts", "bias": 2.0, "least": "0.9"}, "It is long.", UNSURE.format("contradicts", "90%")),
        ({"bias": 2.0, "judges_from": 0.7}, "The gene is the cause.", UNSURE.format("supports", "70%")),
        ({}, "The gene FBN1 is the cause of the lens.", UNKNOWN),
    ],
)
def test_where_it_does_not_judge_it_says_why(
    critic: Any, make_run: Any, memory_source: Any, made: Any, claim: str, note: str
) -> None:
    critic(**{"proofs": CLAIMS} | made)
    found = verified(make_run, memory_source, claim, TRIAL)
    verdict = found.statements[0].verdict
    assert (verdict.label, verdict.note, found.evidence[0].id) == ("not judged", note, verdict.best)


def test_the_quote_is_what_it_read(
    critic: Any, make_run: Any, memory_source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    critic(proofs=CLAIMS)
    read: list[tuple[str, str]] = []
    run_network = PairNetwork.probabilities

    def spied(self: PairNetwork, pairs: Any, *more: Any) -> Any:
        read.extend(pairs)
        return run_network(self, pairs, *more)

    monkeypatch.setattr(PairNetwork, "probabilities", spied)
    filler = " ".join(f"Sentence {n} tells of other things and of nothing else at all here." for n in range(9))
    long = TRIAL.model_copy(update={"text": f"{filler} {TRIAL.text} {filler}"})
    found = verified(make_run, memory_source, "The gene is the cause of the long lens.", long)
    assert len(read) == 2 * WINDOWS  # of each of the two passages
    quote = found.evidence[0]
    assert quote.quote in [premise for premise, _ in read]
    assert "The gene is the cause of the long lens." in quote.quote
    assert all(len(premise.split()) <= 90 for premise, _ in read)
    assert long.text[quote.start : quote.end] == quote.quote


@each_row(
    ("asked", "decides"),
    [
        (ASKED, True),
        (ASKED[:2], False),
        ([*ASKED[:2], {**ASKED[2], "low": 0.59}], False),
        ([{**ASKED[0], "stated": 0.9}, *ASKED[1:]], False),
        ([{**one, "kind": "one paper"} for one in ASKED], False),
    ],
)
def test_it_answers_questions_of_a_kind_on_which_it_passed_for_yes_and_for_no(
    critic: Any, folder: Path, asked: Any, decides: bool
) -> None:
    name = critic(proofs=[*CLAIMS, *asked], decides_from=0.9)
    assert decides_from(name, SEVERAL, VerifySettings())[0] == (0.9 if decides else None)
    assert decides_from(name, ONE, VerifySettings(trusted_judges=(name,)))[0] == 0.0
    assert decides_from(critic(proofs=asked), SEVERAL, VerifySettings())[0] is None


def test_a_closed_question_is_answered_from_the_findings_of_several_papers(
    critic: Any, make_run: Any, memory_source: Any
) -> None:
    fetched = {"proofs": [*CLAIMS, *ASKED], "decides_from": 0.9}
    critic(**fetched)
    answer = asked(make_run, memory_source, QUESTION, ONE_PAPER, OTHER)
    assert (answer.decision.status, answer.decision.basis, answer.decision.shown()) == ("decided", "critic", "yes")
    assert answer.decision.reason == (
        "“The gene is the cause of the long lens.” is supported by quotes of 2 papers below, as judged by critic; 82% "
        "of 200 such answers to eyes were right"
    )
    assert {s.verdict.label for s in answer.statements} == {"quoted"}
    critic("contradicts", **fetched)
    assert asked(make_run, memory_source, QUESTION, ONE_PAPER, OTHER).decision.shown() == "no"
    for unsure in ({"says": "neutral"}, {"bias": 2.0}):
        critic(**fetched, **unsure)
        answer = asked(make_run, memory_source, QUESTION, ONE_PAPER, OTHER)
        assert (answer.decision.status, answer.decision.reason) == ("not judged", "")


@each_row(
    ("proofs", "changed"),
    [
        ([*CLAIMS, *ASKED], {"id": TRIAL.id}),
        (ASKED, {}),
        (CLAIMS, {}),
        ([*CLAIMS, *ASKED], {"kind": "book"}),
        ([*CLAIMS, *ASKED], {"text": "The gene may be the cause of the long lens."}),
        ([*CLAIMS, *ASKED], {"text": "The gene was never the cause of the long lens."}),
        ([*CLAIMS, *ASKED], {"text": "We aimed to determine whether the gene is the cause of the long lens."}),
    ],
)
def test_it_answers_no_more_than_it_proved_and_the_quotes_report(
    critic: Any, make_run: Any, memory_source: Any, proofs: Any, changed: Any
) -> None:
    critic(proofs=proofs, decides_from=0.9)
    answer = asked(make_run, memory_source, QUESTION, ONE_PAPER, OTHER.model_copy(update=changed))
    assert answer.decision.status != "decided"


def test_quotes_that_disagree_decide_nothing(
    critic: Any, make_run: Any, memory_source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    critic(proofs=[*CLAIMS, *ASKED], decides_from=0.9)

    def split(self: PairNetwork, pairs: Any, *more: Any) -> Any:
        return np.array([[0.6, 0.3, 0.1] if "many" in premise else [0.03, 0.95, 0.02] for premise, _ in pairs])

    monkeypatch.setattr(PairNetwork, "probabilities", split)
    third = OTHER.model_copy(
        update={"id": "PMID:3", "text": "The gene is no cause of the long lens in many countries."}
    )
    assert asked(make_run, memory_source, QUESTION, ONE_PAPER, OTHER).decision.shown() == "yes"
    answer = asked(make_run, memory_source, QUESTION, ONE_PAPER, OTHER, third)
    assert (answer.decision.status, len(answer.evidence)) == ("not judged", 3)


def test_a_models_answer_is_not_shown_over_quotes_in_which_the_critic_reads_the_opposite(
    critic: Any, make_run: Any, memory_source: Any, scripted_model: Any
) -> None:
    critic("contradicts", proofs=CLAIMS)
    said = SubClaim(text=ONE_PAPER.text, sentences=("P1.S1",))
    model = scripted_model({"read_and_answer": AnswerOutput(statements=(said,), answer=("yes",))})
    answer = asked(make_run, memory_source, QUESTION, ONE_PAPER, model=model, by_model=("read_and_answer",))
    assert (answer.decision.status, answer.decision.shown()) == ("not judged", None)
    assert "\n\nThe model answered yes, and its check found no\n" in str(answer)


def test_domains_are_those_of_shipped_judges_with_the_sets_that_they_failed(critic: Any) -> None:
    assert domain("openai:gpt-5", Settings()) == ""
    failed = [{**CLAIMS[2], "dataset": name, "low": 0.59} for name in ("NLI4CT", "another")]
    named = critic(proofs=[*CLAIMS, *failed, {**ASKED[0], "low": 0.59}])
    assert domain(named, Settings()) == "lenses (no better than guessing on NLI4CT and another)"


TEXT = (
    "Heart failure is common in older adults. We enrolled 240 patients in a trial of dapagliflozin. They were seen "
    "every month. Dapagliflozin lowered the rate of death from heart failure by 17% compared with placebo. "
    "No patient was lost."
)
CLAIM = Claim("Dapagliflozin lowers death from heart failure.")
CHANCES = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda p: Score(p[0], p[1] * (1 - p[0])))


def windows(text: str, passage: int = 1) -> list[EvidenceView]:
    spans = premise_spans(text, "windows")
    return [EvidenceView(id=f"P{passage}.S{n}", quote=text[start:end]) for n, (start, end) in enumerate(spans, 1)]


def test_windows_with_the_finding_are_read() -> None:
    read = telling(CLAIM, windows(TEXT))
    assert len(read) == WINDOWS
    assert len(telling(CLAIM, windows("No patient was lost."))) == 1
    assert all("lowered the rate of death" in view.quote for view in read)


def test_passages_about_something_else_are_not_read() -> None:
    other = windows("Empagliflozin lowered the rate of death.", 2)
    titled = [
        view.model_copy(update={"title": "Dapagliflozin"}) for view in windows("It lowered the rate of death.", 3)
    ]
    assert on_subject(CLAIM, [*windows(TEXT), *other, *titled]) == [*windows(TEXT), *titled]
    assert on_subject(Claim("Drugs lower the rate of death."), other) == other


@given(st.lists(CHANCES, min_size=1, max_size=5))
def test_a_passage_says_as_much_as_its_most_telling_window(scores: list[Score]) -> None:
    whole = of_windows(scores)
    assert whole.entailment + whole.contradiction == pytest.approx(max(s.entailment + s.contradiction for s in scores))
    assert of_windows(scores[::-1]).entailment == pytest.approx(whole.entailment, abs=1e-9)
    if all(s.entailment > s.contradiction for s in scores):
        assert whole.entailment >= whole.contradiction
    assert math.isnan(of_windows([*scores, Score(math.nan, 0.1)]).entailment)
    assert of_windows([Score(0.0, 0.0)]).entailment == 0


def test_the_window_shown_agrees_with_the_score() -> None:
    views = windows(TEXT)[:3]
    shown, found = of_passages(views, [Score(0.9, 0.01), Score(0.02, 0.93), Score(0.85, 0.02)])
    assert shown == [views[0]]
    assert found[0].entailment > found[0].contradiction
    shown, found = of_passages([*views, EvidenceView(id="E1", quote="No.")], [*[Score(0.1, 0.1)] * 3, Score(0.2, 0.7)])
    assert [view.id for view in shown] == ["P1.S1", "E1"]
    assert (round(found[1].entailment, 3), round(found[1].contradiction, 3)) == (0.2, 0.7)
