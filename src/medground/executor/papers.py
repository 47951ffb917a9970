"""Papers from records of several databases: duplicates merged, and of each its abstract as one passage."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from medground.corpus.chunk import region
from medground.document import Document, Hit, Passage
from medground.retraction import why_aside

_LONGEST = 4000
"""Characters of a text that is an abstract as a whole. Of a longer one, the sections of its abstract are taken."""
_TITLE = 25
"""Letters of a title that tell a paper. Shorter ones, such as `Editorial`, are those of many."""


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        hit: how it was found; the passage is its abstract, or what was found of it if it has none.
        records: its records, the one that is read first.
    """

    hit: Hit
    records: tuple[Document, ...]

    @property
    def text(self) -> str:
        """Title and abstract."""
        passage = self.hit.passage
        return passage.text if passage.text.startswith(passage.title) else f"{passage.title}\n{passage.text}"


def merged(hits: Sequence[Hit], documents: Mapping[str, Document]) -> list[Paper]:
    """The papers of these hits, in the order in which they are first found.

    Records are of one paper if they share a PMID, a PMC id or a DOI, or their titles have the same letters. Its fullest
    record is read; a retracted one stands for all, so that no database that has not heard of it yet hides it.

    Args:
        hits: at most one for each record.
        documents: the records by id; hits of others are passed over.
    """
    groups: list[tuple[set[str], list[Hit]]] = []
    for hit in hits:
        if (document := documents.get(hit.passage.document_id)) is None:
            continue
        names = _names(document)
        same = [group for group in groups if not names.isdisjoint(group[0])]
        if not same:
            groups.append((names, [hit]))
            continue
        first = same[0]
        for other in same[1:]:
            first[0].update(other[0])
            first[1].extend(other[1])
            groups.remove(other)
        first[0].update(names)
        first[1].append(hit)
    return [_paper(found, documents) for _, found in groups]


def _names(document: Document) -> set[str]:
    """What tells the paper: its ids, the id of the record, and its title."""
    letters = re.sub(r"[\W_]+", "", document.title.casefold())
    title = [f"title:{letters}"] if len(letters) >= _TITLE else []
    return {*document.paper, document.id, *title}


def _paper(hits: Sequence[Hit], documents: Mapping[str, Document]) -> Paper:
    first = {hit.passage.document_id: hit for hit in reversed(hits)}
    aside = next((hit for hit in hits if why_aside(hit.passage)), None)
    records = sorted((documents[i] for i in first), key=_fullest)
    read = records[0]
    own = first[read.id]
    hit = aside or own.model_copy(update={"passage": abstract_of(read) or own.passage})
    return Paper(hit, tuple(records))


def _fullest(document: Document) -> tuple[bool, int, int, str]:
    """The order of records of a paper: that with most text is read, then that with most headings."""
    bare = document.text.strip() == document.title.strip()
    return (bare, -len(document.text), -len(document.mesh), document.id)


def abstract_of(document: Document) -> Passage | None:
    """The abstract as one passage; None for a long text that has none."""
    sections = [section for section in document.sections if section.label.casefold().startswith("abstract")]
    if len(document.text) <= _LONGEST:
        start, end, label = 0, len(document.text), None
    elif sections:
        start, end, label = sections[0].start, min(sections[-1].end, sections[0].start + _LONGEST), "Abstract"
    else:
        return None
    return next(iter(region(document, start, end, label, _LONGEST)), None)
