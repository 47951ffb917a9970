"""Duplicate texts: within a set, between its splits, and in the corpus that is searched.

Two texts are near-duplicates if at least `SAME` of the shorter one's shingles (sequences of `SHINGLE` words) are in
the other: in a question of usual length one word may differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from medground.language.words import tokens
from medground.values.document import Document
from medground_evaluate.audit.baselines import Figure
from medground_evaluate.items import Item

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
    return [pair for pair in _candidates(shingles) if _same(shingles[pair[0]], shingles[pair[1]])]


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
            "nearly twice", near, len(items), f"another item shares {SAME:.0%} of its {SHINGLE}-word sequences"
        ),
    ]


def between_splits(items: Sequence[Item], pairs: Sequence[tuple[int, int]]) -> list[Figure]:
    """How many items occur in another split too; empty if there is only one split."""
    if len({item.split for item in items}) < 2:
        return []
    twice = {n for one, other in pairs if items[one].split != items[other].split for n in (one, other)}
    where: dict[str, set[str]] = defaultdict(set)
    for item in items:
        where[item.group].add(item.split)
    shared = sum(bool(item.group) and len(where[item.group]) > 1 for item in items)
    return [
        Figure.counted(
            "question in another split", len(twice), len(items), "another split has nearly the same question"
        ),
        Figure.counted(
            "group in another split", shared, len(items), "another split asks about the same document or case"
        ),
    ]


def with_corpus(items: Sequence[Item], documents: Iterable[Document]) -> list[Figure]:
    """How much of a set is in a corpus: its own documents, and its questions word for word.

    Reads every document once.
    """
    own = {i for item in items for i in item.documents}
    wanted = {n: shingles for n, item in enumerate(items) if (shingles := _findable(item))}
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, shingles in wanted.items():
        for shingle in shingles:
            index[shingle].append(n)
    present: set[str] = set()
    quoted: set[int] = set()
    for document in documents:
        if document.id in own:
            present.add(document.id)
        quoted.update(_quoted(document, index, wanted))
    named = [item for item in items if item.documents]
    there = sum(any(i in present for i in item.documents) for item in named)
    figures = [
        Figure.counted("own document in the corpus", there, len(named), "the corpus has a document that the set names"),
        Figure.counted(
            "question in the corpus",
            len(quoted),
            len(wanted),
            f"a document has {SAME:.0%} of its {SHINGLE}-word sequences",
        ),
    ]
    return [figure for figure in figures if figure.of]


def _quoted(document: Document, index: dict[tuple[str, ...], list[int]], wanted: dict[int, Shingles]) -> Iterator[int]:
    hits: dict[int, int] = defaultdict(int)
    for shingle in shingles_of(document.title) | shingles_of(document.text):
        for n in index.get(shingle, ()):
            hits[n] += 1
    return (n for n, count in hits.items() if count >= SAME * len(wanted[n]))


def _findable(item: Item) -> Shingles:
    return shingles_of(item.question.text) if len(tokens(item.question.text)) >= FEWEST_WORDS else frozenset()


def _asked(item: Item) -> str:
    return " ".join([item.question.text, *sorted(option.text for option in item.question.options)])


def _candidates(texts: Sequence[Shingles]) -> list[tuple[int, int]]:
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, shingles in enumerate(texts):
        for shingle in shingles:
            holders[shingle].append(n)
    shared = (places for places in holders.values() if 1 < len(places) <= _WIDESPREAD)
    return sorted({(one, other) for places in shared for k, one in enumerate(places) for other in places[k + 1 :]})


def _same(one: Shingles, other: Shingles) -> bool:
    fewer = min(len(one), len(other))
    return fewer > 0 and len(one & other) >= SAME * fewer
