"""Markdown and plain text: one document per file, a section per heading.

The id is `FILE:` and the path inside the folder, with characters that an id cannot contain replaced by `_`. The kind is
`book`, unless the front matter says what it is. Front matter (YAML between two lines `---`) is metadata, not text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.decode import decoded
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import file_input, whole
from medground.corpus.readers.front_matter import split_front_matter
from medground.corpus.readers.marks import above, marked
from medground.corpus.readers.names import file_id, name_below
from medground.document import Document, Section
from medground.errors import BadDocument

SUFFIXES = (".md", ".markdown", ".txt")


def open_text(path: Path, folder: Path | None = None) -> Input:
    """One text file, named after its place in `folder`."""
    return file_input(path, "texts", partial(_read, name=name_below(path, folder)))


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


def _read(path: Path, name: str) -> Iterator[Item]:
    try:
        yield text_document(decoded(whole(path)), name, markdown=path.suffix.lower() != ".txt")
    except ValueError as error:
        raise BadDocument(str(error), file=str(path)) from error


def headings(text: str) -> tuple[Section, ...]:
    """The sections of a Markdown text: from each heading to the next, labelled with the path of headings."""
    return tuple(_sections(text))


def _sections(text: str) -> Iterator[Section]:
    """From each heading to the next, labelled with the path of headings: `Dosage > Children`."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)  # links and emphasis cost far more, and say nothing
    headings = [(token, tokens[number + 1]) for number, token in enumerate(tokens) if token.type == "heading_open"]
    path: list[tuple[int, str]] = []
    for number, (heading, inline) in enumerate(headings):
        level = int(heading.tag[1:])
        path = [*((depth, title) for depth, title in path if depth < level), (level, " ".join(inline.content.split()))]
        following = headings[number + 1][0] if number + 1 < len(headings) else None
        yield Section(
            label=" > ".join(title for _, title in path if title),
            start=_line_start(starts, heading.map),
            end=_line_start(starts, following.map) if following else len(text),
        )


def _line_start(starts: list[int], lines: list[int] | None) -> int:
    return starts[lines[0]] if lines else 0
