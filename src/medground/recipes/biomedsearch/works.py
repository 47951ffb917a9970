"""Documents by work: a paper with its preprints and errata, of which one is cited."""

from collections.abc import Iterable, Sequence
from itertools import chain

from medground.answering.read.readable import is_less, same_work
from medground.answering.run import Run
from medground.values.document import Document, Hit
from medground.values.grouping import grouped


def works(documents: Iterable[Document]) -> list[list[Document]]:
    """Documents by work, in the order of their first documents; of a work, the one to cite first.

    That is the published paper rather than a preprint or an erratum, then the fullest text.
    """
    groups: list[list[Document]] = []
    for document in documents:
        own = [group for group in groups if any(same_work(document, other) for other in group)]
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
    of_document = grouped((hit.passage.document_id, hit) for hit in chain.from_iterable(found))
    groups = works(run.ledger.documents[i] for i in dict.fromkeys([*of_document, *sorted(gone)]))
    out = {document.id for group in groups for document in group if not gone.isdisjoint(d.id for d in group)}
    for name in sorted(out - gone):
        run.warn(f"{name} is a version of a retracted paper, so it is not used as evidence")
    chosen = {document.id: group[0].id for group in groups for document in group}
    lists = []
    for hits in found:
        kept: dict[str, Hit] = {}
        for hit in hits:
            name = hit.passage.document_id
            for one in [hit] if name == chosen[name] else of_document.get(chosen[name], ()):
                kept.setdefault(one.passage.key, one)
        lists.append([hit for hit in kept.values() if hit.passage.document_id not in out])
    return lists
