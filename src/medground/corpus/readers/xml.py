"""Read XML as a stream of records: no entity is expanded, nothing is fetched, and memory use does not grow.

lxml parses with its limits on (depth, text size, growth by entities). A document type declaration is accepted but never
followed. One that declares entities is rejected, since no NLM file does.
"""

import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

from lxml import etree

from medground.corpus.readers.base import LONGEST_RECORD, MOST_TAGS, File, Item, numbered, opened
from medground.corpus.readers.latex import fenced, formula
from medground.errors import BadDocument

Element: TypeAlias = etree._Element

_BLOCK = 1 << 16
_START = 1 << 10
_SAFE: Mapping[str, bool] = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "huge_tree"), False),
    **dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True),
}
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w*;")
_DIGIT_END = re.compile(r"\d\s*$")
_EXPONENT = re.compile(r"\s*[-+\u2212\u2013]?\d")
_NOT_TEXT = frozenset(["tex-math", "annotation", "annotation-xml", "object-id", "graphic", "media"])


def records(path: File, tags: Collection[str], roots: Collection[str]) -> Iterator[Element]:
    """Elements with one of these tags, in order, each valid until the next is requested. Nested ones are skipped.

    Raises BadDocument: the file is not well-formed XML (the position is a line number), declares entities, or has a
    root element that is not in `roots`.
    """
    root = root_name(path)
    if root not in roots:
        raise BadDocument(f"this reader cannot read <{root}>; leave out the reader to detect it by content", file=path)
    for element in _parsed(path, root, tags):
        if not any(name_of(outer) in tags for outer in element.iterancestors()):
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]  # what comes before it, too


def record_items(
    path: Path,
    tags: Collection[str],
    roots: Collection[str],
    convert: Callable[[Element], Iterable[Item]],
    what: str,
    missing: str = "",
) -> Iterator[Item]:
    """What `convert` makes of each of these records, its tags without their namespaces.

    Raises BadDocument: there is no record, and `missing` says so.
    """

    def items(element: Element) -> Iterable[Item]:
        drop_namespaces(element)
        return convert(element)

    found = numbered(records(path, tags, roots), items, path, what)
    if (first := next(found, None)) is not None:
        yield first
        yield from found
    elif missing:
        raise BadDocument(missing, file=path)


def record_xml(element: Element) -> bytes:
    """A record as it stands in its file, in UTF-8, with the characters that entities such as `&alpha;` stand for."""
    xml = etree.tostring(element, encoding="utf-8", with_tail=False)
    return _ENTITY.sub(lambda found: html.escape(html.unescape(found[0].decode())).encode(), xml)


def record_element(xml: bytes) -> Element:
    """The element of a record that was kept as XML."""
    return etree.fromstring(xml, etree.XMLParser(**_SAFE))


def root_name(path: File) -> str:
    """Name of the root element."""
    with opened(path) as stream, _told(path):
        short = SimpleNamespace(read=lambda size: stream.read(min(size, _START)))  # most files begin in one piece of it
        root = next(element for _, element in etree.iterparse(short, events=("start",), **_SAFE))
    table = root.getroottree().docinfo.internalDTD
    if table is not None and next(iter(table.iterentities()), None) is not None:
        raise BadDocument("the XML declares entities, which are never expanded; remove them", file=path)
    return name_of(root)


def flat_text(element: Element | None, path: str = "", *, leave_out: Collection[str] = ()) -> str:
    """The text of an element, or of the first at a path below it, without markup and with white space collapsed.

    Exponents keep their meaning (`10<sup>6</sup>` becomes `10^6`), and so do MathML fractions.
    """
    if element is not None and path:
        element = element.find(path)
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    parts: list[str] = []
    _collect(element, leave_out, parts)
    return " ".join("".join(parts).split())


def parts(element: Element, known: frozenset[str], above: str = "") -> Iterator[tuple[str, Element]]:
    """Path and element of each part of a record: those at paths that a reader knows, and those that it does not."""
    for part in element:
        path = f"{above}{name_of(part)}"
        if path not in known and path in _outer(known):
            yield from parts(part, known, f"{path}/")
        elif path != above:
            yield path, part


@cache
def _outer(paths: frozenset[str]) -> frozenset[str]:
    return frozenset(path[:at] for path in paths for at, letter in enumerate(path) if letter == "/")


def told(element: Element) -> str:
    """The text of an element; adjacent parts without text between them are separated."""
    if len(element) and not any(text and text.strip() for text in (element.text, *(one.tail for one in element))):
        return "; ".join(filter(None, map(told, element)))
    return flat_text(element)


def _collect(element: Element, leave_out: Collection[str], parts: list[str]) -> None:
    if element.text:
        parts.append(element.text)
    outer = name_of(element)
    for child in element:
        name = name_of(child)
        if isinstance(child, etree._Entity):
            parts.append(html.unescape(f"&{child.name};"))
        elif name == "tex-math" and _is_alone(child):
            parts.append(f" {formula(child.text or '')} ")
        elif name and name not in _NOT_TEXT and name not in leave_out:
            if _is_mark(child, name):
                parts.append(child.tail or "")
                continue
            if name == "sup" or outer in ("msup", "mfrac"):
                parts.append(_sign_before(child, outer, "".join(parts[-3:])))
            if outer == "mfrac":
                parts.append(fenced(flat_text(child, leave_out=leave_out)))
            else:
                _collect(child, leave_out, parts)
            if name == "break":
                parts.append(" ")
        if child.tail:
            parts.append(child.tail)


def _is_mark(element: Element, name: str) -> bool:
    """Whether an element is a raised citation or the mark of a footnote, which is no part of the number before it."""
    if name == "sup":
        return any(name_of(one) == "xref" and one.get("ref-type") == "bibr" for one in element)
    if name != "xref" or element.get("ref-type") not in ("bibr", "fn", "table-fn"):
        return False
    is_raised = len(element) > 0 and not (element.text or "").strip() and all(name_of(one) == "sup" for one in element)
    return is_raised or element.get("ref-type") != "bibr"


def _is_alone(formula: Element) -> bool:
    """Whether a formula in TeX has no other form beside it."""
    parent = formula.getparent()
    return parent is None or not any(name_of(one) in ("math", "textual-form") for one in parent)


def _sign_before(element: Element, outer: str, before: str) -> str:
    """The sign that replaces the position of an exponent or a denominator on the page: 10^6, 1/2."""
    if name_of(element) != "sup" and element.getprevious() is None:
        return ""
    if outer == "mfrac":
        return "/"
    return "^" if _DIGIT_END.search(before) and _EXPONENT.match("".join(element.itertext())) else ""


def _parsed(path: File, root: str, tags: Collection[str]) -> Iterator[Element]:
    """The elements of a file with one of these tags, as the parser reaches their ends."""
    top: Element | None = None
    within: Element | None = None  # the record that the parser is in, which may not grow without end
    size = marks = 0
    parser = etree.XMLPullParser(("start", "end"), tag=[f"{{*}}{tag}" for tag in {root, *tags}], **_SAFE)
    with opened(path) as stream, _told(path):
        broken: etree.XMLSyntaxError | None = None
        while broken is None and (block := stream.read(_BLOCK)):
            try:
                parser.feed(block)
            except etree.XMLSyntaxError as error:
                broken = error  # the records before it come first
            for event, element in parser.read_events():
                top = element if top is None else top
                if event == "end" and name_of(element) in tags:
                    yield element
            if top is not None and broken is None:
                if (record := _prune(top, tags)) is None or record is not within:
                    size = marks = 0
                within, size, marks = record, size + len(block), marks + block.count(b"<")
                if record is not None and (size > LONGEST_RECORD or marks > MOST_TAGS):
                    most = f"{LONGEST_RECORD:,} bytes" if size > LONGEST_RECORD else f"{MOST_TAGS:,} tags"
                    why = f"a record has more than {most}; split it"
                    raise BadDocument(why, file=path, position=record.sourceline)
        if broken is not None:
            raise broken
        parser.close()


def _prune(top: Element, tags: Collection[str]) -> Element | None:
    """Free everything before the place that the parser has reached, outside of records. Returns the record it is in."""
    element = top
    while name_of(element) not in tags:
        if not len(element):
            return None
        del element[:-1]
        element = element[-1]
    return element


@contextmanager
def _told(path: File) -> Iterator[None]:
    try:
        yield
    except etree.XMLSyntaxError as error:
        raise BadDocument(f"not well-formed XML ({error.msg})", file=path, position=error.lineno) from error


def drop_namespaces(element: Element) -> None:
    """Leave the namespaces out of the tags of an element and of all in it."""
    for part in element.iter("{*}*"):
        if part.tag[0] == "{":
            part.tag = name_of(part)


def name_of(element: Element) -> str:
    """The tag without its namespace; empty for a node that is not an element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
