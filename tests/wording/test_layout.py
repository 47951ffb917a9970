"""The layout of an answer in plain text and in every output, and the words for what it holds."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from pydantic import ValidationError
from rows import each_row, tables

from medground.answering import captions
from medground.language.clean import sentence
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.decision import FreeDecision, MultipleChoiceDecision, YesNoDecision
from medground.values.question import Question
from medground.values.statement import Label, Statement, Verdict
from medground.values.usage import UsageReport
from medground.wording import blocks as references
from medground.wording import phrases
from medground.wording.layout import layout
from medground.wording.markup import as_html, as_markdown
from medground.wording.phrases import written_sentences
from medground.wording.text import as_text
from medground.wording.view import view

TABLES = tables(__file__)

MakeAnswer = Callable[..., Answer]


def flat(text: str) -> str:
    return " ".join(text.split())


SHOWN = TABLES["shown"]


def test_the_whole_answer_as_plain_text_in_its_order(full: Answer) -> None:
    text = as_text(full, width=90)
    places = [flat(text).find(said) for said in SHOWN]
    assert -1 not in places
    assert places == sorted(places)
    assert "\n- Aspirin cures all.\n  Contradicted: it does not.\n\nSources disagree\n" in text


def test_details_add_labels_offsets_queries_and_hashes(full: Answer) -> None:
    brief, whole = as_text(full), as_text(full, details=True)
    for detail in (
        "Label: INCORRECT-ILLOGICAL (nli:small); generation error: the text goes beyond the retrieved",
        "[E1] (characters 10-37) quoted above",
        "[E3] (characters 40-50) “Safe? Yes.”",
        "Faithfulness: 50%, as labelled by nli:small.",
        "Query to papers: aspirin[mesh] (12 passages)",
        "Query to pubmed: aspirin (failed)",
        "Operator respond: openai:gpt-5",
        f"Snapshot: papers@{'f' * 64}",
        "Settings: 0123456789abcdef",
        "Trace: 20260101-t1 (medground trace show 20260101-t1)",
    ):
        assert detail in whole
        assert detail not in brief
    for hidden in ("INCORRECT", "characters", "0123456789abcdef", "t1", "ffff", "Faithfulness"):
        assert hidden not in brief + as_markdown(full)


def test_every_output_shows_the_same_text(full: Answer) -> None:
    for details in (False, True):
        spans = [s for block in layout(full, details=details) for line in block.lines for s in line]
        text, html = flat(as_text(full, details=details)), flat(unescape(as_html(full, details=details)))
        markdown = flat(as_markdown(full, details=details)).replace("\\", "")
        for span in spans:
            assert flat(span.text) in text
            assert flat(span.text) in html
            assert flat(span.text).strip("[]" if span.style == "mark" else "") in markdown


@each_row("details", [False, True])
def test_each_quote_is_printed_once(full: Answer, details: bool) -> None:
    shown = (as_text(full, details=details), as_markdown(full, details=details), as_html(full, details=details))
    for quote in ("Aspirin may prevent stroke.", "Safe? Yes.", "Statin text here."):
        assert [flat(text).count(quote) for text in shown] == [1, 1, 1]


def test_a_quote_that_decided_and_is_not_cited_is_named(make_answer: MakeAnswer) -> None:
    found = Verdict(label="contradicted", critic="nli:small", best="E2")
    assert "Contradicted by the cited text (nli:small). Deciding quote: [E2]" in as_text(make_answer(found))
    alone = Verdict(label="supported", critic="nli:small", best="E1")
    assert "Deciding" not in as_text(make_answer(alone))


def test_clauses_of_one_sentence_are_shown_as_one_sentence(full: Answer, make_answer: MakeAnswer) -> None:
    assert [len(group) for group in written_sentences(full)] == [2, 1, 1]
    text = "It helps. It is safe, and it is cheap."
    spans = [(0, 9), (10, 21), (22, 38)]
    verdict = Verdict(label="not found", critic="citation", note="written without evidence")
    uncited = make_answer(
        rationale=text, statements=tuple(Statement(text=text[a:b], start=a, end=b, verdict=verdict) for a, b in spans)
    )
    assert [len(group) for group in written_sentences(uncited)] == [1, 2]
    assert as_text(uncited).count("Not supported: written without evidence.") == 2


def test_an_answer_without_evidence_says_what_was_searched(make_answer: MakeAnswer) -> None:
    decision = YesNoDecision(status="unanswerable", reason="no source that was searched has evidence on this question")
    text = as_text(make_answer(decision=decision, rationale="", statements=(), evidence=(), documents=()))
    assert text == (
        "Does aspirin prevent stroke?\n\nNo source that was searched has evidence on this question.\n\n"
        "Nothing was searched.\nCost: $0, no model calls, 0 searches, 0.00 s.\nRecipe: ground, no language model."
    )


def test_a_document_may_not_be_cited(make_answer: MakeAnswer) -> None:
    assert "Found, but not cited." in as_text(make_answer(evidence=make_answer().evidence[:1]))


def test_an_answer_prints_itself(full: Answer) -> None:
    assert str(full) == as_text(full)
    assert full._repr_markdown_() == as_markdown(full)
    assert repr(full).startswith("Answer(headline=")


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
    assert phrases.headline(make_answer(question=question, decision=whole)) == "Answer"  # not checked
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
UNPROVEN = TABLES["unproven"]
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

    assert said("supported", "partly", "contradicted", "supported") == "Checked by nli:small (not validated here)."
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
    assert phrases.headline(quotes) == quotes.statements[0].text
    assert view(quotes).reason.endswith("Not assessed.") and phrases.support(quotes) == ""
    assert str(quotes).count(quotes.statements[0].text) == 1
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
