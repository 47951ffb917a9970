"""Packages: zip files of XML parts, as Word, Excel, PowerPoint and e-books (EPUB) are.

A part is parsed as any XML is: no entity is expanded, and nothing is fetched. How much it unpacks to is limited by the
memory and the time of the process that reads it.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from medground.corpus.banners import above, banner_fields
from medground.corpus.readers.base import Input, content_of, file_input, valid
from medground.corpus.readers.compose import Composition
from medground.corpus.readers.entry import described, file_id
from medground.corpus.readers.record_ids import own_ids
from medground.corpus.readers.xml import Element, record_element, root_name
from medground.values.document import Document

_KINDS = {
    "word/document.xml": "docx",
    "xl/workbook.xml": "xlsx",
    "ppt/presentation.xml": "pptx",
    "META-INF/container.xml": "epub",
}
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "docx": (".docx", ".docm", ".dotx"),
    "xlsx": (".xlsx", ".xlsm", ".xltx"),
    "pptx": (".pptx", ".pptm", ".ppsx"),
    "epub": (".epub",),
}
_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    LookupError,
    AttributeError,
    ArithmeticError,
    EOFError,
    OSError,
    NotImplementedError,
)


def package_kind(path: Path) -> str | None:
    """The reader of a zip file, or None. A damaged one is recognised by its suffix."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {*archive.namelist()}
        return next((kind for part, kind in _KINDS.items() if part in names), None)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return kind_of_suffix(path)


def kind_of_suffix(path: Path) -> str | None:
    """The reader of packages with the suffix of a file, or None."""
    return next((kind for kind, suffixes in SUFFIXES.items() if path.suffix.lower() in suffixes), None)


@contextmanager
def unpacking(kind: str, *more: type[Exception]) -> Iterator[None]:
    """Raises ValueError: a package is damaged, cut off or protected by a password; `more` errors say so, too."""
    try:
        yield
    except (etree.LxmlError, *_ERRORS, *more) as error:
        raise ValueError(f"the {kind} file is damaged or cut off; copy or download it again") from error
    except RuntimeError as error:
        if "encrypted" not in str(error):
            raise
        raise ValueError(f"the {kind} file is protected by a password; save it without one") from error


def package_input(path: Path, reader: str, document: Callable[[zipfile.Path], Document]) -> Input:
    """A package that is one document."""
    return file_input(path, reader, partial(_document, reader, document), apart=True)


def _document(reader: str, document: Callable[[zipfile.Path], Document], path: Path) -> Iterator[Document]:
    with valid(path), unpacking(reader.upper()), zipfile.ZipFile(path) as archive:
        yield document(zipfile.Path(archive))


def named_document(
    name: str, composition: Composition, about: Mapping[str, Any], beside: Sequence[str], cautions: Sequence[str]
) -> Document:
    """The document of a file of this name; what stands `beside` its text may name it and say that it was retracted."""
    if not composition.text:
        raise ValueError("the document has no text")
    lines = composition.text.split("\n")
    mark = banner_fields([*beside, *above(lines)])
    own = {"id": file_id(name), "text": composition.text, "sections": composition.sections, "kind": "book"}
    own["cautions"] = (*mark.pop("cautions", ()), *cautions)
    return described({**about, **own_ids([*beside, *lines]), **own, **mark})


def part_xml(part: zipfile.Path) -> Element:
    """The XML of a part. Raises BadDocument: it declares entities, or is not well-formed."""
    root_name(part)
    return record_element(content_of(part))


def beside(part: zipfile.Path, target: str) -> zipfile.Path:
    """The part at an address as another part gives it."""
    return zipfile.Path(
        part.root, posixpath.normpath(posixpath.join("/", posixpath.dirname(part.at), unquote(target)))[1:]
    )


def linked(part: zipfile.Path) -> dict[str, tuple[str, zipfile.Path]]:
    """The parts that a part refers to, each with its kind (`notesSlide`), by the ids by which it does."""
    links = beside(part, f"_rels/{part.name}.rels")
    return {
        one.get("Id", ""): (one.get("Type", "").rpartition("/")[2], beside(part, one.get("Target", "")))
        for one in (part_xml(links) if links.exists() else ())
        if one.get("TargetMode") != "External"
    }


def linked_as(part: zipfile.Path, kind: str) -> Iterator[zipfile.Path]:
    """The parts of a kind that a part refers to."""
    return (found for is_a, found in linked(part).values() if is_a == kind)


def link_of(element: Element) -> str:
    """The id by which an element refers to a part."""
    return next((value for name, value in element.attrib.items() if name.endswith("}id")), "")
