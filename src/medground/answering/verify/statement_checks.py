"""What holds of a statement whoever judged it: its subject and its numbers are in its sources, or it only repeats the
question's context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from medground.answering.run import Run
from medground.answering.verify.context import cited_evidence
from medground.answering.verify.named import FLAG as REFERENCE
from medground.answering.verify.named import HELD
from medground.answering.verify.numbers import QUANTITY, missing_quantities
from medground.answering.verify.reporting import asks
from medground.answering.verify.verdicts import Checked
from medground.language import words
from medground.language.question_reading import reading_of
from medground.language.sentences import sentence_spans
from medground.models.operators.flags.kinds import differences
from medground.values.document import Document
from medground.values.evidence import Evidence, Sentence
from medground.values.identifiers import without_papers
from medground.values.question import Question
from medground.values.statement import Verdict

_DEFINED = re.compile(r"(?P<long>(?:[\w'’-]+ ){1,8})\((?P<short>[A-Z][\w-]{1,7})\)")
"""Words and their abbreviation in brackets."""
AROUND = 1500
"""Characters before and after a quote that are its passage."""


def unmentioned(question: Question, evidence: Sequence[Evidence], run: Run) -> list[str]:
    """What decides in a question and is in no passage quoted from, nor in its title or the headings of its record."""
    documents = run.ledger.documents
    asked = reading_of(without_papers(question.text))
    return asked.unnamed([as_read(e, documents[e.document_id], AROUND) for e in evidence])


def as_read(evidence: Evidence, document: Document, around: int = 0) -> str:
    """A quote with its title and authors, the MeSH headings of its record, and what its abbreviations stand for in its document.

    Args:
        around: characters of the document before and after the quote that are read too.
    """
    passage = document.text[max(0, evidence.start - around) : evidence.end + around]
    authors = ", ".join(document.authors)
    said = f"{document.title}\n{authors}\n{passage if evidence.origin == 'text' else evidence.quote}"
    meant = (
        " ".join(found["long"].split()[-len(found["short"]) :])
        for found in _DEFINED.finditer(document.text)
        if re.search(rf"\b{re.escape(found['short'])}\b", said)
    )
    return "\n".join([said, *meant, *(heading.descriptor for heading in document.mesh)])


_LONGEST = 120
_OWN = ("quoted", "contradicted")
"""Labels that stay: the source's own words, and what is never released."""


def numbers_traced(sentence: Sentence, checked: Checked, run: Run) -> Checked:
    """The checked statement; `not found` and flagged if its sentence has a number that its cited sources lack.

    Numbers of the question and of what was given with it may be repeated. A sentence that cites nothing has no source
    to compare with.
    """
    verdict, cited = checked.verdict, cited_evidence(sentence, run)
    if not cited or verdict.label in _OWN or not set(HELD).isdisjoint(verdict.flags):
        return checked
    documents = [run.ledger.documents[name] for name in dict.fromkeys(e.document_id for e in cited)]
    sources = [part for d in documents for part in (d.text, d.title, str(d.year or ""))]
    sources += [*(e.quote for e in cited), run.question.text, run.question.context]
    missing = missing_quantities(sentence.whole.text, sources)
    if not missing:
        return checked
    numbers = ", ".join(dict.fromkeys(quantity.text for quantity in missing))[:_LONGEST]
    note = f"it gives {numbers}, which the source that it cites does not contain"
    changed = {"label": "not found", "assessed": None, "flags": (*verdict.flags, QUANTITY), "note": note}
    return replace(checked, verdict=verdict.model_copy(update=changed))


SUBJECT = "subject"
"""The flag of a statement about something that no quote behind it names."""


def on_subject(sentence: Sentence, checked: Checked, run: Run) -> Checked:
    """The checked statement; `not found` if a judge supports it by quotes about something else.

    Text that is only related stays so, with what it does not mention.
    """
    verdict = checked.verdict
    supported = verdict.label in ("supported", "partly") or verdict.assessed in ("supported", "partly")
    if checked.judgement is None or not (supported or verdict.label == "related"):
        return checked
    quotes = [*cited_evidence(sentence, run), *(e for e in run.ledger.evidence if e.id == verdict.best)]
    text = "\n".join(as_read(quote, run.ledger.documents[quote.document_id]) for quote in quotes)
    missing = reading_of(sentence.text).unnamed([text])
    if not missing:
        return checked
    note = f"the quote does not mention {' or '.join(missing)}"
    changed: dict[str, Any] = {
        "flags": (*verdict.flags, SUBJECT),
        "note": "; ".join(filter(None, [note, verdict.note])),
    }
    if supported:
        changed = {"label": "not found", "assessed": None, "flags": (SUBJECT,), "note": note, "probability": None}
    return replace(checked, verdict=verdict.model_copy(update=changed))


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
    sentences = [window[start:end] for start, end in sentence_spans(window)] or [window]
    return max(sentences, key=lambda sentence: words.coverage(wanted, words.terms(sentence)))
