"""Screening, extraction and the sufficiency check without a model.

Word statistics show the topic of a text and where a paper states its results, but not what it says.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.sentences import reports_result
from medground.operators.views import EvidenceView, PassageView, SentencedPassage
from medground.text import words

ON_TOPIC = 0.35
"""Minimum share of the question's topic words, by weight, that `WINDOW` consecutive words of a relevant passage name.

Chosen on PubMedQA's training split, where it passes 97 % of the questions' own abstracts, one of 500 random others, and
44 % of the nearest wrong ones."""
UNNAMED = 0.6
"""The same if no passage found mentions the rarest name of the question: it may be about something else."""
NEAR = 0.62
"""Minimum cosine of a passage that is relevant whatever its words."""
WINDOW = 25
"""Content words, about one long sentence or two short ones: words far apart are usually unrelated."""
PER_PASSAGE = 3
"""Maximum sentences taken from one passage."""
NAMED = 0.2
"""Minimum share of the question's topic words, by weight, in a quote that reports no result."""
COVERED = 0.6
"""Minimum share of the question's topic words, by weight, that sufficient evidence names."""


def screen(question: str, passages: Sequence[PassageView]) -> tuple[str, ...]:
    """Ids of the passages that name enough of the question's topic or are near it, best first; possibly none."""
    topic = words.topic(question)
    scored = [(_on_topic(topic, p), p) for p in passages]
    kept = [
        (score, i)
        for i, (score, p) in enumerate(scored)
        if score >= (UNNAMED if p.unnamed else ON_TOPIC) or (p.nearness >= NEAR and not p.unnamed)
    ]
    return tuple(passages[i].id for _, i in sorted(kept, key=lambda s: (-s[0], s[1])))


def _on_topic(topic: frozenset[str], passage: PassageView) -> float:
    terms = words.terms(f"{passage.title}\n{passage.text}")
    return words.densest(topic, terms, WINDOW, least=min(2, len(topic)))


def extract(question: str, passages: Sequence[SentencedPassage]) -> tuple[str, ...]:
    """Ids of the sentences to quote, strongest first; at most `PER_PASSAGE` per passage.

    Source: PubMed Reasoner, Eq. 13 and 14, with word statistics in place of a model.
    """
    topic = words.topic(question)
    chosen: list[tuple[float, str]] = []
    for passage, strengths in zip(passages, _strengths(question, passages), strict=True):
        usable = [
            (strength, s.id)
            for strength, s in zip(strengths, passage.sentences, strict=True)
            if reports_result(s.text) or words.coverage(topic, words.terms(s.text)) >= NAMED
        ]
        chosen += sorted(usable, key=lambda u: -u[0])[:PER_PASSAGE]
    return tuple(sentence for _, sentence in sorted(chosen, key=lambda c: -c[0]))


def _strengths(question: str, passages: Sequence[SentencedPassage]) -> list[list[float]]:
    """How good a quote each sentence is: as the step before has computed it over all documents, or among these."""
    given = [[s.strength for s in passage.sentences] for passage in passages]
    known = [[strength for strength in row if strength is not None] for row in given]
    if [len(row) for row in known] == [len(row) for row in given]:
        return known
    from medground.quoting.features import Candidate  # numpy is slow to import
    from medground.quoting.model import strengths

    return strengths(question, [Candidate(p.title, [s.text for s in p.sentences]) for p in passages])


def sufficient(question: str, evidence: Sequence[EvidenceView]) -> bool:
    """Whether the quotes together name most of the question's topic and one of them reports a result.

    Source: PubMed Reasoner, Eq. 15, with words in place of a model's judgement.
    """
    found = {t for e in evidence for t in words.terms(f"{e.title} {e.quote}")}
    if words.coverage(words.topic(question), found) < COVERED:
        return False
    return any(reports_result(e.quote) for e in evidence)
