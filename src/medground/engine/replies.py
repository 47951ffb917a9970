"""What is said without a search, or after an empty one: what a collection holds, how an earlier answer was checked and
who wrote its papers, what a limit leaves out, and what could be asked instead.
"""

from collections import Counter
from collections.abc import Sequence

from medground.answering.conclude.compose import compose, unanswered
from medground.answering.run import Run
from medground.corpus.library import Library
from medground.engine.answers import Answers
from medground.errors import MedgroundError, UsageError
from medground.language.clean import joined, sentence, some
from medground.language.comparison import together
from medground.language.follow_up import within
from medground.language.question_reading import Asked
from medground.language.requests import Request, looks_foreign, request_in
from medground.sources.base import FactSource, Source
from medground.sources.corpus import CorpusSource
from medground.values.answer import Answer, SourceDocument
from medground.values.lookup import Lookup
from medground.values.query import Everything, Filters
from medground.values.where import field_name
from medground.wording.answer_blocks import limits_in_words
from medground.wording.phrases import joined_names

_EARLIER = "this asks about an earlier answer: ask it as one that follows that answer, or write the whole question"
_HOW = "a search of the corpus finds them, and limits of a question choose some, such as year=2020.."
_WHICH = "this may be about either of two things that were asked about before; choose one"
_NO_LIMITS = Filters()


async def replied(run: Run) -> Answer | None:
    """The answer to what asks nothing of the literature; None for a question, also for one that is asked again.

    Raises UsageError: nobody can tell what a follow-up means; SnapshotCorrupt: a corpus has changed since it was built.
    """
    question, follows, now = run.question, run.question.follows, run.now().year
    if follows and follows.unclear:
        raise UsageError(follows.unclear)
    if follows and follows.choices:
        return compose(run, unanswered(_WHICH)).replace(nearby=follows.choices)
    request = request_in(follows.asked if follows else question.text, now)
    if request is None or (not follows and (question.options or question.context)):
        return None
    if request.kind == "collection":
        if (follows and follows.paper) or request_in(question.text, now) is None:  # "How many were in the trial?"
            return None
        return compose(run, unanswered(await _counted(run, request)))
    if follows is None:
        found = [await _counted(run, request)] if request.limits != _NO_LIMITS else []
        return compose(run, unanswered("; ".join([_EARLIER, *found])))
    if request.kind not in ("authors", "check"):
        return None
    try:
        former = Answers(run.settings.home).read(follows.answer)
    except UsageError:  # it was deleted: its question is asked again
        return None
    told = _authors(former) if request.kind == "authors" else await _checked(former, run)
    decision = former.decision.replace(reason=told)
    again = {"question": run.question, "trace_id": run.trace.id, "created": run.now(), "usage": run.report()}
    return former.replace(**again, decision=decision, notice=run.notice)


async def _counted(run: Run, request: Request) -> str:
    """How many documents each collection holds, and how many of them a request means."""
    told, wanted = list[str](), within(run.question.filters, request.limits)
    for source in run.sources:
        if not isinstance(source, CorpusSource):
            continue
        whole = await source.size(_NO_LIMITS)
        part = await source.size(wanted) if wanted != _NO_LIMITS else whole
        of = f", {part:,} of them with {limits_in_words(wanted).replace('; ', ' and ')}" if wanted != _NO_LIMITS else ""
        told.append(f"{_name(source)} holds {some(whole, 'document')}{of}")
    return "; ".join([*told, _HOW])


def _authors(answer: Answer) -> str:
    """Who wrote the papers that an answer quotes, and where."""
    quoted = {quote.document_id for quote in answer.evidence}
    cited = [document for document in answer.documents if document.id in quoted]
    return "; ".join(map(_written_by, cited)) or "the answer cites no papers"


def _written_by(document: SourceDocument) -> str:
    authors = ", ".join(map(joined, document.authors)) or "no authors recorded"
    where = ", ".join(filter(None, [joined(document.journal or ""), str(document.year or "")]))
    return f"{document.id}: {authors}" + (f" ({where})" if where else "")


async def _checked(answer: Answer, run: Run) -> str:
    """How the sentences of an answer were checked, and whether its quotes still stand in their documents."""
    labels = Counter[str](statement.verdict.label for statement in answer.statements)
    kinds = [f"{number} {'is' if number == 1 else 'are'} {label}" for label, number in labels.items()]
    told = [f"of {some(len(answer.statements), 'sentence')}, {joined_names(kinds)}"] if labels else []
    try:
        await run.retrieve(sorted({quote.document_id for quote in answer.evidence}))
    except MedgroundError:
        told.append("the documents could not be read again")
    texts = {name: document.text for name, document in run.ledger.documents.items()}
    standing = sum(texts.get(q.document_id, "")[q.start : q.end] == q.quote for q in answer.evidence)
    if answer.evidence:
        told.append(f"{standing} of {some(len(answer.evidence), 'quote')} stand word for word in their documents now")
    return " ".join(map(sentence, told)) or "nothing was found that could be checked"


def _name(source: Source) -> str:
    return source.name.replace(":", " ", 1)


async def nothing_within(run: Run) -> Answer | None:
    """The answer where a limit leaves no document of the collections: which, and the values that they have.

    Where other sources are searched too, it is only a warning.
    """
    held = [one for one in run.sources if isinstance(one, CorpusSource)]
    told = [
        f"no document in {_name(source)} has {limits_in_words(limit)}{await _values(source, limit)}"
        for limit in (_apart(run.limits) if held and run.recipe.needs_evidence else [])
        if not any([await one.count(Lookup(asked=Everything(), limit=1), limit) for one in held])
        for source in held
    ]
    if told and len(held) == len(run.sources):
        return compose(run, unanswered("; ".join(told)))
    for one in told:
        run.warn(one)
    return None


async def _values(source: CorpusSource, limit: Filters) -> str:
    field = field_name(limit.where[0][0]) if limit.where else "year"
    values = await source.values(field)
    if values is None:
        return ""
    return f"; its documents have {', '.join(values)}" if values else f"; none has any {field}"


def _apart(filters: Filters) -> list[Filters]:
    """The limits of `where`, field by field, and of years."""
    years = Filters(year_from=filters.year_from, year_to=filters.year_to)
    fields = dict.fromkeys(name for name, _ in filters.where)
    apart = [Filters(where=tuple(pair for pair in filters.where if pair[0] == name)) for name in fields]
    return [*([years] if years != _NO_LIMITS else []), *apart]


async def with_next_steps(answer: Answer, run: Run) -> Answer:
    """An answer with the sources that could not be asked; where nothing was found, with what to ask and search next."""
    unsuited = _unsuited(answer, run)
    answer = answer.replace(warnings=(*answer.warnings, *unsuited)) if unsuited else answer
    if answer.decision.status != "unanswerable" or answer.stopped:
        follows = run.question.follows
        return answer.replace(nearby=(follows.asked,)) if follows and follows.carried else answer
    searched = {source.state.name for source in run.sources if source.state is not None}
    unsearched = [name for name in Library(run.settings.home).list() if name not in searched]
    nearby = await _nearby(run.asked, run)
    decision = answer.decision
    if answer.searches and not (answer.read or answer.evidence or decision.unmentioned or decision.check):
        decision = decision.replace(unmentioned=_not_found(run.asked, nearby))
    return answer.replace(decision=decision, nearby=tuple(nearby), unsearched=tuple(unsearched))


def _not_found(asked: Asked, nearby: Sequence[str]) -> tuple[str, ...]:
    """The things of a question of which nothing was found: those that nothing is known of, or all of them together."""
    things, known = [thing.said for thing in asked.deciding or asked.things], " ".join(nearby)
    absent = [said for said in things if f" {said}?" not in known]
    return (together(absent or things),) if len(things) > 1 or absent else ()


def _unsuited(answer: Answer, run: Run) -> list[str]:
    """A warning for each source that accepts no query of the recipe. Graphs go without saying."""
    if run.recipe.researches:  # a report asks each tool in its own way
        return []
    left = run.refused.keys() - {search.source for search in answer.searches}
    others = [one for one in run.sources if one.name in left and not isinstance(one, FactSource)]
    forms = {name: ", ".join(refused.rankers) or "free-text" for name, refused in run.refused.items()}
    return [
        f"{_name(one)} was not searched: it does not accept {forms[one.name]} queries, as {run.recipe.name} sends them"
        for one in others
    ]


async def _nearby(asked: Asked, run: Run) -> list[str]:
    """Questions on each single thing that the collections have something of, where that is not all that was asked."""
    # A word of another language may name something else: of a foreign question only headings are sure.
    things = list({one.said: one for one in asked.deciding if one.heading or not looks_foreign(asked.text)}.values())
    searched = {search.source for search in run.searches if search.status != "failed"}
    local = [source for source in run.sources if isinstance(source, CorpusSource) and source.name in searched]
    found = [
        thing.said
        for thing in things
        if any([await one.count(Lookup(asked=thing.query, limit=1), run.limits) for one in local])
    ]
    wordings = (f"What is known about {said}?" for said in found)
    return [wording for wording in wordings if wording.casefold() != asked.text.casefold()]
