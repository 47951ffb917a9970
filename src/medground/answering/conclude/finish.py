"""The last step of recipes that read: check each statement and the short answer, compose the answer."""

import contextlib
from collections.abc import Sequence

from medground.answering.conclude.answer_check import checked_answer, parts_checked
from medground.answering.conclude.compose import compose
from medground.answering.conclude.critic_reading import judged
from medground.answering.read.corrections import corrected_number, of_paper
from medground.answering.read.readable import replaced
from medground.answering.read.senses import remarks_on_senses
from medground.answering.run import Run
from medground.answering.verify.check import GraphCheck, check_with_answer
from medground.answering.verify.context import AROUND, as_read, open_questions, unmentioned
from medground.answering.verify.headline import without_orders
from medground.answering.verify.judges import OPERATOR
from medground.answering.verify.rationale import find_conflicts
from medground.answering.write.draft import Draft, Mark, evidence_mark, statements
from medground.corpus.retraction import ERRATUM, why_aside
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language.question_reading import Asked
from medground.models.operators.checking import check as check_answers
from medground.values.answer import Answer
from medground.values.decision import AnswerCheck
from medground.values.document import Hit
from medground.values.evidence import Evidence
from medground.values.lookup import Lookup, Ranker
from medground.values.question import Question
from medground.values.statement import Dropped, Verdict


async def finish(
    question: Question,
    draft: Draft,
    evidence: Sequence[Evidence],
    run: Run,
    *,
    graph: GraphCheck | None = None,
    context: Sequence[Hit] = (),
    verdicts: Sequence[Verdict] | None = None,
    missing: str = "",
    mark: Mark = evidence_mark,
) -> Answer:
    """Check the statements of a draft against the evidence and compose the answer. All recipes that read end here.

    Args:
        draft: the written sentences, or the statements that they were split into.
        evidence: the quotes that the draft was written from.
        graph: says whether a stored relation entails a sentence.
        context: passages, best first, with which statements are compared beside the quotes that they cite.
        verdicts: verdicts from a recipe's own loop, one for each statement of the draft; these are not checked again.
        missing: what is missing in what was read, where the draft does not say it.

    Raises UnknownCitation: a sentence cites what this run never quoted; SourceUnavailable; BudgetExhausted.
    """
    asked = run.reading(question)
    _tell_misspelt(asked, evidence, run)
    draft = without_orders(draft, run)
    cited_ids = dict.fromkeys(e for sentence in draft.sentences for e in sentence.evidence)
    run.ledger.cite(*cited_ids)  # fails before anything is paid for
    split = draft.replace(sentences=statements(draft.sentences, evidence))
    split, found, check, left_out = await _checked(split, run, verdicts, graph=graph, context=context)
    cited = sorted((e for e in run.ledger.evidence if e.id in cited_ids), key=lambda e: [*cited_ids].index(e.id))
    found = [
        _corrected(verdict, sentence.evidence, run) for sentence, verdict in zip(split.sentences, found, strict=True)
    ]
    conflicts = find_conflicts(question.text, evidence, run.ledger.documents, run.reader)
    has_critic = run.settings.verify.critic != OPERATOR or run.answerer(check_answers).is_model
    reads = has_critic and not conflicts and draft.basis != "graph fact"
    answered = await judged(asked, cited, run) if reads else None
    if answered is not None and {answered.value, *draft.answer} == {"yes", "no"}:  # quotes deny it
        check = answered.objection_to(draft.answer, by=run.settings.verify.critic)
    _tell_replaced(cited, run)
    _tell_uncompared(asked, cited, run)
    for said in await remarks_on_senses(asked, cited, run):
        run.warn(said)
    _tell_open(asked, cited, run)
    return compose(
        run,
        split,
        found,
        conflicts=conflicts,
        answered=answered,
        check=check,
        left_out=left_out,
        elsewhere=await _elsewhere(asked, cited, run),
        missing=" ".join(split.missing) or missing,
        mark=mark,
    )


async def _checked(
    draft: Draft, run: Run, known: Sequence[Verdict] | None, *, graph: GraphCheck | None, context: Sequence[Hit]
) -> tuple[Draft, list[Verdict], AnswerCheck | None, list[Dropped]]:
    """A draft without what does not hold of it, the verdicts on its sentences, the check of its answer, and what left.

    Only what a model wrote has an answer to check, and things that it says are missing.
    """
    if draft.basis == "model" or draft.missing:
        draft, found, said, left_out = await parts_checked(draft, run, graph=graph, context=context, known=known)
        return draft, found, await checked_answer(draft, found, run, said), left_out
    if known:
        return draft, list(known), None, []
    given = run.question.worded(draft.answer)
    checked, _ = await check_with_answer(draft.sentences, (), run, graph=graph, context=context, leads_to=given)
    return draft, [one.verdict for one in checked], None, []


def _tell_misspelt(asked: Asked, quotes: Sequence[Evidence], run: Run) -> None:
    """Warn of each word that was read as another one."""
    for word, meant in asked.read_as(" ".join(quote.quote for quote in quotes)).items():
        run.warn(f"“{word}” was read as “{meant}”; did you mean that?")


def _tell_open(asked: Asked, quotes: Sequence[Evidence], run: Run) -> None:
    """Warn of each of several questions that no quote is about."""
    for said in open_questions(asked, quotes, run.ledger.documents) if quotes else ():
        run.warn(f"no quote is about “{said}?”")


def _corrected(verdict: Verdict, cited: Sequence[str], run: Run) -> Verdict:
    """A verdict with what an erratum says of a number in the quotes that its statement cites."""
    documents = run.ledger.documents
    errata = [document for document in documents.values() if why_aside(document) == ERRATUM]
    for quote in (one for one in run.ledger.evidence if errata and one.id in cited):
        paper = documents[quote.document_id]
        for erratum in of_paper(paper.title, paper.paper, errata):
            if numbers := corrected_number(quote.quote, erratum.text):
                said = f"{numbers[0]}, corrected; the paper first said {numbers[1]} ({erratum.id})"
                return verdict.replace(corrected=said)
    return verdict


def _tell_replaced(quotes: Sequence[Evidence], run: Run) -> None:
    """Warn where a paper that is quoted was replaced by a newer version of it."""
    named = dict.fromkeys(quote.document_id for quote in quotes)
    for older, newer in replaced([run.ledger.documents[name] for name in named]):
        run.warn(f"{older.id} ({older.year}) was replaced by {newer.id} ({newer.year}), a newer version of it")


async def _elsewhere(asked: Asked, quotes: Sequence[Evidence], run: Run) -> frozenset[str]:
    """What no quote names of the question's things, though documents found by it alone do: it is not missing there."""
    lost = set(unmentioned(asked, quotes, run.ledger.documents)) if quotes else set[str]()
    things = [subject for subject in asked.subjects if subject.said in lost]
    with contextlib.suppress(SourceUnavailable):  # the answer lists sources that failed
        lookups = [Lookup(asked=thing.query, text=thing.said, rankers=(Ranker.LEXICAL,)) for thing in things]
        counts = await concurrently(run.count(lookup) for lookup in lookups)
        return frozenset(one.said for one, count in zip(things, counts, strict=True) if count)
    return frozenset()


def _tell_uncompared(asked: Asked, quotes: Sequence[Evidence], run: Run) -> None:
    """Warn where each side of a comparison has its quotes, and no source names both."""
    compared, documents = asked.comparison, run.ledger.documents
    if compared is None or not quotes or unmentioned(asked, quotes, documents):
        return
    if not any(compared.names_both(as_read(quote, documents[quote.document_id], AROUND)) for quote in quotes):
        run.warn(f"no source found compares {' with '.join(compared.said)} directly")
