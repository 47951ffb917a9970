"""Whether what a model says is reported nowhere stands in a document that was found, or that one more search finds."""

import contextlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

from medground.answering.read.reading_list import Reading
from medground.answering.run import Run
from medground.answering.verify.context import meant_by
from medground.answering.verify.critic import Claim
from medground.corpus.retraction import why_aside
from medground.errors import SourceUnavailable
from medground.language import words
from medground.language.clean import without_accents
from medground.language.pattern import verbose_pattern
from medground.language.question_reading import Asked
from medground.language.quoting.judged import Judged
from medground.language.sentences import sentence_spans
from medground.values.document import Document
from medground.values.evidence import TextSpan
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Words, all_of

_FRAME = verbose_pattern(
    r"""
    \b(?:no|not|none|neither|nothing|cannot|any(?:thing)?|there|it|i|we|(?:is|are|was|were|do|does|did|has|have|
    could|can)(?=(?:\ \w+)?\ (?:not|no|found|known|given|lacking|missing)\b)|documents?|stud(?:y|ies|ied)|sources?|
    papers?|articles?|trials?|texts?|excerpts?|abstracts?|passages?|publications?|records?|evidence|data|information|
    details?|results?|exact(?:ly)?|specific(?:ally)?|precise(?:ly)?|clear(?:ly)?|unclear|unknown|known|remains?|
    lack(?:s|ing)?|missing|absent|unavailable|available|found|find|shown?|given?|gives|provide[ds]?|retrieved|cited|
    include[ds]?|contain(?:s|ed)?|report(?:s|ed)?|state[ds]?|sa(?:ys?|id)|tells?|told|mention(?:s|ed)?|describe[ds]?|
    name[ds]?|address(?:es|ed)?|specif(?:y|ies|ied)|assess(?:ed|es)?|examine[ds]?|investigate[ds]?|evaluate[ds]?|
    measured?|regarding|concerning|about|whether|how\ (?:many|much|often|long)|which|what|why|when)\b
    """
)
"""Words in which a model says that nothing is reported: of what is reported, they say nothing."""
_HELD = 0.75
"""Minimum share of an absence's words, by weight, in a sentence with its title that reports the thing after all."""
_OWN = 0.4
"""Minimum share in the sentence alone: a title tells what was studied, and not what was found."""
_LONGEST = 200_000
"""Characters of a document in which it is looked for."""
_MOST = 10
"""Documents of the search for one absence that are read."""


async def reported(absences: Sequence[str], run: Run) -> dict[str, TextSpan]:
    """For each absence that a document refutes, the sentence that reports the thing.

    The documents found are read, and those that one search for each other absence finds in what is stored here; without
    `verify.gate` nothing is searched for them.

    Raises BudgetExhausted: the run reached one of its limits.
    """
    found = _in_documents(absences, run.ledger.documents.values())
    left = [absence for absence in absences if absence not in found]
    stored = tuple(source.name for source in run.sources if source.state is not None)
    if not left or not stored or not run.settings.verify.gate:
        return found
    with contextlib.suppress(SourceUnavailable):  # the answer lists it
        results = await run.look_up(*chain.from_iterable(_lookups(one, stored) for one in left))
        hits = (hit for result in results for ranking in result.rankings for hit in ranking[:_MOST])
        ids = dict.fromkeys(hit.passage.document_id for hit in hits)
        await run.retrieve(list(ids))
        found |= _in_documents(left, [run.ledger.documents[name] for name in ids if name in run.ledger.documents])
    return found


async def refuting(absences: Sequence[str], run: Run) -> list[Reading]:
    """The documents that refute absences, each with the sentence that does, to be read.

    Raises BudgetExhausted: the run reached one of its limits.
    """
    places = dict.fromkeys((await reported(absences, run)).values()) if absences else {}
    return [
        _refuting(rank, run.ledger.documents[name], start, end) for rank, (name, start, end) in enumerate(places, 1)
    ]


def _refuting(rank: int, document: Document, start: int, end: int) -> Reading:
    """A document of which the sentence that refutes an absence comes before all others."""
    judged = Judged(document.title, document.text[start:end], {"refutes": float("inf")})
    return Reading(document.id, rank, (document.passage(start, end, None),), judged={start: judged})


async def reported_after_all(absences: Sequence[str], run: Run) -> dict[str, str]:
    """For each absence that a document refutes, what it reports."""
    found = (await reported(absences, run)).items()
    texts = run.ledger.documents
    return {absence: f"{name} reports: “{texts[name].text[start:end]}”" for absence, (name, start, end) in found}


def _lookups(absence: str, sources: tuple[str, ...]) -> list[Lookup]:
    """Its words, and its things by all their names."""
    asked = _asked(absence)
    things = [one.query for one in asked.deciding]
    queries = [Words(text=asked.text), *([all_of(things)] if things else [])]
    how = {"text": asked.text, "sources": sources, "rankers": (Ranker.LEXICAL,), "shown": asked.text}
    return [Lookup(asked=query, **how) for query in queries]


def _asked(absence: str) -> Asked:
    return Claim(" ".join(_FRAME.sub(" ", absence).split())).asked


def _in_documents(absences: Sequence[str], documents: Iterable[Document]) -> dict[str, TextSpan]:
    standing = [document for document in documents if why_aside(document) is None]
    found = ((absence, _place(_asked(absence), standing)) for absence in absences)
    return {absence: place for absence, place in found if place is not None}


def _place(asked: Asked, documents: Iterable[Document]) -> TextSpan | None:
    """The sentence that names every thing of an absence, with its title, and has most of its words."""
    wanted = frozenset(words.terms(asked.text))
    best: tuple[float, TextSpan] | None = None
    for document in documents if wanted else ():
        text = document.text[:_LONGEST]
        if asked.not_named(f"{document.title}\n{text}"):
            continue
        title = _held(asked, document.title)
        for start, end in _sentences(text):
            sentence = "\n".join([text[start:end], *meant_by(text[start:end], document)])
            share = _share(asked, wanted, title, document.title, sentence)
            if share >= _HELD and (best is None or share > best[0]):
                best = share, (document.id, start, end)
    return best[1] if best else None


def _share(asked: Asked, wanted: frozenset[str], title: frozenset[str], name: str, sentence: str) -> float:
    """Share of an absence's words, by weight, in a sentence with its title; 0 if one of its things or numbers lacks."""
    own = _held(asked, sentence)
    numbers = frozenset(term for term in wanted if term[:1].isdigit())
    if not numbers <= own | title or words.coverage(wanted, own) < _OWN:
        return 0.0
    if wanted <= own:
        return 1.0
    share = words.coverage(wanted, own | title)
    return share if share >= _HELD and not asked.not_named(f"{name}\n{sentence}") else 0.0


def _held(asked: Asked, text: str) -> frozenset[str]:
    """The stems of a text, and of the things of an absence that it names by these or other names."""
    read = without_accents(words.spelled_out(text, asked.text))
    named = (words.terms(subject.said) for subject in asked.subjects if subject.is_named_in(read))
    return frozenset([*words.terms(read), *words.terms(text)]).union(*named)


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text))
