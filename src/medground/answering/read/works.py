"""Documents by the work that they are: a paper, its preprint and its errata are one."""

from collections.abc import Iterable, Sequence

from medground.answering.read.readable import is_less, is_same_work
from medground.answering.run import Run
from medground.values.document import Document, Hit


def works(documents: Iterable[Document]) -> list[list[Document]]:
    """Documents by work, in the order of their first documents; of a work, the one to cite first.

    That is the published paper rather than a preprint or an erratum, then the fullest text.
    """
    groups: list[list[Document]] = []
    for document in documents:
        own = [group for group in groups if any(is_same_work(document, other) for other in group)]
        groups = [group for group in groups if group not in own]
        groups.append([*(one for group in own for one in group), document])
    order = {document.id: place for place, document in enumerate(d for group in groups for d in group)}
    for group in groups:
        group.sort(key=lambda d: (*is_less(d), -len(d.text), order[d.id]))
    return groups


def one_per_work(found: Sequence[Sequence[Hit]], withdrawn: Iterable[str], run: Run) -> list[list[Hit]]:
    """Lists of hits in which each work has one document, the same in all lists. Their documents are in the ledger.

    Args:
        withdrawn: ids of retracted papers; other versions of them, such as a preprint, are left out.
    """
    gone = set(withdrawn)
    everything = [hit for hits in found for hit in hits]
    ids = dict.fromkeys([hit.passage.document_id for hit in everything] + sorted(gone))
    groups = works(run.ledger.documents[i] for i in ids)
    out = {document.id for group in groups for document in group if not gone.isdisjoint(d.id for d in group)}
    for name in sorted(out - gone):
        run.warn(f"{name} is a version of a retracted paper, so it is not used as evidence")
    chosen = {document.id: group[0].id for group in groups for document in group}
    found = [[hit for hit in hits if hit.passage.document_id not in out] for hits in found]
    of_chosen: dict[str, list[Hit]] = {}
    for hit in everything:
        if chosen[hit.passage.document_id] == hit.passage.document_id:
            of_chosen.setdefault(hit.passage.document_id, []).append(hit)
    lists = []
    for hits in found:
        kept: dict[str, Hit] = {}
        for hit in hits:
            name = chosen[hit.passage.document_id]
            for one in [hit] if name == hit.passage.document_id else of_chosen[name]:
                kept.setdefault(one.passage.key, one)
        lists.append(list(kept.values()))
    return lists
