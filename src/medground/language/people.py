"""The people that a question or a claim is about: whom a text names, and whom it is about instead."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from medground.language import words
from medground.language.clean import without_accents
from medground.language.pattern import lazy_pattern
from medground.language.subject import PEOPLE, Subject

_AGES = ((1, "Infant"), (12, "Child"), (18, "Adolescent"), (64, "Adult"))
"""The highest age in years of each group of people, as MeSH defines them; older people are `Aged`."""
_AGE = lazy_pattern(
    r"\b(?:aged?(?: of)?[ -](?P<age>\d\d?)\b(?! ?(?:m|w|d))|over[ -](?:the )?(?P<over>\d\d)(?:s| years)\b)|"
    r"\b(?P<old>\d\d?)[ -](?:years?|yrs?)[ -]olds?\b",
    re.IGNORECASE,
)
PATIENT = lazy_pattern(
    r"\d[ -]year[ -]olds?\b[^.;?]*?\bwith\b(?P<had>.*?)"
    r"(?=\b(?:who|now|given|\w+ed|takes?|took|has|had|is|was|gets?|got|develops?|feels?|felt|began)\b|[.;?]|$)",
    re.IGNORECASE,
)
"""What a patient of an age has, up to what was done or happened."""
_PARTS = lazy_pattern(r"[.;\n]")
_LEFT_OUT = lazy_pattern(r"\bexcluded\b|\bno[tr]?\b.*\b(?:eligible|enrolled|included|recruited)\b", re.IGNORECASE)
_GROUPS = {"young": ("Infant", "Child", "Adolescent"), "grown": ("Adult",), "pregnant": ("Pregnancy", "Pregnant Women")}


def people_among(question: str, subjects: Sequence[Subject]) -> dict[str, list[str]]:
    """The people that a question is about, with all their names and those of the groups within them."""
    headings = {subject.said: subject.heading for subject in subjects if subject.heading and not subject.decides}
    named = {stem for subject in subjects for stem in words.terms(subject.said)}
    rest = {words.stem(word): word for word in words.tokens(question) if words.stem(word) not in named}
    headings |= {rest[stem]: name for name in PEOPLE for stem in words.terms(PEOPLE[name]) if stem in rest}
    headings |= {
        age: name for age, name in _ages(question) if name != "Adult" and not (name == "Aged" and "old" in age)
    }
    found = {said: _names_of(heading) for said, heading in headings.items()}
    return {said: [said, *names] for said, names in found.items() if names}


def _names_of(heading: str) -> list[str]:
    """All names of people with a heading of MeSH, and of the groups within them; empty if it is not of people."""
    from medground.pubmed.mesh import vocabulary

    found = vocabulary().find(heading)
    if found is None or not (found.name in PEOPLE or any(tree.startswith("M01") for tree in found.trees)):
        return []
    names = [name for group in vocabulary().explode(found) for name in (group.name, *group.entry_terms)]
    return [*names, *PEOPLE.get(found.name, "").split()]


def lost_people(people: Mapping[str, Collection[str]], texts: Sequence[str]) -> list[str]:
    """Whom none of the texts names: a finding in children is none in infants, and a trial that excluded infants says
    nothing of them.
    """
    parts = [part for text in texts for part in _PARTS.split(_with_groups(without_accents(text)))] if people else []
    stems = [frozenset(words.terms(part)) for part in parts if not _LEFT_OUT.search(part)]

    def named(name: str) -> bool:
        return any(part.issuperset(words.terms(name)) for part in stems)

    return [said for said, names in people.items() if not any(map(named, names))]


def other_people(people: Mapping[str, Sequence[str]], texts: Sequence[str]) -> list[str]:
    """Which of the people, who are young, grown up or pregnant, none of the texts names, but others of another age."""
    groups, lost = _groups(), lost_people(people, texts)
    ages = {said: {group for group in groups if not groups[group].isdisjoint(people[said])} for said in lost}
    named = {"young", "grown"}.difference(lost_people(groups, texts)) if lost else set[str]()
    return [said for said in lost if ages[said] and named - ages[said]]


@cache
def _groups() -> dict[str, frozenset[str]]:
    """All names of the young, of adults, and of pregnant people."""
    return {
        group: frozenset(name for heading in headings for name in (heading, *_names_of(heading)))
        for group, headings in _GROUPS.items()
    }


def _ages(text: str) -> list[tuple[str, str]]:
    """Each age that a text states of people, with the heading of MeSH for people of that age."""
    stated = ((found[0], int(found["age"] or found["over"] or found["old"])) for found in _AGE.finditer(text))
    return [(said, next((name for most, name in _AGES if age <= most), "Aged")) for said, age in stated]


def _with_groups(text: str) -> str:
    """A text with the group of people in place of each age: aged 6 to 11 years is a child, and not the aged."""
    for said, name in _ages(text):
        text = text.replace(said, f"{said.casefold().replace('aged', ' ')} {name}", 1)
    return text
