"""How a follow-up question reads by itself: what it points at is put in its place.

Three forms are read. A word that points back ("it", "they", "this drug") is replaced by what the former question is
about. A mere condition ("and in children?") is added to the former question. Another name ("what about warfarin?")
takes the place of its subject. Anything else stays as it was typed. How a question was read is shown with its answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medground.errors import UsageError
from medground.follow.subject import Thing, things
from medground.follow.words import AUXILIARIES, PREPOSITIONS

_DRUG = r"drug|medicine|medication|treatment|therapy|agent|compound|supplement|vaccine|intervention|procedure|test"
_ILLNESS = r"disease|disorder|syndrome|condition|illness|infection|cancer|tumou?r|injury"
_NOUN = rf"(?P<noun>(?:{_DRUG}|{_ILLNESS}|gene|protein|enzyme|hormone|phenotype|sign|symptom|method|technique)s?)"
_POINTING = re.compile(
    rf"\b(?:(?:this|that|these|those|such(?: an?)?|the same) {_NOUN}|(?P<word>its|it|they|them|their))\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(?:(?:is|was|does|did|can|could|will|would|should|has|why is|why does|how is|how does) )(?P<word>this|that)"
    r"(?= (?:also|still|really|always|not|safe|true|common|dangerous|effective|work|help|happen|apply|cause|hold|be|go|"
    r"mean|matter|in|for|with|because|due|a|the|an|possible|normal|hereditary|contagious|treated|inherited)\b)",
    re.IGNORECASE,
)
_DUMMY = re.compile(
    r"\bit (?:(?:is|was|be|become|seem|appear)s? )?(?:\w+ )?(?:true|possible|likely|necessary|advisable|safe|better|"
    r"best|recommended|known|important|dangerous|ok|okay|right|useful|worth|that|take|to|the case)\b.*?"
    r"\b(?:to|that|if|for)\b|"
    r"\b(?:does|did|will|would|can) it take\b(?! place)|\bit (?:means?|matters?) (?:that|if|whether)\b",
    re.IGNORECASE,
)
"""An "it" that stands for nothing: "is it safe to", "how long does it take"."""
_LEAD = re.compile(
    r"^(?:and|or|but|so|then|also|what about|how about|and what about|and how about)\b[\s,]*", re.IGNORECASE
)
_NAMING = re.compile(r"\b(?:what|how) about\b", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:when|if|because|although|while|since|that|which|who|whether|and|or|but)\b", re.IGNORECASE)
_OF_A_DISEASE = re.compile(
    r"\b(?:inherited|hereditary|inheritance|onset|begin|begins|start|diagnosed|diagnosis|treated|treatments?|cured?|"
    r"symptoms?|prognosis|prevalence|incidence|genes?|mutations?|contagious|fatal|life expectancy)\b",
    re.IGNORECASE,
)
_EMPTY_WORDS = """
    a an the is are was were do does did can could will would should has have how what when where why who which also
    still and or but so then long often much many common safe well
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
"""Words that nothing later in a question points at."""
_ASKED_FOR = re.compile(r"^(?:what|which|who|how) (?:is|are|was|were) $", re.IGNORECASE)
_LONGEST_CONDITION = 12
_OTHER_NUMBER = {"does": "do", "is": "are", "was": "were", "has": "have"}
_OTHER_NUMBER |= {other: verb for verb, other in _OTHER_NUMBER.items()}
_NUMBER = re.compile(rf"^(?:{'|'.join(_OTHER_NUMBER)})\b", re.IGNORECASE)
"""The verb that begins a closed question, if its form tells one from several."""


@dataclass(frozen=True)
class Reading:
    """A follow-up question as it reads by itself; `word` and `stands_for` are empty where nothing was replaced."""

    text: str
    word: str = ""
    stands_for: str = ""


def read_follow_up(asked: str, former: str) -> Reading:
    """Read a follow-up question.

    Args:
        asked: the follow-up, in one line.
        former: the question before it.

    Raises:
        UsageError: a word points back at something that the form of the former question does not tell.
    """
    return _condition(asked, former) or _other_name(asked, former) or _pointing(asked, former) or Reading(asked)


def _condition(asked: str, former: str) -> Reading | None:
    """`And in children?`: the former question under that condition."""
    rest = _LEAD.sub("", asked).rstrip(" ?.!")
    words = rest.lower().split()
    is_condition = words and words[0] in PREPOSITIONS - {"of", "to", "that", "about"}
    if not is_condition or len(words) < 2 or len(words) > _LONGEST_CONDITION or AUXILIARIES & set(words):
        return None
    pointed = _pointing(rest, former)
    condition = pointed.text if pointed else rest
    before = former.rstrip(" ?.!")
    same = re.search(rf"\s{re.escape(words[0])}\s(?:\S+\s?){{1,4}}$", before, re.IGNORECASE)
    kept = before[: same.start()] if same and words[0] in ("in", "for", "among", "during", "after") else before
    return Reading(f"{kept} {condition[0].lower()}{condition[1:]}?")


def _other_name(asked: str, former: str) -> Reading | None:
    """`What about warfarin?`: the former question about that."""
    if not _NAMING.search(asked):
        return None
    name = _LEAD.sub("", _NAMING.sub("", asked, count=1).strip()).strip(" ?.!,")
    found = things(former)
    if not name or len(name.split()) > 6 or AUXILIARIES & set(name.lower().split()) or _POINTING.search(name):
        return None
    if not found or found[0].text not in former:
        raise UsageError(f"cannot tell in which question {name[:60]!r} is meant; write the whole question")
    text = former.replace(found[0].text, name, 1)
    if Thing(name).is_plural != found[0].is_plural:
        text = _NUMBER.sub(lambda verb: _OTHER_NUMBER[verb[0].lower()].capitalize(), text)
    return Reading(text)


def _pointing(asked: str, former: str) -> Reading | None:
    """A word that points back, replaced; the same word is replaced each time."""
    found = _BARE.search(asked) or next(
        (m for m in _POINTING.finditer(asked) if not _is_dummy(asked, m) and not _points_inside(asked, m)), None
    )
    if found is None:
        return None
    group = "word" if found["word"] else 0
    word = found[group]
    named = things(former)
    thing = _meant(word, found.groupdict().get("noun") or "", named, asked) if named else None
    if thing is None:
        raise UsageError(f"cannot tell what {word!r} stands for after “{former[:80]}”; write the name in its place")
    text = asked[: found.start(group)] + _put(asked, found.start(group), found.end(group), thing.text)
    return Reading(text, word=word, stands_for=thing.text)


def _put(asked: str, start: int, end: int, name: str) -> str:
    """The question from the word on, with the name in its place, also where the same word comes again."""
    word, rest = asked[start:end], asked[end:]
    first = name if start else name[0].upper() + name[1:]
    if word.lower() in ("its", "their"):
        owned = re.fullmatch(r"(\s[\w\s-]{1,60}?)([?.!\s]*)", rest)
        if (
            owned
            and _ASKED_FOR.match(asked[:start])
            and not set(owned[1].lower().split()) & (PREPOSITIONS | AUXILIARIES)
        ):
            return f"the{owned[1].rstrip()} of {name}{owned[2]}"
        return f"{first}{'’' if name.endswith('s') else '’s'}{rest}"
    return first + re.sub(rf"\b{re.escape(word)}\b", lambda _: name, rest, flags=re.IGNORECASE)


def _meant(word: str, noun: str, found: Sequence[Thing], asked: str) -> Thing | None:
    """Which thing of the former question a word points at; None where there is none."""
    objects = [thing for thing in found if not thing.is_people]
    diseases = sorted((thing for thing in objects if thing.is_disease), key=lambda thing: len(thing.text.split()))
    others = [thing for thing in objects if thing not in diseases]
    if noun and re.fullmatch(rf"(?:{_ILLNESS})s?", noun, re.IGNORECASE):
        chosen = [*diseases, *objects]
    elif noun:
        chosen = [*others, *objects]
    elif word.lower() in ("they", "them", "their"):
        people = [thing for thing in found if thing.is_people]
        several = [thing for thing in found if thing.is_plural]
        chosen = [*(found[:1] if found[0] in several else []), *people, *several, *found]
    elif _OF_A_DISEASE.search(asked) and diseases and not objects[0].is_disease:
        chosen = diseases
    else:
        chosen = objects
    return next(iter(chosen), None)


def _is_dummy(asked: str, found: re.Match[str]) -> bool:
    return found[0].lower() == "it" and any(
        dummy.start() <= found.start() < dummy.end() for dummy in _DUMMY.finditer(asked)
    )


def _points_inside(asked: str, found: re.Match[str]) -> bool:
    """Whether the word points at something earlier in the same question: "does aspirin help when it is taken late"."""
    before = asked[: found.start()]
    clause = next(iter(_CLAUSE.finditer(before)), None)
    if clause is None or clause.start() == 0:
        return False
    return any(word.strip(",.?").lower() not in _EMPTY for word in before[: clause.start()].split())
