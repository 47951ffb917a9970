"""Write the report of a research plan from what its sub-questions found.

    sub-answers, all at once -> how they connect -> background and synthesis -> every sentence checked -> sections

Source: BioMedSearch, section III.C.
"""

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from medground.answering.conclude.compose import compose, listed_documents, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.read.facts import GraphAnswer, ask_for_facts, beside_facts, graph_draft
from medground.answering.read.readable import readable
from medground.answering.run import Run, words_lookup
from medground.answering.verify.check import CHECKING
from medground.answering.verify.named import without_marks
from medground.answering.verify.reporting import why_not_finding
from medground.answering.write.draft import Draft, drafted, statements
from medground.corpus.retraction import RETRACTED, why_aside
from medground.errors import SourceUnavailable
from medground.language.clean import ended, joined
from medground.models.operators.base import Operator
from medground.models.operators.writing import WrittenSentence
from medground.recipes.biomedsearch.news import asks_for_news
from medground.recipes.biomedsearch.reporting import ComposeReportOutput, answer_part, compose_report, connect_parts
from medground.recipes.biomedsearch.sections import (
    WORKED,
    Written,
    in_order,
    limitations,
    placed,
    rests_on_web,
    searched,
    told_once,
    why_nothing,
)
from medground.recipes.biomedsearch.sub_answers import Part, connected, disagreeing, framed, is_own, sub_answers
from medground.recipes.biomedsearch.works import one_per_work, works
from medground.recipes.ground.recipe import quoted
from medground.sources.base import suited
from medground.values.answer import Answer
from medground.values.document import Hit, SourceKind
from medground.values.evidence import Evidence, Sentence
from medground.values.question import Question
from medground.values.report import Connection, Report, ReportSection, SubAnswer, SubFound
from medground.values.research_plan import ResearchPlan
from medground.values.statement import Verdict

REPORTING: tuple[Operator[Any, Any], ...] = (answer_part, connect_parts, compose_report, *CHECKING)
"""The operators that a report may use; a recipe that writes one declares them, and `compose_report` as its writer."""

QUOTED = Verdict(label="quoted", critic="verbatim", note="the source's own words; the run ended before checking")
UNVERIFIED = Verdict(label="unverified", critic="verbatim", note="the run ended before checking")
"""The verdicts on sentences of a run that ended early."""
# What stands on top of a report: stored facts that answer the question and, without a model, quotes as of `ground`.


@dataclass(frozen=True)
class Short:
    """The short answer before it is checked; `entails` tells whether a stored relation states a sentence."""

    draft: Draft = field(default_factory=Draft)
    evidence: tuple[Evidence, ...] = ()
    entails: Callable[[Sentence], bool] | None = None


async def in_short(question: Question, run: Run) -> Short:
    """The short answer; empty where nothing was found, a source failed, or a model is to write the answer."""
    stored = await ask_for_facts(question, run)
    finding, short = None, Short()
    if isinstance(stored, GraphAnswer):
        finding, facts = stored.finding, tuple(quote for _, quote in stored.facts)
        if facts:
            short = Short(graph_draft(question, stored), facts, lambda sentence: stored.entails(sentence.text))
    others, lookup = beside_facts(run), words_lookup(question)
    only = [source.name for source in run.sources if suited(lookup, source) and (not stored or source.name in others)]
    if not run.answerer(compose_report).is_model and only:
        with contextlib.suppress(SourceUnavailable):  # the report lists sources that failed
            found = await quoted(question, run, only, finding)
            evidence = (*short.evidence, *found.evidence)
            said = (*short.draft.sentences, *statements(_findings(found.draft.sentences, run), evidence))
            short = Short(short.draft.replace(sentences=said), evidence, short.entails)
    return short


def _findings(quoted: Sequence[Sentence], run: Run) -> Sequence[Sentence]:
    """Without the quotes that are titles or aims, unless all are."""
    titles_and_aims = {
        quote.id
        for quote in run.ledger.evidence
        if why_not_finding(quote.quote, run.ledger.documents[quote.document_id])
    }
    return [one for one in quoted if titles_and_aims.isdisjoint(one.evidence)] or quoted


NO_SHORT = Short()
_ORDER: dict[SourceKind, int] = {"protein": 1, "graph": 1, "web": 2}
_NEWS_ORDER = _ORDER | {"web": -1}
"""Which kinds of source are read first: the literature, unless news or experience is asked for."""


async def write_report(
    plan: ResearchPlan,
    found: Sequence[SubFound],
    run: Run,
    stopped: str | None = None,
    short: Short = NO_SHORT,
    unasked: Collection[str] = (),
) -> Answer:
    """The report on a plan's question. The documents found are in the run's ledger.

    Parts that nobody asked for (`unasked`, by id) stand only below an answer to the question, and nobody misses them.

    Of a run that ended early, of which `stopped` says why, it has the quotes that word statistics choose, and asks no
    model.

    Raises ModelFailed: the model that reads failed on every sub-question.
    """
    if stopped is not None:
        run.without_model(run.recipe)
    parts = await sub_answers(await _read(found, run), run)
    answered = [part for part in parts if part.state == "answered"]
    if not short.draft.sentences and all(part.id in unasked for part in answered):
        answered = []
    nothing = not answered and not short.draft.sentences
    if nothing and (stopped is not None or not run.answers_anyway(compose_report)):
        answer = compose(run, unanswered(why_nothing(found, parts)), stopped=stopped)
        return _with_report(answer, plan, found, parts, run, unasked=unasked)
    connections = await connected(answered, run)
    frame = await framed(answered, connections, run)
    written = _sections(answered, short.draft.sentences, frame, run)
    own = next((subquestion.id for subquestion in plan.subquestions if is_own(subquestion, run)), "")
    answer, sections = await _checked(written, own, frame, short, answered, run, stopped)
    if answer.decision.unmentioned:  # no answer, so there is nothing below which the other parts could stand
        asked = [section for section in written if section.subquestion not in unasked]
        if len(asked) < len(written):
            answer, sections = await _checked(asked, own, frame, short, answered, run, stopped)
    connections += disagreeing(answered, answer.conflicts)
    return _with_report(answer, plan, found, parts, run, connections, placed(sections, answer), unasked=unasked)


async def _read(found: Sequence[SubFound], run: Run) -> list[tuple[SubFound, list[Hit]]]:
    """What may be read for each sub-question: one document of each work, nothing retracted, the literature first."""
    lists = [[hit for tool in one.tools for hit in tool.hits] for one in found]
    everything = [hit for hits in lists for hit in hits]
    await run.retrieve([hit.passage.document_id for hit in everything])
    withdrawn = {hit.passage.document_id for hit in everything if why_aside(hit.passage) == RETRACTED}
    lists = one_per_work([await readable(hits, run) for hits in lists], withdrawn, run)
    order = _NEWS_ORDER if asks_for_news(run.question.text) else _ORDER
    return [
        (one, sorted(hits, key=lambda hit: order.get(hit.passage.kind, 0)))
        for one, hits in zip(found, lists, strict=True)
    ]


def _sections(
    answered: Sequence[Part], short: tuple[Sentence, ...], frame: ComposeReportOutput, run: Run
) -> list[Written]:
    """The short answer, background, a finding for each answered sub-question, and the synthesis; no sentence twice."""
    kinds = {e.id: run.ledger.documents[e.document_id].kind for part in answered for e in part.evidence}
    news = asks_for_news(run.question.text)
    asked = [part.found.subquestion for part in answered]
    titles = ("More on the question" if short and is_own(one, run) else one.text for one in asked)
    findings = (
        Written("findings", title, in_order(part.sentences, kinds, web_first=news), part.id)
        for title, part in zip(titles, answered, strict=True)
    )
    papers = {e.id: e.document_id for e in run.ledger.evidence}
    return [
        Written("short", "In short", short),
        Written("background", "Background", _sentences(frame.background)),
        *told_once(findings, short, papers, quotes_only=not run.answerer(answer_part).is_model),
        Written("synthesis", "Synthesis", _sentences(frame.synthesis)),
    ]


def _sentences(written: Sequence[WrittenSentence]) -> tuple[Sentence, ...]:
    return tuple(Sentence(text=without_marks(one.text), evidence=one.evidence) for one in written)


async def _checked(
    written: Sequence[Written],
    own: str,
    frame: ComposeReportOutput,
    short: Short,
    answered: Sequence[Part],
    run: Run,
    stopped: str | None,
) -> tuple[Answer, list[Written]]:
    """The answer with its sentences checked, and its sections; of a run that ended early they are quotes.

    `own` is the id of the part that is the question itself.
    """
    quotes = [*short.evidence, *(quote for part in answered for quote in part.evidence)]
    evidence = list(dict.fromkeys(quotes))
    sections = [replace(one, sentences=statements(one.sentences, evidence)) for one in written]
    sentences = tuple(sentence for section in sections for sentence in section.sentences)
    beside = tuple(
        s for section in sections if section.subquestion and section.subquestion != own for s in section.sentences
    )
    if stopped is not None:
        quoted = {" ".join(quote.quote.split()) for quote in evidence}
        verdicts = [QUOTED if " ".join(sentence.text.split()) in quoted else UNVERIFIED for sentence in sentences]
        return compose(run, Draft(sentences=sentences, beside=beside), verdicts, stopped=stopped), sections
    draft = short.draft.replace(sentences=sentences)
    if not short.entails:
        draft = drafted(run.question, sentences, frame, run, run.writer)
    draft = draft.replace(beside=beside)
    return await finish(run.question, draft, evidence, run, graph=short.entails), sections


def _with_report(
    answer: Answer,
    plan: ResearchPlan,
    found: Sequence[SubFound],
    parts: Sequence[Part],
    run: Run,
    connections: Sequence[Connection] = (),
    sections: Sequence[ReportSection] = (),
    *,
    unasked: Collection[str],
) -> Answer:
    """The answer with its report; it lists what was read, too."""
    cited = {e.id: e.document_id for e in answer.evidence}
    shown = [hit.passage.document_id for one in found for tool in one.tools for hit in tool.hits]
    groups = works(run.ledger.documents[i] for i in dict.fromkeys([*cited.values(), *shown]))
    read = tuple(
        group[0].id
        for group in groups
        if not any(document.id in cited.values() for document in group) and not why_aside(group[0])
    )
    subanswers = tuple(_subanswer(part, answer) for part in parts)
    same = {document.id: {one.id for one in group} for group in groups for document in group}
    used = {subanswer.id: {name for e in subanswer.evidence for name in same[cited[e]]} for subanswer in subanswers}
    worked = [(tool, used[one.subquestion.id]) for one in found for tool in one.tools if tool.state in WORKED]
    flow = tuple(
        tool.flow.replace(cited=len({hit.passage.document_id for hit in tool.hits} & documents))
        for tool, documents in worked
    )
    by_id = {document.id: document.kind for document in answer.documents}
    kinds = {e.id: by_id[e.document_id] for e in answer.evidence}
    web = sum(rests_on_web(statement.evidence, kinds) for statement in answer.statements)
    short = any(section.kind == "short" for section in sections)
    told = [
        part
        for part in parts
        if not (
            (part.id in unasked and part.state == "not answerable") or (short and is_own(part.found.subquestion, run))
        )
    ]
    ending = (
        ReportSection(kind=kind, title=title, start=len(answer.rationale), end=len(answer.rationale), notes=notes)
        for kind, title, lines in (
            ("limitations", "Limitations", limitations(told, flow, web, len(run.shown), answer.stopped)),
            ("searched", "What was searched", searched(plan, found, flow)),
        )
        if (notes := tuple(ended(joined(line)) for line in lines))
    )
    report = Report(
        plan=plan,
        sections=(*sections, *ending),
        subanswers=subanswers,
        connections=tuple(connection for connection in connections if cited.keys() >= set(connection.evidence)),
        flow=flow,
        attachments=tuple(dict.fromkeys(a for one in found for tool in one.tools for a in tool.attachments)),
        read=read,
    )
    documents = listed_documents(run, list(dict.fromkeys([*(d.id for d in answer.documents), *read])))
    return Answer(**dict(answer) | {"documents": documents, "report": report})


def _subanswer(part: Part, answer: Answer) -> SubAnswer:
    """What became of a sub-question; what it shares with the short answer or an earlier one is quoted there."""
    shown = (e for quote in part.evidence for e in answer.evidence if _overlap(e, quote))
    state, reason, evidence = part.state, part.reason, tuple(dict.fromkeys(e.id for e in shown))
    if state == "answered" and not evidence:
        state, reason = "not answerable", "no sentence of its answer passed verification"
    return SubAnswer(id=part.id, state=state, reason=reason, evidence=evidence, answered_by=part.answered_by)


def _overlap(one: Evidence, other: Evidence) -> bool:
    return one.document_id == other.document_id and one.start < other.end and other.start < one.end
