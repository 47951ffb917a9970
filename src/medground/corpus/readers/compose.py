"""Assemble a document from labelled paragraphs, and replace characters that cannot be stored."""

import codecs
import contextlib
import html
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from medground.corpus.readers.base import LONGEST_RECORD, content_of, valid
from medground.language.clean import in_strings
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.document import Document, Section
from medground.values.identifiers import normal_document_id, normal_identifiers

# Control characters break terminals, and lone surrogates (legal in JSON) cannot be encoded. Each is replaced by one
# character, so that offsets that come with a text stay correct.
_UNSTORABLE = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

_LONGEST_TITLE = 5_000
_LONGEST_LABEL = 1_000
"""Each passage carries the title of its document and the heading over it, so a long one is stored many times."""

_MOST_VALUES = 20_000
"""Authors, headings, keywords, identifiers, sections: the largest collaborations have some 15,000 authors."""

_REASONS = {"extra_forbidden": "unknown field", "missing": "the field is missing"}

REFERENCES = lazy_pattern(
    r"(?i)(?:\d+\.?\s*)?(?:reference list|references|bibliography|literature cited|works cited)\W*"
)
"""The heading of a reference list, which is not evidence."""

Model = TypeVar("Model", bound=BaseModel)


class Composition:
    """Builds a text from paragraphs, and the sections that they form."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[tuple[str | None, int, int]] = []

    def add(self, paragraph: str, label: str | None = None) -> None:
        """Append a paragraph. Adjacent paragraphs with the same label form one section. An empty one is skipped."""
        if not paragraph:
            return
        start = self._length + 2 if self._parts else 0
        self._length = start + len(paragraph)
        self._parts.append(paragraph)
        if self._sections and self._sections[-1][0] == label:
            start = self._sections.pop()[1]
        self._sections.append((label, start, self._length))

    def extend(self, other: "Composition", label: str) -> None:
        """Append all of another text, its sections below a label."""
        for own, start, end in other._sections:
            is_below = own is not None and own.split(" > ")[0] != label
            self.add(other.text[start:end], f"{label} > {own}" if label and is_below else own or label or None)

    @property
    def text(self) -> str:
        """The paragraphs, separated by blank lines."""
        return "\n\n".join(self._parts)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The labelled parts of the text."""
        return tuple(Section(label=label, start=start, end=end) for label, start, end in self._sections if label)


class Headings:
    """The headings above a place in a text, each with its level."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """Go on below another heading; those of its level or deeper end."""
        self._path = [*((depth, above) for depth, above in self._path if depth < level), (level, title)]

    @property
    def label(self) -> str | None:
        """The label of a section here, such as `Methods > Patients`; None where there is no heading."""
        return " > ".join(title for _, title in self._path if title) or None

    @property
    def are_of_references(self) -> bool:
        """Whether this is a reference list, which is not evidence."""
        return any(REFERENCES.fullmatch(title) for _, title in self._path)


def printable(text: str) -> str:
    """The text with control characters and lone surrogates replaced; its length stays the same."""
    if text.isprintable():  # three times as fast as the pattern
        return text
    return _UNSTORABLE.sub(lambda found: " " if found[0] < "\x80" else "\ufffd", text)


def make_document(fields: Mapping[str, Any]) -> Document:
    """Make a document from these fields.

    Raises ValueError: a field is invalid; one line describes the first problem.
    """
    text = fields.get("text")
    if isinstance(text, str) and len(text) > LONGEST_RECORD:
        raise ValueError(f"the text has {len(text):,} characters, more than {LONGEST_RECORD:,}; split the record")
    for name, value in fields.items():
        if isinstance(value, (dict, list, tuple)) and len(value) > _MOST_VALUES:
            raise ValueError(f"{name}: {len(value):,} values; at most {_MOST_VALUES:,} are read")
    try:
        known = in_strings(fields, printable)
        if isinstance(text, str) and not known["text"].strip():
            raise ValueError("the record has neither text nor title")
        # PMIDs, PMC ids and DOIs in one form each: retractions and other versions are known by these.
        if isinstance(given := known.get("id"), str):
            known["id"] = normal_document_id(given)
        if isinstance(others := known.get("identifiers"), Mapping):
            known["identifiers"] = normal_identifiers(others)
        document = validated(Document, known)
    except RecursionError:
        raise ValueError("fields are nested too deeply; flatten them") from None
    if len(document.title) > _LONGEST_TITLE:
        raise ValueError(f"the title has {len(document.title):,} characters; shorten it to at most {_LONGEST_TITLE:,}")
    longest = max((len(section.label) for section in document.sections), default=0)
    if longest > _LONGEST_LABEL:
        raise ValueError(f"a heading has {longest:,} characters; shorten it to at most {_LONGEST_LABEL:,}")
    return document


def validated(model: type[Model], fields: Mapping[str, Any]) -> Model:
    """Validate the fields as a `model`; a ValueError describes the first problem in one line."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        reason = _REASONS.get(first["type"], first["msg"].removeprefix("Value error, "))
        raise ValueError(f"{field}: {reason}" if field else reason) from error


# Bytes to text: UTF-8 or UTF-16 where the bytes say so, else Windows-1252, the superset of Latin-1.

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MOST_CONTROL = 0.01
_WIDE = lazy_pattern(rb"[\x81-\xfe]{4}")
_KANA = lazy_pattern(rb"[\x82\x83][\x40-\xf1]")


def decoded(content: bytes) -> str:
    """The text of some bytes."""
    named = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if named is None and b"\x00" in content:
        raise ValueError("this is a binary file, not text")
    try:
        return content.decode(named or "utf-8")
    except UnicodeDecodeError as error:
        if named is not None:
            raise ValueError(f"not {named} at byte {error.start}; convert it with iconv -t utf-8") from error
    if len(_WIDE.findall(content)) > len(content) / 500:  # no text in Latin letters has so many
        from trafilatura.utils import detect_encoding

        is_japanese = len(_KANA.findall(content)) > len(content) / 100
        for name in ["cp932"] if is_japanese else detect_encoding(content):
            with contextlib.suppress(UnicodeDecodeError, LookupError):
                return content.decode(name)
    text = content.decode("cp1252", "replace")
    strange = sum(1 for old, new in zip(text, printable(text), strict=True) if old != new or new == "\ufffd")
    if strange > _MOST_CONTROL * len(text):
        raise ValueError("neither UTF-8 nor Latin-1; convert it with iconv -t utf-8")
    return text


def text_of(path: Path) -> str:
    """The text of a file, plain or gzip."""
    with valid(path):
        return decoded(content_of(path))


def plain_lines_of(path: Path) -> str:
    r"""The same without a byte order mark; each line ends with `\n`."""
    return io.StringIO(text_of(path), newline=None).read().lstrip("\ufeff")


_WORDS = 4
_LONGEST_QUOTED = 100


def caution_on_hidden(pieces: Sequence[str], where: str, why: str = "") -> tuple[str, ...]:
    """One caution on these texts, or none if they are no more than a few characters. They are in `where`: `Page 3`."""
    text = " ".join(" ".join(pieces).split())
    if len(text.split()) < _WORDS:
        return ()
    reason = f" ({why})" if why else ""
    start = shorten(text, _LONGEST_QUOTED, placeholder=" …")
    return (f"{where} has invisible text{reason}; it was left out: “{start}”",)


# Markup that exporters leave inside a title or an abstract: tags of HTML and JATS, and entities.

_RAISED = lazy_pattern(r"(?i)(?<=\d)<(?:jats:)?sup>\s*(?=[-+\u2212\u2013]?\d)")
_WITHIN = verbose_pattern(
    r"""
    </?(?:jats:)?(?:i|b|em|strong|su[bp]|span|italic|bold|underline|sc|scp|inf)(?:\s[^<>]{0,200})?/?>
    """
)
_BETWEEN = lazy_pattern(r"(?i)</?(?:jats:[\w-]{1,30}|p|br|div|h[1-6]|sec|title|list|ul|ol|li)(?:\s[^<>]{0,200})?/?>")
_ENTITY = lazy_pattern(r"(?i)&(?:#\d{2,6}|#x[0-9a-f]{2,5}|[a-z]{2,8}\d{0,2});")


def unmarked(text: str) -> str:
    """The text without tags, and with its entities resolved; `10<sup>6</sup>` becomes `10^6`, as in our XML."""
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if "<" not in text:
        return text
    text = _WITHIN.sub("", _RAISED.sub("^", text))
    return " ".join(_BETWEEN.sub(" ", text).split()) if _BETWEEN.search(text) else text


# What a raised text means in print: an exponent, a citation, or a part of the word.

_CITED = lazy_pattern(r"\[?\d{1,3}(?:\s?[,;\u2013\u2212-]\s?\d{1,3})*,?\]?")
_EXPONENT = lazy_pattern(r"[-+\u2212\u2013]?\d+(?:\.\d+)?")
_UNIT = lazy_pattern(r"(?:^|[\s/(\u00b7*])(?:[kcmnd\u00b5\u03bc]?m|[kc]g|[a-zA-Z]|mm|min|sec|\u03c7|chi|[A-Z]{1,2}O)$")
"""What carries an exponent or an index, not a citation: m2, kg/m2, R2, x2."""


def meaning(said: str, before: str) -> Literal["exponent", "citation", "text"]:
    """What a raised text means after the text before it: `10^6`, `mortality [1,2]`, or `m2` and `1st`."""
    said = said.strip()
    if before[-1:].isdigit() and _EXPONENT.fullmatch(said):
        return "exponent"
    return "citation" if _CITED.fullmatch(said) and not _UNIT.search(before) else "text"


def written(said: str, before: str) -> str:
    """A raised text as plain text: an exponent gets its sign, a citation is left out, as in our XML."""
    meant = meaning(said, before)
    return f"^{said.strip()}" if meant == "exponent" else "" if meant == "citation" else said


_HEADING = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]\s*>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"(?i)<(?:br|/?p|/?div|/?li|/?ul|/?ol)\b[^>]*>")
_COVERED = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)


def plain(marked: str) -> str:
    """The text of a piece of HTML in one line; scripts are left out."""
    visible = _BREAK.sub(" ", _COVERED.sub(" ", printable(marked)))
    if "<" in visible or "&" in visible:
        from lxml.etree import ParserError  # imported late: most answers read no HTML
        from lxml.html import fromstring

        try:
            visible = fromstring(f"<div>{visible}</div>").text_content()
        except (ParserError, ValueError):
            return ""
    return " ".join(printable(visible).split())


def abstract_of(marked: str) -> Composition:
    """An abstract with a section for each of its headings (`<h4>Methods</h4>`)."""
    composition = Composition()
    parts = _HEADING.split(marked)
    composition.add(plain(parts[0]))
    for label, part in zip(parts[1::2], parts[2::2], strict=True):
        composition.add(plain(part), plain(label).rstrip(":") or None)
    return composition
