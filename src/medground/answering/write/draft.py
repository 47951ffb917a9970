"""A rationale and an answer before they are checked, and its sentences split into statements."""

from collections.abc import Callable, Sequence

from medground.answering.read.evidence import evidence_views
from medground.answering.read.readable import replaced
from medground.answering.run import Run
from medground.answering.verify.context import passage_of
from medground.answering.verify.named import remark, without_marks
from medground.answering.verify.orders import is_absence
from medground.language.clauses import clause_spans, written_sentences
from medground.language.question_reading import Asked
from medground.models.operators.answering import read_and_answer
from medground.models.operators.writing import ShortAnswer, WriteOutput, chosen_quotes
from medground.values.decision import AnswerForm, Basis
from medground.values.document import Frozen
from medground.values.evidence import Evidence, Sentence
from medground.values.question import Question
from medground.values.usage import KEYLESS, Author


class Draft(Frozen):
    """A rationale and the answer that follows from it; `answer` is empty if none follows.

    `form` is that of a short answer to an open question; None where the rationale is the answer. `missing` says
    what the sources do not report. `beside` are those of the sentences that answer other questions on the subject.
    `read_as_answer` is whether a network that read the question beside its first quote says that this answers it.
    """

    sentences: tuple[Sentence, ...] = ()
    answer: tuple[str, ...] = ()
    basis: Basis | None = None
    reason: str = ""
    form: AnswerForm | None = None
    missing: tuple[str, ...] = ()
    beside: tuple[Sentence, ...] = ()
    read_as_answer: bool = False


def drafted(
    question: Question, sentences: Sequence[Sentence], output: ShortAnswer, run: Run, author: Author | None
) -> Draft:
    """What a model wrote as a draft: the short answer, and what is missing without what names works never retrieved."""
    documents = run.ledger.documents.values()
    remarks = (remark(without_marks(text), documents, question.text) for text in filter(is_absence, output.missing))
    free = question.task == "free"
    answer = tuple(dict.fromkeys(map(without_marks, output.answer))) if free else output.answer
    reason = f"{author.name} found no answer in the passages" if author and author.is_model and not answer else ""
    return Draft(
        sentences=tuple(sentences),
        answer=answer,
        basis="model" if answer else None,
        reason=reason,
        form=output.form if answer and free else None,
        missing=tuple(dict.fromkeys(filter(None, remarks))),
    )


def written(output: WriteOutput) -> tuple[Sentence, ...]:
    """The sentences of a model's output, each on one line, with its citations."""
    return tuple(Sentence(text=without_marks(s.text), evidence=s.evidence) for s in output.sentences)


def best_quotes(asked: Asked, evidence: Sequence[Evidence], run: Run) -> tuple[Sentence, ...]:
    """The quotes that are shown where no model writes, best first; of a replaced version, last.

    Where passages name all that a question is about, others are left out; a comparison needs both sides.
    """
    run.answered_by[read_and_answer.name] = KEYLESS
    documents = run.ledger.documents
    full = [e for e in evidence if not asked.unnamed([passage_of(asked, e, documents[e.document_id])])]
    on_it = full if full and not asked.comparison else evidence
    older = {one.id for one, _ in replaced([documents[e.document_id] for e in on_it])}
    views = evidence_views(sorted(on_it, key=lambda e: e.document_id in older), documents)
    chosen = chosen_quotes(asked, views, run.settings.recipe.sentences)
    return tuple(Sentence(text=without_marks(one.quote[:1200]), evidence=(one.id,)) for one in chosen)


Mark = Callable[[Evidence], str]
"""Formats a citation in the rationale."""


def evidence_mark(evidence: Evidence) -> str:
    """`[E1]`."""
    return f"[{evidence.id}]"


def joined(
    sentences: Sequence[Sentence], evidence: Sequence[Evidence], mark: Mark = evidence_mark
) -> tuple[str, list[tuple[int, int]]]:
    """The rationale with marks such as `[E1][E3]` after each sentence, and the span of each sentence without marks."""
    by_id = {quote.id: quote for quote in evidence}
    text, spans = "", []
    for sentence in sentences:
        text += " " if text else ""
        spans.append((len(text), len(text) + len(sentence.text)))
        marks = dict.fromkeys(mark(by_id[e]) for e in sentence.evidence)
        text += sentence.text + (" " + "".join(marks) if marks else "")
    return text, spans


def statements(written: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[Sentence, ...]:
    """Split written sentences into statements; each keeps the citations and the text of its sentence.

    A sentence that repeats a cited quote verbatim stays whole, so that it can be compared with that quote. Statements
    are returned unchanged.
    """
    quotes = {quote.id: " ".join(quote.quote.split()) for quote in evidence}
    found: list[Sentence] = []
    for text in written:
        if text.within or any(quotes.get(e) == " ".join(text.text.split()) for e in text.evidence):
            found.append(text)
            continue
        for start, end in written_sentences(text.text):
            found += _parts(text.replace(text=text.text[start:end]))
    return tuple(found)


def _parts(sentence: Sentence) -> list[Sentence]:
    spans = clause_spans(sentence.text)
    if len(spans) < 2:
        return [sentence]
    return [
        Sentence(text=sentence.text[start:end], evidence=sentence.evidence, within=sentence.text, start=start)
        for start, end in spans
    ]
