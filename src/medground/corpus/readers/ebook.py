"""E-books (EPUB): their pages in order, each read as a page of HTML, with its title over its sections."""

import zipfile
from pathlib import Path

from medground.corpus.readers.base import content_of
from medground.corpus.readers.compose import Composition, caution_on_hidden
from medground.corpus.readers.html import shown_page
from medground.corpus.readers.packages import beside, named_document, part_xml
from medground.corpus.readers.xml import flat_text, name_of
from medground.values.document import Document

_FIELDS = {"title": "title", "creator": "authors", "date": "date", "language": "language"}


def epub_document(top: zipfile.Path, name: str) -> Document:
    """The document of an e-book."""
    (root,) = part_xml(top / "META-INF/container.xml").findall(".//{*}rootfile[1]")
    listed = beside(zipfile.Path(top.root), root.get("full-path", ""))
    book = part_xml(listed)
    locks = top / "META-INF/encryption.xml"
    locked = {one.get("URI") for one in part_xml(locks).iter("{*}CipherReference")} if locks.exists() else set()
    pages = {item.get("id"): item for item in book.iterfind("{*}manifest/{*}item")}
    composition, hidden = Composition(), list[str]()
    for key, entry in {one.get("idref"): one for one in book.iterfind("{*}spine/{*}itemref")}.items():  # each page once
        page = pages[key]
        part = beside(listed, page.get("href", ""))
        if part.at in locked:
            raise ValueError("the e-book is protected against copying (DRM); save it without")
        if entry.get("linear") != "no" and page.get("properties") != "nav":
            title, chapter, unseen = shown_page(content_of(part))
            composition.extend(chapter, title)
            hidden += unseen
    said = {"title": [Path(name).stem]}
    for one in book.iterfind("{*}metadata/*"):
        if field := _FIELDS.get(name_of(one)):
            said.setdefault(field, []).append(flat_text(one))
    fields = {field: values if field == "authors" else values[-1] for field, values in said.items()}
    return named_document(name, composition, fields, (), caution_on_hidden(hidden, "The e-book"))
