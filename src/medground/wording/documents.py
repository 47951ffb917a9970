"""The whole answer as a Word document and as PDF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from io import BytesIO
from typing import TYPE_CHECKING, Any

from medground.answering.captions import is_web_address
from medground.answering.evidence_table import EvidenceTable, in_words
from medground.errors import needing
from medground.language.clean import clean
from medground.values.answer import Answer
from medground.wording.answer_blocks import Bibliography
from medground.wording.blocks import Block, Files, Line, Picture, Span, heading, line
from medground.wording.layout import layout
from medground.wording.reference import one_line, spaced_line

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.oxml.xmlchemy import BaseOxmlElement
    from docx.text.paragraph import Paragraph


_UNBROKEN = re.compile(r"\S{30}(?=\S)")
_BREAK = "\u200b"
"""Where a word without end may be broken: a zero-width space."""
_PNG = b"#set page(width: auto, height: auto, margin: 0pt)\n#image(bytes(json(bytes(sys.inputs.data))), width: 16cm)"


def as_pdf(answer: Answer, bibliography: Bibliography, files: Files | None = None, *, details: bool = False) -> bytes:
    """An answer as PDF. The same answer gives the same bytes."""
    blocks = layout(answer, details=details, bibliography=bibliography, files=files)
    lines = [one for block in blocks for one in (*block.lines, *(cell for row in block.rows for cell in row))]
    anchors = [span.anchor for one in lines for span in one if span.anchor]
    once = {anchor for anchor in anchors if anchors.count(anchor) == 1}
    data = {"title": one_line(answer.question.typed), "blocks": [_block(block, once) for block in blocks]}
    template = (resources.files(__package__) / "page.typ").read_bytes()
    made: bytes = _typst().compile(
        template, format="pdf", sys_inputs=_inputs(data), timestamp=int(answer.created.timestamp())
    )
    return made


def as_png(picture: Picture) -> bytes:
    """A picture as PNG, for programs that cannot show SVG."""
    if picture.media_type == "image/png":
        return picture.content
    made: bytes = _typst().compile(_PNG, format="png", ppi=200, sys_inputs=_inputs(list(picture.content)))
    return made


def _typst() -> Any:
    with needing("export", "this format"):
        import typst
    return typst


def _inputs(data: object) -> Mapping[str, str]:
    return {"data": json.dumps(data, ensure_ascii=False)}


def _block(block: Block, anchors: set[str]) -> dict[str, Any]:
    def written(lines: Sequence[Line]) -> list[list[dict[str, str | None]]]:
        return [[_span(span, anchors) for span in one] for one in lines]

    marker = block.marker or ("•" if block.kind == "note" else None)
    return {
        "kind": block.kind,
        "marker": marker,
        "lines": written(block.lines),
        "rows": [written(row) for row in block.rows],
        "picture": list(block.picture.content) if block.picture else None,
    }


def _span(span: Span, anchors: set[str]) -> dict[str, str | None]:
    inner = span.url[1:] if span.url.startswith("#") else ""
    return {
        "text": _UNBROKEN.sub(rf"\g<0>{_BREAK}", spaced_line(span.text)),
        "style": span.style,
        "to": inner if inner in anchors else None,
        "url": span.url if is_web_address(span.url) else None,
        "anchor": span.anchor if span.anchor in anchors else None,
    }


COLOURS = {"dim": "666666", "caution": "8A5200", "bad": "B00000", "good": "1B6B1B"}
_HEADINGS = {"title": "Heading 1", "heading": "Heading 2", "subheading": "Heading 3"}
_WIDTH = 5.5
"""Inches of a picture."""
_HANGING = 0.3
"""Inches by which the lines of a list are indented after its marker."""


def as_docx(answer: Answer, bibliography: Bibliography, files: Files | None = None, *, details: bool = False) -> bytes:
    """An answer as a Word document."""
    blocks = layout(answer, details=details, bibliography=bibliography, files=files)
    return _word(answer.question.typed, blocks, answer.created, answer.made_by)


def table_as_docx(table: EvidenceTable, notes: Mapping[str, str]) -> bytes:
    """An evidence table as a Word document on wide pages, then what its reader noted, by headings."""
    rows = [("Study", "Design", *table.columns, "Quoted in the answer")]
    for row in table.rows:
        study = " ".join(filter(None, [row.title, row.journal, str(row.year or ""), row.url, row.retraction_words]))
        quotes = " | ".join(quote.quote for quote in row.quotes)
        rows.append((study, row.design or "not stated", *map(in_words, row.cells), quotes))
    blocks = [Block("title", (line(table.question),))]
    blocks += [Block("table", (), rows=tuple(tuple(line(clean(cell)) for cell in row) for row in rows))]
    for title, said in notes.items():
        blocks += [heading(clean(title)), Block("paragraph", (line(clean(said)),))]
    return _word(table.question, blocks, datetime.now(UTC), wide=True)


def _word(
    title: str, blocks: Iterable[Block], created: datetime, author: str | None = None, *, wide: bool = False
) -> bytes:
    with needing("export", "this format"):
        from docx import Document
    word = Document()
    word.core_properties.title = one_line(title)[:255]
    word.core_properties.author = author or "medground"
    word.core_properties.created = word.core_properties.modified = created.replace(tzinfo=None)
    word.core_properties.comments = ""
    if wide:
        paper = word.sections[0]
        paper.page_width, paper.page_height = paper.page_height, paper.page_width
    page = _Page(word)
    for block in blocks:
        page.add(block)
    held = BytesIO()
    word.save(held)
    return held.getvalue()


class _Page:
    """The body of a Word document."""

    def __init__(self, word: WordDocument) -> None:
        self._word = word
        self._bookmarks = 0

    def add(self, block: Block) -> None:
        """Add a block as one paragraph whose lines are separated by line breaks; or as a table; a picture first."""
        from docx.shared import Inches

        if block.kind == "table":
            self._table(block)
            return
        if block.picture is not None:
            self._word.add_picture(BytesIO(as_png(block.picture)), width=Inches(_WIDTH))
        paragraph = self._word.add_paragraph(style=_HEADINGS.get(block.kind))
        if block.marker or block.kind == "note":
            form = paragraph.paragraph_format
            form.left_indent, form.first_line_indent = Inches(_HANGING), Inches(-_HANGING)
            form.tab_stops.add_tab_stop(Inches(_HANGING))
            paragraph.add_run(f"{block.marker or '•'}\t")
        for number, spans in enumerate(block.lines):
            if number:
                paragraph.add_run().add_break()
            for span in spans:
                self._span(paragraph, span, strong=block.kind == "decision" and number == 0)

    def _table(self, block: Block) -> None:
        table = self._word.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
        for number, row in enumerate(block.rows):
            for cell, spans in zip(table.add_row().cells, row, strict=True):
                for span in spans:
                    self._span(cell.paragraphs[0], span, strong=number == 0)

    def _span(self, paragraph: Paragraph, span: Span, *, strong: bool) -> None:
        from docx.shared import RGBColor

        run = paragraph.add_run(spaced_line(span.text))
        run.bold = True if strong or span.style == "strong" or span.anchor else None
        run.italic = True if span.style == "italic" else None
        if colour := COLOURS.get(span.style):
            run.font.color.rgb = RGBColor.from_string(colour)
        if span.url:
            self._link(paragraph, span.url, run._r)
        if span.anchor:
            self._bookmark(span.anchor, run._r)

    def _link(self, paragraph: Paragraph, url: str, run: BaseOxmlElement) -> None:
        """Put a run into a link, to a bookmark of this document or to a web address."""
        from docx.opc.constants import RELATIONSHIP_TYPE
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn

        link = OxmlElement("w:hyperlink")
        if url.startswith("#"):
            link.set(qn("w:anchor"), url[1:])
        else:
            link.set(qn("r:id"), paragraph.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
        run.addprevious(link)
        link.append(run)

    def _bookmark(self, name: str, run: BaseOxmlElement) -> None:
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn

        for tag, add in (("w:bookmarkStart", run.addprevious), ("w:bookmarkEnd", run.addnext)):
            mark = OxmlElement(tag)
            mark.set(qn("w:id"), str(self._bookmarks))
            if tag == "w:bookmarkStart":
                mark.set(qn("w:name"), name)
            add(mark)
        self._bookmarks += 1
