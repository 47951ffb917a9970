"""The parts of a report as plain values, in the words of the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer, Statement
from medground.report import Attachment, Connection, Report, SubAnswer
from medground.text.clean import clean
from medground.text.english import joined
from medground.wording.report import became, connected, file_words, found_by_words, inside, order_words
from medground.wording.view_types import ConnectionView, FileView, ReportView, SectionView, SubAnswerView, taken


def report_view(answer: Answer, groups: Sequence[Sequence[Statement]]) -> ReportView | None:
    """The report of an answer; None if it is none.

    Args:
        answer: the answer.
        groups: its written sentences, to which the sections refer by their places.
    """
    if (report := answer.report) is None:
        return None
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
        subanswers=tuple(_subanswer(one, report) for one in report.subanswers),
        connections=tuple(map(_connection, report.connections)),
        flow=report.flow,
        files=tuple(map(_file, report.attachments)),
        read=report.read,
    )


def _subanswer(one: SubAnswer, report: Report) -> SubAnswerView:
    texts = {question.id: question.text for question in report.plan.subquestions}
    return taken(SubAnswerView, one, text=joined(texts.get(one.id, "")), words=became(one))


def _connection(one: Connection) -> ConnectionView:
    return taken(ConnectionView, one, words=connected(one), found_by=found_by_words(one))


def _file(one: Attachment) -> FileView:
    return taken(FileView, one, title=joined(one.title), words=file_words(one), licence=joined(one.licence))
