"""A paper that is found as a file and as a record is one source of an answer; a retraction of one is one of both."""

import asyncio
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from rows import each_row

from medground.answering import captions
from medground.answering.rank.fuse import fuse
from medground.answering.read.readable import readable, texts
from medground.answering.run import Run
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.retraction import listed
from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.recipes.ground.recipe import GROUND
from medground.values.answer import Answer
from medground.values.document import Document, Hit, Joined
from medground.values.lookup import Lookup
from medground.wording.export import Format, export
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
        made = run or make_run("losartan and the aortic root in Marfan syndrome")
        made.sources = sources

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


def test_a_retracted_record_stands_for_its_file(found: Any, make_run: Any) -> None:
    run = make_run("losartan and the aortic root in Marfan syndrome")
    assert found([pdf()], [record(retraction="retracted")], run) == []
    assert run.warnings == ["PMID:7 was found but is retracted, so it is not used as evidence"]
    assert found([pdf()], [record(text=TITLE, retraction="retracted")]) == [], "only its title is stored"
    # The DOI of the file's first page may be that of a paper that it cites.
    cited = record(title="Zinc for the common cold", text=OTHER, retraction="retracted")
    assert ids(found([pdf()], [cited])) == ["FILE:a.pdf"]


def test_the_version_that_was_quoted_is_read_on(make_run: Any, found: Any) -> None:
    run = make_run("losartan and the aortic root in Marfan syndrome")
    run.ledger.admit([record()])
    run.ledger.quote("PMID:7", 0, 20)
    assert ids(found([pdf()], [record()], run)) == ["PMID:7"]


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


REPORT = "Stroke is common. In a trial of 500 adults, {} significantly reduced the risk of stroke (p = 0.001)."
SOUND = "Stroke is common. In a second trial of 900 adults, {} did not reduce the risk of stroke (p = 0.9)."
NAMED = "Effect of {} on stroke"
TOLD = "RETRACTED: not used as evidence."
FORMS: tuple[Format, ...] = ("markdown", "html")
REFERENCES: tuple[Format, ...] = ("ris", "bibtex", "csl-json")


def _listed(place: int) -> int:
    """A PMID of the list of retracted papers, counted from its end."""
    return sorted(int(name[5:]) for name in listed() if name.startswith("pmid:"))[-1 - place]


def _word(drug: str) -> bytes:
    import docx

    file = docx.Document()
    file.sections[0].header.paragraphs[0].text = "RETRACTED ARTICLE"
    file.add_heading(NAMED.format(drug), 0)
    file.add_paragraph(REPORT.format(drug))
    kept = io.BytesIO()
    file.save(kept)
    return kept.getvalue()


def _record(drug: str, **more: object) -> str:
    return json.dumps({"id": f"LAB:{drug}", "title": NAMED.format(drug), "abstract": REPORT.format(drug), **more})


FILES: Mapping[str, tuple[str, Callable[[str], str | bytes]]] = {
    "alotinib": ("a.docx", _word),
    "elotinib": ("e.jsonl", lambda d: _record(d, id=f"MED:{_listed(1)}")),
    "filotinib": ("f.jsonl", lambda d: _record(d, title=f"Article rétracté : {NAMED.format(d)}")),
    "hulotinib": ("h.md", lambda d: f"# {NAMED.format(d)}\n\n**RETRACTED ARTICLE**\n\n{REPORT.format(d)}\n"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """The answer on each drug, from one corpus of the files and of a sound paper on each drug."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("files")
    for drug, (name, made) in FILES.items():
        content = made(drug)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    sound = (_record(drug, id=f"SOUND:{drug}", abstract=SOUND.format(drug)) for drug in FILES)
    (folder / "sound.jsonl").write_text("\n".join(sound), encoding="utf-8")
    build(Library(home), "papers", find_inputs([folder]))
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"retrieval.corpora": ("papers",)})
    with BlockingEngine(settings) as engine:
        return {drug: engine.ask(f"Does {drug} reduce the risk of stroke?") for drug in FILES}


@each_row("drug", FILES)
def test_a_retracted_paper_is_listed_as_such_and_never_quoted(drug: str, answers: dict[str, Answer]) -> None:
    answer = answers[drug]
    assert {one.document_id for one in answer.evidence} == {f"SOUND:{drug}"}
    own = FILES[drug][0].partition(".")[0]
    aside = [one for one in answer.documents if not one.id.startswith("SOUND:")]
    assert [one for one in aside if drug in one.title or one.title == own]
    for paper in aside:
        assert paper.retraction == "retracted"
        assert f"{paper.id} was found but is retracted, so it is not used as evidence" in answer.warnings
        assert captions.state(paper) == TOLD
    assert as_markdown(answer).count(TOLD) >= len(aside)
    for form in FORMS:
        assert export(answer, form).decode().count(TOLD) >= len(aside)
    for form in REFERENCES:
        assert not any(paper.id.encode() in export(answer, form) for paper in aside)
