"""A paper that is found as a file and as a record is one source of an answer; a retraction of one is one of both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from medground.answering.rank.fuse import fuse
from medground.answering.read.readable import readable, texts
from medground.answering.run import Run
from medground.recipes.ground import GROUND
from medground.values.document import Document, Hit, Joined
from medground.values.lookup import Lookup
from medground.wording.markup import as_markdown

ABSTRACT = (
    "Losartan slows the dilation of the aortic root in adults with Marfan syndrome. We followed 218 patients for three "
    "years. The aortic root grew 0.7 mm less in those who took losartan."
)
TITLE = "Losartan and dilation of the aortic root in Marfan syndrome"
REST = (
    "Methods. Patients were drawn at random to losartan or no added treatment. Results. Dilation of the aortic root "
    "with losartan was 0.77 mm in three years and 1.35 mm without losartan. Discussion. Losartan may delay surgery."
)
OTHER = "Atenolol and losartan did not differ in the dilation of the aortic root in children with Marfan syndrome."


def pdf(**more: Any) -> Document:
    fields = {"id": "FILE:a.pdf", "title": TITLE, "text": f"{ABSTRACT}\n\n{REST}", "identifiers": {"doi": "10.1000/X"}}
    return Document.model_validate({**fields, **more})


def record(**more: Any) -> Document:
    fields = {"id": "PMID:7", "title": TITLE, "text": ABSTRACT, "identifiers": {"pmid": "7", "doi": "10.1000/x"}}
    return Document.model_validate({**fields, **more})


OTHER_PAPER = Document(id="PMID:8", title="Atenolol versus losartan", text=OTHER, identifiers={"doi": "10.1000/y"})


@pytest.fixture
def found(make_run: Callable[..., Run], memory_source: Any) -> Callable[..., list[Hit]]:
    """What may be read of the documents of two corpora."""

    def find(files: list[Document], records: list[Document], run: Run | None = None) -> list[Hit]:
        sources = [memory_source(files, "corpus:papers"), memory_source(records, "corpus:medline")]
        made = run or make_run("losartan and the aortic root in Marfan syndrome", sources)

        async def look() -> list[Hit]:
            answers = await made.look_up(Lookup.words(made.question.text))
            return await readable(texts(fuse([r for one in answers for r in one.rankings])), made)

        return asyncio.run(look())

    return find


def ids(hits: list[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.passage.document_id for hit in hits))


def test_the_fullest_version_is_read(found: Callable[..., list[Hit]]) -> None:
    assert set(ids(found([pdf()], [record(), OTHER_PAPER]))) == {"FILE:a.pdf", "PMID:8"}
    assert set(ids(found([], [record(), OTHER_PAPER]))) == {"PMID:7", "PMID:8"}
    assert set(ids(found([pdf(), record()], [OTHER_PAPER]))) == {"FILE:a.pdf", "PMID:8"}  # in one corpus, too
    part = pdf(id="DOC:results", text=REST)  # parts with one DOI are all read
    assert set(ids(found([part], [record()]))) == {"DOC:results", "PMID:7"}


def test_a_retracted_record_stands_for_its_file(
    found: Callable[..., list[Hit]], make_run: Any, memory_source: Any
) -> None:
    sources = [
        memory_source([pdf()], "corpus:papers"),
        memory_source([record(retraction="retracted")], "corpus:medline"),
    ]
    run = make_run("losartan and the aortic root in Marfan syndrome", sources)
    assert found([], [], run) == []
    assert run.warnings == ["PMID:7 was found but is retracted, so it is not used as evidence"]
    title_only = record(text=TITLE, retraction="retracted")
    assert found([pdf()], [title_only]) == []


def test_a_retracted_paper_with_another_title_does_not(found: Callable[..., list[Hit]]) -> None:
    """The DOI of the file's first page may be that of a paper that it cites."""
    cited = record(title="Zinc for the common cold", text=OTHER, retraction="retracted")
    assert ids(found([pdf()], [cited])) == ["FILE:a.pdf"]


def test_the_version_that_was_quoted_is_read_on(make_run: Any, memory_source: Any, found: Any) -> None:
    sources = [memory_source([pdf()], "corpus:papers"), memory_source([record()], "corpus:medline")]
    run = make_run("losartan and the aortic root in Marfan syndrome", sources)
    asyncio.run(run.retrieve(["PMID:7"]))
    run.ledger.quote("PMID:7", 0, 20)
    assert ids(found([], [], run)) == ["PMID:7"]


def test_an_answer_names_the_paper_once(make_run: Any, memory_source: Any) -> None:
    note = Joined(record="PMID:7", source="corpus:medline", fields=("mesh", "identifiers.pmid"))
    sources = [
        memory_source([pdf(joined=(note,))], "corpus:papers"),
        memory_source([record(), OTHER_PAPER], "corpus:medline"),
    ]
    run = make_run("Does losartan slow dilation of the aortic root in Marfan syndrome?", sources, recipe=GROUND)
    answer = asyncio.run(GROUND.run(run.question, run))
    assert "PMID:7" not in {document.id for document in answer.documents}
    assert "FILE:a.pdf" in {document.id for document in answer.documents}
    provenance = "From PMID:7 (corpus:medline): mesh, identifiers.pmid"
    assert provenance in as_markdown(answer, details=True).replace("\\", "")
    assert provenance not in as_markdown(answer).replace("\\", "")
