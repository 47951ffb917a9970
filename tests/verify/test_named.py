"""Unretrieved references: ids and addresses in written text, and citation marks that a writer added."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from medground.conclude.finish import finish
from medground.document import Document
from medground.operators.writing import WriteOutput, WrittenSentence
from medground.run import Run
from medground.verify.named import unretrieved_references, without_marks
from medground.write.draft import drafted

MakeRun = Callable[..., Run]
PAPER = Document(
    id="PMID:123",
    title="Aspirin",
    text="Aspirin lowered the risk of stroke (NCT01234567).",
    identifiers={"doi": "10.1000/abc.1", "pmc": "PMC777777"},
    url="https://pubmed.ncbi.nlm.nih.gov/123/",
)


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Aspirin works (PMID 99887766).", ["PMID 99887766"]),
        ("Aspirin works [PMID: 12].", ["PMID: 12"]),
        ("Aspirin works, doi:10.1000/abc.", ["10.1000/abc"]),
        ("See https://example.org/cure, and www.cure.example.", ["https://example.org/cure", "www.cure.example"]),
        ("It is in PMC7777770 and NCT00000001.", ["PMC7777770", "NCT00000001"]),
        ("Aspirin works (PMID: 123).", []),
        ("Aspirin works (pmid123; PMC777777; 10.1000/ABC.1).", []),
        ("Aspirin works (NCT01234567).", []),
        ("See https://pubmed.ncbi.nlm.nih.gov/123/.", []),
        ("Aspirin lowered it by 10.5/1000 in 123 patients.", []),
    ],
)
def test_unretrieved_references_are_found(sentence: str, named: list[str]) -> None:
    assert unretrieved_references(sentence, [PAPER]) == named


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Aspirin works [E9].", "Aspirin works."),
        ("Aspirin works [E1, E2]. It does [P1.S2][P2].", "Aspirin works. It does."),
        ("Estrone (E1) and estradiol (E2) rose [12].", "Estrone (E1) and estradiol (E2) rose [12]."),
    ],
)
def test_citation_marks_come_only_from_the_ledger(written: str, plain: str) -> None:
    assert without_marks(written) == plain


def test_a_sentence_with_an_unretrieved_reference_is_dropped(make_run: MakeRun) -> None:
    run = make_run("Does aspirin help?")
    run.ledger.admit([PAPER])
    quote = run.ledger.quote("PMID:123", 0, len(PAPER.text))
    texts = ["Aspirin lowered stroke (PMID 99887766).", "Aspirin lowered the risk [E7].", PAPER.text]
    written = WriteOutput(
        sentences=tuple(WrittenSentence(text=text, evidence=(quote.id,)) for text in texts), answer=("yes",)
    )
    answer = asyncio.run(finish(run.question, drafted(written), [quote], run))
    assert "99887766" not in answer.rationale
    assert "E7" not in answer.rationale
    assert [d.text for d in answer.dropped] == [texts[0]]
    assert "PMID 99887766, which this run never retrieved" in answer.dropped[0].reason
    assert [s.verdict.label for s in answer.statements] == ["related", "quoted"]
