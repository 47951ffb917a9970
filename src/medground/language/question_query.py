"""A question as it is searched for: its words in both spellings, and each thing by all its names."""

from collections.abc import Iterable

from medground.language import words
from medground.language.prohibition import LEAVE
from medground.language.question_kinds import asked_in
from medground.language.question_reading import Asked
from medground.language.subject import Subject, forms
from medground.pubmed.characters import spellings
from medground.values.query import And, Or, Phrase, Query, Words, any_of

_SEARCHED = 12
"""Maximum other names of one thing that are searched for."""


def alone(thing: Subject) -> Query:
    """Any name of one thing, and nothing else; no initials but its own, which stand for other things too."""
    return _any_form([thing.said, *(name for name in thing.other_names[:_SEARCHED] if not name.isupper())])


def all_names(asked: Asked) -> Query:
    """The words of a question, and in place of each thing that has other names any of them.

    What names all things that decide comes first, and before it what also speaks of what is asked of them.
    """
    rest, parts = asked.comparison.core if asked.comparison else asked.plain, list[Query]()
    for thing in asked.subjects:
        if (names := thing.other_names[:_SEARCHED]) and thing.said in rest:
            rest = rest.replace(thing.said, " ", 1)
            parts.append(Or(parts=(_spelled(thing.said), *_any_form(names).parts), best=True))
    things: list[Query] = [_any_form([one.said, *one.other_names[:_SEARCHED]]) for one in asked.subjects if one.decides]
    spoken = [Or(parts=tuple(Phrase(text=one) for one in aspect), best=True) for aspect in asked_in(asked.plain)]
    if things and len([*things, *spoken]) > 1:
        parts += [And(parts=tuple(things)), *([And(parts=(*things, *spoken))] if spoken else [])]
    return any_of([*([_spelled(rest)] if rest.strip() or not parts else []), *parts])


def _any_form(names: Iterable[str]) -> Or:
    said = dict.fromkeys(form for name in names for form in forms(name))
    return Or(parts=tuple(Phrase(text=form) for form in said), best=True)


def _spelled(text: str) -> Words:
    """The content words in both spellings; `I` and `my` are rare in some collections, and say nothing of the topic."""
    telling = [word for word in text.split() if words.terms(word) or (word.isupper() and len(word) > 1)]
    said = [word for word in telling if not LEAVE.fullmatch(word.strip("?!.,;"))] or [text]
    others = [s for w in words.tokens(text) for s in spellings(w) if words.stem(s) == words.stem(w)]
    return Words(text=" ".join([*said, *others]))
