"""Reason and Verify: Algorithm 1 line by line, keyless and with a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.answer import Answer
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.document import Document, Hit, Passage
from medground.errors import ConfigError
from medground.lookup import Found, Lookup, Ranker
from medground.operators.keyless.rewriting import rewrite as rewrite_without_model
from medground.operators.reasoning import DirectOutput, ReasonOutput, SubClaim, direct, reason
from medground.operators.rewriting import RewriteOutput
from medground.operators.verifying import EntailOutput
from medground.query import Filters
from medground.question import Question
from medground.rank.calibrate import calibrations, evidence_score, overlap
from medground.recipes.reason_and_verify import REASON_AND_VERIFY
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.run import Run
from medground.settings import Settings
from medground.sources.corpus import CorpusSource
from medground.text import words

MakeRun = Callable[..., Run]
QUESTION = "Does aspirin prevent myocardial infarction in adults with hypertension?"
PAPERS = [
    Document(
        id=f"PMID:{number}",
        title=f"Aspirin and {outcome}",
        text=f"We studied aspirin and {outcome} in adults with hypertension. {result} Town {number * 91} took part.",
        year=2000 + number,
        retraction="retracted" if number == 9 else "none",
    )
    for number, (outcome, result) in enumerate(
        [
            ("myocardial infarction", "Aspirin prevented myocardial infarction significantly."),
            ("stroke", "Stroke did not change in this cohort."),
            ("myocardial infarction", "Myocardial infarction (MI) fell by a fifth with aspirin."),
            ("gout", "Gout attacks became more frequent."),
            ("asthma", "Asthma worsened in some children."),
            ("migraine", "Migraine was less frequent."),
            ("headache", "Headache went away within hours."),
            ("fever", "Fever fell."),
            ("myocardial infarction", "Myocardial infarction vanished altogether with aspirin."),
        ],
        start=1,
    )
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("home"))
    build(library, "heart", [Input("papers", "test", "1", lambda skip: iter(PAPERS[skip:]))])
    return library


def answered(make_run: MakeRun, corpus: Library, text: str = QUESTION, **more: Any) -> tuple[Answer, Run]:
    with corpus.open("heart") as snapshot:
        options = {"recipe.name": "reason-and-verify", **more.pop("options", {})}
        run = make_run(text, [CorpusSource(snapshot)], options=options, recipe=REASON_AND_VERIFY, **more)
        return asyncio.run(REASON_AND_VERIFY.run(run.question, run)), run


def spans(tmp_path: Path, name: str) -> list[dict[str, Any]]:
    lines = (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()
    return [span["attributes"] for span in map(json.loads, lines) if span["name"] == name]


def cited(value: Any, phrase: str) -> str:
    """Id of the first sentence that holds a phrase."""
    return next(s.id for p in value.passages for s in p.sentences if phrase in s.text)


def reasons(value: Any) -> ReasonOutput:
    return ReasonOutput(
        claims=(
            SubClaim(text="Aspirin prevented  infarction.", sentences=(cited(value, "prevented myocardial"),)),
            SubClaim(text="Infarction fell by a fifth.", sentences=(cited(value, "by a fifth"),)),
        ),
        answer=("yes",),
    )


def entails(value: Any) -> EntailOutput:
    return EntailOutput(relation="entails", best=value.evidence[0].id)


def test_without_a_model_the_rationale_is_quoted_from_the_sources(make_run: MakeRun, corpus: Library) -> None:
    answer, run = answered(make_run, corpus)
    assert answer.statements
    assert {s.verdict.label for s in answer.statements} == {"quoted"}
    for quote in answer.evidence:
        assert run.ledger.documents[quote.document_id].text[quote.start : quote.end] == quote.quote
    assert answer.decision.status in ("lean", "not judged")
    assert run.answered_by["reason"] == "keyless"
    assert "rewrite" not in run.answered_by


def test_a_model_reasons_from_five_passages_and_each_part_is_verified(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"reason": reasons, "entail": entails})
    answer, run = answered(
        make_run,
        corpus,
        model=model,
        by_model=["reason", "entail"],
        options={"verify.trusted_judges": (model.name,), "verify.taxonomy": False},
    )
    (asked,) = [value for name, value in model.seen if name == "reason"]
    assert [p.id for p in asked.passages] == ["P1", "P2", "P3", "P4", "P5"]
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert [s.text for s in answer.statements] == ["Aspirin prevented infarction.", "Infarction fell by a fifth."]
    assert [s.verdict.label for s in answer.statements] == ["supported", "supported"]
    first = answer.statements[0].evidence[0]
    quote = next(e for e in answer.evidence if e.id == first)
    document = run.ledger.documents[quote.document_id]
    assert document.text[quote.start : quote.end] == "Aspirin prevented myocardial infarction significantly."


def test_statements_are_compared_with_the_passages_of_the_context(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"reason": reasons, "entail": entails})
    for context, premises in ((None, 5), (2, 2)):
        options: dict[str, Any] = {"verify.taxonomy": False, **({"verify.context": context} if context else {})}
        model.seen.clear()
        answered(make_run, corpus, model=model, by_model=["reason", "entail"], options=options)
        seen = [len(value.evidence) for name, value in model.seen if name == "entail"]
        assert set(seen) == {premises, 1}  # then its citation


def test_vanilla_rag_answers_at_once(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    def at_once(value: Any) -> DirectOutput:
        claim = SubClaim(text="Aspirin prevents it.", sentences=(cited(value, "prevented myocardial"),))
        return DirectOutput(answer=("yes",), claims=(claim,))

    model = scripted_model({"direct": at_once, "entail": entails})
    answer, run = answered(
        make_run,
        corpus,
        model=model,
        by_model=["direct", "reason", "rewrite", "entail"],
        options={
            "reason_and_verify.rationale": False,
            "reason_and_verify.rerank": False,
            "reason_and_verify.rewrite": False,
            "verify.taxonomy": False,
        },
    )
    assert answer.decision.shown() == "yes"
    assert "reason" not in run.answered_by
    assert list(direct.output.model_json_schema()["properties"]) == ["answer", "claims"]
    assert list(reason.output.model_json_schema()["properties"]) == ["claims", "answer"]


def test_a_question_that_found_too_little_is_rewritten_and_searched_again(
    make_run: MakeRun, corpus: Library, scripted_model: Any, tmp_path: Path
) -> None:
    better = "Is headache relieved by aspirin in adults?"
    model = scripted_model({"rewrite": RewriteOutput(question=f"  {better}\n")})
    _, run = answered(make_run, corpus, "Is cephalgia town zqx wrt vbn relieved?", model=model, by_model=["rewrite"])
    (trigger,) = spans(tmp_path, "rewrite trigger")
    assert trigger["medground.rewrite"] and trigger["medground.overlap"] < 0.3
    assert [s.query for s in run.searches][1:] == [better]
    (value,) = [value for name, value in model.seen if name == "rewrite"]
    assert 1 <= len(value.found) <= 5


def test_a_rewritten_question_that_finds_nothing_does_not_replace_what_was_found(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model({"rewrite": RewriteOutput(question="qqqq zzzz"), "reason": reasons})
    low = {"reason_and_verify.evidence": 1.0}
    answer, _ = answered(make_run, corpus, model=model, by_model=["rewrite"], options=low)
    assert [s.status for s in answer.searches] == ["found", "empty"]
    assert answer.evidence


def test_rewriting_can_be_turned_off_and_has_no_score_without_a_reranker(
    make_run: MakeRun, corpus: Library, tmp_path: Path
) -> None:
    off = {"reason_and_verify.rewrite": False, "reason_and_verify.evidence": 1.0}
    assert "rewrite" not in answered(make_run, corpus, options=off)[1].answered_by
    no_score = {"reason_and_verify.rerank": False, "reason_and_verify.evidence": 1.0}
    assert "rewrite" not in answered(make_run, corpus, options=no_score)[1].answered_by
    assert "medground.evidence" not in spans(tmp_path, "rewrite trigger")[-1]


def test_without_passages_there_is_no_answer(make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered(make_run, corpus, "Is qqqq zzzz?")
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason.startswith("answer unavailable")


def test_a_model_that_finds_no_answer_says_so(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model = scripted_model({"reason": ReasonOutput(claims=(), answer=())})
    answer, _ = answered(make_run, corpus, model=model, by_model=["reason"])
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason == f"{model.name} found no answer in the passages"


def test_a_retracted_paper_is_listed_but_never_a_passage(make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered(make_run, corpus, options={"reason_and_verify.passages": 20})
    assert "PMID:9" not in {e.document_id for e in answer.evidence}
    assert {d.id: d.retraction for d in answer.documents}["PMID:9"] == "retracted"


def test_several_sources_are_fused_and_dense_rankings_are_left_out(
    make_run: MakeRun, memory_source: Any, tmp_path: Path
) -> None:
    class WithDense(memory_source):  # type: ignore[misc, valid-type]
        async def search(self, lookup: Lookup, filters: Filters) -> Found:
            found = await super().search(lookup, filters)
            if not lookup.wants(Ranker.DENSE):
                return found
            odd = PAPERS[4]
            passage = Passage(document_id=odd.id, start=0, end=len(odd.text), text=odd.text)
            dense = (Hit(passage=passage, ranker="dense", rank=1, score=0.9),)
            return replace(found, rankings=(*found.rankings, dense))

    sources = [WithDense(PAPERS[:1], name="corpus:one"), WithDense(PAPERS[2:3], name="corpus:two")]
    run = make_run(QUESTION, sources, options={"recipe.name": "reason-and-verify"}, recipe=REASON_AND_VERIFY)
    answer = asyncio.run(REASON_AND_VERIFY.run(run.question, run))
    assert {e.document_id for e in answer.evidence} == {"PMID:1", "PMID:3"}


def test_a_folder_without_a_reranker_is_reported_before_a_model_is_asked(
    make_run: MakeRun, corpus: Library, scripted_model: Any, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    options: dict[str, Any] = {"reason_and_verify.reranker": str(tmp_path / "empty")}
    (problem,) = REASON_AND_VERIFY.check(Settings.load(environ={}, options=options), ())
    assert isinstance(problem, ConfigError) and "reranker" in str(problem)
    unused = Settings.load(environ={}, options={**options, "reason_and_verify.rerank": False})
    assert list(REASON_AND_VERIFY.check(unused, ())) == []
    model = scripted_model({})
    with pytest.raises(ConfigError, match="reranker"):
        answered(make_run, corpus, model=model, by_model=["reason", "rewrite"], options=options)
    assert not model.seen


def test_the_presets_are_the_rows_of_the_papers_tables() -> None:
    rows = {
        name: Settings.load(preset=name, environ={})
        for name in ("vanilla-rag", "rationale", "rationale-reranker", "dynamic-demonstrations")
    }
    assert {s.recipe.name for s in rows.values()} == {"reason-and-verify"}
    switches = {
        n: (chosen.rationale, chosen.rerank, chosen.shots)
        for n, s in rows.items()
        for chosen in [s.section(ReasonAndVerifySettings)]
    }
    assert switches == {
        "vanilla-rag": (False, False, 0),
        "rationale": (True, False, 0),
        "rationale-reranker": (True, True, 0),
        "dynamic-demonstrations": (True, True, 2),
    }
    chosen = rows["dynamic-demonstrations"].section(ReasonAndVerifySettings)
    assert (chosen.candidates, chosen.passages, chosen.overlap, chosen.evidence) == (20, 5, 0.3, 0.5)
    assert chosen.selection == "dynamic"


def a_passage(text: str, title: str = "") -> Passage:
    return Passage(document_id="PMID:1", start=0, end=len(text), text=text, title=title)


def hits(*scores: float) -> list[Hit]:
    return [Hit(passage=a_passage("a"), ranker="r", rank=n, score=s) for n, s in enumerate(scores, start=1)]


def test_overlap_is_the_share_of_content_words_found() -> None:
    assert overlap("Does aspirin prevent strokes?", [a_passage("A stroke.", title="Aspirin")]) == pytest.approx(2 / 3)
    assert overlap("Does aspirin prevent strokes?", []) == 0
    assert overlap("Is it so?", []) == 1


@given(st.lists(st.sampled_from(["aspirin", "stroke", "the", "gout", "of", "rats"]), max_size=8), st.randoms())
def test_overlap_grows_with_the_passages_in_any_order(found: list[str], random: Any) -> None:
    question = "aspirin stroke gout"
    parts = [a_passage(w) for w in found]
    shares = [overlap(question, parts[:n]) for n in range(len(parts) + 1)]
    assert shares == sorted(shares) and 0 <= shares[-1] <= 1
    random.shuffle(parts)
    assert overlap(question, parts) == shares[-1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_a_calibrated_score_keeps_the_order_of_the_means(one: list[float], other: list[float]) -> None:
    low, high = sorted((one, other), key=lambda s: sum(s) / len(s))
    assert 0 <= evidence_score("keyless", hits(*low)) <= evidence_score("keyless", hits(*high)) + 1e-12 <= 1 + 1e-12
    assert evidence_score("some/cross-encoder", hits(*one)) == pytest.approx(sum(one) / len(one))


def test_nothing_found_scores_nothing_and_the_keyless_row_is_there() -> None:
    assert evidence_score("keyless", []) == 0
    assert calibrations()["keyless"].sets == 809
    assert evidence_score("keyless", hits(0.17)) > 0.5 > evidence_score("keyless", hits(0.05))


FOUND = [
    "Acute myocardial infarction (MI) and arterial hypertension (HTN) were rare.",
    "Tumour necrosis factor (TNF; n = 4).",
]


@pytest.mark.parametrize(
    ("question", "added"),
    [
        ("Does rest prevent MI?", ["myocardial infarction"]),
        ("Is HTN common?", ["hypertension"]),
        ("Is heart attack common?", ["Myocardial Infarction"]),
        ("Do COX-2 inhibitors help in COPD?", ["Cyclooxygenase 2 Inhibitors", "Chronic Obstructive Pulmonary Disease"]),
        ("Is TNF raised?", ["Tumour necrosis factor"]),
    ],
)
def test_rewriting_without_a_model_adds_long_forms_and_headings(question: str, added: list[str]) -> None:
    rewritten = rewrite_without_model(question, FOUND, 4000)
    assert rewritten.startswith(question)
    assert [name for name in added if name in rewritten] == added


def test_rewriting_keeps_what_it_does_not_know() -> None:
    assert rewrite_without_model("Do hearing aids qqqq?", [], 4000) == "Do hearing aids qqqq?"
    assert rewrite_without_model("Is XQZ raised?", ["Nothing spells it (XQZ)."], 4000) == "Is XQZ raised?"


@given(st.text(max_size=120), st.lists(st.text(max_size=80), max_size=3), st.integers(0, 200))
def test_rewriting_without_a_model_keeps_the_question_and_its_bound(text: str, found: list[str], most: int) -> None:
    rewritten = rewrite_without_model(text, found, most)
    assert rewritten.startswith(text)
    assert rewritten == text or len(rewritten) <= most
    assert set(words.terms(text)) <= set(words.terms(rewritten))


@given(st.from_regex(r"[A-Z]{2,6}", fullmatch=True), st.text(max_size=60))
def test_any_abbreviation_in_any_text_can_be_rewritten(short: str, before: str) -> None:
    assert rewrite_without_model(f"Is {short} raised?", [f"{before} ({short})"], 4000).startswith(f"Is {short} raised?")


def test_a_question_has_documents_only_if_they_are_given() -> None:
    assert Question.ask("Is it so?").documents == ()
    assert Question.ask("Is it so?", documents=["PMID:7"]).documents == ("PMID:7",)
