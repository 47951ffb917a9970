"""Screening, extraction and the sufficiency check without a model.

Word statistics show the topic of a text and where a paper states its results, but not what it says.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.sentences import reports_result, strengths
from medground.operators.views import EvidenceView, PassageView, SentencedPassage
from medground.text import words

ON_TOPIC = 0.35
"""Minimum share of the question's topic words, by weight, that `WINDOW` consecutive words of a relevant passage name.

Chosen on PubMedQA's training split, where it passes 97 % of the questions' own abstracts, one of 500 random others, and
44 % of the nearest wrong ones."""
WINDOW = 25
"""Content words, about one long sentence or two short ones: words far apart are usually unrelated."""
PER_PASSAGE = 3
"""Maximum sentences taken from one passage."""
WEAKEST = 0.06
"""Minimum strength of a sentence to quote: it names some of the topic or reports a result."""
COVERED = 0.6
"""Minimum share of the question's topic words, by weight, that sufficient evidence names."""
LATER_DOCUMENT = 0.01
"""What a sentence loses for each passage before its own in the reading order, which is by relevance."""


def screen(question: str, passages: Sequence[PassageView]) -> tuple[str, ...]:
    """Ids of the passages that name enough of the question's topic, best first; possibly none."""
    topic = words.topic(question)
    scored = [(_on_topic(topic, p), p.id) for p in passages]
    kept = [(score, i) for i, (score, _) in enumerate(scored) if score >= ON_TOPIC]
    return tuple(passages[i].id for _, i in sorted(kept, key=lambda s: (-s[0], s[1])))


def _on_topic(topic: frozenset[str], passage: PassageView) -> float:
    terms = words.terms(f"{passage.title}\n{passage.text}")
    return words.densest(topic, terms, WINDOW, least=min(2, len(topic)))


def extract(question: str, passages: Sequence[SentencedPassage]) -> tuple[str, ...]:
    """Ids of the sentences to quote, strongest first; at most `PER_PASSAGE` per passage.

    Source: PubMed Reasoner, Eq. 13 and 14, with word statistics in place of a model.
    """
    chosen: list[tuple[float, str]] = []
    for place, passage in enumerate(passages):
        scores = strengths(question, [s.text for s in passage.sentences])
        best = sorted(range(len(scores)), key=lambda i: -scores[i])[:PER_PASSAGE]
        chosen += [(scores[i] - LATER_DOCUMENT * place, passage.sentences[i].id) for i in best if scores[i] >= WEAKEST]
    return tuple(sentence for _, sentence in sorted(chosen, key=lambda c: -c[0]))


def sufficient(question: str, evidence: Sequence[EvidenceView]) -> bool:
    """Whether the quotes together name most of the question's topic and one of them reports a result.

    Source: PubMed Reasoner, Eq. 15, with words in place of a model's judgement.
    """
    found = {t for e in evidence for t in words.terms(f"{e.title} {e.quote}")}
    if words.coverage(words.topic(question), found) < COVERED:
        return False
    return any(reports_result(e.quote) for e in evidence)
