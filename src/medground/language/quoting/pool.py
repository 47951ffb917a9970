"""A question as sentences are compared with it; the documents that a search found, as stems, what they have in common,
and the parts of a paper by their headings.
"""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from medground.language import words
from medground.language.question_reading import Asked, reading_of
from medground.language.word_lists import forms

_PIECE = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[,;:?()/]")


@dataclass(frozen=True)
class Wanted:
    """A question as the sentences are compared with it.

    Attributes:
        reading: all else that is read in it.
        terms: its content stems, in order, without repeats.
        weights: the weight of each.
        names: which of the terms belong to names, as far as their form and rarity tell.
        rarest: the term that most likely names the subject; empty without terms.
        pairs: pairs of neighbouring terms.
        near: pairs of terms at most three apart, in order.
        topic: the terms that say what it is about.
        parts: the terms of each stretch between words that say nothing of the topic, such as a drug and a disease.
        kinds: what it asks for (`question_kinds.KINDS`).
        options: stems of the answer options that the question does not have.
        claim: whether it is a statement, not a question.
    """

    reading: Asked
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    names: frozenset[str]
    rarest: str
    pairs: frozenset[tuple[str, str]]
    near: frozenset[tuple[str, str]]
    topic: frozenset[str]
    parts: tuple[tuple[str, ...], ...]
    kinds: frozenset[str]
    options: frozenset[str]
    claim: bool


@lru_cache(maxsize=64)
def asked(question: str, options: str = "") -> Wanted:
    """Read a question, with the texts of its options if it has any."""
    whole = reading_of(question)
    reading, content = reading_of(whole.core), words.terms(whole.core)
    topic, names = reading.topic, reading.names
    terms = tuple(dict.fromkeys(content))
    weights = tuple(words.weight(t) * (1.0 if t in topic else 0.4) for t in terms)
    ranked = sorted(terms, key=lambda t: (t in names, t in topic, words.weight(t), len(t)))
    return Wanted(
        reading=whole,
        terms=terms,
        weights=weights,
        names=names & set(terms),
        rarest=ranked[-1] if ranked else "",
        pairs=frozenset(pairwise(content)),
        near=frozenset((one, other) for n, one in enumerate(terms) for other in terms[n + 1 : n + 4]),
        topic=topic,
        parts=_parts(whole.core, topic) or (terms,),
        kinds=reading.kinds,
        options=frozenset(words.terms(options)) - set(terms),
        claim=not whole.core.rstrip().endswith("?"),
    )


def _parts(question: str, topic: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    parts: list[list[str]] = [[]]
    for piece in _PIECE.findall(question):
        stems = [term for term in words.terms(piece) if term in topic]
        if stems:
            parts[-1] += stems
        elif parts[-1]:
            parts.append([])
    return tuple(tuple(dict.fromkeys(part)) for part in parts if part)


CENTRE_TERMS = 60


@dataclass(frozen=True)
class Candidate:
    """A document to quote from, or what was found of it.

    Attributes:
        title: its title.
        sentences: the sentences in text order.
        by_words: its best score of the ranking by words, divided by the best of all documents; 0 to 1, 0 if unknown.
        by_meaning: its cosine with the question; 0 if unknown.
        headings: for each sentence, the heading over it; empty if there are none.
    """

    title: str
    sentences: Sequence[str]
    by_words: float = 0.0
    by_meaning: float = 0.0
    headings: Sequence[str | None] = ()

    def heading(self, sentence: int) -> str | None:
        """The heading over a sentence, by its number."""
        return self.headings[sentence] if self.headings else None


class Pool:
    """What the features compare a sentence with.

    Attributes:
        titles: the stems of each title.
        sentences: the stems of each sentence of each document.
        bodies: the distinct stems of each document.
        weight: the weight of each term of the question.
        rarity: how rare each term of the question is among the documents.
        key: the topic's term that is rarest here, if some document has it; else empty.
        second: the next one; `key` again if there is none.
    """

    def __init__(self, asked: Wanted, candidates: Sequence[Candidate]) -> None:
        self.asked, self.candidates = asked, candidates
        self.wanted = frozenset(asked.terms)
        self.titles = [words.terms(c.title) for c in candidates]
        self.sentences = [[words.terms(s) for s in c.sentences] for c in candidates]
        self.bodies = [{*t, *(w for s in b for w in s)} for t, b in zip(self.titles, self.sentences, strict=True)]
        self.weight = dict(zip(asked.terms, asked.weights, strict=True))
        self.total = sum(asked.weights) or 1.0
        self.names = {t: w for t, w in self.weight.items() if t in asked.names}
        self.name_total = sum(self.names.values()) or 1.0
        parts = [[(t, words.weight(t)) for t in sorted(set(part))] for part in asked.parts]
        self.parts = [(part, sum(weight for _, weight in part)) for part in parts]
        lengths = [len(s) for b in self.sentences for s in b]
        self.mean_length = (sum(lengths) / len(lengths) if lengths else 1.0) or 1.0
        self._rarities()
        self._centre()

    def _rarities(self) -> None:
        count = len(self.bodies)
        held = {t: sum(t in body for body in self.bodies) for t in self.asked.terms}
        self.rarity = {t: math.log((count + 1) / (held[t] + 0.5)) for t in self.asked.terms}
        self.rarity_total = sum(self.rarity.values()) or 1.0
        self.there = {t: r for t, r in self.rarity.items() if held[t]}
        self.most = max(self.there.values(), default=0.0) or 1.0
        keys = sorted(
            (t for t in self.there if t in self.asked.topic), key=lambda t: (-self.rarity[t] - 0.3 * words.weight(t), t)
        )
        self.key = keys[0] if keys else ""
        self.second = keys[1] if len(keys) > 1 else self.key
        self.best_names = max((self.of_names(body) for body in self.bodies), default=0.0)

    def _centre(self) -> None:
        """How much the documents, weighted by rank, speak of each stem that the question does not have."""
        shares = [1.0 / (place + 4) for place in range(len(self.bodies))]
        whole = sum(shares) or 1.0
        self.shares = [s / whole for s in shares]
        mass: dict[str, float] = {}
        for share, body in zip(self.shares, self.bodies, strict=True):
            for term in body:
                mass[term] = mass.get(term, 0.0) + share
        scored = {t: m * words.weight(t) for t, m in mass.items() if t not in self.weight}
        best = sorted(scored, key=lambda t: (-scored[t], t))[:CENTRE_TERMS]
        self.centre = {t: (scored[t], words.weight(t)) for t in best}
        self.centre_total = sum(scored[t] for t in best) or 1.0

    def of_centre(self, found: Collection[str], document: int) -> float:
        """The share of the centre in a text, without what its own document adds to the centre."""
        own = self.shares[document]
        held = (self.centre[t] for t in found if t in self.centre)
        return sum(sorted(max(0.0, mass - own * weight) for mass, weight in held)) / self.centre_total

    # `held` is always the set of the question's terms that a text has.

    def cover(self, held: Collection[str]) -> float:
        """The share of the question, by weight."""
        return sum(w for t, w in self.weight.items() if t in held) / self.total

    def of_names(self, held: Collection[str]) -> float:
        """The share of the question's names, by weight."""
        return sum(w for t, w in self.names.items() if t in held) / self.name_total

    def rare_cover(self, held: Collection[str]) -> float:
        """The share of the question, by rarity among the documents."""
        return sum(r for t, r in self.rarity.items() if t in held) / self.rarity_total

    def missing(self, held: Collection[str]) -> float:
        """The rarity of the rarest term that is missing but is in some document, as a share of the rarest of all."""
        return max((r for t, r in self.there.items() if t not in held), default=0.0) / self.most

    def heaviest_missing(self, held: Collection[str]) -> float:
        """The weight of the heaviest term that is missing, as a share of the greatest weight there is."""
        return max((w for t, w in self.weight.items() if t not in held), default=0.0) / words.MOST

    def weakest_part(self, held: Collection[str]) -> float:
        """The share, by weight, of the part of the question that is covered least."""
        return min(
            sum(weight for term, weight in part if term in held) / total if total else 0.0 for part, total in self.parts
        )

    def bm25(self, terms: Sequence[str], held: Collection[str]) -> float:
        """Okapi BM25 of a sentence, with the question's weights."""
        norm = 1.2 * (0.25 + 0.75 * len(terms) / self.mean_length)
        counts = ((w, terms.count(t)) for t, w in self.weight.items() if t in held)
        return sum(w * n * 2.2 / (n + norm) for w, n in counts)


_I = re.IGNORECASE

PARTS = forms("parts")
"""By part, how its heading begins. The first that fits counts."""
NAMES = ("abstract", *PARTS)
FOUND = ("conclusion", "results", "discussion")
"""Parts in which a paper says what it found."""
_NUMBER = re.compile(r"^(?:(?:\d+|[ivx]+)[.)]\s*)*(?:\d+(?:\.\d+)*\s+)?", _I)
_ABSTRACT = re.compile(r"(?:structured )?abstract\b|summary\s*>", _I)
_BOTH = re.compile(r"\b(?:results?|methods?|discussions?)\W+(?:and|&)\W+(.+)$", _I)


@lru_cache(maxsize=4096)
def parts(heading: str | None) -> tuple[float, ...]:
    """1.0 for each part of a paper that a heading names, in the order of `NAMES`.

    Args:
        heading: the heading with those above it, as in `Abstract > Results`; None if there is none.

    The heading nearest to the text that names a part counts: `Discussion > Conclusions` is a conclusion. Of a part
    with two names, such as `Results and discussion`, both count.
    """
    found = dict.fromkeys(NAMES, 0.0)
    levels = [_NUMBER.sub("", level.strip()) for level in (heading or "").split(">")]
    found["abstract"] = float(bool(_ABSTRACT.match(heading or "")))
    for level in reversed(levels):
        second = _BOTH.search(level)
        names = (level, second[1]) if second else (level,)
        named = [part for name in names if (part := next((p for p, form in PARTS.items() if form.match(name)), ""))]
        if named:
            found.update(dict.fromkeys(named, 1.0))
            break
    return tuple(found.values())


def log_sum(strengths: Iterable[float]) -> float:
    """The logarithm of the summed exponentials; minus infinity for none."""
    values = list(strengths)
    most = max(values, default=-math.inf)
    return most + math.log(sum(math.exp(value - most) for value in values)) if math.isfinite(most) else most
