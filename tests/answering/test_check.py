"""Verification: who may judge, how retracted papers count, what the policy releases."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from rows import each_row
from scripted_capable import Asked, checks, says

from medground.answering.run import Run
from medground.answering.verify.check import check_each
from medground.errors import ModelFailed
from medground.models.operators.checking import StatementCheck
from medground.values.document import Document, Hit, Passage
from medground.values.evidence import Sentence
from medground.values.statement import Verdict


async def check_all(*given: Any, **named: Any) -> list[Verdict]:
    return [one.verdict for one in await check_each(*given, **named)]


MakeRun = Callable[..., Run]
PAPER = Document(id="PMID:1", text="Aspirin lowered the risk of stroke. Bleeding rose.")
WITHDRAWN = Document(id="PMID:2", text="Aspirin cures stroke.", retraction="retracted")


def prepared(run: Run) -> Run:
    run.ledger.admit([PAPER, WITHDRAWN])
    run.ledger.quote("PMID:1", 0, 35)
    run.ledger.quote("PMID:2", 0, 21)
    return run


def verdict(run: Run, text: str, *evidence: str) -> Verdict:
    return asyncio.run(check_all([Sentence(text=text, evidence=evidence)], prepared(run)))[0]


@pytest.fixture
def judge(make_run: MakeRun, scripted_model: Any) -> Callable[..., tuple[Run, Any]]:
    """A run whose critic is a model with this reply, and the model; trusted unless said otherwise."""

    def opened(reply: Any, *, trusted: bool = True, name: str = "scripted:model", **options: Any) -> tuple[Run, Any]:
        model = scripted_model({"check": reply}, name=name)
        options |= {"verify.trusted_judges": (name,)} if trusted else {}
        return make_run("q1?", model=model, by_model=["check"], options=options), model

    return opened


ENTAILS = says("entails", "E1")


def test_words_alone_quote_and_never_support(make_run: MakeRun) -> None:
    found = verdict(make_run("q1?"), "Aspirin  lowered the risk of stroke.", "E1")
    assert (found.label, found.best) == ("quoted", "E1")
    assert verdict(make_run("q1?"), "The risk of stroke was lowered by aspirin.", "E1").label == "related"
    run = make_run("q1?")
    found = in_context(run, "Warfarin lowered the risk of stroke by a third.", hits(PAPER, LONG))
    assert found.label == "related"
    assert next(e.quote for e in run.ledger.evidence if e.id == found.best).startswith("Warfarin lowered")


@each_row(
    ("relation", "trusted", "label"),
    [
        ("entails", True, "supported"),
        ("contradicts", True, "contradicted"),
        ("entails", False, "not judged"),
        ("contradicts", False, "not judged"),
        ("related", True, "related"),
        ("neutral", True, "not found"),
    ],
)
def test_only_a_judge_says_supported(judge: Any, relation: Any, trusted: bool, label: str) -> None:
    run, _ = judge(says(relation, "E1"), trusted=trusted)
    found = verdict(run, "Aspirin helps.", "E1")
    assert found.label == label
    assert found.flags == (("contradiction",) if (relation, trusted) == ("contradicts", False) else ())


def test_retracted_papers_support_nothing(judge: Any) -> None:
    run, model = judge(ENTAILS)
    assert verdict(run, "Aspirin cures stroke.", "E2").label == "not found"
    assert model.seen == []
    verdict(run, "Aspirin helps.", "E1", "E2")
    assert [e.id for e in model.seen[0][1].evidence] == ["E1"]
    run, model = judge(says("entails", "P1"))
    assert in_context(run, "Aspirin is a cure.", hits(WITHDRAWN), "E1").label == "not found"
    assert model.seen == []
    found = in_context(judge(ENTAILS)[0], "Aspirin is a cure.", hits(PAPER), "E2")  # the context does not save it
    assert (found.label, found.critic) == ("not found", "retraction")


@each_row("probability", [None, float("nan"), float("inf"), -0.1, 1.5])
def test_a_critic_that_fails_leaves_the_sentence_unverified(judge: Any, probability: float | None) -> None:
    failed = ModelFailed("timed out", model="scripted:model")
    said = says("entails", probabilities={"entails": probability}) if probability else failed
    run, _ = judge(said)
    assert verdict(run, "Aspirin helps.", "E1").label == "unverified"
    assert probability or run.warnings == ["a sentence could not be verified: scripted:model: timed out"]


LONG = Document(
    id="PMID:3",
    title="Warfarin",
    text="We treated 200 adults. Warfarin lowered the risk of stroke by half. Bleeding was rare.",
)


def hits(*documents: Document) -> list[Hit]:
    """Each document as one passage, in the order given."""
    same = ("text", "title", "retraction")
    passages = [
        Passage(document_id=d.id, start=0, end=len(d.text), **{name: getattr(d, name) for name in same})
        for d in documents
    ]
    return [Hit(passage=one, ranker="bm25", rank=rank, score=1.0) for rank, one in enumerate(passages, start=1)]


def in_context(run: Run, text: str, context: list[Hit], *evidence: str) -> Verdict:
    prepared(run).ledger.admit([LONG])
    return asyncio.run(check_all([Sentence(text=text, evidence=evidence)], run, context=context))[0]


def reads(phrase: str) -> Any:
    """A judge that finds any statement entailed by a passage with a certain phrase."""

    def judge(asked: Asked) -> StatementCheck:
        best = next((e.id for e in asked.evidence if phrase in e.quote), None)
        return asked.is_("entails" if best else "neutral", best)

    return checks(judge)


def test_a_context_is_compared_whole_and_its_nearest_sentence_becomes_a_quote(judge: Any) -> None:
    run, model = judge(reads("Warfarin lowered"))
    run.ledger.admit([PAPER])
    run.ledger.quote("PMID:1", 0, 35)
    found = in_context(run, "The risk of stroke was halved by warfarin.", hits(PAPER, LONG, WITHDRAWN), "E1")
    quote = next(e for e in run.ledger.evidence if e.id == found.best)
    assert quote.quote == "Warfarin lowered the risk of stroke by half."
    assert (quote.document_id, quote.rank) == ("PMID:3", 2)
    assert [[p.id for p in value.evidence] for _, value in model.seen] == [["P1", "P2"]]


@each_row(
    ("cited", "label", "best"),
    [
        ((0, 35), "supported", "E1"),  # the passage that it cites says it
        (None, "partly", "E4"),  # another passage does
    ],
)
def test_support_by_the_context_but_not_the_citation_is_a_wrong_citation(
    judge: Any, cited: tuple[int, int] | None, label: str, best: str
) -> None:
    run, model = judge(reads("Bleeding rose"))
    run.ledger.admit([PAPER, LONG])
    run.ledger.quote(*(("PMID:1", *cited) if cited else ("PMID:3", 0, 22)))
    found = in_context(run, "Bleeding became more frequent.", hits(PAPER, LONG), "E1")
    assert (found.label, found.best) == (label, best)
    assert ("citation" in found.flags) == (label == "partly")
    assert len(model.seen) == 1


@each_row("question", ["Did aspirin lower it?", "“Does it?”", "Does it? )", "（它有效吗？）", "هل هو؟"])
def test_a_question_in_any_quotation_marks_is_not_a_statement(judge: Any, question: str) -> None:
    run, model = judge(ENTAILS)
    found = verdict(run, question, "E1")
    assert (found.label, found.note, model.seen) == ("not found", "it is a question, not a statement", [])


@each_row(("first", "seen"), [(1, ["P1"]), (2, ["P1", "P2"]), (5, ["P1", "P2"]), (None, ["P1", "P2"])])
def test_only_the_first_passages_count(judge: Any, first: int | None, seen: list[str]) -> None:
    run, model = judge(says("neutral"), trusted=False, **({"verify.context": first} if first else {}))
    in_context(run, "Warfarin helps.", hits(PAPER, LONG))
    assert [p.id for p in model.seen[0][1].evidence] == seen


HEDGED = Document(id="PMID:9", text="Aspirin may prevent stroke.")


def overclaimed(run: Run, text: str = "Aspirin may always prevent stroke.") -> Verdict:
    run.ledger.admit([HEDGED])
    run.ledger.quote("PMID:9", 0, 27)
    return asyncio.run(check_all([Sentence(text=text, evidence=("E1",))], run))[0]


@each_row(
    ("told", "label", "flags"),
    [
        ("entails", "not found", ("strong",)),
        ("Aspirin will prevent it", "not found", ("strong",)),
        ("prevent stroke", "supported", ()),
        ("related", "related", ("strong",)),
        ("failed", "unverified", ()),
    ],
)
def test_a_capable_judge_that_insists_on_a_doubt_must_copy_the_words_that_settle_it(
    judge: Any, told: Any, label: str, flags: tuple[str, ...]
) -> None:
    failed = ModelFailed("timed out", model="openai:large")
    is_relation = told in ("entails", "related")
    said = says(told, "E1") if is_relation else says("entails", "E1", settles=told)
    run, model = judge(failed if told == "failed" else said, name="openai:large")
    found = overclaimed(run)
    assert (found.label, found.flags) == (label, flags)
    ((_, value),) = model.seen
    assert value.statements[0].doubts == ("it is more certain than its source, which does not say `always`",)


def test_a_doubt_that_is_often_wrong_is_put_to_the_judge_and_no_more(judge: Any) -> None:
    run, model = judge(says("entails", "E1"), name="openai:large")
    assert (overclaimed(run, "Aspirin prevents stroke.").label, model.seen[0][1].statements[0].doubts) == (
        "supported",
        ("it is more certain than its source, which says `may`",),
    )


@each_row(("name", "settles", "flags"), [("openai:large", "prevent stroke", ()), ("local:small", "", ("strong",))])
def test_word_filters_overrule_a_small_judge_only(judge: Any, name: str, settles: str, flags: tuple[str, ...]) -> None:
    run, model = judge(says("entails", "E1", settles=settles), name=name, trusted=False)
    found = overclaimed(run)
    assert (found.label, found.flags, len(model.seen)) == ("not judged", flags, 1)


def test_the_critics_judgement_is_kept_with_the_verdict(judge: Any) -> None:
    run = prepared(judge(ENTAILS, trusted=False)[0])
    cited = {"Aspirin lowered the risk of stroke.": ("E1",), "Aspirin helps.": ("E1",), "Aspirin is cheap.": ()}
    found = asyncio.run(check_each([Sentence(text=text, evidence=ids) for text, ids in cited.items()], run))
    assert [c.judgement.relation if c.judgement else None for c in found] == [None, "entails", None]
    assert [c.verdict.label for c in found] == ["quoted", "not judged", "not found"]


@each_row(
    ("claim", "label"),
    [
        ("Aspirin lowers the risk of stroke.", "supported"),
        ("Acetylsalicylic acid lowers the risk of strokes.", "supported"),
        ("Aspirin lowers the risk of postpartum haemorrhage.", "partly"),  # the judge was told, and insists
    ],
)
def test_a_quote_that_does_not_mention_its_subject_supports_no_statement_in_full(
    judge: Any, claim: str, label: str
) -> None:
    assert verdict(judge(ENTAILS)[0], claim, "E1").label == label
