"""The text of a JATS article: its headings, paragraphs, lists and captions, in order."""

from __future__ import annotations

from medground.corpus.readers.compose import Composition
from medground.corpus.readers.xml import Element, flat_text, name_of

# Blocks that may occur inside a paragraph, and are read after it.
_BLOCKS = frozenset(
    ["list", "def-list", "fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "disp-quote"]
)
_LEFT_OUT = frozenset(
    [
        "ref-list",
        "title",
        "label",
        "sec-meta",
        "table",
        "table-wrap-foot",
        "kwd-group",
        "supplementary-material",
        "book-part",
    ]
)
_NO_ABSTRACT = frozenset(["graphical", "toc", "teaser"])


def add_abstract(composition: Composition, abstract: Element) -> None:
    """Add an abstract. Sections keep their labels; other text gets the abstract's title, or `Abstract`."""
    kind = abstract.get("abstract-type") or ""
    if kind not in _NO_ABSTRACT:
        heading = flat_text(abstract.find("title")) or kind.replace("-", " ").capitalize() or "Abstract"
        _add_content(composition, abstract, (heading,))


def add_body(composition: Composition, article: Element) -> None:
    """Add the body, and figures and tables that are placed outside it."""
    for name in ("body", "floats-group"):
        part = article.find(name)
        if part is not None:
            _add_content(composition, part, ())


def _add_content(composition: Composition, parent: Element, path: tuple[str, ...]) -> None:
    for element in parent:
        _add_block(composition, element, path)


def _add_block(composition: Composition, element: Element, path: tuple[str, ...]) -> None:
    name = name_of(element)
    if name == "sec":
        heading = flat_text(element.find("title"))
        _add_content(composition, element, (*path, heading) if heading else path)
    elif name == "p":
        composition.add(flat_text(element, leave_out=_BLOCKS), _label(path))
        for block in element:
            if name_of(block) in _BLOCKS:
                _add_block(composition, block, path)
    elif name in ("list-item", "def-item"):
        _add_item(composition, element, path)
    elif name in ("fig", "table-wrap"):
        _add_caption(composition, element, path)
    elif name == "disp-formula":
        composition.add(flat_text(element, leave_out=("label",)), _label(path))
    elif name and name not in _LEFT_OUT:
        _add_content(composition, element, path)


def _add_item(composition: Composition, item: Element, path: tuple[str, ...]) -> None:
    """A list item is one paragraph, `- text`; a definition is `term: text`."""
    term = flat_text(item.find("term"))
    parts = [flat_text(part, leave_out=_BLOCKS) for part in item if name_of(part) in ("p", "def")]
    text = " ".join(filter(None, parts))
    composition.add(f"{term}: {text}" if term else f"- {text}" if text else "", _label(path))
    for nested in (*item.iterfind("p/list"), *item.iterfind("list")):
        _add_content(composition, nested, path)


def _add_caption(composition: Composition, float_: Element, path: tuple[str, ...]) -> None:
    label = flat_text(float_.find("label"))
    caption = [flat_text(part, leave_out=_BLOCKS) for part in float_.iterfind("caption/*")]
    composition.add(" ".join(filter(None, (label and f"{label.rstrip('.')}.", *caption))), _label(path))


def _label(path: tuple[str, ...]) -> str | None:
    return " > ".join(path) or None
