"""Building a set without a model: sub-topics from titles, findings word for word, and options that differ in one place.

A right option is a sentence of a paper. A wrong one is such a sentence with one word or number exchanged, so that the
paper says something else. Which of the sentences are exchanged is drawn at random from sentences of the same form, in
couples of opposite direction: their words alone cannot tell right from wrong. It tests whether a finding is known or
was found; it does not reason.
"""

import random
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from medground.language import is_prose, reports_result, sentence_spans, words
from medground.models import HEDGE, NEGATION, cue

SwapKind = Literal["direction", "number", "order"]

_DATA = tomllib.loads((files(__package__) / "by_words.toml").read_text(encoding="utf-8"))
_FORMS: Mapping[str, tuple[SwapKind, str, str]] = {
    one["name"]: (one["kind"], one["up"], one["down"]) for one in _DATA["form"]
}
"""By form: what it is, then the words of one side and of the other."""
_WORDS = {
    (form, side): re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for form, (_, up, down) in _FORMS.items()
    for side, words in ((1, up), (-1, down))
}
NUMBER = re.compile(
    r"(?<![\w.,/±-])(?P<value>\d{1,3}(?:\.\d{1,2})?)(?P<gap>\s?-?)"
    r"(?P<unit>%|percent\b|(?:hour|day|week|month|year)s?\b|fold\b)"
)
"""A plain number with a unit that other papers use too."""
_DIGIT = re.compile(r"(?<![\w-])\d")
_ARTICLE = re.compile(r"\b([Aa])n? $")


@dataclass(frozen=True)
class Place:
    """What can be exchanged in a sentence.

    Attributes:
        written: the word or the number, as it is written.
        form: its grammatical form, or the unit of a number; both sides of an exchange have the same.
        side: 1 or -1 for opposite words, 0 for a number.
    """

    kind: SwapKind
    start: int
    end: int
    written: str
    form: str
    side: int = 0


def place_of(sentence: str, kinds: tuple[SwapKind, ...]) -> Place | None:
    """The one place of these kinds that can be exchanged; None if there is none, or several, or another number."""
    digits = len(_DIGIT.findall(sentence))
    for kind in kinds:
        found = list(_numbers(sentence) if kind == "number" else _words(sentence, kind))
        if len(found) == 1 and digits == (kind == "number"):
            return found[0]
    return None


def _numbers(sentence: str) -> list[Place]:
    places = ((m, "%" if m["unit"] == "percent" else m["unit"].rstrip("s")) for m in NUMBER.finditer(sentence))
    return [Place("number", m.start("value"), m.end("value"), m["value"], unit) for m, unit in places]


def _words(sentence: str, kind: SwapKind) -> list[Place]:
    return [
        Place(kind, match.start(), match.end(), match[0], form, side)
        for (form, side), pattern in _WORDS.items()
        if _FORMS[form][0] == kind
        for match in pattern.finditer(sentence)
    ]


def exchanged(sentence: str, place: Place, by: str) -> str:
    """The sentence with another word or number at the place, in the same case and with the article that it needs."""
    word = by[:1].upper() + by[1:] if place.written[:1].isupper() else by[:1].lower() + by[1:]
    before = sentence[: place.start]
    if (article := _ARTICLE.search(before)) is not None and place.kind != "number":
        before = f"{before[: article.start()]}{article[1]}{'n' if word[0].lower() in 'aeiou' else ''} "
    return before + word + sentence[place.end :]


def altered(sentence: str, other: str) -> bool:
    """Whether one sentence becomes the other by one exchange, and they say different things."""
    for kind in _SWAPS:
        one, two = place_of(sentence, (kind,)), place_of(other, (kind,))
        if one is None or two is None or one.form != two.form or not _opposed(one, two):
            continue
        if exchanged(sentence, one, two.written) == other:
            return True
    return False


_SWAPS: tuple[SwapKind, ...] = ("direction", "order", "number")


def _opposed(one: Place, two: Place) -> bool:
    return float(one.written) != float(two.written) if one.kind == "number" else one.side == -two.side


SHORTEST, LONGEST = 60, 260
"""Characters of a finding."""
_KINDS: Mapping[int, tuple[SwapKind, ...]] = {
    1: ("direction", "number"),
    2: ("direction", "number"),
    3: ("order", "number"),
}
_TIMES = frozenset({"hour", "day", "week", "month", "year"})
STEMS = {
    1: "Which of these results do published studies on {topic} report?",
    2: "Which of these pairs of results do published studies on {topic} report, both as stated?",
    3: "Which of these results on order or time do published studies on {topic} report?",
}
_BOUND = re.compile(_DATA["bound"].replace("\n", ""))
"""Words of a sentence that cannot stand alone, or says two things, of which one would show that the other changed."""
_LABEL = re.compile(
    r"^(?:[A-Z][A-Za-z /&]{3,40}:|[A-Z]{4,}\b|(?:Conclusions?|Results?|Findings|Background|Objectives?|Methods?)\b)\s"
)
_OF_PAPERS = frozenset(_DATA["of_papers"].split())
"""Words of titles that say what kind of paper it is, not what it is about."""
_ASIDE = re.compile(r"[\[\]]|\([^()]*[^\w\s()-][^()]*\)")
"""An aside that says more than an abbreviation."""
_PHRASE_WORDS = (2, 3)
ABSOLUTE, HEDGED = cue(_DATA["absolute"]), cue(_DATA["hedged"])
"""Words that test takers know as a mark of wrong options, and as a mark of right ones."""
Option = tuple[str, bool, tuple[str, ...]]
"""An option: its text, whether it is right, and the ids of the findings that show it."""


def subtopics(topic: str, titles: Sequence[str], most: int, keywords: int) -> list[tuple[str, tuple[str, ...]]]:
    """Sub-topics as phrases that several titles on the topic share, the commonest first; then the topic itself.

    A title is on the topic if it has one of its words. Where none is, as for a whole field, all of them count.
    """
    known = frozenset(words.terms(topic))
    own = [title for title in dict.fromkeys(titles) if not known.isdisjoint(words.terms(title))]
    found: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for title in own or dict.fromkeys(titles):
        for phrase in dict.fromkeys(_phrases(title)):
            if not (stems := frozenset(words.terms(phrase))) & known:
                found[stems][phrase] += 1
    shared = [(stems, counted) for stems, counted in found.items() if counted.total() > 1]
    shared.sort(key=lambda one: (-one[1].total() * sum(map(words.weight, one[0])), sorted(one[0])))
    chosen: list[tuple[str, tuple[str, ...]]] = []
    used: set[str] = set()
    for stems, counted in shared:
        if used.isdisjoint(stems):
            phrase = min(counted, key=lambda one: (-counted[one], one))
            chosen.append(
                (f"{topic} and {phrase}" if own else phrase, (topic, phrase)[:keywords] if own else (phrase,))
            )
            used |= stems
    return [*chosen[: most - 1], (topic, (topic,))] if own else chosen[:most] or [(topic, (topic,))]


def _phrases(title: str) -> Iterator[str]:
    """Runs of two or three content words of a title, as written there, in lower case but for names."""
    for part in re.split(r"[^\w\s-]+", title):
        run = [word if any(c.isupper() for c in word[1:]) else word.lower() for word in part.split()]
        for size in _PHRASE_WORDS:
            for n in range(len(run) - size + 1):
                some = run[n : n + size]
                if all(len(w) > 2 and w.lower() not in words.FUNCTION_WORDS and not w.isdigit() for w in some) and not (
                    set(some) & (words.QUESTION_WORDS | _OF_PAPERS)
                ):
                    yield " ".join(some)


def stands_alone(sentence: str) -> bool:
    """Whether a sentence reports one result, for certain, and can be read without those around it."""
    return (
        SHORTEST <= len(sentence) <= LONGEST
        and sentence[0].isupper()
        and sentence.endswith(".")
        and is_prose(sentence)
        and reports_result(sentence)
        and not any(no.search(sentence) for no in (_BOUND, _LABEL, _ASIDE, HEDGE, NEGATION, ABSOLUTE, HEDGED))
    )


def kind_of(sentence: str, level: int) -> Place | None:
    """The place of a sentence that can be exchanged for a question of a level; None if there is none."""
    place = place_of(sentence, _KINDS[level])
    if place is None or (level == 3 and place.kind == "number" and place.form not in _TIMES):
        return None
    return place


def parts_of(option: str) -> list[str]:
    """The sentences of an option."""
    return [option[start:end] for start, end in sentence_spans(option)]


def plain(text: str) -> str:
    """A sentence for comparison: single spaces, no closing period."""
    return " ".join(text.split()).rstrip(".")


def options(texts: Mapping[str, str], level: int, right: int, wrong: int, seed: int) -> list[Option]:
    """Right and wrong options from findings by id; none if too few have the same form.

    An even number of options comes in couples of opposite direction, one original each, and which of them are right is
    drawn afterwards. A changed number comes from a finding that is not in the question.
    """
    drawn = random.Random(seed)
    places = {i: place for i, text in texts.items() if (place := kind_of(text, level)) is not None}
    makers = [_by_direction, _by_number]
    drawn.shuffle(makers)
    for maker in makers:
        chosen = maker(places, right + wrong, drawn)
        if not chosen:
            continue
        companions = [i for i in texts if i not in chosen]
        drawn.shuffle(companions)
        if level == 2 and len(companions) < len(chosen):
            continue
        made = _options(texts, places, chosen, right, drawn)
        return _paired(made, texts, companions, drawn) if level == 2 else made
    return []


def _by_direction(places: Mapping[str, Place], count: int, drawn: random.Random) -> dict[str, str]:
    """Couples of findings with opposite words of one form, and for each the word of the other."""
    by_side: dict[tuple[str, int], list[str]] = defaultdict(list)
    for i, place in places.items():
        by_side[place.form, place.side].append(i)
    couples: list[tuple[str, str]] = []
    for form in sorted({form for form, side in by_side if side}):
        one, two = by_side[form, 1][:], by_side[form, -1][:]
        drawn.shuffle(one)
        drawn.shuffle(two)
        couples += zip(one, two, strict=False)
    if count % 2 or len(couples) < count // 2:
        return {}
    taken = drawn.sample(couples, count // 2)
    return {i: places[j].written for one, two in taken for i, j in ((one, two), (two, one))}


def _by_number(places: Mapping[str, Place], count: int, drawn: random.Random) -> dict[str, str]:
    """Findings whose numbers have one unit, and for each the number of another finding that is not among them."""
    by_form: dict[str, list[str]] = defaultdict(list)
    for i, place in places.items():
        if place.kind == "number":
            by_form[place.form].append(i)
    enough = sorted(form for form, ids in by_form.items() if len(ids) > count)
    if not enough:
        return {}
    ids = by_form[drawn.choice(enough)][:]
    drawn.shuffle(ids)
    chosen, spare = ids[:count], ids[count:]
    taken = {float(places[i].written) for i in chosen}
    numbers = [places[i].written for i in spare if float(places[i].written) not in taken]
    return {i: drawn.choice(numbers) for i in chosen} if numbers else {}


def _options(
    texts: Mapping[str, str], places: Mapping[str, Place], chosen: Mapping[str, str], right: int, drawn: random.Random
) -> list[Option]:
    kept = set(drawn.sample(sorted(chosen), right))
    made: list[Option] = [
        (texts[i] if i in kept else exchanged(texts[i], places[i], by), i in kept, (i,)) for i, by in chosen.items()
    ]
    drawn.shuffle(made)
    return made


def _paired(
    made: Sequence[Option], texts: Mapping[str, str], companions: Sequence[str], drawn: random.Random
) -> list[Option]:
    """Each option together with a finding that is right as it stands, in either order."""
    pairs: list[Option] = []
    for (text, right, ids), other in zip(made, companions, strict=False):
        both = [text, texts[other]]
        drawn.shuffle(both)
        pairs.append((" ".join(both), right, (*ids, other)))
    return pairs
