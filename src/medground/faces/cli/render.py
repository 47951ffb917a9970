"""An answer on a terminal. Text of documents is never read as markup."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from medground.answer import Answer
from medground.wording import phrases as wording

_COLOUR = {
    "supported": "green",
    "quoted": "green",
    "partly": "yellow",
    "related": "yellow",
    "not judged": "yellow",
    "not found": "red",
    "contradicted": "red",
    "unverified": "red",
}


def render(answer: Answer, console: Console | None = None) -> None:
    """Print an answer: decision, rationale with verdicts, evidence, searches, warnings, cost."""
    out = console or Console(highlight=False, soft_wrap=False)
    headline = wording.headline(answer)
    out.print(Text(headline.upper() if _short(answer) else headline, style="bold"))
    if why := wording.basis(answer.decision):
        out.print(Text(why, style="dim"))
    _statements(answer, out)
    _conflicts(answer, out)
    _evidence(answer, out)
    _rest(answer, out)


def _short(answer: Answer) -> bool:
    return answer.question.task != "free" or answer.decision.shown() is None


def _statements(answer: Answer, out: Console) -> None:
    for statement in answer.statements:
        marks = "".join(f"[{e}]" for e in statement.evidence)
        out.print()
        out.print(Text.assemble(wording.clean(statement.text), " ", (marks, "cyan")))
        colour = _COLOUR[statement.verdict.label]
        out.print(Padding(Text(wording.verdict(statement), style=colour), (0, 0, 0, 4)))
        for detail in (wording.category(statement), wording.best_quote(statement, answer.evidence)):
            if detail:
                out.print(Padding(Text(detail, style="dim"), (0, 0, 0, 4)))
    if scores := wording.scores(answer):
        out.print(Text(f"\n{scores}"))
    if answer.dropped:
        out.print(Text("\nWritten, but left out because it did not pass:", style="dim"))
        for dropped in answer.dropped:
            out.print(Padding(Text(f"{wording.clean(dropped.text)}  ({wording.clean(dropped.reason)})"), (0, 0, 0, 4)))


def _conflicts(answer: Answer, out: Console) -> None:
    documents = {d.id: d for d in answer.documents}
    evidence = {e.id: e for e in answer.evidence}
    for conflict in answer.conflicts:
        out.print(Text("\nSources disagree", style="bold yellow"))
        out.print(Text(wording.disagreement(conflict)))
        for number, side in enumerate(conflict.sides, start=1):
            out.print(Text(wording.side(side, number), style="yellow"))
            for quote in (evidence[e] for e in side.evidence):
                line = Text.assemble((f"[{quote.id}] ", "cyan"), f"“{wording.clean(quote.quote)}”")
                out.print(Padding(line, (0, 0, 0, 4)))
                out.print(Padding(Text(wording.study(documents[quote.document_id]), style="dim"), (0, 0, 0, 9)))


def _evidence(answer: Answer, out: Console) -> None:
    documents = {d.id: d for d in answer.documents}
    if answer.evidence:
        out.print(Text("\nEvidence", style="bold"))
    for evidence in answer.evidence:
        document = documents[evidence.document_id]
        out.print(Text.assemble((f"[{evidence.id}] ", "cyan"), f"“{wording.clean(evidence.quote)}”"))
        out.print(Padding(Text(wording.place(evidence, document), style="dim"), (0, 0, 0, 5)))
        if document.url:
            out.print(Padding(Text(wording.clean(document.url), style="dim"), (0, 0, 0, 5)))
    cited = {e.document_id for e in answer.evidence}
    for document in answer.documents:
        if document.id not in cited:
            out.print(Text(f"{document.id}, {wording.clean(document.title)}: {wording.state(document)}", style="red"))


def _rest(answer: Answer, out: Console) -> None:
    out.print()
    for search in answer.searches:
        out.print(Text(wording.searched(search), style="red" if search.status == "failed" else "dim"))
    for warning in answer.warnings:
        out.print(Text(f"warning: {wording.clean(warning)}", style="yellow"))
    if answer.stopped:
        out.print(Text(f"stopped early: {wording.clean(answer.stopped)}", style="red"))
    out.print(Text("cost: " + wording.cost(answer)))
    out.print(Text(wording.provenance(answer), style="dim"))
