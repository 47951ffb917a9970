"""What sources of structures share: files that go with a record, checked before they are handed on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from medground.document import Document
from medground.proteins.structure import Structure


@dataclass(frozen=True)
class StructureFile:
    """A structure file as the service sent it, and what was read from it."""

    name: str
    media_type: str
    content: bytes
    origin: str
    structure: Structure


@dataclass(frozen=True)
class StructureFiles:
    """The files of a record. `refused` has one line for each file that is not what the record says."""

    files: tuple[StructureFile, ...] = ()
    refused: tuple[str, ...] = ()


@runtime_checkable
class StructureSource(Protocol):
    """A source whose records have structure files. Optional, beside `Source`."""

    @property
    def name(self) -> str:
        """Its name in settings and answers."""
        ...

    @property
    def predicted(self) -> bool:
        """Whether its structures are predictions, so that the B-factor column is pLDDT."""
        ...

    async def files(self, document: Document) -> StructureFiles:
        """The PDB and mmCIF files of one of its records, as far as the service has them.

        Raises:
            SourceUnavailable: the service could not be asked.
        """
        ...
