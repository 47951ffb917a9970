"""Why an answer begins as it does: what was understood, how sentences were judged, and the first line.

A run writes the three values into its trace; `medground explain` reads them there.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from medground.answering.read.reading_list import Reading
from medground.answering.run import Run
from medground.language.question_reading import Asked
from medground.language.quoting.judged import on_subject
from medground.values.answer import Answer
from medground.values.shown import Shown
from medground.values.steps import TEXT

SHOWN = 12
"""Sentences of each question that the trace keeps."""
_ASKED, _JUDGED, _FIRST = "question read", "sentences judged", "first line"
"""The spans of the three values."""
_SEARCHED = {"source", "query", "status", "hits"}


@dataclass(frozen=True)
class FirstLine:
    """What stands on top of an answer.

    Attributes:
        status: of its decision: `decided`, `not judged` or `unanswerable`.
        text: its first sentence; empty if none is shown.
        reason: why nothing is decided, or what no quote mentions; empty where the sentence speaks for itself.
    """

    status: str
    text: str
    reason: str


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """The three values of an answer, as plain data, and what was searched.

    Attributes:
        asked: of each question in the text, what was understood.
        searched: the source, the query, the status and the number of hits of each search.
        judged: the best sentences that were found, the best first, each with the terms of its score.
        first_line: `status`, `text` and `reason`.
        notice: what comes before the first line where a person may be at risk; else empty.
    """

    asked: Sequence[Mapping[str, Any]]
    searched: Sequence[Mapping[str, Any]]
    judged: Sequence[Mapping[str, Any]]
    first_line: Mapping[str, Any]
    notice: str

    @classmethod
    def from_trace(cls, answer: Answer, spans: Sequence[Mapping[str, Any]]) -> Self:
        """How an answer came about, by the spans of its trace; what did not happen is empty."""
        return cls(
            asked=_told(spans, _ASKED),
            searched=[search.model_dump(mode="json", include=_SEARCHED) for search in answer.searches],
            judged=[sentence for told in _told(spans, _JUDGED) for sentence in told["sentences"]],
            first_line=next(iter(_told(spans, _FIRST)), _of_answer(answer)),
            notice=answer.notice.sentence if answer.notice else "",
        )


def _of_answer(answer: Answer) -> dict[str, Any]:
    """The first line of an answer that was given without reading, such as a reply to a greeting."""
    text = answer.statements[0].text if answer.statements else ""
    return {"status": answer.decision.status, "text": text, "reason": answer.decision.reason}


def _told(spans: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    return [json.loads(span["attributes"][f"{TEXT}told"]) for span in spans if span["name"] == name]


def tell_first_line(line: FirstLine, run: Run) -> None:
    """Write the first line into the trace."""
    _tell(_FIRST, asdict(line), run)


def tell_judged(asked: Asked, readings: Sequence[Reading], run: Run) -> None:
    """Write what was understood of a question, and its best sentences, into the trace."""
    _tell(_ASKED, understood(asked), run)
    found = [(reading, judged) for reading in readings for judged in reading.judged.values()]
    found.sort(key=lambda pair: -pair[1].answers)
    sentences = [
        {
            "document": reading.document_id,
            "title": judged.title,
            "sentence": judged.sentence,
            "answers": round(judged.answers, 3),
            "on_subject": round(on_subject(asked, f"{judged.title}\n{judged.sentence}"), 3),
            "terms": {name: round(value, 3) for name, value in judged.terms.items()},
        }
        for reading, judged in found[:SHOWN]
    ]
    _tell(_JUDGED, {"sentences": sentences}, run)


def understood(asked: Asked) -> dict[str, Any]:
    """What was understood of a question: subjects with their headings, aspects, kinds and people, in its own words."""
    return {
        "question": asked.text,
        "read as": asked.plain,
        "subjects": {thing.said: thing.heading for thing in asked.subjects},
        "every text must name": [thing.said for thing in asked.deciding],
        "aspects": sorted(asked.aspects),
        "kind": asked.kind,
        "people": list(asked.people),
    }


def _tell(name: str, told: Mapping[str, Any], run: Run) -> None:
    if run.notice is not None and run.notice.stops:
        return  # the trace keeps the kind of the notice, and nothing is read or judged
    with run.trace.span(name) as span:
        span.text(told=json.dumps(told, ensure_ascii=False))
