"""The kinds of difference, each with its rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from medground.language import words
from medground.language.quantities import COUNT, Quantity, quantities, same_unit
from medground.models.operators.flags.words import (
    ASSOCIATION,
    CAUSE,
    DOUBT,
    DOWN,
    EVERY,
    HEDGE,
    NEGATION,
    SURE,
    UP,
    Pair,
    cue,
    folded,
)


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


_FINDING = (
    r"(?:effect|associat|differ|correlat|impact|improv|relationship|influence|change|evidence|increas|reduc|benefit|"
    r"role|link|advantage|interaction)\w*"
)
_DENIED = cue(
    r"(?:did|does|do|was|were|is|are|has|have|had|can|could|may|might|will|would|should)(?: \w+)? not"
    rf"(?! (?:only|just|restricted|limited))|cannot|never|neither|fail(?:s|ed)? to|no (?:[\w-]+ ){{0,3}}{_FINDING}|"
    r"(?:has|have|had|shows?|showed) no|little (?:effect|impact|evidence)|unable to|unlikely|ineffective|unchanged|"
    r"unaffected|'t(?<=n't)|’t(?<=n’t)"
)
"""Denials of what a clause says; `without a ligand` and `mice lacking it` only describe something."""


def negation(pair: Pair) -> bool:
    """Repeated text gained or lost a negation; of a paraphrase and its nearest clause, only one is negated."""
    if pair.repeats:
        before, after = pair.changed(NEGATION)
        return before != after
    denied = bool(_DENIED.search(folded(pair.statement)))
    if not _DENIED.search(folded(pair.quote)):
        return denied
    return denied != bool(_DENIED.search(folded(pair.clause)))


def direction(pair: Pair) -> bool:
    """Repeated text reverses a direction in one of its changes; a paraphrase states only the opposite direction."""
    if pair.repeats:
        return any(_opposed(" ".join(change.before), " ".join(change.after)) for change in pair.changes)
    return _opposed(pair.statement, pair.quote)


def _opposed(one: str, other: str) -> bool:
    up, down = bool(UP.search(one)), bool(DOWN.search(one))
    return up != down and bool(UP.search(other)) == down and bool(DOWN.search(other)) == up


_ANY_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NAMED = {name: str(value) for value, name in enumerate(_NAMES, start=2)}
_WORD = cue("|".join(f"{name}(?:fold)?" for name in _NAMED))


def number(pair: Pair) -> bool:
    """Repeated text has other numbers, or a different order; a paraphrase has a number that the premise lacks."""
    if pair.repeats:
        return not _in_order(_sequence(pair.statement), _sequence(pair.quote))
    stated = _in_digits(pair.statement)
    held = _sequence(pair.premise) if stated else []
    return any(not any(_holds(held, str(value)) for value in quantity.values) for quantity in stated)


def unit(pair: Pair) -> bool:
    """A number of the statement appears in the sentence only with other units."""
    stated = [quantity for quantity in _in_digits(pair.statement) if _measured(quantity)]
    known = quantities(pair.quote) if stated else ()
    return any(_only_otherwise(one, [q for q in known if q.values & one.values]) for one in stated)


def _in_digits(text: str) -> list[Quantity]:
    return [quantity for quantity in quantities(folded(text)) if not quantity.named]


def _measured(quantity: Quantity) -> bool:
    return bool(quantity.unit) and quantity.unit != COUNT


def _only_otherwise(stated: Quantity, same: Sequence[Quantity]) -> bool:
    """Whether the same numbers all have a unit, and none that of the statement."""
    return bool(same) and all(_measured(q) and not same_unit(q.unit, stated.unit) for q in same)


def _sequence(text: str) -> list[str]:
    """Every number of a text in order, including small ones in words, without thousands separators."""
    plain = _WORD.sub(lambda match: _NAMED[match[0].lower().removesuffix("fold")], folded(text))
    return [found.replace(",", "") for found in _ANY_NUMBER.findall(plain)]


def _in_order(some: Sequence[str], others: Sequence[str]) -> bool:
    rest = iter(others)
    return all(value in rest for value in some)


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

_THAN = cue(r"than|versus|vs|as compared (?:with|to)|compared (?:with|to)|relative to")
_GROUPS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    axis: {name: cue(pattern) for name, pattern in groups.items()}
    for axis, groups in {
        "species": {
            "humans": r"humans|patients?|men|women|people|persons?|participants?|volunteers?|children|adults|infants?",
            "animals": r"mice|mouse|murine|rats?|rabbits?|pigs?|porcine|dogs?|canine|monkeys?|macaques?|zebrafish|"
            r"drosophila|yeast|in vitro|cell lines?|cultured cells",
        },
        "age": {
            "adults": r"adults?|elderly|older (?:adults|people|patients|men|women)",
            "children": r"child(?:ren)?|infants?|neonat\w+|newborns?|toddlers?|adolescents?|p(?:a)?ediatric",
        },
        "sex": {"men": r"men|males?|boys?", "women": r"wom[ae]n|females?|girls?|mothers?"},
    }.items()
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
    """The kinds of difference between a statement and a quote, in the order of `RULES`; empty for equal texts.

    Args:
        statement: the statement to check.
        quote: the sentence nearest to it.
        premise: the text that the quote is from, which may contain what the quote lacks; the quote by default.
    """
    pair = Pair(statement, quote, quote if premise is None else premise)
    return tuple(name for name, differs in RULES.items() if differs(pair))
