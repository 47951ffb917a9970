"""Markdown and plain text: one document per file, a section per heading.

The id is `FILE:` and the path inside the folder, with characters that an id cannot contain replaced by `_`. The kind is
`book`, unless the front matter says what it is. Front matter (YAML between two lines `---`) is metadata, not text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from medground.corpus.readers.base import Input
from medground.corpus.readers.compose import Headings
from medground.corpus.readers.decode import decoded
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import document_input
from medground.corpus.readers.front_matter import split_front_matter
from medground.corpus.readers.marks import above, marked
from medground.corpus.readers.names import file_id, name_below
from medground.document import Document, Section

SUFFIXES = (".md", ".markdown", ".txt")


def open_text(path: Path, folder: Path | None = None) -> Input:
    """One text file, named after its place in `folder`."""
    name, markdown = name_below(path, folder), path.suffix.lower() != ".txt"
    return document_input(path, "texts", lambda content: text_document(decoded(content), name, markdown=markdown))


def text_document(text: str, name: str, *, markdown: bool) -> Document:
    """The document of a text; its title is that of the front matter, the first heading, or else the name of the file.

    Raises:
        ValueError: there is no text, or the front matter cannot be read.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front: Mapping[str, Any] = {}
    if markdown:
        front, text = split_front_matter(text)
    sections = headings(text) if markdown else ()
    title = (sections[0].label if sections else "") or Path(name).stem
    own = {"title": title, "kind": "book"} | {key: value for key, value in front.items() if value is not None}
    return described(own | marked(above(text.split("\n"))) | {"id": file_id(name), "text": text, "sections": sections})


def headings(text: str) -> tuple[Section, ...]:
    """The sections of a Markdown text: from each heading to the next, labelled with the path: `Dosage > Children`."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)  # links and emphasis cost far more, and say nothing
    found = [(token, tokens[number + 1]) for number, token in enumerate(tokens) if token.type == "heading_open"]
    begins = [starts[heading.map[0]] if heading.map else 0 for heading, _ in found]
    path, sections = Headings(), []
    for (heading, inline), start, end in zip(found, begins, [*begins[1:], len(text)], strict=False):
        path.enter(int(heading.tag[1:]), " ".join(inline.content.split()))
        sections.append(Section(label=path.label or "", start=start, end=end))
    return tuple(sections)
