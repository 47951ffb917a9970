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


@pytest.mark.parametrize("ruled", ["below each", "across", "none"])
def test_two_levels_of_heads(tmp_path: Path, ruled: str) -> None:
    """Each value has both of its heads: by rules of their own, by names that repeat, or by where they stand."""
    paper, top = begun(tmp_path / "levels.pdf")
    paper.line(top, "Table 1. Outcomes by week.", 9)
    heads = (("", "", "", "", "", ""), ("Outcome", "Sage", "Placebo", "Sage", "Placebo", "P"))
    rows = (("Flushes", "4.1", "6.2", "3.1", "6.4", "0.03"), ("Sweats", "22", "35", "12", "31", "0.41"))
    below = drawn(paper, top - 24, (*heads, *rows), (60, 180, 250, 330, 400, 470))
    for x, name in ((185, "4 weeks after"), (335, "12 weeks after")):
        paper.line(top - 24, name, 9, x=x)
        if ruled == "below each":
            paper.raw.line(x - 5, top - 28, x + 105, top - 28)
    for y in (top - 12, top - 42, below + 8) if ruled != "none" else ():
        paper.raw.line(60, y, 500, y)
    paper.text(below - 20, LOREM)
    assert rows_read(paper) == [
        f"{name} | 4 weeks after, Sage: {a} | 4 weeks after, Placebo: {b} | 12 weeks after, Sage: {c} | "
        f"12 weeks after, Placebo: {d} | P: {p}"
        for name, a, b, c, d, p in rows
    ]


def test_heads_stand_over_the_columns_that_they_fit_and_one_that_fits_none_is_reported(tmp_path: Path) -> None:
    stuffs = ("Wool", "Flax", "Silk", "Linen", "None")
    rows = (("", *stuffs), ("Awake", "4", "6", "3", "2", "9"), ("Cold", "1", "5", "2", "4", "7"))
    for middle in (375, 400):  # between Silk and Linen, over two columns; over all three
        paper, top = begun(tmp_path / f"fit_{middle}.pdf")
        paper.line(top, "Table 1. Nights by season.", 9)
        for down, names in enumerate((("Winter", "Summer"), ("in the hills", "in the town"))):
            for x, name in zip((250, middle), names, strict=True):
                paper.raw.setFont("Helvetica", 9)
                paper.raw.drawCentredString(x, top - 24 - 11 * down, name)
        paper.text(drawn(paper, top - 50, rows, (60, 215, 265, 335, 390, 445)) - 20, LOREM)
        if middle == 375:
            over = ["Winter in the hills, "] * 2 + ["Summer in the town, "] * 2 + [""]
            cells = [
                [f"{a}{b}: {value}" for a, b, value in zip(over, stuffs, row[1:], strict=True)] for row in rows[1:]
            ]
            assert rows_read(paper) == [" | ".join([row[0], *own]) for row, own in zip(rows[1:], cells, strict=True)]
        else:
            assert document_of(paper.save()).cautions == (
                "1 table was not read (page 1); the figures in it are not in the text.",
            )


def test_a_name_in_merged_cells_is_one_word(tmp_path: Path) -> None:
    paper, top = begun(tmp_path / "merged.pdf")
    xs, ys = (60, 160, 220, 280), [top - 20 * n for n in range(4)]
    for number, y in enumerate(ys):
        paper.raw.line(xs[1] if number == 1 else xs[0], y, xs[-1], y)
    for number, x in enumerate(xs):
        paper.raw.line(x, ys[1] if number == 2 else ys[0], x, ys[-1])
    paper.line(top - 14, "Caraway", 9, x=203)
    for y, row in ((34, ("Healed", "Worse")), (54, ("Day 9", "21", "4"))):
        for x, said in zip(xs[-len(row) - 1 :], row, strict=False):
            paper.line(top - y, said, 9, x=x + 4)
    paper.text(top - 90, LOREM)
    assert rows_read(paper) == ["Day 9 | Caraway, Healed: 21 | Caraway, Worse: 4"]


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


LEVELS = (("", "Men", "", "Women", ""), ("Outcome", "No.", "95% CI", "No.", "95% CI"))


def levels_read(name: str, *values: str) -> str:
    heads = ("Men, No.", "Men, 95% CI", "Women, No.", "Women, 95% CI")
    return " | ".join([name, *(f"{head}: {value}" for head, value in zip(heads, values, strict=True))])


@pytest.mark.parametrize("over", [False, True])
def test_rules_that_frame_the_header_alone_and_one_that_stands_on_the_next_page(tmp_path: Path, over: bool) -> None:
    """The names of rows reach farther on one page than on the other, which moves no column."""
    paper, top = begun(tmp_path / "framed.pdf")
    top = 160 if over else top
    xs, heads = (60, 240, 290, 370, 420), [[*LEVELS[0]], [*LEVELS[1]]]
    names = ["Able to climb a flight of stairs", "Falls", "Pain", "Cold", "Rash"]
    rows = [(name, str(n + 3), f"0.{n} to 2.{n}", str(n + 41), f"1.{n} to 3.{n}") for n, name in enumerate(names)]
    paper.line(top, "Table 1. Outcomes by sex.", 9)
    below = drawn(paper, top - 24, [*heads, *rows[:2]], xs)
    for y in (top - 12, top - 42):
        paper.raw.line(60, y, 480, y)
    if over:
        paper.page()
        below = 780
    below = drawn(paper, below, rows[2:], xs)
    if over:
        paper.raw.line(60, below + 8, 480, below + 8)
    paper.text(below - 30, LOREM)
    assert rows_read(paper) == [levels_read(*row) for row in rows]


def test_short_names_of_rows_are_one_column(tmp_path: Path) -> None:
    """Blanks between their words lie over each other, and no value stands there."""
    paper, top = begun(tmp_path / "short.pdf")
    paper.line(top, "Table 1. Outcomes.", 9)
    names = ("Any adverse event", "Dizziness", "Nausea", "Diabetes", "Falls", "Sleep quality score", "Pain at rest")
    rows = [("Outcome", "Sage", "Placebo"), *((name, str(n + 3), str(n + 70)) for n, name in enumerate(names))]
    paper.text(drawn(paper, top - 24, rows, (60, 180, 260)) - 20, LOREM)
    assert rows_read(paper) == [f"{name} | Sage: {n + 3} | Placebo: {n + 70}" for n, name in enumerate(names)]


def test_rows_that_are_lost_of_a_table_are_reported(tmp_path: Path) -> None:
    paper, _ = begun(tmp_path / "lost.pdf")
    paper.line(160, "Table 1. Outcomes.", 9)
    drawn(paper, 136, ROWS)
    paper.page()
    paper.text(drawn(paper, 780, [("Sleep, hours", "7.1", "6.2", "0.04")]) - 30, LOREM)
    document = document_of(paper.save())
    assert READ[0] in document.text
    assert document.cautions == ("1 table was not read (page 2); the figures in it are not in the text.",)
