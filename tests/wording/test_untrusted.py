"""Text of documents is only text: it cannot format, link, run, or move a cursor."""

from __future__ import annotations

import io
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from rich.console import Console
from rows import each_row

from medground.faces.cli.answers import render
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.decision import YesNoDecision
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.statement import Dropped, Statement, Verdict
from medground.wording.markup import as_html, as_markdown, escaped
from medground.wording.text import as_text

BAD = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](https://evil.example/p.png) "
    "# head `code` *it* | a | b | $x$ &lt; https://evil.example www.evil.example a@evil.example "
    "[bold red]red[/] [link=https://evil.example]k[/link] \x1b[31mred \x9b2J \u202eright \u200b\r\x07 end"
)


@pytest.fixture
def bad(make_answer: Callable[..., Answer]) -> Answer:
    """An answer all of whose texts are hostile."""
    document = SourceDocument(
        id="X:1", title=BAD, kind="web", journal=BAD, publication_types=(f"review {BAD}",), url=f"javascript:{BAD}"
    )
    other = SourceDocument(id="X:2", title="> 1. quote", kind="web", url='https://a.org/"onclick="alert(1)')
    quotes = (
        Evidence(id="E1", document_id="X:1", start=0, end=len(BAD), quote=BAD, section=BAD),
        Evidence(id="E2", document_id="X:2", start=0, end=len(BAD), quote=BAD),
    )
    verdict = Verdict(label="partly", critic=BAD, note=BAD, flags=(BAD,), category="CORRECT-EXPLICIT", labelled_by=BAD)
    return make_answer(
        question=Question.ask(BAD, task="yes-no"),
        decision=YesNoDecision(status="not judged", reason=BAD),
        rationale=f"{BAD} [E1]",
        statements=(Statement(text=BAD, start=0, end=len(BAD), evidence=("E1",), verdict=verdict),),
        evidence=quotes,
        documents=(document, other),
        dropped=(Dropped(text=BAD, reason=BAD),),
        searches=(Search(source=BAD, query=BAD, status="failed", error=BAD),),
        warnings=(BAD,),
        models={BAD: BAD},
        recipe=BAD,
        trace_id=BAD,
        settings_hash=BAD,
        stopped=BAD,
    )


class Tags(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


@each_row("details", [False, True])
def test_html_and_markdown(bad: Answer, details: bool) -> None:
    found = Tags(as_html(bad, details=details))
    allowed = {"div", "h3", "h4", "p", "br", "strong", "span", "a", "ol", "ul", "li", "style", "href", "id", "rel"}
    assert found.seen <= allowed
    assert all(address.startswith("#") for address in found.addresses)

    page = MarkdownIt("gfm-like", {"html": True}).render(as_markdown(bad, details=details))
    found = Tags(page)
    assert not found.seen & {"script", "img", "code", "table", "onerror", "blockquote", "onclick"}
    assert all(address.startswith("#") for address in found.addresses)


@each_row("details", [False, True])
def test_terminal(bad: Answer, details: bool) -> None:
    out = io.StringIO()
    render(bad, Console(file=out, width=80, force_terminal=True, color_system="standard"), details=details)
    shown = out.getvalue()
    assert "[bold red]red[/]" in " ".join(shown.split())
    assert "evil.example]k[/link]" in shown
    assert "\x1b]8" not in shown
    assert not set("\x9b\u202e\u200b\r\x07").intersection(shown)
    assert not set("\x1b\x9b\u202e\u200b\r\x07").intersection(as_text(bad, details=details))


def test_links_lead_to_the_source(full: Answer) -> None:
    expected = [f"https://pubmed.ncbi.nlm.nih.gov/{n}/" for n in (1, 2)] + ["https://example.org/a(b)?x=1&y=2"]
    markdown = MarkdownIt("gfm-like", {"html": True}).render(as_markdown(full))
    for page in (as_html(full), markdown):
        found = Tags(page)
        assert [address for address in found.addresses if address.startswith("http")][:3] == expected
        assert 'id="' in page
        for address in (address for address in found.addresses if address.startswith("#")):
            assert f'id="{address[1:]}"' in page


def test_words_with_hyphens_are_not_escaped() -> None:
    texts = ("2025-01-16 and -x a-- b+c", "1. item", "- item")
    assert [escaped(text) for text in texts] == ["2025-01-16 and \\-x a\\-\\- b+c", "1\\. item", "\\- item"]
