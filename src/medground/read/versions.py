"""One version of each paper: a PDF and its MEDLINE record are one source, not two.

Records are versions of a paper if they share a PMID, PMC id or DOI, and one holds the text of the other. Two parts of a
paper that a user keeps as records of their own share its DOI, too, but not their texts, so both are read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from medground.corpus.joining.agree import agrees
from medground.document import Document, Hit
from medground.retraction import RETRACTED, why_aside
from medground.run import Run

_WORD = re.compile(r"\w+")
_SHINGLE = 4
"""Words per shingle."""
_HELD = 0.5
"""A text with this share of its shingles in another is held by it: abstracts are edited for the journal."""


async def one_version(hits: Sequence[Hit], run: Run) -> list[Hit]:
    """The hits of one version of each paper, in the place of the best hit of any of its versions.

    It is a version that has been quoted in this run, or else the fullest. If one version is retracted, it stands for
    all that have its title.

    Raises:
        SourceUnavailable: the versions cannot be fetched to be compared.
    """
    groups = _groups(hits)
    if not groups:
        return [*hits]
    await run.retrieve([document_id for group in groups for document_id in group])
    retracted = {hit.passage.document_id for hit in hits if why_aside(hit.passage) == RETRACTED}
    quoted = {evidence.document_id for evidence in run.ledger.evidence}
    instead: dict[str, str] = {}
    for group in groups:
        found = [run.ledger.documents[i] for i in group if i in run.ledger.documents]
        found.sort(key=lambda d: (d.id not in retracted, d.id not in quoted, -len(d.text), d.id))
        instead |= _instead(found, retracted)
    return _replaced(hits, instead)


def _groups(hits: Sequence[Hit]) -> list[list[str]]:
    """Ids of the documents found that share a name of their papers, for each paper that has several."""
    papers = {hit.passage.document_id: set(hit.passage.paper) for hit in hits}
    times = Counter(name for names in papers.values() for name in names)
    groups: list[tuple[set[str], list[str]]] = []
    for document_id, names in papers.items():
        if all(times[name] == 1 for name in names):
            continue
        near = [group for group in groups if not names.isdisjoint(group[0])]
        groups = [group for group in groups if names.isdisjoint(group[0])]
        groups.append((names.union(*(n for n, _ in near)), [*(i for _, ids in near for i in ids), document_id]))
    return [ids for _, ids in groups]


def _instead(documents: Sequence[Document], retracted: Collection[str]) -> dict[str, str]:
    """Which version is read instead of which others; the first come first."""
    shingles = {document.id: _shingles(f"{document.title} {document.text}") for document in documents}
    instead: dict[str, str] = {}
    for place, document in enumerate(documents):
        if document.id in instead:
            continue
        for other in documents[place + 1 :]:
            same = _same(shingles[document.id], shingles[other.id])
            if other.id not in instead and (same or (document.id in retracted and agrees(other, document))):
                instead[other.id] = document.id
    return instead


def same_text(one: Document, other: Document) -> bool:
    """Whether one document holds the title and text of another."""
    return _same(*(_shingles(f"{document.title} {document.text}") for document in (one, other)))


def _same(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    smaller = min(len(one), len(other))
    return smaller == 0 or len(one & other) >= _HELD * smaller


def _replaced(hits: Sequence[Hit], instead: Mapping[str, str]) -> list[Hit]:
    """The hits without those of other versions; the best of each paper's comes where its best was."""
    kept = defaultdict(list)
    for hit in hits:
        if hit.passage.document_id not in instead:
            kept[hit.passage.document_id].append(hit)
    chosen = []
    for hit in hits:
        waiting = kept[instead.get(hit.passage.document_id, hit.passage.document_id)]
        if waiting:
            chosen.append(waiting.pop(0))
    return chosen


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))
