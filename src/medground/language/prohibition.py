"""What must not be done, taken or given: whether a sentence says so of what a question asks leave for."""

from medground.language import words
from medground.language.clean import without_accents
from medground.language.pattern import verbose_pattern
from medground.language.people import other_people
from medground.language.predicate_words import ALL_VERBS
from medground.language.question_reading import Asked
from medground.language.requests import LEAVE
from medground.language.thresholds import FORBIDS

_PROHIBITS = verbose_pattern(
    r"""
    \b(?:should|must|ought\ to|shall)(?:n['’]t|\ not|\ never|\ no\ longer)\b|\bcontra-?indicat|\bavoid(?!ance)|
    \bnot\ (?:be\ )?(?:recommended|advised|advisable|suitable|safe|allowed|permitted|appropriate)\b|\bunsafe\b|
    \b(?:may|can|could)(?:not|\ not|['’]t)\ (?:be\ )?(?:taken?|used?|given?|fed|eat(?:en)?|drink|receive)\b|
    (?:^|[.;:,]\ |[-•*]\ )(?:please\ )?(?:do\ not|don['’]t|never)\b
    """
)
_ASPECTS = frozenset(["safety", "what to avoid in", "harms of"])
"""Aspects of a question about whether something may be done."""


def asks_leave(asked: Asked) -> bool:
    """Whether a question asks if something may or should be done, such as "Can I give my baby honey?"."""
    return LEAVE.search(asked.plain) is not None or not asked.aspects.isdisjoint(_ASPECTS)


def prohibits(sentence: str) -> bool:
    """Whether a sentence says that something must not be done, as an order or as a rule for some people.

    >>> prohibits("Children with fevers should not take aspirin.")
    True
    >>> prohibits("Babies do not digest starch well.")
    False
    """
    return _PROHIBITS.search(sentence) is not None


def forbidden(asked: Asked, title: str, sentence: str, before: str = "") -> float:
    """How surely a sentence forbids what a question asks leave for, 0 to 1; half if it names none of its people.

    With its title, and the sentence before if it points back to it, it names every thing asked about and every disease,
    and no other people. For people whom the question names, one of the things that are taken or done is enough: what
    forbids honey for infants answers whether an infant may have milk with honey. Where the question names nothing that
    is taken or done, but a disease, the sentence has most of its other words that are no common verbs.
    """
    if not (asks_leave(asked) and prohibits(sentence)):
        return 0.0
    in_all, spoken = (
        without_accents(asked.in_own_words(text)) for text in (f"{title}\n{before} {sentence}", f"{before} {sentence}")
    )
    things, unnamed = asked.things, asked.people_unnamed([in_all])
    of_people = (
        asked.people and not unnamed and any(thing.is_named_in(spoken) for thing in things if not thing.is_disease)
    )
    meant = [*things, *(subject for subject in asked.subjects if subject.is_disease)]
    if not (of_people or all(subject.is_named_in(in_all) for subject in meant)) or other_people(asked.people, [in_all]):
        return 0.0
    if all(thing.is_disease for thing in things):
        named = [*asked.people, *(thing.said for thing in things), *ALL_VERBS]
        wanted = asked.topic.difference(words.terms(" ".join(named)))
        if not wanted or words.coverage(wanted, words.terms(spoken)) < FORBIDS:
            return 0.0
    return 0.5 if unnamed else 1.0
