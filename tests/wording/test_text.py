"""Lines at any width: nothing lost, no address broken; and outputs that cannot show every character."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.values.answer import Answer
from medground.wording.blocks import Block, Line, Span, line
from medground.wording.encoding import encodable, encodable_blocks, encodable_json
from medground.wording.layout import layout
from medground.wording.markup import as_markdown
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
