"""What a reader sees of an answer, in the order in which it is needed, each quote once."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

from rows import each_row

from medground.values.answer import Answer
from medground.values.decision import YesNoDecision
from medground.values.statement import Statement, Verdict
from medground.wording.layout import layout
from medground.wording.markup import as_html, as_markdown
from medground.wording.text import as_text
from medground.wording.view import written_sentences

MakeAnswer = Callable[..., Answer]


def flat(text: str) -> str:
    return " ".join(text.split())


SHOWN = (
    "Does aspirin prevent stroke?",
    "A. Yes, in most patients",
    "Answered by openai:gpt-5 from the quoted evidence.",
    "Aspirin prevents stroke, and it raises bleeding. [E1] [E2]",
    "“Aspirin prevents stroke,”: Partly supported (nli:small, 87%): may differ from the quote in certainty; says more "
    "than its source: the source says `may`. Deciding quote: [E1]",
    "“and it raises bleeding.”: Not found in the cited text (nli:small, 90%).",
    "It is safe. [E3] Assessed by m (not validated here): entails.",
    "Statin text here. [E4] Web page: quoted from the aims; an aim, question or assumption, not a finding.",
    "25% of the statements are supported.",
    "Left out because verification failed - Aspirin cures all. Contradicted: it does not.",
    "Sources disagree Aspirin, stroke (found by openai:gpt-5). - For:",
    "[E1] “Aspirin may prevent stroke.” (randomized controlled trial, 2001; source 1)",
    "Found by comparing words; whether they disagree has not been assessed. - Side 1: [E1] quoted above",
    "Sources 1. A trial. Lancet, 2001. Randomized controlled trial. PMID:1 https://pubmed.ncbi.nlm.nih.gov/1/",
    "An expression of concern has been published about this paper. Quoted above: [E2] [E3] “Safe? Yes.”",
    "3. Statins. Web page. DOI:10.1/x https://example.org/a(b)?x=1&y=2",
    "An erratum: not used as evidence.",
    "RETRACTED: not used as evidence.",
    "Searched: corpus papers (2 searches, up to 12 passages). Could not search pubmed: no reply in 30 s.",
    "Warning: No quote mentions `statins`. Stopped early: The budget of 20,000 tokens is used.",
    "Cost: $0.012, 3 model calls (and 1 from the cache), 12,345 tokens in, 20 out, 0 searches, 2.50 s.",
    "Recipe: ground, openai:gpt-5.",
)


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
        "Query to corpus papers: aspirin[mesh] (12 passages)",
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
        rationale=text,
        statements=tuple(Statement(text=text[a:b], start=a, end=b, verdict=verdict) for a, b in spans),
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


def test_a_document_may_not_be_cited_and_a_difference_in_words_is_only_a_possible_conflict(
    full: Answer, make_answer: MakeAnswer
) -> None:
    assert "Found, but not cited." in as_text(make_answer(evidence=make_answer().evidence[:1]))
    by_words = full.model_copy(update={"conflicts": full.conflicts[1:]})
    assert "Sources may disagree" in as_text(by_words)
    assert "Sources disagree" in as_text(full)


def test_an_answer_prints_itself(full: Answer) -> None:
    assert str(full) == as_text(full)
    assert full._repr_markdown_() == as_markdown(full)
    assert repr(full).startswith("Answer(schema_version=")
