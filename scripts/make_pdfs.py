"""Make PDFs of real articles, and note what is true of each.

    python scripts/make_pdfs.py JATS_FOLDER OUT [--count 100] [--skip 0] [--layouts ours|unseen|held-out|headed|web]

Writes `NAME.pdf` and `NAME.json` for each: title, year, running text, sentences, legends, and the page on which each
sentence begins, as the layout noted it when it was drawn. Layouts take turns. `ours` are the three that the reader was
written with. `unseen` are three made by another program, with other fonts, sizes, margins, line numbers, an abstract in
a box, and feet with a DOI; the reader was mended on them. `held-out` are two that were written later, and `web` three
that another person wrote last. `headed` are five that set headings as journals do: numbered, in plain bold, in capitals
over an introduction without a heading, running into the text, and a letter without any. Needs reportlab and
pyphen, typst, or weasyprint.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import replace
from pathlib import Path

from pdfs.article import Article, Piece, Span, read_article
from pdfs.marks import Truth

NO_DOI = ("letter",)
"""Layouts that print no DOI."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jats", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0, help="articles to leave out first")
    parser.add_argument("--step", type=int, default=1, help="take each second article with 2, and so on")
    parser.add_argument("--layouts", choices=["ours", "unseen", "held-out", "headed", "web"], default="ours")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    made = 0
    files = sorted(arguments.jats.glob("*.nxml.gz"))[arguments.skip :: arguments.step]
    for file in files:
        if made == arguments.count:
            break
        article = read_article(file)
        if article is None or not article.body:
            continue
        path = arguments.out / f"{article.name}.pdf"
        try:
            layout, truth = make(article, made, arguments.layouts, path)
        except ValueError as error:
            sys.stderr.write(f"{article.name} is left out: {error}\n")
            path.unlink(missing_ok=True)
            continue
        note(article, layout, truth, arguments.out / f"{article.name}.json")
        made += 1
    sys.stderr.write(f"{made} PDFs in {arguments.out}\n")


def make(article: Article, number: int, which: str, path: Path) -> tuple[str, Truth]:
    """Print an article in the layout whose turn it is; returns the layout's name and what is true of the print.

    Raises:
        ValueError: the article does not fit the layout.
    """
    if which == "ours":
        from pdfs.layouts import LAYOUTS, draw, supported

        layout = LAYOUTS[number % len(LAYOUTS)]
        return layout.name, draw(mapped(article, supported), layout, path, random.Random(number))
    if which == "web":
        from pdfs import web

        printed = web.WEB[number % len(web.WEB)]
        return printed.name, web.draw(article, printed, path)
    from pdfs import unseen

    layouts = {"unseen": unseen.UNSEEN, "held-out": unseen.HELD_OUT, "headed": unseen.HEADED}[which]
    other = layouts[number % len(layouts)]
    return other.name, unseen.draw(article, other, path)


def mapped(article: Article, change: object) -> Article:
    """The article with its characters changed to those that a font has."""
    assert callable(change)

    def piece(one: Piece) -> Piece:
        spans = tuple(Span(change(s.text), s.face, None if s.plain is None else change(s.plain)) for s in one.spans)
        cells = tuple(tuple(change(cell) for cell in row) for row in one.cells)
        return replace(one, spans=spans, plain=change(one.plain), cells=cells)

    return replace(
        article,
        title=change(article.title),
        authors=tuple(change(name) for name in article.authors),
        affiliation=change(article.affiliation),
        abstract=[piece(p) for p in article.abstract],
        body=[piece(p) for p in article.body],
        references=[change(reference) for reference in article.references],
    )


def note(article: Article, layout: str, truth: Truth, path: Path) -> None:
    """Write what is true of a print."""
    fields = {
        "layout": layout,
        "title": article.title,
        "year": article.year,
        "doi": "" if layout in NO_DOI else article.doi,
        "authors": article.authors,
        "journal": article.journal,
        "text": truth.text,
        "running": [[said, truth.pages.get(number)] for number, said in truth.running.items()],
        "sections": [truth.sections[number] for number in truth.running],
        "legends": [[said, truth.pages.get(number)] for number, said in truth.legends.items()],
    }
    path.write_text(json.dumps(fields, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
