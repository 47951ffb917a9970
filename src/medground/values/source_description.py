"""What a source holds, as a planner reads it: one paragraph, how a query for it is written, its licence and origin."""

from __future__ import annotations

import re
from typing import Self

from pydantic import Field, field_validator

from medground.values.document import Frozen, SourceKind

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


class SourceDescription(Frozen):
    """A source of a knowledge base (Omni-RAG, section 3, prompts E.1 and E.2).

    Attributes:
        name: as plans and their tags write it, such as `book`.
        kind: the kind of its documents.
        about: one paragraph for the planner: what it holds, and for which questions it is good.
        licence: under which terms its texts may be used; it goes with every export.
        origin: where the texts come from.
    """

    name: str
    kind: SourceKind
    about: str = Field(min_length=1, max_length=1000)
    licence: str = Field(min_length=1, max_length=1000)
    origin: str = Field(min_length=1, max_length=1000)

    @property
    def query_format(self) -> str:
        """How its queries are written in a plan: for a graph, each has a term and what is asked about it (E.2)."""
        if self.kind == "graph":
            return "a term, a comma, what is asked about it; several with ; between them"
        return "a few words; several queries with ; between them"

    @field_validator("name")
    @classmethod
    def _is_a_tag(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise ValueError(f"{value[:40]!r} is not a source's name; use a-z, 0-9, - and _, starting with a letter")
        return value

    @classmethod
    def of_kind(cls, kind: SourceKind) -> Self:
        """The description of a source of which only the kind is known."""
        return cls(name=kind, kind=kind, about=_ABOUT[kind], licence="not recorded", origin="not recorded")


_ABOUT: dict[SourceKind, str] = {
    "book": "Medical textbooks and teaching material: anatomy, mechanisms, diagnosis and treatment as they are taught.",
    "guideline": "Recommendations and advice of health organisations: what to do in a given situation.",
    "research": "Abstracts and articles of biomedical studies: what was measured, in whom, with which result.",
    "wiki": "Encyclopaedia articles: general knowledge about a topic, named by its title.",
    "graph": "A knowledge graph: definitions of medical concepts and the relations recorded between them.",
    "protein": "Records of proteins: function, interactions, sequence, structure.",
    "web": "Pages of the web, of any quality.",
}
