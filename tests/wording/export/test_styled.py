"""References in a citation style, and the terms of use of each document."""

import io
import json
import re
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.errors import ConfigError, UsageError
from medground.home.settings import Settings
from medground.values.answer import Answer, SourceDocument
from medground.values.source_plan import SourceDescription
from medground.wording.export import STYLE, Format, export, styled
from medground.wording.markup import as_html
from medground.wording.reference import listed_sources
from medground.wording.text import as_text

NUMERIC = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Numbered</title><id>numbered</id><category citation-format="numeric"/></info>
  <citation><layout><text variable="citation-number"/></layout></citation>
  <bibliography><layout><text variable="citation-number" suffix=". "/>
    <names variable="author" suffix=". "><name initialize-with="" name-as-sort-order="all" sort-separator=" "/></names>
    <text variable="title" suffix=". " font-weight="bold"/><text variable="container-title" font-style="italic"/>
  </layout></bibliography>
</style>"""
HOSTILE = st.text(max_size=40) | st.sampled_from(
    ["<script>alert(1)</script>", "[x](javascript:alert(1))", "\x00\ufffe\ue000i\ue001", '<span class="nocase">a', "1."]
)


def words(line: object) -> str:
    return "".join(span.text for span in line)  # type: ignore[attr-defined]


def test_the_default_style_is_harvard(answer: Answer) -> None:
    lines = styled(listed_sources(answer), STYLE)
    said = words(lines["PMID:1"])
    assert said.startswith("van der Berg, J.A., Müller, K. and The Aspirin Trial Group (2001)")
    assert "Lancet, 357(9250), pp. 10–2" in said
    assert [span.text for span in lines["PMID:1"] if span.style == "italic"] == ["Lancet"]
    assert words(lines["DOI:10.1000/x"]).startswith("Statins (no date)")


def test_the_number_of_a_numeric_style_is_that_of_the_list(answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "numbered.csl"
    file.write_text(NUMERIC, encoding="utf-8")
    lines = styled(listed_sources(answer), str(file))
    assert words(lines["PMID:1"]).startswith("van der Berg JA, Müller K, The Aspirin Trial Group. A trial of")
    assert any(span.style == "strong" for span in lines["PMID:1"])
    assert words(lines["PMID:9"]) == "Found, but not cited."


def test_titles_keep_numbers_are_not_repeated_and_no_article_becomes_a_preprint(
    answered: Callable[..., Answer],
) -> None:
    papers = [
        SourceDocument(id="X:1", title="1 in 10 adults", kind="web"),
        SourceDocument(id="PMID:1", title="Is it so?", kind="research", year=2002),
        SourceDocument(id="PMID:2", title="T", kind="research", journal="Lancet", authors=("Li J",)),
        SourceDocument(id="PMID:3", title="U", kind="research", authors=("Li J",)),
    ]
    lines = {name: words(line) for name, line in styled(listed_sources(answered(*papers)), STYLE).items()}
    assert lines["X:1"].startswith("1 in 10 adults")
    assert lines["PMID:1"].startswith("“Is it so?” (2002). Available at")
    assert lines["PMID:1"].count("Is it so?") == 1
    assert "reprint" not in "".join(lines.values())


NO_REFERENCES = '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0"><citation><layout/></citation></style>'


def test_an_unknown_style_and_a_file_that_is_none_are_mistakes(answer: Answer, tmp_path: Path) -> None:
    for style in "no-such-style", "../x.csl", "missing.csl":
        with pytest.raises(UsageError, match=r"style|file"):
            export(answer, style=style)
    file = tmp_path / "bad.csl"
    for content in "not xml", "<a/>", NO_REFERENCES:
        file.write_text(content, encoding="utf-8")
        with pytest.raises(UsageError, match="citation style"):
            export(answer, style=str(file))


@each_row(("form", "module"), [("markdown", "citeproc"), ("docx", "docx"), ("docx", "citeproc")])
def test_without_the_extra_the_error_names_it(
    answer: Answer, monkeypatch: pytest.MonkeyPatch, form: str, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError, match=r"medground\[export\]"):
        export(answer, form)  # type: ignore[arg-type]


def test_markdown_and_word_have_the_styled_references(answer: Answer) -> None:
    page = MarkdownIt().render(export(answer).decode())
    assert "<h1>Does aspirin prevent stroke?</h1>" in page
    assert "<em>Lancet</em>, 357(9250), pp. 10–2" in page
    assert "RETRACTED: not used as evidence." in page

    word = docx.Document(io.BytesIO(export(answer, "docx")))
    texts = [paragraph.text for paragraph in word.paragraphs]
    assert (word.paragraphs[0].style.name, texts[0]) == ("Heading 1", "Does aspirin prevent stroke?")
    assert texts[1].startswith("What the sources say")
    (entry,) = (paragraph for paragraph in word.paragraphs if paragraph.text.startswith("1.\t"))
    assert "van der Berg, J.A., Müller, K. and The Aspirin Trial Group (2001)" in entry.text
    assert "(results" in entry.text
    assert "“Quote of PMID:1.”" in entry.text
    assert [run.text for run in entry.runs if run.italic] == ["Lancet"]
    targets = [link.address for paragraph in word.paragraphs for link in paragraph.hyperlinks if link.address]
    pubmed = "https://pubmed.ncbi.nlm.nih.gov"
    assert targets == [f"{pubmed}/1/", "https://example.org/a?x=1&y=2", f"{pubmed}/9/"]
    assert word.core_properties.created.replace(tzinfo=None) == datetime(2026, 1, 1)

    # the marks of quotes lead to their sources
    with zipfile.ZipFile(io.BytesIO(export(answer, "docx"))) as parts:
        body = parts.read("word/document.xml").decode()
    for mark in ("e1", "e2"):
        assert body.count(f'w:anchor="{mark}"') >= 1
        assert body.count(f'w:name="{mark}"') == 1


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(title=HOSTILE, journal=HOSTILE, author=HOSTILE, quote=HOSTILE.filter(str.strip), url=HOSTILE)
def test_no_text_of_a_document_becomes_markup(
    answered: Callable[..., Answer], title: str, journal: str, author: str, quote: str, url: str
) -> None:
    document = SourceDocument(id="X:1", title=title, kind="research", journal=journal, authors=(author,), url=url)
    answer = answered(document, quotes=(quote,))
    page = MarkdownIt("gfm-like", {"html": True}).render(export(answer).decode())
    assert "<script" not in page
    assert 'href="javascript' not in page
    word = docx.Document(io.BytesIO(export(answer, "docx")))
    entries = [paragraph for paragraph in word.paragraphs if paragraph.text.startswith("1.\t")]
    assert len(entries) == 1
    assert not [link.address for link in entries[0].hyperlinks if link.address]


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
