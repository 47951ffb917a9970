"""Results of an audit: baselines that read nothing, and duplicate texts."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb
from typing import Self

from pydantic import NonNegativeInt

from medground.language import tokens
from medground.values import CLOSED, Described, Document, Frozen, Task, grouped
from medground_evaluate.items import Item
from medground_evaluate.statistics import wilson

Answers = frozenset[str]
"""All values of one answer: `{"yes"}`, `{"A", "C"}`."""


class Figure(Frozen):
    """A share of the items, with its 95 % Wilson interval.

    Attributes:
        count: the numerator; `of` is the denominator.
        words: what it means, in one line.
    """

    name: str
    count: NonNegativeInt
    of: NonNegativeInt
    share: float
    low: float
    high: float
    words: str

    @classmethod
    def counted(cls, name: str, count: int, of: int, words: str) -> Self:
        """The figure for `count` of `of`; if `of` is 0, the share is 0 and its interval (0, 1)."""
        low, high = wilson(count, of)
        return cls(name=name, count=count, of=of, share=count / of if of else 0.0, low=low, high=high, words=words)


class Baseline(Figure):
    """The accuracy of a strategy that skips the task. An answer is correct only if it equals the gold answer exactly.

    Attributes:
        blind: whether no evidence was read; False for the context without its question.
    """

    blind: bool = True


class Audit(Described):
    """The whole result. `baselines` come best first; `facts` are shares of items that are not accuracies."""

    items: int
    scored: int
    """items with a gold answer; baselines are computed over these"""
    baselines: tuple[Baseline, ...]
    facts: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


def tie_break(item: Item, letter: str) -> bytes:
    """Sort key that breaks ties between options at random, so that the first option gains nothing from its place."""
    return hashlib.sha256(f"{item.id}\n{letter}".encode()).digest()


def choices(item: Item) -> tuple[str, ...]:
    """The possible answers: letters of options, or yes, no (and maybe); empty for open questions."""
    if item.question.options:
        return tuple(option.letter for option in item.question.options)
    return CLOSED.get(item.question.task, ())


Guesses = Mapping[str, Answers]
"""Guessed answers by item id. An item without one gets the most common answer of its task."""


def most_common(items: Iterable[Item]) -> dict[Task, Answers]:
    """The most common gold answer of each task; ties go to the first in alphabetical order."""
    counts: dict[Task, Counter[tuple[str, ...]]] = {}
    for item in items:
        counts.setdefault(item.question.task, Counter())[tuple(sorted(item.gold))] += 1
    return {task: frozenset(min(golds.items(), key=lambda kv: (-kv[1], kv[0]))[0]) for task, golds in counts.items()}


def usual_number(items: Iterable[Item]) -> int:
    """The most frequent number of correct answers per item; 1 if there are no items."""
    counts = Counter(len(set(item.gold)) for item in items)
    return min(counts, key=lambda number: (-counts[number], number), default=1)


def scored(name: str, items: Sequence[Item], guesses: Guesses, words: str) -> Baseline:
    """The accuracy of the guesses over all items."""
    otherwise = most_common(items)
    right = sum(guesses.get(i.id, otherwise[i.question.task]) == frozenset(i.gold) for i in items)
    return Baseline.counted(name, right, len(items), words)


def chance(items: Sequence[Item]) -> Baseline:
    """The expected accuracy of a random answer: one value or, where several are correct, a set of the usual size."""
    several = usual_number(_with_several(items))
    expected = sum(_chance_of(item, several) for item in items)
    what = f", {several} letters where several are correct" if _with_several(items) else ""
    return Baseline.counted("chance", round(expected), len(items), f"an answer drawn at random{what} (expected)")


def majority(items: Sequence[Item]) -> Baseline:
    """Always the most common answer of the task, counted on these same items."""
    shown = ", ".join(f"{' + '.join(sorted(gold))!r}" for gold in most_common(items).values())
    return scored("majority class", items, {}, f"always {shown}")


def longest(items: Sequence[Item]) -> Baseline | None:
    """The longest option, or as many as are usually right where several are; None if no item has options.

    Ties in length are broken at random, always the same way.
    """
    with_options = [i for i in items if i.question.options]
    if not with_options:
        return None
    several = usual_number(_with_several(with_options))
    guesses = {}
    for i in with_options:
        ranked = sorted(i.question.options, key=lambda option: (-len(option.text), tie_break(i, option.letter)))
        best = ranked[: several if i.question.task == "multiple-choice" else 1]
        guesses[i.id] = frozenset(option.letter for option in best)
    plural = several > 1 and bool(_with_several(with_options))
    name = f"{several} longest options" if plural else "longest option"
    return scored(name, items, guesses, "the options with the most characters, without reading them")


def positions(items: Sequence[Item]) -> list[Figure]:
    """How often the option at each position is correct, among the items that have an option there."""
    with_options = [i for i in items if i.question.options]
    most = max((len(i.question.options) for i in with_options), default=0)
    figures = []
    for place in range(most):
        there = [i for i in with_options if len(i.question.options) > place]
        right = sum(i.question.options[place].letter in i.gold for i in there)
        fair = sum(len(set(i.gold)) / len(i.question.options) for i in there) / len(there)
        words = f"{fair:.1%} if correct answers were spread evenly"
        figures.append(Figure.counted(f"option {place + 1} is right", right, len(there), words))
    return figures


def numbers(items: Sequence[Item]) -> Figure | None:
    """How often an item has the usual number of correct answers; None if no item can have several."""
    several = _with_several(items)
    if not several:
        return None
    number = usual_number(several)
    count = sum(len(set(i.gold)) == number for i in several)
    return Figure.counted("number of right answers", count, len(several), f"exactly {number} correct answers")


def _chance_of(item: Item, several: int) -> float:
    values = len(choices(item))
    if item.question.task != "multiple-choice":
        return 1 / values if values else 0.0
    return 1 / comb(values, several) if len(set(item.gold)) == several else 0.0


def _with_several(items: Iterable[Item]) -> list[Item]:
    """The items of which several values may be right."""
    return [i for i in items if i.question.task == "multiple-choice"]


SHINGLE = 3
SAME = 0.7
FEWEST_WORDS = 8
"""Questions with fewer words are not looked for in a corpus: they could occur anywhere."""
_WIDESPREAD = 30
"""A shingle that more texts than this share is how the set phrases its questions, and is not compared."""

Shingles = frozenset[tuple[str, ...]]


def shingles_of(text: str) -> Shingles:
    """All sequences of `SHINGLE` words, lower-cased and without punctuation; a shorter text is one shingle."""
    words = tokens(text)
    return frozenset(tuple(words[n : n + SHINGLE]) for n in range(max(1, len(words) - SHINGLE + 1)) if words)


def near_pairs(items: Sequence[Item]) -> list[tuple[int, int]]:
    """Index pairs of items whose questions, with all options, are near-duplicates; the smaller index first."""
    shingles = [shingles_of(_asked(item)) for item in items]
    found = ((one, other, min(len(shingles[one]), len(shingles[other]))) for one, other in _candidates(shingles))
    return [(one, other) for one, other, n in found if len(shingles[one] & shingles[other]) >= SAME * n]


def groups_of(items: Sequence[Item], pairs: Iterable[tuple[int, int]]) -> dict[str, int]:
    """A group number for each item id, shared by the items of one group and by near-duplicates."""
    parent = list(range(len(items)))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    first: dict[str, int] = {}
    for n, item in enumerate(items):
        if item.group:
            parent[root(n)] = root(first.setdefault(item.group, n))
    for one, other in pairs:
        parent[root(one)] = root(other)
    return {item.id: root(n) for n, item in enumerate(items)}


def duplicates(items: Sequence[Item], pairs: Sequence[tuple[int, int]]) -> list[Figure]:
    """How many items have a duplicate, or a near-duplicate."""
    texts = Counter(tuple(tokens(_asked(item))) for item in items)
    same = sum(count for count in texts.values() if count > 1)
    near = len({n for pair in pairs for n in pair})
    words = "another item has the same question and options, word for word"
    nearly = f"another item shares {SAME:.0%} of its {SHINGLE}-word sequences"
    return [
        Figure.counted("asked twice", same, len(items), words),
        Figure.counted("nearly twice", near, len(items), nearly),
    ]


def between_splits(items: Sequence[Item], pairs: Sequence[tuple[int, int]]) -> list[Figure]:
    """How many items occur in another split too; empty if there is only one split."""
    if len({item.split for item in items}) < 2:
        return []
    twice = {n for one, other in pairs if items[one].split != items[other].split for n in (one, other)}
    where = grouped((item.group, item.split) for item in items)
    shared = sum(bool(item.group) and len(set(where[item.group])) > 1 for item in items)
    same, about = "another split has nearly the same question", "another split asks about the same document or case"
    return [
        Figure.counted("question in another split", len(twice), len(items), same),
        Figure.counted("group in another split", shared, len(items), about),
    ]


def with_corpus(items: Sequence[Item], documents: Iterable[Document]) -> list[Figure]:
    """How much of a set is in a corpus: its own documents, and its questions word for word.

    Reads every document once.
    """
    own = {i for item in items for i in item.documents}
    asked = {n: item.question.text for n, item in enumerate(items)}
    wanted = {n: shingles_of(text) for n, text in asked.items() if len(tokens(text)) >= FEWEST_WORDS}
    index = grouped((shingle, n) for n, shingles in wanted.items() for shingle in shingles)
    present = set[str]()
    quoted = set[int]()
    for document in documents:
        if document.id in own:
            present.add(document.id)
        there = shingles_of(document.title) | shingles_of(document.text)
        hits = Counter(n for shingle in there for n in index.get(shingle, ()))
        quoted.update(n for n, count in hits.items() if count >= SAME * len(wanted[n]))
    named = [item for item in items if item.documents]
    held = sum(any(i in present for i in item.documents) for item in named)
    words = f"a document has {SAME:.0%} of its {SHINGLE}-word sequences"
    counted = (
        ("own document in the corpus", held, len(named), "the corpus has a document that the set names"),
        ("question in the corpus", len(quoted), len(wanted), words),
    )
    return [Figure.counted(*one) for one in counted if one[2]]


def _asked(item: Item) -> str:
    return " ".join([item.question.text, *sorted(option.text for option in item.question.options)])


def _candidates(texts: Sequence[Shingles]) -> list[tuple[int, int]]:
    holders = grouped((shingle, n) for n, shingles in enumerate(texts) for shingle in shingles)
    shared = (places for places in holders.values() if 1 < len(places) <= _WIDESPREAD)
    return sorted({(one, other) for places in shared for k, one in enumerate(places) for other in places[k + 1 :]})
