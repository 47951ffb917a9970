"""What plans of sources find: gold evidence, kept lookups, the plans compared, and which questions may be counted."""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from paired_means import MeanDifference, mean_difference

from medground.language import words
from medground.recipes.omni_rag.by_words import Sought, by_words, graph_terms, plan
from medground.values.document import Frozen, Hit, SourceKind
from medground_evaluate.items import Item

_DECIDED = frozenset({"yes", "no", "maybe"})
_LONGEST = 12
"""Most words of an option that is looked for letter by letter; longer ones are never repeated as they are."""


@dataclass(frozen=True)
class Gold:
    """What to find.

    Attributes:
        documents: ids of the gold papers; empty if the set names none.
        terms: distinct stems of the gold answer that the question does not give away, sorted; empty for yes and no.
        exact: for each part of the exact answer, its names as words between single spaces.
    """

    documents: frozenset[str]
    terms: tuple[str, ...]
    exact: tuple[tuple[str, ...], ...]

    @property
    def any(self) -> bool:
        """Whether there is anything to find."""
        return bool(self.documents or self.terms or self.exact)


@dataclass(frozen=True)
class Seen:
    """What a passage holds of a gold answer: bit n is the n-th term, or the n-th part of the exact answer."""

    terms: int
    exact: int


def gold_of(item: Item) -> Gold:
    """What to find for an item."""
    options = {option.letter: option.text for option in item.question.options}
    chosen = [options[letter] for letter in item.gold if letter in options]
    answer = item.reference or " ".join(chosen)
    given = set(words.terms(item.question.text))
    own = sorted(set(words.terms(answer)) - given) if answer.strip().lower() not in _DECIDED else []
    return Gold(frozenset(item.documents), tuple(own), tuple(_exact(item, chosen)))


def seen_in(text: str, gold: Gold) -> Seen:
    """What a passage holds; `text` is its title and text."""
    present = set(words.terms(text))
    plain = _plain(text)
    return Seen(
        terms=sum(1 << n for n, term in enumerate(gold.terms) if term in present),
        exact=sum(1 << n for n, names in enumerate(gold.exact) if any(f" {name} " in plain for name in names)),
    )


def covered(gold: Gold, terms: int) -> float | None:
    """Share, by weight, of the answer's own words that are in `terms`; None if it has none."""
    if not gold.terms:
        return None
    return words.coverage(gold.terms, (term for n, term in enumerate(gold.terms) if terms >> n & 1))


def named(gold: Gold, exact: int) -> float | None:
    """Share of the parts of the exact answer that are in `exact`; None if there is none."""
    return exact.bit_count() / len(gold.exact) if gold.exact else None


def _exact(item: Item, chosen: list[str]) -> Iterator[tuple[str, ...]]:
    """The parts of BioASQ's exact answer with their synonyms; of a question with options, the correct one."""
    for part in _parts(item.extra.get("exact", chosen)):
        names = tuple(name for name in (_plain(one).strip() for one in part) if name and name not in _DECIDED)
        if names and any(len(name.split()) <= _LONGEST for name in names):
            yield names


def _parts(exact: Any) -> list[list[str]]:
    """BioASQ's `[["a", "synonym of a"], ["b"]]`, `["a"]` or `a`, as parts with their names."""
    parts = exact if isinstance(exact, list) else [exact]
    return [[str(name) for name in part] if isinstance(part, list) else [str(part)] for part in parts]


def _plain(text: str) -> str:
    """Its words in lower case between single spaces, with one at each end."""
    return f" {' '.join(words.tokens(text))} "


class Passed(Frozen):
    """A passage that a lookup found: where it is and what it holds of the gold answer, without its text."""

    key: str
    document: str
    size: int
    terms: int = 0
    exact: int = 0


class LookedUp(Frozen):
    """A lookup and what it found, best first."""

    sought: Sought
    passages: tuple[Passed, ...]
    seconds: float


class Row(Frozen):
    """The lookups of one question; `has_paper`: whether the sources hold one of its gold papers."""

    dataset: str
    id: str
    has_paper: bool = False
    lookups: tuple[LookedUp, ...] = ()

    def found(self, sought: Sought) -> LookedUp | None:
        """What a lookup found; None if it was not made."""
        return next((one for one in self.lookups if one.sought == sought), None)


Search = Callable[[Sought], Awaitable[Sequence[Hit]]]
"""The best passages of a source for a query."""


async def look_up(row: Row, wanted: Iterable[Sought], gold: Gold, search: Search) -> Row:
    """The row with these lookups; those that it has are not made again."""
    made = list(row.lookups)
    for sought in dict.fromkeys(wanted):
        if row.found(sought) is None:
            begun = time.perf_counter()
            hits = await search(sought)
            seconds = time.perf_counter() - begun
            made.append(LookedUp(sought=sought, passages=tuple(_passed(h, gold) for h in hits), seconds=seconds))
    return row.model_copy(update={"lookups": tuple(made)})


def read_rows(path: Path) -> dict[tuple[str, str], Row]:
    """The rows of a file, the last of each question; empty if there is no file. A truncated last line is left out."""
    if not path.exists():
        return {}
    rows = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            row = Row.model_validate(json.loads(line))
        except ValueError:
            continue
        rows[row.dataset, row.id] = row
    return rows


def append_row(row: Row, path: Path) -> None:
    """Add a row; it takes the place of an earlier one of the same question."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        torn = size > 0 and file.read(1) != b"\n"  # a killed run left half a line
        file.write((("\n" if torn else "") + row.model_dump_json() + "\n").encode())


def _passed(hit: Hit, gold: Gold) -> Passed:
    passage = hit.passage
    text = f"{passage.title} {passage.text}"
    seen = seen_in(text, gold)
    return Passed(key=passage.key, document=passage.document_id, size=len(text), terms=seen.terms, exact=seen.exact)


PASSAGES = 20
"""Passages that are read, however many lookups found them (Omni-RAG, section 5.1.2, and the recipe's default)."""

Plans = Mapping[str, Sequence[Sought]]
"""The plan of each strategy for one question."""


@dataclass(frozen=True)
class Outcome:
    """What one plan found for one question.

    Attributes:
        paper: 1 if a gold paper is among the passages; None if the sources hold none.
        words: share by weight of the answer's own words in the passages; None if it has none.
        exact: share of the parts of the exact answer that they name; None if there is none.
        characters: of the passages.
        seconds: of its lookups, one after the other.
    """

    lookups: int
    paper: float | None
    words: float | None
    exact: float | None
    characters: int
    seconds: float


MEASURES: Mapping[str, Callable[[Outcome], float | None]] = {
    "gold paper": lambda one: one.paper,
    "answer's words": lambda one: one.words,
    "exact answer": lambda one: one.exact,
}


def outcome(row: Row, plan: Sequence[Sought], gold: Gold, *, own: bool = True) -> Outcome:
    """What a plan found.

    Args:
        own: whether the gold papers may be read; without, they are as if the sources did not hold them.
    """
    made = [found for sought in dict.fromkeys(plan) if (found := row.found(sought)) is not None]
    read = share_out([_allowed(one, gold, own=own) for one in made], PASSAGES)
    terms = exact = 0
    for passage in read:
        terms |= passage.terms
        exact |= passage.exact
    counted = own and row.has_paper
    return Outcome(
        lookups=len(made),
        paper=float(any(passage.document in gold.documents for passage in read)) if counted else None,
        words=covered(gold, terms),
        exact=named(gold, exact),
        characters=sum(passage.size for passage in read),
        seconds=sum(one.seconds for one in made),
    )


def share_out(lists: Sequence[Sequence[Passed]], most: int) -> list[Passed]:
    """At most `most` different passages: the best of each list in turn, then the second of each, and so on."""
    chosen: dict[str, Passed] = {}
    for rank in range(max(map(len, lists), default=0)):
        for one in lists:
            if rank < len(one) and len(chosen) < most:
                chosen.setdefault(one[rank].key, one[rank])
    return list(chosen.values())


def _allowed(found: LookedUp, gold: Gold, *, own: bool) -> Sequence[Passed]:
    if own:
        return found.passages
    return [passage for passage in found.passages if passage.document not in gold.documents]


@dataclass(frozen=True)
class MeanOf:
    """A mean over the questions that have the measure, with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    of: int


def mean_of(values: Sequence[float | None]) -> MeanOf | None:
    """The mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    found = mean_difference([0.0] * len(known), known)
    return None if found is None else MeanOf(found.value, found.low, found.high, len(known))


def difference(first: Sequence[float | None], other: Sequence[float | None]) -> MeanDifference | None:
    """`other - first` over the questions for which both are known."""
    pairs = [(a, b) for a, b in zip(first, other, strict=True) if a is not None and b is not None]
    return mean_difference([a for a, _ in pairs], [b for _, b in pairs])


KEYLESS = "keyless planner"
ALL = "all sources"
ORIGINAL = "original question"
ONLY = "only "
WITHOUT = " without "
RANDOM = "random half "
SEEDS = 5

Sources = Sequence[tuple[str, SourceKind]]
"""Name and kind of each source."""


def strategies(item: Item, sources: Sources) -> dict[str, list[Sought]]:
    """The plan of each strategy for a question, by its name."""
    names = [name for name, _ in sources]
    return {
        KEYLESS: keyless(item, sources),
        ALL: everywhere(item, sources),
        ORIGINAL: list(original(item, sources)),
        **{f"{ONLY}{name}": of_sources(everywhere(item, sources), [name]) for name in names},
        **{f"{RANDOM}{seed}": random_half(item, sources, seed) for seed in range(SEEDS)},
        **{f"{KEYLESS}{WITHOUT}{name}": keyless(item, _others(sources, name)) for name in names if len(names) > 1},
        **{f"{ALL}{WITHOUT}{name}": everywhere(item, _others(sources, name)) for name in names if len(names) > 1},
    }


def keyless(item: Item, sources: Sources) -> list[Sought]:
    """The plan of the keyless planner."""
    return plan(item.question.text, sources, options=[option.text for option in item.question.options])


def everywhere(item: Item, sources: Sources) -> list[Sought]:
    """One lookup in each source: the question without its filler; of a graph, its most specific term."""
    text = by_words(item.question.text)
    terms = graph_terms(item.question.text)[:1]
    return [Sought(name, text, term) for name, kind in sources for term in (terms if kind == "graph" else ("",))]


def original(item: Item, sources: Sources) -> Iterator[Sought]:
    """The question as it is; of a graph, fewer than four terms (Omni-RAG, appendix D.3, Original Question)."""
    for name, kind in sources:
        if kind != "graph":
            yield Sought(name, item.question.text)
        else:
            yield from (Sought(name, item.question.text, term) for term in graph_terms(item.question.text)[:3])


def random_half(item: Item, sources: Sources, seed: int) -> list[Sought]:
    """One lookup in each of half of the sources, drawn at random for each question; the same seed draws the same."""
    names = [name for name, _ in sources]
    drawn = random.Random(f"{seed} {item.id}").sample(names, max(1, len(names) // 2))
    return of_sources(everywhere(item, sources), drawn)


def of_sources(plan: Sequence[Sought], names: Sequence[str]) -> list[Sought]:
    """The part of a plan that goes to these sources."""
    return [one for one in plan if one.source in names]


def _others(sources: Sources, name: str) -> list[tuple[str, SourceKind]]:
    return [(other, kind) for other, kind in sources if other != name]


Half = Literal["training", "test"]

_BY_SPLIT = frozenset(["pubmedqa", "scifact", "omni-long", "liveqa", "medicationqa", "expertqa"])
"""Sets whose own splits are used; those of a validation split are for training, except SciFact's, which is its test."""
_TRAINING_TASK = "7B"
"""Of BioASQ, task 7b is for training, and later tasks are for measuring."""


def half_of(dataset: str, item: Item) -> Half:
    """The half of a question, by the data set's own split where it has one, else by a hash of its id.

    Args:
        dataset: name of the data set, as `medground data list` shows it.
        item: the question, as the loader of that set reads it. Of BioASQ, one that does not say its task is in the
            test half, so that it is never counted by mistake.
    """
    if dataset.startswith("bioasq"):
        return "training" if str(item.extra.get("batch", "")).upper().startswith(_TRAINING_TASK) else "test"
    if dataset in _BY_SPLIT:
        training = item.split == "train" or (item.split == "validation" and dataset != "scifact")
        return "training" if training else "test"
    name = item.id.replace(":", "/", 1) if dataset.startswith("mirage") else f"{dataset}/{item.id}"
    return "training" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "test"
