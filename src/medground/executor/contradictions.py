"""Papers that may contradict a finding, looked for by words: its subject, and what denies or reverses what it says.

Source: BioMedSearch has no such step. Measured on SciFact: `benchmarks/subquestions.py contradictions`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.document import Hit
from medground.errors import SourceUnavailable
from medground.executor.literature import KINDS, literature_sources, retrieved
from medground.lookup import Found, Lookup
from medground.operators.keyless.flags.cues import DOWN, HEDGE, NEGATION, UP
from medground.query import Phrase, Query, Term, Words, all_of, any_of
from medground.rank.fuse import fuse
from medground.read.standing import readable
from medground.recipes.settings.biomedsearch import BioMedSearchSettings
from medground.research_plan import SubQuestion
from medground.run import Run
from medground.text import words
from medground.text.sentences import sentence_spans
from medground.together import together

RANKER = "opposing"
MOST = 10
"""Most papers for a finding."""
_DEPTH = 50
_LOOKED_AT = 20
"""Of so many passages, those with an opposing sentence are moved up."""
_OFFSET, _GAIN = 9, 0.01
"""A passage's score is `1 / (offset + rank)`, and up to `gain` more for an opposing sentence on the same subject.
Chosen on SciFact's training claims: a larger gain moves up what is on another subject."""
_FALL = ("decreased", "reduced", "lower", "impaired", "inhibited")
_RISE = ("increased", "higher", "improved", "enhanced", "elevated")
_DENIAL = ("no", "not", "without", "failed", "unchanged")
_LINK = ("significant", "associated", "effect")


async def contradicting(sentence: str, one: SubQuestion, run: Run) -> tuple[Hit, ...]:
    """Passages that may contradict a finding, one for each paper, likeliest first. Nothing is judged here.

    Corpora are searched for the subject of the sentence, without its direction or denial; services for keywords of
    the sub-question together with opposing words. Passages that hold the sentence itself are left out, and sources
    that cannot be searched are warned of.

    Args:
        sentence: the finding, as it is quoted.
        one: the sub-question that it answers.
        run: the run of the question.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    subject = subject_of(sentence)
    if not words.terms(subject):
        return ()
    choices = run.settings.section(BioMedSearchSettings)
    tree = _tree(sentence, one, choices.salient)
    lookups = [
        Lookup(
            asked=Words(text=subject) if source.name.startswith("corpus:") else tree,
            text=sentence,
            sources=(source.name,),
            kinds=KINDS,
            limit=_DEPTH,
            node=f"{one.id} contradictions",
        )
        for source in literature_sources(run, choices.without)
    ]
    found = await together(_found(lookup, run) for lookup in lookups)
    rankings = [ranking for results in found for result in results for ranking in result.rankings if ranking]
    if not rankings:
        return ()
    hits = await retrieved(fuse(rankings, run.settings.retrieval.fusion_k)[:_LOOKED_AT], run)
    return _ordered(sentence, await readable(hits, run))


async def _found(lookup: Lookup, run: Run) -> list[Found]:
    try:
        return await run.look_up(lookup)
    except SourceUnavailable:  # `look_up` has warned of it
        return []


def _tree(sentence: str, one: SubQuestion, salient: int) -> Query:
    """For services: the most salient keywords, and any word that opposes the sentence."""
    keywords: list[Query] = [Phrase(text=name) for name in one.keywords[:salient]]
    subject = keywords or [Words(text=subject_of(sentence))]
    return all_of([*subject, any_of([Term(value=word) for word in opposing_words(sentence)])])


def subject_of(sentence: str) -> str:
    """The sentence without the words for a direction, a denial or a doubt."""
    for cue in (UP, DOWN, NEGATION, HEDGE):
        sentence = cue.sub(" ", sentence)
    return " ".join(sentence.split())


def opposing_words(sentence: str) -> tuple[str, ...]:
    """Words of a sentence that would say the opposite: the other direction, and a denial, or a link where it denies."""
    turned = (*(_FALL if UP.search(sentence) else ()), *(_RISE if DOWN.search(sentence) else ()))
    return (*turned, *(_LINK if NEGATION.search(sentence) else _DENIAL))


def opposition(sentence: str, passage: str) -> float:
    """How likely a passage opposes a sentence, 0 to 1: the share of its subject in a sentence of the other direction or
    with a denial that only one of the two has; 0 where there is no such sentence."""
    subject = words.terms(subject_of(sentence))
    stances = _stance(sentence)
    others = (passage[start:end] for start, end in sentence_spans(passage))
    shares = (words.coverage(subject, words.terms(other)) for other in others if _opposed(stances, _stance(other)))
    return max(shares, default=0.0)


def _stance(text: str) -> tuple[bool, bool, bool]:
    return bool(UP.search(text)), bool(DOWN.search(text)), bool(NEGATION.search(text))


def _opposed(one: tuple[bool, bool, bool], other: tuple[bool, bool, bool]) -> bool:
    turned = one[0] != one[1] and other[0] != other[1] and one[0] == other[1]
    return turned or one[2] != other[2]


def _ordered(sentence: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """One hit for each paper, those with an opposing sentence moved up."""
    quoted = _letters(sentence)
    others = [hit for hit in hits if quoted not in _letters(hit.passage.text)]
    scores = {
        hit.passage.key: 1 / (_OFFSET + rank) + _GAIN * opposition(sentence, hit.passage.text)
        for rank, hit in enumerate(others, start=1)
    }
    best: dict[str, Hit] = {}
    for hit in sorted(others, key=lambda hit: -scores[hit.passage.key]):
        best.setdefault(hit.passage.document_id, hit)
    return tuple(
        hit.model_copy(update={"ranker": RANKER, "rank": rank, "score": scores[hit.passage.key]})
        for rank, hit in enumerate(list(best.values())[:MOST], start=1)
    )


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
