"""Three layouts with reportlab: one column, two columns, and two columns with tables and figures between the text."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.doctemplate import LayoutError

from .article import Article, Piece, Span
from .marks import Truth

_FACES = {"bold": "b", "italic": "i", "raised": "super", "lowered": "sub"}


@dataclass(frozen=True)
class Layout:
    """What differs between the layouts; lengths in points."""

    name: str
    paper: tuple[float, float]
    font: str
    bold: str
    size: float
    columns: int
    margin: float
    gutter: float
    floats: bool
    indent: bool
    hyphens: bool
    citation: Callable[[Article], str]


LAYOUTS = (
    Layout(
        "one",
        A4,
        "Times-Roman",
        "Times-Bold",
        10.5,
        1,
        72,
        0,
        False,
        False,
        False,
        lambda a: f"{a.journal} {a.year}, 5:39",
    ),
    Layout(
        "two",
        A4,
        "Times-Roman",
        "Times-Bold",
        9.5,
        2,
        48,
        18,
        False,
        True,
        True,
        lambda a: f"{a.journal} {a.year};12:101-110",
    ),
    Layout(
        "floats",
        LETTER,
        "Helvetica",
        "Helvetica-Bold",
        8.5,
        2,
        50,
        16,
        True,
        True,
        True,
        lambda a: f"{a.journal} | Vol 8 | Published {a.year}",
    ),
)


def supported(text: str) -> str:
    """Text with only characters that the fonts have."""
    return "".join(map(_supported, text))


def _supported(char: str) -> str:
    if _font_of(char) is not None:
        return char
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if _font_of(c) is not None)
    return plain or "?"


def _font_of(char: str) -> str | None:
    """The font that has a character: that of the text (an empty string), or `Symbol`."""
    for font, codec in (("", "cp1252"), ("Symbol", "symbol")):
        try:
            char.encode(codec)
        except (UnicodeEncodeError, LookupError):
            continue
        return font
    return None


def draw(article: Article, layout: Layout, path: Path, rng: random.Random) -> Truth:
    """Print an article to a file, and return what is true of the print."""
    return _Print(article, layout, rng).to(path)


class _Print:
    def __init__(self, article: Article, layout: Layout, rng: random.Random) -> None:
        self._article, self._layout, self._rng = article, layout, rng
        self._truth = Truth()
        base = ParagraphStyle(
            "text",
            fontName=layout.font,
            fontSize=layout.size,
            leading=layout.size * 1.2,
            alignment=TA_JUSTIFY,
            hyphenationLang="en_US" if layout.hyphens else "",
            embeddedHyphenation=1,
            firstLineIndent=layout.size if layout.indent else 0,
            spaceAfter=0 if layout.indent else layout.size * 0.6,
        )
        self._styles = {
            "text": base,
            "abstract": ParagraphStyle("abstract", base, firstLineIndent=0, spaceAfter=4),
            "item": ParagraphStyle("item", base, leftIndent=14, firstLineIndent=-9),
            "title": ParagraphStyle(
                "title", fontName=layout.bold, fontSize=layout.size * 1.8, leading=layout.size * 2.2
            ),
            "front": ParagraphStyle(
                "front", base, alignment=TA_LEFT, firstLineIndent=0, hyphenationLang="", spaceBefore=6
            ),
            "small": ParagraphStyle(
                "small",
                base,
                fontSize=7,
                leading=8.6,
                alignment=TA_LEFT,
                firstLineIndent=0,
                spaceAfter=2,
                hyphenationLang="",
            ),
            "legend": ParagraphStyle(
                "legend",
                base,
                fontSize=layout.size - 1.5,
                leading=layout.size,
                firstLineIndent=0,
                spaceBefore=4,
                spaceAfter=6,
            ),
            "h1": ParagraphStyle(
                "h1",
                base,
                fontName=layout.bold,
                fontSize=layout.size * 1.25,
                leading=layout.size * 1.5,
                alignment=TA_LEFT,
                firstLineIndent=0,
                spaceBefore=10,
                spaceAfter=4,
                hyphenationLang="",
                keepWithNext=1,
            ),
            "h2": ParagraphStyle(
                "h2",
                base,
                fontName=layout.bold,
                alignment=TA_LEFT,
                firstLineIndent=0,
                spaceBefore=6,
                spaceAfter=2,
                hyphenationLang="",
                keepWithNext=1,
            ),
        }

    def to(self, path: Path) -> Truth:
        layout, article = self._layout, self._article
        width, height = layout.paper
        document = BaseDocTemplate(
            str(path), pagesize=layout.paper, title=article.title, author="; ".join(article.authors)
        )
        m, g, n = layout.margin, layout.gutter, layout.columns
        each = (width - 2 * m - (n - 1) * g) / n
        head = self._head_height(width - 2 * m)
        columns = [Frame(m + i * (each + g), m, each, height - 2 * m, 0, 0, 0, 0) for i in range(n)]
        first = [Frame(m, height - m - head, width - 2 * m, head, 0, 0, 0, 0)]
        first += [Frame(m + i * (each + g), m, each, height - 2 * m - head - 10, 0, 0, 0, 0) for i in range(n)]
        document.addPageTemplates(
            [PageTemplate("first", first, onPage=self._first), PageTemplate("later", columns, onPage=self._later)]
        )
        story = [NextPageTemplate("later"), *self._head(self._truth), FrameBreak(), *self._body()]
        try:
            document.build(story)
        except LayoutError as error:
            raise ValueError("it does not fit the layout") from error
        return self._truth

    def _note(self, canvas: Any, kind: str, label: str) -> None:
        """Called where a sentence begins."""
        self._truth.pages.setdefault(int(label), canvas.getPageNumber())

    def _head_height(self, width: float) -> float:
        flowables = self._head(Truth())
        heights = [f.wrap(width, 2000)[1] + f.getSpaceBefore() + f.getSpaceAfter() for f in flowables]
        return min(sum(heights) + 12, self._layout.paper[1] - 2 * self._layout.margin - 120)

    def _head(self, truth: Truth) -> list[Flowable]:
        article, styles = self._article, self._styles
        names = ", ".join(f"{escape(name)}<super>1</super>" for name in article.authors[:12])
        found: list[Flowable] = [
            Paragraph("Research article", styles["front"]),
            Paragraph(self._text(article.title), styles["title"]),
            Paragraph(names, styles["front"]),
            Paragraph(f"<super>1</super>{self._text(article.affiliation)}", styles["small"]),
            Paragraph("Abstract", styles["h1"]),
        ]
        label = ""
        for piece in article.abstract:
            if piece.kind == "heading":
                label = f"<b>{self._text(piece.plain).rstrip(':')}:</b> "
            else:
                found.append(Paragraph(label + self._marked(piece, truth), styles["abstract"]))
                label = ""
        return found

    def _body(self) -> Iterator[Flowable]:
        floats: list[Piece] = []
        since = 0
        for piece in self._article.body:
            if piece.kind == "heading":
                style = "h1" if piece.level == 1 else "h2"
                yield Paragraph(self._text(piece.plain), self._styles[style])
            elif piece.kind in ("paragraph", "item"):
                bullet = "\u2022 " if piece.kind == "item" else ""
                style = "item" if piece.kind == "item" else "text"
                yield Paragraph(bullet + self._marked(piece, self._truth), self._styles[style])
                since += len(piece.plain)
            else:
                floats.append(piece)
            if self._layout.floats and floats and since > 600:
                since = 0
                yield from self._float(floats.pop(0))
        if self._article.references:
            yield Paragraph("References", self._styles["h1"])
        for number, reference in enumerate(self._article.references, start=1):
            yield Paragraph(f"{number}. {self._text(reference)}", self._styles["small"])
        if self._layout.floats:
            for piece in floats:
                yield from self._float(piece)

    def _float(self, piece: Piece) -> Iterator[Flowable]:
        legend = Paragraph(self._marked(piece, self._truth), self._styles["legend"])
        if piece.kind == "table":
            table = self._table(piece.cells)
            yield KeepTogether([Spacer(1, 6), legend, *([table] if table else []), Spacer(1, 8)])
        else:
            yield KeepTogether([Spacer(1, 6), _Figure(self._rng), legend, Spacer(1, 8)])

    def _table(self, cells: Sequence[tuple[str, ...]]) -> Table | None:
        count = min(max((len(row) for row in cells), default=0), 5)
        if not count:
            return None
        layout = self._layout
        width = (layout.paper[0] - 2 * layout.margin - (layout.columns - 1) * layout.gutter) / layout.columns
        style = ParagraphStyle("cell", fontName=layout.font, fontSize=layout.size - 1.5, leading=layout.size - 0.3)
        rows = [
            [Paragraph(self._text(c[:60]), style) for c in (*row[:count], *[""] * (count - len(row)))]
            for row in cells[:14]
        ]
        lines = [("LINEABOVE", (0, 0), (-1, 0), 0.7, colors.black), ("LINEBELOW", (0, -1), (-1, -1), 0.7, colors.black)]
        return Table(
            rows,
            colWidths=[width / count] * count,
            style=TableStyle([*lines, ("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 1)]),
        )

    def _marked(self, piece: Piece, truth: Truth) -> str:
        return "".join(
            f'<onDraw name="mark" label="{part}"/>' if isinstance(part, int) else self._span(part)
            for part in truth.marked(piece)
        )

    def _span(self, span: Span) -> str:
        tag = _FACES.get(span.face)
        text = self._text(span.text)
        return f"<{tag}>{text}</{tag}>" if tag and text.strip() else text

    def _text(self, text: str) -> str:
        found = ""
        for char in text:
            font = _font_of(char)
            found += f'<font name="Symbol">{escape(char)}</font>' if font else escape(char)
        return found

    def _first(self, canvas: Any, document: Any) -> None:
        canvas.setNamedCB("mark", self._note)
        width, height = self._layout.paper
        canvas.setFont(self._layout.font, 7.5)
        canvas.drawString(self._layout.margin, height - 30, supported(self._layout.citation(self._article)))
        if self._article.doi:
            canvas.drawRightString(width - self._layout.margin, height - 30, f"doi:{self._article.doi}")
        canvas.drawCentredString(width / 2, 26, "1")

    def _later(self, canvas: Any, document: Any) -> None:
        canvas.setNamedCB("mark", self._note)
        width, height = self._layout.paper
        canvas.setFont(self._layout.font, 7.5)
        canvas.drawString(self._layout.margin, height - 30, supported(self._layout.citation(self._article)))
        canvas.drawRightString(width - self._layout.margin, height - 30, "Page " + str(document.page))
        canvas.drawCentredString(width / 2, 26, str(document.page))


class _Figure(Flowable):  # type: ignore[misc]
    """A bar chart with labels, as a figure has text that is no running text."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._bars = [rng.randint(10, 80) for _ in range(6)]

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, self.height = min(width, 240), 110
        return self.width, self.height

    def draw(self) -> None:
        canvas = self.canv
        canvas.setFont("Helvetica", 6)
        for number, bar in enumerate(self._bars):
            canvas.rect(30 + 30 * number, 14, 18, bar)
            canvas.drawString(30 + 30 * number, 5, f"Group {number + 1}")
        for tick in range(0, 100, 20):
            canvas.drawString(12, 14 + tick, str(tick))
