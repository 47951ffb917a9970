"""UniProtKB as a source, live at UniProt.

A name that several organisms or genes share is never guessed: the notes list them.
"""

from collections.abc import Iterator, Sequence

from medground.errors import BadDocument, SourceUnavailable
from medground.sources.base import SourceDeclaration
from medground.sources.live import Json, part, parts, text
from medground.sources.proteins.entry import entry_document, is_inactive, successors, why_inactive
from medground.sources.proteins.names import Names, Organism, folded, known_organism, read_names, split_isoform
from medground.sources.proteins.records import Records, RecordSource, open_client
from medground.values.document import Document
from medground.values.lookup import ProteinQuery

_SIZE = 25
_FIELDS = "accession,id,reviewed,protein_name,gene_names,organism_name,annotation_score,length"
"""What tells entries apart; a whole entry can be a megabyte."""
_LONGEST_NAME = 100
_MOST_LISTED = 8
_ABSENT = frozenset({400, 404})
"""UniProt has 400 for what is not the form of an accession."""


class UniProtSource(RecordSource):
    """Searches UniProtKB, reviewed entries first."""

    service = "uniprot"

    async def find(self, asked: ProteinQuery) -> Records:
        """The entry with an accession, or the entries whose gene or protein has a name."""
        name = " ".join(asked.name.split())[:_LONGEST_NAME]
        if accession := split_isoform(name):
            return await self._by_accession(*accession, asked.organism)
        if not folded(name):
            return Records(notes=("the lookup names no protein",))
        organism: Organism | None = None
        if asked.organism:
            organism = await self._organism(asked.organism)
            if organism is None:
                return Records(notes=(f"UniProt knows no organism {asked.organism[:80]!r}; check how it is written",))
        return await self._by_name(name, organism)

    async def read(self, name: str) -> Document | None:
        """The active entry with an accession."""
        if split_isoform(name) is None:
            return None
        entry = await self._entry(name)
        return None if entry is None or is_inactive(entry) else self._document(entry)

    async def _by_accession(self, accession: str, isoform: int | None, organism: str) -> Records:
        entry = await self._entry(accession)
        if entry is None:
            return Records(notes=(f"UniProtKB has no entry {accession}; check the accession",))
        notes: list[str] = []
        if is_inactive(entry):
            notes.append(why_inactive(entry))
            to = successors(entry)
            followed = await self._entry(to[0]) if len(to) == 1 else None
            if followed is None or is_inactive(followed):
                return Records(notes=tuple(notes))
            entry = followed
        document = self._document(entry)
        names = read_names(entry)
        if not notes and names.accession != accession:
            notes.append(f"{accession} is now part of {names.accession}")
        if isoform is not None:
            notes.append(f"{accession}-{isoform} is an isoform; the entry {names.accession} describes all isoforms")
        named = known_organism(organism) if organism else None
        if named is not None and named.taxon != names.taxon:
            notes.append(f"{names.accession} belongs to {names.organism}, not to {named.shown}")
        return Records((document,), tuple(notes))

    async def _by_name(self, name: str, organism: Organism | None) -> Records:
        where = f" in {organism.shown}" if organism else ""
        for query in _queries(name, organism):
            found = await self._search(query)
            best = max((one.fits(name) for one in found), default=0)
            if not best:
                continue
            fitting = [one for one in found if one.fits(name) == best]
            if told := _ambiguous(name, fitting, more=len(found) == _SIZE):
                return Records(notes=(told,))
            chosen = fitting if fitting[0].reviewed else fitting[:1]
            left = len(fitting) - len(chosen)
            note = f"{left} further unreviewed entries for {name!r}{where} are left out"
            entries = [await self._entry(one.accession) for one in chosen]
            return Records(
                tuple(self._document(entry) for entry in entries if entry is not None), (note,) if left else ()
            )
        return Records(notes=(f"UniProtKB has no protein or gene called {name!r}{where}",))

    async def _organism(self, name: str) -> Organism | None:
        if (known := known_organism(name)) is not None and known.taxon:
            return known
        wanted = _quoted(name)
        query = f"tax_id:{wanted}" if name.strip().isdigit() else f"(scientific:{wanted}) OR (common:{wanted})"
        reply = await self._client.get("taxonomy/search", {"query": query, "format": "json", "size": "5"})
        key = name.strip().casefold()
        for one in parts(reply.json(), "results"):
            names = [text(one, "scientificName"), text(one, "commonName"), str(one.get("taxonId"))]
            if key in (given.casefold() for given in names) and isinstance(one.get("taxonId"), int):
                return Organism(names[0], names[1], one["taxonId"])
        return None

    async def _search(self, query: str) -> list[Names]:
        given = {"query": query, "format": "json", "size": str(_SIZE), "fields": _FIELDS}
        answer = (await self._client.get("uniprotkb/search", given)).json()
        if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
            raise SourceUnavailable("the reply has no list of results; the service may have changed", source=self.name)
        entries = [one for one in parts(answer, "results") if not is_inactive(one)]
        return [read_names(entry) for entry in sorted(entries, key=_fullness, reverse=True)]

    async def _entry(self, accession: str) -> Json | None:
        reply = await self._client.get(f"uniprotkb/{accession}.json", absent=_ABSENT)
        if reply.status != 200:
            return None
        entry = reply.json()
        if not isinstance(entry, dict) or not text(entry, "primaryAccession"):
            raise SourceUnavailable("the reply is not an entry; the service may have changed", source=self.name)
        return entry

    def _document(self, entry: Json) -> Document:
        try:
            return entry_document(entry)
        except (BadDocument, ValueError) as error:
            raise SourceUnavailable(f"an entry could not be read: {error}", source=self.name) from None


def _queries(name: str, organism: Organism | None) -> Iterator[str]:
    """The searches for a name, one after the other until one finds it: as a gene, then as a protein; reviewed first."""
    plain = "".join(c for c in name if c.isalnum())
    genes = dict.fromkeys([name, plain])
    by_gene = " OR ".join(f"gene_exact:{_quoted(gene)}" for gene in genes)
    where = f" AND (organism_id:{organism.taxon})" if organism else ""
    for reviewed in ("true", "false"):
        yield f"({by_gene}){where} AND (reviewed:{reviewed})"
        yield f"(protein_name:{_quoted(name)}){where} AND (reviewed:{reviewed})"


def _quoted(name: str) -> str:
    """A phrase of UniProt's query language: no letter of it acts as syntax."""
    return '"' + " ".join(name.replace("\\", " ").replace('"', " ").split()) + '"'


def _fullness(entry: Json) -> tuple[bool, bool, float, int]:
    """Reviewed before unreviewed, whole before fragment, then by annotation and length."""
    names = read_names(entry)
    score, length = entry.get("annotationScore"), part(entry, "sequence").get("length")
    return (
        names.reviewed,
        not names.fragment,
        float(score) if isinstance(score, int | float) else 0.0,
        length if isinstance(length, int) else 0,
    )


def _ambiguous(name: str, found: Sequence[Names], *, more: bool) -> str:
    """A note that lists the organisms or the genes that share a name; empty if there is one."""
    organisms = dict.fromkeys(one.organism for one in found)
    if len(organisms) > 1:
        named = {one.organism: f"{one.common or one.organism} ({one.accession})" for one in reversed(found)}
        listed = _listed([named[organism] for organism in organisms], more=more)
        return f"{name!r} is in several organisms: {listed}; name the organism"
    genes = dict.fromkeys(folded(one.gene) or one.accession for one in found)
    if len(genes) > 1:
        listed = _listed([f"{one.gene or one.name} ({one.accession})" for one in found], more=more)
        return f"{name!r} is a name of several genes of {found[0].organism}: {listed}; name one of these"
    return ""


def _listed(names: Sequence[str], *, more: bool) -> str:
    each = list(dict.fromkeys(names))
    rest = " and others" if more or len(each) > _MOST_LISTED else ""
    return ", ".join(each[:_MOST_LISTED]) + rest


UNIPROT = SourceDeclaration(name="uniprot", open=lambda settings: UniProtSource(open_client("uniprot", settings)))
