"""`medground mesh TERM`: show a heading with its entry terms and tree positions, or the closest headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.terminal import say

if TYPE_CHECKING:
    from medground.pubmed.mesh import Heading, Vocabulary

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
    say(f"{heading.name}  {heading.id}" + ("  (publication type)" if heading.is_publication_type else ""))
    if heading.entry_terms:
        say("also: " + "; ".join(heading.entry_terms))
    say(f"explodes to {len(vocabulary_.explode(heading)):,} headings, including itself")
    for tree in heading.trees:
        say("")
        path = vocabulary_.path(tree)
        for depth, above in enumerate(path):
            mark = f"  [{tree}]" if above == heading else ""
            say("  " * depth + above.name + mark)
        below = [child for child in vocabulary_.children(heading) if _below(child, tree)]
        for child in below[:_MOST_BELOW]:
            say("  " * len(path) + child.name)
        if len(below) > _MOST_BELOW:
            say("  " * len(path) + f"and {len(below) - _MOST_BELOW} more")


def _below(child: Heading, tree: str) -> bool:
    return any(number.rpartition(".")[0] == tree for number in child.trees)


def _show_near(vocabulary_: Vocabulary, term: str) -> None:
    found = vocabulary_.nearest(term, limit=_MOST_NEAR)
    if found:
        say("Closest headings:")
    for nearest in found:
        name = f" ({nearest.name})" if nearest.name != nearest.heading.name else ""
        say(f"  {nearest.score:.2f}  {nearest.heading.name}{name}")
