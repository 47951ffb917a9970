"""Options of `medground ask`: what is searched and how, what limits it, and what else is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medground.faces.cli.complete import answers, corpora, recipes

QuestionText = Annotated[
    str | None, typer.Argument(help="The question, in quotes; or - to read it from standard input.")
]
Corpora = Annotated[
    list[str] | None,
    typer.Option("--corpus", "-c", help="Corpus to search; repeatable.", autocompletion=corpora),
]
PubMed = Annotated[
    str | None, typer.Option(metavar="live|URL", help="Also search PubMed; only PubMed if no corpus is named.")
]
SourceNames = Annotated[list[str] | None, typer.Option(help="Also search this source, by name; repeatable.")]
RecipeName = Annotated[str | None, typer.Option(help="Recipe to use.", autocompletion=recipes)]
ModelName = Annotated[str | None, typer.Option(help="Language model to use; none by default.")]
TaskName = Annotated[
    str | None, typer.Option(help="yes-no, yes-no-maybe, single-choice, multiple-choice, free; guessed by default.")
]
Choices = Annotated[list[str] | None, typer.Option(help="An answer option; repeat for A, B, C, ...")]
Context = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Text that the question is about, such as a patient's case (or -); read with it, never cited.",
    ),
]
YearFrom = Annotated[int | None, typer.Option(help="Earliest year of publication.")]
YearTo = Annotated[int | None, typer.Option(help="Latest year of publication.")]
Follow = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        autocompletion=answers,
        help="Ask a follow-up to this answer (or `last`); its subject and documents are kept.",
    ),
]
Again = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        autocompletion=answers,
        help="Ask this answer's question again and show what changed.",
    ),
]
FromFile = Annotated[
    Path | None, typer.Option("--from", metavar="FILE", help="Ask each line of a file (or -); run again to resume.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON; with --from, one line for each question.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print a report in Markdown.")]
Details = Annotated[bool, typer.Option("--details", help="Also show labels, offsets, queries, hashes and the trace.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Do not reuse stored model calls.")]
