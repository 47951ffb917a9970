"""Glyphs to lines: words with their spaces, superscripts read as what they mean, columns and table cells apart."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from medground.corpus.readers.compose import meaning
from medground.corpus.readers.pdf.glyphs import Glyph, Page

# Lines of Arabic, Hebrew and the like: a PDF has them from left to right, a reader takes them from right to left.

_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_RIGHTWARD = re.compile("r(?:[r ]*r)?")
"""Numbers and Latin words with what stands between them."""
_SIGNS = dict(zip("()[]{}<>\u00ab\u00bb", ")(][}{><\u00bb\u00ab", strict=True))


def runs_leftward(glyphs: Sequence[Glyph]) -> bool:
    """Whether most letters of a line are of a script that runs to the left."""
    if _LEFTWARD.search("".join(glyph.text for glyph in glyphs)) is None:
        return False
    letters = [glyph.text for glyph in glyphs if any(char.isalpha() for char in glyph.text)]
    return 2 * sum(_LEFTWARD.search(text) is not None for text in letters) > len(letters)


def mirrored(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs of such a line as if it ran to the right, in the order of reading.

    Numbers and Latin words keep their own order. Places are mirrored, so gaps stay what they are; a bracket opens
    on the other side.
    """
    ordered = sorted(glyphs, key=lambda glyph: -glyph.left)
    for run in _RIGHTWARD.finditer("".join(map(_script, ordered))):  # back in their own order, at their places
        part = ordered[slice(*run.span())]
        both = min(glyph.left for glyph in part) + max(glyph.right for glyph in part)
        ordered[slice(*run.span())] = [g._replace(left=both - g.right, right=both - g.left) for g in reversed(part)]
    return [g._replace(left=-g.right, right=-g.left, text=_read(g.text)) for g in ordered]


def _read(text: str) -> str:
    """A sign mirrored; the letters of a ligature, which the file has from left to right, in the order of reading."""
    return text[::-1] if _LEFTWARD.search(text) else _SIGNS.get(text, text)


def _script(glyph: Glyph) -> str:
    """`l` or `r` by its script; a blank for a sign or a space, which follows its neighbours."""
    if _LEFTWARD.search(glyph.text):
        return "l"
    return "r" if glyph.text.strip() and glyph.text[0].isalnum() else " "


_SPACE = 0.2
"""Gap between two words, in sizes, where the file has no space."""
_GAP = 1.2
"""Gap that ends a line, unless the line is only set wide."""
_SET_WIDE = 3.0
_BESIDE = 0.6
"""Gap at which a line ends where a column begins."""
_COLUMN, _WIDTH, _WORDS = 4, 100, 15
"""Lines that begin where a column does, points that it is wide, and letters of a line: a number of a list has fewer."""
_RAISED = 0.12
_SMALLER = 0.98
"""How large a raised or lowered glyph is at most: programs that print web pages make it little smaller."""

OPENS, CLOSES = "\x0e", "\x0f"
"""Around a raised number that may cite, until the whole document has been seen."""
_SUSPECTED = re.compile(f"{OPENS}(.*?){CLOSES}")
_BRACKETED = re.compile(r"\[\d{1,3}(?:[,;\u2013-]\s?\d{1,3})*\]")
_OFTEN = 5


@dataclass(slots=True)
class Line:
    """A printed line of one column, or a piece of one, on a page (from 1), in points of the turned page.

    Its size is that of most of it; it is bold or italic if all of it is, but for a mark. `opening` is how many
    characters at its start are bold, `gaps` how many gaps are wider than words are set apart, `hidden` why nobody can
    see it, or empty.
    """

    page: int
    left: float
    right: float
    base: float
    size: float
    text: str
    bold: bool = False
    italic: bool = False
    opening: int = 0
    gaps: int = 0
    hidden: str = ""

    @property
    def top(self) -> float:
        """Upper edge."""
        return self.base + 0.75 * self.size

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.base - 0.25 * self.size

    @property
    def width(self) -> float:
        """Width in points."""
        return self.right - self.left


class _Run:
    def __init__(self, first: Glyph) -> None:
        self.glyphs = [first]
        self.left, self.right = first.left, first.right
        self.base, self.size, self.hidden = first.base, first.style.size, first.style.hidden
        self.wide: list[float] = []
        """Where its words begin that stand far behind the one before them."""

    def add(self, glyph: Glyph) -> None:
        self.glyphs.append(glyph)
        if glyph.left - self.right > _BESIDE * self.size:
            self.wide.append(glyph.left)
        self.left, self.right = min(self.left, glyph.left), max(self.right, glyph.right)
        if glyph.style.size > self.size * 1.02 and glyph.text.strip():
            self.base, self.size = glyph.base, glyph.style.size

    def continues(self, glyph: Glyph) -> bool:
        """Whether a glyph of the same line follows."""
        largest, smallest = max(self.size, glyph.style.size), min(self.size, glyph.style.size)
        shift = abs(glyph.base - self.base)
        level = shift < 0.15 * largest or (smallest < _SMALLER * largest and shift < 0.6 * largest)
        gap = glyph.left - self.right
        number = len(self.glyphs) < 6 and "".join(g.text for g in self.glyphs).strip().isdecimal()
        widest = 0.5 if number and gap >= 0.5 * largest else _GAP  # a number may count the lines
        return level and -0.6 * largest < gap < widest * largest and self.hidden == glyph.style.hidden

    def widest(self) -> float:
        """The widest gap between two of its words."""
        drawn = [glyph for glyph in self.glyphs if glyph.text.strip()]
        return max((after.left - before.right for before, after in pairwise(drawn)), default=0.0)


def lines_of(page: Page) -> list[Line]:
    """The lines of a page from top to bottom, hidden ones included; columns and table cells are lines of their own."""
    runs: list[_Run] = []
    for glyph in page.glyphs:
        if runs and runs[-1].continues(glyph):
            runs[-1].add(glyph)
        elif glyph.text.strip():
            runs.append(_Run(glyph))
    lines = [_line(run, page.number) for run in _joined(_at_columns(runs))]
    return [line for line in lines if line.text]


def _at_columns(runs: list[_Run]) -> list[_Run]:
    """The runs, each cut where a column begins that stands close to the column before it."""
    starts = Counter(round(run.left / 2) for run in runs)
    usual = {at for at in starts if _near(starts, at) >= _COLUMN}
    inside = Counter(round(left / 2) for run in runs for left in run.wide)  # the file has them row by row
    usual |= {at for at in inside if _near(inside, at) >= max(2 * _COLUMN, len(runs) / 3)}
    left = min(usual, default=0)
    columns = {at for at in usual if at - left > _WIDTH / 2}
    return [piece for run in runs for piece in _pieces(run, columns)] if columns else runs


def _near(starts: Counter[int], at: int) -> int:
    """How many begin at a place, or right beside it."""
    return starts[at - 1] + starts[at] + starts[at + 1]


def _pieces(run: _Run, columns: set[int]) -> Iterator[_Run]:
    piece: _Run | None = None
    right, letters = 0.0, 0
    for glyph in run.glyphs:
        is_drawn = bool(glyph.text.strip())
        is_wide = glyph.left - right > _BESIDE * glyph.style.size and letters >= _WORDS
        if piece is None or (is_drawn and is_wide and round(glyph.left / 2) in columns):
            if piece is not None:
                yield piece
            piece, letters = _Run(glyph), 0
        else:
            piece.add(glyph)
        if is_drawn:
            right, letters = glyph.right, letters + 1
    if piece is not None:
        yield piece


def _joined(runs: list[_Run]) -> list[_Run]:
    """Runs that are one line, although the file has them apart or they are set wide."""
    starts = Counter(round(run.left / 2) for run in runs)
    done: list[_Run] = []
    for run in sorted(runs, key=lambda run: (-round(run.base), run.left)):
        before = next((b for b in reversed(done[-6:]) if _one_line(b, run, starts)), None)
        if before is None:
            done.append(run)
        else:
            for glyph in run.glyphs:
                before.add(glyph)
    return done


def _one_line(before: _Run, run: _Run, starts: Counter[int]) -> bool:
    largest, smallest = max(before.size, run.size), min(before.size, run.size)
    gap, shift = run.left - before.right, abs(run.base - before.base)
    if before.hidden != run.hidden or gap < -0.6 * largest:
        return False
    if gap < 0.5 * largest:
        return shift < 0.15 * largest or (smallest < _SMALLER * largest and shift < 0.5 * largest)
    between = range(round(before.right / 2) + 1, round(run.left / 2) + 1)
    column = any(_near(starts, at) >= _COLUMN for at in between)
    wide = gap < min(_SET_WIDE * largest, 2 * max(before.widest(), run.widest()))
    return shift < 0.1 * largest and wide and smallest > 0.95 * largest and not column


def _line(run: _Run, number: int) -> Line:
    sizes = Counter[float]()
    for glyph in run.glyphs:
        sizes[glyph.style.size] += len(glyph.text.strip())
    size = sizes.most_common(1)[0][0]
    base = median(g.base for g in run.glyphs if g.style.size == size)
    pairs = pairwise(run.glyphs)
    disordered = any(after.left < before.left - 0.5 * before.style.size for before, after in pairs)
    glyphs = sorted(run.glyphs, key=lambda g: g.left) if disordered else run.glyphs
    if runs_leftward(glyphs):
        glyphs = mirrored(glyphs)
    pieces, gaps = _spaced(glyphs, size, base)
    text, opening = "", -1
    for (raised, bold), part in groupby(pieces, key=lambda piece: (piece[1], piece[2])):
        said = "".join(piece[0] for piece in part)
        if not bold and opening < 0 and said.strip():
            opening = len(text.rstrip())
        text += _superscript(said, text) if raised else said
    bold = sum(len(t.strip()) for t, _, b in pieces if b)
    letters = sum(len(t.strip()) for t, _, _ in pieces)
    italic = sum(len(g.text.strip()) for g in glyphs if g.style.italic)
    line = Line(number, run.left, run.right, base, size, " ".join(text.split()), gaps=gaps, hidden=run.hidden)
    line.bold, line.italic = bold > 0.94 * letters, italic > 0.94 * letters
    line.opening = opening if opening >= 0 else len(text.strip())
    return line


def _spaced(glyphs: Iterable[Glyph], size: float, base: float) -> tuple[list[tuple[str, bool, bool]], int]:
    """Text, whether it is raised and whether it is bold, with spaces; and the number of wide gaps."""
    pieces: list[tuple[str, bool, bool]] = []
    right, gaps, space = None, 0, False
    for glyph in glyphs:
        if not glyph.text.strip():
            space = True
            continue
        raised = glyph.style.size < _SMALLER * size and glyph.base > base + _RAISED * size
        if right is not None:
            gap = glyph.left - right
            gaps += gap > _GAP * size
            if space or gap > _SPACE * size:
                pieces.append((" ", raised and pieces[-1][1], glyph.style.bold and pieces[-1][2]))
        pieces.append((glyph.text, raised, glyph.style.bold))
        right, space = glyph.right, False
    return pieces, gaps


def _superscript(text: str, before: str) -> str:
    """What a raised text means: an exponent gets its sign, a citation is left out, anything else stays."""
    said, meant = text.strip(), meaning(text, before)
    if meant == "exponent":
        return text.replace(said, f"^{said}", 1)
    return text.replace(said, f"{OPENS}{said}{CLOSES}", 1) if meant == "citation" else text


def settle(lines: Sequence[Line]) -> None:
    """Leave raised numbers out where they cite; a document that cites in brackets has none that do."""
    in_brackets = sum(len(_BRACKETED.findall(line.text)) for line in lines) >= _OFTEN
    for line in lines:
        if OPENS in line.text:
            line.text = _SUSPECTED.sub(r"\1" if in_brackets else "", line.text)
