"""Word documents (DOCX), opened by python-docx: what they print in order, with a section per heading."""

import io
import re
from pathlib import Path
from typing import Any

from medground.corpus.readers.compose import Composition, Headings
from medground.corpus.readers.packages import named_document, unpacking
from medground.corpus.readers.record_ids import title_line
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.word_styles import Styles, W, value_at
from medground.corpus.readers.word_text import Printed, blocks
from medground.corpus.readers.xml import Element, name_of
from medground.language.pattern import verbose_pattern
from medground.values.document import Document

_WATERMARK = ".//{urn:schemas-microsoft-com:vml}textpath"
_HEADS = ("header", "first_page_header", "even_page_header", "footer", "first_page_footer", "even_page_footer")


def margins_of(opened: Any) -> list[str]:
    """The texts of running heads, feet and watermarks, each once."""
    found: list[str] = []
    printed = Printed(Styles(opened.styles.element), {})
    for part in (getattr(section, name) for section in opened.sections for name in _HEADS):
        if not part.is_linked_to_previous:
            found += filter(None, (printed.paragraph(one) for one in part._element.iter(f"{W}p")))
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
    fields = {name: value for name, own in names.items() if (value := getattr(properties, own))}
    if _NO_PERSON.fullmatch(str(fields.get("authors", ""))):  # the program, or the machine
        fields.pop("authors", None)
    return fields


_HEADING = re.compile(r"(?i)heading (\d)")
_NO_PERSON = verbose_pattern(
    r"""
    (?:(?:microsoft|windows|office|ms|hp|dell|lenovo|asus|acer|toshiba|apple|home|my)\s*)*(?:office|user|
    usuario|benutzer|utilisateur|utente|admin(?:istrator)?|owner|author|guest|pc|laptop|unknown|anonymous|
    default|python-docx)?\s*\d*
    """
)


def docx_document(content: bytes, name: str) -> Document:
    """The document of a Word file."""
    import docx
    from docx.opc.exceptions import OpcError

    with unpacking("DOCX", OpcError):
        opened = docx.Document(io.BytesIO(content))
        composition, titles, cautions = _composed(opened)
        said = properties_of(opened)
        titles = titles or [*filter(None, [title_line(composition.text)])]
        about = {"title": titles[0] if titles else Path(name).stem} | fields_of(said, titled=bool(titles))
        # properties that may say that the paper was retracted, or which PMID it has
        stated = (
            getattr(said, name, "") for name in ("title", "subject", "comments", "identifier", "keywords", "category")
        )
        beside = [*margins_of(opened), *filter(None, stated)]
    return named_document(name, composition, about, beside, cautions)


def _composed(opened: Any) -> tuple[Composition, list[str], tuple[str, ...]]:
    """The text without its reference list, its titles (in the style Title, else the highest headings), cautions."""
    styles = Styles(opened.styles.element)
    printed = Printed(styles, notes_of(opened))
    composition = Composition()
    path = Headings()
    titles: list[str] = []
    headings: list[tuple[int, str]] = []
    for block in blocks(opened.element.body):
        if name_of(block) == "tbl":
            texts = _texts_of(printed.rows(block))
        else:
            text, style = printed.paragraph(block), styles.name(value_at(block, "pPr/pStyle"))
            texts = [text]
            if text and (found := _HEADING.fullmatch(style)):
                headings.append((int(found[1]), text))
                path.enter(*headings[-1])
                texts = []
            elif text and style == "Title":
                titles.append(text)
                texts = []
        for text in (*texts, *printed.beside()):
            if not path.are_of_references:
                composition.add(text, path.label)
    highest = min((level for level, _ in headings), default=0)
    titles = titles or [text for level, text in headings if level == highest][:1]
    return composition, titles, printed.cautions(opened.element.body)


def _texts_of(rows: list[list[Cell]]) -> list[str]:
    """The rows of a table as sentences, after what none of them says: heads of labels, and of empty columns."""
    lines = [*lines_of(rows)]
    said = "\n".join(lines)
    unsaid = dict.fromkeys(cell.text for row in rows for cell in row if cell.text not in said)
    return [" | ".join(unsaid), *lines]


def notes_of(opened: Any) -> dict[tuple[str, str], Element]:
    """The footnotes and endnotes of a file, by what refers to them and their number."""
    from docx.oxml import parse_xml

    found: dict[tuple[str, str], Element] = {}
    for part in opened.part.rels.values():
        kind = part.reltype.rpartition("/")[2].removesuffix("s")  # the relation is `footnotes`
        if kind in ("footnote", "endnote") and not part.is_external:
            for note in parse_xml(part.target_part.blob).iterfind(f"{W}{kind}"):
                found[f"{kind}Reference", note.get(f"{W}id", "")] = note
    return found
