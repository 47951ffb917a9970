"""An answer in a notebook: the order and the words of the page, with each quote where it is cited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from medground.answer import Answer
from medground.evaluate.report.elements import Markup, element
from medground.wording.blocks import Style
from medground.wording.view import view
from medground.wording.view_types import AnswerView, DocumentView, EvidenceView, SentenceView, VerdictView

_COLOURS: Mapping[Style, str] = {"good": "#2e8b57", "caution": "#b8860b", "bad": "#d9534f"}
"""Of signs and edges: at least three to one on white and on black, so that they show in every theme."""
_QUOTE = "margin:2px 0 6px 0;padding:2px 0 2px 10px;border-left:3px solid #8a8f98"
_LINK = "color:inherit;text-decoration:underline"
_SMALL = "opacity:0.8;font-size:90%"
_PARAGRAPH = "margin:4px 0;max-width:48em"


def as_html(answer: Answer) -> str:
    """One `<div>` that needs nothing else: all text escaped, no script, no style sheet.

    A mark such as `[E1]` leads to the quote in the list of sources; the quotes of a sentence also open below it, for
    notebooks that take the anchors out of a page that they do not trust.
    """
    return _Page(view(answer)).html()


class _Page:
    def __init__(self, shown: AnswerView) -> None:
        self.shown = shown
        self.quotes = {quote.id: quote for quote in shown.evidence}
        self.documents = {document.id: document for document in shown.documents}
        self.prefix = re.sub(r"\W", "", shown.trace_id)  # several answers may be in one notebook

    def html(self) -> str:
        return element("div", *self._head(), *self._body(), *self._foot())

    def _head(self) -> Iterator[Markup]:
        shown = self.shown
        if shown.notice:
            yield _paragraph(element("strong", shown.notice.sentence))
        yield element("h3", shown.question, dir="auto")
        for text in filter(None, (shown.read_as, shown.context)):
            yield _paragraph(text, style=_SMALL)
        yield _paragraph(element("strong", shown.headline), *((element("br"), shown.reason) if shown.reason else ()))

    def _body(self) -> Iterator[Markup]:
        shown = self.shown
        if shown.report is None:
            yield from map(self._sentence, shown.sentences)
        else:
            yield from self._sections()
        if shown.support:
            yield _paragraph(shown.support)
        if shown.dropped:
            yield element("h4", "Left out because verification failed")
            yield _list(element("li", one.text, element("br"), _small(one.reason)) for one in shown.dropped)
        yield from self._conflicts()

    def _sections(self) -> Iterator[Markup]:
        report = self.shown.report
        for section in report.sections if report is not None else ():
            yield element("h4", f"{section.subquestion}: {section.title}" if section.subquestion else section.title)
            yield from (self._sentence(self.shown.sentences[place]) for place in section.sentences)
            if section.notes:
                yield _list(element("li", text) for text in section.notes)
        if report is not None and report.connections:
            yield element("h4", "How the findings connect")
            yield _list(
                element("li", one.words, *self._marks(one.evidence), element("br"), _small(one.found_by))
                for one in report.connections
            )
        if report is not None and report.files:
            yield element("h4", "Files")
            yield _list(element("li", file.words) for file in report.files)

    def _sentence(self, sentence: SentenceView) -> Markup:
        several = len({verdict.words for verdict in sentence.verdicts}) > 1
        verdicts = dict.fromkeys(_verdict(verdict, named=several) for verdict in sentence.verdicts)
        web = " (web page)" if sentence.web and self.shown.report is not None else None
        told = [_paragraph(sentence.text, *self._marks(sentence.citations), web, dir="auto"), *verdicts]
        cited = [self.quotes[name] for name in self._cited(sentence)]
        if cited:
            said = "What it cites" if len(cited) == 1 else f"What it cites, {len(cited)} quotes"
            told.append(element("details", element("summary", said, style=_SMALL), *map(self._quote, cited)))
        return element("div", *told, style="margin:10px 0")

    def _cited(self, sentence: SentenceView) -> Iterator[str]:
        deciding = (verdict.deciding for verdict in sentence.verdicts if verdict.deciding)
        yield from dict.fromkeys([*sentence.citations, *deciding])

    def _quote(self, quote: EvidenceView) -> Markup:
        document = self.documents[quote.document_id]
        where = ", ".join(filter(None, (document.title.rstrip("."), quote.study, quote.place, quote.document_id)))
        return element(
            "blockquote", element("div", f"“{quote.quote}”", dir="auto"), _small(where), *_state(document), style=_QUOTE
        )

    def _marks(self, names: Sequence[str]) -> Iterator[Markup]:
        for name in names:
            title = self.quotes[name].quote
            yield Markup(" ")
            yield element("a", f"[{name}]", href=f"#{self.prefix}-{name}", title=title, style=_LINK)

    def _conflicts(self) -> Iterator[Markup]:
        if self.shown.conflicts:
            yield element("h4", self.shown.conflicts_heading)
        for conflict in self.shown.conflicts:
            yield _paragraph(conflict.words)
            for side in conflict.sides:
                quotes = (self._quote(self.quotes[name]) for name in side.evidence)
                yield element("div", element("strong", f"{side.name}:"), *quotes)

    def _foot(self) -> Iterator[Markup]:
        shown = self.shown
        if shown.facts:
            yield element("h4", "Facts of the knowledge graph")
            rows = ((f.subject, f.relation, f.object, f.frequency, f"[{f.evidence}]") for f in shown.facts)
            yield _table(("Subject", "Relation", "Object", "Frequency", "Citation"), rows)
        if shown.documents:
            yield element("h4", "Sources")
            items = (self._document(document) for document in shown.documents)
            yield element("ol", *items, style="padding-left:1.6em")
        if shown.notes:
            yield _list(element("li", text) for text in shown.notes)

    def _document(self, document: DocumentView) -> Markup:
        link = element("a", document.url, href=document.url, rel="noopener", style=_LINK) if document.url else None
        told = [
            element("div", document.reference, dir="auto"),
            element("div", document.id, " ", link),
            *_state(document),
        ]
        if not document.evidence and not document.aside:
            told.append(_small("Found, but not cited."))
        for name in document.evidence:
            quote = self.quotes[name]
            place = f" ({quote.place})" if quote.place else ""
            mark = element("strong", f"[{name}]", id=f"{self.prefix}-{name}")
            told.append(element("div", mark, f"{place} “{quote.quote}”", style=_QUOTE, dir="auto"))
        return element("li", *told, style="margin:6px 0", value=document.number)


def _verdict(verdict: VerdictView, *, named: bool) -> Markup:
    """The verdict on a statement: a sign, then words; with the statement where a sentence has several verdicts."""
    colour = _COLOURS.get(verdict.style)
    sign = element("span", verdict.glyph, style=f"color:{colour};font-weight:bold" if colour else "font-weight:bold")
    about = f"“{' '.join(verdict.text.split())}”: " if named else ""
    deciding = f" Deciding quote: [{verdict.deciding}]" if verdict.deciding else ""
    return element("div", sign, f" {about}{verdict.words}{deciding}", style=f"{_PARAGRAPH};padding-left:1em")


def _state(document: DocumentView) -> Iterator[Markup]:
    """What a reader must know of a document before trusting it."""
    if document.retraction_words:
        sign = element("span", "✗ " if document.aside else "! ", style=f"color:{_COLOURS['bad']};font-weight:bold")
        yield element("div", sign, element("strong", document.retraction_words))
    yield from (element("div", "! ", caution) for caution in document.cautions)


def _paragraph(*parts: str | Markup | None, style: str = "", dir: str | None = None) -> Markup:
    return element("p", *parts, style=f"{_PARAGRAPH};{style}" if style else _PARAGRAPH, dir=dir)


def _small(text: str) -> Markup:
    return element("span", text, style=_SMALL)


def _list(items: Iterable[Markup]) -> Markup:
    return element("ul", *items, style="padding-left:1.4em")


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    head = element("tr", *(element("th", name) for name in names))
    body = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", head), element("tbody", *body))
