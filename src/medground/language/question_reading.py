"""One reading of a question or a claim, which every room uses: what kind it is, what it is about, the time that it
states, and the statement that it tests.

A search asks for all names of a thing, the choice of quotes reads every name as the words of the question, and the
first line of an answer and every verdict depend on whether a quote names the thing at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from medground.language import words
from medground.language.clean import without_accents
from medground.language.closed_question import as_statement
from medground.language.comparison import Comparison, comparison, together
from medground.language.definition import definition_asked
from medground.language.people import PATIENT, lost_people, people_among
from medground.language.people_words import (
    TOGETHER,
    PlainWording,
    corrected,
    in_plain_words,
    slips,
    typed_too,
    unknown_words,
)
from medground.language.plain_words import is_plain
from medground.language.question_kinds import SURE, asked_in, asks_for_amount, aspects_of, aspects_told, is_closed
from medground.language.sentences import sentence_spans
from medground.language.subject import BRACKETS, PART, PEOPLE, Subject, pattern, subjects
from medground.language.types import Typed, mistyped, typed

_CLAUSES = re.compile(r"[,.;:!?]\s+\w+\s+\w+\s+\w+")
"""A clause after another one."""
_MOST_OF_IT = 0.6
"""Minimum share of the topic, by weight, of a text about a question that names nothing that decides."""
_RARE = 5.0
"""Weight of a word that says what is asked though it names nothing."""
_AGES = PEOPLE.keys() - {"Pregnancy", "Pregnant Women"}
"""Headings of people whom passages on the rest seldom name; of pregnancy they speak."""
_SPREADS, _INHERITED = "the spread of", "the inheritance of"
"""Of what is inborn, the first is meant as the second."""
WHAT_IS_ASKED = "what is asked"
"""What no text says though each names every thing of a question, or the question names none."""


@lru_cache(maxsize=256)
def reading_of(text: str) -> Asked:
    """The reading of a question or a claim. A text is read where it comes in, and its reading is passed on."""
    return Asked(text)


class InWords:
    """A question or a claim in words, and its reading: a run, the input of an operator, a claim that is judged."""

    @property
    def in_words(self) -> str:
        """The words of the question."""
        raise NotImplementedError

    @property
    def asked(self) -> Asked:
        """The reading of the question."""
        return reading_of(self.in_words)


@dataclass(frozen=True)
class Asked:
    """What a text says. Each part is read when it is first asked for, and once."""

    text: str

    def reworded(self, text: str) -> Asked:
        """The reading of what this asks in other words, such as a part of it."""
        return reading_of(text)

    def read(self) -> None:
        """Read what takes long: up to a second."""
        _ = self.comparison, self.names, self.deciding

    @cached_property
    def plain(self) -> str:
        """What it asks in the words of papers, without what is misspelt, and of a story only what matters."""
        return self._wording.asked

    @cached_property
    def _wording(self) -> PlainWording:
        return in_plain_words(self.text)

    @cached_property
    def kind(self) -> str:
        """The kind of answer that it asks for, such as `causes` (`kinds.KINDS`); `other` where none is likely."""
        from medground.language import kinds  # numpy is slow to import

        shares = kinds.asked(self.without_things(self.plain))
        return kinds.KINDS[int(shares.argmax())] if shares.max() >= SURE else "other"

    @cached_property
    def statement(self) -> str | None:
        """The statement that `yes` would assert; None where the rules are not sure of it."""
        return as_statement(self.text)

    @cached_property
    def topic(self) -> frozenset[str]:
        """Stems that name what it is about; all its content stems if it has no others."""
        return words.topic(self._compared or self.plain)

    @cached_property
    def comparison(self) -> Comparison | None:
        """What it compares; None if it compares nothing."""
        return comparison(self.plain, self.subjects)

    @property
    def _compared(self) -> str:
        return self.comparison.core if self.comparison else ""

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of the words that are written like names, or unknown."""
        return words.names(self.plain)

    @cached_property
    def rarest_name(self) -> str:
        """The stem of its rarest name; empty if it has no name that is rare."""
        return words.rarest_of(self.names)

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The things that it is about, each with its heading and all its names, first those that it says itself."""
        return typed_too(subjects(self.plain), self._wording.changed)

    @cached_property
    def deciding(self) -> list[Subject]:
        """The things of which a text about this names each; what a patient has decides nothing beside two others."""
        found = [thing for thing in self.subjects if thing.decides]
        had = [patient.span("had") for patient in PATIENT.finditer(self.plain)]
        asked = [one for one in found if not any(start <= one.start < end for start, end in had)]
        return asked if len(asked) > 1 else found

    def aspect_lost(self, texts: Sequence[str]) -> list[str]:
        """What this asks of its things, such as harms, where that decides and none of the texts speaks of it."""
        wanted = self._aspect_of_them
        told = (aspects_told(text[start:end]) for text in texts for start, end in sentence_spans(text))
        lost = wanted and all(wanted.isdisjoint(one) for one in told)
        return [f"{min(wanted)} {' and '.join(thing.said for thing in self.deciding)}"] if lost else []

    @cached_property
    def _aspect_of_them(self) -> frozenset[str]:
        """What decides of what is asked; of several things only how it ends: what "avoid" belongs to is not known."""
        if self.comparison or not self.deciding:
            return frozenset()
        return self.deciding_aspects if len(self.deciding) == 1 else self.deciding_aspects & {"the outlook of"}

    def is_met_by(self, passages: Sequence[str], quotes: Sequence[str]) -> bool:
        """Whether passages name what and whom this is about, and a quote from them speaks of what is asked of it."""
        spoken = not self.aspects or any(not aspects_told(quote).isdisjoint(self.aspects) for quote in quotes)
        lost = self.unnamed(passages) or self.people_unnamed(passages)
        return spoken and not (lost or (not self.deciding and self.uncovered(quotes)))

    def unnamed(self, texts: Sequence[str]) -> list[str]:
        """What none of the texts names of the things that decide, in the question's words.

        Where each thing is named, but no text names them all, it is that they are not named together.
        """
        found = self.deciding
        read = [without_accents(words.spelled_out(text, self.plain)) for text in texts] if found else []
        named = [{thing for thing in found if thing.is_named_in(text)} for text in read]
        missing = [thing.said for thing in found if not any(thing in one for one in named)]
        missing = missing or self.mistyped(texts)
        if missing or not found or len(found) > TOGETHER:
            return missing
        wanted = [things for things in self.sides or [found] if not any(one.issuperset(things) for one in named)]
        return [together([one.said for one in things]) for things in wanted]

    def mistyped(self, texts: Sequence[str]) -> list[str]:
        """What texts name by other numbers or letters only, such as trisomy 7 where they have trisomy 13.

        A thing that they name otherwise, such as HCV for hepatitis C, has its type.
        """
        named = [thing.said.casefold() for thing in self.subjects if any(map(thing.is_named_in, texts))]
        left = [one for one in self.types if not any(one.said.casefold() in said for said in named)]
        return mistyped(left, texts)

    @cached_property
    def types(self) -> tuple[Typed, ...]:
        """The numbers and letters that are part of names in it."""
        return tuple(typed(self.plain))

    def uncovered(self, texts: Sequence[str]) -> list[str]:
        """The things that none of the texts names, where none has most of the words that say what this asks, or a name;
        `WHAT_IS_ASKED` where each thing is named; empty for a comparison.
        """
        on_it = [text for text in texts if not self.unnamed([text])] or texts
        if self.comparison or any(map(self._covers, on_it)):
            return []
        read = [without_accents(text) for text in texts]
        lost = [one.said for one in self.things if not any(map(one.is_named_in, read))]
        return lost or [WHAT_IS_ASKED]

    @property
    def things(self) -> list[Subject]:
        """What can be found or not: its subjects without people, times and plain words."""
        return [one for one in self.subjects if one.is_thing]

    @property
    def _alone(self) -> str:
        """What it asks, without accents and brackets, which explain."""
        return BRACKETS.sub(" ", without_accents(self.core))

    @cached_property
    def _gist(self) -> frozenset[str]:
        """Of the topic, what has a heading or is a name, and where no aspect says what is asked, what is rare.

        A text on something else may have its other words, and a text on it lack them.
        """
        things = [one for one in self.subjects if one.decides or (one.names and not aspects_of(one.said))]
        said = {stem for one in things for stem in words.terms(one.said)}
        had = [one.said for one in self.subjects if one.heading in _AGES or (one.decides and one not in self.deciding)]
        ages = [one for one in self.people if any(map(str.isdigit, one))]
        aside = {stem for one in (*had, *ages) for stem in words.terms(one)}
        told = bool(things) and self.plain != self._wording.whole  # in a story
        unusual = (words.stem(w) for w in words.tokens(self._alone) if not (told and is_plain(w)))
        forms = (form for forms in asked_in(self.plain) for form in forms if self._aspect_of_them)
        asked = {stem for form in forms for stem in words.terms(form)}
        rare = {stem for stem in unusual if words.weight(stem) >= _RARE and stem not in asked}
        return words.topic(self._alone) & ((said | rare | self._written) - aside)

    @cached_property
    def _written(self) -> frozenset[str]:
        """Stems of words that are written like names, though they are known; two letters count, as in phase II."""
        return frozenset(t for t in words.names(self._alone) if len(t) > 2 and words.weight(t) < words.MOST)

    def _covers(self, text: str) -> bool:
        """Whether a text has what is written like a name, and most of the gist, by weight.

        The second is asked only of an answer of yes or no, or where nothing decides but what has senses.
        """
        read = without_accents(self.in_own_words(text))
        named = (stem for one in self.subjects if one.is_named_in(read) for stem in words.terms(one.said))
        found = frozenset([*words.terms(read), *named])
        most = not self._gist or words.coverage(self._gist, found) >= _MOST_OF_IT
        told = bool(self.deciding) and not self.has_senses and not is_closed(self.plain)
        return self._written <= found and (most or told)

    @property
    def has_senses(self) -> bool:
        """Whether only what it says beside its things tells what they mean."""
        return bool(self.deciding) and all(thing.has_senses for thing in self.deciding)

    def is_about(self, text: str) -> bool:
        """Whether a text is about what is asked: it names what decides, or where nothing does most of the topic."""
        if self.deciding:
            return self.names_all(text)
        return not self.topic or words.coverage(self.topic, words.terms(self.in_own_words(text))) >= _MOST_OF_IT

    def names_all(self, text: str) -> bool:
        """Whether a text names all the things that decide, of which there is one."""
        return bool(self.deciding) and not self.not_named(text)

    def names_any(self, text: str) -> bool:
        """Whether a text names one of the things that decide."""
        return len(self.not_named(text)) < len(self.deciding)

    def not_named(self, text: str) -> list[Subject]:
        """The things that decide and that a text does not name."""
        read = without_accents(words.spelled_out(text, self.plain))
        return [thing for thing in self.deciding if not thing.is_named_in(read)]

    @property
    def sides(self) -> list[list[Subject]]:
        """Of a comparison, what a quote on one side names: the things of that side, and those of no side."""
        compared = self.comparison
        return compared.each_side(self.deciding) if compared and compared.sides else []

    def names_side(self, text: str) -> bool:
        """Whether a text names all things of one side of a comparison."""
        return any(all(thing.is_named_in(text) for thing in side) for side in self.sides)

    def share_named(self, *texts: str) -> float:
        """The share that texts name of the things that this is about, and of what is asked of them: 0 to 1.

        What decides of what is asked, such as harms, weighs as much as all things together.
        """
        things = len(self._stems_of_things)
        asked = (max(things, 1) if self.deciding_aspects else 1) if self.aspects else 0
        found = {t for text in texts for t in words.terms(without_accents(self.in_own_words(text)))} if things else ()
        named = sum(stems.issubset(found) for stems in self._stems_of_things)
        wanted = self.deciding_aspects or self.aspects
        spoken = asked if asked and any(not wanted.isdisjoint(aspects_told(text)) for text in texts) else 0
        return (named + spoken) / (things + asked) if things + asked else 0.0

    def without_things(self, text: str) -> str:
        """A text in its own words with `kinds.THING` for each thing that decides."""
        from medground.language.kinds import THING  # numpy is slow to import

        for thing in sorted(self.deciding, key=lambda one: -len(one.said)):
            text = re.sub(re.escape(thing.said), THING, text, flags=re.IGNORECASE)
        return text

    @cached_property
    def core(self) -> str:
        """What a story of several clauses asks, in one, or a comparison without the words that only compare.

        Else the text itself.
        """
        if self._compared:
            return self._compared
        things = [thing.said for thing in self.deciding]
        if not (things and self.deciding_aspects and _CLAUSES.search(self.plain)):
            return self.plain
        return f"What is {min(self.deciding_aspects)} {' and '.join(things)}?"

    @cached_property
    def deciding_aspects(self) -> frozenset[str]:
        """What it asks of its things without which a text about them is no answer, such as harms; of an amount none."""
        return frozenset(aspect for aspect in self.aspects if " " in aspect and not asks_for_amount(self.plain))

    def is_defined_in(self, sentence: str) -> bool:
        """Whether a sentence says what the one thing is that this asks for, or names without asking anything."""
        asked = definition_asked(self.plain) if self.topic else None
        return asked is not None and asked.search(self.in_own_words(sentence)) is not None

    @cached_property
    def aspects(self) -> frozenset[str]:
        """What it asks of the things that it is about, such as their prognosis; of a disease no dose, but "does"."""
        diseases = bool(self.deciding) and all(one.is_disease for one in self.deciding)
        is_no_dose = diseases or asks_for_amount(self.plain)
        found = aspects_of(self.plain) - ({"the dose of"} if is_no_dose else set())
        inborn = bool(self.deciding) and all(one.is_inborn for one in self.deciding)
        return found - {_SPREADS} | {_INHERITED} if inborn and _SPREADS in found else found

    @cached_property
    def _stems_of_things(self) -> list[frozenset[str]]:
        return [*filter(None, (frozenset(words.terms(without_accents(thing.said))) for thing in self.subjects))]

    @cached_property
    def people(self) -> dict[str, list[str]]:
        """The people that it is about, in its words, with all their names."""
        return people_among(self.plain, self.subjects)

    def people_unnamed(self, texts: Sequence[str]) -> list[str]:
        """The people that it is about, in its words, whom none of the texts names."""
        return lost_people(self.people, texts)

    @lru_cache(maxsize=4096)  # noqa: B019 - a passage is weighed, screened and quoted; a reading is kept anyway
    def in_own_words(self, text: str) -> str:
        """A text with every name of what this is about replaced by the words that are used here."""
        lower, read = text.lower(), text
        for start, name, said in self._replacements:
            if start in lower:
                read = name.sub(said, read)
        for said, meant in self.misspelt(read).items():
            read = re.sub(rf"\b{meant}\b", said, read, flags=re.IGNORECASE)
        return words.spelled_out(read, self.plain)

    def misspelt(self, text: str) -> dict[str, str]:
        """Unknown words of this that a text lacks, each with the unknown word of the text that it may be a slip for."""
        return slips(self._unknown, text)

    def read_as(self, text: str) -> dict[str, str]:
        """What is misspelt in this and is not in a text, each with what it was read as."""
        typed = ((said, meant) for said, meant in self._wording.changed.items() if corrected(said) == meant)
        return {said: meant for said, meant in typed if said not in words.tokens(text)} | self.misspelt(text)

    @cached_property
    def _unknown(self) -> list[str]:
        return unknown_words(self.subjects)

    @cached_property
    def _replacements(self) -> list[tuple[str, re.Pattern[str], str]]:
        """How each other name begins, how it is recognised, and the words for it; longer names first."""
        named = ((name, thing.said) for thing in self.subjects for name in thing.other_names)
        pairs = sorted(named, key=lambda pair: -len(pair[0]))
        return [(PART.findall(name)[0].lower(), pattern(name), said.replace("\\", "")) for name, said in pairs]
