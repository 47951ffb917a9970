"""How a question or a claim is read: one reading, `Asked`, which a run makes once and every room uses.

`Asked` has three parts, in the order in which a question is understood: its words (`plain`), what it is about and asks
(`subjects`, `people`, `aspects`, `comparison`), and how texts are compared with that (`is_about`, `unnamed`).
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
from medground.language.people_words import PlainWording, corrected, in_plain_words, typed_too
from medground.language.plain_words import is_plain
from medground.language.requests import (
    LEAVE,
    asked_in,
    asks_for_amount,
    asks_for_value,
    aspects_of,
    aspects_told,
    is_closed,
)
from medground.language.sentences import sentence_spans
from medground.language.subject import BRACKETS, PART, Subject, any_name, pattern, subjects
from medground.language.thresholds import MOST_OF_IT, RARE_WORD, SURE, TOGETHER
from medground.language.types import mistyped, typed
from medground.pubmed.characters import spellings
from medground.values.query import And, Or, Phrase, Query, Words, any_of

_SPREAD, _INHERITANCE = "the spread of", "the inheritance of"
_CLAUSES = re.compile(r"[,.;:!?]\s+\w+\s+\w+\s+\w+")
"""A clause after another one."""
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
    """What a text asks. Each part is read when it is first needed, and once."""

    text: str

    def reworded(self, text: str) -> Asked:
        """The reading of what this asks in other words, such as a part of it."""
        return reading_of(text)

    def read(self) -> None:
        """Read what takes long: up to a second."""
        _ = self.comparison, self.deciding

    # Its words

    @cached_property
    def _wording(self) -> PlainWording:
        return in_plain_words(self.text)

    @property
    def plain(self) -> str:
        """What it asks in the words of papers, without what is misspelt, and of a story only what matters."""
        return self._wording.asked

    @cached_property
    def core(self) -> str:
        """What it asks: a comparison without the words that only compare, a story of several clauses in one."""
        if self.comparison:
            return self.comparison.core
        if not (self.deciding and self.deciding_aspects and _CLAUSES.search(self.plain)):
            return self.plain
        return f"What is {min(self.deciding_aspects)} {' and '.join(subject.said for subject in self.deciding)}?"

    @cached_property
    def topic(self) -> frozenset[str]:
        """Stems that name what it is about; all its content stems if it has no others."""
        return words.topic(self.comparison.core if self.comparison else self.plain)

    @cached_property
    def rarest_name(self) -> str:
        """The stem of the rarest word that is written like a name or unknown; empty if none is rare."""
        return words.rarest_of(words.names(self.plain))

    @cached_property
    def statement(self) -> str | None:
        """The statement that `yes` would assert; None where the rules are not sure of it."""
        return as_statement(self.text)

    # What it is about, and what it asks of that

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The things that it is about, each with its heading and all its names, first those that it says itself."""
        return typed_too(subjects(self.plain), self._wording.changed)

    @cached_property
    def deciding(self) -> list[Subject]:
        """The subjects that every text about this names; what a patient has decides nothing beside two others."""
        found = [subject for subject in self.subjects if subject.decides]
        had = [patient.span("had") for patient in PATIENT.finditer(self.plain)]
        rest = [subject for subject in found if not any(start <= subject.start < end for start, end in had)]
        return rest if len(rest) > 1 else found

    @property
    def things(self) -> list[Subject]:
        """What can be found or not: its subjects without people, times and plain words."""
        return [subject for subject in self.subjects if subject.is_thing]

    @cached_property
    def people(self) -> dict[str, list[str]]:
        """The people that it is about, in its words, with all their names."""
        return people_among(self.plain, self.subjects)

    @cached_property
    def comparison(self) -> Comparison | None:
        """What it compares; None if it compares nothing."""
        return comparison(self.plain, self.subjects)

    @property
    def sides(self) -> list[list[Subject]]:
        """Of a comparison, what a quote on one side names: the subjects of that side, and those of no side."""
        compared = self.comparison
        return compared.each_side(self.deciding) if compared and compared.sides else []

    @cached_property
    def aspects(self) -> frozenset[str]:
        """What it asks of its subjects, such as their prognosis; of a disease no dose, for "does" misspelt.

        The spread of what is inborn is meant as its inheritance.
        """
        of_diseases = bool(self.deciding) and all(subject.is_disease for subject in self.deciding)
        is_no_dose = of_diseases or asks_for_amount(self.plain)
        aspects = aspects_of(self.plain) - ({"the dose of"} if is_no_dose else set())
        inborn = bool(self.deciding) and all(subject.is_inborn for subject in self.deciding)
        return aspects - {_SPREAD} | {_INHERITANCE} if inborn and _SPREAD in aspects else aspects

    @cached_property
    def asks_for_number(self) -> bool:
        """Whether a number answers it: how many, how often, which dose."""
        if is_closed(self.plain):
            return False
        return asks_for_value(self.plain) or not self.aspects.isdisjoint(("frequency", "the dose of"))

    @cached_property
    def deciding_aspects(self) -> frozenset[str]:
        """The aspects that every answer speaks of, such as harms; of an amount none."""
        return frozenset(aspect for aspect in self.aspects if " " in aspect and not asks_for_amount(self.plain))

    @cached_property
    def _aspect_of_them(self) -> frozenset[str]:
        """The deciding aspects; of several subjects only how they end: what "avoid" belongs to is not known."""
        if self.comparison or not self.deciding:
            return frozenset()
        return self.deciding_aspects if len(self.deciding) == 1 else self.deciding_aspects & {"the outlook of"}

    @cached_property
    def kind(self) -> str:
        """The kind of answer that it asks for, such as `causes` (`kinds.KINDS`); `other` where none is likely."""
        from medground.language import kinds  # numpy is slow to import

        shares = kinds.asked(self.without_things(self.plain))
        return kinds.KINDS[int(shares.argmax())] if shares.max() >= SURE else "other"

    @property
    def query(self) -> Query:
        """The words of this, and in place of each subject that has other names any of them.

        What names all deciding subjects comes first, and before it what also speaks of what is asked of them.
        """
        rest, parts = self.comparison.core if self.comparison else self.plain, list[Query]()
        for subject in self.subjects:
            if subject.searched_names and subject.said in rest:
                rest = rest.replace(subject.said, " ", 1)
                parts.append(Or(parts=(_spelled(subject.said), *any_name(subject.searched_names).parts), best=True))
        named = [any_name([subject.said, *subject.searched_names]) for subject in self.deciding]
        spoken = [Or(parts=tuple(Phrase(text=form) for form in forms), best=True) for forms in asked_in(self.plain)]
        if named and len([*named, *spoken]) > 1:
            parts += [And(parts=tuple(named)), *([And(parts=(*named, *spoken))] if spoken else [])]
        return any_of([*([_spelled(rest)] if rest.strip() or not parts else []), *parts])

    # What a text says of it

    @lru_cache(maxsize=4096)  # noqa: B019 - a passage is weighed, screened and quoted; a reading is kept anyway
    def in_own_words(self, text: str) -> str:
        """A text with every name of what this is about replaced by the words that are used here."""
        lower, read = text.lower(), text
        for start, name, said in self._replacements:
            if start in lower:
                read = name.sub(said, read)
        for said, meant in self._slips(read).items():
            read = re.sub(rf"\b{meant}\b", said, read, flags=re.IGNORECASE)
        return words.spelled_out(read, self.plain)

    @cached_property
    def _replacements(self) -> list[tuple[str, re.Pattern[str], str]]:
        """How each other name begins, how it is recognised, and the words for it; longer names first."""
        named = ((name, subject.said) for subject in self.subjects for name in subject.other_names)
        pairs = sorted(named, key=lambda pair: -len(pair[0]))
        return [(PART.findall(name)[0].lower(), pattern(name), said.replace("\\", "")) for name, said in pairs]

    def without_things(self, text: str) -> str:
        """A text in its own words with `kinds.THING` for each deciding subject."""
        from medground.language.kinds import THING  # numpy is slow to import

        for subject in sorted(self.deciding, key=lambda subject: -len(subject.said)):
            text = re.sub(re.escape(subject.said), THING, text, flags=re.IGNORECASE)
        return text

    def read_as(self, text: str) -> dict[str, str]:
        """What is misspelt in this and is not in a text, each with what it was read as."""
        changed = ((typed, meant) for typed, meant in self._wording.changed.items() if corrected(typed) == meant)
        return {typed: meant for typed, meant in changed if typed not in words.tokens(text)} | self._slips(text)

    def _slips(self, text: str) -> dict[str, str]:
        """Unknown names of this that a text lacks, each with the one of the text that it may be a slip for."""
        slips = {subject.said: subject.slips_in(text) for subject in self.subjects}
        return {said: found[-1] for said, found in slips.items() if found and said not in found}

    def share_named(self, *texts: str) -> float:
        """The share that texts name of the subjects, and of what is asked of them: 0 to 1.

        Deciding aspects, such as harms, weigh as much as all subjects together.
        """
        stems = (frozenset(words.terms(without_accents(subject.said))) for subject in self.subjects)
        subjects = [*filter(None, stems)]
        weight = (max(len(subjects), 1) if self.deciding_aspects else 1) if self.aspects else 0
        held = {t for text in texts for t in words.terms(without_accents(self.in_own_words(text)))} if subjects else ()
        named = sum(subject.issubset(held) for subject in subjects)
        wanted = self.deciding_aspects or self.aspects
        spoken = weight if weight and any(not wanted.isdisjoint(aspects_told(text)) for text in texts) else 0
        return (named + spoken) / (len(subjects) + weight) if subjects or weight else 0.0

    def not_named(self, text: str) -> list[Subject]:
        """The deciding subjects that a text does not name."""
        read = without_accents(words.spelled_out(text, self.plain))
        return [subject for subject in self.deciding if not subject.is_named_in(read)]

    def names_any(self, text: str) -> bool:
        """Whether a text names one of the deciding subjects."""
        return len(self.not_named(text)) < len(self.deciding)

    def is_about(self, text: str) -> bool:
        """Whether a text names all deciding subjects, or those of one side of a comparison.

        Where nothing decides: whether it has most of the topic.
        """
        if self.deciding:
            lost = self.not_named(text)
            return not lost or any(not any(subject in lost for subject in side) for side in self.sides)
        return not self.topic or words.coverage(self.topic, words.terms(self.in_own_words(text))) >= MOST_OF_IT

    def is_defined_in(self, sentence: str) -> bool:
        """Whether a sentence says what the one thing is that this asks for, or names without asking anything."""
        definition = definition_asked(self.plain) if self.topic else None
        return definition is not None and definition.search(self.in_own_words(sentence)) is not None

    # What no text says of it: why an answer may be refused

    def is_met_by(self, passages: Sequence[str], quotes: Sequence[str]) -> bool:
        """Whether passages name what and whom this is about, and a quote from them speaks of what is asked of it."""
        spoken = not self.aspects or any(not aspects_told(quote).isdisjoint(self.aspects) for quote in quotes)
        lost = self.unnamed(passages) or self.people_unnamed(passages)
        return spoken and not (lost or (not self.deciding and self.uncovered(quotes)))

    def unnamed(self, texts: Sequence[str]) -> list[str]:
        """The deciding subjects that none of the texts names, in the question's words.

        Where each is named, but no text names them all, it is that they are not named together.
        """
        lost = [self.not_named(text) for text in texts]
        missing = [subject.said for subject in self.deciding if all(subject in some for some in lost)]
        missing = missing or self.mistyped(texts)
        if missing or not self.deciding or len(self.deciding) > TOGETHER:
            return missing
        sides = self.sides or [self.deciding]
        apart = [side for side in sides if all(any(subject in some for subject in side) for some in lost)]
        return [together([subject.said for subject in side]) for side in apart]

    def mistyped(self, texts: Sequence[str]) -> list[str]:
        """What texts name by other numbers or letters only, such as trisomy 7 where they have trisomy 13.

        A subject that they name otherwise, such as HCV for hepatitis C, has its type. Texts about nothing of the
        question say nothing of its types, where others are about it.
        """
        texts = [text for text in texts if self.names_any(text)] or texts
        named = [subject.said.casefold() for subject in self.subjects if any(map(subject.is_named_in, texts))]
        left = [name for name in typed(self.plain) if not any(name.said.casefold() in said for said in named)]
        return mistyped(left, texts)

    def people_unnamed(self, texts: Sequence[str]) -> list[str]:
        """The people that it is about, in its words, whom none of the texts names."""
        return lost_people(self.people, texts)

    def aspect_lost(self, texts: Sequence[str]) -> list[str]:
        """What this asks of its subjects, such as harms, where that decides and none of the texts speaks of it."""
        wanted = self._aspect_of_them
        spoken = (aspects_told(text[start:end]) for text in texts for start, end in sentence_spans(text))
        lost = wanted and all(wanted.isdisjoint(aspects) for aspects in spoken)
        return [f"{min(wanted)} {' and '.join(subject.said for subject in self.deciding)}"] if lost else []

    def uncovered(self, texts: Sequence[str]) -> list[str]:
        """The things that none of the texts names, where none has most of the words that say what this asks.

        `WHAT_IS_ASKED` where each thing is named; empty for a comparison.
        """
        on_it = [text for text in texts if not self.unnamed([text])] or texts
        if self.comparison or any(map(self._covers, on_it)):
            return []
        read = [without_accents(text) for text in texts]
        lost = [thing.said for thing in self.things if not any(map(thing.is_named_in, read))]
        return lost or [WHAT_IS_ASKED]

    def _covers(self, text: str) -> bool:
        """Whether a text has most of the gist, by weight.

        Asked of an answer of yes or no, or where nothing decides but what has senses.
        """
        if not self._gist or (self.deciding and not self.has_senses and not is_closed(self.plain)):
            return True
        read = without_accents(self.in_own_words(text))
        named = (stem for thing in self.subjects if thing.is_named_in(read) for stem in words.terms(thing.said))
        return words.coverage(self._gist, [*words.terms(read), *named]) >= MOST_OF_IT

    @property
    def has_senses(self) -> bool:
        """Whether only what it says beside its things tells what they mean."""
        return bool(self.deciding) and all(subject.has_senses for subject in self.deciding)

    @cached_property
    def _gist(self) -> frozenset[str]:
        """Of the topic, what has a heading or is a name, and where no aspect says what is asked, what is rare.

        A text on something else may have its other words, and a text on it lack them. People are looked for apart, what
        stands in brackets explains, and plain words of a story say nothing.
        """
        text = BRACKETS.sub(" ", without_accents(self.core))
        named = [thing.said for thing in self.subjects if thing.decides or (thing.names and not aspects_of(thing.said))]
        in_story = bool(named) and self._wording.in_story
        unusual = (words.stem(word) for word in words.tokens(text) if not (in_story and is_plain(word)))
        forms = (form for forms in asked_in(self.plain) for form in forms if self._aspect_of_them)
        spoken, people, things = (
            frozenset(stem for text in texts for stem in words.terms(text)) for texts in (forms, self.people, named)
        )
        rare = {stem for stem in unusual if words.weight(stem) >= RARE_WORD and stem not in spoken}
        return words.topic(text) & ((things | rare) - people)


def _spelled(text: str) -> Words:
    """The content words in both spellings; `I` and `my` are rare in some collections, and say nothing of the topic."""
    telling = [word for word in text.split() if words.terms(word) or (word.isupper() and len(word) > 1)]
    content = [word for word in telling if not LEAVE.fullmatch(word.strip("?!.,;"))] or [text]
    others = [s for w in words.tokens(text) for s in spellings(w) if words.stem(s) == words.stem(w)]
    return Words(text=" ".join([*content, *others]))
