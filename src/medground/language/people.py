"""The people that a question or a claim is about: whom a text names, and whom it is about instead."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from medground.language import words
from medground.language.clean import without_accents
from medground.language.pattern import lazy_pattern
from medground.language.subject import PEOPLE, Subject

_GROUPS = ((1, "Infant"), (12, "Child"), (18, "Adolescent"), (64, "Adult"))
"""The highest age in years of each group of people, as MeSH defines them; older people are `Aged`."""
_AGE = lazy_pattern(
    r"\b(?:aged?(?: of)?[ -](?P<age>\d\d?)\b(?! ?(?:m|w|d))|over[ -](?:the )?(?P<over>\d\d)(?:s| years)\b)|"
    r"\b(?P<old>\d\d?)[ -](?:years?|yrs?)[ -]olds?\b",
    re.IGNORECASE,
)
_PARTS = lazy_pattern(r"[.;\n]")
_LEFT_OUT = lazy_pattern(r"\bexcluded\b|\bno[tr]?\b.*\b(?:eligible|enrolled|included|recruited)\b", re.IGNORECASE)


def people_among(question: str, things: Sequence[Subject]) -> dict[str, list[str]]:
    """The people that a question is about, with all their names and those of the groups within them."""
    from medground.pubmed.mesh import vocabulary

    mesh, found = vocabulary(), dict[str, list[str]]()
    said = {thing.said: thing.heading for thing in things if thing.heading and not thing.decides}
    named = {stem for thing in things for stem in words.terms(thing.said)}
    rest = {words.stem(word): word for word in words.tokens(question) if words.stem(word) not in named}
    said |= {rest[stem]: name for name in PEOPLE for stem in words.terms(PEOPLE[name]) if stem in rest}
    said |= {age: name for age, name in _ages(question) if name != "Adult" and not (name == "Aged" and "old" in age)}
    for one, name in said.items():
        heading = mesh.find(name)
        if heading and (heading.name in PEOPLE or any(tree.startswith("M01") for tree in heading.trees)):
            names = (name for one in mesh.explode(heading) for name in (one.name, *one.entry_terms))
            found[one] = [one, *names, *PEOPLE.get(heading.name, "").split()]
    return found


def lost_people(people: Mapping[str, Collection[str]], texts: Sequence[str]) -> list[str]:
    """Whom none of the texts names: a finding in children is none in infants, and a trial that excluded infants says
    nothing of them.
    """
    parts = [part for text in texts for part in _PARTS.split(_with_groups(without_accents(text)))] if people else []
    read = [frozenset(words.terms(part)) for part in parts if not _LEFT_OUT.search(part)]

    def named(name: str) -> bool:
        return any(one.issuperset(words.terms(name)) for one in read)

    return [said for said, names in people.items() if not any(map(named, names))]


def _ages(text: str) -> list[tuple[str, str]]:
    """Each age that a text states of people, with the heading of MeSH for people of that age."""
    stated = ((found[0], int(found["age"] or found["over"] or found["old"])) for found in _AGE.finditer(text))
    return [(said, next((name for most, name in _GROUPS if age <= most), "Aged")) for said, age in stated]


def _with_groups(text: str) -> str:
    """A text with the group of people in place of each age: aged 6 to 11 years is a child, and not the aged."""
    for said, name in _ages(text):
        text = text.replace(said, f"{said.casefold().replace('aged', ' ')} {name}", 1)
    return text


def other_people(people: Mapping[str, Sequence[str]], texts: Sequence[str]) -> list[str]:
    """Which of the people, who are young, grown up or pregnant, none of the texts names, but others of another age."""
    groups, lost = _groups(), lost_people(people, texts) if people else []
    of = {said: {group for group in groups if not groups[group].isdisjoint(people[said])} for said in lost}
    named = {"young", "grown"}.difference(lost_people(groups, texts)) if lost else set[str]()
    return [said for said in lost if of[said] and named - of[said]]


@cache
def _groups() -> dict[str, frozenset[str]]:
    """All names of the young, of adults, and of pregnant people."""
    grouped = {
        "young": ("Infant", "Child", "Adolescent"),
        "grown": ("Adult",),
        "pregnant": ("Pregnancy", "Pregnant Women"),
    }
    found = {group: people_among("", [Subject(one, heading=one) for one in names]) for group, names in grouped.items()}
    return {group: frozenset(name for names in some.values() for name in names) for group, some in found.items()}
