"""Plain text at any width and in any encoding, and text of documents, which can neither run nor hide anything."""

import io
import json
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console
from rows import each_row

from medground.faces.cli.answers import render
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.decision import YesNoDecision
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.statement import Dropped, Statement, Verdict
from medground.wording.blocks import Block, Line, Span, line
from medground.wording.encoding import encodable, encodable_blocks, encodable_json
from medground.wording.layout import layout
from medground.wording.markup import as_html, as_markdown, escaped
from medground.wording.text import as_text, columns, printed_lines, wrap

ADDRESS = "https://example.org/a/very/long/path/that/does/not/fit/on/a/line?x=1&y=2"


def rows(spans: Line, width: int) -> list[str]:
    return ["".join(span.text for span in row) for row in wrap(spans, width, width)]


@each_row("width", [0, 1, 2, 7, 20, 40, 79, 80, 200])
def test_nothing_is_lost_at_any_width(full: Answer, width: int) -> None:
    text = as_text(full, details=True, width=width)
    assert text.split() == as_text(full, details=True, width=10_000).split()
    for document in full.documents:
        if document.url:
            assert document.url in text
    longest = max(columns(word) for word in text.split())
    assert all(columns(row) <= max(width, longest + 20) for row in text.splitlines())


def test_an_address_a_mark_and_a_word_stay_whole_and_scripts_without_spaces_are_wrapped() -> None:
    assert rows((Span("See "), Span(ADDRESS, url=ADDRESS), Span(" there")), 20) == ["See", ADDRESS, "there"]
    wide = "https://example.org/中文中文中文中文"
    assert rows((Span(wide, url=wide),), 10) == [wide]

    marked = (Span("It prevents stroke."), Span(" "), Span("[E1]", "mark"), Span(" "), Span("[E2]", "mark"))
    assert rows(marked, 20) == ["It prevents", "stroke. [E1] [E2]"]
    assert rows(marked, 13) == ["It prevents", "stroke. [E1]", "[E2]"]
    assert rows((Span("a (", "dim"), Span("strong", "strong"), Span(") end")), 10) == ["a (strong)", "end"]
    assert rows(line("高血压患者应该服药"), 8) == ["高血压患", "者应该服", "药"]
    assert columns("e\u0301") == 1


def test_items_hang_and_blocks_are_apart() -> None:
    blocks = [
        Block("heading", (line("Sources"),)),
        Block("item", (line("one two three four five six"), line("here")), marker="1."),
        Block("item", (line("seven"),), marker="2."),
        Block("note", (line("Cost: nothing"),)),
    ]
    printed = ["".join(span.text for span in row) for row in printed_lines(blocks, 24)]
    assert printed == ["Sources", "1. one two three four", "   five six", "   here", "2. seven", "", "Cost: nothing"]


ENCODINGS = ["ascii", "latin-1", "cp1252", "utf-8", "no-such-encoding"]


@each_row(
    ("text", "ascii_text", "latin_text"),
    [
        ("“quoted” – it’s", '"quoted" - it\'s', '"quoted" - it\'s'),
        ("TGF-β ≥5 µg ± 2", "TGF-beta >=5 ug +/- 2", "TGF-beta >=5 µg ± 2"),
        ("2½ × 10⁻⁵", "2 1/2 x 10^-^5", "2½ × 10^-^5"),
        ("≮ 中", "? ?", "? ?"),
    ],
)
def test_characters_that_are_replaced(text: str, ascii_text: str, latin_text: str) -> None:
    shown = [encodable(text, encoding) for encoding in ("ascii", "latin-1", "utf-8")]
    assert shown == [ascii_text, latin_text, text]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(ENCODINGS))
def test_every_text_can_be_written(text: str, encoding: str) -> None:
    codec = "ascii" if encoding.startswith("no") else encoding
    encodable(text, encoding).encode(codec)
    quoted = json.dumps({"text": text}, ensure_ascii=False)
    written = encodable_json(quoted, encoding)
    written.encode(codec)
    assert json.loads(written) == {"text": text}


@each_row("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_answer_can_be_written(full: Answer, encoding: str) -> None:
    told = {"title": "高血压 “α” ＜script＞", "url": "https://example.org/é/中"}
    document = full.documents[2].model_copy(update=told)
    answer = full.model_copy(update={"documents": (*full.documents[:2], document, *full.documents[3:])})
    assert b"\\<script\\>" in as_markdown(answer, details=True, encoding=encoding).encode(encoding)  # not markup
    lines = printed_lines(encodable_blocks(layout(answer), encoding), 80)
    text = "\n".join("".join(span.text for span in line) for line in lines)
    text.encode(encoding)
    assert f"https://example.org/{'%C3%A9' if encoding == 'ascii' else 'é'}/%E4%B8%AD" in text


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
