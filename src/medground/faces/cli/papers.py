"""`medground search`: passages that fit words; and `paper`: a paper by its id or citation, or what is like it."""

from typing import Annotated, Literal

from typer import Argument, Option

from medground.faces.cli import options as by
from medground.faces.cli.asking import limits, opened
from medground.faces.cli.progress import show_found
from medground.faces.cli.terminal import say, say_json

_Asked = Annotated[
    list[str], Argument(metavar="PAPER...", help="PMID, PMC id, DOI, or 'journal|year|volume|page|author'.")
]
_Related = Annotated[
    Literal["similar", "citing", "references"] | None, Option("--related", help="List related papers of the first.")
]
_FullText = Annotated[bool, Option("--full-text", help="Print the open full text of the first, or its address.")]
_Entities = Annotated[bool, Option("--entities", help="Genes, diseases, chemicals and variants that it names.")]


def paper(
    asked: _Asked,
    related: _Related = None,
    full_text: _FullText = False,
    entities: _Entities = False,
    corpus: by.Corpora = None,
    pubmed: by.PubMed = None,
    json: by.PrintJson = False,
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
    if found and not pubmed and not all(one.document for one in found):
        say("PubMed was not searched; add --pubmed live", err=True)
    for one in found:
        view = document_view(source_document(one.document, "")) if one.document else None
        ids = " ".join(f"{kind}:{value}" for kind, value in one.ids.items()) or one.asked
        mark = view.retraction.upper() if view and view.retraction != "none" else ""
        said = [view.reference if view else "", one.reason and f"{one.status}: {one.reason}"]
        say(" ".join(filter(None, [ids, mark, *said, one.held_by and f"({one.held_by})"])))
        for each in one.entities:
            say(f"  {each.kind} {each.id}: {each.words} ({each.count})")


def search(
    query: by.SearchWords,
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    pubmed: by.PubMed = None,
    source: by.SourceNames = None,
    limit: by.MostPassages = 10,
    year_from: by.YearFrom = None,
    year_to: by.YearTo = None,
    where: by.Where = None,
    syntax: Annotated[Literal["words", "pubmed"], Option(help="How the query is written.")] = "words",
    json: by.PrintJson = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Find passages by words and, where vectors were built, by meaning, in everything that is built or named."""
    filters = limits(year_from, year_to, where or [])
    chosen = by.load_settings(sets, preset, settings, by.named(corpus, kb, pubmed, source))
    with opened(chosen, quiet=quiet) as engine:
        found = engine.search(query, limit=limit, filters=filters, syntax=syntax)
    show_found(found, json=json)
