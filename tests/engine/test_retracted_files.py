"""Retracted papers in files of many kinds, asked about as a user would: never evidence, told wherever they stand."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping

import pytest
from rows import each_row

from medground.answering import captions
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.retraction import listed
from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.wording.export import Format, export
from medground.wording.markup import as_markdown

TEXT = "Stroke is common. In a trial of 500 adults, {} significantly reduced the risk of stroke (p = 0.001)."
SOUND = "Stroke is common. In a second trial of 900 adults, {} did not reduce the risk of stroke (p = 0.9)."
TITLE = "Effect of {} on stroke"
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
    file.add_heading(TITLE.format(drug), 0)
    file.add_paragraph(TEXT.format(drug))
    kept = io.BytesIO()
    file.save(kept)
    return kept.getvalue()


def _pdf(drug: str) -> bytes:
    kept = io.BytesIO()
    drawn = pytest.importorskip("reportlab.pdfgen.canvas").Canvas(kept)
    for size, top, text in ((16, 780, TITLE.format(drug)), (10, 740, "Abstract"), (10, 720, TEXT.format(drug))):
        drawn.setFont("Helvetica", size)
        drawn.drawString(60, top, text)
    drawn.translate(300, 420)
    drawn.rotate(45)
    drawn.setFont("Helvetica-Bold", 80)
    drawn.setFillGray(0.8)
    drawn.drawCentredString(0, 0, "RETRACTED")
    drawn.save()
    return kept.getvalue()


def _page(drug: str) -> str:
    body = f"<p>{TEXT.format(drug)}</p><p>The trial was done in ten hospitals and lasted for two years.</p>" * 2
    head = f'<title>{TITLE.format(drug)}</title><meta name="DC.identifier" content="pmid:{_listed(0)}">'
    return f"<!doctype html><html><head>{head}</head><body><article>{body}</article></body></html>"


def _ris(drug: str) -> str:
    fields = (
        "TY  - JOUR",
        f"TI  - {drug}",
        f"AB  - {TEXT.format(drug)}",
        "DB  - PubMed",
        f"ID  - {_listed(1)}",
        "ER  - ",
    )
    return "\n".join(fields)


def _record(drug: str, **more: object) -> str:
    return json.dumps({"id": f"LAB:{drug}", "title": TITLE.format(drug), "abstract": TEXT.format(drug), **more})


FILES: Mapping[str, tuple[str, Callable[[str], str | bytes]]] = {
    "alotinib": ("a.docx", _word),
    "belotinib": ("b.pdf", _pdf),
    "cilotinib": ("c.html", _page),
    "dolotinib": ("d.ris", _ris),
    "elotinib": ("e.jsonl", lambda d: _record(d, id=f"MED:{_listed(2)}")),
    "filotinib": ("f.jsonl", lambda d: _record(d, title=f"Article rétracté : {TITLE.format(d)}")),
    "golotinib": ("g.jsonl", lambda d: _record(d, publication_types=["Artículo retractado"])),
    "hulotinib": ("h.md", lambda d: f"# {TITLE.format(d)}\n\n**RETRACTED ARTICLE**\n\n{TEXT.format(d)}\n"),
    "ilotinib": ("i.txt", lambda d: f"RETRACTED: {TITLE.format(d)}\n\n{TEXT.format(d)}\n"),
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
