"""The words of an answer: decisions, verdicts, labels, scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError
from rows import each_row

from medground.answering import captions
from medground.language.clean import sentence
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.decision import FreeDecision, MultipleChoiceDecision, YesNoDecision
from medground.values.question import Question
from medground.values.statement import Label, Verdict
from medground.values.usage import UsageReport
from medground.wording import blocks as references
from medground.wording import phrases

MakeAnswer = Callable[..., Answer]


@each_row(
    ("decision", "expected"),
    [
        ({"status": "decided", "value": "yes", "basis": "model"}, "Yes"),
        ({"status": "decided", "value": "no", "basis": "critic", "probability": 0.7}, "No (estimated probability 70%)"),
        ({"status": "not judged"}, "What the sources say"),
    ],
)
def test_the_decision_in_a_few_words(make_answer: MakeAnswer, decision: dict[str, Any], expected: str) -> None:
    assert phrases.headline(make_answer(decision=YesNoDecision(**decision))) == expected


def test_chosen_options_have_their_text_and_a_free_answer_is_not_printed_twice(make_answer: MakeAnswer) -> None:
    question = Question.ask("Which?", task="multiple-choice", options=["Aspirin", "Heparin", "Statins"])
    decision = MultipleChoiceDecision(status="decided", values=("A", "C"), basis="model")
    assert phrases.headline(make_answer(question=question, decision=decision)) == "A. Aspirin; C. Statins"

    question = Question.ask("What prevents stroke?")
    whole = FreeDecision(status="decided", value="Aspirin  prevents stroke.", basis="model")
    assert phrases.headline(make_answer(question=question, decision=whole)) == "Answer"
    names = FreeDecision(status="decided", value="norA, FBN1", basis="graph fact")
    assert phrases.headline(make_answer(question=question, decision=names)) == "norA, FBN1"


def test_reasons_are_sentences(make_answer: MakeAnswer) -> None:
    graph = Search(source="graph:HPO 2025", query="q", status="found", hits=2)
    yes = YesNoDecision(status="decided", value="yes", basis="graph fact", reason="not recorded for X")
    recorded = make_answer(decision=yes, searches=(graph,))
    assert phrases.reason(recorded) == "According to the knowledge graph HPO 2025. Not recorded for X."
    by_model = YesNoDecision(status="decided", value="yes", basis="model")
    assert phrases.reason(make_answer(decision=by_model)) == "Answered by a language model from the quoted evidence."
    nothing = dict.fromkeys(("statements", "evidence", "documents"), ()) | {"rationale": "", "needs_evidence": False}
    alone = make_answer(decision=by_model, recipe="model-only", models={"recall": "openai:gpt-5"}, **nothing)
    assert phrases.reason(alone) == "Answered by openai:gpt-5 from memory, without evidence."


def v(label: Label, critic: str, **more: Any) -> Verdict:
    return Verdict(label=label, critic=critic, **more)


CERTAIN = {"probability": 0.87, "flags": ("certainty",), "note": "says more"}
UNPROVEN = {
    "assessed": "contradicted",
    "probability": 0.97,
    "note": "assessed by m (not validated here): contradicted by the quote",
    "flags": ("contradiction", "number"),
}
BOTH = "Assessed by m (not validated here): contradicted by the quote; may differ from the quote in number."


@each_row(
    ("verdict", "expected"),
    [
        (v("supported", "graph", note="the stored relation states it"), "Supported: the stored relation states it."),
        (
            v("partly", "nli:small", **CERTAIN),
            "Partly supported (nli:small, 87%): may differ from the quote in certainty; says more.",
        ),
        (v("quoted", "verbatim", note="the source's own words"), "Quoted from the source."),
        (v("quoted", "verbatim", flags=("title",)), "Quoted from the source: a title, not a finding."),
        (v("related", "nli:small"), "Related text, but not support (nli:small)."),
        (v("not found", "citation", note="the sentence cites nothing"), "Not supported: the sentence cites nothing."),
        (v("not judged", "m", **UNPROVEN), BOTH),
        (v("supported", "nli:/models/small"), "Supported (nli:small)."),
        (v("unverified", "m", note="no reply"), "Not checked, because the check failed (m): no reply."),
    ],
)
def test_verdicts(verdict: Verdict, expected: str) -> None:
    assert captions.verdict(verdict) == expected


KEYLESS, HOSTED = {"labelled_by": "keyless"}, {"labelled_by": "openai:gpt-5"}


@each_row(
    ("verdict", "expected"),
    [
        (v("related", "keyless"), ""),
        (v("related", "keyless", category="INCORRECT-FALSE", **KEYLESS), "INCORRECT-FALSE (by word comparison)"),
        (v("supported", "graph", category="CORRECT-MISSING", **KEYLESS), "CORRECT-MISSING (from the stored relation)"),
        (v("not judged", "m", category="CORRECT-IMPLICIT", **HOSTED), "CORRECT-IMPLICIT (openai:gpt-5)"),
        (v("not found", "keyless", error_source="retrieval"), "retrieval error: no relevant passage was retrieved"),
    ],
)
def test_categories_name_who_gave_them(verdict: Verdict, expected: str) -> None:
    assert captions.category(verdict) == expected


def test_support_is_that_of_a_validated_judge_or_told_as_an_assessment(make_answer: MakeAnswer) -> None:
    assert phrases.support(make_answer()) == ""
    assert phrases.support(make_answer(support=0.5)) == "50% of the statements are supported."
    assert phrases.support(make_answer(support=1.0)) == "All statements are supported."

    def said(*assessed: Any) -> str:
        verdicts = [Verdict(label="not judged", critic="nli:/folder/small", assessed=word) for word in assessed]
        (statement,) = make_answer().statements
        said = tuple(statement.model_copy(update={"verdict": verdict}) for verdict in verdicts)
        return phrases.support(make_answer(statements=said))

    one = "1 of 1 statement is in line with its quote, as assessed by nli:small (not validated here)."
    assert said("supported") == one
    assert said("supported", "partly", "contradicted", "supported") == (
        "2 of 4 statements are in line with their quotes, as assessed by nli:small (not validated here)."
    )
    assert said(None) == ""
    with pytest.raises(ValidationError, match="no assessment beside its label"):
        Verdict(label="supported", critic="m", assessed="supported")


@each_row(("validated", "words"), [(False, " (not validated here)"), (True, ""), (None, "")])
def test_a_decision_says_whether_its_model_is_validated(
    make_answer: MakeAnswer, validated: bool | None, words: str
) -> None:
    decision = YesNoDecision(status="decided", value="yes", basis="model", validated=validated)
    answer = make_answer(decision=decision, models={"write": "openai:gpt-5"})
    assert phrases.headline(answer) == "Yes"
    assert phrases.reason(answer) == f"Answered by openai:gpt-5{words} from the quoted evidence."


def test_quotes_alone_do_not_look_proven(make_answer: MakeAnswer) -> None:
    quote = Verdict(label="quoted", critic="verbatim", best="E1", category="CORRECT-EXPLICIT", labelled_by="keyless")
    quotes = make_answer(quote, support=1.0, faithfulness=1.0, decision=YesNoDecision(status="not judged"))
    assert phrases.headline(quotes) == "What the sources say"
    assert phrases.support(quotes) == "Whether these quotes answer the question has not been assessed."
    assert phrases.faithfulness(quotes) == ""
    by_graph = YesNoDecision(status="decided", value="yes", basis="graph fact")
    assert phrases.support(make_answer(quote, support=1.0, decision=by_graph)) == ""


def test_faithfulness_names_who_labelled(make_answer: MakeAnswer) -> None:
    labelled = Verdict(label="supported", critic="m", category="CORRECT-EXPLICIT", labelled_by="m")
    assert phrases.faithfulness(make_answer(labelled, faithfulness=0.75, support=1.0)) == "75%, as labelled by m"
    doubtful = phrases.faithfulness(make_answer(labelled, faithfulness=1.0))
    assert doubtful == "100%, as labelled by m; not all statements were assessed by a validated judge"


def test_sentences_keep_names_and_an_unknown_price_is_not_free(make_answer: MakeAnswer) -> None:
    said = {"openai:gpt-5 says yes": "openai:gpt-5 says yes.", "no quote": "No quote.", "“It is.”": "“It is.”"}
    said |= {"p53 binds?": "p53 binds?", "": ""}
    assert {text: sentence(text) for text in said} == said
    usage = UsageReport(price=None, model_calls=1, searches=2, seconds=1)
    assert phrases.cost(make_answer(usage=usage)) == "price unknown, 1 model call, 2 searches, 1.00 s"


def test_a_document_is_described_by_design_kind_and_state() -> None:
    def document(**fields: Any) -> SourceDocument:
        return SourceDocument(**({"id": "X:1", "title": "T", "kind": "research"} | fields))

    assert references.bibliography(document(kind="graph", year=2020)) == "T. 2020. Knowledge graph entry."
    assert references.bibliography(document(title="")) == "X:1."
    assert references.study(document(publication_types=("Review",), year=1999)) == "review, 1999"
    assert captions.state(document(retraction="notice")) == "A retraction notice: not used as evidence."
    assert captions.address(document(id="PMID:7")) == "https://pubmed.ncbi.nlm.nih.gov/7/"
    assert captions.address(document(id="PMID:x7")) == ""
    assert captions.address(document(id="PMID:7", url="https://a.org")) == "https://a.org"
