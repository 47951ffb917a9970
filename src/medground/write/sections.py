"""The sections of a report: their sentences before checking, and their places in the rationale afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from medground.answer import Answer, Verdict
from medground.conclude.policy import release
from medground.document import SourceKind
from medground.evidence import Evidence
from medground.report import ReportSection, SectionKind
from medground.run import Run
from medground.sentence import Sentence
from medground.verify.statements import statements


@dataclass(frozen=True)
class Written:
    """A section as it was written.

    Attributes:
        kind: which one.
        title: its heading.
        sentences: its sentences, or the statements that they were split into.
        subquestion: the sub-question that it answers.
        notes: lines of the program itself.
    """

    kind: SectionKind
    title: str
    sentences: tuple[Sentence, ...] = ()
    subquestion: str = ""
    notes: tuple[str, ...] = ()


def split(sections: Sequence[Written], evidence: Sequence[Evidence]) -> list[Written]:
    """The sections with their sentences as statements."""
    return [
        Written(one.kind, one.title, statements(one.sentences, evidence), one.subquestion, one.notes)
        for one in sections
    ]


def told_once(sections: Sequence[Written]) -> Iterator[Written]:
    """The sections without sentences that an earlier one has; a note names their quotes."""
    said: set[tuple[str, tuple[str, ...]]] = set()
    for one in sections:
        new = tuple(sentence for sentence in one.sentences if (sentence.text, sentence.evidence) not in said)
        said.update((sentence.text, sentence.evidence) for sentence in new)
        again = dict.fromkeys(e for s in one.sentences if s not in new for e in s.evidence)
        notes = (*one.notes, f"Quoted above: {' '.join(f'[{e}]' for e in again)}") if again else one.notes
        yield Written(one.kind, one.title, new, one.subquestion, notes)


def in_order(
    sentences: Sequence[Sentence], kinds: Mapping[str, SourceKind], *, web_first: bool
) -> tuple[Sentence, ...]:
    """The sentences in order, but those that rest on web pages alone last, or first. `kinds` are by evidence id."""
    return tuple(sorted(sentences, key=lambda sentence: rests_on_web(sentence.evidence, kinds) != web_first))


def rests_on_web(evidence: Sequence[str], kinds: Mapping[str, SourceKind]) -> bool:
    """Whether all these quotes are from web pages."""
    return bool(evidence) and all(kinds[e] == "web" for e in evidence)


def placed(
    sections: Sequence[Written], verdicts: Sequence[Verdict], answer: Answer, run: Run
) -> tuple[ReportSection, ...]:
    """The sections where the rationale has them; those without a released sentence and without notes are left out.

    Args:
        sections: the split sections, in the order of the rationale.
        verdicts: one for each of their statements, in order.
        answer: the answer that was composed from them.
        run: the run, whose policy released the statements.
    """
    uncited, remaining, first = not run.recipe.needs_evidence, iter(verdicts), 0
    found: list[ReportSection] = []
    end = 0
    for one in sections:
        own = [next(remaining) for _ in one.sentences]
        kept, _ = release(one.sentences, own, run.settings.verify, uncited=uncited)
        start = answer.statements[first].start if kept else end
        first += len(kept)
        if kept:
            end = answer.statements[first].start - 1 if first < len(answer.statements) else len(answer.rationale)
        if kept or one.notes:
            found.append(
                ReportSection(
                    kind=one.kind,
                    title=one.title,
                    start=start,
                    end=end,
                    notes=one.notes,
                    subquestion=one.subquestion,
                )
            )
    return tuple(found)
