"""The studies of an answer as rows and as numbered sentences, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from medground.answering.evidence_table.values import Agreement, DesignCount, Row, RowQuote, RowVerdict
from medground.answering.read.reading_list import spans
from medground.answering.source_facts import design, design_level, state, web_address
from medground.answering.verify.rationale import one_stance
from medground.answering.verify.verdict_words import verdict
from medground.corpus.retraction import why_aside
from medground.language.clean import clean, some
from medground.language.sentences import Span
from medground.models.operators.reading import extract
from medground.models.operators.tabulating import StudySentence
from medground.values.answer import Answer, SourceDocument
from medground.values.document import Document, SourceKind
from medground.values.evidence import Evidence, Stance
from medground.values.usage import Author


@dataclass(frozen=True)
class Study:
    """A document with the places of its sentences, by their ids."""

    document: Document
    places: dict[str, Span]

    @classmethod
    def of(cls, document: Document) -> Study:
        """Its sentences as S1, S2, ... A heading ends a sentence, as in an abstract that is one paragraph."""
        text = document.text
        edges = sorted({0, len(text), *(edge for s in document.sections for edge in (s.start, s.end))})
        places: dict[str, Span] = {}
        for first, last in pairwise(edges):
            for start, end in spans(text[first:last]):
                places[f"S{len(places) + 1}"] = (first + start, first + end)
        return cls(document, places)

    @property
    def has_only_title(self) -> bool:
        """Whether no text but the title is stored, so that nothing can be said of what the study reports."""
        return " ".join(self.document.text.split()) == " ".join(self.document.title.split())

    def sentences(self) -> tuple[StudySentence, ...]:
        """Its sentences with the headings over them."""
        return tuple(
            StudySentence(id=name, heading=self.document.section_at(start) or "", text=self.document.text[start:end])
            for name, (start, end) in self.places.items()
        )


FEWEST = 5
"""Studies from which on agreement is shown: of fewer, a share says little."""
NOT_STATED = "design not stated"


def agreement_of(answer: Answer, rows: Sequence[Row]) -> Agreement | None:
    """The counts by design, the strongest design first; None below `FEWEST` studies that are not retracted."""
    counted = [row for row in rows if not row.aside]
    if len(counted) < FEWEST:
        return None
    groups: dict[tuple[int, str], list[Stance]] = {}
    for row in counted:
        groups.setdefault((row.level, row.design or NOT_STATED), []).append(row.stance)
    designs = tuple(
        DesignCount(
            design=design,
            level=level,
            studies=len(stances),
            supports=stances.count("supports"),
            contradicts=stances.count("contradicts"),
            neither=stances.count("mixed"),
            not_judged=stances.count("unknown"),
        )
        for (level, design), stances in sorted(groups.items())
    )
    return Agreement(
        designs=designs,
        studies=len(counted),
        retracted=len(rows) - len(counted),
        words=_words(answer, designs, len(counted), len(rows) - len(counted)),
    )


def _words(answer: Answer, designs: Sequence[DesignCount], studies: int, retracted: int) -> str:
    aside = f" {some(retracted, 'retracted study is', 'retracted studies are')} not counted." if retracted else ""
    unjudged = sum(one.not_judged for one in designs)
    if unjudged == studies:
        return f"None of the {studies} studies was judged for or against: no model read them.{aside}"
    reader = answer.models.get(extract.name, "")
    who = clean(reader) if reader and Author(reader).is_model else "a model"
    yes, no, neither = (sum(getattr(one, name) for one in designs) for name in ("supports", "contradicts", "neither"))
    said = [
        f"{yes} {'supports' if yes == 1 else 'support'} a yes",
        f"{no} {'contradicts' if no == 1 else 'contradict'} it",
        f"{neither} {'does' if neither == 1 else 'do'} neither",
        f"and {unjudged} {'was' if unjudged == 1 else 'were'} not judged",
    ]
    return (
        f"Of {studies} studies, {', '.join(said)}, as read by {who}; "
        f"no validated judge has checked these stances.{aside}"
    )


_NO_STUDY: tuple[SourceKind, ...] = ("graph", "protein")
"""Records of a database: relations and entries, not studies."""


def rows_of(answer: Answer) -> tuple[Row, ...]:
    """A row for each document that the answer quotes, in the order of its documents.

    Entries of a graph or a protein database are no studies and have no row.
    """
    quoted: dict[str, list[Evidence]] = {}
    for evidence in answer.evidence:
        quoted.setdefault(evidence.document_id, []).append(evidence)
    return tuple(
        _row(answer, document, quoted[document.id])
        for document in answer.documents
        if document.id in quoted and document.kind not in _NO_STUDY
    )


def _row(answer: Answer, document: SourceDocument, quotes: Sequence[Evidence]) -> Row:
    own = {one.id for one in quotes}
    return Row(
        document_id=document.id,
        title=clean(document.title) or document.id,
        year=document.year,
        journal=document.journal and clean(document.journal),
        design=design(document),
        level=design_level(document.publication_types),
        kind=document.kind,
        retraction=document.retraction,
        retraction_words=state(document),
        aside=why_aside(document) or "",
        url=web_address(document),
        quotes=tuple(_quote(one) for one in quotes),
        stance=one_stance(one.stance for one in quotes),
        verdicts=tuple(
            RowVerdict(sentence=statement.text, label=statement.verdict.label, words=verdict(statement.verdict))
            for statement in answer.statements
            if own.intersection(statement.evidence) or statement.verdict.best in own
        ),
    )


def _quote(one: Evidence) -> RowQuote:
    place = [clean(one.section) if one.section else "", f"page {one.page}" if one.page else ""]
    same = {name: getattr(one, name) for name in ("id", "start", "end", "quote", "stance")}
    return RowQuote(**same, place=", ".join(filter(None, place)))
