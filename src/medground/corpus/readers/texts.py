"""Markdown and plain text, and collections of text as hubs publish them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
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
from medground.corpus.readers.lines import SUFFIX, Record, read_lines, read_parquet
from medground.corpus.readers.record_ids import own_ids, title_line
from medground.corpus.readers.values import NAMES, one_line
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

    Raises ValueError: the front matter is not YAML, has aliases, or is nested too deeply.
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
        raise ValueError(f"the front matter is not YAML{where}; correct it or remove it") from error
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


SUFFIXES = (".md", ".markdown", ".qmd", ".txt")
_TOP = 20
"""Lines among which a text gives its own ids."""


def open_text(path: Path, folder: Path | None = None) -> Input:
    """One text file, named after its place in `folder`."""
    name, markdown = name_below(path, folder), path.suffix.lower() != ".txt"
    return document_input(path, "texts", partial(text_document, name=name, markdown=markdown))


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
Convert = Callable[[Record], Document]


def collection_of(record: Mapping[str, Any]) -> str | None:
    """The reader of a collection whose records look like this one, or None."""
    names = {str(name).lower() for name in record}
    if {"clean_text", "source", "title"} <= names:
        return "guidelines"
    if names == {"id", "title", "content", "contents"}:  # with a PMID beside them they are chunks of PubMed
        return "textbooks"
    if names == {"id", "url", "title", "text"} and _WIKIPEDIA.match(str(record.get("url") or "")):
        return "wikipedia"
    return None


def collection_of_columns(names: Iterator[str] | list[str]) -> str | None:
    """The reader of a parquet file with these columns, or None."""
    found = {name.lower() for name in names}
    if found == {"id", "url", "title", "text"}:
        return "wikipedia"
    return collection_of(dict.fromkeys(found, ""))


def open_textbooks(path: Path, folder: Path | None = None) -> Input:
    """One file of chunks of textbooks (`id`, `title`, `content`), or one plain text as a chapter."""
    if path.name.lower().endswith((".txt", ".md")):
        return open_text(path, folder)
    chunks = partial(read_collection, convert=textbook_document, columns=("id", "title", "content"))
    return file_input(path, "textbooks", chunks)


def read_collection(path: Path, convert: Convert, columns: tuple[str, ...]) -> Iterator[Item]:
    """One file of a collection, in JSON Lines or, with these columns, in parquet."""
    if path.name.lower().endswith(SUFFIX):
        return read_parquet(path, convert, columns)
    return read_lines(path, convert)


def open_wikipedia(path: Path) -> Input:
    """One file of Wikipedia's articles (`id`, `url`, `title`, `text`)."""
    articles = partial(read_collection, convert=wikipedia_document, columns=("id", "url", "title", "text"))
    return replace(file_input(path, "wikipedia", articles), license=WIKIPEDIA_LICENSE)


def textbook_document(record: Mapping[str, Any]) -> Document:
    """A chunk of a textbook."""
    return _made(record, "TEXTBOOK", _text(record, "content"), kind="book", url=None)


def guideline_document(record: Mapping[str, Any]) -> Document:
    """A guideline: its clean text with a section for each heading. One without a title is named by its first line."""
    text = _text(record, "clean_text").replace("\r\n", "\n").replace("\r", "\n")
    sections, first = headings(text), shorten(text.strip().partition("\n")[0], _LONGEST_TITLE)
    source = one_line(record.get("source") or "")
    return _made(
        record,
        f"GUIDELINE:{source}" if source else "GUIDELINE",
        text,
        title=one_line(record.get("title") or "") or (sections[0].label if sections else first),
        sections=sections,
        kind="guideline",
        journal=NAMES["publishers"].get(source.lower(), source) or None,
        publication_types=("Practice Guideline",),
    )


def wikipedia_document(record: Mapping[str, Any]) -> Document:
    """An article."""
    text = _text(record, "text")
    return _made(record, "WIKI", text, kind="wiki", journal="Wikipedia", license=WIKIPEDIA_LICENSE)


def _made(record: Mapping[str, Any], prefix: str, text: str, **fields: Any) -> Document:
    """The document of a record: its id below a prefix, its title and address, and further fields."""
    given = record.get("id")
    if not isinstance(given, str | int) or not (own := str(given).strip()):
        raise ValueError("id: the field is missing")
    kind, _, rest = prefix.partition(":")
    title, url = (one_line(record.get(name) or "") for name in ("title", "url"))
    about = {"id": named(kind, f"{rest}:{own}" if rest else own), "title": title, "url": url or None, "text": text}
    return make_document(about | fields)


def _text(record: Mapping[str, Any], name: str) -> str:
    text = record.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name}: the field is missing or empty")
    return text


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
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
    text = _LOWERED.sub(r"\1", text)
    return _FORMULA.sub(lambda found: formula(found[1] or found[2]), text)
