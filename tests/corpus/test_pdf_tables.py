"""Tables of PDF files without vertical lines: their rows with their heads, and what could not be read."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from printed import LOREM, Print
from read_files import document_of

pytest.importorskip("reportlab")

ROWS = (("Outcome", "Sage", "Placebo", "P"), ("Flushes, mean (SD)", "3.1 (1.2)", "6.4 (2.0)", "<0.001"))
ROWS += (("Night sweats, n", "12", "31", "0.002"), ("Headache, n", "4", "5", "0.71"))
READ = ["Flushes, mean (SD) | Sage: 3.1 (1.2) | Placebo: 6.4 (2.0) | P: <0.001"]
READ += ["Night sweats, n | Sage: 12 | Placebo: 31 | P: 0.002", "Headache, n | Sage: 4 | Placebo: 5 | P: 0.71"]
XS = (60, 200, 280, 360)


def drawn(paper: Print, top: float, rows: Sequence[Sequence[str]], xs: Sequence[float] = XS) -> float:
    """The rows of a table from a height on; the height below it."""
    for number, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            if text:
                paper.line(top - 14 * number, text, 9, x=x)
    return top - 14 * len(rows)


def begun(path: Path) -> tuple[Print, float]:
    paper = Print(path, title="Sage tea and hot flushes in adults")
    paper.bold(800, "Results")
    return paper, paper.text(780, LOREM) - 20


def rows_read(paper: Print) -> list[str]:
    document = document_of(paper.save())
    assert document.cautions == ()
    return [part for part in document.text.split("\n\n") if " | " in part]


def test_three_rules_and_blanks_alone(tmp_path: Path) -> None:
    for name, ruled in (("ruled", True), ("blank", False)):
        paper, top = begun(tmp_path / f"{name}.pdf")
        paper.line(top, "Table 1. Outcomes at week 12.", 9)
        below = drawn(paper, top - 24, ROWS)
        for y in (top - 12, top - 28, below + 8) if ruled else ():
            paper.raw.line(60, y, 420, y)
        paper.text(below - 20, LOREM)
        assert rows_read(paper) == READ


def test_two_levels_of_heads_with_rules_of_their_own(tmp_path: Path) -> None:
    paper, top = begun(tmp_path / "levels.pdf")
    paper.line(top, "Table 1. Outcomes by week.", 9)
    heads = (("", "Week 4", "", "Week 12", ""), ("Outcome", "Sage", "Placebo", "Sage", "Placebo"))
    rows = (("Flushes", "4.1", "6.2", "3.1", "6.4"), ("Sweats", "22", "35", "12", "31"))
    below = drawn(paper, top - 24, (*heads, *rows), (60, 180, 250, 330, 400))
    for y in (top - 12, top - 42, below + 8):
        paper.raw.line(60, y, 450, y)
    for x in (180, 330):
        paper.raw.line(x, top - 28, x + 110, top - 28)
    assert rows_read(paper) == [
        "Flushes | Week 4, Sage: 4.1 | Week 4, Placebo: 6.2 | Week 12, Sage: 3.1 | Week 12, Placebo: 6.4",
        "Sweats | Week 4, Sage: 22 | Week 4, Placebo: 35 | Week 12, Sage: 12 | Week 12, Placebo: 31",
    ]


def test_a_table_that_goes_on_over_the_page_keeps_its_heads(tmp_path: Path) -> None:
    paper, top = begun(tmp_path / "over.pdf")
    paper.line(160, "Table 1. Outcomes by site.", 9)
    rows = [(f"Clinic {number}", str(number + 3), str(2 * number), "0.5") for number in range(12)]
    drawn(paper, 140, [ROWS[0], *rows[:6]])
    paper.page()
    paper.text(drawn(paper, 780, rows[6:]) - 30, LOREM)
    assert top > 200
    assert rows_read(paper) == [f"{name} | Sage: {sage} | Placebo: {other} | P: 0.5" for name, sage, other, _ in rows]


def test_a_table_that_is_set_sideways_is_read_and_one_that_cannot_be_is_reported(tmp_path: Path) -> None:
    paper, top = begun(tmp_path / "sideways.pdf")
    paper.raw.saveState()
    paper.raw.translate(300, 60)
    paper.raw.rotate(90)
    paper.line(0, "Table 1. Outcomes at week 12.", 9, x=0)
    drawn(paper, -24, ROWS, (0, 140, 220, 300))
    paper.raw.restoreState()
    assert rows_read(paper) == READ
    paper, top = begun(tmp_path / "picture.pdf")
    paper.line(top, "Table 1. Outcomes at week 12.", 9)
    paper.raw.rect(60, top - 80, 300, 60, fill=1)
    paper.text(top - 110, LOREM)
    assert document_of(paper.save()).cautions == (
        "1 table was not read (page 1); the figures in it are not in the text.",
    )
