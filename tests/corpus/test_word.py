"""Word files: every character that prints is in the text."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from word_parts import SIGNS, Part, made, parts, printed, run, several, shown_parts, text

from medground.corpus.readers.docx import docx_document

Parts = tuple[list[list[Part]], list[list[Part]]]
END = Part(run(text("end")), "end")


@given(several(parts), st.booleans())
@settings(max_examples=60)
def test_every_character_that_prints_is_in_the_text(told: Parts, in_control: bool) -> None:
    paragraphs, rows = [*told[0], [END]], told[1]
    document = docx_document(made(paragraphs, rows, in_control=in_control), "x.docx")
    assert document.cautions == ()
    for paragraph in (*paragraphs, *rows):
        assert printed(paragraph) in document.text
        for part in paragraph:
            assert part.note in document.text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed; it is the witness here")
def test_libreoffice_prints_no_character_that_is_not_in_the_text(tmp_path: Path) -> None:
    texts: dict[str, Counter[str]] = {}

    @given(several(shown_parts), st.booleans())
    @settings(max_examples=200, database=None, phases=[Phase.generate])
    def write(told: Parts, in_control: bool) -> None:
        content = made(told[0], told[1], in_control=in_control)
        name = str(len(texts))
        (tmp_path / f"{name}.docx").write_bytes(content)
        notes = sum(bool(part.note) for row in (*told[0], *told[1], *told[1], told[0][0]) for part in row)
        marks = Counter("".join(str(number) * 2 for number in range(1, notes + 1)))  # in the text, and at its foot
        texts[name] = Counter(docx_document(content, name).text) + marks

    write()
    home = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    files, out = sorted(map(str, tmp_path.glob("*.docx"))), tmp_path / "pdf"
    command = ["soffice", "--headless", home, "--convert-to", "pdf", "--outdir", str(out), *files]
    subprocess.run(command, check=True, capture_output=True)
    lost = {name: found for name, told in texts.items() if (found := _shown(out / f"{name}.pdf") - told)}
    assert len(texts) == 200
    assert not lost


def _shown(file: Path) -> Counter[str]:
    """The characters on the pages of a PDF; pdfium names the signs of a font by their numbers, and tells
    of a hyphen at the end of a line."""
    from pypdfium2 import PdfDocument

    pages = PdfDocument(file)
    shown = "".join(page.get_textpage().get_text_range() for page in pages)
    pages.close()
    for code, sign in SIGNS.items():
        shown = shown.replace(chr(int(f"F0{code}", 16)), sign)
    return Counter("".join(shown.replace("\ufffe", "").replace("\u2011", "-").replace("\u2212", "-").split()))
