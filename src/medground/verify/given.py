"""Sentences that only repeat what was given with the question, such as a patient's case, are told apart.

They claim nothing that evidence could support, so they neither carry a decision nor speak against one, and they count
in no score. What is told apart is shown without a citation: no source is about this patient. Source of the context:
PubMed Reasoner, section 3.3 (the response is written from question, task, context and summary).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from medground.answer import Verdict
from medground.operators.keyless.flags.kinds import differences
from medground.sentence import Sentence
from medground.text import words
from medground.text.sentences import sentence_spans
from medground.verify.checked import Checked
from medground.verify.named import FLAG as REFERENCE
from medground.verify.reporting import asks

GIVEN = "given"
"""The label of such a statement."""

WINDOW = 3
"""Most neighbouring sentences of the context that a statement may sum up."""

_FRAMING = "patient case person individual year old aged history present describe given question context"
_FRAME = frozenset(map(words.stem, _FRAMING.split()))
"""Stems that a statement may add: they only say that it speaks of the case."""
_REASONING = """
    should must may might can could would will because since so therefore thus hence than more less better no not
    without never nor neither if unless only
"""
_REASONS = frozenset(_REASONING.split())
"""Function words that turn a repeated fact into advice, a conclusion, a comparison or a denial."""
_OPEN = ("not found", "related", "not judged", "unverified")


def repeats_of_context(sentences: Sequence[Sentence], checked: Sequence[Checked], context: str) -> list[Checked]:
    """The checked statements, with those labelled `given` that only repeat the context.

    A statement that the evidence supports or contradicts, in the opinion of whoever judged it, keeps its verdict.

    Args:
        sentences: the statements.
        checked: what was found out about each.
        context: what was given with the question; may be empty.
    """
    if not context:
        return list(checked)
    return [
        replace(one, verdict=Verdict(label=GIVEN, critic="context"))
        if _is_open(one) and repeats(sentence.text, context)
        else one
        for sentence, one in zip(sentences, checked, strict=True)
    ]


def _is_open(checked: Checked) -> bool:
    decided = checked.judgement is not None and checked.judgement.relation in ("entails", "contradicts")
    return checked.verdict.label in _OPEN and REFERENCE not in checked.verdict.flags and not decided


def repeats(statement: str, context: str) -> bool:
    """Whether a few neighbouring sentences of a context say all that a statement says.

    Every content word and number must be there, with no difference that the word filters notice. A question in the
    context says nothing, and a statement that advises, concludes or compares in words of its own repeats nothing.
    """
    wanted = frozenset(words.terms(statement)) - _FRAME
    reasons = _REASONS.intersection(words.tokens(statement))
    return bool(wanted) and any(
        wanted.issubset(words.terms(window))
        and reasons.issubset(words.tokens(window))
        and not differences(statement, _nearest(wanted, window), window)
        for window in _windows(context)
    )


def _windows(context: str) -> Iterator[str]:
    """Every stretch of up to `WINDOW` neighbouring sentences without a question between them."""
    lines = [line for line in context.splitlines() if line.strip()]
    said = [line[start:end] for line in lines for start, end in sentence_spans(line) or [(0, len(line))]]
    for size in range(1, WINDOW + 1):
        for first in range(len(said) - size + 1):
            window = said[first : first + size]
            if not any(map(asks, window)):
                yield " ".join(window)


def _nearest(wanted: frozenset[str], window: str) -> str:
    """The sentence of a window that has most of the wanted words."""
    sentences = [window[start:end] for start, end in sentence_spans(window)] or [window]
    return max(sentences, key=lambda sentence: words.coverage(wanted, words.terms(sentence)))
