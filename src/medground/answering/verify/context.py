"""What statements are compared with: the quotes they cite, or the first passages of a context (CONTEXT-j)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from medground.answering.read.evidence import described
from medground.answering.run import Run
from medground.answering.verify.critic import Checked, Claim, Reads
from medground.answering.verify.named import FLAG as REFERENCE
from medground.answering.verify.named import HELD
from medground.answering.verify.numbers import QUANTITY, missing_quantities
from medground.answering.verify.reporting import asks
from medground.corpus.retraction import why_aside
from medground.language import words
from medground.language.follow_up import questions_in
from medground.language.prose import is_prose
from medground.language.question_reading import Asked
from medground.language.quoting.judged import on_subject as on_the_subject
from medground.language.quoting.leading import cell_named
from medground.language.sentences import sentence_spans
from medground.models.operators.base import EvidenceView
from medground.models.operators.differences import differences
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence, Ledger, Sentence
from medground.values.identifiers import without_papers
from medground.values.question import Question
from medground.values.statement import Verdict

WINDOW, WINDOW_WORDS = 3, 90
"""Most sentences and words of a window."""


@dataclass(frozen=True)
class Premise:
    """A slice of a retrieved document, and the rank of its passage in the context, counted from 1.

    `exact`: the slice is what is quoted, because the critic read no more than that.
    """

    document_id: str
    start: int
    end: int
    rank: int
    exact: bool = False

    def holds(self, evidence: Evidence) -> bool:
        """Whether a quote is inside the slice."""
        return evidence.document_id == self.document_id and self.start <= evidence.start and evidence.end <= self.end


@dataclass(frozen=True)
class Context:
    """The premises `P1`, `P2`, ... that all statements of a rationale share, and the position of each."""

    views: tuple[EvidenceView, ...] = ()
    places: Mapping[str, Premise] = field(default_factory=dict)

    def cites(self, best: str | None, sentence: Sentence, ledger: Ledger) -> bool:
        """Whether a sentence cites a whole premise, so that a judgement on the premise holds for the citation too."""
        place = self.places.get(best or "")
        quotes = [e for e in ledger.evidence if e.id in sentence.evidence]
        return place is None or any(place.holds(e) and e.end - e.start == place.end - place.start for e in quotes)

    def evidence(self, best: str | None, sentence: Sentence, ledger: Ledger) -> str | None:
        """The ledger id of the quote that represents a premise.

        An exact premise is quoted as it is. Of others, a quote that the sentence cites is preferred; otherwise the
        closest sentence of the passage is quoted. An id that is not a premise of the context is already a ledger id.
        """
        place = self.places.get(best or "")
        if place is None:
            return best
        terms = words.terms(sentence.text)
        if place.exact:
            return ledger.quote(place.document_id, place.start, place.end, rank=place.rank).id
        cited = [e for e in ledger.evidence if e.id in sentence.evidence and place.holds(e)]
        if cited:
            return max(cited, key=lambda e: words.coverage(terms, words.terms(e.quote))).id
        text = ledger.documents[place.document_id].text[place.start : place.end]
        spans = sentence_spans(text) or [(0, len(text))]
        start, end = max(spans, key=lambda span: words.coverage(terms, words.terms(text[span[0] : span[1]])))
        return ledger.quote(place.document_id, place.start + start, place.start + end, rank=place.rank).id


async def context_of(hits: Sequence[Hit], run: Run, *, reads: Reads = "passages") -> Context:
    """The first `verify.context` passages as premises, as a critic `reads` them, best first, without retracted papers.

    Raises SourceUnavailable: a document can no longer be fetched.
    """
    first = list(hits)[: run.settings.verify.context]
    passages = [hit.passage for hit in first if hit.passage.text.strip()]
    await run.retrieve([p.document_id for p in passages])
    views: list[EvidenceView] = []
    places: dict[str, Premise] = {}
    for rank, passage in enumerate(passages, start=1):
        document = run.ledger.documents.get(passage.document_id)
        if document is None or why_aside(passage) or why_aside(document) or not run.stands(passage):
            continue
        for number, (start, end) in enumerate(premise_spans(passage.text, reads), start=1):
            key = f"P{rank}" if reads == "passages" else f"P{rank}.S{number}"
            where = passage.start + start, passage.start + end
            places[key] = Premise(passage.document_id, *where, rank, exact=reads == "windows")
            quote, section = passage.text[start:end], passage.section or ""
            views.append(EvidenceView(id=key, section=section, quote=quote, **described(passage)))
    return Context(tuple(views), places)


def usable(evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> list[Evidence]:
    """The quotes that may be used as evidence: not those of retracted papers or of notices about papers."""
    return [e for e in evidence if why_aside(documents[e.document_id]) is None]


def cited_evidence(sentence: Sentence, ledger: Ledger) -> list[Evidence]:
    """The quotes that a sentence cites and that may be used as evidence."""
    return usable([e for e in ledger.evidence if e.id in sentence.evidence], ledger.documents)


def premise_spans(text: str, reads: Reads) -> list[tuple[int, int]]:
    """The slices of a passage that are premises; what is not prose is in no sentence and no window."""
    if reads == "passages":
        return [(0, len(text))]
    sentences = sentence_spans(text)
    prose = [is_prose(text[start:end]) for start, end in sentences]
    if reads == "sentences":
        return [span for span, is_kept in zip(sentences, prose, strict=True) if is_kept]
    numbers = range(len(sentences))
    runs = ((n, m) for n in numbers for m in numbers[n : n + WINDOW] if all(prose[n : m + 1]))
    spans = ((sentences[n][0], sentences[m][1], n == m) for n, m in runs)
    return [(start, end) for start, end, alone in spans if alone or len(text[start:end].split()) <= WINDOW_WORDS]


# What holds of a statement whichever judge assessed it: its subject and its numbers are in its sources, or it only
# repeats the question's context.

_DEFINED = re.compile(r"(?P<long>(?:[\w'’-]+ ){1,8})\((?P<short>[A-Z][\w-]{1,7})\)")
"""Words and their abbreviation in brackets."""
_NEAR = 0.6
"""How near a passage must come to a question that names no thing. Of the letters in `scripts/people_questions.jsonl`, 9
of 10 right first quotes pass, and 2 of 8 wrong ones."""
AROUND = 1500
"""Characters before and after a quote that are its passage."""

_LEAD = 400
"""Characters before a quote in which the sentence before it stands."""


def unmentioned(question: Asked, evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> list[str]:
    """What decides in a question and is in no passage quoted from, nor in its title or the headings of its record.

    Of several questions, one that the quotes are about is enough: the others are `open_questions`.
    """
    asked, passages, quotes = _asked_of(question, evidence, documents)
    if len(asked) > 1 and any(one.is_met_by(passages, quotes) for one in asked.values()):
        return []
    first = next(iter(asked.values()))
    titles = [documents[e.document_id].title for e in evidence]
    named = any(cell_named(first, e.quote, title, e.section) for e, title in zip(evidence, titles, strict=True))
    whole = [f"{title}\n{e.quote}" for e, title in zip(evidence, titles, strict=True)]
    said = [
        e.quote if first.unnamed([title]) else text
        for e, title, text, passage in zip(evidence, titles, whole, passages, strict=True)
        if not first.unnamed([passage])
    ]
    lost = first.unnamed(passages) or first.mistyped(whole)
    read = passages if first.deciding else quotes
    return lost or (not named and first.uncovered(read)) or (first.aspect_lost(said) if said else [])


def comes_near(question: Asked, evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> bool:
    """Whether the first quote's passage comes near a question that names no thing.

    That of a paper that is named by its id does, and a row of a table whose name and column the question names.
    """
    asked, passages, _ = _asked_of(question, evidence, documents)
    first, title = evidence[0], documents[evidence[0].document_id].title
    is_row = any(cell_named(one, first.quote, title, first.section) for one in asked.values())
    if is_row or without_papers(question.text) != question.text:
        return True
    return any(on_the_subject(one, passages[0]) >= _NEAR for one in asked.values())


def open_questions(question: Asked, evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> list[str]:
    """Which of several questions no quote is about, in their own words."""
    asked, passages, quotes = _asked_of(question, evidence, documents)
    return [said for said, one in asked.items() if len(asked) > 1 and not one.is_met_by(passages, quotes)]


def _asked_of(
    question: Asked, evidence: Sequence[Evidence], documents: Mapping[str, Document]
) -> tuple[dict[str, Asked], list[str], list[str]]:
    """The readings of what a question asks, by its words, and the passages and quotes in which it is looked for."""
    asked = dict(questions_in(question.reworded(without_papers(question.text))))
    passages = [passage_of(question, e, documents[e.document_id]) for e in evidence]
    return asked, passages, [as_read(e, documents[e.document_id]) for e in evidence]


def as_read(evidence: Evidence, document: Document, around: int = 0) -> str:
    """A quote with its title and authors, the headings of its record, and what its abbreviations stand for there.

    `around` so many characters of the document before and after the quote are read too.
    """
    passage = document.text[max(0, evidence.start - around) : evidence.end + around]
    quoted = passage if evidence.origin == "text" else evidence.quote
    said = "\n".join([document.title, ", ".join(document.authors), quoted])
    return "\n".join([said, *meant_by(said, document), *(heading.descriptor for heading in document.mesh)])


def passage_of(asked: Asked, evidence: Evidence, document: Document) -> str:
    """A quote with the text around it, which tells what it is about.

    Where its title is on another thing, and neither it nor the sentence before it names a thing that is asked about, it
    is about what the title is on: a paper on rheumatic fever tells the treatment of that, though it mentions scarlet
    fever elsewhere.
    """
    lead = document.text[max(0, evidence.start - _LEAD) : evidence.start]
    before = lead[sentence_spans(lead)[-1][0] :] if lead.strip() else ""
    alone = as_read(evidence, document)
    is_of_another = (
        asked.deciding and not asked.names_any(f"{before}\n{alone}") and asked.reworded(document.title).deciding
    )
    return alone if is_of_another else as_read(evidence, document, AROUND)


def meant_by(text: str, document: Document) -> list[str]:
    """What the abbreviations in a text of a document stand for there."""
    defined = abbreviations(document.text)
    return [long for short, long in defined if short in text and re.search(rf"\b{re.escape(short)}\b", text)]


@lru_cache(maxsize=64)
def abbreviations(text: str) -> list[tuple[str, str]]:
    """Each abbreviation that a text defines, with as many words before it as it has characters."""
    return [(one["short"], " ".join(one["long"].split()[-len(one["short"]) :])) for one in _DEFINED.finditer(text)]


_LONGEST = 120
_OWN = ("quoted", "contradicted")
"""Labels that stay: the source's own words, and what is never released."""


def numbers_traced(sentence: Sentence, checked: Checked, ledger: Ledger, question: Question) -> Checked:
    """The checked statement; `not found` and flagged if its sentence has a number that its cited sources lack.

    Numbers of the question and of what was given with it may be repeated. A sentence that cites nothing has no source
    to compare with.
    """
    verdict, cited = checked.verdict, cited_evidence(sentence, ledger)
    if not cited or verdict.label in _OWN or not set(HELD).isdisjoint(verdict.flags):
        return checked
    documents = [ledger.documents[name] for name in dict.fromkeys(e.document_id for e in cited)]
    sources = [part for d in documents for part in (d.text, d.title, str(d.year or ""), d.id, *d.identifiers.values())]
    sources += [*(e.quote for e in cited), question.text, question.context]
    missing = missing_quantities(sentence.whole.text, sources)
    if not missing:
        return checked
    numbers = ", ".join(dict.fromkeys(quantity.text for quantity in missing))[:_LONGEST]
    note = f"it gives {numbers}, which the source that it cites does not contain"
    changed = {"label": "not found", "assessed": None, "flags": (*verdict.flags, QUANTITY), "note": note}
    return replace(checked, verdict=verdict.replace(**changed))


SUBJECT = "subject"
"""The flag of a statement about something that no quote behind it names."""
FOREIGN = "foreign"
"""The flag of one about something that no text around its quotes names either: it decides nothing."""


def off_subject(sentence: Sentence, quotes: Sequence[Evidence], ledger: Ledger, people: bool, around: int) -> list[str]:
    """What a statement is about, and with `people` for whom, that no quote mentions, nor the text `around` it."""
    text = "\n".join(as_read(quote, ledger.documents[quote.document_id], around) for quote in quotes)
    claimed = Claim(sentence.text).asked
    return claimed.unnamed([text]) or (claimed.people_unnamed([text]) if people else [])


def on_subject(sentence: Sentence, checked: Checked, ledger: Ledger) -> Checked:
    """The checked statement; `not found` if a judge supports it, or contradicts a user's claim, by quotes about
    something else.

    Text that is only related stays so, with what it does not mention. A written sentence stays contradicted.
    """
    verdict = checked.verdict
    gated = ("supported", "partly") if sentence.evidence else ("supported", "partly", "contradicted")
    told = verdict.label in gated or verdict.assessed in gated
    if checked.judgement is None or not (told or verdict.label == "related"):
        return checked
    quotes = [*cited_evidence(sentence, ledger), *(e for e in ledger.evidence if e.id == verdict.best)]
    if not (missing := off_subject(sentence, quotes, ledger, told, 0)):
        return checked
    note = f"the quote does not mention {' or '.join(missing)}"
    if told:
        changed = {"label": "not found", "assessed": None, "flags": (SUBJECT,), "note": note, "probability": None}
        return replace(checked, verdict=verdict.replace(**changed))
    notes = "; ".join(filter(None, [note, verdict.note]))
    return replace(checked, verdict=verdict.replace(flags=(*verdict.flags, SUBJECT), note=notes))


GIVEN = "given"
"""The label of such a statement."""

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

    A statement that the evidence supports or contradicts, in the opinion of its judge, keeps its verdict.
    """
    found = list(checked)
    for n, (sentence, one) in enumerate(zip(sentences, checked, strict=True) if context else ()):
        decided = one.judgement is not None and one.judgement.relation in ("entails", "contradicts")
        is_open = one.verdict.label in _OPEN and REFERENCE not in one.verdict.flags and not decided
        if is_open and repeats(sentence.text, context):
            found[n] = replace(one, verdict=Verdict(label=GIVEN, critic="context"))
    return found


def repeats(statement: str, context: str) -> bool:
    """Whether a few neighbouring sentences of a context say all that a statement says.

    Every content word and number must be there, with no difference that the word filters notice. A question in the
    context says nothing, and a statement that advises, concludes or compares in words of its own repeats nothing.
    """
    wanted = frozenset(words.terms(statement)) - _FRAME
    reasons = _REASONS.intersection(words.tokens(statement))
    for window in _windows(context) if wanted else ():
        if wanted.issubset(words.terms(window)) and reasons.issubset(words.tokens(window)):
            sentences = [window[start:end] for start, end in sentence_spans(window)] or [window]
            nearest = max(sentences, key=lambda sentence: words.coverage(wanted, words.terms(sentence)))
            if not differences(statement, nearest, window):
                return True
    return False


def _windows(context: str) -> Iterator[str]:
    """Every stretch of up to `WINDOW` neighbouring sentences without a question between them."""
    lines = [line for line in context.splitlines() if line.strip()]
    said = [line[start:end] for line in lines for start, end in sentence_spans(line) or [(0, len(line))]]
    for size in range(1, WINDOW + 1):
        for first in range(len(said) - size + 1):
            window = said[first : first + size]
            if not any(map(asks, window)):
                yield " ".join(window)
