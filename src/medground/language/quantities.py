"""Numbers in a text, each with its unit, what it measures and how it is compared: `p < 0.001`, `2.5 mg/kg`, `n = 12`.

Digits in names are not quantities: IL-6, type 2, exon 11, 5-HT. Numbers are read as people write them: `1,234`, `12·5`,
`12,5`, `.05`, `17 288`, `twelve`. A number without a unit takes that of the next one in a list: `40 vs 24 ng`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from medground.home.files import tables
from medground.language.pattern import lazy_pattern, verbose_pattern

PERCENT, POINTS, PERCENTAGE_POINTS, COUNT = "%", "points", "percentage points", "people"
TIMES = frozenset(("second", "minute", "hour", "day", "week", "month", "year"))

_SPELLED: Mapping[str, str] = tables("language", "units")
_NAMES: Mapping[str, str] = {word: unit for unit, spelled in _SPELLED.items() for word in spelled.split()}
_CASED: Mapping[str, str] = {"M": "mol/l", "mM": "mmol/l", "μM": "μmol/l", "uM": "μmol/l", "nM": "nmol/l"}
"""Units that only their case tells from another; a lone capital letter is otherwise a name."""

_POINTS = lazy_pattern(r"[\s-]?(?:(?:%|percent(?:age)?|per cent)[\s-]?points?|pp)\b", re.IGNORECASE)
_PER_CENT = lazy_pattern(r"[\s-]?(?:%|per ?cent\b)", re.IGNORECASE)
_MMHG = lazy_pattern(r"[\s-]?mm ?Hg\b", re.IGNORECASE)
_FIRST = lazy_pattern(r"(?:[ -]|(?<=\d))(?:°\s?)?([A-Za-zμ]+(?:-(?:years?|fold))?[23]?)(?![\w])")
_PER = lazy_pattern(r"(?:\s?/\s?|\s?per\s|\s(?=a day|daily))(?:a |(?:person|patient)-)?([A-Za-zμ]+[23]?)(?![\w])")


def unit_at(text: str, start: int) -> tuple[str, int]:
    """The unit right after a number, in one form, and where it ends; empty if there is none.

    A compound has `/` between its parts: `mg/kg/day`. Times in it come last.

    Args:
        text: text with unified signs (`quantities`).
    """
    for pattern, unit in ((_POINTS, PERCENTAGE_POINTS), (_PER_CENT, PERCENT), (_MMHG, "mmHg")):
        if found := pattern.match(text, start):
            return unit, found.end()
    found = _FIRST.match(text, start)
    unit = _named(found[1]) if found else ""
    end, parts = found.end() if found and unit else start, [unit]
    while found := _PER.match(text, end):
        if not (part := "day" if found[1] == "daily" else _named(found[1])):
            break
        parts.append(part)
        end = found.end()
    return "/".join(parts), end  # `/year` for 0.11 per person-year


def same_unit(one: str, other: str) -> bool:
    """Whether two units are one; `mg` and `mg/day` are, because doses are often given either way."""
    first, second = one.split("/"), other.split("/")
    rates = [{part for part in parts[1:] if part in TIMES} for parts in (first, second)]
    plain = [[part for part in parts if part == parts[0] or part not in TIMES] for parts in (first, second)]
    return plain[0] == plain[1] and (rates[0] == rates[1] or not all(rates))


def _named(word: str) -> str:
    if word in _CASED:
        return _CASED[word]
    return "" if len(word) == 1 and word.isupper() and word not in "LUVG" else _NAMES.get(word.lower(), "")


_SIGNS = str.maketrans(
    dict.fromkeys("·∙⋅٫", ".")
    | dict.fromkeys("‐‑‒–—−﹣－", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f", " ")
    | dict(zip("０１２３４５６７８９", "0123456789", strict=True))
    | {"µ": "μ", "％": "%", "＜": "<", "＞": ">", "≤": "<", "⩽": "<", "≦": "<", "≥": ">", "⩾": ">", "≧": ">"}
)
"""One character each, so that places stay the same."""

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_ROUND = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {name: 10 * n for n, name in enumerate(_ROUND, start=2)}
_WORDS = {name: n for n, name in enumerate(_SMALL)} | _TENS | {"hundred": 100}
_NAMED = "|".join(sorted(_WORDS, key=len, reverse=True))
_NUMBER = verbose_pattern(
    r"""
    (?<![A-Za-z0-9_])(?<!\d[.,])(?<![A-Za-z]-)(?:(?P<version>\d+(?:\.\d+){2,})|
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d{1,3}(?:\ \d{3})+(?![.,]?\d)|(?<=[<>=])\s?0\.\ \d+|
    \d+(?:[.,]\d+)?|\.\d+)(?![\d])|(?P<word>\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|
    ninety)[- ](?:one|two|three|four|five|six|seven|eight|nine)|seventeen|thirteen|fourteen|eighteen|nineteen|
    fifteen|sixteen|seventy|hundred|eleven|twelve|twenty|thirty|eighty|ninety|three|seven|eight|forty|fifty|
    sixty|zero|four|five|nine|one|two|six|ten))(?P<fold>-?fold)?\b)
    """
)
_IN_NAME = verbose_pattern(
    r"""
    \b(?:types?|grades?|stages?|phases?|factors?|groups?|class|exons?|introns?|tables?|figures?|fig\.|chapters?|
    steps?|parts?|cohorts?|arms?|versions?|covid|sars-cov|h|dsm|icd|criteri(?:on|a)|category|tier|chromosomes?|
    vitamin|numbers?|no\.|level|line|model|domain|hypothesis|question|appendix|RT|SF|NCT)\s?-?\s?$
    """
)
_LIST_MARK = lazy_pattern(r"\(?(?<![\d.,])\d{1,2}[)\]]|^\d{1,2}\.(?=\s)|(?<=[;:,.] )\d{1,2}\.(?= [A-Za-z])")
"""`(2)`, `2)`, `[3]`, and `2.` at the start of a sentence or of an item."""
_NAME_AFTER = lazy_pattern(r"\)?-?[A-Z][A-Za-z]*\d|\)[A-Za-z]|-(?:[A-Z]|[αβγδ]|alpha|beta|like)|['′]|[A-Za-z]")
_MEASURE = verbose_pattern(
    r"""
    (?:\b(?P<p>[pP])(?:[- ]?values?)?|\b(?P<hr>HR|[Hh]azard\ ratios?)|\b(?P<or>a?OR|[Oo]dds\ ratios?)|
    \b(?P<rr>RR|[Rr]elative\ risks?|[Rr]isk\ ratios?)|\b(?P<n>[nN]))\s*(?:[\[(](?:a?OR|HR|RR)[\])])?\s*(?:of|
    was|were|is|[,:;=<>~]|for\ [\w-]+)*\s*$
    """,
    0,
)
_RELATION = verbose_pattern(
    r"""
    (?:(?P<below><)|(?P<above>>)|\b(?P<less>less|fewer|lower|smaller)\ than|\b(?P<more>more|greater|higher|
    larger)\ than|\b(?P<least>at\ least)|\b(?P<most>at\ most))=?\s*$
    """
)
_ABOUT = lazy_pattern(
    r"(?:\b(?:about|approximately|approx\.?|around|nearly|almost|roughly|circa|close to)|[~≈])\s*$", re.I
)
_UNIT_BEFORE = lazy_pattern(r"(?<![-\w])(day|week|month|year|hour) $|([$€£])\s?$", re.IGNORECASE)
_LINK = verbose_pattern(
    r"""
    \s*(?:(?:[-+,/;±]|to|and|or|vs\.?|v\.?|versus|from|compared\ (?:with|to)|against|
    than)\s*)*(?:\([^()\d]*\)\s*)?(?:(?:[-+,/;±]|to|and|or|vs\.?|versus)\s*)*
    """
)
_CITED = lazy_pattern(r"\[[\d,;\s–-]+\]")
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_BEFORE = 48
"""Characters before a number that tell what it measures."""


@dataclass(frozen=True)
class Quantity:
    """A number of a text.

    Attributes:
        text: the number with its unit, as written.
        start: offset of the number in the text.
        end: offset behind the number and its unit.
        values: what it may mean; `1,234` is also 1.234 where a comma marks decimals.
        unit: in one form (`units`); empty if there is none.
        measure: `p`, `hr`, `or`, `rr` or `n`, if the text says so right before it.
        relation: `<` or `>` right before it, also in words.
        about: the text says that the number is rounded.
        named: a word such as `twelve`.
        shared: the unit is that of a later number of the same list or range.
    """

    text: str
    start: int
    end: int
    values: frozenset[Decimal]
    unit: str = ""
    measure: str = ""
    relation: str = ""
    about: bool = False
    named: bool = False
    shared: bool = False


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order."""
    plain = text.translate(_SIGNS)
    return tuple(_with_shared_units(list(_read(text, plain)), plain))


def has_number(text: str, *, with_unit: bool) -> bool:
    """Whether a text has a number that is neither a year nor a citation; one with a unit, if that is wanted."""
    return any(one.unit or not (with_unit or _YEAR.fullmatch(one.text)) for one in quantities(_CITED.sub("", text)))


def _read(text: str, plain: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(plain):
        before = plain[max(match.start() - _BEFORE, 0) : match.start()]
        unit, end = ("fold", match.end()) if match["fold"] else unit_at(plain, match.end())
        if match["version"] or _is_name(plain, match, before, has_unit=bool(unit)):
            continue
        ahead = _UNIT_BEFORE.search(before)
        if not unit and ahead:
            unit = (ahead[1] or ahead[2]).lower()
        measure, relation = _MEASURE.search(before), _RELATION.search(before)
        yield Quantity(
            text=" ".join(text[match.start() : end].split()),
            start=match.start(),
            end=end,
            values=_values(match),
            unit=unit,
            measure=(measure.lastgroup or "") if measure else "",
            relation="" if relation is None else "<" if relation.lastgroup in ("below", "less", "most") else ">",
            about=bool(_ABOUT.search(before)),
            named=bool(match["word"]),
        )


def _is_name(plain: str, match: re.Match[str], before: str, *, has_unit: bool) -> bool:
    """Whether digits belong to a name, a list mark such as `(2)`, or a citation mark such as `[3]`."""
    if match["word"]:
        return False
    after = plain[match.end() : match.end() + 12]
    if _IN_NAME.search(before) and not has_unit:
        return True
    if _LIST_MARK.match(plain, match.start()) and not re.search(r"\([^()]*[^()\s][^()]*$", before):
        return True
    return not has_unit and _NAME_AFTER.match(after) is not None


def _values(match: re.Match[str]) -> frozenset[Decimal]:
    if word := match["word"]:
        return frozenset((Decimal(sum(_WORDS[part] for part in re.split(r"[- ]", word.lower()))),))
    digits = "".join(match["digits"].split())
    found = {Decimal(digits.replace(",", ""))} if re.search(r",\d{3}(?!\d)", digits) else set[Decimal]()
    if digits.count(",") == 1 and "." not in digits:
        found.add(Decimal(digits.replace(",", ".")))
    return frozenset(found or {Decimal(digits)})


def _with_shared_units(found: Sequence[Quantity], plain: str) -> list[Quantity]:
    """The same quantities; those without a unit have that of the next in their list or range."""
    given = list(found)
    for n in range(len(given) - 2, -1, -1):
        here, after = given[n], given[n + 1]
        if not here.unit and after.unit and not here.measure and _LINK.fullmatch(plain, here.end, after.start):
            given[n] = replace(here, unit=after.unit, shared=True)
    return given
