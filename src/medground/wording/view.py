"""An answer as plain values for a page, a notebook or an agent, in the words of the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.filesize import decimal

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.home.files import tables
from medground.language.clean import clean, ended, joined, sentence
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.evidence import Evidence
from medground.values.question import Option
from medground.values.report import Attachment, Connection, Relation, ReportSection, SubAnswer
from medground.values.research_plan import ResearchPlan
from medground.values.statement import Conflict, Dropped, Label, Statement
from medground.values.usage import Author
from medground.wording import blocks as references
from medground.wording import phrases
from medground.wording.answer_blocks import detail_notes, failure, notes, run_notes
from medground.wording.blocks import Block
from medground.wording.view_types import (
    AnswerView,
    ConflictView,
    ConnectionView,
    DocumentView,
    EvidenceView,
    FactView,
    FileView,
    NoticeView,
    ReportView,
    SearchView,
    SectionView,
    SentenceView,
    SideView,
    SubAnswerView,
    VerdictView,
    taken,
)

_RELATIONS: dict[Relation, str] = {"supports": "support each other", "extends": "extend each other",
                                   "contradicts": "contradict each other"}  # fmt: skip


def fact_view(quote: Evidence, document: SourceDocument) -> FactView:
    """A quote from a knowledge graph as a row: its subject is the page that states it."""
    from medground.graph.relation import read_line  # late: most answers quote no graph

    stated = read_line(clean(quote.quote))
    return FactView(
        subject=f"{clean(document.title)} ({document.id})",
        relation=clean(quote.section or ""),
        object=stated.object,
        frequency=stated.details,
        references=stated.references,
        evidence=quote.id,
    )


def report_view(answer: Answer, groups: Sequence[Sequence[Statement]]) -> ReportView | None:
    """The report of an answer; None if it is none.

    `groups`: its written sentences, to which the sections refer by their places.
    """
    if (report := answer.report) is None:
        return None
    texts = {question.id: question.text for question in report.plan.subquestions}
    return ReportView(
        plan=report.plan,
        order=clean(order_words(report.plan)) if report.plan.subquestions else "",
        sections=tuple(
            taken(
                SectionView,
                section,
                title=joined(section.title),
                notes=tuple(map(joined, section.notes)),
                sentences=tuple(place for place, group in enumerate(groups) if inside(group, section)),
            )
            for section in report.sections
        ),
        subanswers=tuple(
            taken(SubAnswerView, subanswer, text=joined(texts.get(subanswer.id, "")), words=became(subanswer))
            for subanswer in report.subanswers
        ),
        connections=tuple(
            taken(
                ConnectionView,
                connection,
                words=connected(connection),
                found_by=f"Found by {connection.found_by}; not validated here.",
            )
            for connection in report.connections
        ),
        flow=report.flow,
        files=tuple(
            taken(
                FileView,
                attachment,
                title=joined(attachment.title),
                words=file_words(attachment),
                licence=joined(attachment.licence),
            )
            for attachment in report.attachments
        ),
        read=report.read,
    )


LOOKS: Mapping[Label, Sequence[Any]] = tables("wording", "words")["looks"]
"""The shape of each label, the same as one character, and its style."""


def view(answer: Answer) -> AnswerView:
    """An answer as it is shown. The words are those of `medground ask`."""
    groups, numbers, follows = phrases.written_sentences(answer), numbered(answer), answer.question.follows
    evidence = {quote.id: quote for quote in answer.evidence}
    documents = {document.id: document for document in answer.documents}
    sentences = tuple(_sentence(group, answer, evidence, documents) for group in groups)
    lead = [documents[evidence[one].document_id] for led in phrases.lead(answer)[:1] for one in led.evidence[:1]]
    quoted: dict[str, list[str]] = {}
    for quote in answer.evidence:
        quoted.setdefault(quote.document_id, []).append(quote.id)
    return taken(
        AnswerView,
        answer,
        question=joined(answer.question.typed),
        task=answer.question.task,
        options=tuple(Option(letter=o.letter, text=joined(o.text)) for o in answer.question.options),
        follows=follows.answer if follows else None,
        read_as=phrases.read_as(follows, answer.question.text, searched=bool(answer.searches)) if follows else "",
        context=phrases.context(answer.question.context, whole=True) if answer.question.context else "",
        models=tuple(phrases.models(answer)),
        corpora=tuple(dict.fromkeys(snapshot.name for snapshot in answer.snapshots)),
        notice=taken(NoticeView, answer.notice) if answer.notice else None,
        status=answer.decision.status,
        value=joined(answer.decision.shown() or "") or None,
        exact_answer=answer.decision.exact_answer,
        basis=answer.decision.basis,
        probability=answer.decision.probability,
        headline=phrases.headline(answer),
        reason=" ".join(filter(None, [*(_led_by(sentences[0], one) for one in lead), phrases.reason(answer)])),
        nearby=tuple(map(joined, answer.nearby)),
        support=phrases.support(answer),
        support_share=answer.support,
        rationale=clean(answer.rationale),
        sentences=sentences,
        evidence=tuple(
            taken(
                EvidenceView,
                quote,
                quote=clean(quote.quote),
                place=clean(", ".join(_place(quote))),
                study=references.study(documents[quote.document_id]),
            )
            for quote in answer.evidence
        ),
        documents=tuple(
            document_view(documents[name], number, quoted.get(name, ())) for name, number in numbers.items()
        ),
        conflicts_heading="Sources disagree" if answer.conflicts else "",
        conflicts=tuple(map(_conflict, answer.conflicts)),
        facts=tuple(fact_view(e, documents[e.document_id]) for e in answer.evidence if e.origin == "graph"),
        searches=tuple(map(search_view, answer.searches)),
        dropped=tuple(Dropped(text=joined(d.text), reason=sentence(d.reason)) for d in answer.dropped),
        notes=_texts(notes(answer)),
        details=_texts(b for b in (*run_notes(answer), *detail_notes(answer)) if b.kind == "note"),
        cost=phrases.cost(answer),
        report=report_view(answer, groups),
        stopped=sentence(answer.stopped) if answer.stopped else "",
    )


def _led_by(first: SentenceView, paper: SourceDocument) -> str:
    """From which document a sentence is that stands for an answer, and what its check found."""
    site = captions.web_address(paper).split("/")[2:3]
    source = [joined(paper.title) or paper.id, *([joined(paper.journal)] if paper.journal else site)]
    found = " ".join(dict.fromkeys(verdict.words for verdict in first.verdicts))
    return f"{ended(', '.join(source))} {found}{' Not assessed.' * (first.verdicts[0].label == 'quoted')}"


def _sentence(
    group: Sequence[Statement],
    answer: Answer,
    evidence: Mapping[str, Evidence],
    documents: Mapping[str, SourceDocument],
) -> SentenceView:
    start, end = group[0].start, group[-1].end
    sections = answer.report.sections if answer.report is not None else ()
    return SentenceView(
        text=clean(phrases.written(answer, group)),
        start=start,
        end=end,
        citations=tuple(dict.fromkeys(one for statement in group for one in statement.evidence)),
        web={documents[evidence[one].document_id].kind for one in group[0].evidence} == {"web"},
        section=next((place for place, section in enumerate(sections) if inside(group, section)), None),
        verdicts=tuple(_verdict(one, answer, evidence, documents) for one in group),
    )


def _verdict(
    statement: Statement, answer: Answer, evidence: Mapping[str, Evidence], documents: Mapping[str, SourceDocument]
) -> VerdictView:
    found, best = statement.verdict, evidence.get(statement.verdict.best or "")
    shape, glyph, style = LOOKS[found.assessed or found.label]
    told = found.label == "quoted" or cited_by(statement) == [found.best]  # by the marks of the sentence
    return VerdictView(
        text=clean(statement.text),
        label=found.label,
        shape=shape,
        glyph=glyph,
        style="caution" if found.assessed and shape == "check" else style,
        plain=shape == "check" and found.critic in answer.models.values() and not (found.flags or found.note),
        words=captions.verdict(found, _place(best) if best else (), documents[best.document_id] if best else None),
        deciding=None if told else found.best,
        category=captions.category(found),
    )


def _place(quote: Evidence) -> list[str]:
    """Where in its paper a quote is from: section and page, as far as they are known."""
    section = [quote.section.lower()] if quote.section else []
    return [*section, f"p. {quote.page}"] if quote.page else section


def cited_by(statement: Statement) -> list[str]:
    """The quotes that a statement cites, and the one that decided its verdict."""
    best = statement.verdict.best
    return list(dict.fromkeys([*statement.evidence, *([best] if best else [])]))


def numbered(answer: Answer) -> dict[str, int]:
    """The number of each source, from 1, in the order in which they are cited."""
    documents = {quote.id: quote.document_id for quote in answer.evidence}
    cited = [e for statement in answer.statements for e in cited_by(statement)]
    cited += [e for conflict in answer.conflicts for side in conflict.sides for e in side.evidence]
    ids = [documents[e] for e in cited] + [document.id for document in answer.documents]
    return {document: number for number, document in enumerate(dict.fromkeys(ids), start=1)}


def document_view(document: SourceDocument, number: int = 0, evidence: Sequence[str] = ()) -> DocumentView:
    """A source as it is shown, with its number and the ids of its quotes."""
    return taken(
        DocumentView,
        document,
        number=number,
        title=joined(document.title) or document.id,
        journal=joined(document.journal or ""),
        authors=tuple(map(joined, document.authors)),
        design=captions.design(document),
        aside=why_aside(document) or "",
        retraction_words=captions.state(document),
        cautions=tuple(map(joined, document.cautions)),
        url=captions.web_address(document),
        reference=references.bibliography(document),
        licence=references.terms(document),
        source=joined(document.source),
        evidence=tuple(evidence),
    )


def _conflict(conflict: Conflict) -> ConflictView:
    return taken(
        ConflictView,
        conflict,
        about=joined(conflict.about),
        words=phrases.disagreement(conflict),
        sides=tuple(
            SideView(name=phrases.side(side, number), stance=side.stance, evidence=side.evidence)
            for number, side in enumerate(conflict.sides, start=1)
        ),
    )


def search_view(search: Search) -> SearchView:
    """A search as it is shown."""
    failed = search.status == "failed"
    return taken(
        SearchView,
        search,
        source=clean(search.source),
        name=phrases.source_title(search.source),
        query=clean(search.query),
        words=sentence(failure(search) if failed else phrases.results(search, search.hits)),
    )


def _texts(blocks: Iterable[Block]) -> tuple[str, ...]:
    return tuple(joined(block.text) for block in blocks if block.lines)


def order_words(plan: ResearchPlan) -> str:
    """Which sub-questions were searched after which, in words."""
    told = (f"{one} after {' and '.join(before)}" if before else f"{one} first" for one, before in plan.after().items())
    return f"The plan: {'; '.join(told)}."


def inside(group: Sequence[Statement], section: ReportSection) -> bool:
    """Whether a written sentence is in a section."""
    return section.start <= group[0].start and group[-1].end <= section.end


def became(one: SubAnswer) -> str:
    """What became of a sub-question, in words."""
    if one.state == "answered":
        return "Addressed by" if not Author(one.answered_by).is_model else "Answered from"
    if one.state == "failed":
        return sentence(f"not searched: {one.reason or 'none of its sources could be searched'}")
    return sentence(f"not answered: {one.reason or 'nothing was found for it'}")


def connected(one: Connection) -> str:
    """How two sub-answers hang together."""
    about = f": {one.about}" if one.about else ""
    return sentence(f"{one.first} and {one.second} {_RELATIONS[one.relation]}{about}")


def file_words(one: Attachment) -> str:
    """A file of the report in one line."""
    parts = [f"{one.title} ({one.name}, {one.media_type}, {decimal(one.size)})"]
    parts += [one.document_id] if one.document_id else []
    parts += [f"licence: {one.licence}"] if one.licence else []
    parts += [f"from {one.origin}"] if one.origin else []
    return sentence("; ".join(" ".join(part.split()) for part in parts))
