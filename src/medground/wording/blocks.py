"""A printed page as values: its blocks, entries of a list of references, and pictures that neither run nor load."""

from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from medground.answering.captions import design
from medground.language.clean import clean, ended, joined
from medground.values.answer import SourceDocument
from medground.values.report import Attachment

Style = Literal["plain", "strong", "italic", "dim", "good", "caution", "bad", "mark"]

Kind = Literal["title", "decision", "heading", "subheading", "paragraph", "item", "note", "table", "picture"]
"""`decision`: the decision, then its reason. `paragraph`: its lines after the first are indented. `item`: an entry of a
list. `note`: a line of a compact list. `table`: its `rows`. `picture`: its lines are the caption."""


@dataclass(frozen=True)
class Span:
    """Text in one style. White space only separates words.

    Args:
        text: the text, cleaned of control characters, not escaped.
        style: how it looks where the output has styles.
        url: where it leads: a web address, or `#name` for an anchor of the same page.
        anchor: a name that other spans can lead to.
    """

    text: str
    style: Style = "plain"
    url: str = ""
    anchor: str = ""


Line = tuple[Span, ...]


@dataclass(frozen=True)
class Picture:
    """An image, for outputs that can show one. Its content is checked: it can neither run nor load anything.

    `media_type`: `image/svg+xml` or `image/png`.
    """

    content: bytes
    media_type: str

    @property
    def address(self) -> str:
        """The whole image as an address."""
        return f"data:{self.media_type};base64,{b64encode(self.content).decode()}"


@dataclass(frozen=True)
class Block:
    """Lines that belong together.

    Args:
        lines: each starts on a line of its own, and may be wrapped.
        marker: what is printed before an item, such as `1.` or `-`.
        rows: the rows of a table, each with as many cells; the first is its head.
        picture: the image of a picture.
    """

    kind: Kind
    lines: tuple[Line, ...]
    marker: str = ""
    rows: tuple[tuple[Line, ...], ...] = ()
    picture: Picture | None = None

    @property
    def text(self) -> str:
        """Its lines without styles."""
        return " ".join("".join(span.text for span in one) for one in self.lines)


def line(text: str, style: Style = "plain") -> Line:
    """A line in one style."""
    return (Span(text, style),)


def mapped(block: Block, change: Callable[[Span], Span]) -> Block:
    """A block with each of its spans changed."""

    def changed(lines: tuple[Line, ...]) -> tuple[Line, ...]:
        return tuple(tuple(map(change, line)) for line in lines)

    return replace(block, lines=changed(block.lines), rows=tuple(map(changed, block.rows)))


def heading(text: str) -> Block:
    """A heading."""
    return Block("heading", (line(text),))


def subheading(text: str) -> Block:
    """A heading below a heading."""
    return Block("subheading", (line(text),))


def note(text: str, style: Style = "plain") -> Block:
    """A note of one line."""
    return Block("note", (line(text, style),))


def spaced(block: Block, before: Block | None) -> bool:
    """Whether an empty line separates a block from the one before it."""
    if before is None or before.kind in ("heading", "subheading"):
        return False
    return block.kind not in ("item", "note") or (before.kind != block.kind and block.kind == "note")


def study(document: SourceDocument) -> str:
    """The design and year of a document on one side of a conflict."""
    return f"{design(document) or 'design not stated'}, {document.year or 'year not stated'}"


def bibliography(document: SourceDocument) -> str:
    """Title, journal, year and design, as in a list of references."""
    where = ", ".join(clean(str(part)) for part in (document.journal, document.year) if part)
    title = joined(document.title) or document.id
    return " ".join(ended(part) for part in (title, where, design(document).capitalize()) if part)


def terms(document: SourceDocument) -> str:
    """Under which licence a document may be used, and where its source has it from; empty where neither is known."""
    known = (("Licence", document.license), ("Origin", document.origin))
    return " ".join(ended(f"{name}: {joined(text)}") for name, text in known if text)


def mark(evidence_id: str) -> Span:
    """The citation mark of a quote, which leads to its source."""
    return Span(f"[{evidence_id}]", "mark", url=f"#{evidence_id.lower()}")


def marks(evidence_ids: Iterable[str], *, anchored: bool = False) -> Line:
    """Citation marks with spaces between; those in the list of sources are what the others lead to."""
    spans: list[Span] = []
    for evidence_id in evidence_ids:
        spans += [Span(" ")] if spans else []
        spans.append(anchor(evidence_id) if anchored else mark(evidence_id))
    return tuple(spans)


def anchor(evidence_id: str) -> Span:
    """The mark of a quote in the list of sources."""
    return Span(f"[{evidence_id}]", "mark", anchor=evidence_id.lower())


Files = Callable[[Attachment], bytes]
"""Reads a file of a report. Raises UsageError where it is gone."""
_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = "http://www.w3.org/2000/svg"
_ACTIVE = ("script", "foreignObject", "image", "feImage", "a", "set", "animate", "animateTransform", "handler")
"""Elements that run, load or move something."""
_LONGEST = 8_000_000


def picture(content: bytes, media_type: str) -> Picture | None:
    """A file as a picture; None if it is not a picture, or one that could run or load something."""
    if media_type == "image/png" and content.startswith(_PNG) and len(content) <= _LONGEST:
        return Picture(content, media_type)
    if media_type == "image/svg+xml" and len(content) <= _LONGEST and _is_still(content):
        return Picture(content, media_type)
    return None


def _is_still(content: bytes) -> bool:
    """Whether an SVG file only draws."""
    from lxml import etree  # only where there is a picture

    if b"<!ENTITY" in content:
        return False
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return False
    if root.tag not in ("svg", f"{{{_SVG}}}svg"):
        return False
    return all(_only_draws(element) for element in root.iter())


def _only_draws(element: Any) -> bool:
    from lxml import etree

    if not isinstance(element.tag, str):
        return isinstance(element, etree._Comment)
    if etree.QName(element).localname in _ACTIVE:
        return False
    for name, value in element.attrib.items():
        local, told = etree.QName(name).localname.lower(), "".join(value.split()).lower()
        if local.startswith("on") or (local in ("href", "src") and not told.startswith("#")) or _loads(told):
            return False
    return not _loads("".join((element.text or "").split()).lower())


def _loads(told: str) -> bool:
    """Whether a style or an attribute loads something from elsewhere."""
    return "@import" in told or told.count("url(") != told.count("url(#")
