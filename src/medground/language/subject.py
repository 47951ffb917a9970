"""What a question or a claim is about: each thing with all its names, and whether a text names it.

The one place that says which words mean the same thing. A search asks for all names, the choice of quotes reads every
name as the words of the question, and the first line of an answer and every verdict depend on whether a quote names
the thing at all. British and American spellings are one word already (`text.words.stem`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import OSA

from medground.language import words
from medground.language.words import spelled_out
from medground.pubmed.characters import spellings
from medground.values.query import Or, Phrase, Query, Words, any_of

_DECIDING = ("B", "C", "D", "E", "F03")
"""Trees of MeSH whose headings may decide: organisms, diseases, drugs and chemicals, procedures, mental disorders."""
_BELOW = 40
"""Maximum headings below a heading that decides; a broader one, such as Neoplasms, is named in too many ways."""
_ORDINARY = 2.5
"""Weight below which a single word is too ordinary to decide, such as pain or surgery."""
_SHORT = 4
"""Letters of a name that means something else in lower case or inside a word, such as MG or AIDS."""
_UNSEEN = 6
"""Letters of a plain word that decides because no abstract and no heading has it."""
_SLIPS = 10
"""Letters from which a misspelt word may differ in two letters from the right one."""
_TOGETHER = 3
"""Maximum things that one quote must name together; a longer list is not found in one place."""
_SEARCHED = 12
"""Maximum other names of one thing that are searched for."""
_BRACKETS = re.compile(r"\(([^()]*)\)")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])|\w+[A-Z]")
_PART = re.compile(r"[^\W\d_]+|\d+")
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
    """

    said: str
    names: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    decides: bool = False


@lru_cache(maxsize=256)
def subjects(question: str) -> tuple[Subject, ...]:
    """What a question is about, in its order. What stands in brackets is another name of what it follows."""
    from medground.language.mesh_terms import named  # it brings MeSH

    plain = " ".join(_BRACKETS.sub(" ", _ascii(question)).replace("/", " or ").split()) or question
    found = [_thing(one.words, one.heading, one.kind, _bracketed(question, one.words)) for one in named(plain)]
    said = {stem for thing in found for stem in words.terms(thing.said)}
    unseen = dict.fromkeys(w for w in _WORD.findall(plain) if said.isdisjoint(words.terms(w)) and _is_unseen(w))
    return (*found, *(Subject(word, decides=True) for word in unseen))


def unnamed(question: str, texts: Sequence[str]) -> list[str]:
    """What none of the texts names of the things that decide, in the question's words.

    Where each thing is named, but no text names them all, it is that they are not named together.
    """
    found = [thing for thing in subjects(question) if thing.decides]
    read = [_ascii(spelled_out(text, question)) for text in texts] if found else []
    named = [[_names(thing, text) for thing in found] for text in read]
    missing = [thing.said for n, thing in enumerate(found) if not any(row[n] for row in named)]
    if missing or len(found) > _TOGETHER or any(map(all, named)):
        return missing
    said = [thing.said for thing in found]
    return [f"{', '.join(said[:-1])} and {said[-1]} together"] if found else []


def all_names(text: str) -> Query:
    """The words of a text in both spellings, and in place of each thing that has other names any of them."""
    rest, parts = text, list[Query]()
    for thing in subjects(text):
        forms = dict.fromkeys(form for name in _different(thing)[:_SEARCHED] for form in _forms(name))
        if forms and thing.said in rest:
            rest = rest.replace(thing.said, " ", 1)
            parts.append(Or(parts=(_spelled(thing.said), *(Phrase(text=form) for form in forms)), best=True))
    return any_of([*([_spelled(rest)] if rest.strip() or not parts else []), *parts])


def _spelled(text: str) -> Words:
    others = [s for w in words.tokens(text) for s in spellings(w) if words.stem(s) == words.stem(w)]
    return Words(text=" ".join([text, *others]))


def in_words_of(question: str, text: str) -> str:
    """The text with every name of what the question is about replaced by the question's own words for it."""
    lower, read = text.lower(), text
    for start, pattern, said in _replacements(question):
        if start in lower:
            read = pattern.sub(said, read)
    return spelled_out(read, question)


@lru_cache(maxsize=64)
def _replacements(question: str) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """How each other name begins, how it is recognised, and the question's words for it; longer names first."""
    pairs = [(name, thing.said) for thing in subjects(question) for name in _different(thing)]
    pairs.sort(key=lambda pair: -len(pair[0]))
    return tuple((_PART.findall(name)[0].lower(), _pattern(name), said.replace("\\", "")) for name, said in pairs)


def _different(thing: Subject) -> list[str]:
    """The names that share not all words with what is said; a code may be written in another way."""
    said, found = frozenset(words.terms(thing.said)), dict[frozenset[str], str]()
    for name in thing.names:
        stems = frozenset(words.terms(name))
        if stems and "," not in name and not said <= stems:
            found.setdefault(stems, name)
    return [*([thing.said] if _CODE.match(thing.said) else []), *found.values()]


def _forms(name: str) -> list[str]:
    """A name; a code as one word and as its parts."""
    return [" ".join(_PART.findall(name)), "".join(_PART.findall(name))] if _is_code(name) else [name]


def _is_code(name: str) -> bool:
    return " " not in name and _CODE.match(name) is not None


def _thing(said: str, heading: str, kind: str, brackets: tuple[str, ...]) -> Subject:
    from medground.pubmed.mesh import vocabulary

    found = vocabulary().find(heading) if heading and kind == "concept" else None
    if found is None:
        return Subject(said, brackets, decides=kind in ("name", "abbreviation"))
    below = vocabulary().explode(found)
    names = [*brackets, *map(_ascii, (found.name, *found.entry_terms))]
    narrower = [_ascii(name) for one in below[1:_BELOW] for name in (one.name, *one.entry_terms)]
    decides = len(below) <= _BELOW and any(tree.startswith(_DECIDING) for tree in found.trees)
    return Subject(said, tuple(names), tuple(narrower), decides and not _is_ordinary(said))


def _bracketed(question: str, said: str) -> tuple[str, ...]:
    """What stands in brackets behind the words, such as an abbreviation."""
    before = ((question[: one.start()].rstrip().casefold(), one[1].strip()) for one in _BRACKETS.finditer(question))
    return tuple(name for text, name in before if name and _ascii(text).endswith(said.casefold()))


def _names(thing: Subject, text: str) -> bool:
    stems = frozenset(words.terms(text))
    if any(_is_in(name, text, stems) for name in (thing.said, *thing.names, *thing.narrower)):
        return True
    return not thing.names and thing.said.isalpha() and thing.said.islower() and _is_near(thing.said, stems)


def _is_in(name: str, text: str, stems: frozenset[str]) -> bool:
    """Whether a text has all words of a name, in any order; of a code or a short name, the name itself."""
    if len(name) > _SHORT and not _is_code(name):
        wanted = words.terms(name)
        return bool(wanted) and stems.issuperset(wanted)
    return _pattern(name).search(text) is not None


def _is_near(word: str, stems: Iterable[str]) -> bool:
    """Whether an unknown word is a slip of the pen for a word of a text."""
    stem = words.stem(word)
    most = 2 if len(stem) >= _SLIPS else 1
    return any(OSA.distance(stem, other, score_cutoff=most) <= most for other in stems if other[0] == stem[0])


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    """A name with or without its hyphens and spaces: HER2, HER-2 and HER 2; a short one only in its own case."""
    parts = r"[\s-]?".join(map(re.escape, _PART.findall(name)))
    return re.compile(rf"(?<!\w){parts}s?(?![^\W_])", 0 if len(name) <= _SHORT and name.isupper() else re.IGNORECASE)


def _is_ordinary(said: str) -> bool:
    return len(stems := words.terms(said)) <= 1 and all(words.weight(stem) < _ORDINARY for stem in stems)


def _is_unseen(word: str) -> bool:
    """Whether a word may be a name: not in abstracts, in MeSH or in what people ask."""
    from medground.language.risk.notices import people_say
    from medground.pubmed.mesh import vocabulary

    if len(word) < (_UNSEEN if word.islower() else _SHORT) or vocabulary().find(f"{word}s") or people_say(word):
        return False
    return bool(stems := words.terms(word)) and all(words.weight(stem) >= words.MOST for stem in stems)


def _ascii(text: str) -> str:
    """A text without accents: Behcet's for Behçet's."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
