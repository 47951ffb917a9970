"""Word files of parts that print in ways of their own: each part as XML, and what it prints."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from hypothesis import strategies as st

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_NAMES = f'xmlns:w="{_W}" xmlns:m="{_M}"'
_NOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"


@dataclass(frozen=True)
class Part:
    """A piece of a paragraph, what it prints, and the text of a footnote that it refers to."""

    xml: str
    prints: str
    note: str = ""


def run(inside: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr>{inside}</w:r>"


def text(words: str) -> str:
    return f'<w:t xml:space="preserve">{escape(words)}</w:t>'


def _math(*names: str, word: str) -> str:
    opened, closed = "".join(f"<m:{name}>" for name in names), "".join(f"</m:{name}>" for name in reversed(names))
    return f"{opened}<m:r><m:t>{word}</m:t></m:r>{closed}"


def _fraction(over: int, under: int) -> Part:
    inside = _math("num", word=str(over)) + _math("den", word=str(under))
    return Part(f"<m:oMath><m:f>{inside}</m:f></m:oMath>", f"{over}/{under}")


def _power(base: int, exponent: int) -> Part:
    inside = _math("e", word=str(base)) + _math("sup", word=str(exponent))
    return Part(f"<m:oMath><m:sSup>{inside}</m:sSup></m:oMath>", f"{base}^{exponent}")


def _sign(code: str, shown: str) -> Part:
    return Part(run(f'<w:sym w:font="Symbol" w:char="F0{code}"/>'), shown)


def _control(words: str) -> Part:
    return Part(f"<w:sdt><w:sdtPr/><w:sdtContent>{run(text(words))}</w:sdtContent></w:sdt>", words)


SIGNS = {"B3": "≥", "A3": "≤", "B1": "±", "6D": "μ", "62": "β", "B4": "×", "61": "α"}
"""Characters of the font Symbol, and what they show."""
_word = st.from_regex(r"[a-z]{2,8}", fullmatch=True)
_number = st.integers(1, 999)
shown_parts = st.one_of(
    _word.map(lambda word: Part(run(text(word)), word)),
    _number.map(lambda number: Part(run(text(str(number))), str(number))),
    st.sampled_from([*SIGNS.items()]).map(lambda sign: _sign(*sign)),
    st.tuples(_number, _number).map(
        lambda ends: Part(run(f"{text(str(ends[0]))}<w:noBreakHyphen/>{text(str(ends[1]))}"), f"{ends[0]}-{ends[1]}")
    ),
    _word.map(lambda word: Part(run(f"{text(word)}<w:softHyphen/>{text(word)}"), word * 2)),
    st.tuples(_number, _number).map(lambda ends: _fraction(*ends)),
    st.tuples(_number, st.integers(-9, 9)).map(lambda ends: _power(*ends)),
    _word.map(_control),
    st.tuples(_word, _word).map(lambda words: Part(run(text(words[0])), words[0], note=words[1])),
)
"""What prints as it stands."""
parts = st.one_of(
    shown_parts,
    _word.map(lambda word: Part(f'<w:ins w:id="1" w:author="A">{run(text(word))}</w:ins>', word)),
    _word.map(lambda word: Part(f'<w:moveTo w:id="2" w:author="A">{run(text(word))}</w:moveTo>', word)),
    _number.map(lambda n: Part(f'<w:moveFrom w:id="3" w:author="A">{run(text(str(n)))}</w:moveFrom>', "")),
    _number.map(lambda n: Part(f'<w:del w:id="4" w:author="A">{run(f"<w:delText>{n}</w:delText>")}</w:del>', "")),
)
"""And what a tracked change adds or takes away."""


def several(parts: st.SearchStrategy[Part]) -> st.SearchStrategy[tuple[list[list[Part]], list[list[Part]]]]:
    """Paragraphs, and the rows of a table."""
    paragraph = st.lists(parts, min_size=1, max_size=6)
    return st.tuples(st.lists(paragraph, min_size=1, max_size=5), st.lists(paragraph, max_size=3))


def printed(paragraph: list[Part]) -> str:
    """What a paragraph prints, its parts a blank apart."""
    return " ".join(part.prints for part in paragraph if part.prints)


def made(paragraphs: list[list[Part]], table: list[list[Part]], *, in_control: bool) -> bytes:
    """A Word file of these paragraphs, the last perhaps in a content control, and a table in the cell of a table.

    It names no author.
    """
    import docx
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part as FilePart
    from docx.oxml import parse_xml

    opened = docx.Document()
    opened.core_properties.author = ""
    body: Any = opened.element.body
    notes: list[str] = []

    def written(paragraph: list[Part]) -> str:
        inside = ""
        for part in paragraph:
            inside += part.xml + run(text(" "))
            if part.note:
                notes.append(part.note)
                inside += run(f'<w:footnoteReference w:id="{len(notes) + 1}"/>')
        return f"<w:p>{inside}</w:p>"

    blocks = [written(paragraph) for paragraph in paragraphs]
    if in_control:
        blocks[-1] = f"<w:sdt><w:sdtPr/><w:sdtContent>{blocks[-1]}</w:sdtContent></w:sdt>"
    rows = "".join(f"<w:tr><w:tc>{written(row)}</w:tc><w:tc>{written(row)}</w:tc></w:tr>" for row in table)
    inner = f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{rows}</w:tbl><w:p/>"
    outer = f"<w:tr><w:tc>{inner if table else '<w:p/>'}</w:tc><w:tc>{written(paragraphs[0])}</w:tc></w:tr>"
    blocks.append(f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{outer}</w:tbl>")
    for at, block in enumerate(blocks):
        body.insert(at, parse_xml(block.replace(">", f" {_NAMES}>", 1)))
    told = [f'<w:footnote w:id="{at}"><w:p>{run(text(note))}</w:p></w:footnote>' for at, note in enumerate(notes, 2)]
    xml = f"<w:footnotes {_NAMES}>{''.join(told)}</w:footnotes>".encode()
    opened.part.relate_to(FilePart(PackURI("/word/footnotes.xml"), _TYPE, xml, opened.part.package), _NOTES)
    content = io.BytesIO()
    opened.save(content)
    return content.getvalue()
