"""Markdown and plain text: one document per file, a section per heading.

The id is `FILE:` and the path inside the folder, with characters that an id cannot contain replaced by `_`. The kind is
`book`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from markdown_it import MarkdownIt

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.compose import make_document
from medground.corpus.readers.files import LONGEST_RECORD, fingerprint, opened
from medground.corpus.readers.folders import files_below
from medground.document import Document, Section
from medground.errors import BadDocument

SUFFIXES = (".md", ".markdown", ".txt")

_NOT_IN_AN_ID = re.compile(r"[\s#\x00-\x1f]+")
_LONGEST_NAME = 200


def open_texts(path: Path) -> Input:
    """One text file, or all those at any depth in a folder.

    Raises:
        BadDocument: the folder contains no text file, or a link points outside it.
    """
    folder, files = (path.parent, [path]) if path.is_file() else (path, files_below(path, SUFFIXES))
    if not files:
        raise BadDocument(f"the folder contains no text file ({', '.join(SUFFIXES)})", file=str(path))
    state = "\n".join(f"{file.relative_to(folder)} {fingerprint(file)}" for file in files)
    return Input(
        name=str(path),
        reader="texts",
        fingerprint=hashlib.sha256(state.encode("utf-8", "surrogateescape")).hexdigest(),
        read=partial(_read, folder, files),
    )


def text_document(text: str, name: str, *, markdown: bool) -> Document:
    """The document of a text; its title is the first heading, or else the name without its suffix.

    Raises:
        ValueError: there is no text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    sections = tuple(_sections(text)) if markdown else ()
    title = (sections[0].label if sections else "") or Path(name).stem
    return make_document({"id": _id(name), "title": title, "text": text, "sections": sections, "kind": "book"})


def _read(folder: Path, files: list[Path], skip: int) -> Iterator[Item]:
    for file in islice(files, skip, None):
        try:
            markdown = file.suffix.lower() != ".txt"
            yield text_document(_decoded(file), file.relative_to(folder).as_posix(), markdown=markdown)
        except BadDocument as error:
            yield error
        except ValueError as error:
            yield BadDocument(str(error), file=str(file))


def _decoded(file: Path) -> str:
    with opened(file) as stream:
        content = stream.read(4 * LONGEST_RECORD)
    if b"\x00" in content:
        raise ValueError("this is a binary file, not text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}; convert it with iconv -t utf-8") from error


def _sections(text: str) -> Iterator[Section]:
    """From each heading to the next, labelled with the path of headings: `Dosage > Children`."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens = MarkdownIt("commonmark").parse(text)
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


def _id(name: str) -> str:
    """Long names keep their end and get a digest, so that two files never share an id."""
    clean = _NOT_IN_AN_ID.sub("_", name)
    if clean != name or len(clean) > _LONGEST_NAME:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        clean = f"{clean[-(_LONGEST_NAME - 9) :]}-{digest}"
    return f"FILE:{clean}"
