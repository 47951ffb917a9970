"""A UniProtKB entry as a citable document of sentences by template, and entries that are no longer active.

Each sentence says what one stored fact says, and nothing else. Texts of curators stay word for word, with their
references; only the subject is put before them, so that each line can be quoted alone.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from medground.errors import BadDocument
from medground.home.files import rows
from medground.language.sentences import sentence_spans
from medground.sources.live import Json, part, parts, text, texts
from medground.sources.proteins.names import ACCESSION, Names, read_names
from medground.sources.proteins.records import dated
from medground.values.document import Document, Section


class Line(NamedTuple):
    """A line of a document and the section that it belongs to."""

    section: str
    text: str


_TEXTS = {kind: (section, about) for kind, section, about in rows("sources/proteins", "comments")}
"""Comments of plain text: the section, and what the line says it is about."""
_SECTIONS = (
    *("Names", "Function", "Activity", "Phenotype", "Interactions", "Disease", "Location", "Expression"),
    *("Domains", "Sites", "Variants", "Isoforms", "Sequence", "Structure", "Family", "Gene Ontology", "Uses"),
    *("Further", "Caution"),
)
_ASPECTS = {"F": "molecular function", "P": "biological process", "C": "cellular component"}
_SITES = {
    "Signal": "signal peptide",
    "Transmembrane": "transmembrane segment",
    "DNA binding": "DNA-binding region",
    **{name: name.lower() for name in ("Transit peptide", "Chain", "Domain", "Region", "Motif", "Topological domain")},
    **{name: name.lower() for name in ("Zinc finger", "Active site", "Binding site")},
}
_LONGEST_SEQUENCE = 2000


def lines_of(entry: Json, names: Names) -> list[Line]:
    """The lines of an entry, in the order of `_SECTIONS`."""
    found = [*_named(names), *_commented(entry, names), *_located(entry, names), *_sequence(entry, names)]
    found += _referenced(entry, names)
    place = {section: number for number, section in enumerate(_SECTIONS)}
    return sorted(dict.fromkeys(found), key=lambda line: place[line.section])


def _named(names: Names) -> Iterator[Line]:
    kind = "reviewed (Swiss-Prot)" if names.reviewed else "unreviewed (TrEMBL)"
    piece = " of a fragment" if names.fragment else ""
    yield Line("Names", f"{names.accession} is the {kind} UniProtKB entry{piece} for {names.name}.")
    organism = f"{names.organism} ({names.common})" if names.common else names.organism
    if names.gene:
        yield Line("Names", f"{names.name} is encoded by the gene {names.gene} of {organism}.")
    elif organism:
        yield Line("Names", f"{names.name} is a protein of {organism}.")
    if others := [name for name in names.names[1:] if name != names.gene]:
        yield Line("Names", f"Other names of {names.name}: {'; '.join(others)}.")
    if names.synonyms:
        yield Line("Names", f"Other names of the gene {names.gene}: {'; '.join(names.synonyms)}.")


def _commented(entry: Json, names: Names) -> Iterator[Line]:
    for comment in parts(entry, "comments"):
        kind = text(comment, "commentType")
        molecule = text(comment, "molecule")
        subject = f"{molecule} of {names.subject}" if molecule else names.subject
        if kind in _TEXTS:
            section, about = _TEXTS[kind]
            # A caution takes back what its first sentence reports: it is quoted whole or not at all.
            yield from _told(section, f"{subject}, {about}", comment, whole=kind == "CAUTION")
        elif kind in _OF_PARTS:
            yield from _OF_PARTS[kind](comment, subject)


def _told(section: str, lead: str, holder: Json, *, whole: bool = False) -> Iterator[Line]:
    for one in parts(holder, "texts"):
        value = text(one, "value")
        spans = [(0, len(value))] if whole and value else sentence_spans(value)
        for start, end in spans:
            yield Line(section, _closed(f"{lead}: {value[start:end]}"))


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _catalytic(comment: Json, subject: str) -> Iterator[Line]:
    reaction = part(comment, "reaction")
    if name := text(reaction, "name"):
        number = text(reaction, "ecNumber")
        yield Line("Activity", _closed(f"{subject} catalyses{f' (EC {number})' if number else ''}: {name}"))


def _cofactors(comment: Json, subject: str) -> Iterator[Line]:
    for one in parts(comment, "cofactors"):
        if name := text(one, "name"):
            yield Line("Activity", f"A cofactor of {subject} is {name}.")
    yield from _told("Activity", f"{subject}, cofactor", part(comment, "note"))


def _kinetics(comment: Json, subject: str) -> Iterator[Line]:
    for one in parts(part(comment, "kineticParameters"), "michaelisConstants"):
        value, unit, substrate = text(one, "constant"), text(one, "unit"), text(one, "substrate")
        if value and unit and substrate:
            yield Line("Activity", f"The Michaelis constant of {subject} for {substrate} is {value} {unit}.")
    for about, name in (("pH dependence", "phDependence"), ("temperature dependence", "temperatureDependence")):
        yield from _told("Activity", f"{subject}, {about}", part(comment, name))


def _interactions(comment: Json, subject: str) -> Iterator[Line]:
    for one in parts(comment, "interactions"):
        partner = part(one, "interactantTwo")
        accession, gene = text(partner, "uniProtKBAccession"), text(partner, "geneName")
        count = text(one, "numberOfExperiments")
        if not accession or not count:
            continue
        own = part(one, "interactantOne")
        form = text(own, "chainId") or text(own, "uniProtKBAccession")
        named = f"{gene} ({accession})" if gene else accession
        other = " of another organism" if one.get("organismDiffer") is True else ""
        unit = "experiment" if count == "1" else "experiments"
        lead = f"{subject}, as {form}," if form else subject
        yield Line("Interactions", f"{lead} interacts with {named}{other} in {count} {unit}.")


def _disease(comment: Json, subject: str) -> Iterator[Line]:
    disease = part(comment, "disease")
    if name := text(disease, "diseaseId"):
        reference = part(disease, "diseaseCrossReference")
        number = f"{text(reference, 'database')} {text(reference, 'id')}" if text(reference, "id") else ""
        known = "; ".join(one for one in (text(disease, "acronym"), number) if one)
        yield Line("Disease", f"{subject}, involvement in disease: {name}{f' ({known})' if known else ''}.")
        if told := text(disease, "description"):
            yield from _told("Disease", name, {"texts": [{"value": told}]})
    lead = f"{subject} and {name}" if name else f"{subject}, involvement in disease"
    yield from _told("Disease", lead, part(comment, "note"))


def _locations(comment: Json, subject: str) -> Iterator[Line]:
    for one in parts(comment, "subcellularLocations"):
        if place := text(one, "location", "value"):
            side = text(one, "topology", "value")
            yield Line("Location", f"{subject} is located in: {place}{f' ({side})' if side else ''}.")
    yield from _told("Location", f"{subject}, location", part(comment, "note"))


def _isoforms(comment: Json, subject: str) -> Iterator[Line]:
    for one in parts(comment, "isoforms"):
        name, ids = text(one, "name", "value"), ", ".join(texts(one, "isoformIds"))
        if name and ids:
            shown = " and is the displayed sequence" if text(one, "isoformSequenceStatus") == "Displayed" else ""
            yield Line("Isoforms", f"Isoform {name} of {subject} is {ids}{shown}.")


_OF_PARTS: dict[str, Callable[[Json, str], Iterator[Line]]] = {
    "CATALYTIC ACTIVITY": _catalytic,
    "COFACTOR": _cofactors,
    "BIOPHYSICOCHEMICAL PROPERTIES": _kinetics,
    "INTERACTION": _interactions,
    "DISEASE": _disease,
    "SUBCELLULAR LOCATION": _locations,
    "ALTERNATIVE PRODUCTS": _isoforms,
}


def _located(entry: Json, names: Names) -> Iterator[Line]:
    for one in parts(entry, "features"):
        kind, told = text(one, "type"), text(one, "description")
        place = _place(one)
        if not place:
            continue
        if kind in _SITES:
            what = told or text(one, "ligand", "name")
            yield Line("Sites", f"{names.subject}, {_SITES[kind]} at {place}{f': {what}' if what else ''}.")
        elif kind in ("Natural variant", "Mutagenesis"):
            change = part(one, "alternativeSequence")
            before, after = text(change, "originalSequence"), texts(change, "alternativeSequences")
            swap = f", {before} to {' or '.join(after)}" if before and after else ""
            lead = "natural variant" if kind == "Natural variant" else "mutagenesis"
            yield Line("Variants", _closed(f"{names.subject}, {lead} at {place}{swap}: {told or 'no description'}"))


def _place(feature: Json) -> str:
    """`residue 90` or `residues 18-687`; empty where the entry is not sure of an end."""
    first, last = part(feature, "location", "start"), part(feature, "location", "end")
    if {text(first, "modifier"), text(last, "modifier")} - {"EXACT", ""}:
        return ""
    start, end = text(first, "value"), text(last, "value")
    if not start or not end:
        return ""
    return f"residue {start}" if start == end else f"residues {start}-{end}"


def _sequence(entry: Json, names: Names) -> Iterator[Line]:
    sequence = part(entry, "sequence")
    length, mass, letters = text(sequence, "length"), text(sequence, "molWeight"), text(sequence, "value")
    if length:
        weight = f" and a molecular mass of {mass} Da" if mass else ""
        whole = "fragment in the entry" if names.fragment else "sequence"
        yield Line("Sequence", f"The {whole} of {names.subject} has {length} amino acids{weight}.")
    if letters and len(letters) <= _LONGEST_SEQUENCE:
        yield Line("Sequence", f"Sequence of {names.subject}: {letters}")


def _referenced(entry: Json, names: Names) -> Iterator[Line]:
    for one in parts(entry, "uniProtKBCrossReferences"):
        database, name = text(one, "database"), text(one, "id")
        known = {text(p, "key"): text(p, "value") for p in parts(one, "properties")}
        if database == "PDB" and name:
            told = [known.get("Method", ""), known.get("Resolution", ""), known.get("Chains", "")]
            how = "; ".join(value for value in told if value and value != "-")
            lead = f"PDB {name} is an experimental structure of {names.subject}"
            yield Line("Structure", f"{lead}{f': {how}' if how else ''}.")
        elif database == "AlphaFoldDB" and name:
            yield Line("Structure", f"AlphaFold DB has a predicted structure of {names.subject}: {name}.")
        elif database == "GO" and name:
            aspect, _, term = known.get("GoTerm", "").partition(":")
            if aspect in _ASPECTS and term:
                basis = f"; evidence {known['GoEvidenceType']}" if known.get("GoEvidenceType") else ""
                yield Line("Gene Ontology", f"{names.subject}, {_ASPECTS[aspect]}: {term} ({name}{basis}).")


LICENCE = "CC BY 4.0"
_PAGE = "https://www.uniprot.org/uniprotkb"
UNREVIEWED = "This entry is unreviewed (TrEMBL): programs wrote it, and no curator has checked it."
FRAGMENT = "This entry describes a fragment of the protein, not the whole of it."


def is_inactive(entry: Json) -> bool:
    """Whether the entry was deleted or merged into others."""
    return text(entry, "entryType").casefold().startswith("inactive") or bool(part(entry, "inactiveReason"))


def successors(entry: Json) -> tuple[str, ...]:
    """The accessions that an inactive entry was merged into or split among."""
    told = texts(part(entry, "inactiveReason"), "mergeDemergeTo")
    return tuple(one for one in told if ACCESSION.fullmatch(one))


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
        keywords=tuple(filter(None, (text(one, "name") for one in parts(entry, "keywords")))),
        identifiers={"uniprot": names.accession} | ({"gene": names.gene} if names.gene else {}),
        references=tuple(f"PMID:{pmid}" for pmid in _pmids(entry)),
        url=f"{_PAGE}/{names.accession}/entry",
        license=LICENCE,
        cautions=tuple(told for told, holds in ((UNREVIEWED, not names.reviewed), (FRAGMENT, names.fragment)) if holds),
        metadata=_metadata(entry, names),
        **dated(text(audit, "lastAnnotationUpdateDate"), text(audit, "firstPublicDate")),
    )


def _laid_out(entry: Json, names: Names) -> tuple[str, tuple[Section, ...]]:
    content: list[str] = []
    sections: list[Section] = []
    at = 0
    for label, lines in groupby(lines_of(entry, names), key=lambda line: line.section):
        start = at
        for line in lines:
            content.append(line.text)
            at += len(line.text) + 1
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
    cited = [
        text(reference, "id")
        for one in parts(entry, "references")
        for reference in parts(part(one, "citation"), "citationCrossReferences")
        if text(reference, "database") == "PubMed"
    ]
    found = [*cited, *(text(one, "id") for one in _evidences(entry.get("comments")) if text(one, "source") == "PubMed")]
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
