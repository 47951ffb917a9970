"""Protein records for a sub-question: names recognised, entries looked up, what bears on it kept, structures drawn.

Source: BioMedSearch, section III.B, Protein Information Retrieval.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from medground.answering.run import Run
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.home.kept_files import Attachments
from medground.recipes.biomedsearch.protein_lines import asks_for_structure, passages_for, standing
from medground.recipes.biomedsearch.settings import BioMedSearchSettings
from medground.sources.base import Source
from medground.sources.live import lines_in
from medground.sources.proteins.genes import genes_in, organisms_named
from medground.sources.proteins.names import HUMAN, split_isoform
from medground.sources.proteins.picture import picture
from medground.sources.proteins.structures import StructureFile, StructureSource
from medground.values.document import Document, Hit, Passage
from medground.values.lookup import Found, Lookup, ProteinQuery
from medground.values.report import Attachment, FlowRow, ToolFound, ToolState
from medground.values.research_plan import ResearchPlan, SubQuestion

# Structures as attachments of a report: their files, and a picture of each.


async def structures_of(
    documents: Sequence[Document], sources: Sequence[StructureSource], run: Run
) -> tuple[tuple[Attachment, ...], list[str]]:
    """The files and pictures of the first structure of each protein in each source, and a line for each that failed.

    Raises:
        StorageFailed: a file cannot be kept.
    """
    wanted: dict[tuple[str, str], tuple[StructureSource, Document]] = {}
    for document in documents:
        origin = run.origins.get(document.id)
        source = next((one for one in sources if one.name == origin), None)
        if source is not None:
            key = source.name, document.identifiers.get("uniprot", document.id)
            wanted.setdefault(key, (source, document))
    got = await concurrently(_of_one(source, document, run) for source, document in wanted.values())
    return tuple(one for kept, _ in got for one in kept), [line for _, lines in got for line in lines]


async def _of_one(source: StructureSource, document: Document, run: Run) -> tuple[list[Attachment], list[str]]:
    if run.kept is not None and (before := run.kept.attachments(document.id)) is not None:
        return list(before), []
    try:
        found = await source.files(document)
    except SourceUnavailable as error:
        return [], [f"{error.source}: {error.reason}; the files of {document.id} were missed"]
    kept = await asyncio.to_thread(_keep, found.files, document, source.predicted, Attachments(run.settings.home))
    if run.kept is not None and not found.refused:
        run.kept.keep_attachments(document.id, kept)
    return kept, list(found.refused)


def _keep(files: Sequence[StructureFile], document: Document, predicted: bool, kept: Attachments) -> list[Attachment]:
    """Keep the files, and a picture of the first of them."""

    def keep(content: bytes, name: str, media_type: str, title: str, origin: str) -> Attachment:
        about = {"title": title, "document_id": document.id, "licence": document.license or "", "origin": origin}
        return kept.keep(content, name=name, media_type=media_type, **about)

    attachments = [
        keep(one.content, one.name, one.media_type, f"{document.title}: {one.name.rpartition('.')[2]} file", one.origin)
        for one in files
    ]
    if files:
        first = files[0]
        title = f"{document.title}, {'predicted' if predicted else 'experimental'} structure"
        svg = picture(first.structure, title, predicted=predicted).encode()
        name = f"{first.name.rpartition('.')[0]}.svg"
        attachments.insert(0, keep(svg, name, "image/svg+xml", title, first.origin))
    return attachments


_MOST_GENES = 4
_MOST_ORGANISMS = 2
_MOST_NAMES = 12
_MOST_STRUCTURED = 2
"""Entries of one sub-question whose structures are looked up."""
_LINES_OF_STRUCTURE = 3
NOT_OPEN = "no source of protein records is open; add uniprot to retrieval.sources"
NO_GENE = "no gene or protein is named, so that no protein record was searched"


@dataclass
class _Looked:
    """What lookups brought: documents in their order, how many hits they were, and what went wrong."""

    documents: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    answered: int = 0

    @property
    def distinct(self) -> list[str]:
        """Each document once."""
        return list(dict.fromkeys(self.documents))


async def find_proteins(one: SubQuestion, plan: ResearchPlan, run: Run, names: Sequence[str] = ()) -> ToolFound:
    """The protein records that bear on a sub-question, and the structures of its proteins where it asks for them.

    The whole question tells the organism where the sub-question does not. `names`, what earlier records call the thing,
    are searched where neither question names a gene.
    """
    flow = FlowRow(subquestion=one.id, tool="protein")
    queries, notes = queries_for(one, plan, names)
    if not queries:
        return ToolFound("protein", "empty", flow, notes=(NO_GENE,))
    left_out = run.settings.section(BioMedSearchSettings).without
    sources = [source for source in run.sources if "protein" in source.kinds and source.name not in left_out]
    structured = [source for source in sources if isinstance(source, StructureSource)]
    node = f"{one.id} protein"
    asked = [
        lookup
        for query in queries
        for source in sources
        if source not in structured and source.accepts(lookup := _lookup(query, one.text, node, source))
    ]
    if not asked:
        return ToolFound("protein", "not configured", flow, failures=(NOT_OPEN,))
    looked = await _look_up(asked, run)
    text = " ".join([one.text, *one.keywords])
    shown = _Looked()
    if asks_for_structure(text):
        shown = await _look_up(_of_structures(looked.distinct, one.text, node, structured), run)
    unread = await _retrieved([*looked.distinct, *shown.distinct], run)
    attachments, refused = await structures_of(_stored(shown.distinct, run), structured, run)
    hits, withdrawn = _hits(text, looked.distinct, shown.distinct, run)
    state: ToolState = "found" if hits else "empty" if looked.answered else "failed"
    return ToolFound(
        "protein",
        state,
        _counted(flow, [*looked.documents, *shown.documents], hits),
        hits=hits,
        failures=tuple(dict.fromkeys([*looked.failures, *shown.failures, *unread, *refused])),
        notes=tuple(dict.fromkeys([*notes, *looked.notes, *shown.notes, *withdrawn])),
        names=_names(_stored(looked.distinct, run)),
        attachments=attachments,
    )


def queries_for(
    one: SubQuestion, plan: ResearchPlan, names: Sequence[str] = ()
) -> tuple[list[ProteinQuery], list[str]]:
    """The proteins to look up for a sub-question, each with the organism in which it is meant, and notes on the choice.

    The organism is the one that the sub-question names, else the one of the whole question. Where neither names one, a
    name that is written as for people is looked up in human, which a note says; any other, such as `tp53`, is looked up
    in all organisms, and the source lists those that have it.
    """
    own = "; ".join([one.text, *one.keywords])
    genes = genes_in(own) or genes_in(plan.question) or genes_in("; ".join(names))
    organisms = organisms_named(own) or organisms_named(plan.question)
    queries: list[ProteinQuery] = []
    assumed: list[str] = []
    for gene in genes[:_MOST_GENES]:
        meant = [organism.scientific for organism in organisms[:_MOST_ORGANISMS]]
        if split_isoform(gene.name) is not None:
            meant = meant[:1]
        elif not meant and gene.looks_human:
            meant = [HUMAN.scientific]
            assumed.append(gene.name)
        queries += [ProteinQuery(name=gene.name, organism=organism) for organism in meant or [""]]
    human = f"the human record of {', '.join(assumed)} was looked up"
    told = f"no organism is named, so that {human}; name another if it is meant"
    return queries, [told] if assumed else []


def _lookup(query: ProteinQuery, text: str, node: str, source: Source) -> Lookup:
    shown = f"{query.name} of {query.organism}" if query.organism else query.name
    return Lookup(asked=query, text=text, sources=(source.name,), kinds=("protein",), node=node, shown=shown)


def _of_structures(documents: Sequence[str], text: str, node: str, sources: Sequence[StructureSource]) -> list[Lookup]:
    accessions = [name.partition(":")[2] for name in documents if name.startswith("UNIPROT:")][:_MOST_STRUCTURED]
    return [
        Lookup(
            asked=ProteinQuery(name=one), text=text, sources=(source.name,), kinds=("protein",), node=node, shown=one
        )
        for one in accessions
        for source in sources
    ]


async def _look_up(lookups: Sequence[Lookup], run: Run) -> _Looked:
    """All lookups at once. One that fails is told; the others count all the same."""
    results = await concurrently(_one(lookup, run) for lookup in lookups)
    looked = _Looked()
    for result in results:
        if isinstance(result, SourceUnavailable):
            looked.failures.append(f"{result.source}: {result.reason}; its protein records were missed")
            continue
        looked.answered += 1
        for found in result:
            looked.notes += found.notes
            looked.documents += [hit.passage.document_id for ranking in found.rankings for hit in ranking]
    return looked


async def _one(lookup: Lookup, run: Run) -> list[Found] | SourceUnavailable:
    try:
        return await run.look_up(lookup)
    except SourceUnavailable as error:
        return error


async def _retrieved(ids: Sequence[str], run: Run) -> list[str]:
    """Fetch the documents into the ledger; a line where that failed."""
    try:
        await run.retrieve(ids)
    except SourceUnavailable as error:
        return [f"{error.source}: {error.reason}; a protein record could not be read"]
    return []


def _hits(text: str, entries: Sequence[str], structures: Sequence[str], run: Run) -> tuple[tuple[Hit, ...], list[str]]:
    """The lines that bear on the sub-question: first those of structures that it asks for, then those of entries.

    Also notes on lines that are left out, and what a reader must know of these records.
    """
    most = run.settings.section(BioMedSearchSettings).kept
    chosen: list[Passage] = []
    for document in _stored(structures, run):
        chosen += lines_in(document)[: max(min(_LINES_OF_STRUCTURE, most // 2 - len(chosen)), 0)]
    read = _stored(entries, run)
    for number, document in enumerate(read):
        share = -(-(most - len(chosen)) // (len(read) - number))
        chosen += passages_for(text, document, share) if share > 0 else []
    kept, notes = standing(chosen[:most])
    hits = tuple(
        Hit(
            passage=passage,
            ranker="protein",
            rank=rank,
            score=1 / rank,
            source=run.origins.get(passage.document_id, ""),
        )
        for rank, passage in enumerate(kept, start=1)
    )
    shown = [run.ledger.documents[name] for name in dict.fromkeys(hit.passage.document_id for hit in hits)]
    cautions = [f"{document.id}: {caution}" for document in shown for caution in document.cautions]
    return hits, [*notes, *cautions]


def _stored(ids: Sequence[str], run: Run) -> list[Document]:
    """The documents that could be read."""
    return [run.ledger.documents[name] for name in ids if name in run.ledger.documents]


def _counted(flow: FlowRow, found: Sequence[str], hits: Sequence[Hit]) -> FlowRow:
    """Records are counted, not lines: `cut` are those of which no line was kept."""
    distinct = set(found)
    kept = len({hit.passage.document_id for hit in hits})
    counts = {"found": len(found), "merged": len(found) - len(distinct), "cut": len(distinct) - kept, "kept": kept}
    return flow.model_copy(update=counts)


def _names(documents: Sequence[Document]) -> tuple[str, ...]:
    """What the records call the gene and the protein: the gene, the recommended name, then the others."""
    found: list[str] = []
    for document in documents:
        told = document.metadata
        found += [*told.get("gene", ()), *told.get("names", ())[:1], *told.get("gene_synonyms", ())]
    for document in documents:
        found += document.metadata.get("names", ())[1:]
    return tuple(dict.fromkeys(found))[:_MOST_NAMES]
