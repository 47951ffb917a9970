"""Which side of a comparison is which, and whether a text compares the same sides in the same way."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from medground.language import words
from medground.language.clauses import blanked, segment
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.plain_words import is_plain
from medground.language.quantities import quantities
from medground.language.slots import EMPTY, labels
from medground.models.operators.differences import DENIED, NEGATION

Roles = Literal["same", "exchanged", "opposite"]

_NON_INFERIOR = lazy_pattern(r"\bnot inferior\b|\bnon-?\s?inferior(?:ity)?\b", re.IGNORECASE)
_JOINT = verbose_pattern(
    r"""
    (?P<but_not>,?\s*\b(?:but\ not|unlike|(?:as\ )?opposed\ to|rather\ than|instead\ of|(?:and|,)\ not)\b)|
    (?P<alike>\b(?:similar|comparable|equal|equivalent|identical)\ to\b|\bas\ (?!well\b)\w+\ as\b)|
    (?P<passive>\b(?:outperform|surpass|exceed)ed\ by\b)|\b(?:outperform|surpass|exceed)(?:s|ed)?\b|
    (?<!or\ more\ )(?<!or\ less\ )\bthan\b(?!\s*\d[\d.,]*(?!\s*:|\d))|\b(?:versus|vs)\b\.?|\b(?:(?:as|
    when)\ )?compared\ (?:with|to|against)\b|\bin\ (?:comparison|contrast)\ (?:with|to)\b|\brelative\ to\b|
    (?<=superior\ )to\b|(?<=inferior\ )to\b|(?<=preferable\ )to\b|(?<=\s)over(?=\s)(?!\s+(?:the|an?|this|that|
    time|\d))
    """
)
_NEXT = lazy_pattern(r"[,;]|\band\b|\bbut\b", re.IGNORECASE)
_LEAD = verbose_pattern(
    r"""
    \s*(?:(?:that|those)\s+)?(?P<preposition>by|with|in|for|after|following|at|among|on|during|under|from|
    of)\s+|\s*(?:those|that)\s+
    """
)
_PREPOSITION = lazy_pattern(r"\b(?:with|in|for|after|following|at|among|on|during|under|from)\b", re.IGNORECASE)
_PLACE = lazy_pattern(r"\b(?:on|in|for|after|following|at|among|during|under|by)\b", re.IGNORECASE)
_AFTER = lazy_pattern(r"[,;]\s*(?:and|but|with|although|though|which)\b|\band (?:was|were|had)\b", re.IGNORECASE)
_STATE = lazy_pattern(r"\b(?:is|are|was|were|be|been|being|became|remained|seemed|appeared)\b", re.IGNORECASE)
_VERB = verbose_pattern(
    r"""
    \b(?:had|have|has|was|were|is|are|did|does|do|might|may|will|can|could|would|should|showed|shows?|occurred|
    achieved|resulted|resulting|led|leads?|gave|gives?|produced?s?|reported|experienced|developed|reached|
    yielded|offer(?:s|ed)?|provid(?:es?|ed)|ha[ds]\ been)\b
    """
)
_CHANGE = lazy_pattern(
    r"(?<=\w )(?<!\bin )(?<!\bof )(?<!\bwith )(?<!\bfrom )(?<!\bthe )\b\w{3,}(?:ed|es)\b", re.IGNORECASE
)
_END = verbose_pattern(
    r"""
    [,;](?!\d)|:(?!\d)|\.\s*$|\b(?:and\ (?:was|were|had)|whereas|while|but|because|although)\b
    """
)
_JOINS = verbose_pattern(
    r"""
    ^(?!.*\b(?:groups|arms|ratios|doses|levels|patients|cohorts)\b).*\b(?:and|or|plus|both|combin\w+|either|
    add(?:ed|ing)|alone)\b|^.*[+/&]
    """
)
_BETWEEN = lazy_pattern(r"\bdiffer\w*\b", re.IGNORECASE)
_COMPARED = verbose_pattern(
    r"""
    \b(?:[aA]?OR|[aA]?HR|[aA]?RR|IRR)\b|\b(?i:(?:odds|hazards?|risk|rate)\ ratio|relative\ risk|favou?r(?:s|ed|
    ing)?|prefer\w*|twice|half\ as|[\w.]+[ -]?(?:fold|times)|only\ (?:in|with|after|for|among|on|at)|
    exceed\w*)\b
    """,
    0,
)
WHEREAS = lazy_pattern(r"\b(?:whereas|while|in contrast|conversely|by comparison|on the other hand)\b", re.IGNORECASE)
_ALIKE = verbose_pattern(
    r"""
    \b(?:similar\w*|comparabl[ey]|equal(?:ly)?|equivalent|identical|unchanged|the\ same|non-?significant\w*|
    (?:not|no)\ (?:\w+\ )?(?:statistically\ )?(?:significant\w*|differ\w*)|neither|nor)\b
    """
)
_COMPARATIVE = verbose_pattern(
    r"""
    \b(?:more|less|fewer|better|worse|superior|noninferior|inferior|best|
    worst)\b(?!\ than\ \d)(?<!or\ more)(?<!or\ less)|\b(?!older|younger|number)(?P<stem>[a-z]{3,})(?:er|
    est)\b(?!\ than\ \d)
    """
)
_P_VALUE = lazy_pattern(r"\bp\s?(?:-?\s?values?)?\s?[=>≥]\s?0?[.·]\s?(\d+)", re.IGNORECASE)
_SCALES = {
    "more": verbose_pattern(
        r"""
        \b(?:higher|highest|greater|greatest|larger|largest|more|increas\w*|elevated|rais(?:ed|es?)|rose|
        rise[sn]?|risk\ factors?|associated\ with\ (?:\w+\ ){0,2}risks?)\b
        """
    ),
    "less": verbose_pattern(
        r"""
        \b(?:lower(?:s|ed|ing)?|lowest|less(?:er)?|fewer|fewest|rarer|rarest|smaller|smallest|reduc\w*|decreas\w*|declin\w*|fell|falls?)\b
        """
    ),
    "better": lazy_pattern(r"\b(?:better|best|superior|improv\w*|(?:outperform|surpass)\w*)\b", re.IGNORECASE),
    "worse": lazy_pattern(r"\b(?:worse\w*|worst|(?<!non)inferior|deteriorat\w*)\b", re.IGNORECASE),
    "longer": lazy_pattern(r"\b(?:longer|longest|prolong\w*|later|delay\w*|postpon\w*|lengthen\w*)\b", re.IGNORECASE),
    "shorter": lazy_pattern(r"\b(?:shorter|shortest|shorten\w*|earlier|sooner|hasten\w*)\b", re.IGNORECASE),
    "faster": lazy_pattern(r"\b(?:faster|fastest|quicker|quickest|rapid\w*|accelerat\w*)\b", re.IGNORECASE),
    "slower": lazy_pattern(r"\b(?:slower|slowest|slowed)\b", re.IGNORECASE),
    "stronger": lazy_pattern(r"\b(?:stronger|strongest)\b", re.IGNORECASE),
    "weaker": lazy_pattern(r"\b(?:weaker|weakest)\b", re.IGNORECASE),
}
_NAMES = list(_SCALES)
OPPOSITE = {name: _NAMES[place ^ 1] for place, name in enumerate(_NAMES)}
"""The names of the directions stand in pairs."""
_WORD = re.compile(r"[^\W\d_]+")
_DEGREE = re.compile(r"\bimprov\w*\s(?:less|more)\b|\b(?:less|more|greater)\simprov\w*", re.IGNORECASE)
_NON = re.compile(r"\bnon-", re.IGNORECASE)
_HIGHEST_P = 0.05
_LEAST_SHARED = 0.75
"""Minimum share of what is compared, by weight, that the text must have."""
_WAYS = {"shorter": "less", "fewer": "less", "slower": "less", "weaker": "less", "faster": "less"}
_WAYS |= {"longer": "more", "stronger": "more"}
_PAIRS = (frozenset(["more", "less"]), frozenset(["better", "worse"]))
_OUTSIDE = frozenset(["outsid", "not", "without"])
"""Stems that make a side another one: children outside the trial are not those in it."""
_SIDE, _ABOUT = 0.4, 0.5
"""The looser reading: least share of what tells a side from the other, by weight, that names it in a text, and of all
that is compared."""


@dataclass(frozen=True)
class Contrast:
    """A comparison in one clause. Sides are sets of stems; a side that cannot be read is empty.

    Attributes:
        kind: `than` for degrees, `not` for "in A but not in B", `alone` if only one side is named, `alike` for "no
            difference between A and B".
        arm: the side that the direction is about.
        other: the side that it is compared with.
        scale: the directions, such as `more` for "higher".
        about: stems of the rest of the clause.
        denied: whether the clause says that it is not so.
        joined: whether a side names several things, which may be a combination.
        numbers: the numbers of a ratio, which is a comparison without a direction word.
    """

    kind: Literal["than", "not", "alone", "alike"]
    arm: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()
    scale: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    denied: bool = False
    joined: bool = False
    numbers: frozenset[str] = frozenset()

    def roles_in(self, quoted: "Contrast") -> Roles | None:
        """How the sides of this statement stand in a quoted comparison; None where the rules cannot tell."""
        arm, other = self.arm - self.other, self.other - self.arm
        if quoted.kind == "alike" and not quoted.arm:
            named = (self.arm | self.other) <= quoted.about and _covered(self.about, quoted.about)
            return None if not (named and other and quoted.denied) else "same" if self.denied else "opposite"
        about = self.about - quoted.arm - quoted.other
        if self.kind in ("than", "not") and (not other or _is_number(arm) != _is_number(other)):
            return None  # what stands before a number of the size of a difference is no side
        if quoted.kind == "alone" and other and quoted.arm == other and self.scale == quoted.scale:
            return "exchanged" if _covered(self.about, quoted.about) else None
        is_other_kind = self.kind != quoted.kind and not {"alone", "alike"} & {self.kind, quoted.kind}
        if is_other_kind or not arm or self.joined != quoted.joined:
            return None
        if not _covered(about, quoted.about):
            return None
        straight = _stands(arm, quoted.arm, quoted.other) and (not other or _stands(other, quoted.other, quoted.arm))
        crossed = _stands(arm, quoted.other, quoted.arm) and (not other or _stands(other, quoted.arm, quoted.other))
        if "alike" in (self.kind, quoted.kind) and (straight or crossed):
            return "same" if self.denied and quoted.denied else "opposite"
        turned = {OPPOSITE[name] for name in self.scale if name in OPPOSITE} - self.scale
        agrees = self.scale <= quoted.scale and turned.isdisjoint(quoted.scale)
        if not self.scale:
            agrees = bool(self.numbers) and self.numbers <= quoted.numbers and not quoted.scale
        if straight and agrees:
            return "same" if self.denied == quoted.denied else "opposite"
        if self.denied or quoted.denied or not (straight or crossed):
            return None
        if crossed:
            return "exchanged" if agrees else "same" if turned and turned == quoted.scale else None
        return "opposite" if turned and turned == quoted.scale else None

    def loosely_in(self, quoted: "Contrast", stems: Set[str]) -> Roles | None:
        """The same by the words that tell the sides apart, where the stems of the whole text are known."""
        own, rest = self.arm - self.other, self.other - self.arm
        numbers = any(side and _is_number(side) for side in (own, rest))
        if numbers or not own or words.coverage(self.about | own | rest, stems) < _ABOUT:
            return None
        if self.denied and quoted.denied:
            return "same" if words.coverage(own | rest, stems) >= _ABOUT else None
        states = bool(self.scale) and not self.denied
        if quoted.kind == "alike":
            return "opposite" if quoted.denied and states and own <= stems else None
        found = _placed(own, rest, quoted)
        if found is None or self.denied or quoted.denied:
            return "opposite" if found and quoted.denied and states and found == "straight" else None
        ways = [{_WAYS.get(name, name) for name in one.scale} for one in (self, quoted)]
        if self.kind == quoted.kind == "not" and found == "straight" and not ways[1]:
            return "same"
        if any(len(way) != 1 for way in ways) or not any(ways[0] | ways[1] <= pair for pair in _PAIRS):
            return None
        if (ways[0] == ways[1]) == (found == "straight"):
            return "same"
        return "exchanged" if found == "crossed" else "opposite"


def _placed(own: frozenset[str], rest: frozenset[str], quoted: Contrast) -> Literal["straight", "crossed"] | None:
    """Whether what tells two sides apart stands in those of a text, or the other way round."""
    arm, other = quoted.arm - quoted.other, quoted.other - quoted.arm
    straight = max(words.coverage(own, arm), words.coverage(arm, own)) if arm else 0.0
    crossed = words.coverage(own, other), words.coverage(rest, arm)
    is_straight, is_crossed = straight >= _SIDE and not any(crossed), any(crossed) and not straight
    if is_straight == is_crossed:
        return None
    if own & _OUTSIDE != (arm if is_straight else other) & _OUTSIDE:
        return "crossed" if is_straight else "straight"
    half = is_crossed and (not crossed[0] or (rest and not crossed[1]))
    return None if half else "straight" if is_straight else "crossed"


def _covered(about: frozenset[str], quoted: frozenset[str]) -> bool:
    """Whether a text has most of what is compared; "recovery" and "recovered" are one."""
    begun = {stem for stem in about if any(other.startswith(stem) or stem.startswith(other) for other in quoted)}
    return not about or words.coverage(about, begun) >= _LEAST_SHARED


def _is_number(side: frozenset[str]) -> bool:
    return all(map(str.isdigit, side))


def _stands(side: frozenset[str], place: frozenset[str], opposite: frozenset[str]) -> bool:
    """Whether a side is named in one place of a comparison and not in the opposite one."""
    return bool(side) and _is_in(side, place) and not _is_in(side, opposite)


def _is_in(side: frozenset[str], place: frozenset[str]) -> bool:
    """Whether a place names a side; what it names by `non-` is another one."""
    return side <= place and ("not" in side) == ("not" in place)


@lru_cache(maxsize=4096)
def contrasts(text: str, *, each_clause: bool = False) -> tuple[Contrast, ...]:
    """The comparisons of a text, clause by clause.

    With `each_clause`, every clause with a direction counts: "A fell, whereas B rose" compares the one with the other.
    """
    clauses = (part for start, end in segment(text) for part in WHEREAS.split(text[start:end]))
    return tuple(one for clause in clauses for one in _of_clause(clause, each_clause))


def _of_clause(clause: str, each_clause: bool) -> Iterator[Contrast]:
    clause = _NON_INFERIOR.sub("noninferior", clause)
    plain = blanked(clause)
    joints = [*_JOINT.finditer(plain)]
    scale = scale_of(plain)
    if joints:
        found = [_two_sided(*parts) for parts in _by_joint(clause, plain, joints)]
        yield from [one for one in found if len(found) == 1 or not all(stem.isdigit() for stem in one.arm)]
    elif (_ALIKE.search(plain) or _BETWEEN.search(plain)) and not scale:
        yield Contrast("alike", about=_side(clause), denied=is_denied(clause))
    elif comparatives(plain) or _COMPARED.search(plain) or (each_clause and scale):
        arm = _arm(plain, "")
        numbers = _numbers(plain) if not scale else frozenset()
        about, denied = about_of(plain, arm), is_denied(clause)
        yield Contrast("alone", _side(arm), frozenset(), scale, about, denied, _joins(arm), numbers)


def _by_joint(
    clause: str, plain: str, joints: Sequence[re.Match[str]]
) -> Iterator[tuple[str, re.Match[str], str, bool]]:
    """The text before each joint, the joint, the text after it, and whether it is denied."""
    starts = [0, *(_next_clause(plain, one.end(), other.start()) for one, other in pairwise(joints))]
    for joint, start, end in zip(joints, starts, [*starts[1:], len(plain)], strict=True):
        after = _AFTER.search(plain, joint.end(), end)
        end = after.start() if after else end
        told = clause[start : joint.start() if joint["but_not"] else end]
        yield plain[start : joint.start()], joint, plain[joint.end() : end], is_denied(told)


def _next_clause(plain: str, start: int, end: int) -> int:
    """Where the clause of the next comparison begins, between two of them."""
    found = [*_NEXT.finditer(plain, start, end)]
    return found[-1].start() if found else end


def _two_sided(left: str, joint: re.Match[str], right: str, denied: bool) -> Contrast:
    whole = f"{left} {joint[0]} {right}"
    front, comma, rest = right.partition(",")
    if comma and not words.terms(left):  # compared with B, A was higher
        left, right = rest, front
    lead = _LEAD.match(right)
    other, tail = _noun_phrase(right[lead.end() if lead else 0 :])
    scale = scale_of(whole)
    is_aside = tail.lstrip().startswith(",") and not scale_of(left)  # A, compared with B, was higher
    arm = left if is_aside else _arm(left, (lead and lead["preposition"]) or "")
    if joint["passive"]:  # A was outperformed by B
        arm, other = other, arm
    return Contrast(
        "not" if joint["but_not"] else "alike" if joint["alike"] else "than",
        _side(arm),
        _side(other),
        scale,
        about_of(whole, arm, other),
        denied or joint["alike"] is not None,
        _joins(arm) or _joins(other),
        _numbers(whole) if not scale else frozenset(),
    )


def _arm(left: str, preposition: str) -> str:
    """The first side: what follows the preposition that both sides have, or "higher in"; or else the subject."""
    places = [*_PREPOSITION.finditer(left)]
    same = preposition and [*re.finditer(rf"\b{preposition}\b(?!\s+\d)", left, re.IGNORECASE)]
    if preposition and (before := same or places):
        return _noun_phrase(left[before[-1].end() :])[0]
    found = comparatives(left)
    is_state = bool(found) and _STATE.search(left[: found[-1].start()]) is not None
    after = [place.end() for place in places if (is_state and place.start() > found[-1].start()) or not found]
    if after and not _VERB.search(left, after[-1]):
        return _noun_phrase(left[after[-1] :])[0]
    return _subject(left)


def _subject(left: str) -> str:
    cuts = sorted(one.start() for form in (_VERB, _CHANGE) for one in form.finditer(left))
    cuts += [comparative.start() for comparative in comparatives(left)]
    return next((left[:cut] for cut in sorted(cuts) if _side(left[:cut])), left)


def _noun_phrase(text: str) -> tuple[str, str]:
    """The first noun phrase of a text that names something, and the rest."""
    cuts = sorted(one.start() for form in (_END, _PLACE, _VERB) for one in form.finditer(text))
    at = next((cut for cut in cuts if _side(text[:cut])), len(text))
    return text[:at], text[at:]


def _side(text: str) -> frozenset[str]:
    denied = ["not"] if NEGATION.search(text) or _NON.search(text) else []
    return frozenset((*(stem for stem in words.terms(text) if stem not in EMPTY), *labels(text), *denied))


def _joins(side: str) -> bool:
    return _JOINS.search(side) is not None


def about_of(clause: str, *sides: str) -> frozenset[str]:
    """The stems of what a clause compares: no numbers, directions, sides or words that every comparison has."""
    told = " ".join(word for word in _WORD.findall(_VERB.sub(" ", clause)) if not scale_of(word))
    return frozenset(words.terms(told)) - EMPTY - frozenset().union(*map(_side, sides))


def _numbers(clause: str) -> frozenset[str]:
    return frozenset(str(value) for quantity in quantities(clause) for value in quantity.values)


def comparatives(text: str) -> list[re.Match[str]]:
    """The words of a text that compare: "fewer", "more", and what has an ending in -er and another in -est."""
    return [word for word in _COMPARATIVE.finditer(text) if not word["stem"] or _is_graded(word["stem"])]


def _is_graded(stem: str) -> bool:
    """Whether "-er" and "-est" are degrees of a word: of "liver" they are not, which MeSH knows as a name."""
    from medground.pubmed.mesh import vocabulary  # it takes a tenth of a second, and few sentences need it

    more, most = f"{stem}er".lower(), f"{stem}est".lower()
    return is_plain(more) and is_plain(most) and vocabulary().find(more) is None


def scale_of(text: str) -> frozenset[str]:
    """The directions that a text has words for, such as `more` for "higher"."""
    text = _DEGREE.sub(lambda found: "worse" if "less" in found[0].lower() else "better", text)
    named = [name for name, form in _SCALES.items() if form.search(text)]
    rest = [
        comparative[0].lower()
        for comparative in comparatives(text)
        if not any(form.search(comparative[0]) for form in _SCALES.values())
    ]
    return frozenset((*named, *rest))


def is_denied(text: str) -> bool:
    """Whether a text says that there is no difference: in words, or by its p value."""
    values = (float(f"0.{found[1]}") for found in _P_VALUE.finditer(text))
    return bool(DENIED.search(text) or _ALIKE.search(text)) or any(p > _HIGHEST_P for p in values)


def compares(claim: str) -> bool:
    """Whether a claim compares two sides, or says that they are alike."""
    return any(contrast.arm or contrast.other for contrast in contrasts(claim))


def roles_in(statement: str, text: str, *, each_clause: bool = False, stems: Set[str] | None = None) -> Roles | None:
    """How the sides of a statement's comparisons stand in a sentence; None where the rules cannot tell.

    `each_clause`: see `contrasts`. `stems` are those of the text with what its abbreviations stand for; where they are
    known, sides are also read by the words that tell them apart.
    """
    claimed, quoted = (contrasts(one, each_clause=each_clause) for one in (statement, text))
    found = [_alike(one.roles_in(other) for other in quoted) for one in claimed]
    strict: Roles | None = next((roles for roles in found if roles != "same"), "same") if found else None
    several = any(one.kind == "alone" for one in claimed) and len(comparatives(blanked(statement))) > len(claimed)
    if strict or stems is None or several:  # of two comparisons in one clause, no word tells whose side is whose
        return strict
    return _alike(one.loosely_in(other, stems) for one in claimed if one.arm for other in quoted)


def _alike(found: Iterable[Roles | None]) -> Roles | None:
    """The roles that some comparisons show, if they show the same."""
    told: set[Roles] = {roles for roles in found if roles}
    return told.pop() if len(told) == 1 else None
