"""Outputs that cannot show every character get an ASCII form that means the same."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.values.answer import Answer
from medground.wording.encoding import encodable, encodable_blocks, encodable_json
from medground.wording.layout import layout
from medground.wording.markdown import as_markdown
from medground.wording.text import printed_lines

ENCODINGS = ["ascii", "latin-1", "cp1252", "utf-8", "no-such-encoding"]


@each_row(
    ("text", "ascii_text", "latin_text"),
    [
        ("“quoted” – it’s", '"quoted" - it\'s', '"quoted" - it\'s'),
        ("a → b …", "a -> b ...", "a -> b ..."),
        ("TGF-β ≥5 µg ± 2", "TGF-beta >=5 ug +/- 2", "TGF-beta >=5 µg ± 2"),
        ("Sjögren", "Sjogren", "Sjögren"),
        ("2½ × 10⁻⁵", "2 1/2 x 10^-^5", "2½ × 10^-^5"),
        ("≮ 中", "? ?", "? ?"),
    ],
)
def test_characters_that_are_replaced(text: str, ascii_text: str, latin_text: str) -> None:
    assert encodable(text, "ascii") == ascii_text
    assert encodable(text, "latin-1") == latin_text
    assert encodable(text, "utf-8") == text


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
    document = full.documents[2].model_copy(update={"title": "高血压 “α”", "url": "https://example.org/é/中"})
    answer = full.model_copy(update={"documents": (*full.documents[:2], document, *full.documents[3:])})
    as_markdown(answer, details=True, encoding=encoding).encode(encoding)
    lines = printed_lines(encodable_blocks(layout(answer), encoding), 80)
    text = "\n".join("".join(span.text for span in line) for line in lines)
    text.encode(encoding)
    assert f"https://example.org/{'%C3%A9' if encoding == 'ascii' else 'é'}/%E4%B8%AD" in text


def test_a_replacement_cannot_become_markup(full: Answer) -> None:
    document = full.documents[2].model_copy(update={"title": "＜script＞alert(1)＜/script＞"})
    answer = full.model_copy(update={"documents": (*full.documents[:2], document, *full.documents[3:])})
    assert "\\<script\\>" in as_markdown(answer, encoding="ascii")
