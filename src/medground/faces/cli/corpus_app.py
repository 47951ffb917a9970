"""What the commands of `medground corpus` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import home_folder

if TYPE_CHECKING:
    from medground.corpus.embedding.base import Embedder
    from medground.corpus.library import Library

corpus_app = typer.Typer(help="Build, check and search document collections.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of the corpus.", metavar="NAME")]
Embed = Annotated[
    str | None,
    typer.Option(
        help="Embedding model: minilm, medcpt, a name or folder for sentence-transformers, or none.", metavar="MODEL"
    ),
]


def library() -> Library:
    """The corpora of the home folder."""
    from medground.corpus.library import Library

    return Library(home_folder())


def open_embedder(name: str | None) -> Embedder | None:
    """An embedding model by name; None for no name or `none`."""
    if name is None or name == "none":
        return None
    from medground.corpus.embedding import open_embedder as opened

    return opened(name, home_folder())
