"""`medground verify CLAIM`: a claim compared with what the sources hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora
from medground.faces.cli.terminal import say, say_json

if TYPE_CHECKING:
    from medground.conclude.claim import CheckedClaim


def verify(
    claim: Annotated[str, typer.Argument(help="The claim, in quotes.")],
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: Annotated[str | None, typer.Option(help="Model that judges; word statistics without one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Compare a claim with the literature: a verdict for each statement, and the quotes that decided it."""
    from medground.blocking import BlockingEngine
    from medground.faces.cli.progress import shown_progress
    from medground.risk.first import notice_first

    extra: dict[str, object] = {**searched(corpus, kb), "model.default": model}
    with notice_first(claim):
        chosen = load_settings(sets, preset, settings, extra)
        with shown_progress(quiet=quiet) as progress:
            engine = BlockingEngine(chosen, progress=progress)
        with engine:
            checked = engine.verify(claim)
    if json:
        say_json(checked.model_dump_json(indent=2))
        return
    say(*_lines(checked))


def _lines(checked: CheckedClaim) -> list[str]:
    from medground.verify.verdict_words import verdict

    documents = {document.id: document for document in checked.documents}
    quotes = {evidence.id: evidence for evidence in checked.evidence}
    lines = [checked.notice.sentence, ""] if checked.notice else []
    for statement in checked.statements:
        lines += [statement.text, f"    {verdict(statement.verdict)}"]
        for quote in (quotes[name] for name in statement.evidence):
            document = documents[quote.document_id]
            about = ", ".join(str(part) for part in (document.id, document.year) if part)
            lines += [f"    “{quote.quote}”", f"    {document.title} ({about})"]
    lines += [f"warning: {warning}" for warning in checked.warnings]
    if checked.notice is not None and checked.notice.stops:
        lines.append("Nothing was searched.")
    elif not checked.evidence:
        lines.append("No passage was found to compare the claim with.")
    return lines
