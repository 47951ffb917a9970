"""Single papers: who a citation or an id stands for, what belongs to it, and where its full text is."""

from collections.abc import Mapping
from typing import Literal

from medground.values.document import Document, Frozen, Retraction


class Entity(Frozen):
    """What a paper names, as PubTator read it: a kind such as `Gene`, an id of its vocabulary, and the words."""

    kind: str
    id: str
    words: str
    count: int


class PaperFound(Frozen):
    """A paper that was asked for, and its ids by kind: `pmid`, `pmc`, `doi`. `reason`: why it was not found.

    `document` is its record, None where only its ids are known; `held_by` the source or service that knows it.
    """

    asked: str
    status: Literal["found", "not found", "failed"] = "found"
    ids: Mapping[str, str] = {}
    document: Document | None = None
    held_by: str = ""
    reason: str = ""
    entities: tuple[Entity, ...] = ()


class Related(Frozen):
    """Papers that are like a paper, cite it or are cited by it, the closest first, and where each way looked."""

    paper: PaperFound
    documents: tuple[Document, ...]
    ways: tuple[str, ...]


class FullText(Frozen):
    """The full text of a paper, or an address where it may be read under a licence, and what each route said.

    `retraction` is that of the paper, also where no text was found.
    """

    document: Document | None = None
    url: str = ""
    license: str = ""
    retraction: Retraction = "none"
    routes: tuple[str, ...] = ()
