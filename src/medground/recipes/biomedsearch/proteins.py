"""Protein records for a sub-question: names recognised, entries looked up, what bears on it kept, structures drawn.

Source: BioMedSearch, section III.B, Protein Information Retrieval.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medground.answering.run import Run
from medground.corpus.retraction import listed
from medground.errors import SourceUnavailable, needing
from medground.home.concurrency import concurrently
from medground.home.kept_files import Attachments
from medground.language.word_lists import word_lists
from medground.language.words import coverage, terms
from medground.recipes.biomedsearch.returned import Returned, missed, returned, state_of_nothing
from medground.recipes.settings import BioMedSearchSettings
from medground.sources.live import lines_in
from medground.sources.proteins.genes import genes_in, organisms_named
from medground.sources.proteins.names import HUMAN, split_isoform
from medground.sources.proteins.structures import StructureFile
from medground.values.document import Document, Hit, Passage
from medground.values.lookup import Lookup, ProteinQuery
from medground.values.report import Attachment, FlowRow, ToolFound
from medground.values.research_plan import ResearchPlan, SubQuestion

if TYPE_CHECKING:
    from medground.sources.proteins.records import StructureRecords

_ASKED = {
    name: re.compile(rf"\b(?:{'|'.join(sorted(said))})\b{'(?! change)' * (name == 'structure')}", re.IGNORECASE)
    for name, said in word_lists("research_words").items()
    if name.startswith(("record ", "structure"))
}
_SEQUENCE = re.compile(r"\bsequences?\b", re.IGNORECASE)
_CITED = re.compile(r"PubMed:(\d{1,9})")
_DEFAULT = ("Function", "Phenotype", "Disease", "Activity", "Interactions")
_NAME = re.compile(r"\b(?=\w*[A-Z])(?=\w*(?:\d|[A-Z]\w*[A-Z]))\w{3,}\b")


def asks_for_structure(text: str) -> bool:
    """Whether a sub-question asks for a structure: "3D structure", "spatial conformation", fold, domain, site."""
    return _ASKED["structure"].search(text) is not None


def sections_for(text: str) -> tuple[str, ...]:
    """The sections of an entry that a sub-question asks for, the first that it names first."""
    named = [(found.start(), name.split()[1:]) for name, said in _ASKED.items() if (found := said.search(text))]
    named.sort(key=lambda one: one[0])
    wanted = [section for _, sections in named for section in sections]
    if asks_for_structure(text):
        wanted = ["Structure", "Domains", "Sites", *wanted]
    return tuple(dict.fromkeys(wanted or _DEFAULT))


def passages_for(text: str, document: Document, most: int) -> list[Passage]:
    """The lines of an entry that bear on a sub-question, best first.

    Lines of the sections that it asks for, by the share of its words that they hold; then by section. What the gene
    itself is called says nothing of which line fits. A caution of the entry goes with each line that it is about. Where
    a program wrote the entry, its Gene Ontology terms are all that it says of the function.
    """
    sections = sections_for(text)
    with_sequence = _SEQUENCE.search(text) is not None
    lines = [
        one
        for one in lines_in(document)
        if with_sequence or one.section != "Sequence" or not one.text.startswith("Sequence of ")
    ]
    chosen = [line for line in lines if line.section in sections]
    if not any(line.section == "Function" for line in lines):
        chosen += [line for line in lines if line.section == "Gene Ontology"]
    if not chosen:  # it says nothing of what is asked: at least which entry this is
        chosen = [line for line in lines if line.section == "Names"][:2]
    own = set(terms(" ".join([document.title, *document.metadata.get("gene_synonyms", ())])))
    wanted = set(terms(text)) - own
    place = {section: number for number, section in enumerate(sections)}
    ordered = sorted(
        chosen, key=lambda one: (-coverage(wanted, terms(one.text)), place.get(one.section or "", 99), one.start)
    )
    kept = _spread(ordered, most)
    cautions = [line for line in lines if line.section == "Caution" and _is_about(line, [*kept], own)]
    return list({one.key: one for one in [*kept[: max(most - len(cautions), 1)], *cautions]}.values())


def not_retracted(lines: Sequence[Passage]) -> tuple[list[Passage], list[str]]:
    """The lines without those whose papers are all retracted, and a note on each of these."""
    kept: list[Passage] = []
    notes: list[str] = []
    for line in lines:
        cited = _CITED.findall(line.text)
        if cited and line.section != "Caution" and all(listed().get(f"pmid:{pmid}") == "retracted" for pmid in cited):
            papers = ", ".join(f"PMID:{pmid}" for pmid in cited)
            notes.append(f"a line of {line.document_id} is left out, because it rests on a retracted paper ({papers})")
        else:
            kept.append(line)
    return kept, notes


def _spread(lines: Sequence[Passage], most: int) -> list[Passage]:
    """The first lines, of which no section has more than half while others have any: 400 partners would fill all."""
    taken, later = list[Passage](), list[Passage]()
    for line in lines:
        crowded = sum(other.section == line.section for other in taken) >= max(most // 2, 1)
        (later if crowded else taken).append(line)
    return [*taken, *later][:most]


def _is_about(caution: Passage, lines: Sequence[Passage], own: set[str]) -> bool:
    """Whether a caution names something else that one of the lines names: a finding that it takes back."""
    named = {name for name in _NAME.findall(caution.text) if name.casefold() not in own and name != "PubMed"}
    return any(named & set(_NAME.findall(line.text)) for line in lines)


async def structures_of(
    documents: Sequence[Document], sources: Sequence[StructureRecords], run: Run
) -> tuple[tuple[Attachment, ...], list[str]]:
    """The files and pictures of the first structure of each protein in each source, and a line for each that failed.

    Raises StorageFailed: a file cannot be kept.
    """
    wanted: dict[tuple[str, str], tuple[StructureRecords, Document]] = {}
    for document in documents:
        origin = run.origins.get(document.id)
        source = next((one for one in sources if one.name == origin), None)
        if source is not None:
            key = source.name, document.identifiers.get("uniprot", document.id)
            wanted.setdefault(key, (source, document))
    got = await concurrently(_of_one(source, document, run) for source, document in wanted.values())
    return tuple(one for kept, _ in got for one in kept), [line for _, lines in got for line in lines]


async def _of_one(source: StructureRecords, document: Document, run: Run) -> tuple[list[Attachment], list[str]]:
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
        keep(
            file.content,
            file.name,
            file.media_type,
            f"{document.title}: {file.name.rpartition('.')[2]} file",
            file.origin,
        )
        for file in files
    ]
    if files:
        from medground.sources.proteins.pictures import picture  # its HTTP client is an extra

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
NOT_OPEN = "no source of protein records is available; add uniprot to retrieval.sources"
NO_GENE = "no gene or protein is named, so no protein records were searched"


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
    if not sources:
        return ToolFound("protein", "not configured", flow, failures=(NOT_OPEN,))
    with needing("services", "a source of protein records"):
        from medground.sources.proteins.records import StructureRecords

    structured = [source for source in sources if isinstance(source, StructureRecords)]
    others = [source for source in sources if source not in structured]
    asked = [
        lookup for query in queries for source in others if source.accepts(lookup := _lookup(query, one, source.name))
    ]
    if not asked:
        return ToolFound("protein", "not configured", flow, failures=(NOT_OPEN,))
    looked = await concurrently(returned(lookup, run) for lookup in asked)
    shown: list[Returned] = []
    text = " ".join([one.text, *one.keywords])
    entries = _documents(looked)
    if asks_for_structure(text):
        accessions = dict.fromkeys(name.partition(":")[2] for name in entries if name.startswith("UNIPROT:"))
        queries = [ProteinQuery(name=accession) for accession in accessions][:_MOST_STRUCTURED]
        lookups = (_lookup(query, one, source.name) for query in queries for source in structured)
        shown = await concurrently(returned(lookup, run) for lookup in lookups)
    found, failures = [*entries, *_documents(shown)], [*missed([*looked, *shown], "protein records")]
    try:
        await run.retrieve(list(dict.fromkeys(found)))
    except SourceUnavailable as error:
        failures.append(f"{error.source}: {error.reason}; a protein record could not be read")
    read, structures = _stored(entries, run), _stored(_documents(shown), run)
    attachments, refused = await structures_of(structures, structured, run)
    hits, withdrawn = _hits(text, read, structures, run)
    kept = len({hit.passage.document_id for hit in hits})
    distinct = len(set(found))
    counts = {"found": len(found), "merged": len(found) - distinct, "cut": distinct - kept, "kept": kept}
    return ToolFound(
        "protein",
        "found" if hits else state_of_nothing(looked),
        flow.replace(**counts),  # records are counted, not lines: `cut` are those of which no line was kept
        hits=hits,
        failures=tuple(dict.fromkeys([*failures, *refused])),
        notes=tuple(dict.fromkeys([*notes, *(note for each in (*looked, *shown) for note in each.notes), *withdrawn])),
        names=_names(read),
        attachments=attachments,
    )


def queries_for(one: SubQuestion, plan: ResearchPlan, names: Sequence[str]) -> tuple[list[ProteinQuery], list[str]]:
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
    told = f"no organism is named, so {human}; name another organism if needed"
    return queries, [told] if assumed else []


def _lookup(query: ProteinQuery, one: SubQuestion, source: str) -> Lookup:
    shown = f"{query.name} of {query.organism}" if query.organism else query.name
    node = f"{one.id} protein"
    return Lookup(asked=query, text=one.text, sources=(source,), kinds=("protein",), node=node, shown=shown)


def _documents(looked: Sequence[Returned]) -> list[str]:
    return [hit.passage.document_id for each in looked for hit in each.hits]


def _hits(
    text: str, read: Sequence[Document], structures: Sequence[Document], run: Run
) -> tuple[tuple[Hit, ...], list[str]]:
    """The lines that bear on the sub-question: first those of structures that it asks for, then those of entries.

    Also notes on lines that are left out, and what a reader must know of these records.
    """
    most = run.settings.section(BioMedSearchSettings).kept
    chosen: list[Passage] = []
    for document in structures:
        chosen += lines_in(document)[: max(min(_LINES_OF_STRUCTURE, most // 2 - len(chosen)), 0)]
    for number, document in enumerate(read):
        share = -(-(most - len(chosen)) // (len(read) - number))
        chosen += passages_for(text, document, share) if share > 0 else []
    kept, notes = not_retracted(chosen[:most])
    origins = (run.origins.get(passage.document_id, "") for passage in kept)
    hits = tuple(
        Hit(passage=passage, ranker="protein", rank=rank, score=1 / rank, source=source)
        for rank, (passage, source) in enumerate(zip(kept, origins, strict=True), start=1)
    )
    shown = [run.ledger.documents[name] for name in dict.fromkeys(passage.document_id for passage in kept)]
    return hits, [*notes, *(f"{document.id}: {caution}" for document in shown for caution in document.cautions)]


def _stored(ids: Sequence[str], run: Run) -> list[Document]:
    return [run.ledger.documents[name] for name in dict.fromkeys(ids) if name in run.ledger.documents]


def _names(documents: Sequence[Document]) -> tuple[str, ...]:
    """What the records call the gene and the protein: the gene, the recommended name, then the others."""
    found: list[str] = []
    for document in documents:
        told = document.metadata
        recommended, others = told.get("names", ())[:1], told.get("names", ())[1:]
        found += [*told.get("gene", ()), *recommended, *told.get("gene_synonyms", ()), *others]
    return tuple(dict.fromkeys(found))[:_MOST_NAMES]
