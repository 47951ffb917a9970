"""`medground verify` and `medground mesh`: a claim against the literature, and a heading with its place in the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli import options as by
from medground.faces.cli.terminal import say, say_json

if TYPE_CHECKING:
    from medground.answering.conclude.claim import CheckedClaim
    from medground.pubmed.mesh import Heading, Vocabulary


def verify(
    claim: Annotated[str, typer.Argument(help="The claim, in quotes.")],
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    model: Annotated[str | None, typer.Option(help="Model that judges; word statistics without one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Compare a claim with the literature: a verdict for each statement, and the quotes that decided it."""
    from medground.faces.cli.asking import opened
    from medground.language.risk.notices import notice_first

    extra: dict[str, object] = {**by.searched(corpus, kb), "model.default": model}
    with notice_first(claim):
        chosen = by.load_settings(sets, preset, settings, extra)
        with opened(chosen, quiet=quiet) as engine:
            checked = engine.verify(claim)
    if json:
        say_json(checked.model_dump_json(indent=2))
        return
    say(*_lines(checked))


def _lines(checked: CheckedClaim) -> list[str]:
    from medground.answering.captions import verdict

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


_MOST_BELOW = 40
_MOST_NEAR = 8


def mesh(
    term: Annotated[str, typer.Argument(help="A heading, entry term or ID, such as 'heart attack' or D009203.")],
    near: Annotated[bool, typer.Option("--near", help="Also show similar headings.")] = False,
) -> None:
    """Show a MeSH heading and its place in the tree. If it is not found, show the closest headings and exit with 1."""
    from medground.pubmed.mesh import vocabulary

    vocabulary_ = vocabulary()
    heading = vocabulary_.find(term)
    if heading is None:
        say(f"MeSH has no heading or entry term {term!r}.")
        _show_near(vocabulary_, term)
        raise typer.Exit(1)
    _show(vocabulary_, heading)
    if near:
        _show_near(vocabulary_, term)


def _show(vocabulary_: Vocabulary, heading: Heading) -> None:
    say(f"{heading.name}  {heading.id}{'  (publication type)' if heading.is_publication_type else ''}")
    if heading.entry_terms:
        say("also: " + "; ".join(heading.entry_terms))
    say(f"explodes to {len(vocabulary_.explode(heading)):,} headings, including itself")
    for tree in heading.trees:
        say("")
        path = vocabulary_.path(tree)
        for depth, above in enumerate(path):
            mark = f"  [{tree}]" if above == heading else ""
            say("  " * depth + above.name + mark)
        children = vocabulary_.children(heading)
        below = [one for one in children if any(number.rpartition(".")[0] == tree for number in one.trees)]
        for child in below[:_MOST_BELOW]:
            say("  " * len(path) + child.name)
        if len(below) > _MOST_BELOW:
            say("  " * len(path) + f"and {len(below) - _MOST_BELOW} more")


def _show_near(vocabulary_: Vocabulary, term: str) -> None:
    found = vocabulary_.nearest(term, limit=_MOST_NEAR)
    if found:
        say("Closest headings:")
    for nearest in found:
        name = f" ({nearest.name})" if nearest.name != nearest.heading.name else ""
        say(f"  {nearest.score:.2f}  {nearest.heading.name}{name}")
