"""The audit of a set, and its best blind baseline: the first row of every accuracy table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from medground.errors import ConfigError, UsageError
from medground.values.document import Document
from medground_evaluate.audit import linear, overlap
from medground_evaluate.audit.baselines import (
    Audit,
    Baseline,
    Figure,
    chance,
    longest,
    majority,
    numbers,
    positions,
    scored,
)
from medground_evaluate.items import Item

SEED = 0

_NO_GOLD = "no item has a gold answer, so there is no blind accuracy"
_FEW = f"fewer than {linear.FEWEST} items have a gold answer, so no linear model was fitted"
_HOW = f"linear model, {linear.FOLDS}-fold grouped cross-validation"
_BEST = "the best baseline is chosen on these same items, so its accuracy may be slightly too high"


def audit(
    items: Sequence[Item],
    *,
    documents: Iterable[Document] | None = None,
    every: Sequence[Item] | None = None,
    models: bool = True,
    seed: int = SEED,
) -> Audit:
    """Find out how well these items can be answered without reading any evidence.

    Args:
        items: the items to audit.
        documents: the corpus to look for them in.
        every: items of all splits, if `items` are of one; overlap between splits is counted over these.
        models: whether to fit linear models.
        seed: for the folds of the linear models.

    Raises:
        UsageError: there are no items.
        ConfigError: `models` is set and scikit-learn is not installed.
    """
    if not items:
        raise UsageError("no items to audit; choose another --split")
    golden = [item for item in items if item.gold]
    pairs = overlap.near_pairs(items)
    groups = overlap.groups_of(items, pairs)
    baselines = _baselines(golden, groups, models=models, seed=seed)
    if models:
        baselines = _best_first([*baselines, *_from_context(golden, groups, seed)])
    whole = items if every is None else every
    facts: list[Figure | None] = [
        numbers(golden),
        *positions(golden),
        *overlap.duplicates(items, pairs),
        *overlap.between_splits(whole, pairs if every is None else overlap.near_pairs(whole)),
        *(overlap.with_corpus(items, documents) if documents is not None else ()),
    ]
    return Audit(
        items=len(items),
        scored=len(golden),
        baselines=tuple(baselines),
        facts=tuple(fact for fact in facts if fact is not None),
        notes=tuple(_notes(golden, models=models)),
    )


def best_blind(items: Sequence[Item], *, models: bool = True, seed: int = SEED) -> Baseline | None:
    """The best accuracy without evidence; None if no item has a gold answer.

    If scikit-learn is not installed, linear models are left out and the baseline's words say so.

    Args:
        items: the items that the table covers.
        models: whether to include linear models.
        seed: for their folds.
    """
    golden = [item for item in items if item.gold]
    if not golden:
        return None
    groups = overlap.groups_of(golden, overlap.near_pairs(golden))
    try:
        return _baselines(golden, groups, models=models, seed=seed)[0]
    except ConfigError:
        simple = _baselines(golden, groups, models=False, seed=seed)[0]
        return simple.model_copy(
            update={"words": f"{simple.words}; no linear models, as scikit-learn is not installed"}
        )


def _baselines(golden: Sequence[Item], groups: linear.Groups, *, models: bool, seed: int) -> list[Baseline]:
    if not golden:
        return []
    found = [chance(golden), majority(golden), longest(golden)]
    if models:
        linear.check_installed()
        found += _linear(golden, groups, seed)
    return _best_first(baseline for baseline in found if baseline is not None)


def _best_first(baselines: Iterable[Baseline]) -> list[Baseline]:
    return sorted(baselines, key=lambda baseline: -baseline.count)


def _linear(items: Sequence[Item], groups: linear.Groups, seed: int) -> Iterator[Baseline]:
    answers = {
        "option text alone": linear.by_options(items, groups, seed),
        "function words of options alone": linear.by_options(items, groups, seed, function_words=True),
        "options with question": linear.by_options(items, groups, seed, with_question=True),
        "question alone": linear.by_text(items, groups, seed, lambda item: item.question.text),
    }
    for name, guessed in answers.items():
        if guessed:
            yield scored(name, items, guessed, _HOW)


def _from_context(items: Sequence[Item], groups: linear.Groups, seed: int) -> Iterator[Baseline]:
    """How far the documents alone give the answer away. They are evidence, so this is never the blind baseline."""
    if guessed := linear.by_text(items, groups, seed, _context):
        found = scored("context alone", items, guessed, f"{_HOW}; reads the evidence, not the question")
        yield found.model_copy(update={"blind": False})


def _context(item: Item) -> str:
    return " ".join(f"{document.title} {document.text}" for document in item.context)


def _notes(golden: Sequence[Item], *, models: bool) -> Iterator[str]:
    if not golden:
        yield _NO_GOLD
        return
    yield _BEST
    if models and len(golden) < linear.FEWEST:
        yield _FEW
