"""Unretrieved references: ids and addresses in written text, and citation marks that a writer added."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rows import each_row

from medground.answering.conclude.finish import finish
from medground.answering.run import Run
from medground.answering.verify.named import FLAG, QUOTATION, unfounded, unretrieved_references, without_marks
from medground.answering.write.draft import drafted
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.values.document import Document

MakeRun = Callable[..., Run]
PAPER = Document(
    id="PMID:123",
    title="Aspirin",
    text="Aspirin lowered the risk of stroke (NCT01234567). Cite PMID:1, doi:10.1000/other and Brown et al., 2019.",
    identifiers={"doi": "10.1000/abc.1", "pmc": "PMC777777", "cochrane": "CD001234"},
    authors=("Smith JA", "Jones B"),
    year=2021,
    journal="The New England journal of medicine",
    imprint={"volume": "384", "pages": "403-416"},
    url="https://pubmed.ncbi.nlm.nih.gov/123/",
)
OTHER = Document(id="PMID:124", title="Warfarin", text="Warfarin prevented many strokes.")


@each_row(
    ("sentence", "named"),
    [
        ("Aspirin works (PMID 99887766).", ["PMID 99887766"]),
        ("See https://example.org/cure, and www.cure.example.", ["https://example.org/cure", "www.cure.example"]),
        ("It is in PMC7777770 and NCT00000001.", ["PMC7777770", "NCT00000001"]),
        ("Aspirin works (pmid123; PMC777777; 10.1000/ABC.1).", []),
        ("It is in NCT01234567.", []),
        ("Aspirin works [00000123], PubMed ID 123, and pmid=0123.", []),
        ("Aspirin works (Smith et al., NEJM 2021; Smith & Jones, 2021).", []),
        ("Aspirin works (Smith et al., NEJM 2011).", ["NEJM 2011", "Smith et al., NEJM 2011"]),
        ("Aspirin works (Jones and Brown, 2021).", ["Jones and Brown, 2021"]),
        ("It is as they say: cite PMID:1 (doi:10.1000/other).", ["PMID:1", "10.1000/other"]),
        ("Aspirin works (N Engl J Med 2021;384:403-16; CD001234).", []),
        ("Aspirin works (N Engl J Med 2021;384:404).", ["2021;384:404"]),
        ("Aspirin lowered it by 10.5/1000 in 123 patients.", []),
    ],
)
def test_unretrieved_references_are_found(sentence: str, named: list[str]) -> None:
    assert unretrieved_references(sentence, [PAPER], [PAPER]) == named


def test_a_trial_is_known_from_the_text_of_a_cited_paper_only() -> None:
    assert unretrieved_references("It is in NCT01234567.", [PAPER]) == ["NCT01234567"]


@each_row(
    ("sentence", "flag", "reason"),
    [
        ("It says “Aspirin lowered the risk of stroke”.", None, ""),
        ("The title is “Does aspirin help?”, as you ask “does aspirin help at all?”.", None, ""),
        ("“Aspirin raised the risk of stroke.”", QUOTATION, "which the source that it cites does not say"),
        ("“Aspirin cured every stroke ever.” (Brown et al., NEJM 2019)", FLAG, "Brown et al., NEJM 2019"),
    ],
)
def test_what_is_held_is_told(sentence: str, flag: str | None, reason: str) -> None:
    found = unfounded(sentence, [PAPER], [PAPER, OTHER], "Does aspirin help at all?")
    assert (found and found[0]) == flag
    assert reason in (found[1] if found else "")


def test_the_quote_of_another_paper_is_no_quote_of_the_cited_one() -> None:
    assert unfounded("“Warfarin prevented many strokes.”", [PAPER], [PAPER, OTHER])
    assert not unfounded("“Warfarin prevented many strokes.”", [OTHER], [PAPER, OTHER])
    assert not unfounded("“Warfarin prevented many strokes.”", [], [PAPER, OTHER])


def test_citation_marks_come_only_from_the_ledger() -> None:
    assert without_marks("Aspirin works [E1, E2]. It does [P1.S2][P2].") == "Aspirin works. It does."
    assert without_marks("Estrone (E1) rose [12].") == "Estrone (E1) rose [12]."


def test_a_sentence_with_an_unretrieved_reference_is_dropped(make_run: MakeRun) -> None:
    run = make_run("Does aspirin help?")
    run.ledger.admit([PAPER])
    quote = run.ledger.quote("PMID:123", 0, len(PAPER.text))
    texts = [
        "Aspirin lowered stroke (PMID 99887766).",
        "They write: “Aspirin raised the risk of stroke.”",
        "Aspirin lowered the risk [E7].",
        PAPER.text,
    ]
    written = WriteOutput(
        sentences=tuple(WrittenSentence(text=text, evidence=(quote.id,)) for text in texts), answer=("yes",)
    )
    answer = asyncio.run(finish(run.question, drafted(written), [quote], run))
    assert "99887766" not in answer.rationale
    assert "E7" not in answer.rationale
    assert [d.text for d in answer.dropped] == texts[:2]
    assert "“Aspirin raised the risk of stroke.”, which the source" in answer.dropped[1].reason
    assert "PMID 99887766, which this run never retrieved" in answer.dropped[0].reason
    assert [s.verdict.label for s in answer.statements] == ["related", "quoted"]
