"""`medground paper`: a paper by its id or citation, those like it or citing it, and its full text."""

from typing import Annotated, Literal

import typer

from medground.faces.cli import options as by
from medground.faces.cli.terminal import say, say_json

_Asked = Annotated[
    list[str], typer.Argument(metavar="PAPER...", help="PMID, PMC id, DOI, or 'journal|year|volume|page|author'.")
]
_Related = Annotated[
    Literal["similar", "citing", "references"] | None,
    typer.Option("--related", help="List related papers of the first."),
]
_FullText = Annotated[bool, typer.Option("--full-text", help="Print the open full text of the first, or its address.")]
_Entities = Annotated[bool, typer.Option("--entities", help="Genes, diseases, chemicals and variants that it names.")]


def paper(
    asked: _Asked,
    related: _Related = None,
    full_text: _FullText = False,
    entities: _Entities = False,
    corpus: by.Corpora = None,
    pubmed: by.PubMed = None,
    json: by.AsJson = False,
    sets: by.Sets = None,
) -> None:
    """Find papers by id or citation, those related to one, or its full text."""
    from medground.answering.conclude.compose import source_document
    from medground.engine.blocking import BlockingEngine
    from medground.values.papers import PaperFound
    from medground.wording.view import document_view

    chosen = by.load_settings(sets, extra=by.searched(corpus) | {"retrieval.pubmed": pubmed})
    found: list[PaperFound] = []
    with BlockingEngine(chosen) as engine:
        if full_text:
            whole = engine.full_text(asked[0])
            told = whole.document.text if whole.document else whole.url or "; ".join(["No open copy", *whole.routes])
            mark = f"{whole.retraction.upper()}: " if whole.retraction != "none" else ""
            say(whole.model_dump_json(indent=2) if json else f"{mark}{told}")
        elif related:
            documents = engine.related(asked[0], by=related).documents
            found = [PaperFound(asked=document.id, document=document) for document in documents]
        else:
            found = engine.papers(asked, entities=entities)
    if json and not full_text:
        say_json(f"[{','.join(one.model_dump_json() for one in found)}]")
        return
    for one in found:
        view = document_view(source_document(one.document, "")) if one.document else None
        ids = " ".join(f"{kind}:{value}" for kind, value in one.ids.items()) or one.asked
        mark = view.retraction.upper() if view and view.retraction != "none" else ""
        said = [view.reference if view else "", one.reason and f"{one.status}: {one.reason}"]
        say(" ".join(filter(None, [ids, mark, *said, one.held_by and f"({one.held_by})"])))
        for each in one.entities:
            say(f"  {each.kind} {each.id}: {each.words} ({each.count})")
