"""Which words of a sentence tell what each of its numbers is about: the group, the outcome, the time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from medground.language import words
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.quantities import COUNT, Quantity, quantities

CONTRAST = re.compile(r"\b(?:than|vs\.?|versus|compared (?:with|to)|relative to|against)(?!\w)", re.IGNORECASE)
_STRONG = re.compile(r";|\b(?:whereas|while|but)\b", re.IGNORECASE)
_WEAK = verbose_pattern(
    r"""
    [,:]|\b(?:and|(?-i:or)|against|than|vs\.?|versus|compared\ (?:with|to)|to|followed\ by)(?!\w)
    """
)
_HEAD = re.compile(r"[(;]")
PART = re.compile(r"[(;,]|\bthat\b")
AFTER = re.compile(r"\s*\)?\s*(?:in|for|with|on|among|after|at|during|by|under|without|when|from)\b", re.IGNORECASE)
_LISTED = verbose_pattern(
    r"""
    ,\s*(?:and|or)\b|,|\b(?:and|(?-i:or)|than|vs\.?|versus|compared\ (?:with|to)|against)(?!\w)
    """
)
_LABEL = verbose_pattern(
    r"""
    \b(?i:groups?|arms?|exons?|cohorts?|grades?|levels?|stages?|types?)\ (\d{1,2}|[IVX]{1,3})\b|
    (?<=[\s/(])([A-Z])\b(?!\.\s?[A-Z])|\b(\d[\d.]*)\s?(?:mg|g|mcg|[µμ]g|IU|m[lL]|Gy)\b
    """,
    0,
)
_OPENING = lazy_pattern(
    r"[\s,;:)\].]*(?:than\b|(?=(?:in|for|with|on|among|after|at|during|by|under|without)\b))", re.IGNORECASE
)
"""Marks before words that still belong to the number before them."""
VERB = verbose_pattern(
    r"""
    \b(?:had|have|has|was|were|is|are|did|might|may|will|achieved|obtained|received|developed|showed|occurred|
    died|experienced|reported|completed|reached|demonstrated|exhibited|required|needed|underwent|suffered|resulting)\b
    """
)
"""What comes after a name and its verb is said of all names."""
_NOT = re.compile(r"\b(?:without|no|non|not)\b", re.IGNORECASE)
_NAME_WORDS = 6
"""Most words of a name in a list."""
_SAYING = """
    respectively compared group patients overall arm subjects participants mean median significantly significant
    increased increase rise rose decreased decrease reduced reduction fell fall decline improved
    lower higher more less greater rate rates number among received found showed used observed
    frequent frequently common likely often
"""
EMPTY = frozenset(map(words.stem, _SAYING.split()))
"""Stems that tell no number from another."""


def names(text: str, count: int, *, last: bool) -> list[frozenset[str]]:
    """The parts of a list of so many names, or the sides of a contrast; empty if there is none that differ."""
    cuts = list((CONTRAST if count == 2 and CONTRAST.search(text) else _LISTED).finditer(text))
    cuts = cuts[-(count - 1) :] if last else cuts[: count - 1]
    if len(cuts) < count - 1:
        return []
    ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    parts = [text[start:end] for start, end in zip(*ends, strict=True)]
    heads = [" " + VERB.split(_HEAD.split(part.strip(" (,;"))[0])[0] for part in parts[1:]]
    named = [stems(parts[0], last=_NAME_WORDS), *(stems(head, first=_NAME_WORDS) for head in heads)]
    told = [name - frozenset().union(*named[:n], *named[n + 1 :]) for n, name in enumerate(named)]
    return told if all(told) else []


def shared_out(gap: str) -> tuple[str, str]:
    """The words between two numbers that belong to the first one, and those that belong to the second."""
    opening = _OPENING.match(gap)
    for pattern, which in ((_STRONG, 0), (CONTRAST, -1), (_WEAK, 0)):
        cuts = [cut for cut in pattern.finditer(gap, opening.end() if opening else 0) if not _is_aside(gap, cut)]
        if not cuts:
            continue
        if not stems(gap[: cuts[0].start()]):
            return "", gap[cuts[0].end() :]
        if not stems(gap[cuts[-1].end() :]):
            return gap[: cuts[-1].start()], ""
        return gap[: cuts[which].start()], gap[cuts[which].end() :]
    return gap, gap


def _is_aside(gap: str, cut: re.Match[str]) -> bool:
    """Whether a semicolon is inside brackets that open in the gap, and so parts no two numbers."""
    before = gap[: cut.start()]
    return cut[0] == ";" and before.rfind("(") > before.rfind(")")


def labels(text: str) -> list[str]:
    """What names a group beside its words: the B of `group B`, the 8 of `8 mg/kg`."""
    return [f"label {''.join(found).lower()}" for found in _LABEL.findall(text)]


def stems(text: str, *, first: int | None = None, last: int | None = None) -> frozenset[str]:
    """The stems of a text's content words and labels such as the B of `group B`; of so many words at one end only."""
    found = [stem for stem in words.terms(text) if not stem[0].isdigit() and stem not in EMPTY]
    kept = found[:first] if first else found[-last:] if last else found
    return frozenset((*kept, *labels(text), *(["not"] if _NOT.search(text) else ())))


_P_VALUE = r"[pP](?:[- ]values?)?\s?[=<>:≤≥]\s?0?[.·]\s?\d+"
_ASIDES = verbose_pattern(
    rf"""
    \d{{2}}\s?%?\s?(?:CI\b|confidence\ intervals?\b(?:\ ?[\[(]CI[\])])?)(?:[\s:=,%\[(]|to|[-−–\d.·])*|
    [(\[]\s*(?:IQR|range|SD|SEM?)\b[^()\[\]]*[)\]]|(?<=\d\s)\([\d.·]+(?:\sto\s|\s?[-–]\s?)[\d.·]+\)|\(\s*{_P_VALUE}\s*\)|[,;]?\s*\b{_P_VALUE}|±\s?[\d.·,]+|
    (?<=\d)\s\([nN]?\s?=?\s?\d+\s?/\s?\d+\)|\b\d+\s?/\s?\d+(?=\s?\()
    """,
    0,
)
"""Intervals, p values, deviations and fractions beside a number: they say nothing of what it is about."""
_RUN = verbose_pattern(
    r"""
    [\s,;()/$]*(?:(?:vs\.?|v\.?|versus|and|or|against|than|to|compared\ (?:with|to)|respectively)[\s,;()/$]*)*
    """
)
_BESIDE = re.compile(r"\s*(?:[-–/(]|of|out of|\(n\s?=)\s*", re.IGNORECASE)
"""Between two numbers that say the same in two ways: `30 (31.8 %)`, `12 of 40`."""
_SHORT = 4
"""Most words before the first number that are its name, and not also what all numbers measure."""


@dataclass(frozen=True)
class Slot:
    """Numbers that say one thing in several ways, and the stems of the words that tell what they are about.

    Attributes:
        numbers: the numbers.
        about: words that are about these numbers and no others of this unit.
        perhaps: words that may be about these numbers, or about others too.
    """

    numbers: tuple[Quantity, ...]
    about: frozenset[str]
    perhaps: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """The unit or measure of the numbers; numbers of one kind could be taken for one another."""
        return _kind(self.numbers[0])

    @property
    def all(self) -> frozenset[str]:
        """Every word that may be about them."""
        return self.about | self.perhaps


def without_asides(text: str) -> str:
    """The text with blanks where it has intervals, p values, deviations and fractions."""
    return _ASIDES.sub(lambda match: " " * len(match[0]), text)


_Place = tuple[Quantity, ...]
"""Numbers side by side."""


def slots(sentence: str) -> tuple[Slot, ...]:
    """The numbers of a sentence with what each is about; intervals, p values and deviations are left out.

    Numbers of different units are read apart: hours say nothing of which group a percentage belongs to.
    """
    plain = without_asides(sentence)
    every = [q for q in quantities(plain) if q.measure != "p" and not (q.named and not q.unit)]
    by_unit: dict[str, list[Quantity]] = {}
    for quantity in every:
        by_unit.setdefault(_kind(quantity), []).append(quantity)
    alone = {kind for kind, found in by_unit.items() if len(by_unit) > 1 and len(_places(found, plain)) == 1}
    told = [
        slot
        for kind, found in by_unit.items()
        if kind not in alone
        for slot in _slots(found, _without([q for q in every if q not in found], plain))
    ]
    if alone:
        told += [slot for slot in _interleaved(_places(every, plain), plain) if slot.kind in alone]
    return tuple(told)


def _without(others: Sequence[Quantity], plain: str) -> str:
    for other in others:
        plain = plain[: other.start] + " " * (other.end - other.start) + plain[other.end :]
    return plain


def _kind(quantity: Quantity) -> str:
    unit = quantity.unit.partition("/")[0]
    return quantity.measure if quantity.measure in ("or", "hr", "rr") else "" if unit == COUNT else unit


def _slots(found: Sequence[Quantity], plain: str) -> list[Slot]:
    places = _places(found, plain)
    if len(places) < 2:
        return [Slot(place, stems(plain)) for place in places]
    runs = _runs(places, plain)
    if len(runs) == 1:
        return _parallel(runs[0], plain, 0, len(plain))
    if all(len(run) == 1 for run in runs):
        return _interleaved(places, plain)
    return _mixed(runs, plain)


def _places(found: Sequence[Quantity], plain: str) -> list[_Place]:
    places: list[_Place] = []
    for quantity in found:
        if places and _BESIDE.fullmatch(plain, places[-1][-1].end, quantity.start):
            places[-1] = (*places[-1], quantity)
        else:
            places.append((quantity,))
    return places


def _runs(places: Sequence[_Place], plain: str) -> list[list[_Place]]:
    runs = [[places[0]]]
    for before, here in pairwise(places):
        if _RUN.fullmatch(plain, before[-1].end, here[0].start):
            runs[-1].append(here)
        else:
            runs.append([here])
    return runs


def _parallel(run: Sequence[_Place], plain: str, start: int, end: int) -> list[Slot]:
    """The numbers of one list, with the names of a list of as many before or after it."""
    (first, *_), (*_, last) = run[0], run[-1]
    before, after = plain[start : first.start], plain[last.end : end]
    every = stems(before) | stems(after)
    if len(run) == 1:
        return [Slot(run[0], every)]
    behind = "" if after.lstrip().startswith(")") else after
    for listed in (names(before, len(run), last=True), names(behind, len(run), last=False)):
        if listed:
            shared = every - frozenset().union(*listed)
            return [Slot(place, name, shared) for place, name in zip(run, listed, strict=True)]
    if CONTRAST.search(plain[run[0][-1].end : run[-1][0].start]):
        return _interleaved(run, plain)
    return [Slot(place, frozenset(), every) for place in run]


def _interleaved(places: Sequence[_Place], plain: str) -> list[Slot]:
    """Numbers that each have words of their own, before or after them."""
    gaps = [shared_out(plain[a[-1].end : b[0].start]) for a, b in pairwise(places)]
    if not gaps:
        return [Slot(places[0], stems(plain))]
    lead, trail = plain[: places[0][0].start], plain[places[-1][-1].end :]
    names_follow = not stems(gaps[0][1])
    own = [stems(after) for after in ("", *(right for _, right in gaps))]
    common = frozenset[str]()
    for n, text in enumerate((*(left for left, _ in gaps), trail)):
        name, *rest = VERB.split(text, maxsplit=1) if names_follow or AFTER.match(text) else ("", text)
        own[n] |= stems(name)
        common |= stems(" ".join(rest))
    if names_follow:
        common |= stems(lead)
    else:
        near = stems(PART.split(lead.rstrip(" (,;"))[-1])
        own[0] |= near if len(near) <= _SHORT else frozenset()
        common |= stems(lead) - own[0]
    return [Slot(place, about - common or about, common - about) for place, about in zip(places, own, strict=True)]


def _mixed(runs: Sequence[Sequence[_Place]], plain: str) -> list[Slot]:
    """Several lists, each read by itself with the words up to the next one."""
    cuts = [_cut(plain, a[-1][-1].end, b[0][0].start) for a, b in pairwise(runs)]
    starts, ends = [0, *(start for _, start in cuts)], [*(end for end, _ in cuts), len(plain)]
    return [
        slot for run, start, end in zip(runs, starts, ends, strict=True) for slot in _parallel(run, plain, start, end)
    ]


def _cut(plain: str, start: int, end: int) -> tuple[int, int]:
    """Where the words of the first of two numbers end and those of the second begin, in the text between them."""
    left, right = shared_out(plain[start:end])
    return start + len(left), end - len(right)
