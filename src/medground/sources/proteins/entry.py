"""A UniProtKB entry as a citable document of sentences by template, and entries that are no longer active.

Each sentence says what one stored fact says, and nothing else. Texts of curators stay word for word, with their
references; only the subject is put before them, so that each line can be quoted alone.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from medground.errors import BadDocument
from medground.home.files import rows
from medground.language.sentences import sentence_spans
from medground.sources.live import Json, part, parts, text, texts
from medground.sources.proteins.names import ACCESSION, Names, read_names
from medground.sources.proteins.records import dated, told_lines
from medground.values.document import Document, Section

_COMMENTS = {kind: (section, about) for kind, section, about in rows("sources/proteins", "comments")}
"""Comments of plain text: the section, and what the line says it is about."""
_SECTIONS = (
    *("Names", "Function", "Activity", "Phenotype", "Interactions", "Disease", "Location", "Expression"),
    *("Domains", "Sites", "Variants", "Isoforms", "Sequence", "Structure", "Family", "Gene Ontology", "Uses"),
    *("Further", "Caution"),
)


def _sentences(value: str, *, whole: bool) -> list[str]:
    spans = [(0, len(value))] if whole and value else sentence_spans(value)
    return [value[start:end] for start, end in spans]


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _place(feature: Json) -> str:
    """`residue 90` or `residues 18-687`; empty where the entry is not sure of an end."""
    first, last = part(feature, "location", "start"), part(feature, "location", "end")
    if {text(first, "modifier"), text(last, "modifier")} - {"EXACT", ""}:
        return ""
    start, end = text(first, "value"), text(last, "value")
    if not start or not end:
        return ""
    return f"residue {start}" if start == end else f"residues {start}-{end}"


def _properties(reference: Json) -> dict[str, str]:
    return {text(one, "key"): text(one, "value") for one in parts(reference, "properties")}


LICENCE = "CC BY 4.0"
_PAGE = "https://www.uniprot.org/uniprotkb"
UNREVIEWED = "This entry is unreviewed (TrEMBL): programs wrote it, and no curator has checked it."
FRAGMENT = "This entry describes a fragment of the protein, not the whole of it."


def is_inactive(entry: Json) -> bool:
    """Whether the entry was deleted or merged into others."""
    return text(entry, "entryType").casefold().startswith("inactive") or bool(part(entry, "inactiveReason"))


def successors(entry: Json) -> tuple[str, ...]:
    """The accessions that an inactive entry was merged into or split among."""
    return tuple(filter(ACCESSION.fullmatch, texts(entry, "inactiveReason.mergeDemergeTo")))


def why_inactive(entry: Json) -> str:
    """One line on what became of an inactive entry."""
    accession = text(entry, "primaryAccession")
    to = ", ".join(successors(entry))
    match text(entry, "inactiveReason", "inactiveReasonType").upper():
        case "MERGED":
            return f"{accession} is obsolete: it was merged into {to}"
        case "DEMERGED":
            return f"{accession} is obsolete: it was split into {to}; ask for one of these"
        case _:
            why = text(entry, "inactiveReason", "deletedReason")
            return f"{accession} was deleted from UniProtKB{f' ({why})' if why else ''}"


def entry_document(entry: Json) -> Document:
    """An active entry as a document: a line for each fact, in labelled sections.

    Raises BadDocument: it is not an entry of UniProtKB.
    """
    names = read_names(entry)
    if not ACCESSION.fullmatch(names.accession) or not part(entry, "sequence"):
        raise BadDocument("the reply contains something other than a UniProtKB entry")
    content, sections = _laid_out(entry, names)
    audit = part(entry, "entryAudit")
    gene = f"{names.gene}, " if names.gene else ""
    return Document(
        id=f"UNIPROT:{names.accession}",
        title=f"{names.name} ({gene}{names.organism or 'organism not given'}), UniProtKB {names.accession}",
        text=content,
        sections=sections,
        kind="protein",
        journal="UniProtKB",
        keywords=tuple(filter(None, texts(entry, "keywords.name"))),
        identifiers={"uniprot": names.accession} | ({"gene": names.gene} if names.gene else {}),
        references=tuple(f"PMID:{pmid}" for pmid in _pmids(entry)),
        url=f"{_PAGE}/{names.accession}/entry",
        license=LICENCE,
        cautions=tuple(told for told, holds in ((UNREVIEWED, not names.reviewed), (FRAGMENT, names.fragment)) if holds),
        metadata=_metadata(entry, names),
        **dated(text(audit, "lastAnnotationUpdateDate"), text(audit, "firstPublicDate")),
    )


def _laid_out(entry: Json, names: Names) -> tuple[str, tuple[Section, ...]]:
    """The lines of an entry in the order of `_SECTIONS`. The template begins each with its section: `Names: ...`."""
    functions = {"sentences": _sentences, "closed": _closed, "place": _place, "properties": _properties}
    made = told_lines("entry", entry=entry, names=names, comments=_COMMENTS, **functions)
    found = sorted((line.split(": ", 1) for line in made), key=lambda line: _SECTIONS.index(line[0]))
    content: list[str] = []
    sections: list[Section] = []
    at = 0
    for label, lines in groupby(found, key=itemgetter(0)):
        start = at
        for _, line in lines:
            content.append(line)
            at += len(line) + 1
        sections.append(Section(label=label, start=start, end=at - 1))
    return "\n".join(content), tuple(sections)


def _metadata(entry: Json, names: Names) -> dict[str, tuple[str, ...]]:
    given = {
        "names": names.names,
        "gene": (names.gene,) if names.gene else (),
        "gene_synonyms": names.synonyms,
        "organism": (names.organism,) if names.organism else (),
        "taxon": (str(names.taxon),) if names.taxon else (),
        "entry_version": tuple(filter(None, [text(entry, "entryAudit", "entryVersion")])),
        "length": tuple(filter(None, [text(entry, "sequence", "length")])),
        "secondary_accessions": names.secondary,
    }
    return {name: values for name, values in given.items() if values}


def _pmids(entry: Json) -> list[str]:
    """The papers that the entry names as its basis, each once: first its references, then those of single facts."""
    basis = parts(entry, "references.citation.citationCrossReferences")
    named = (*basis, *_evidences(entry.get("comments")))
    found = (text(one, "id") for one in named if "PubMed" in (text(one, "database"), text(one, "source")))
    return list(dict.fromkeys(pmid for pmid in found if pmid.isascii() and pmid.isdigit()))


def _evidences(value: Any) -> Iterator[Json]:
    if isinstance(value, list):
        for one in value:
            yield from _evidences(one)
    elif isinstance(value, dict):
        yield from parts(value, "evidences")
        for name, one in value.items():
            if name != "evidences":
                yield from _evidences(one)
