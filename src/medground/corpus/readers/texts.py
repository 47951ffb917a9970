"""Markdown and plain text: one document per file, a section per heading.

The id is `FILE:` and the path inside the folder, with characters that an id cannot contain replaced by `_`. The kind is
`book`, unless the front matter says what it is. Front matter (YAML between two lines `---`) is metadata, not text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from medground.corpus.readers.base import Input, document_input
from medground.corpus.readers.cautions import above, marked
from medground.corpus.readers.compose import Headings, decoded
from medground.corpus.readers.entry import described, file_id, name_below
from medground.values.document import Document, Section

# YAML front matter of a Markdown file: fields between two lines `---` at its very start.

_FRONT = re.compile(r"\ufeff?---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^[\w-]+[ \t]*:", re.MULTILINE)
_LONGEST = 100_000
_DEEPEST = 20
_BEGINS = frozenset(["[", "{", "<block mapping start>", "<block sequence start>"])
_ENDS = frozenset(["]", "}", "<block end>"])


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The fields, and the text after them. A text without front matter is returned as it is.

    Raises:
        ValueError: the front matter is not YAML, has aliases, or is nested too deeply.
    """
    found = _FRONT.match(text)
    if found is None or len(found[1]) > _LONGEST or not _FIELD.search(found[1]):
        return {}, text
    import yaml

    try:
        _check(found[1])
        fields = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506 this loader knows texts and lists alone
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark else ""
        raise ValueError(f"the front matter is not YAML{where}; mend it or remove it") from error
    if not isinstance(fields, dict):
        return {}, text
    return {str(key): value for key, value in fields.items()}, text[found.end() :].lstrip("\n")


def _check(front: str) -> None:
    import yaml

    depth = 0
    for token in yaml.scan(front):
        if isinstance(token, yaml.AliasToken):
            raise ValueError("the front matter has aliases (*name), which are not read; write the values out")
        depth += token.id in _BEGINS
        depth -= token.id in _ENDS
        if depth > _DEEPEST:
            raise ValueError(f"the front matter is nested more than {_DEEPEST} deep; flatten it")


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
