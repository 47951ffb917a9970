"""The sentence of a study that reports what a column asks for; none rather than a doubtful one."""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.tabulating.kinds import Rule, rule_for
from medground.operators.keyless.tabulating.sentence import ReadSentence
from medground.text import words
from medground.text.abbreviations import spelled_out
from medground.text.prose import is_prose

_WINDOW = 8
"""Stems within which all words of a column must stand: further apart, they are about different things."""


def reporting_sentence(column: str, sentences: Sequence[tuple[str, str]]) -> int | None:
    """The number of the sentence, from 0; None if none reports it.

    Args:
        column: the name of a column, in the reader's words.
        sentences: text and heading of each sentence of the study, in order; empty headings where there are none.
    """
    rule = rule_for(column) or _rule_by_words(column)
    if rule is None:
        return None
    last = max(len(sentences) - 1, 1)
    read = [ReadSentence(text, heading, n / last) for n, (text, heading) in enumerate(sentences)]
    scored = [(rule(one), -n) for n, one in enumerate(read) if is_prose(one.text) or one.quantities]
    best = max(scored, default=(0.0, 0))
    return -best[1] if best[0] > 0 else None


def _rule_by_words(column: str) -> Rule | None:
    """The rule for a column of any name: all its words close together, in a sentence that reports a result."""
    wanted = frozenset(words.terms(column))
    if not wanted:
        return None

    def rule(one: ReadSentence) -> float:
        if not one.reports:
            return 0.0
        held = words.terms(spelled_out(one.text, column))
        if words.densest(wanted, held, _WINDOW, least=len(wanted)) < 1.0:
            return 0.0
        counted = any(not q.measure for q in one.quantities)
        return 1.0 + 0.6 * counted + 0.4 * bool({"results", "conclusion"} & one.parts) - 0.1 * one.at

    return rule
