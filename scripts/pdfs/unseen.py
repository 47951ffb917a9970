# ruff: noqa: E501 typst code is not wrapped
"""Layouts that the first reader was not written with, made with typst: other fonts, paper, margins, and another PDF writer.

`manuscript`: double spacing, numbered lines, ragged right, foot with a DOI. `boxed`: two hyphenated columns under a title
of several lines and an abstract in a shaded box, numbered headings, running heads that differ on left and right pages,
floats over both columns. `sidebar`: the first page has a narrow column beside the abstract; headings in colour, run-in
second headings, three columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from .article import Article, Piece, Span
from .marks import Truth

_SPECIAL = re.compile(r"([\\#$*_`<>@\[\]=/~+\-'\"])")
_FACES = {"bold": "strong", "italic": "emph", "raised": "super", "lowered": "sub"}
_MARK = "#let mark(n) = context [#metadata((n, here().page())) <sentence>]\n"


@dataclass(frozen=True)
class Unseen:
    """A layout: its name, and the typst code before the text."""

    name: str
    settings: str
    numbered: bool = False
    run_in: bool = False
    floats: bool = True
    lowest: int = 2
    """The level from which on headings run in."""
    introduced: bool = True
    """Whether the introduction has its heading."""
    headings: bool = True
    back: bool = False
    """Whether what follows the text is printed too."""


UNSEEN = (
    Unseen(
        "manuscript",
        '#set page("us-letter", margin: 1.1in, footer: context [#h(1fr) doi: DOI #h(1fr) #counter(page).display()])\n'
        '#set text(font: "Libertinus Serif", size: 12pt)\n#set par(leading: 1.4em, spacing: 1.4em, justify: false)\n'
        '#set par.line(numbering: "1")\n#show heading: it => block(text(13pt, it.body))\n',
        floats=False,
    ),
    Unseen(
        "boxed",
        '#set page("a4", margin: (x: 1.6cm, y: 2.2cm), columns: 2, header: context if calc.odd(here().page()) [AUTHORS '
        "#h(1fr) #counter(page).display()] else [#counter(page).display() #h(1fr) JOURNAL (YEAR) 14:1127--1139], "
        "footer: [https:\\/\\/doi.org\\/DOI #h(1fr) #sym.copyright YEAR The Authors])\n#set columns(gutter: 14pt)\n"
        '#set text(font: "New Computer Modern", size: 9pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: true, first-line-indent: 1.2em, leading: 0.5em, spacing: 0.5em)\n"
        '#set heading(numbering: "1.1")\n#show heading: it => block(above: 1.1em, below: 0.6em, text(9.5pt, it))\n',
        numbered=True,
    ),
    Unseen(
        "sidebar",
        '#set page("a4", margin: (x: 1.4cm, y: 1.9cm), columns: 3, header: [#text(7pt)[JOURNAL · Volume 21 · March YEAR]], '
        "footer: context [#h(1fr) #text(7pt)[#counter(page).display() \\/ #counter(page).final().first()]])\n"
        '#set columns(gutter: 11pt)\n#set text(font: "Libertinus Serif", size: 8.2pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: true, leading: 0.55em, spacing: 0.95em)\n"
        '#show heading: it => block(text(9pt, rgb("#0a4d8c"), upper(it.body)))\n',
        run_in=True,
    ),
)


HELD_OUT = (
    Unseen(
        "letter",
        "#set page(width: 17cm, height: 25cm, margin: (x: 1.3cm, top: 1.9cm, bottom: 1.5cm), columns: 2, header: [#text(6.5pt)[#emph[JOURNAL] vol. 9, no. 4, YEAR #h(1fr) "
        '#context counter(page).display()]])\n#set columns(gutter: 16pt)\n#set text(font: "DejaVu Serif", size: 7.4pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: false, leading: 0.6em, spacing: 0.6em, first-line-indent: 1em)\n"
        '#show heading: it => block(above: 1.2em, below: 0.5em, text(7.4pt, weight: "regular", style: "italic", it.body))\n',
    ),
    Unseen(
        "essay",
        '#set page("us-letter", margin: (left: 2.2in, right: 0.9in, y: 1in), footer: [#line(length: 100%, stroke: 0.4pt) #text(8pt)[DOI #h(1fr) Accepted 2 May YEAR, '
        'published 30 June YEAR]], header: [#h(1fr) AUTHORS])\n#set text(font: "New Computer Modern", size: 11pt, lang: "en", hyphenate: true)\n'
        "#set par(justify: true, leading: 0.62em, spacing: 1.2em)\n"
        '#show heading: it => align(center, block(text(11pt, weight: "bold", smallcaps(it.body))))\n',
    ),
)
"""Written after the reader had been mended on the others; docs/measurements/files.md has the figures of the first look."""

_SANS = 'font: "DejaVu Sans", size: 7.6pt, weight: "bold"'
HEADED = (
    Unseen(
        "numbered",
        '#set page("a4", margin: (x: 2.4cm, y: 2.6cm), header: context [#text(8pt)[#if calc.odd(here().page()) [AUTHORS] '
        "else [#emph[JOURNAL] 31 (YEAR) 204--219] #h(1fr) #counter(page).display()]])\n"
        '#set text(font: "Libertinus Serif", size: 11pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: true, first-line-indent: 1.4em, leading: 0.62em, spacing: 0.62em)\n"
        '#set heading(numbering: "1.1.")\n#show heading: it => block(above: 1.3em, below: 0.7em, text(11pt, it))\n',
        numbered=True,
        back=True,
    ),
    Unseen(
        "bold",
        '#set page("us-letter", margin: 1in, header: [#text(8pt)[JOURNAL (YEAR) 7:16 #h(1fr) doi:DOI]])\n'
        '#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en")\n#set par(leading: 0.65em, spacing: 1em)\n'
        "#show heading: it => block(above: 1.2em, below: 0.5em, text(10.5pt, it.body))\n",
        back=True,
    ),
    Unseen(
        "clinical",
        '#set page("a4", margin: (x: 1.7cm, y: 2.1cm), columns: 2, header: [#text(7pt)[#smallcaps[JOURNAL] #h(1fr) YEAR;374:'
        "1113--22]])\n#set columns(gutter: 15pt)\n"
        '#set text(font: "Libertinus Serif", size: 9pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: true, first-line-indent: 1em, leading: 0.52em, spacing: 0.52em)\n"
        f"#show heading: it => block(above: 1em, below: 0.5em, text({_SANS}, upper(it.body)))\n"
        f"#show heading.where(level: 2): it => block(above: 1em, below: 0.5em, text({_SANS}, it.body))\n",
        run_in=True,
        lowest=3,
        introduced=False,
        back=True,
    ),
    Unseen(
        "run-in",
        '#set page("a4", margin: (x: 1.9cm, y: 2cm), columns: 2, footer: context [#text(7pt)[JOURNAL #h(1fr) #counter(page).display()]])\n'
        '#set columns(gutter: 16pt)\n#set text(font: "New Computer Modern", size: 9pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: true, leading: 0.5em, spacing: 0.7em)\n#show heading: it => block(text(9pt, it.body))\n",
        run_in=True,
        lowest=1,
        back=True,
    ),
    Unseen(
        "plain",
        '#set page("a4", margin: (x: 1.8cm, y: 2cm), columns: 2, header: [#text(7pt)[Correspondence #h(1fr) JOURNAL Vol 366 YEAR]])\n'
        '#set columns(gutter: 16pt)\n#set text(font: "Libertinus Serif", size: 9.4pt, hyphenate: true, lang: "en")\n'
        "#set par(justify: true, first-line-indent: 1em, leading: 0.52em, spacing: 0.52em)\n",
        headings=False,
    ),
)
"""For the sections of sentences: how journals set headings."""
_INTRODUCTION = re.compile(r"(?:introduction|background)\W*", re.I)


def as_set(article: Article, layout: Unseen) -> Article:
    """The article with the headings that a layout prints, and sections that say no others."""
    if not layout.headings:
        body = [replace(piece, section="") for piece in article.body if piece.kind != "heading"]
        return replace(article, abstract=[], body=body)
    body = article.body
    if not layout.introduced:
        opened = [piece for piece in body if not (piece.level == 1 and _INTRODUCTION.fullmatch(piece.plain))]
        paths = [piece.section.split(" > ") for piece in opened]
        body = [
            replace(piece, section=" > ".join(path[1:] if _INTRODUCTION.fullmatch(path[0]) else path))
            for piece, path in zip(opened, paths, strict=True)
        ]
    return replace(article, body=[*body, *(article.back if layout.back else ())])


def draw(article: Article, layout: Unseen, path: Path) -> Truth:
    """Print an article to a file, and return what is true of the print.

    Raises:
        ValueError: typst cannot set the article.
    """
    import typst

    truth, article = Truth(), as_set(article, layout)
    code = (
        _MARK
        + _filled(layout.settings, article)
        + "\n".join([*_head(article, layout, truth), *_body(article, layout, truth)])
    )
    try:
        path.write_bytes(typst.compile(code.encode()))
        found = json.loads(typst.query(code.encode(), "<sentence>", field="value"))
    except typst.TypstError as error:
        raise ValueError(str(error).splitlines()[0]) from error
    for number, page in found:
        truth.pages.setdefault(number, page)
    return truth


def _filled(settings: str, article: Article) -> str:
    authors = f"{article.authors[0].split()[-1]} et al." if article.authors else "Anonymous"
    values = {"DOI": article.doi, "AUTHORS": authors, "JOURNAL": article.journal, "YEAR": str(article.year)}
    for name, value in values.items():
        settings = settings.replace(name, _escaped(value))
    return settings


def _head(article: Article, layout: Unseen, truth: Truth) -> Iterator[str]:
    names = ", ".join(f"{_escaped(n)}#super[{1 + at % 2},\\*]" for at, n in enumerate(article.authors[:12]))
    affiliation = f"#super[1]{_escaped(article.affiliation)}"
    abstract = "\n\n".join(_abstract(article, truth))
    if layout.name == "manuscript":
        yield f'#align(center, text(17pt, weight: "bold")[{_escaped(article.title)}])\n\n{names}\n\n{affiliation}\n'
        yield f"Published online: 7 May {article.year}\n\n= Abstract\n{abstract}\n"
    elif layout.name == "boxed":
        yield (
            f'#place(top, scope: "parent", float: true)[#text(20pt, weight: "bold")[{_escaped(article.title)}]\n\n{names}\n\n'
            f"#text(7.5pt)[{affiliation}]\n#block(fill: luma(230), inset: 9pt, width: 100%)[#heading(numbering: none, "
            f"outlined: false)[ABSTRACT]\n#set par(first-line-indent: 0pt)\n{abstract}]]\n"
        )
    elif layout.name == "letter":
        yield (
            f'#place(top, scope: "parent", float: true)[#align(center)[#text(15pt)[{_escaped(article.title)}]\n\n{names}]]\n'
            f"#place(bottom, float: true)[#text(6pt)[Manuscript received 3 March {article.year - 1}. {affiliation} Correspondence: "
            f"a.author\\@example.org]]\n*Abstract*---{abstract}\n\n*Keywords:* trial, treatment, outcome\n"
        )
    elif layout.name in ("numbered", "bold"):
        labelled = "\n\n".join(_abstract(article, truth, "\n\n"))
        yield f'#align(left, text(16pt, weight: "bold")[{_escaped(article.title)}])\n\n{names}\n\n#text(8pt)[{affiliation}]\n'
        yield f"#heading(numbering: none)[Abstract]\n{labelled}\n\n*Keywords:* trial; treatment; outcome\n"
    elif layout.name == "clinical":
        labelled = "\n\n".join(_abstract(article, truth, "\n\n", capitals=True))
        yield (
            f'#place(top, scope: "parent", float: true)[#text(18pt, weight: "bold")[{_escaped(article.title)}]\n\n{names}\n\n'
            f"#text({_SANS})[ABSTRACT]\n#set par(first-line-indent: 0pt)\n{labelled}\n\n#text(7pt)[{affiliation}]]\n"
        )
    elif layout.name == "run-in":
        yield (
            f'#place(top, scope: "parent", float: true)[#text(16pt)[{_escaped(article.title)}]\n\n{names}\n\n#text(7pt)[{affiliation}]]\n'
            f"*Abstract.* {abstract}\n"
        )
    elif layout.name == "plain":
        yield f'#text(13pt, weight: "bold")[{_escaped(article.title)}]\n\n'
    elif layout.name == "essay":
        yield f"#text(24pt)[{_escaped(article.title)}]\n\n#text(9pt)[{names}\n\n{affiliation}]\n"
        yield f"#pad(x: 18pt)[#text(9.5pt)[#heading[Summary]\n{abstract}]]\n"
    else:
        received = f"Received 3 March {article.year - 1} \\ Accepted 9 January {article.year} \\ Published 2 March {article.year}"
        yield (
            f'#place(top, scope: "parent", float: true)[#text(6.5pt)[ORIGINAL INVESTIGATION]\n\n#text(16pt)[{_escaped(article.title)}]\n\n{names}\n\n'
            f"#grid(columns: (1fr, 3fr), gutter: 16pt, text(6.5pt)[{affiliation} \\ {received} \\ DOI {_escaped(article.doi)}], "
            f"[#strong[Summary]\n\n{abstract}])]\n"
        )


def _abstract(article: Article, truth: Truth, after: str = " ", *, capitals: bool = False) -> Iterator[str]:
    label = ""
    for piece in article.abstract:
        if piece.kind == "heading":
            said = piece.plain.rstrip(": ")
            named = said.upper() if capitals else said
            label = f"*{_escaped(named)}{'.' * (after == ' ')}*{after}"
        else:
            yield label + _marked(piece, truth)
            label = ""


def _body(article: Article, layout: Unseen, truth: Truth) -> Iterator[str]:
    run_in = ""
    for number, piece in enumerate(article.body):
        if piece.kind == "heading":
            following = article.body[number + 1].kind if number + 1 < len(article.body) else ""
            if layout.run_in and piece.level >= layout.lowest and following == "paragraph":
                run_in = f"*{_escaped(piece.plain.rstrip('.: '))}.* "
            else:
                yield f"{'=' * min(piece.level, 3)} {_escaped(piece.plain)}\n"
        elif piece.kind == "paragraph":
            yield f"{run_in}{_marked(piece, truth)}\n"
            run_in = ""
        elif piece.kind == "item":
            yield f"- {_marked(piece, truth)}\n"
        elif layout.floats:
            yield _float(piece, layout, truth, wide=number % 2 == 0)
    if article.references:
        yield "#heading(numbering: none)[References]"
    for number, reference in enumerate(article.references, start=1):
        yield f"#text(0.85em)[{number}. {_escaped(reference)}]\n"


def _float(piece: Piece, layout: Unseen, truth: Truth, *, wide: bool) -> str:
    legend = f"#text(0.87em)[{_marked(piece, truth)}]"
    scope = "parent" if wide else "column"
    if piece.kind == "table" and piece.cells:
        count = min(max(len(row) for row in piece.cells), 5)
        rows = [(*row[:count], *[""] * (count - len(row))) for row in piece.cells[:12]]
        cells = ", ".join(f"[{_escaped(cell[:50])}]" for row in rows for cell in row)
        table = f"#text(0.85em, table(columns: {count}, stroke: none, align: left, inset: 2pt, {cells}))"
        return f'#place(auto, scope: "{scope}", float: true)[{legend}\n\n{table}]\n'
    bars = ", ".join(f"rect(width: 12pt, height: {20 + 9 * (n * 7 % 5)}pt)" for n in range(6))
    labels = " #h(6pt) ".join(f"Arm {n}" for n in range(1, 7))
    figure = f"#stack(dir: ltr, spacing: 14pt, {bars})\n#text(6pt)[{labels}]"
    return f'#place(auto, scope: "{scope}", float: true)[{figure}\n\n{legend}]\n'


def _marked(piece: Piece, truth: Truth) -> str:
    return "".join(f"#mark({part});" if isinstance(part, int) else _span(part) for part in truth.marked(piece))


def _span(span: Span) -> str:
    text = _escaped(span.text)
    face = _FACES.get(span.face)
    return f"#{face}[{text}];" if face and span.text.strip() else text


def _escaped(text: str) -> str:
    return re.sub(r"^(\s*\d+)([.)])", r"\1\\\2", _SPECIAL.sub(r"\\\1", text))
