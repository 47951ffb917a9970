"""Build the XML of the E-utilities."""

from __future__ import annotations

import re

from lxml import etree

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_DTD_URL = "https://eutils.ncbi.nlm.nih.gov/eutils/dtd"


def eutils_doctype(root: str, name: str, date: str, file: str | None = None) -> str:
    """Return the document type declaration that refers clients to the DTD."""
    return f'<!DOCTYPE {root} PUBLIC "-//NLM//DTD {name} {date}//EN" "{_DTD_URL}/{date}/{file or name}.dtd">'


def node(tag: str, text: str | int | None = None, /, *children: etree._Element, **attributes: str) -> etree._Element:
    """Build an element. Characters that are not allowed in XML become spaces."""
    element = etree.Element(tag, {name: clean(value) for name, value in attributes.items()})
    if text is not None:
        element.text = clean(str(text))
    element.extend(children)
    return element


def document(root: etree._Element, doctype: str) -> bytes:
    """Serialise a document."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", doctype=doctype))


def clean(text: str) -> str:
    """Replace characters that are not allowed in XML with spaces."""
    return _NOT_XML.sub(" ", text)
