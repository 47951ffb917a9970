"""An answer as a report in Markdown. Text of documents is escaped: it can neither format nor link nor embed HTML."""

from __future__ import annotations

import re

from medground.answer import Answer
from medground.retraction import why_aside
from medground.wording import phrases as wording

_AUTOLINK = re.compile(r"(?<=\w)(?=://|@)|(?<=www)(?=\.)", re.IGNORECASE)
"""Where some readers of Markdown make a link of plain text."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+!|~&$-])")


def as_markdown(answer: Answer) -> str:
    """The whole report, ending without a newline."""
    lines = [f"# {escaped(answer.question.text)}", "", f"**{escaped(wording.headline(answer))}**", ""]
    if why := wording.basis(answer.decision):
        lines += [escaped(why), ""]
    lines += _statements(answer) + _conflicts(answer) + _evidence(answer) + _notes(answer)
    lines += ["---", "", wording.cost(answer) + "  ", escaped(wording.provenance(answer))]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Text as one Markdown line with no effect but itself."""
    line = _SPECIAL.sub(r"\\\1", " ".join(wording.clean(text).split()))
    return _AUTOLINK.sub(r"\\", line)


def _statements(answer: Answer) -> list[str]:
    lines = []
    for statement in answer.statements:
        marks = " ".join(f"[{e}](#{e.lower()})" for e in statement.evidence)
        details = [wording.category(statement), wording.best_quote(statement, answer.evidence)]
        verdict = [f"*{escaped(wording.verdict(statement))}*", *(escaped(d) for d in details if d)]
        lines += [f"{escaped(statement.text)} {marks}  ", *(f"{line}  " for line in verdict[:-1]), verdict[-1], ""]
    if scores := wording.scores(answer):
        lines += [escaped(scores), ""]
    if answer.dropped:
        lines += ["## Left out", ""]
        lines += [f"- {escaped(d.text)} ({escaped(d.reason)})" for d in answer.dropped] + [""]
    return lines


def _conflicts(answer: Answer) -> list[str]:
    documents = {d.id: d for d in answer.documents}
    evidence = {e.id: e for e in answer.evidence}
    lines: list[str] = ["## Sources disagree", ""] if answer.conflicts else []
    for conflict in answer.conflicts:
        lines += [escaped(wording.disagreement(conflict)), ""]
        for number, side in enumerate(conflict.sides, start=1):
            lines += [f"**{escaped(wording.side(side, number))}**", ""]
            for quote in (evidence[e] for e in side.evidence):
                study = escaped(wording.study(documents[quote.document_id]))
                lines += [f"- [{quote.id}](#{quote.id.lower()}) “{escaped(quote.quote)}” ({study})"]
            lines += [""]
    return lines


def _evidence(answer: Answer) -> list[str]:
    if not answer.evidence:
        return []
    documents = {d.id: d for d in answer.documents}
    lines = ["## Evidence", ""]
    for evidence in answer.evidence:
        document = documents[evidence.document_id]
        lines += [f'<a id="{evidence.id.lower()}"></a>**{evidence.id}** “{escaped(evidence.quote)}”  ']
        lines += [escaped(wording.place(evidence, document)), ""]
    return lines


def _notes(answer: Answer) -> list[str]:
    aside = [(d, reason) for d in answer.documents if (reason := why_aside(d))]
    notes = [f"- {reason}: {escaped(d.id)}, {escaped(d.title)}" for d, reason in aside]
    notes += [f"- warning: {escaped(w)}" for w in answer.warnings]
    notes += [f"- {escaped(wording.searched(s))}" for s in answer.searches]
    notes += [f"- stopped early: {escaped(answer.stopped)}"] if answer.stopped else []
    return ["## Notes", "", *notes, ""] if notes else []
