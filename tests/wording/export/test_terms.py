"""The licence and origin of a source go with every exported citation of its documents."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable

import docx
import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.values.answer import Answer, SourceDocument
from medground.values.source_plan import SourceDescription
from medground.wording.export import Format, export
from medground.wording.markup import as_html
from medground.wording.text import as_text

LICENCE, ORIGIN, OWN = "Licence of the base 1.0", "the archive of the test", "CC0 of the paper"
TERMS = f"Licence: {LICENCE}. Origin: {ORIGIN}."
OWN_TERMS = f"Licence: {OWN}. Origin: {ORIGIN}."


@pytest.fixture(scope="module")
def described_answer(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """A real answer over a described corpus: one document has a licence of its own."""
    home = tmp_path_factory.mktemp("home")
    records = [
        {"id": "N:1", "title": "Zinc", "text": "Zinc shortens colds in adults, as trials show.", "year": 2001},
        {"id": "N:2", "title": "Zinc again", "text": "Zinc shortens colds in children.", "license": OWN},
    ]
    (home / "in.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    described = SourceDescription(name="book", kind="book", about="Colds.", licence=LICENCE, origin=ORIGIN)
    build(Library(home), "omni.book", find_inputs([home / "in.jsonl"]), described=described)
    settings = Settings.load(environ={}, options={"home": str(home), "retrieval.corpora": ["omni.book"]})
    with BlockingEngine(settings) as engine:
        return engine.ask("Does zinc shorten colds?")


def test_every_output_carries_the_terms_of_each_document(described_answer: Answer) -> None:
    stored = {one["id"]: one for one in json.loads(described_answer.model_dump_json())["documents"]}
    assert (stored["N:1"]["license"], stored["N:1"]["origin"]) == (LICENCE, ORIGIN)
    assert (stored["N:2"]["license"], stored["N:2"]["origin"]) == (OWN, ORIGIN)
    forms: tuple[Format, ...] = ("ris", "bibtex", "csl-json", "markdown")
    texts = {form: re.sub(r"\\(.)", r"\1", export(described_answer, form).decode()) for form in forms}
    word = docx.Document(io.BytesIO(export(described_answer, "docx")))
    texts["docx"] = "\n".join(paragraph.text for paragraph in word.paragraphs)
    texts |= {"text": as_text(described_answer), "html": as_html(described_answer)}
    for form, text in texts.items():
        assert [" ".join(text.split()).count(terms) for terms in (TERMS, OWN_TERMS)] == [1, 1], form


def test_hostile_terms_stay_on_one_line(answered: Callable[..., Answer]) -> None:
    terms = {"license": "a\r\nER  - \r\nTY  - JOUR}", "origin": "}\n@article{evil,"}
    hostile = SourceDocument(id="N:1", title="t", kind="book", **terms)
    ris = export(answered(hostile), "ris").decode().splitlines()
    assert sum(line.startswith(("TY  -", "ER  -")) for line in ris) == 2
    bibtex = export(answered(hostile), "bibtex").decode().splitlines()
    assert sum(line.startswith("@") for line in bibtex) == 1
