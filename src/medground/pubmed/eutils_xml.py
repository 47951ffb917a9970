"""Parse XML responses safely: no entities, no network, no huge trees; and find ERROR elements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lxml import etree

from medground.corpus.readers.files import opened
from medground.errors import BadDocument
from medground.fetching.faults import Fault
from medground.pubmed.eutils_faults import damaged, service_fault


def read_tree(path: Path, root: str, *, tolerated: re.Pattern[str] | None = None) -> etree._Element:
    """Parse a small response and return its root.

    Args:
        path: the response, plain or gzip.
        root: the expected root element.
        tolerated: ERROR texts that concern single IDs and do not invalidate the rest.

    Raises:
        Fault: the response is truncated, not XML, a different document, or has an ERROR.
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
        raise Fault("the XML response declares entities, which are not allowed", transient=False)
    errors = texts(tree.iter("ERROR"))
    if tree.tag != root:
        raise service_fault(errors[0]) if errors else Fault(f"the response is <{tree.tag}> instead of <{root}>")
    serious = [error for error in errors if tolerated is None or not tolerated.search(error)]
    if serious:
        raise service_fault(serious[0])
    return tree


def texts(elements: Iterable[etree._Element]) -> tuple[str, ...]:
    """Return the texts within the elements, each as one line, without empty ones."""
    return tuple(found for element in elements if (found := " ".join("".join(element.itertext()).split())))


def number(element: etree._Element, path: str) -> int:
    """Return the number at a path.

    Raises:
        Fault: there is no number.
    """
    found = element.findtext(path, "").strip()
    if not (found.isascii() and found.isdigit()):
        raise Fault(f"the response has no number in <{path}>")
    return int(found[:18])
