"""The audit of a set, its linear models, and its best blind baseline: the first row of every accuracy table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medground.errors import ConfigError, UsageError
from medground.language import FUNCTION_WORDS, tokens
from medground.values import Document
from medground_evaluate import blind
from medground_evaluate.items import Item

# Linear models that see only options, questions or contexts: untuned logistic regression, grouped cross-validation.

FOLDS = 5
FEWEST = 50
"""With fewer items no model is fitted: its answers would be noise."""
_STEPS = 2_000

Groups = Mapping[str, int]


def by_options(
    items: Sequence[Item], groups: Groups, seed: int, *, function_words: bool = False, with_question: bool = False
) -> dict[str, blind.Answers]:
    """Answer the items that have options from the words of each option; empty below `FEWEST` items.

    Each option is scored by its own text. The answer is the best option or, where several are correct, the usual
    number of best options.

    Args:
        groups: the group of each item, by item id; a group is never split across folds.
        function_words: show the model only which function words (`the`, `may`, `only`) an option contains.
        with_question: also show how many of the option's words are in the question, and its relative length.
    """
    asked = [i for i in items if i.question.options]
    if len(asked) < FEWEST:
        return {}
    rows = [(n, place) for n, item in enumerate(asked) for place in range(len(item.question.options))]
    owners = np.array([n for n, _ in rows])
    texts = [_seen(asked[n], place, with_question=with_question) for n, place in rows]
    right = np.array([asked[n].question.options[place].letter in asked[n].gold for n, place in rows])
    found: dict[str, blind.Answers] = {}
    for train, test, _, scores in _fitted(texts, right, [groups[asked[n].id] for n, _ in rows], seed, function_words):
        number = blind.usual_number(asked[n] for n in set(owners[train]) if asked[n].question.task == "multiple-choice")
        for n in dict.fromkeys(owners[test].tolist()):
            found[asked[n].id] = _best(asked[n], scores[owners[test] == n, 1], number)
    return found


def by_text(
    items: Sequence[Item], groups: Groups, seed: int, text_of: Callable[[Item], str]
) -> dict[str, blind.Answers]:
    """Answer each item from a single text, with whole gold answers as classes; empty below `FEWEST` items.

    Items with an empty text are left out.
    """
    shown = [(item, text) for item in items if (text := text_of(item))]
    if len(shown) < FEWEST:
        return {}
    texts = [tokens(text) for _, text in shown]
    golds = np.array(["\n".join(sorted(item.gold)) for item, _ in shown])
    found: dict[str, blind.Answers] = {}
    for _, test, classes, scores in _fitted(texts, golds, [groups[item.id] for item, _ in shown], seed):
        for row, best in zip(test, scores.argmax(axis=1), strict=True):
            found[shown[row][0].id] = frozenset(str(classes[best]).split("\n"))
    return found


def _fitted(
    texts: Sequence[list[str]], labels: NDArray[Any], groups: Sequence[int], seed: int, function_words: bool = False
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any], NDArray[np.float64]]]:
    """For each fold the rows of training and of test, the classes, and the probability of each for each row of test.

    Without folds whose rows of training have only one class.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold
    from sklearn.pipeline import make_pipeline

    known = {"vocabulary": sorted(FUNCTION_WORDS), "binary": True, "use_idf": False, "norm": None}
    options = known if function_words else {"sublinear_tf": True}
    parts = min(FOLDS, len(set(groups)))
    folds = GroupKFold(parts, shuffle=True, random_state=seed).split(texts, groups=groups) if parts > 1 else ()
    for train, test in folds:
        if len(np.unique(labels[train])) > 1:
            words = TfidfVectorizer(analyzer=list, **options)
            model = make_pipeline(words, LogisticRegression(max_iter=_STEPS))
            model.fit([texts[n] for n in train], labels[train])
            yield train, test, model.classes_, model.predict_proba([texts[n] for n in test])


def _seen(item: Item, place: int, *, with_question: bool) -> list[str]:
    """The words of an option and, `with_question`, two features in tenths: the share of its words that are in the
    question, and its length relative to the longest option."""
    option = item.question.options[place]
    words = tokens(option.text)
    if not with_question:
        return words
    question = set(tokens(item.question.text))
    common = sum(word in question for word in words) / max(1, len(words))
    length = len(option.text) / max(len(other.text) for other in item.question.options)
    return [*words, f"{common:.1f} of it asked", f"{length:.1f} of the longest"]  # no word has a space


def _best(item: Item, scores: NDArray[np.float64], number: int) -> blind.Answers:
    """The letters of the best options. Ties, such as options without any function word, are broken at random."""
    ranked = sorted(
        zip(scores.round(9).tolist(), item.question.options, strict=True),
        key=lambda scored: (-scored[0], blind.tie_break(item, scored[1].letter)),
    )
    several = number if item.question.task == "multiple-choice" else 1
    return frozenset(option.letter for _, option in ranked[:several])


SEED = 0

_NO_GOLD = "no item has a gold answer, so there is no blind accuracy"
_FEW = f"fewer than {FEWEST} items have a gold answer, so no linear model was fitted"
_HOW = f"linear model, {FOLDS}-fold grouped cross-validation"
_BEST = "the best baseline is chosen on these same items, so its accuracy may be slightly too high"


def audit(
    items: Sequence[Item],
    *,
    documents: Iterable[Document] | None = None,
    every: Sequence[Item] | None = None,
    models: bool = True,
    seed: int = SEED,
) -> blind.Audit:
    """Find out how well these items can be answered without reading any evidence.

    Args:
        documents: the corpus to look for them in.
        every: items of all splits, if `items` are of one; overlap between splits is counted over these.
        models: whether to fit linear models.
    """
    if not items:
        raise UsageError("no items to audit; choose another --split")
    golden = [item for item in items if item.gold]
    pairs = blind.near_pairs(items)
    groups = blind.groups_of(items, pairs)
    baselines = _baselines(golden, groups, models=models, seed=seed)
    if models and (guessed := by_text(golden, groups, seed, _context)):
        # How far the documents alone give the answer away. They are evidence, so this is never the blind baseline.
        found = blind.scored("context alone", golden, guessed, f"{_HOW}; reads the evidence, not the question")
        baselines = sorted([*baselines, found.replace(blind=False)], key=lambda one: -one.count)
    whole = items if every is None else every
    facts = [
        blind.numbers(golden),
        *blind.positions(golden),
        *blind.duplicates(items, pairs),
        *blind.between_splits(whole, pairs if every is None else blind.near_pairs(whole)),
        *(blind.with_corpus(items, documents) if documents is not None else ()),
    ]
    few = models and len(golden) < FEWEST
    return blind.Audit(
        items=len(items),
        scored=len(golden),
        baselines=tuple(baselines),
        facts=tuple(fact for fact in facts if fact is not None),
        notes=((_BEST, *([_FEW] if few else [])) if golden else (_NO_GOLD,)),
    )


def best_blind(items: Sequence[Item], *, models: bool = True) -> blind.Baseline | None:
    """The best accuracy without evidence over the items of a table; None if no item has a gold answer.

    If scikit-learn is not installed, linear models are left out and the baseline's words say so.
    """
    golden = [item for item in items if item.gold]
    if not golden:
        return None
    groups = blind.groups_of(golden, blind.near_pairs(golden))
    try:
        return _baselines(golden, groups, models=models, seed=SEED)[0]
    except ConfigError:
        simple = _baselines(golden, groups, models=False, seed=SEED)[0]
        return simple.replace(words=f"{simple.words}; no linear models, as scikit-learn is not installed")


def _baselines(golden: Sequence[Item], groups: Groups, *, models: bool, seed: int) -> list[blind.Baseline]:
    if not golden:
        return []
    found = [blind.chance(golden), blind.majority(golden), blind.longest(golden)]
    if models:
        if find_spec("sklearn") is None:
            raise ConfigError(
                'linear models need scikit-learn, which is not installed; run: pip install "medground[evaluate]", '
                "or use --no-linear"
            )
        found += _linear(golden, groups, seed)
    return sorted((one for one in found if one is not None), key=lambda one: -one.count)


def _linear(items: Sequence[Item], groups: Groups, seed: int) -> Iterator[blind.Baseline]:
    answers = {
        "option text alone": by_options(items, groups, seed),
        "function words of options alone": by_options(items, groups, seed, function_words=True),
        "options with question": by_options(items, groups, seed, with_question=True),
        "question alone": by_text(items, groups, seed, lambda item: item.question.text),
    }
    for name, guessed in answers.items():
        if guessed:
            yield blind.scored(name, items, guessed, _HOW)


def _context(item: Item) -> str:
    return " ".join(f"{document.title} {document.text}" for document in item.context)
