"""Reading: which passages are relevant, which sentences are evidence, and whether the evidence is sufficient."""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from pydantic import Field

from medground.language import words
from medground.language.clause_grammar import has_verb, words_of
from medground.language.question_reading import Asked
from medground.language.quoting.judged import Candidate, log_sum
from medground.language.quoting.leading import (
    ITEM,
    introduces,
    is_quotable,
    is_whole,
    reports_result,
    says_beside,
    says_the_same,
)
from medground.language.sentences import ROW
from medground.models.operators import base, prose
from medground.values.evidence import Stance

ON_TOPIC = 0.35
"""Minimum share of the question's topic words, by weight, that `WINDOW` consecutive words of a relevant passage name.

Chosen on PubMedQA's training split, where it passes 97 % of the questions' own abstracts, one of 500 random others, and
44 % of the nearest wrong ones."""
NEAR = 0.62
"""Minimum cosine of a passage that is relevant whatever its words."""
WINDOW = 25
"""Content words, about one long sentence or two short ones: words far apart are usually unrelated."""
PER_PASSAGE = 3
"""Maximum sentences taken from one passage."""
LONGEST = 900
"""Maximum characters of a list that is quoted whole."""
AS_STRONG = 2.0
"""How much the strengths of neighbours may differ to be quoted together. Chosen on the training data."""
COVERED = 0.6
"""Minimum share of the question's topic words, by weight, that sufficient evidence names."""


def relevant_passages(asked: Asked, passages: Sequence[base.PassageView]) -> tuple[str, ...]:
    """Ids of the passages that name enough of the question's topic or are near it, best first; possibly none."""
    topic, shares = asked.topic, dict[str, float]()
    for passage in passages:
        text = asked.in_own_words(f"{passage.title}\n{passage.text}")
        share = words.densest(topic, words.terms(text), WINDOW, least=min(2, len(topic)))
        is_near = share >= ON_TOPIC or passage.nearness >= NEAR
        if is_near or (asked.deciding and asked.is_about(text)) or says_beside(asked, text):
            shares[passage.id] = share
    return tuple(sorted(shares, key=lambda name: -shares[name]))


def quotable_sentences(asked: Asked, passages: Sequence[base.SentencedPassage]) -> tuple[str, ...]:
    """Ids of the sentences to quote, strongest first."""
    return tuple(sentence for quote in quotable_spans(asked, passages) for sentence in quote)


def quotable_spans(asked: Asked, passages: Sequence[base.SentencedPassage]) -> list[tuple[str, ...]]:
    """The quotes of passages as the ids of their sentences, strongest first; at most `PER_PASSAGE` per passage."""
    rows = zip(passages, _strengths(asked, passages), strict=True)
    chosen = [quote for passage, strengths in rows for quote in _quotes(asked, passage, strengths)]
    return [quote for _, quote in sorted(chosen, key=lambda weighed: -weighed[0])]


def _quotes(
    asked: Asked, passage: base.SentencedPassage, strengths: Sequence[float]
) -> list[tuple[float, tuple[str, ...]]]:
    """The best quotes of a passage, each one sentence or two neighbours, with their strength.

    What is not prose is never quoted, also where nothing else is there.
    """
    texts = [sentence.text for sentence in passage.sentences]
    of_lists = _lists(texts)
    listed = {n for span in of_lists for n in span}
    prose = [
        n
        for n, text in enumerate(texts)
        if n not in listed and not (_is_item(text) or text.endswith(":")) and is_quotable(asked, text)
    ]
    near = (
        (n, m)
        for n, m in pairwise(prose)
        if m == n + 1
        and ROW not in passage.sentences[n].text + passage.sentences[m].text
        and abs(strengths[n] - strengths[m]) <= AS_STRONG
        and not says_the_same(passage.sentences[n].text, passage.sentences[m].text)
    )
    spans: list[tuple[int, ...]] = [*((n,) for n in prose), *near, *of_lists]
    weighed = sorted(((log_sum(strengths[n] for n in span), span) for span in spans), key=lambda s: (-s[0], s[1]))
    taken, said = set[int](), set[str]()
    found: list[tuple[float, tuple[str, ...]]] = []
    for strength, span in weighed:
        own = {texts[n] for n in span}
        if len(found) == PER_PASSAGE or not taken.isdisjoint(span) or own <= said:  # a paper may repeat a sentence
            continue
        taken.update(span)
        said |= own
        found.append((strength, tuple(passage.sentences[n].id for n in span)))
    return found


def _lists(texts: Sequence[str]) -> list[tuple[int, ...]]:
    """The places of each sentence that introduces a list, and of its items and the headings among them."""
    found: list[tuple[int, ...]] = []
    items = [*map(_is_item, texts), False]
    listed = [items[n] or (items[n + 1] and not has_verb(words_of(text))) for n, text in enumerate(texts)]
    for first in (n for n, text in enumerate(texts) if not items[n] and introduces(text)):
        span = [first, *takewhile(listed.__getitem__, range(first + 1, len(texts)))]
        while span and (sum(len(texts[n]) for n in span) > LONGEST or not items[span[-1]]):
            span.pop()
        found += [tuple(span)] if span else []
    return found


def _is_item(text: str) -> bool:
    """Whether a text is an item of a list that says nothing without what introduces it."""
    return ITEM.match(text) is not None and not is_whole(text)


def _strengths(asked: Asked, passages: Sequence[base.SentencedPassage]) -> list[list[float]]:
    """How good a quote each sentence is: as the step before has computed it over all documents, or among these."""
    given = [[s.strength for s in passage.sentences] for passage in passages]
    known = [[strength for strength in row if strength is not None] for row in given]
    if [len(row) for row in known] == [len(row) for row in given]:
        return known
    from medground.language.quoting.scorer import strengths  # numpy is slow to import

    return strengths(asked, [Candidate(p.title, [s.text for s in p.sentences]) for p in passages])


def quotes_on_topic(asked: Asked, passages: Sequence[base.SentencedPassage]) -> list[base.EvidenceView]:
    """The quotable sentences of the passages on topic, best first; none if no passage is on topic."""
    texts = [base.PassageView(id=p.id, title=p.title, text=" ".join(s.text for s in p.sentences)) for p in passages]
    kept_ids = set(relevant_passages(asked, texts))
    kept = [p for p in passages if p.id in kept_ids]
    views = {
        s.id: base.EvidenceView(id=s.id, title=p.title, section=p.section, quote=s.text)
        for p in kept
        for s in p.sentences
    }
    return [views[sentence] for sentence in quotable_sentences(asked, kept)]


def covers_the_topic(asked: Asked, evidence: Sequence[base.EvidenceView]) -> bool:
    """Whether the quotes together name most of the question's topic and one of them reports a result."""
    found = {t for e in evidence for t in words.terms(asked.in_own_words(f"{e.title} {e.quote}"))}
    if words.coverage(asked.topic, found) < COVERED:
        return False
    return any(reports_result(e.quote) for e in evidence)


class ScreenInput(base.QuestionInput):
    passages: tuple[base.PassageView, ...]


class ScreenOutput(base.OperatorOutput):
    relevant: tuple[str, ...] = Field(description="ids of the passages worth reading, most useful first")


@base.operator(ids={"relevant": lambda value: (passage.id for passage in value.passages)})
def screen(value: ScreenInput) -> ScreenOutput:
    """The passages that hold most of the question's words."""
    return ScreenOutput(relevant=relevant_passages(value.asked, value.passages))


class ExtractInput(base.QuestionInput):
    passages: tuple[base.SentencedPassage, ...]


class Extracted(base.OperatorOutput):
    sentence: str = Field(description="id of a sentence")
    stance: Stance = Field(description="what the sentence says towards the question; `unknown` when it does not tell")


class ExtractOutput(base.OperatorOutput):
    sentences: tuple[Extracted, ...] = Field(description="the sentences that are evidence, strongest first")


@base.operator(ids={"sentence": lambda value: base.sentence_ids(value.passages)})
def extract(value: ExtractInput) -> ExtractOutput:
    """The sentences that are the best quotes by statistics, of no known stance."""
    return ExtractOutput(
        sentences=tuple(
            Extracted(sentence=i, stance="unknown") for i in quotable_sentences(value.asked, value.passages)
        )
    )


class UnreadView(base.OperatorInput):
    """An article that was found and not read yet."""

    id: base.Untrusted
    title: base.Untrusted


class SufficientInput(base.QuestionInput):
    evidence: tuple[base.EvidenceView, ...]
    unread: tuple[UnreadView, ...] = ()


class SufficientOutput(base.OperatorOutput):
    sufficient: bool = Field(description="true when the evidence addresses every main part of the question")
    missing: base.FewWords = Field(default="", description="what is still missing, in a few words")
    needed: tuple[str, ...] = Field(default=(), description="ids of the unread articles to read next, if any")


def _read_sufficient(value: SufficientInput, text: str) -> SufficientOutput:
    """The reply to a prompt that asks whether the information is sufficient (PubMed Reasoner, appendix E)."""
    found = prose.in_json(text)
    enough = found.get("is_sufficient")
    if not isinstance(enough, bool):
        raise base.InvalidOutput("`is_sufficient` is not true or false")
    pmids = found.get("needed_pmids")
    named = re.findall(r"\d+", str(pmids)) if isinstance(pmids, list) else []
    wanted = tuple(article.id for article in value.unread if article.id.removeprefix("PMID:") in named)
    missing = "" if enough else prose.in_words(found, "rationale", needed=False)
    return SufficientOutput(sufficient=enough, missing=missing, needed=wanted)


@base.operator(choices=lambda value: {"needed": tuple(article.id for article in value.unread)}, reads=_read_sufficient)
def sufficient(value: SufficientInput) -> SufficientOutput:
    """Whether the evidence names what the question is about."""
    return SufficientOutput(sufficient=covers_the_topic(value.asked, value.evidence))
