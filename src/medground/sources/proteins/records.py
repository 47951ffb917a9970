"""What sources of protein records share: one lookup finds few whole records, and each is fetched by its id."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from medground.errors import BadDocument, UsageError
from medground.home.settings import Settings
from medground.sources.base import MOST_HITS
from medground.sources.http.service import ADDRESSES, Client, Service
from medground.sources.http.wire import open_wire
from medground.sources.live import LiveSource, best_of, lines_in, part, parts, text, texts, within
from medground.sources.proteins.names import split_isoform
from medground.sources.proteins.structures import Structure, StructureFile, StructureFiles, read_structure
from medground.values.document import Document, SourceKind
from medground.values.lookup import Found, Lookup, ProteinQuery, Ranker
from medground.values.query import Filters

_MOST_KEPT = 200
"""Most records kept in memory: those of one question."""
_CIF, _PDB = "chemical/x-mmcif", "chemical/x-pdb"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Records:
    """The records found for a query, best first, and what a reader should know of them."""

    documents: tuple[Document, ...] = ()
    notes: tuple[str, ...] = ()


class RecordSource(LiveSource, ABC):
    """A service of protein records. One ranking in its own order, one hit for each record.

    The hit is the line of the record that shares most words with the question. The name of the source in capitals is
    the prefix of the ids of its documents.

    `service`: the name of the source.
    """

    service: ClassVar[str]
    kinds = frozenset[SourceKind](["protein"])

    def __init__(self, client: Client) -> None:
        super().__init__(self.service, client, kept=_MOST_KEPT)
        self._client = client

    def accepts(self, lookup: Lookup) -> bool:
        """Proteins by name or accession, for rankers by words."""
        return lookup.wants(Ranker.LEXICAL) and isinstance(lookup.asked, ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search, and read the records found. Raises what `Source.search` raises."""
        self._check_open()
        if not isinstance(lookup.asked, ProteinQuery) or not self.accepts(lookup):
            raise UsageError(f"{self.name} takes a protein by name or accession, and ranks by words only")
        if (lookup.limit or 1) > MOST_HITS:
            raise UsageError(f"the limit of a search must be from 1 to {MOST_HITS}, not {lookup.limit}")
        if filters.kinds and "protein" not in filters.kinds:
            return Found(lookup, self.name, rankings=((),), notes=(f"{self.name} contains only records of proteins",))
        records = await self.find(lookup.asked)
        self._keep(records.documents)
        kept = [document for document in records.documents if within(document, filters, "revised")][: lookup.limit]
        hits = self._ranking(best_of(lines_in(one), lookup.text) for one in kept)
        return Found(lookup, self.name, rankings=(hits,), notes=records.notes)

    def _may_have(self, document_id: str) -> bool:
        return document_id.startswith(f"{self.name.upper()}:")

    async def _read(self, ids: Sequence[str]) -> list[Document]:
        read = await asyncio.gather(*(self.read(i.partition(":")[2]) for i in ids))
        return [one for one in read if one is not None and one.id in ids]

    @abstractmethod
    async def find(self, asked: ProteinQuery) -> Records:
        """The records for a protein. Raises SourceUnavailable: the service could not be searched."""

    @abstractmethod
    async def read(self, name: str) -> Document | None:
        """The record whose id has this name after the prefix; None if there is none.

        Raises SourceUnavailable: the service could not be asked.
        """


class StructureRecords(RecordSource):
    """Records that are looked up by UniProtKB accession and have structure files.

    `predicted`: whether they are predictions, so that the B-factor column is pLDDT.
    """

    predicted: ClassVar[bool]

    def accepts(self, lookup: Lookup) -> bool:
        """Accessions of UniProtKB only."""
        asked = lookup.asked
        return super().accepts(lookup) and isinstance(asked, ProteinQuery) and split_isoform(asked.name) is not None

    @abstractmethod
    async def files(self, document: Document) -> StructureFiles:
        """The PDB and mmCIF files of one of its records, as far as the service has them.

        Raises SourceUnavailable: the service could not be asked.
        """

    @abstractmethod
    def check(self, structure: Structure, document: Document, file: str) -> None:
        """Check that a structure is of the record's protein and says what the record says.

        Raises BadDocument: it is another one.
        """

    async def file(self, path: str, origin: str, document: Document) -> StructureFile | str | None:
        """A checked file of a record, or why it is refused; None if the service has no such file.

        Raises SourceUnavailable: the service could not be asked.
        """
        name = path.rpartition("/")[2]
        reply = await self._client.get(path, absent=frozenset({404}))
        if reply.status != 200:
            return None
        try:
            structure = read_structure(reply.body, name)
            self.check(structure, document, name)
        except BadDocument as error:
            return f"{self.name}: {error}; the file was not kept"
        return StructureFile(name, _CIF if name.endswith(".cif") else _PDB, reply.body, origin, structure)


@cache
def templates() -> Environment:
    """The templates of `texts`, which read a service's JSON by the functions of `live`."""
    made = Environment(
        loader=PackageLoader(__package__, "texts"),
        autoescape=select_autoescape(["svg"]),  # the others are text, and no value has a line break
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"part": part, "parts": parts, "text": text, "texts": texts}
    return made


def told_lines(name: str, **values: Any) -> list[str]:
    """The lines that a template makes of a record, each once."""
    made = templates().get_template(f"{name}.jinja").render(values)
    return [*dict.fromkeys(filter(None, made.split("\n")))]


def dated(revised: str, created: str = "") -> dict[str, Any]:
    """The fields `dates` and `year` of a record, from what may be days such as 2026-06-10."""
    days = {name: day for name, day in (("revised", revised), ("created", created)) if _DATE.fullmatch(day)}
    return {"dates": days, "year": int(revised[:4]) if "revised" in days else None}


def open_client(name: str, settings: Settings) -> Client:
    """The client of a service of records. Raises ConfigError: there is no folder to replay."""
    return Client(Service(name, ADDRESSES[name], per_second=5.0), open_wire(settings))
