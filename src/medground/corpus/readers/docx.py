"""Word documents (DOCX), by python-docx: paragraphs, lists and tables in order, with a section per heading."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.banners import above, banner_fields
from medground.corpus.readers.base import Input, document_input
from medground.corpus.readers.compose import Composition, Headings, caution_on_hidden, written
from medground.corpus.readers.entry import described, file_id, name_below
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.values import own_ids, title_line
from medground.values.document import Document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = f"{_W}val"
_PLAIN_TABLES = ("", "TableGrid", "TableNormal")
_TINY = 4
"""Size in half points below which nobody can read a text."""
_BRIGHT = 240


def shown(paragraph: Any, hidden: list[str]) -> str:
    """The text of a paragraph that can be seen; what nobody can see of it goes to `hidden`."""
    parts: list[str] = []
    unseen: list[str] = []
    for node in paragraph.iter():
        name = node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
        if name in ("tab", "br", "cr"):
            parts.append(" ")
        elif name == "t" and not any(outer.tag.endswith("}Fallback") for outer in node.iterancestors()):
            run = next(node.iterancestors(f"{_W}r"), None)
            if run is not None and _is_hidden(run):
                unseen.append(node.text or "")
            else:
                raised = run is not None and _value(run, "vertAlign") == "superscript"
                parts.append(written(node.text or "", "".join(parts[-3:])) if raised else node.text or "")
    hidden += filter(None, [" ".join("".join(unseen).split())])
    return " ".join("".join(parts).split())


def _is_hidden(run: Any) -> bool:
    """Whether a run is marked as hidden, or is tiny, or white with nothing dark behind it."""
    if run.find(f"{_W}rPr") is None:
        return False
    if _value(run, "vanish") not in (None, "0", "false"):
        return True
    size = _value(run, "sz") or ""
    if size.isdecimal() and int(size) < _TINY:
        return True
    return _is_bright(_value(run, "color") or "") and not any(_grounds(run))


def _value(run: Any, name: str) -> str | None:
    """The value of a property of a run; empty if it is only switched on, None if it has none."""
    found = run.find(f"{_W}rPr/{_W}{name}")
    return None if found is None else str(found.get(_VAL, ""))


def _grounds(run: Any) -> Iterator[bool]:
    """Whether what is behind a run is dark: its own marker, a shaded paragraph, cell or table, a drawn box."""
    yield _value(run, "highlight") not in (None, "none", "white")
    for outer in (run, *run.iterancestors()):
        name = outer.tag.rpartition("}")[2]
        yield name == "txbxContent"
        for shade in outer.iterfind(f"{_W}{name}Pr/{_W}shd"):
            yield not _is_bright(shade.get(f"{_W}fill", "auto").replace("auto", "FFFFFF"))
        if name == "tbl":
            style = outer.find(f"{_W}tblPr/{_W}tblStyle")
            yield style is not None and style.get(_VAL, "") not in _PLAIN_TABLES


def _is_bright(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= _BRIGHT
    except ValueError:
        return False


_WATERMARK = ".//{urn:schemas-microsoft-com:vml}textpath"
_HEADS = ("header", "first_page_header", "even_page_header", "footer", "first_page_footer", "even_page_footer")


def margins_of(opened: Any) -> list[str]:
    """The texts of running heads, feet and watermarks, each once."""
    found: list[str] = []
    for part in (getattr(section, name) for section in opened.sections for name in _HEADS):
        if not part.is_linked_to_previous:
            found += filter(None, (shown(paragraph._p, []) for paragraph in part.paragraphs))
            found += (mark.get("string", "") for mark in part._element.iterfind(_WATERMARK))
    return list(dict.fromkeys(found))


def properties_of(opened: Any) -> Any:
    """The properties of the file; None if it has none. python-docx makes some up where there are none."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    if any(part.reltype == RELATIONSHIP_TYPE.CORE_PROPERTIES for part in opened.part.package.rels.values()):
        return opened.core_properties
    return None


def fields_of(properties: Any, *, titled: bool) -> dict[str, Any]:
    """The fields of a document that the properties give; the title only where the text has none."""
    if properties is None:
        return {}
    names = {"authors": "author", "publication_types": "category", "status": "content_status"}
    names |= {name: name for name in ("keywords", "language", *([] if titled else ["title"]))}
    return {name: value for name, own in names.items() if (value := getattr(properties, own))}


SUFFIXES = (".docx", ".docm", ".dotx")

_MAIN = "word/document.xml"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_DAMAGED = "the DOCX file is damaged or cut off; copy or download it again"
_ERRORS = (zipfile.BadZipFile, zlib.error, LookupError, AttributeError, EOFError, OSError, NotImplementedError)


def open_docx(path: Path, folder: Path | None = None) -> Input:
    """One Word document, named after its place in `folder`."""
    return document_input(path, "docx", partial(docx_document, name=name_below(path, folder)), apart=True)


def is_docx(path: Path) -> bool:
    """Whether a zip file is a Word document. A damaged one is recognised by its suffix."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _MAIN in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return path.suffix.lower() in SUFFIXES


def docx_document(content: bytes, name: str) -> Document:
    """The document of a Word file."""
    _check_open(content)
    import docx
    from docx.opc.exceptions import OpcError
    from lxml import etree

    try:
        opened = docx.Document(io.BytesIO(content))
        composition, titles, hidden = _composed(opened)
        said = properties_of(opened)
        titles = titles or [*filter(None, [title_line(composition.text)])]
        about = {"title": titles[0] if titles else Path(name).stem} | fields_of(said, titled=bool(titles))
        # properties that may say that the paper was retracted, or which PMID it has
        stated = (
            getattr(said, name, "") for name in ("title", "subject", "comments", "identifier", "keywords", "category")
        )
        beside = [*margins_of(opened), *filter(None, stated)]
    except (OpcError, etree.LxmlError, *_ERRORS) as error:
        raise ValueError(_DAMAGED) from error
    if not composition.text:
        raise ValueError("the document has no text")
    lines = composition.text.split("\n")
    mark = banner_fields([*beside, *above(lines)])
    about |= own_ids([*beside, *lines])
    own = {"id": file_id(name), "text": composition.text, "sections": composition.sections, "kind": "book"}
    own["cautions"] = (*mark.pop("cautions", ()), *caution_on_hidden(hidden, "The file"))
    return described(about | own | mark)


def _check_open(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(part.flag_bits & 1 for part in archive.infolist()):
                raise ValueError("the DOCX file is protected by a password; save it without one")
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise ValueError(_DAMAGED) from error


def _composed(opened: Any) -> tuple[Composition, list[str], list[str]]:
    """The text without its reference list, its titles (in the style Title, else the highest headings), hidden texts."""
    from docx.table import Table

    composition = Composition()
    path = Headings()
    titles: list[str] = []
    headings: list[tuple[int, str]] = []
    hidden: list[str] = []
    for block in opened.iter_inner_content():
        if isinstance(block, Table):
            for row in _rows(block, hidden):
                composition.add(row, path.label)
            continue
        text = shown(block._p, hidden)
        style = (block.style.name if block.style is not None else "") or ""
        if text and (found := _HEADING.fullmatch(style)):
            level = int(found[1])
            headings.append((level, text))
            path.enter(level, text)
        elif text and style == "Title":
            titles.append(text)
        elif not path.are_of_references:
            composition.add(text, path.label)
    highest = min((level for level, _ in headings), default=0)
    return composition, titles or [text for level, text in headings if level == highest][:1], hidden


def _rows(table: Any, hidden: list[str]) -> Iterator[str]:
    """The rows as sentences; a cell that is merged with others stands in each of their places."""
    grid: list[list[Cell]] = []
    for row in table._tbl.tr_lst:
        cells: list[Cell] = []
        for cell in row.tc_lst:
            above = grid[-1][len(cells)] if grid and cell.vMerge == "continue" and len(cells) < len(grid[-1]) else None
            text = " ".join(shown(p, hidden) for p in cell.p_lst).strip()
            cells += [above or Cell(text)] * cell.grid_span
        grid.append(cells)
    yield from lines_of(grid)
