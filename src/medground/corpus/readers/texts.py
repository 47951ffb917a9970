"""Markdown and plain text, and collections of text as hubs publish them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any

from markdown_it import MarkdownIt

from medground.corpus.banners import above, banner_fields
from medground.corpus.readers.base import Input, Item, document_input, file_input
from medground.corpus.readers.compose import Headings, decoded, make_document, written
from medground.corpus.readers.entry import described, file_id, name_below, named
from medground.corpus.readers.latex import formula
from medground.corpus.readers.lines import SUFFIX, read_lines, read_parquet
from medground.corpus.readers.record_ids import own_ids, title_line
from medground.corpus.readers.values import NAMES, one_line
from medground.values.document import Document, Section

# YAML front matter of a Markdown file: fields between two lines `---` at its very start.

_FRONT = re.compile(r"\ufeff?---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^[\w-]+[ \t]*:", re.MULTILINE)
_LONGEST = 100_000


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The fields, and the text after them. A text without front matter is returned as it is.

    Raises ValueError: the front matter is not YAML, has aliases, or is nested too deeply.
    """
    found = _FRONT.match(text)
    if found is None or len(found[1]) > _LONGEST or not _FIELD.search(found[1]):
        return {}, text
    import yaml

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(found[1])):
            raise ValueError("the front matter has aliases (*name), which are not read; write the values out")
        fields = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506 this loader knows texts and lists alone
    except RecursionError:
        raise ValueError("the front matter is nested too deeply; flatten it") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark else ""
        raise ValueError(f"the front matter is not YAML{where}; correct it or remove it") from error
    if not isinstance(fields, dict):
        return {}, text
    return {str(key): value for key, value in fields.items()}, text[found.end() :].lstrip("\n")


SUFFIXES = (".md", ".markdown", ".qmd", ".txt")
_TOP = 20
"""Lines among which a text gives its own ids."""


def open_text(path: Path, folder: Path | None = None) -> Input:
    """One text file, named after its place in `folder`."""
    name, markdown = name_below(path, folder), path.suffix.lower() != ".txt"
    return document_input(path, "texts", partial(text_document, name=name, markdown=markdown), apart=False)


def text_document(content: bytes, name: str, *, markdown: bool) -> Document:
    """The document of a text; its title is in the front matter, the first heading, or else the name of the file."""
    text = decoded(content).replace("\r\n", "\n").replace("\r", "\n")
    front: Mapping[str, Any] = {}
    if markdown:
        front, text = split_front_matter(text)
        text = shown_markdown(text)
    sections = headings(text) if markdown else ()
    title = (sections[0].label if sections else title_line(text)) or Path(name).stem
    lines = text.split("\n")
    own = {"title": title, "kind": "book", **own_ids(islice(filter(str.strip, lines), _TOP))}
    own |= {key: value for key, value in front.items() if value is not None} | banner_fields(above(lines))
    return described(own | {"id": file_id(name), "text": text, "sections": sections})


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


# Collections of text as hubs publish them: textbooks in chunks, clinical guidelines, Wikipedia.

WIKIPEDIA_LICENSE = "CC BY-SA and GFDL"

_WIKIPEDIA = re.compile(r"https?://[a-z-]+\.(?:m\.)?wikipedia\.org/")
_LONGEST_TITLE = 120


@dataclass(frozen=True)
class Collection:
    """A collection: its columns, the one that holds the text, how ids begin, and what every document of it is."""

    columns: tuple[str, ...]
    text: str
    prefix: str
    fields: Mapping[str, Any]


COLLECTIONS: Mapping[str, Collection] = {
    "textbooks": Collection(("id", "title", "content"), "content", "TEXTBOOK", {"kind": "book"}),
    "guidelines": Collection(
        ("id", "source", "title", "clean_text", "url"),
        "clean_text",
        "GUIDELINE",
        {"kind": "guideline", "publication_types": ("Practice Guideline",)},
    ),
    "wikipedia": Collection(
        ("id", "url", "title", "text"),
        "text",
        "WIKI",
        {"kind": "wiki", "journal": "Wikipedia", "license": WIKIPEDIA_LICENSE},
    ),
}


def collection_of(columns: Iterable[str], url: str | None = None) -> str | None:
    """The reader of a collection with these columns, or of a record with this `url` too; None if there is none."""
    names = {str(name).lower() for name in columns}
    if {"clean_text", "source", "title"} <= names:
        return "guidelines"
    if names == {"id", "title", "content", "contents"}:  # with a PMID beside them they are chunks of PubMed
        return "textbooks"
    if names == {"id", "url", "title", "text"} and (url is None or _WIKIPEDIA.match(url)):
        return "wikipedia"
    return None


def open_collection(path: Path, folder: Path | None = None, *, name: str) -> Input:
    """One file of a collection, in JSON Lines or in parquet; beside textbooks, a plain text is a chapter."""
    if path.name.lower().endswith((".txt", ".md")):
        return open_text(path, folder)
    opened = file_input(path, name, partial(_read_collection, collection=COLLECTIONS[name]))
    return replace(opened, license=COLLECTIONS[name].fields.get("license"))


def _read_collection(path: Path, collection: Collection) -> Iterator[Item]:
    convert = partial(collection_document, collection=collection)
    if path.name.lower().endswith(SUFFIX):
        return read_parquet(path, convert, collection.columns)
    return read_lines(path, convert)


def collection_document(record: Mapping[str, Any], collection: Collection) -> Document:
    """The document of a record. That of a guideline has a section for each heading, and its publisher as journal."""
    text, given = record.get(collection.text), record.get("id")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{collection.text}: the field is missing or empty")
    if not isinstance(given, str | int) or not (own := str(given).strip()):
        raise ValueError("id: the field is missing")
    title, url, source = (
        one_line(record.get(name) or "") if name in collection.columns else "" for name in ("title", "url", "source")
    )
    about: dict[str, Any] = {"title": title, "url": url or None, **collection.fields}
    if collection.fields["kind"] == "guideline":
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        sections, first = headings(text), shorten(text.strip().partition("\n")[0], _LONGEST_TITLE)
        about["title"] = title or (sections[0].label if sections else first)
        about |= {"sections": sections, "journal": NAMES["publishers"].get(source.lower(), source) or None}
    return make_document(about | {"id": named(collection.prefix, f"{source}:{own}" if source else own), "text": text})


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?%%", re.DOTALL)
_MARKED = re.compile(r"==(?=\S)([^=\n]{1,500})(?<=\S)==|\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")
"""What Obsidian highlights, and links to other notes."""
_STRUCK = re.compile(
    r"(?i) ?\(~~[^~\n]{1,500}~~\)|~~(?=\S)[^~\n]{1,500}?(?<=\S)~~ ?|<(del|s|strike)>[^<\n]{1,500}</\1> ?"
)
_RAISED = re.compile(r"(?<=[\w)])\^([-+\u2212]?[\w+-]{1,12})\^")
_LOWERED = re.compile(r"(?<=\w)~(\w{1,8})~")
_FORMULA = re.compile(r"(?<![\w$\\])\$(?=\S)([^$\n]{1,300}?)(?<=[^\s\\])\$(?![\d$])|\$\$(.+?)\$\$", re.DOTALL)
_CITES = re.compile(r" ?\[(?:[^\[\]@]{0,40}-?@[^\[\]]{1,300})\]")
_ATTRIBUTES = re.compile(r"(?<![ \t])[ \t]*\{[#.][^{}\n]{1,100}\}[ \t]*$", re.MULTILINE)


def shown_markdown(text: str) -> str:
    """The text with raised digits as `10^3` and formulas as text; headings, lists and tables stay as they are."""
    for form in (_COMMENT, _STRUCK, _CITES, _ATTRIBUTES):
        text = form.sub("", text)
    text = _RAISED.sub(lambda found: written(found[1], text[max(0, found.start() - 8) : found.start()]), text)
    text = _MARKED.sub(r"\1\2", _LOWERED.sub(r"\1", text))
    return _FORMULA.sub(lambda found: formula(found[1] or found[2]), text)
