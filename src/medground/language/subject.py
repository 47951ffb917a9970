"""What a question or a claim is about: each thing with all its names, and whether a text names it.

The one place that says which words mean the same thing; `question_reading` has what follows from it. British and
American spellings are one word already (`words.stem`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from medground.language import words
from medground.language.clean import without_accents
from medground.language.genes import CODE, gene_names
from medground.language.plain_words import is_plain
from medground.language.requests import asked_words, aspects_of
from medground.language.thresholds import (
    APART,
    BROADEST,
    DISEASE,
    INITIALS,
    LONGEST_SLIP,
    ORDINARY,
    RARE_DISEASE,
    SEARCHED_NAMES,
    SHORT_NAME,
    UNSEEN,
)
from medground.language.types import has_types_of
from medground.values.query import Or, Phrase, Query

if TYPE_CHECKING:
    from medground.pubmed.mesh_table import Heading

_DECIDING = ("B", "C", "D", "E", "F01.145.126", "F03")
"""Trees of MeSH whose headings may decide: organisms, diseases, drugs and chemicals, procedures, mental disorders."""
_THINGS = ("B", "C", "D", "F03")
"""Trees of what is not only asked of a thing, as its mortality is."""
_OF_HEALTH = (
    *("C", "F03", "B01.043", "B01.046", "B01.050.500.500", "B01.268", "B01.300", "B03", "B04"),
    *("D", "E02", "E03", "E04"),
)
"""Trees of what people have, catch, take or undergo; what is food too (tree J) is not meant so."""
_INBORN = "C16.320"
"""Tree of genetic diseases."""
_ASIDE = ("A", "D26")
"""Trees of what a text need not name: common parts of the body, and what drugs are made as, such as tablets."""
_ADJECTIVE = re.compile(r"(?:al|ic|ary|ous|ive|oid|ar|ed|ing|ent|ant|ile|able|ible|less|ive|y|ine|ese|ean)$")
_FOOTNOTE = re.compile(r"([a-z]{5,})\d{1,2}")
PEOPLE = {
    **dict.fromkeys(["Child", "Adolescent"], "pediatric"),
    **dict.fromkeys(["Infant", "Infant, Newborn", "Infant, Premature"], ""),
    **dict.fromkeys(["Pregnancy", "Pregnant Women"], "pregnancy pregnant gestation maternal"),
    "Aged": "older",
}
"""Headings of people for whom an answer may differ, with the words for them that MeSH does not have."""
_SHORT_FOR = re.compile(r"^[A-Z]{2,}(?=s? \()|(?<=\()[A-Z]{2,}(?=s?\)$)")
"""What is short for the rest of a name, as in "SAH (Subarachnoid Hemorrhage)"."""
BRACKETS = re.compile(r"\(([^()]*)\)")
PART = re.compile(r"[^\W\d_]+|\d+")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


@dataclass(frozen=True)
class Subject:
    """Something that a question is about.

    Attributes:
        said: the words of the question.
        names: its other names.
        narrower: names of kinds of it.
        decides: whether a text that names it nowhere is about something else. Headings of diseases, drugs, organisms
            and procedures do, codes and abbreviations, and words that neither abstracts nor MeSH have.
        heading: its MeSH heading; empty if it has none.
        aside: whether it is people, a part of the body or a form of drugs, which passages about the rest seldom name.
        of_health: whether it is a disease, a drug or a procedure, or may be one for all that is known.
        start: where the question says it, ignoring case; -1 if the words are not there as such.
        is_thing: whether it is a disease, a drug, a chemical or food, an organism, a procedure, a code or an unknown
            name: what one can find something on, as one cannot on people, times or plain words.
    """

    said: str
    names: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    decides: bool = False
    heading: str = ""
    aside: bool = False
    start: int = -1
    of_health: bool = True
    is_thing: bool = False

    @cached_property
    def other_names(self) -> list[str]:
        """The names that share not all words with what is said; a code may be written in another way."""
        said, found = frozenset(words.terms(self.said)), dict[frozenset[str], str]()
        for name in self.names:
            stems = frozenset(words.terms(name))
            if stems and "," not in name and not said <= stems:
                found.setdefault(stems, name)
        return [*([self.said] if CODE.match(self.said) else []), *found.values()]

    @property
    def searched_names(self) -> list[str]:
        """Its other names that are searched for."""
        return self.other_names[:SEARCHED_NAMES]

    @property
    def query(self) -> Query:
        """Any of its names; no initials but its own, which stand for other things too."""
        return any_name([self.said, *(name for name in self.searched_names if not name.isupper())])

    @property
    def is_disease(self) -> bool:
        """Whether it is a disease and nothing else by its heading."""
        return bool(self._trees) and all(tree.startswith(("C", "F03")) for tree in self._trees)

    @property
    def is_inborn(self) -> bool:
        """Whether it is a genetic disease by its heading."""
        return any(tree.startswith(_INBORN) for tree in self._trees)

    @property
    def has_senses(self) -> bool:
        """Whether it is one word for a tool or a procedure: of which, only the rest of a question tells."""
        return " " not in self.said and bool(self._trees) and all(tree.startswith("E") for tree in self._trees)

    @cached_property
    def _trees(self) -> tuple[str, ...]:
        from medground.pubmed.mesh import vocabulary

        found = vocabulary().find(self.heading) if self.heading else None
        return found.trees if found else ()

    def is_named_in(self, text: str) -> bool:
        """Whether a text without accents names it, or a kind of it."""
        terms = words.terms(text)
        stems = frozenset(terms)
        named = (name for name in (self.said, *self.names, *self.narrower) if _is_in(name, text, terms, stems))
        return any(has_types_of(name, text) for name in named) or bool(self.slips_in(text))

    def slips_in(self, text: str) -> list[str]:
        """The unknown words of a text that this may be a slip of the pen for, if it is an unknown word itself."""
        if self.names or self.heading or not (self.said.isalpha() and self.said.islower() and _is_unknown(self.said)):
            return []
        most = 2 if len(self.said) >= LONGEST_SLIP else 1
        return [
            word
            for word in dict.fromkeys(words.tokens(text))
            if word[0] == self.said[0]
            and word.isalpha()
            and OSA.distance(self.said, word, score_cutoff=most) <= most
            and _is_unknown(word)
        ]


def subjects(question: str) -> tuple[Subject, ...]:
    """What a question is about, in its order.

    What stands in brackets is another name of what it follows; where nothing else decides, it is a thing of its own.
    """
    from medground.language.mesh_terms import named  # it brings MeSH

    read = without_accents(question).replace("/", " or ")
    for text in dict.fromkeys((BRACKETS.sub(" ", read), BRACKETS.sub(r" \1 ", read))):
        plain = " ".join(text.split()) or question
        found = [
            _subject(name.words, name.heading, name.kind, question)
            for name in named(plain)
            if not _is_done(name.words, plain)
        ]
        found += _unlisted(plain, question, found)
        if any(subject.decides for subject in found):
            break
    return tuple(_tumors_named(found, question))


def _tumors_named(found: Sequence[Subject], question: str) -> Iterator[Subject]:
    """Subjects, of which an unknown name before a word for tumors is the name of one ("Wilsons tumor")."""
    tumors = {one.start: one.said for one in found if one._trees and all(t.startswith("C04") for t in one._trees)}
    for one in found:
        behind = tumors.get(one.start + len(one.said) + 1)
        is_name = one.decides and one.start >= 0 and not (one.heading or one.names or CODE.match(one.said))
        yield replace(one, said=f"{one.said} {behind}") if behind and is_name else one


def _unlisted(text: str, question: str, listed: Sequence[Subject]) -> list[Subject]:
    """The subjects of a text without brackets that no heading lists: unknown names, and what stands for a disease."""
    names = (name for subject in listed for name in (subject.said, *(one for one in subject.names if " " not in one)))
    known = words.question_stems().union(*map(words.terms, names))
    spoken = re.sub(r"['’](?:s|ll|ve|re|d|m)\b|\b\w+n['’]t\b", "", text)
    rest = dict.fromkeys(word for word in _WORD.findall(spoken) if known.isdisjoint(words.terms(word)))
    diseases = {word: _of_disease(word) for word in rest}
    return [
        Subject(
            word,
            (*bracketed(question, word), *diseases[word], *_nouns(word)),
            decides=True,
            start=_place(word, question),
            is_thing=True,
        )
        for word in rest
        if diseases[word] or _is_unseen(word, text)
    ]


def _has_footnote(word: str) -> bool:
    """Whether a word is plain English with a number behind it, such as `hereditary2`, which names nothing."""
    found = _FOOTNOTE.fullmatch(word)
    return found is not None and is_plain(found[1])


def _is_done(said: str, question: str) -> bool:
    """Whether a word is what somebody does: in "can he fly" it is no insect."""
    return re.search(rf"\b(?:i|he|she|we|they|you) {re.escape(said)}\b", question, re.IGNORECASE) is not None


def _is_unknown(word: str) -> bool:
    """Whether no abstract that is counted has a lower-case word."""
    return words.weight(words.stem(word)) >= words.MOST


def any_name(names: Iterable[str]) -> Or:
    """The query for any of some names, each as a phrase; the best match counts."""
    written = dict.fromkeys(form for name in names for form in forms(name))
    return Or(parts=tuple(Phrase(text=form) for form in written), best=True)


def forms(name: str) -> list[str]:
    """A name; a code as one word and as its parts."""
    return [" ".join(PART.findall(name)), "".join(PART.findall(name))] if _is_code(name) else [name]


def _is_code(name: str) -> bool:
    return " " not in name and CODE.match(name) is not None


def _subject(said: str, heading: str, kind: str, question: str) -> Subject:
    """What a question names as a concept with a heading, people, or a name without one (`mesh_terms.Named`)."""
    from medground.pubmed.mesh import vocabulary

    found = vocabulary().find(heading) if heading and kind == "concept" else None
    if found is not None:
        return _headed(said, found, question)
    plain = words.FUNCTION_WORDS | asked_words()  # AND, OK
    coded = kind in ("name", "abbreviation") and said.casefold() not in plain and not _has_footnote(said)
    return Subject(
        said,
        (*bracketed(question, said), *(gene_names(said) if coded else ())),
        decides=coded,
        heading=heading,
        aside=heading in PEOPLE,
        start=_place(said, question),
        of_health=bool(heading) or len(said) > INITIALS,
        is_thing=coded,
    )


def _headed(said: str, heading: Heading, question: str) -> Subject:
    from medground.pubmed.mesh import vocabulary

    def lies_in(*trees: str) -> bool:
        return any(tree.startswith(trees) for tree in heading.trees)

    below = vocabulary().explode(heading)
    names = [*bracketed(question, said), *map(without_accents, (heading.name, *heading.entry_terms))]
    shorts = [
        *_initials(said),
        *_initials(heading.name),
        *(short for name in names for short in _SHORT_FOR.findall(name)),
    ]
    rare = all(words.weight(stem) >= words.MOST for stem in words.terms(said))
    aside = heading.name in PEOPLE or all(tree.startswith("D26" if rare else _ASIDE) for tree in heading.trees)
    is_narrow = len(below) <= BROADEST
    is_aspect = bool(aspects_of(said)) and not lies_in(*_THINGS)
    is_named = lies_in(*_DECIDING) or (rare and not is_plain(said))
    is_eaten = is_narrow and lies_in("J02")
    decides = is_eaten or (is_narrow and is_named and not (aside or is_aspect or _is_ordinary(said)))
    return Subject(
        said,
        tuple(dict.fromkeys((*names, *shorts))),
        tuple(without_accents(name) for one in below[1:BROADEST] for name in (one.name, *one.entry_terms)),
        decides=decides,
        heading=heading.name,
        aside=aside,
        start=_place(said, question),
        of_health=not aside and not lies_in("J") and lies_in(*_OF_HEALTH),
        is_thing=decides or (not aside and lies_in(*_DECIDING)),
    )


def _initials(name: str) -> list[str]:
    """The initials of three words and more, as one word."""
    parts = PART.findall(name)
    return ["".join(part[0] for part in parts).upper()] if len(parts) > INITIALS and "," not in name else []


def _place(said: str, question: str) -> int:
    return question.casefold().find(said.casefold())


def bracketed(question: str, said: str) -> tuple[str, ...]:
    """What stands in brackets behind words, or behind the word that they qualify: `Beals syndrome (CCA)`."""
    ends = re.compile(rf"{re.escape(said)}(?:\s[\w-]+)?\s*$", re.IGNORECASE)
    before = (
        (re.split(r"[.,;:()]", question[: one.start()])[-1], one[1].strip()) for one in BRACKETS.finditer(question)
    )
    return tuple(name for text, name in before if words.terms(name) and ends.search(without_accents(text)))


def _is_in(name: str, text: str, terms: Sequence[str], stems: frozenset[str]) -> bool:
    """Whether a text has all words of a name near each other, in any order; of a code or a short name, itself.

    So of an inflammation, whose stem is that of the organ: arachnoiditis is no arachnoid cyst.
    """
    if len(name) <= SHORT_NAME or _is_code(name) or (name.endswith("itis") and " " not in name):
        return pattern(name).search(text) is not None
    wanted = frozenset(words.terms(name))
    if not wanted or not wanted <= stems:
        return False
    return len(wanted) == 1 or words.densest(wanted, terms, len(wanted) + APART, least=len(wanted)) > 0


@lru_cache(maxsize=4096)
def pattern(name: str) -> re.Pattern[str]:
    """A name with or without its hyphens and spaces: HER2, HER-2 and HER 2.

    A short one only in its own case, and if it is no word as a mouse's gene is written: BTK and Btk.
    """
    if name.endswith("s") and name[-2:-1].isupper():
        name = name[:-1]
    parts = r"[\s-]?".join(map(re.escape, PART.findall(name)))
    own_case = len(name) <= SHORT_NAME and name.isupper()
    if own_case and len(name) > INITIALS and words.weight(words.stem(name.lower())) >= words.MOST:
        parts = f"(?:{parts}|{parts.capitalize()})"
    return re.compile(rf"(?<!\w){parts}s?(?![^\W_])", 0 if own_case else re.IGNORECASE)


def _of_disease(word: str) -> tuple[str, ...]:
    """The names of the diseases for which people say this first word alone: lupus, Alzheimer's; else none."""
    from medground.pubmed.mesh import vocabulary

    stem = words.stem(word.casefold())
    if len(word) < DISEASE or words.weight(stem) < RARE_DISEASE or _ADJECTIVE.search(word) or is_plain(word.lower()):
        return ()
    found = [one for one in vocabulary().beginning(word) if any(tree.startswith(("C", "F03")) for tree in one.trees)]
    return tuple(without_accents(name) for one in found for name in (one.name, *one.entry_terms))


def _nouns(adjective: str) -> list[str]:
    """The diseases whose Greek adjective a word is: cirrhosis of cirrhotic, bronchitis of bronchitic."""
    from medground.pubmed.mesh import vocabulary

    noun = re.sub("otic$", "osis", re.sub("itic$", "itis", adjective))
    named = vocabulary().naming(noun) if noun != adjective else ()
    return [noun] if any(tree.startswith(("C", "F03")) for heading in named for tree in heading.trees) else []


def _names_disease(word: str, question: str) -> bool:
    """Whether a name of a person or a place stands before the word for a disease: Winchester syndrome."""
    from medground.pubmed.mesh import vocabulary

    follows = re.search(rf"\b{re.escape(word)}(?:[\s-]+[A-Z][\w'’]*)*\s+([a-z]+)", question)
    found = vocabulary().naming(follows[1]) if follows and words.terms(follows[1]) else ()
    return any(tree.startswith(_OF_HEALTH[:2]) for one in found for tree in one.trees)


def _is_ordinary(said: str) -> bool:
    return len(stems := words.terms(said)) <= 1 and all(words.weight(stem) < ORDINARY for stem in stems)


def _is_unseen(word: str, question: str) -> bool:
    """Whether a word that no abstract has names something: by headings that decide, or in no words of MeSH or people.

    Capitals say that it is a name in any case, though not of a thing if it is known as that of a person or a place.
    """
    from medground.pubmed.mesh import vocabulary

    rare = all(words.weight(stem) >= words.MOST for stem in words.terms(word))
    if not (rare and words.terms(word)) or word in asked_words() or vocabulary().find(f"{word}s"):
        return False
    if not word.islower():
        begins = re.search(rf"(?:^|[.?!:]\s+)\W?{re.escape(word)}\b", question)
        plain = is_plain(re.sub("['’]s$", "", word)) or (begins and is_plain(word.lower()))
        return len(word) >= SHORT_NAME and (not plain or _names_disease(word, question))
    if is_plain(word) or _has_footnote(word):
        return False
    if len(word) >= DISEASE and (named := vocabulary().naming(word)):
        return any(tree.startswith(_DECIDING) for one in named for tree in one.trees)
    return len(word) >= UNSEEN
