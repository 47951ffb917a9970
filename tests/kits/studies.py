"""Six studies of vitamin D and falls, and an answer that quotes them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rows import tables

from medground.values.answer import Answer, SourceDocument
from medground.values.document import Document, Section
from medground.values.evidence import Evidence, Stance
from medground.values.question import Question

TABLES = tables(__file__)

QUESTION = "Does vitamin D prevent falls in older adults?"


def study(number: int, parts: Mapping[str, str], **fields: Any) -> Document:
    """A document with sections; their texts are parted by a blank."""
    text, sections = "", []
    for label, part in parts.items():
        start = len(text) + bool(text)
        text = f"{text} {part}" if text else part
        sections.append(Section(label=label, start=start, end=len(text)))
    shown: dict[str, Any] = {
        "title": f"Vitamin D and falls: study {number}",
        "year": 2000 + number,
        "journal": "J Falls",
    }
    return Document(id=f"PMID:{number}", text=text, sections=tuple(sections), **shown | fields)


STUDIES = tuple(Document.model_validate(one) for one in TABLES["studies"])


def answered(stances: Sequence[Stance] = (), studies: Sequence[Document] = STUDIES, **changes: Any) -> Answer:
    """An answer that quotes the last sentence of each study, with these stances."""
    told = [*stances, *["unknown"] * len(studies)]
    evidence = []
    for number, (one, stance) in enumerate(zip(studies, told, strict=False), start=1):
        start = one.text.rindex(". ") + 2 if ". " in one.text else 0
        evidence.append(
            Evidence.model_validate(
                {"id": f"E{number}", "document_id": one.id, "start": start, "end": len(one.text)}
                | {"quote": one.text[start:], "stance": stance, "rank": number, "section": one.section_at(start)}
            )
        )
    first = evidence[0].quote
    content: dict[str, Any] = {
        "id": "a",
        "question": Question.ask(QUESTION, task="yes-no"),
        "decision": {"task": "yes-no", "status": "not judged"},
        "rationale": first,
        "statements": [
            {
                "text": first,
                "start": 0,
                "end": len(first),
                "evidence": ["E1"],
                "verdict": {"label": "quoted", "critic": "verbatim", "best": "E1"},
            }
        ],
        "evidence": evidence,
        "documents": [
            SourceDocument(
                **{name: getattr(one, name) for name in ("id", "title", "kind", "year", "journal")},
                publication_types=one.publication_types,
                retraction=one.retraction,
                source="corpus:test",
            )
            for one in studies
        ],
        "models": {"extract": "openai:gpt-5"} if stances else {"extract": "keyless"},
        "recipe": "ground",
        "settings_hash": "h",
        "trace_id": "20260101-000000-00000001",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Answer.model_validate(content | changes)
