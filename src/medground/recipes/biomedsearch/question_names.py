"""What a question names: every noun phrase with its MeSH heading, its kind and its fine dimension (D' of Eq. 2).

Source: BioMedSearch, section III.A. There is no parser: phrases end at verbs, prepositions and marks, and within them
the longest names of MeSH are found first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Literal

from medground.language import predicate_words as lists
from medground.language.mesh_terms import is_drug_name
from medground.language.noun_phrases import AUXILIARIES, PREPOSITIONS
from medground.language.noun_phrases import Thing as Phrase
from medground.language.word_lists import word_lists
from medground.language.words import FUNCTION_WORDS, QUESTION_WORDS, abstracts_with, stem, tokens
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground.sources.proteins.genes import genes_in, is_protein_name

LISTS = word_lists("research_words")


def matching(name: str) -> re.Pattern[str]:
    """The words of a list, or its patterns, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(sorted(LISTS[name]))})\b", re.IGNORECASE)


SAYS_GENE = matching("says gene")
PROTEIN_TREES = ("D08", "D12", "D23", "D06", "G05")


def gene_heading(symbol: str) -> Heading | None:
    """The MeSH heading of a gene or its protein, if MeSH has one: `BRCA1` is `BRCA1 Protein`, `cyp17a1` is CYP17."""
    plain = symbol.strip("'’")
    shorter = re.sub(r"(?<=\d)[A-Za-z]\d*$", "", plain)
    names = (plain, f"{plain} protein", f"genes {plain}", f"{plain} receptor", shorter)
    found = (vocabulary().find(name) for name in names if len(name) > 2)
    return next((one for one in found if one is not None and in_branches(one, PROTEIN_TREES)), None)


def in_branches(heading: Heading | None, branches: str | tuple[str, ...]) -> bool:
    """Whether a heading is in one of these branches of MeSH."""
    return heading is not None and any(tree.startswith(branches) for tree in heading.trees)


def is_symbol(token: str, question: str, start: int) -> bool:
    """Whether a word of a question is the symbol of a gene or a protein, and not the word that names it."""
    is_word = token[1:].isalpha() and token[1:].islower() and is_protein_name(token)
    return not is_word and any((one.start, one.name) == (start, token) for one in genes_in(question))


Kind = Literal[
    "gene",
    "drug",
    "procedure",
    "test",
    "microbe",
    "disease",
    "finding",
    "substance",
    "other",
    "name",
    "anatomy",
    "organism",
    "population",
    "place",
]
"""What kind of thing a question names; the likelier it is the subject, the earlier."""
_LONGEST = 7
"""Most words of a name of MeSH that is looked for."""
_MOST_MODIFIERS = 3
"""Words around a name of MeSH that stay part of it, such as `silent` in `silent myocardial ischaemia`."""
_LONGEST_PHRASE = 4

_MICROBES = ("B02", "B03", "B04", "B05", "B01.300", "B01.043")
_KINDS: tuple[tuple[tuple[str, ...], Kind], ...] = (
    (("C23",), "finding"),
    (("C", "F03"), "disease"),
    (("E02", "E03", "E04", "E06", "E07"), "procedure"),
    (("E01", "E05.196", "E05.200", "E05.242", "E05.478", "E05.601"), "test"),
    (_MICROBES, "microbe"),
    (("B01",), "organism"),
    (("M01",), "population"),
    (("Z",), "place"),
    (("D",), "substance"),
    (("A",), "anatomy"),
)
"""Branches of MeSH and the kind of thing in them; the first that fits counts, and anything else is `other`."""

_JOINED_BRANCHES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_MICROBES, ("C",)),
    (("C",), ("E02", "E04", "N02.421.726")),
    (("D",), ("D", "E02", "E07")),
)
"""Branches of two names of MeSH that stand side by side and are one: a disease after its microbe, and so on."""

_EMPTY_HEADINGS = frozenset(name.casefold() for name in LISTS["empty headings"])
"""Headings that say what is asked, or nothing; the words of a question choose dimensions by them instead."""

_GENERIC = LISTS["generic"]
_EMPTY = _GENERIC | QUESTION_WORDS | lists.ADVERBS
"""Words that name nothing by themselves; within a phrase they stay."""
_FUNCTION = FUNCTION_WORDS | PREPOSITIONS | AUXILIARIES | lists.ARTICLES
_ENDS = _FUNCTION | lists.DETERMINERS | lists.PREPOSITIONS | lists.ADVERBS | LISTS["phrase ends"]
"""Words that end a noun phrase, beside verbs."""
_NOUNS = frozenset(["protein", "gene", "cell", "enzyme", "drug", "disease", "treatment", "risk", "test", "growth"])
"""Words that say something where another noun follows: `protein synthesis`."""

_PEOPLE = re.compile("|".join(LISTS["people"] | LISTS["named people"]), re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_](?:[\w'’+/.-]*[\w+])?")
_MARK = re.compile(r"[,;:?!()\[\]\"“”]|\.\s|\s[-–—]+\s")
_ADVERB = re.compile(r"(?:[^m]e|al|ous|ive|ent|ant|ed|ab|ib|ar|ic|at)ly$")
_ADJECTIVE = re.compile(r"(?:al|ic|ous|ive|ar|ary|ory|oid)$")
_TREAT, _ACT, _TESTED = map(matching, ("treating", "acts", "tests"))
_COMMON_NOUN = re.compile(r"(?:ion|ment|ness|ity|ism|ing|ance|ence|ogy|ery|ure|age|hood|ship)s?$")
_LEVELS, _HELPS, _COMMENSAL = matching("levels"), matching("helps"), matching("commensal")


@dataclass(frozen=True)
class Thing:
    """Something that a question names.

    Attributes:
        words: as the question says it, with the words that narrow it.
        core: what MeSH has of it, as the question says it; `words` where MeSH has nothing.
        heading: its MeSH heading, or None.
        kind: what kind of thing.
        start: offset in the question.
        clause: the phrase that it is in; things of one phrase stand side by side.
    """

    words: str
    core: str
    heading: Heading | None
    kind: Kind
    start: int
    clause: int

    @property
    def end(self) -> int:
        """Offset of its end in the question."""
        return self.start + len(self.words)

    @property
    def dimension(self) -> str:
        """Its fine dimension: the branch of MeSH that it is in, else its kind."""
        if self.kind in ("gene", "organism", "population", "place"):
            return "gene or protein" if self.kind == "gene" else self.kind
        if self.heading is None or not self.heading.trees:
            return {"name": "term without a MeSH heading", "drug": "drug or chemical"}.get(self.kind, self.kind)
        path = vocabulary().path(self.heading.trees[0])
        return (path[0].name if path else self.kind).lower()


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    clause: int
    owns: bool
    """Whether it is a genitive, so that what follows is another thing: `psilocybin's value`."""

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@lru_cache(maxsize=512)
def things(question: str) -> tuple[Thing, ...]:
    """What a question names, in order, each once. `question` is one line."""
    found: dict[str, Thing] = {}
    for _, clause in groupby(_words(question), key=lambda word: word.clause):
        for thing in _in_clause(list(clause), question):
            key = thing.heading.name if thing.heading and thing.core == thing.words else thing.words
            if not any(_within(thing, other) for other in found.values()):
                found.setdefault(key.casefold(), thing)
    return tuple(sorted(found.values(), key=lambda one: one.start))


def _within(thing: Thing, other: Thing) -> bool:
    """Whether it is named already by a phrase of the same kind that holds its words."""
    return thing.heading == other.heading and f" {thing.words} ".casefold() in f" {other.words} ".casefold()


def _words(question: str) -> Iterator[_Word]:
    """The words that can be part of a name, numbered by their phrase."""
    clause, last = 0, 0
    for match in _TOKEN.finditer(question):
        if _MARK.search(question[last : match.start()]):
            clause += 1
        last = match.end()
        plain = re.sub(r"['’]s?$", "", match[0])
        yield _Word(plain, match.start(), clause, plain != match[0])


def _in_clause(words: Sequence[_Word], question: str) -> Iterator[Thing]:
    """The things between two marks: names of MeSH and symbols, with the words that narrow them, then other phrases."""
    spans: list[tuple[int, int, Heading | None]] = []
    at = 0
    while at < len(words):
        size, heading = _longest(words, at, question)
        if size:
            spans.append((at, at + size, heading))
        at += size or 1
    taken = {n for first, end, _ in spans for n in range(first, end)}
    free = [n for n in range(len(words)) if n not in taken and not _breaks(words, n)]
    for first, end, heading in spans:
        before = _run(free, first, -1) or _named_before(spans, first)
        after = [] if words[end - 1].owns else _run(free, end - 1, 1)
        after = list(takewhile(lambda n: words[n].lower not in lists.STATES, after))
        if any(other == end + len(after) for other, _, _ in spans):
            after = []  # words between two names belong to the later one
        free = [n for n in free if n not in (*before, *after)]
        trimmed = _trimmed(words, [*before, *range(first, end), *after], range(first, end))
        yield _thing(words, trimmed, (first, end), heading, question)
    for _, together in groupby(enumerate(free), key=lambda pair: pair[1] - pair[0]):
        trimmed = _without_first(words, [n for _, n in together][-_LONGEST_PHRASE:])
        if any(len(words[n].text) > 2 for n in trimmed):
            yield _thing(words, trimmed, (trimmed[0], trimmed[-1] + 1), None, question)


def _longest(words: Sequence[_Word], at: int, question: str) -> tuple[int, Heading | None]:
    """How many words from here on are one name, and its heading; 0 where none begins here."""
    if is_symbol(words[at].text, question, words[at].start):
        two = question[words[at].start : words[at + 1].end] if at + 1 < len(words) else ""
        if not (two and vocabulary().find(two)):
            own = vocabulary().find(words[at].text)
            is_other = own is not None and not in_branches(own, ("D08", "D12", "D23", "G05"))
            return 1, own if is_other else gene_heading(words[at].text)
    for size in range(min(_LONGEST, len(words) - at), 0, -1):
        first, last = words[at], words[at + size - 1]
        if size > 1 and (first.lower in _FUNCTION or last.lower in _FUNCTION):
            continue
        if size == 1 and (_breaks(words, at) or first.lower in _GENERIC or len(first.text) < 3):
            continue
        heading = vocabulary().find(question[first.start : last.end])
        if heading and not heading.is_publication_type and heading.name.casefold() not in _EMPTY_HEADINGS:
            return size, heading
    return int(is_drug_name(words[at].text)), None


def _thing(
    words: Sequence[_Word], chosen: Sequence[int], core: tuple[int, int], heading: Heading | None, question: str
) -> Thing:
    said = question[words[chosen[0]].start : words[chosen[-1]].end]
    middle = question[words[core[0]].start : words[core[1] - 1].end]
    thing = Thing(said, middle, heading, "other", words[chosen[0]].start, words[chosen[0]].clause)
    return replace(thing, kind=_kind(thing, words[core[0]], core[1] - core[0], question))


def _kind(thing: Thing, first: _Word, size: int, question: str) -> Kind:
    heading, symbol = thing.heading, size == 1 and is_symbol(first.text, question, first.start)
    if symbol and (heading is None or not heading.trees or in_branches(heading, PROTEIN_TREES)):
        return "gene"
    if size == 1 and is_drug_name(thing.core):
        return "drug"
    last = thing.words.split()[-1]
    if not symbol and (_ACT.fullmatch(last) or _TESTED.fullmatch(last)):
        return "procedure" if _ACT.fullmatch(last) else "test"
    if heading is None:
        return _of_unknown(thing, question)
    kind: Kind = next((kind for branches, kind in _KINDS if in_branches(heading, branches)), "other")
    if kind == "microbe" and _COMMENSAL.search(question):
        return "substance"
    protein, measured = in_branches(heading, ("D08", "D12.776")), _LEVELS.search(question) is not None
    if protein and SAYS_GENE.search(question) and not measured and thing.core == thing.words:
        return "gene"
    small = in_branches(heading, ("D01", "D02", "D03", "D04", "D20", "D26", "D27"))
    given = _TREAT.search(question) or (small and _HELPS.search(question) and not measured)
    return "drug" if kind == "substance" and not protein and given else kind


def _of_unknown(thing: Thing, question: str) -> Kind:
    """The kind of something that MeSH lacks: people; a drug where one treats with it and no paper's words have it."""
    if _PEOPLE.fullmatch(thing.words.split()[-1]):
        return "population"
    if Phrase(thing.words).is_disease:
        return "disease"
    said = [term for term in tokens(thing.words) if len(term) > 5 and not abstracts_with(stem(term))]
    plain = _COMMON_NOUN.search(thing.words) is not None or len(thing.words.split()) > 2
    return "drug" if said and not plain and _TREAT.search(question) else "name"


def _breaks(words: Sequence[_Word], n: int) -> bool:
    """Whether a word ends a noun phrase: a function word, a verb, a participle before a preposition."""
    word = words[n].lower
    following = words[n + 1].lower if n + 1 < len(words) else ""
    if word.isdigit():
        return following not in ("protein", "receptor", "gene", "kinase", "inhibitor")
    if word in _ENDS or not lists.VERBS.isdisjoint((word, word.removesuffix("s"), word.removesuffix("es"))):
        return True
    if word in QUESTION_WORDS and (not following or following in _FUNCTION):
        return True
    if word.endswith("ed") and word not in lists.NOT_PARTICIPLES and "-" not in word:
        return not following or following in _FUNCTION or not {word[:-2], word[:-1]}.isdisjoint(lists.VERBS)
    verbs = lists.VERBS | lists.OFTEN_VERBS
    return word.endswith("ing") and not {word[:-3], f"{word[:-3]}e", word[:-4]}.isdisjoint(verbs)


def _named_before(spans: Sequence[tuple[int, int, Heading | None]], first: int) -> list[int]:
    """The name right before another that is part of it: `Staphylococcus aureus bacteremia`, `influenza vaccination`."""
    own = next(heading for start, _, heading in spans if start == first)
    start, before = next(((start, heading) for start, end, heading in spans if end == first), (first, None))
    joined = any(in_branches(before, upper) and in_branches(own, lower) for upper, lower in _JOINED_BRANCHES)
    return list(range(start, first)) if joined else []


def _run(free: Sequence[int], at: int, step: int) -> list[int]:
    """The free words right before or after a name, at most a few."""
    found: list[int] = []
    while (at := at + step) in free and len(found) < _MOST_MODIFIERS:
        found.append(at)
    return sorted(found)


def _trimmed(words: Sequence[_Word], chosen: Sequence[int], core: range) -> list[int]:
    """A phrase without the words at its ends that name nothing; its core stays."""
    kept = list(chosen)
    while kept and kept[0] not in core and _is_empty(words[kept[0]].lower):
        if len(kept) > 1 and words[kept[0]].lower in _NOUNS and not _is_empty(words[kept[1]].lower):
            break
        kept.pop(0)
    while len(kept) > 1 and kept[-1] not in core and _is_empty(words[kept[-1]].lower):
        if _ADJECTIVE.search(words[kept[-2]].lower):
            break  # `musculoskeletal symptoms`
        kept.pop()
    return kept


def _without_first(words: Sequence[_Word], run: Sequence[int]) -> list[int]:
    """A phrase without a name of MeSH, without empty words before it; nothing where no word of it says anything."""
    kept = _trimmed(words, run, range(run[-1], run[-1] + 1))
    telling = [n for n in kept if not _is_empty(words[n].lower) and words[n].lower not in lists.STATES]
    return kept if telling else []


def _is_empty(word: str) -> bool:
    return word in _EMPTY or bool(_ADVERB.search(word)) or len(word) < 2
