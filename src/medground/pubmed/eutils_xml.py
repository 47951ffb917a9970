"""Reading XML of a service: no entities, no network, no huge trees, and errors inside of it found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lxml import etree

from medground.corpus.readers.files import opened
from medground.errors import BadDocument
from medground.pubmed.eutils_faults import Fault, damaged, service_fault


def read_tree(path: Path, root: str, *, bearable: re.Pattern[str] | None = None) -> etree._Element:
    """The root of a small answer.

    Args:
        path: the answer, plain or gzip.
        root: the name that its root must have.
        bearable: ERROR texts that concern single ids and do not spoil the rest.

    Raises:
        Fault: it is cut off, no XML, another document, or holds an ERROR.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        with opened(path) as body:
            tree = etree.parse(body, parser).getroot()
    except etree.XMLSyntaxError as error:
        raise damaged(str(error.msg)) from None
    except BadDocument as error:
        raise damaged(error.reason) from None
    table = tree.getroottree().docinfo.internalDTD
    if table is not None and next(iter(table.iterentities()), None) is not None:
        raise Fault("its XML declares entities, which are never expanded", passing=False)
    if tree.tag != root:
        errors = _errors(tree)
        raise service_fault(errors[0]) if errors else Fault(f"it answers with <{tree.tag}> instead of <{root}>")
    serious = [said for said in _errors(tree) if bearable is None or not bearable.search(said)]
    if serious:
        raise service_fault(serious[0])
    return tree


def text(element: etree._Element, path: str) -> str:
    """The text at a path, one line; empty when there is none."""
    found = element.find(path)
    return "" if found is None else words(found)


def words(element: etree._Element) -> str:
    """All text within an element, one line."""
    return " ".join("".join(element.itertext()).split())


def texts(elements: Iterable[etree._Element]) -> tuple[str, ...]:
    """The texts of elements that have one."""
    return tuple(said for element in elements if (said := words(element)))


def number(element: etree._Element, path: str) -> int:
    """The number at a path.

    Raises:
        Fault: there is none.
    """
    found = text(element, path)
    if not (found.isascii() and found.isdigit()):
        raise Fault(f"its answer has no number in <{path}>")
    return int(found[:18])


def _errors(tree: etree._Element) -> tuple[str, ...]:
    """What ERROR elements say, wherever they stand; eSpell's is there and empty when all is well."""
    return texts(tree.iter("ERROR"))
