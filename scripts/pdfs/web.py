# ruff: noqa: E501 style sheets are not wrapped
"""Layouts printed from HTML with WeasyPrint, after all others: what publishers and preprint servers put on pages.

`server`: a preprint with the server's notice over every page and wide spacing. `weekly`: two hyphenated columns, a
turned note of who downloaded it in the margin, footnotes, a box of key points, run-in headings. `portal`: one column
under a cover of the repository, numbered headings, tables with rules between the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .article import Article, Piece, Span
from .marks import Truth

_TAGS = {"bold": "b", "italic": "i", "raised": "sup", "lowered": "sub"}
_COMMON = "sup, sub { font-size: 70%; line-height: 0 } table { border-collapse: collapse } h1 { string-set: none }"


@dataclass(frozen=True)
class Web:
    """A layout: its name, and its style sheet, in which NAMES in capitals stand for what is true of the article."""

    name: str
    style: str
    run_in: bool = False


WEB = (
    Web(
        "server",
        """@page { size: letter; margin: 1.1in 1in; @bottom-right { content: counter(page) }
        @top-center { font-size: 6.5pt; content: "medRxiv preprint doi: https://doi.org/DOI; this version posted May 4, YEAR. The
        copyright holder for this preprint (which was not certified by peer review) is the author/funder, who has granted
        medRxiv a license to display the preprint in perpetuity. It is made available under a CC-BY 4.0 license." } }
        body { font: 11pt/1.9 "DejaVu Serif" } h1 { font-size: 17pt } h2 { font-size: 13pt } h3 { font-size: 11pt }
        table { font-size: 8.5pt; line-height: 1.2 } td { padding: 2pt 8pt 2pt 0 } .legend { font-weight: bold }""",
    ),
    Web(
        "weekly",
        """@page { size: a4; margin: 17mm 15mm 18mm; @top-left { font-size: 7pt; content: "JOURNAL YEAR;31:44-53" }
        @top-right { font-size: 7pt; content: "AUTHORS" } @bottom-left { font-size: 7pt; content: "doi: DOI" }
        @bottom-right { font-size: 7pt; content: counter(page) " of 12" } }
        body { font: 8.2pt/1.35 "DejaVu Serif Condensed", "DejaVu Serif"; text-align: justify; hyphens: auto }
        .columns { columns: 2; column-gap: 7mm } h1 { font: bold 16pt "DejaVu Sans Condensed", "DejaVu Sans"; text-align: left }
        h2 { font: bold 9pt "DejaVu Sans"; text-transform: uppercase; color: #7a1d1d; text-align: left } p { margin: 0 0 1mm }
        h3 { font: italic 8.2pt "DejaVu Serif"; text-align: left; margin: 2mm 0 0 }
        .turned { position: fixed; left: -92mm; top: 118mm; width: 170mm; font-size: 6pt; transform: rotate(-90deg) }
        .note { float: footnote; font-size: 6.5pt } .box { background: #e8eef5; padding: 2mm; font-size: 7.4pt }
        table, .legend, .refs { font-size: 7pt } td { padding: 0 3pt }""",
        run_in=True,
    ),
    Web(
        "portal",
        """@page { size: a4; margin: 25mm 30mm; @bottom-center { font-size: 8pt; content: counter(page) } }
        body { font: 10pt/1.45 "DejaVu Sans"; counter-reset: part } h1 { font-size: 15pt } h2 { font-size: 12pt }
        h3 { font-size: 10pt } .cover { page-break-after: always } .cover b { font-size: 22pt }
        td { border-bottom: .4pt solid #888; padding: 1pt 6pt; font-size: 8pt } .legend { font-size: 8.5pt }
        .refs { font-size: 8.5pt }""",
    ),
)


def draw(article: Article, layout: Web, path: Path) -> Truth:
    """Print an article to a file, and return what is true of the print."""
    from weasyprint import HTML

    truth = Truth()
    body = "".join([*_head(article, layout, truth), *_body(article, layout, truth), "</div>"])
    style = _COMMON + _filled(layout.style, article)
    printed = HTML(string=f"<html lang=en><style>{style}</style><body>{body}</body></html>").render()
    for number, page in enumerate(printed.pages, start=1):
        for anchor in page.anchors:
            truth.pages.setdefault(int(anchor[1:]), number)
    printed.write_pdf(path)
    return truth


def _filled(style: str, article: Article) -> str:
    authors = f"{article.authors[0].split()[-1]} et al" if article.authors else "Anonymous"
    values = {"DOI": article.doi, "AUTHORS": authors, "JOURNAL": article.journal, "YEAR": str(article.year)}
    for name, value in values.items():
        style = style.replace(name, value.replace('"', "'"))
    return " ".join(style.split())


def _head(article: Article, layout: Web, truth: Truth) -> Iterator[str]:
    names = ", ".join(
        f"{escape(n)}<sup>{1 + at % 3}{'*' * (at == 0)}</sup>" for at, n in enumerate(article.authors[:12])
    )
    title = f"<h1>{escape(article.title)}</h1><p>{names}</p>"
    place = f"<p><small><sup>1</sup>{escape(article.affiliation)}. *Correspondence: a.author@example.org</small></p>"
    abstract = f"<h2>Abstract</h2>{''.join(_abstract(article, truth))}"
    if layout.name == "weekly":
        yield (
            f"<div class=turned>{escape(article.journal)}: first published as {escape(article.doi)} on 2 March {article.year}. "
            "Downloaded from https://journals.example.org on 14 June 2022 by guest. Protected by copyright.</div>"
            f"<p><small>RESEARCH</small></p>{title}{place}{abstract}<div class=columns>"
            "<div class=box><b>Key points</b><p>This study asked a question and found an answer.</p></div>"
        )
    elif layout.name == "portal":
        said = (
            f"{', '.join(article.authors[:3])} ({article.year}) {article.title}. {article.journal}. doi:{article.doi}"
        )
        yield (
            "<div class=cover><p><b>Example University Research Portal</b></p><p>This is the accepted version of:</p>"
            f"<p>{escape(said)}</p><p>Access to the published version may require a subscription.</p></div>"
            f"{title}{place}{abstract}<div>"
        )
    else:
        yield f"{title}{place}{abstract}<div>"


def _abstract(article: Article, truth: Truth) -> Iterator[str]:
    label = ""
    for piece in article.abstract:
        if piece.kind == "heading":
            label = f"<b>{escape(piece.plain.rstrip(': '))}:</b> "
        else:
            yield f"<p>{label}{_marked(piece, truth)}</p>"
            label = ""


def _body(article: Article, layout: Web, truth: Truth) -> Iterator[str]:
    count = 0
    noted = layout.name != "weekly"
    for piece in article.body:
        if piece.kind == "heading":
            count += piece.level == 1
            number = f"{count}. " if layout.name == "portal" and piece.level == 1 else ""
            tag = "h2" if piece.level == 1 else "h3"
            yield f"<{tag}>{number}{escape(piece.plain)}</{tag}>"
        elif piece.kind == "paragraph":
            note = "" if noted else "<span class=note>Funded by a foundation that had no part in this study.</span>"
            noted = True
            yield f"<p>{_marked(piece, truth)}{note}</p>"
        elif piece.kind == "item":
            yield f"<ul><li>{_marked(piece, truth)}</li></ul>"
        else:
            yield _float(piece, truth)
    if article.references:
        yield "<h2>References</h2>"
    for number, reference in enumerate(article.references, start=1):
        yield f"<p class=refs>{number}. {escape(reference)}</p>"


def _float(piece: Piece, truth: Truth) -> str:
    legend = f"<p class=legend>{_marked(piece, truth)}</p>"
    if piece.kind == "table" and piece.cells:
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell[:40])}</td>' for cell in row[:5])}</tr>" for row in piece.cells[:12]
        )
        return f"{legend}<table>{rows}</table>"
    bars = "".join(f'<rect x="{30 * n}" y="{60 - 9 * n}" width="18" height="{9 * n}"/>' for n in range(1, 6))
    return f'<svg width="200" height="70">{bars}<text x="30" y="69" font-size="7">Arm 1</text></svg>{legend}'


def _marked(piece: Piece, truth: Truth) -> str:
    parts = truth.marked(piece)
    return "".join(f"<a id=s{part}></a>" if isinstance(part, int) else _span(part) for part in parts)


def _span(span: Span) -> str:
    text, tag = escape(span.text), _TAGS.get(span.face)
    return f"<{tag}>{text}</{tag}>" if tag and span.text.strip() else text
