"""Linear models that see only options, questions or contexts: untuned logistic regression, grouped cross-validation.

The model that answers an item was trained on no item of its group. The same seed gives the same folds and answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medground.errors import ConfigError
from medground.language.words import FUNCTION_WORDS, tokens
from medground_evaluate.audit.baselines import Answers, tie_break, usual_number
from medground_evaluate.items import Item

FOLDS = 5
FEWEST = 50
"""With fewer items no model is fitted: its answers would be noise."""
_STEPS = 2_000

Groups = Mapping[str, int]
Scores = NDArray[np.float64]


def check_installed() -> None:
    """Check that linear models can be fitted.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise ConfigError(
            'linear models need scikit-learn, which is not installed; run: pip install "medground[evaluate]", '
            "or use --no-linear"
        ) from None


def by_options(
    items: Sequence[Item], groups: Groups, seed: int, *, function_words: bool = False, with_question: bool = False
) -> dict[str, Answers]:
    """Answer the items that have options from the words of each option; empty below `FEWEST` items.

    Each option is scored by its own text. The answer is the best option or, where several are correct, the usual
    number of best options.

    Args:
        items: items with a gold answer.
        groups: the group of each item, by item id; a group is never split across folds.
        seed: for the folds.
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
    found: dict[str, Answers] = {}
    for train, test in _folds(owners, [groups[asked[n].id] for n, _ in rows], seed):
        scores = _scores(_words(function_words), texts, right, train, test)
        if scores is None:
            continue
        number = usual_number(asked[n] for n in set(owners[train]) if asked[n].question.task == "multiple-choice")
        for n in dict.fromkeys(owners[test].tolist()):
            found[asked[n].id] = _best(asked[n], scores[owners[test] == n, 1], number)
    return found


def by_text(items: Sequence[Item], groups: Groups, seed: int, text_of: Callable[[Item], str]) -> dict[str, Answers]:
    """Answer each item from a single text, with whole gold answers as classes; empty below `FEWEST` items.

    Items with an empty text are left out.
    """
    shown = [(item, text) for item in items if (text := text_of(item))]
    if len(shown) < FEWEST:
        return {}
    texts = [tokens(text) for _, text in shown]
    golds = np.array(["\n".join(sorted(item.gold)) for item, _ in shown])
    found: dict[str, Answers] = {}
    for train, test in _folds(np.arange(len(shown)), [groups[item.id] for item, _ in shown], seed):
        scores = _scores(_words(False), texts, golds, train, test)
        if scores is not None:
            classes = np.unique(golds[train])
            for row, best in zip(test, scores.argmax(axis=1), strict=True):
                found[shown[row][0].id] = frozenset(str(classes[best]).split("\n"))
    return found


def _folds(
    rows: NDArray[np.int64], groups: Sequence[int], seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    from sklearn.model_selection import GroupKFold

    parts = min(FOLDS, len(set(groups)))
    if parts > 1:
        yield from GroupKFold(parts, shuffle=True, random_state=seed).split(rows, groups=groups)


def _words(function_words: bool) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    if function_words:
        return TfidfVectorizer(analyzer=list, vocabulary=sorted(FUNCTION_WORDS), binary=True, use_idf=False, norm=None)
    return TfidfVectorizer(analyzer=list, sublinear_tf=True)


def _scores(
    words: Any,
    texts: Sequence[list[str]],
    labels: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> Scores | None:
    """Probabilities, one row per text of `test`, one column per class; None if `train` has only one class."""
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(labels[train])) < 2:
        return None
    seen, unseen = words.fit_transform([texts[n] for n in train]), words.transform([texts[n] for n in test])
    scores: Scores = LogisticRegression(max_iter=_STEPS).fit(seen, labels[train]).predict_proba(unseen)
    return scores


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


def _best(item: Item, scores: Scores, number: int) -> Answers:
    """The letters of the best options. Ties, such as options without any function word, are broken at random."""
    ranked = sorted(
        zip(scores.round(9).tolist(), item.question.options, strict=True),
        key=lambda scored: (-scored[0], tie_break(item, scored[1].letter)),
    )
    several = number if item.question.task == "multiple-choice" else 1
    return frozenset(option.letter for _, option in ranked[:several])
