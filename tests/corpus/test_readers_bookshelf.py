"""NCBI Bookshelf's XML: chapters in wrappers, whole books, bad ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_files import items_of, sample, written
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.errors import BadDocument
from medground.values.document import Document

CHAPTER = sample("statpearls.nxml")
BOOK = sample("handbook.xml")


def test_a_chapter_of_statpearls(tmp_path: Path) -> None:
    (chapter,) = items_of(written(tmp_path / "article-99.nxml", CHAPTER), "bookshelf")
    assert chapter.id == "BOOKSHELF:statpearls/article-99"
    assert (chapter.title, chapter.journal, chapter.kind) == ("Ectopia Lentis", "StatPearls", "book")
    assert (chapter.year, chapter.language, chapter.license) == (2024, "en", "CC BY-NC-ND 4.0")
    assert chapter.authors == ("Gil AB",)
    assert chapter.identifiers == {"pmid": "30000001"}
    assert chapter.text == (
        "The lens is out of place.\n\nTrauma is the most common cause.[1] It occurs in 1 of 10^4.\n\n"
        "- Marfan syndrome\n\n- Homocystinuria\n\nCauses by age."
    )
    assert [section.label for section in chapter.sections] == [
        "Continuing Education Activity",
        "Etiology",
        "Etiology > Inherited",
    ]


def test_a_whole_book_gives_a_document_for_each_part_with_its_own_text(tmp_path: Path) -> None:
    fever, empty, pain, headache = items_of(written(tmp_path / "book.xml", BOOK), "bookshelf")
    assert (fever.id, fever.title, fever.year) == ("NBK:NBK77", "Fever: For clinicians", 2002)
    assert fever.url == "https://www.ncbi.nlm.nih.gov/books/NBK77/"
    assert (empty.position, empty.reason) == (3, "part 3: it has no text")
    assert (pain.id, pain.text) == ("BOOKSHELF:hb/p2", "Pain hurts.")
    assert (headache.id, headache.text) == ("BOOKSHELF:hb/c3", "The head hurts.")


def test_a_packed_chapter_and_one_without_any_id(tmp_path: Path) -> None:
    (chapter,) = items_of(written(tmp_path / "a.nxml.gz", CHAPTER), "bookshelf")
    assert isinstance(chapter, Document)
    bare = "<book-part-wrapper><book-part><body><p>Some text.</p></body></book-part></book-part-wrapper>"
    (nameless,) = items_of(written(tmp_path / "b.xml", bare.replace("<body>", "<book-part-meta/><body>")), "bookshelf")
    assert nameless.reason == "part 1: it has no title"
    titled = "<book-part-meta><title-group><title>T</title></title-group></book-part-meta><body>"
    (found,) = items_of(written(tmp_path / "c.xml", bare.replace("<body>", titled)), "bookshelf")
    assert found.id.startswith("REF:")


@each_row(
    ("text", "message"),
    [
        ("<book><title>DocBook</title><chapter/></book>", "no part with a text"),
        (CHAPTER[:1500], "not well-formed XML"),
        ('<!DOCTYPE book [<!ENTITY x "y">]><book/>', "declares entities"),
    ],
)
def test_what_is_no_book(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "bad.xml", text)
    with pytest.raises(BadDocument, match=message):
        (found,) = find_inputs([path])
        list(found.read(0))


nested = st.recursive(
    st.text("ab <&\n", max_size=8).map(lambda text: f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>"),
    lambda inner: st.builds(
        "<{0}><title>{1}</title>{2}</{0}>".format,
        st.sampled_from(["sec", "book-part", "list", "fig", "boxed-text"]),
        st.sampled_from(["", "A", "Review Questions"]),
        st.lists(inner, max_size=3).map("".join),
    ),
    max_leaves=12,
)


@given(body=nested)
def test_any_nesting_gives_documents_or_named_faults(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every piece of text is in one document at most."""
    path = tmp_path_factory.getbasetemp() / "nested.xml"
    marked = body.replace("<p>", "<p>start ")
    written(path, f"<book-part-wrapper><book-part id='x'><body>{marked}</body></book-part></book-part-wrapper>")
    (found,) = find_inputs([path])
    items = list(found.read(0))
    assert items
    texts = [item.text for item in items if isinstance(item, Document)]
    assert sum(text.count("start") for text in texts) <= marked.count("start")
