"""The finished set as files: JSON Lines, the authors' text form, a sheet for the expert who reviews it, and its audit.

Source: BioMedSearch, section IV.A (every question is reviewed by experts by hand) and the files that its authors
publish.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from medground.errors import StorageFailed
from medground.home.files import write_whole
from medground_evaluate.audit.baselines import Audit
from medground_evaluate.build.file import BuiltQuestion

QUESTIONS, SHEET, AUDIT = "questions.jsonl", "review.csv", "audit.json"
_COLUMNS = ("question", "level", "topic", "text", "option", "option text", "key", "proof", "where", "title")
_ASKED = ("is the key right? (yes/no)", "is it clear? (yes/no)", "does the level fit? (yes/no)", "remarks")


def write_set(questions: Sequence[BuiltQuestion], audit: Audit | None, folder: Path) -> list[Path]:
    """Write all files; existing ones of an earlier call are replaced.

    Raises:
        StorageFailed: a file cannot be written.
    """
    files = {QUESTIONS: as_json_lines(questions), SHEET: as_sheet(questions), **as_text(questions)}
    if audit is not None:
        files[AUDIT] = audit.model_dump_json(indent=2) + "\n"
    for name, content in files.items():
        try:
            write_whole(folder / name, content)
        except OSError as error:
            raise StorageFailed(
                f"{folder / name} cannot be written ({error.strerror or error}); free some space, then run the same "
                "command again"
            ) from None
    return [folder / name for name in files]


def as_json_lines(questions: Sequence[BuiltQuestion]) -> str:
    """The set in the form of `medground eval run jsonl`, each option's passages under `extra`."""
    return "".join(json.dumps(_record(one), ensure_ascii=False) + "\n" for one in questions)


def _record(one: BuiltQuestion) -> dict[str, object]:
    proofs = {
        option.letter: [proof.model_dump(mode="json", exclude_defaults=True) for proof in option.proofs]
        for option in one.options
    }
    return {
        "id": one.id,
        "question": one.question,
        "task": "multiple-choice",
        "options": {option.letter: option.text for option in one.options},
        "answer": list(one.key),
        "documents": list(one.item().documents),
        "extra": {
            "set": f"level {one.level}",
            "topic": one.topic,
            "subtopic": one.subtopic,
            "proofs": proofs,
            "written_by": one.written_by,
            "checked_by": one.checked_by,
        },
    }


def as_text(questions: Sequence[BuiltQuestion]) -> dict[str, str]:
    """The authors' files by name: questions and answers of each level, numbered from 1."""
    files: dict[str, str] = {}
    for level in sorted({one.level for one in questions}):
        own = [one for one in questions if one.level == level]
        files[f"questions_level{level}_built.txt"] = "\n".join(
            "\n".join([f"Q{n}: {one.question}", "Options:", *(f"{o.letter}: {o.text}" for o in one.options), ""])
            for n, one in enumerate(own, start=1)
        )
        files[f"answers_level{level}_built.txt"] = "".join(
            f"Q{n} Answer: {', '.join(one.key)}\n" for n, one in enumerate(own, start=1)
        )
    return files


def as_sheet(questions: Sequence[BuiltQuestion]) -> str:
    """A CSV sheet for review: a row for each option with the passages that decide it, and columns to fill in."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*_COLUMNS, *_ASKED])
    for one in questions:
        for n, option in enumerate(one.options):
            asked = [one.id, one.level, one.subtopic, one.question] if n == 0 else [one.id, "", "", ""]
            writer.writerow(
                [
                    *(_cell(str(value)) for value in asked),
                    option.letter,
                    _cell(option.text),
                    "right" if option.right else "wrong",
                    _cell("\n".join(proof.quote for proof in option.proofs)),
                    "\n".join(f"{p.document_id} {p.start}-{p.end}" for p in option.proofs),
                    _cell("\n".join(dict.fromkeys(proof.title for proof in option.proofs))),
                    *("" for _ in _ASKED),
                ]
            )
    return out.getvalue()


def _cell(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
