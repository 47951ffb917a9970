"""The same text twice: inside a set, in two of its splits, and in the corpus that is searched.

Two texts are nearly the same when at least `SAME` of the shorter one's runs of `RUN` words stand in the other: in a
question of usual length one word may differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from medground.document import Document
from medground.evaluate.audit.base import Figure
from medground.evaluate.base import Item
from medground.text.words import tokens

RUN = 3
SAME = 0.7
FEWEST_WORDS = 8
"""Questions with fewer words are not looked for in a corpus: they may stand anywhere."""
_WIDESPREAD = 30
"""A run of words that more texts than this have is how the set asks, and makes nothing a candidate."""

Runs = frozenset[tuple[str, ...]]


def runs_of(text: str) -> Runs:
    """All runs of `RUN` words, in small letters and without punctuation; a shorter text is one run."""
    words = tokens(text)
    return frozenset(tuple(words[n : n + RUN]) for n in range(max(1, len(words) - RUN + 1)) if words)


def near_pairs(items: Sequence[Item]) -> list[tuple[int, int]]:
    """Places of two items whose questions with all options are nearly the same; the smaller place first."""
    runs = [runs_of(_asked(item)) for item in items]
    return [pair for pair in _candidates(runs) if _same(runs[pair[0]], runs[pair[1]])]


def groups_of(items: Sequence[Item], pairs: Iterable[tuple[int, int]]) -> dict[str, int]:
    """A number for each item id: the same for items of one group, and for those that are nearly the same."""
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
    """How many items have another one that is the same, or nearly the same."""
    texts: dict[tuple[str, ...], int] = defaultdict(int)
    keys = [tuple(tokens(_asked(item))) for item in items]
    for key in keys:
        texts[key] += 1
    same = sum(texts[key] > 1 for key in keys)
    near = len({n for pair in pairs for n in pair})
    return [
        Figure.counted(
            "asked twice", same, len(items), "another item has the same question and options, word for word"
        ),
        Figure.counted(
            "nearly twice", near, len(items), f"another item has {SAME:.0%} of the same runs of {RUN} words"
        ),
    ]


def between_splits(items: Sequence[Item], pairs: Sequence[tuple[int, int]]) -> list[Figure]:
    """How many items of one split are in another one too; nothing where there is one split only."""
    if len({item.split for item in items}) < 2:
        return []
    twice = {n for one, other in pairs if items[one].split != items[other].split for n in (one, other)}
    where: dict[str, set[str]] = defaultdict(set)
    for item in items:
        where[item.group].add(item.split)
    shared = sum(bool(item.group) and len(where[item.group]) > 1 for item in items)
    return [
        Figure.counted("question in another split", len(twice), len(items), "nearly the same question there"),
        Figure.counted("group in another split", shared, len(items), "the same document or case is asked about there"),
    ]


def with_corpus(items: Sequence[Item], documents: Iterable[Document]) -> list[Figure]:
    """How much of a set stands in a corpus: its own documents, and its questions word for word.

    Reads every document once.
    """
    own = {i for item in items for i in item.documents}
    wanted = {n: runs for n, item in enumerate(items) if (runs := _findable(item))}
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, runs in wanted.items():
        for run in runs:
            index[run].append(n)
    present: set[str] = set()
    quoted: set[int] = set()
    for document in documents:
        if document.id in own:
            present.add(document.id)
        quoted.update(_quoted(document, index, wanted))
    named = [item for item in items if item.documents]
    there = sum(any(i in present for i in item.documents) for item in named)
    figures = [
        Figure.counted("own document in the corpus", there, len(named), "a document that the set names is there"),
        Figure.counted(
            "question in the corpus", len(quoted), len(wanted), f"a document has {SAME:.0%} of its runs of {RUN} words"
        ),
    ]
    return [figure for figure in figures if figure.of]


def _quoted(document: Document, index: dict[tuple[str, ...], list[int]], wanted: dict[int, Runs]) -> Iterator[int]:
    hits: dict[int, int] = defaultdict(int)
    for run in runs_of(document.title) | runs_of(document.text):
        for n in index.get(run, ()):
            hits[n] += 1
    return (n for n, count in hits.items() if count >= SAME * len(wanted[n]))


def _findable(item: Item) -> Runs:
    return runs_of(item.question.text) if len(tokens(item.question.text)) >= FEWEST_WORDS else frozenset()


def _asked(item: Item) -> str:
    return " ".join([item.question.text, *sorted(option.text for option in item.question.options)])


def _candidates(texts: Sequence[Runs]) -> list[tuple[int, int]]:
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, runs in enumerate(texts):
        for run in runs:
            holders[run].append(n)
    shared = (places for places in holders.values() if 1 < len(places) <= _WIDESPREAD)
    return sorted({(one, other) for places in shared for k, one in enumerate(places) for other in places[k + 1 :]})


def _same(one: Runs, other: Runs) -> bool:
    fewer = min(len(one), len(other))
    return fewer > 0 and len(one & other) >= SAME * fewer
