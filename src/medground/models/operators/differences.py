"""The kinds of difference between a statement and the sentence nearest to it, and the words that show them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq, Levenshtein

from medground.home.files import tables
from medground.language import words
from medground.language.pattern import lazy_pattern
from medground.language.quantities import COUNT, Quantity, quantities, same_unit


def cue(words: str, *, unless_after: str = "") -> re.Pattern[str]:
    """A pattern that matches any of the given words as a whole word, ignoring case.

    The words are regular expressions, separated by `|`; `unless_after` is a character that must not come before. A
    lookahead tests the first letter, which halves the time because most words in a text start with other letters. So
    no word may begin with an optional part.
    """
    begin = "".join(sorted(set(re.findall(r"(?:^|\|)(?:\(\?:)?(.)", words))))
    free = f"(?<!{unless_after})" if unless_after else ""
    return lazy_pattern(rf"\b{free}(?=[{begin}])(?:{words})\b", re.IGNORECASE)


_LISTS = tables("data", "difference_words")


def _listed(name: str, *, unless_after: str = "") -> re.Pattern[str]:
    return cue("|".join(_LISTS[name]), unless_after=unless_after)


NEGATION, UP, DOWN, HEDGE, DOUBT, SURE = map(_listed, ("negation", "up", "down", "hedge", "doubt", "sure"))
CAUSE, ASSOCIATION = _listed("cause", unless_after="-"), _listed("association")
EVERY = (NEGATION, UP, DOWN, HEDGE, SURE, CAUSE, ASSOCIATION)


REPEATED = 0.7
"""Minimum share of a statement's tokens that a sentence contains in the same order for a strict comparison."""
LONGEST = 400
"""Maximum tokens of a text that are aligned; the rest is ignored."""

_BORDER = lazy_pattern(
    r"[;:(),]|\b(?:but|although|though|whereas|while|however|yet|despite|except|unless)\b", re.IGNORECASE
)
_TOKEN = lazy_pattern(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’]t\b)?|[%<>≤≥±]")
_ASCII_TOKEN = lazy_pattern(r"[0-9]+(?:[.,][0-9]+)*|[a-z]+(?:'t\b)?|[%<>]")
"""The same for lower-case ASCII, which covers most sentences and is faster."""


@dataclass(frozen=True)
class Change:
    """Tokens of the sentence, and the tokens of the statement that replace them; one may be empty."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A statement, the sentence nearest to it, and the whole premise that the sentence is from."""

    statement: str
    quote: str
    premise: str

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The differences inside the part of the sentence that the statement repeats."""
        quoted, stated = aligned(self.quote), aligned(self.statement)
        codes = [c for c in Levenshtein.opcodes(quoted, stated) if c.tag != "equal"]
        inside = [c for c in codes if c.tag != "delete" or (c.src_start > 0 and c.src_end < len(quoted))]
        spans: list[tuple[int, int, int, int]] = []
        for code in inside:
            if spans and spans[-1][1] == code.src_start and spans[-1][3] == code.dest_start:
                spans[-1] = (spans[-1][0], code.src_end, spans[-1][2], code.dest_end)
            else:
                spans.append((code.src_start, code.src_end, code.dest_start, code.dest_end))
        return tuple(Change(tuple(quoted[a:b]), tuple(stated[c:d])) for a, b, c, d in spans)

    @cached_property
    def repeats(self) -> bool:
        """Whether the statement repeats most of the sentence, or of a part of it."""
        return self.repetition >= REPEATED

    @cached_property
    def repetition(self) -> float:
        """Share of the statement's tokens that the sentence has in the same order, 0 to 1."""
        return repetition(aligned(self.statement), aligned(self.quote))

    @cached_property
    def clause(self) -> str:
        """The clause of the sentence that holds most of the statement's words."""
        wanted = words.terms(self.statement)
        clauses = [part for part in _BORDER.split(self.quote) if part.strip()] or [self.quote]
        return max(clauses, key=lambda part: words.coverage(wanted, words.terms(part)))

    def changed(self, pattern: re.Pattern[str]) -> tuple[int, int]:
        """How often a pattern occurs in the changed words of the sentence, and in those of the statement."""
        return (
            sum(len(pattern.findall(" ".join(change.before))) for change in self.changes),
            sum(len(pattern.findall(" ".join(change.after))) for change in self.changes),
        )


def aligned(text: str) -> list[str]:
    """Lower-case tokens in order, including symbols that change the meaning."""
    lower = folded(text).lower()
    pattern = _ASCII_TOKEN if lower.isascii() else _TOKEN
    return [t[: words.LONGEST_TOKEN] for t in pattern.findall(lower)[:LONGEST]]


def folded(text: str) -> str:
    """The text with look-alike characters unified (NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def repetition(statement: Sequence[str], sentence: Sequence[str]) -> float:
    """Share of the statement's tokens that the sentence has in the same order, 0 to 1."""
    return LCSseq.similarity(statement, sentence) / len(statement) if statement else 0.0


# The kinds of difference, each with its rule.


def certainty(pair: Pair) -> bool:
    """Repeated text lost a hedge or gained a word of certainty; a paraphrase lacks the hedge of the sentence."""
    if pair.repeats:
        hedged, hedges = pair.changed(HEDGE)
        sure, surer = pair.changed(SURE)
        return hedged > hedges or surer > sure
    return bool(DOUBT.search(pair.quote)) and not HEDGE.search(pair.statement)


def cause(pair: Pair) -> bool:
    """The statement makes an association a cause. For a paraphrase, the sentence must state no cause at all."""
    if pair.repeats:
        (before, after), (linked, links) = pair.changed(CAUSE), pair.changed(ASSOCIATION)
        return after > before and links < linked
    found = CAUSE.search(pair.statement) and ASSOCIATION.search(pair.quote)
    return bool(found) and not CAUSE.search(pair.quote)


DENIED, _THAN = _listed("denied"), _listed("than")


def negation(pair: Pair) -> bool:
    """Repeated text gained or lost a negation; of a paraphrase and its nearest clause, only one is negated."""
    if pair.repeats:
        before, after = pair.changed(NEGATION)
        return before != after
    denied = bool(DENIED.search(folded(pair.statement)))
    if not DENIED.search(folded(pair.quote)):
        return denied
    return denied != bool(DENIED.search(folded(pair.clause)))


def direction(pair: Pair) -> bool:
    """Repeated text reverses a direction in one of its changes; a paraphrase states only the opposite direction."""
    if pair.repeats:
        return any(_opposed(" ".join(change.before), " ".join(change.after)) for change in pair.changes)
    return _opposed(pair.statement, pair.quote)


def _opposed(one: str, other: str) -> bool:
    up, down = bool(UP.search(one)), bool(DOWN.search(one))
    return up != down and bool(UP.search(other)) == down and bool(DOWN.search(other)) == up


_ANY_NUMBER = lazy_pattern(r"\d+(?:[.,]\d+)*")
_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NAMED = {name: str(value) for value, name in enumerate(_NAMES, start=2)}
_WORD = cue("|".join(f"{name}(?:fold)?" for name in _NAMED))


def number(pair: Pair) -> bool:
    """Repeated text has other numbers, or a different order; a paraphrase has a number that the premise lacks."""
    if pair.repeats:
        quoted = iter(_sequence(pair.quote))
        return not all(value in quoted for value in _sequence(pair.statement))
    stated = _in_digits(pair.statement)
    held = _sequence(pair.premise) if stated else []
    return any(not any(_holds(held, str(value)) for value in quantity.values) for quantity in stated)


def unit(pair: Pair) -> bool:
    """A number of the statement appears in the sentence only with other units."""
    stated = [quantity for quantity in _in_digits(pair.statement) if _measured(quantity)]
    known = quantities(pair.quote) if stated else ()
    same = [(one, [q for q in known if q.values & one.values]) for one in stated]
    return any(found and all(_measured(q) and not same_unit(q.unit, one.unit) for q in found) for one, found in same)


def _in_digits(text: str) -> list[Quantity]:
    return [quantity for quantity in quantities(folded(text)) if not quantity.named]


def _measured(quantity: Quantity) -> bool:
    return bool(quantity.unit) and quantity.unit != COUNT


def _sequence(text: str) -> list[str]:
    plain = _WORD.sub(lambda match: _NAMED[match[0].lower().removesuffix("fold")], folded(text))
    return [found.replace(",", "") for found in _ANY_NUMBER.findall(plain)]


def _holds(values: Sequence[str], stated: str) -> bool:
    """Whether a number is among others, exactly or rounded: 12 for 11.8."""
    decimals = len(stated.partition(".")[2])
    return any(value == stated or _rounded(value, decimals) == stated for value in values)


def _rounded(value: str, decimals: int) -> str | None:
    try:
        return f"{float(value):.{decimals}f}"
    except ValueError:
        return None  # 1.2.3 is a section, not a number


RARE = 3.0
"""Minimum weight of a word whose replacement counts; commoner words are often just reworded."""

ALMOST = 0.8
"""Minimum repetition for a replaced word to count; below it, other words are just a different wording."""

_GROUPS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    axis: {name: cue("|".join(listed)) for name, listed in groups.items()} for axis, groups in _LISTS["groups"].items()
}


def order(pair: Pair) -> bool:
    """Whether the words before `than` in one text come after it in the other."""
    if (stated := _sides(pair.statement)) is None or (quoted := _sides(pair.quote)) is None:
        return False
    (left, right), (quoted_left, quoted_right) = stated, quoted
    crossed = min(len(left & quoted_right), len(right & quoted_left))
    return crossed > 0 and crossed > min(len(left & quoted_left), len(right & quoted_right))


def _sides(text: str) -> tuple[set[str], set[str]] | None:
    if (than := _THAN.search(text)) is None:
        return None
    left, right = set(words.terms(text[: than.start()])), set(words.terms(text[than.end() :]))
    return left - right, right - left


def population(pair: Pair) -> bool:
    """The statement names a group that the source does not, while the source names another: women, for a study of men.

    Repeated text is compared with the sentence, a paraphrase with the whole premise.
    """
    source = pair.quote if pair.repeats else pair.premise
    return any(_other_group(groups, pair.statement, source) for groups in _GROUPS.values())


def _other_group(groups: Mapping[str, re.Pattern[str]], statement: str, source: str) -> bool:
    missing = {name for name, group in groups.items() if group.search(statement) and not group.search(source)}
    return bool(missing) and any(group.search(source) for name, group in groups.items() if name not in missing)


def subject(pair: Pair) -> bool:
    """In repeated text, a distinctive word replaces another, or two have swapped places."""
    if pair.repetition < ALMOST:
        return False
    removed = Counter(term for change in pair.changes for term in _distinctive(change.before))
    added = Counter(term for change in pair.changes for term in _distinctive(change.after))
    return bool(added - removed and removed - added) or bool(added & removed)


def _distinctive(tokens: tuple[str, ...]) -> list[str]:
    """Stems of rarer words that no other kind of difference covers."""
    no_numbers = (t for t in tokens if not t[:1].isdigit() and t not in _NAMED)
    rest = [t for t in no_numbers if not any(kind.fullmatch(t) for kind in EVERY)]
    return [term for term in words.terms(" ".join(rest)) if words.weight(term) >= RARE]


RULES: Mapping[str, Callable[[Pair], bool]] = {
    "number": number,
    "unit": unit,
    "negation": negation,
    "direction": direction,
    "comparison order": order,
    "population": population,
    "subject": subject,
    "certainty": certainty,
    "cause": cause,
}
"""Every kind of difference by name, in the order in which they are reported."""


def differences(statement: str, quote: str, premise: str | None = None) -> tuple[str, ...]:
    """The kinds of difference between a statement and the sentence nearest to it, in the order of `RULES`.

    `premise` is the text that the quote is from, which may contain what the quote lacks; the quote by default.
    """
    pair = Pair(statement, quote, quote if premise is None else premise)
    return tuple(name for name, differs in RULES.items() if differs(pair))
