"""Names that a follow-up says in part: `type 2` after type 1, `the wet one`, `the other one`, `against B`."""

import re

from medground.language.conversation import Conversation, things_before, topics_of
from medground.language.noun_phrases import AUXILIARIES, PREPOSITIONS
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.pointing import stands_alone
from medground.language.types import typed

_ONE = verbose_pattern(
    rf"""
    \b(?:that|this)\ one\b|\bthe\ (?P<kind>(?:[\w-]+\ ){{1,2}}?)(?:one|sort)\b|\bthe\ (?P<alone>first|second|former|
    latter|other)(?=[?.!,\s]*$|[,;]|\ (?:{"|".join(sorted(AUXILIARIES | PREPOSITIONS))}|\w+able|\w+ed|too|also)\b)
    """
)
_FIRST = frozenset(("first", "1st", "former"))
_PLACES = _FIRST | {"second", "2nd", "last", "latter", "other"}
_VALUE = lazy_pattern(r"(?<=\s)(?P<value>[A-Za-z]|\d{1,2})(?=\W*$)")
"""A letter or number at the end of a question: `and against B?`."""
_OF_ANY = frozenset(("type", "stage", "grade"))
"""What any disease may have, though its number was not named before."""
_KIND = lazy_pattern(
    r"^(?:and|or|(?:and )?(?:what|how) about)\s+(?:the\s+)?(?P<kind>[\w-]+(?: [\w-]+)?)(?=\W*$)", re.IGNORECASE
)
"""What may be the first word of a name: `and Becker?`, after Duchenne muscular dystrophy."""


def completed(asked: str, before: Conversation) -> str:
    """A follow-up with whole names where it says only what tells one thing from another.

    >>> completed("And type 2?", Conversation("What is neurofibromatosis type 1?"))
    'And neurofibromatosis type 2?'
    >>> completed("how is the other one treated", Conversation("Is asthma worse than gout?", "gout"))
    'how is asthma treated'
    """
    for part in (_of_type, _of_letter, _of_kind, _of_one, _of_head):
        asked = part(asked, before)
    return asked


def _of_type(asked: str, before: Conversation) -> str:
    """`is type 1 different`, after spinal muscular atrophy type 3."""
    named = topics_of(asked)
    if any(topic.role == "disease" for topic in named):
        return asked
    for one in typed(asked):
        if any(one.said in topic.name for topic in named):
            continue
        for topic in before.topics:
            own = next((other for other in typed(topic.name) if other.word == one.word), None)
            if own is not None:
                return asked.replace(one.said, topic.name.replace(own.said, one.said), 1)
            if topic.role == "disease" and one.word in _OF_ANY and not topics_of(one.said):
                return asked.replace(one.said, f"{topic.name} {one.said}", 1)
    return asked


def _of_letter(asked: str, before: Conversation) -> str:
    """`is there a vaccine against B`, after hepatitis C."""
    found = _VALUE.search(asked)
    if found is None or any(one.said.endswith(found["value"]) for one in typed(asked)):
        return asked
    for topic in before.topics:
        own = next(iter(typed(topic.name)), None)
        if own and own.said.endswith(own.value.upper()) and own.value.isdigit() == found["value"].isdigit():
            name = f"{own.said[: -len(own.value)]}{found['value'].upper()}"
            return asked[: found.start()] + topic.name.replace(own.said, name) + asked[found.end() :]
    return asked


def _of_kind(asked: str, before: Conversation) -> str:
    """`and Becker?`, after Duchenne muscular dystrophy."""
    found = _KIND.match(asked)
    if found is None or topics_of(found["kind"]):
        return asked
    whole = next((name for topic in before.topics if (name := _kind_of(found["kind"], topic.name))), found["kind"])
    return asked[: found.start("kind")] + whole + asked[found.end() :]


def _kind_of(kind: str, name: str) -> str:
    """A name with another word at its beginning, if that or what it is a kind of is known; else empty.

    >>> _kind_of("allergic", "viral conjunctivitis")
    'allergic conjunctivitis'
    """
    from medground.pubmed.mesh import vocabulary

    words = name.split()
    tails = [" ".join(words[n:]) for n in range(len(words))]
    known = (f"{kind} {tail}" for tail in tails if vocabulary().find(f"{kind} {tail}"))
    alike = (f"{kind} {tail}" for tail in tails[1:-1] if vocabulary().find(tail) and " " not in kind)
    return next(known, next(alike, ""))


def _of_one(asked: str, before: Conversation) -> str:
    """`the wet one`, `that one`; of two things `the first`, `the other one`."""
    found = _ONE.search(asked)
    if found is None:
        return asked
    kind = (found["alone"] or found["kind"] or "").strip().lower()
    both, objects = before.pair, [_plain_name(thing.text) for thing in things_before(before) if not thing.is_people]
    if kind in _PLACES:
        name = both[kind not in _FIRST] if both else _other(before)
    elif kind:
        known = next((whole for thing in objects if (whole := _kind_of(kind, thing))), "")
        name = known or (f"{kind} {objects[0]}" if objects else "")
    else:
        name = next((topic.name for topic in (*topics_of(before.question), *before.topics)), "")
    return asked[: found.start()] + name + asked[found.end() :] if name else asked


def _plain_name(phrase: str) -> str:
    """What a phrase is a kind of: `parkinsonism` of `drug induced parkinsonism`."""
    return next((topic.name for topic in topics_of(phrase) if phrase.endswith(topic.name)), phrase)


def _of_head(asked: str, before: Conversation) -> str:
    """`the cough`, after whooping cough."""
    for topic in before.topics:
        head = topic.name.rpartition(" ")[2]
        found = re.search(rf"\b(?:the|this|that) {re.escape(head)}(?!\w)", asked, re.IGNORECASE)
        if found and head != topic.name and stands_alone(asked[found.end() :]):
            return asked[: found.start()] + topic.name + asked[found.end() :]
    return asked


def _other(before: Conversation) -> str:
    """Of the things before, the one of the kind of the last that was not asked about last."""
    last = next(iter(before.topics), None)
    return next((topic.name for topic in before.topics if last and topic.role == last.role and topic != last), "")
