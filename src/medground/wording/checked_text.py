"""A check of a text as a page of HTML, and as a Word document whose sentences have comments."""

from __future__ import annotations

import re
from copy import deepcopy
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from medground.errors import needing
from medground.language.clean import joined
from medground.values.finding import Finding, TextCheck
from medground.wording.documents import COLOURS
from medground.wording.findings import KINDS, details, place, places_of, slices, style, summary, unjoined
from medground.wording.reference import spaced_line
from medground.wording.templates import template

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.run import Run

_PARAGRAPHS = re.compile(r"\n\s*\n")
_ADDED = re.compile(r"</?sup>|\[\^\w+\]")
"""Marks of raised numbers and of notes in a Word document that was read."""


def as_html(check: TextCheck) -> str:
    """A whole page that needs nothing else: the text with its sentences coloured and named, then each finding."""
    places = places_of(check)
    shown = [
        {
            "number": number,
            "name": KINDS[one.kind],
            "style": style(one.kind),
            "place": place(one, places),
            "sentence": joined(one.sentence),
            "details": list(details(one)),
        }
        for number, one in enumerate(check.findings, start=1)
    ]
    files = [
        (file, [(piece, None if at is None else shown[at]) for piece, at in slices(text, check, file)])
        for file, text in check.texts.items()
    ]
    return template(__package__, "check.html").render(
        title=_title(check),
        summary=summary(check),
        files=files,
        findings=shown,
        apart=unjoined(check),
        remarks=check.remarks,
    )


def _title(check: TextCheck) -> str:
    return joined(", ".join(dict.fromkeys([*check.texts, *(finding.file for finding in check.findings)]))) or "a text"


def as_docx(check: TextCheck, original: bytes | None = None) -> bytes:
    """A Word document with a comment on each checked sentence.

    `original`: the Word document that was checked; the comments then go into a copy of it.

    Raises ConfigError: the `export` extra is missing.
    """
    with needing("export", "this format"):
        from docx import Document
    if original is None:
        word = Document()
        _write(word, check)
    else:
        word = Document(BytesIO(original))
        _comment_in(word, check)
    if apart := unjoined(check):
        word.add_heading("References that were not joined to a stored paper", 2)
        for one in apart:
            word.add_paragraph(joined(f"{one.mark} {one.entry}: {one.reason}"))
    held = BytesIO()
    word.save(held)
    return held.getvalue()


def _write(word: WordDocument, check: TextCheck) -> None:
    from docx.shared import RGBColor

    word.add_heading(f"Check of {_title(check)}", 1)
    word.add_paragraph(summary(check))
    for file, text in check.texts.items():
        word.add_heading(joined(file), 2)
        paragraph = word.add_paragraph()
        for piece, at in slices(text, check, file):
            for number, part in enumerate(_PARAGRAPHS.split(piece)):
                paragraph = word.add_paragraph() if number else paragraph
                run = paragraph.add_run(spaced_line(part))
                if at is not None and part.strip():
                    run.font.color.rgb = RGBColor.from_string(COLOURS[style(check.findings[at].kind)])
                    _comment(word, check.findings[at], run, run)


def _comment_in(word: WordDocument, check: TextCheck) -> None:
    """Comment sentences where they stand in their paragraphs; the others are listed at the end."""
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

    left = [(" ".join(_ADDED.sub("", one.sentence).split()), one) for one in check.findings]
    for element in [*word.element.body.iter(qn("w:p"))]:
        paragraph = Paragraph(element, word)
        runs = [Run(run, paragraph) for run in element.iter(qn("w:r"))]
        text, places = _spaced_once("".join(run.text for run in runs))
        inside = [found for found in left if found[0] in text]
        left = [found for found in left if found[0] not in text]
        for told, finding in inside:
            start = text.index(told)
            _comment(word, finding, *_runs(runs, places[start], places[start + len(told) - 1] + 1))
    if left:
        word.add_heading("Findings whose sentence is not in one paragraph", 2)
    for _, finding in left:
        run = word.add_paragraph().add_run(joined(finding.sentence))
        _comment(word, finding, run, run)


def _spaced_once(text: str) -> tuple[str, list[int]]:
    """A text with one space between words, and the place of each of its characters in the text as it was."""
    kept = [at for at, letter in enumerate(text) if not (letter.isspace() and (not at or text[at - 1].isspace()))]
    return "".join(" " if text[at].isspace() else text[at] for at in kept), kept


def _runs(runs: list[Run], start: int, end: int) -> tuple[Run, Run]:
    """The first and the last run of a slice of their text. Runs of text alone are cut at its ends."""
    for cut in (start, end):
        for at, run in _placed(runs):
            if at < cut < at + len(run.text) and all(one.tag.endswith(("}rPr", "}t")) for one in run._r):
                runs.insert(runs.index(run) + 1, _cut(run, cut - at))
                break
    inside = [run for at, run in _placed(runs) if at < end and at + len(run.text) > start]
    return inside[0], inside[-1]


def _placed(runs: list[Run]) -> list[tuple[int, Run]]:
    """Each run with the offset of its text."""
    ends = [0, *accumulate(len(run.text) for run in runs)]
    return list(zip(ends, runs, strict=False))


def _cut(run: Run, at: int) -> Run:
    """Cut a run in two of the same look; return the second."""
    text = run.text
    element: Any = deepcopy(run._r)
    run._r.addnext(element)
    rest = type(run)(element, run._parent)
    run.text, rest.text = text[:at], text[at:]
    return rest


def _comment(word: WordDocument, finding: Finding, first: Run, last: Run) -> None:
    lines = map(joined, (KINDS[finding.kind], *details(finding)))
    word.add_comment((first, last), text="\n".join(lines), author="Medground", initials="M")
