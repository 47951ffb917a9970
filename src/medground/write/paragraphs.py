"""The paragraphs of a report, from which a choice can be answered.

Source: BioMedSearch, section IV.B: coherent paragraphs of a report are the context of a multiple-choice question.
"""

from __future__ import annotations

from dataclasses import dataclass

from medground.answer import Answer


@dataclass(frozen=True)
class Paragraph:
    """A section of a report as one paragraph.

    Attributes:
        text: its sentences without citation marks.
        start: offset of the paragraph in the rationale, which has the marks.
        end: where it ends there.
        title: the heading that it stands under.
        evidence: ids of the quotes that its sentences cite, in order.
    """

    text: str
    start: int
    end: int
    title: str = ""
    evidence: tuple[str, ...] = ()


def paragraphs(answer: Answer) -> list[Paragraph]:
    """One paragraph for each section that has statements, in order; none for an answer without a report."""
    found = []
    for section in answer.report.sections if answer.report else ():
        own = [s for s in answer.statements if section.start <= s.start and s.end <= section.end]
        if own:
            text = " ".join(" ".join(statement.text.split()) for statement in own)
            cited = tuple(dict.fromkeys(e for statement in own for e in statement.evidence))
            found.append(Paragraph(text, section.start, section.end, section.title, cited))
    return found


def report_paragraphs(answer: Answer) -> list[str]:
    """The texts of `paragraphs`."""
    return [paragraph.text for paragraph in paragraphs(answer)]
