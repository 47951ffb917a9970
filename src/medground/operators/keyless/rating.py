"""Rating a plan of sources without a model: how many of the question's words are in what was found.

It is a count of words and says so. It cannot tell whether a passage answers the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.text import words

Found = tuple[str, str, Sequence[str]]
"""Source, state, texts of the passages that a query found."""

_POINTS = 5
_TOGETHER = 0.5
"""Weight of the best single passage; the rest is that of all passages together. Words that are scattered over passages
say less than the same words in one."""
_NAMED = 4
"""Most words that a suggestion names."""


def rate(question: str, found: Sequence[Found], sources: Sequence[str]) -> tuple[int, str]:
    """Whole points from 0 to 5 by the share of the question's words, weighted by rarity, and a suggestion.

    Five points need every word in one passage. Without any passage the score is 0: then nothing was found.
    """
    wanted = words.topic(question)
    passages = [frozenset(words.terms(text)) for _, _, texts in found for text in texts]
    together = words.coverage(wanted, frozenset().union(*passages))
    best = max((words.coverage(wanted, passage) for passage in passages), default=0.0)
    share = _TOGETHER * best + (1 - _TOGETHER) * together
    return int(_POINTS * share + 1e-9), _suggestion(question, found, sources, frozenset().union(*passages), share)


def _suggestion(
    question: str, found: Sequence[Found], sources: Sequence[str], present: frozenset[str], share: float
) -> str:
    said = [f"By word count alone, the passages hold {share:.0%} of the question's words."]
    if missing := missing_words(question, present):
        said.append(f"Missing: {', '.join(missing)}.")
    empty = [name for name in sources if _states(found, name) == {"empty"}]
    unused = [name for name in sources if not _states(found, name)]
    if empty:
        said.append(f"Nothing found in {', '.join(empty)}.")
    if missing and unused:
        said.append(f"Not asked: {', '.join(unused)}.")
    return " ".join(said)


def missing_words(question: str, present: frozenset[str]) -> list[str]:
    """The question's words, as written, that no text has; the rarest first, at most four."""
    wanted = words.topic(question) - present
    written = {words.stem(token): token for token in reversed(words.tokens(question))}
    rare = sorted((stem for stem in wanted if stem in written), key=lambda stem: (-words.weight(stem), stem))
    return [written[stem] for stem in rare[:_NAMED]]


def _states(found: Sequence[Found], source: str) -> set[str]:
    return {state for name, state, _ in found if name == source}
