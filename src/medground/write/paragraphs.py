"""The paragraphs of a report, from which a choice can be answered.

Source: BioMedSearch, section IV.B: coherent paragraphs of a report are the context of a multiple-choice question.
"""

from __future__ import annotations

from medground.answer import Answer


def report_paragraphs(answer: Answer) -> list[str]:
    """The text of each section that has statements, without citation marks; none for an answer without a report."""
    found = []
    for section in answer.report.sections if answer.report else ():
        own = [s for s in answer.statements if section.start <= s.start and s.end <= section.end]
        if own:
            found.append(" ".join(" ".join(statement.text.split()) for statement in own))
    return found
