"""One entry for each work: a preprint, the paper that it became and its record in another database are one.

`read.versions` joins records that share a PMID, PMC id or DOI within one list of hits. A preprint has a DOI of its own,
so its title and first author decide, and sub-questions have lists of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from medground.document import Document, Hit
from medground.read.versions import same_text
from medground.run import Run

_ABOUT_ANOTHER = re.compile(
    r"^\W*(?:(?:author|publisher)(?:['’]?s['’]?)? )?(?:erratum|errata|corrigendum|corrigenda|correction)s?\b"
    r"(?:\s*(?:to|for|in|:|\.|-|–|—)+\s*)*",
    re.IGNORECASE,
)
"""How the title of an erratum begins, before the title of its paper."""
_LETTERS = re.compile(r"[\W_]+")
_TITLE = 20
"""Letters of a title that no two works share by chance."""
_PREPRINTS = re.compile(r"\b(?:preprint|(?:bio|med|ar|chem|psy)rxiv|research square|ssrn)\b", re.IGNORECASE)


def works(documents: Iterable[Document]) -> list[list[Document]]:
    """Documents by work, in the order of their first documents; of a work, the one to cite first.

    That is the published paper rather than a preprint or an erratum, then the fullest text.
    """
    groups: list[list[Document]] = []
    for document in documents:
        own = [group for group in groups if any(_same_work(document, other) for other in group)]
        groups = [group for group in groups if group not in own]
        groups.append([*(one for group in own for one in group), document])
    order = {document.id: place for place, document in enumerate(d for group in groups for d in group)}
    for group in groups:
        group.sort(key=lambda d: (_is_erratum(d), _is_preprint(d), -len(d.text), order[d.id]))
    return groups


def one_per_work(found: Sequence[Sequence[Hit]], withdrawn: Iterable[str], run: Run) -> list[list[Hit]]:
    """Lists of hits in which each work has one document, the same in all lists. Their documents are in the ledger.

    Args:
        found: the lists of hits.
        withdrawn: ids of retracted papers; other versions of them, such as a preprint, are left out.
        run: the run, which is told of such a version.
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


def _same_work(one: Document, other: Document) -> bool:
    if one.id == other.id:
        return True
    if one.kind != other.kind:
        return False
    own, theirs = _plain_title(one), _plain_title(other)
    titled = own == theirs and len(own) >= _TITLE
    if not set(one.paper).isdisjoint(other.paper):
        return titled or same_text(one, other)
    return titled and one.kind == "research" and _first_authors_agree(one, other)


def _plain_title(document: Document) -> str:
    return _LETTERS.sub("", _ABOUT_ANOTHER.sub("", document.title).casefold())


def _first_authors_agree(one: Document, other: Document) -> bool:
    """Whether the family names of the first authors are the same, as far as both are known."""
    first, second = (re.split(r"[\s,]", d.authors[0].casefold())[0] if d.authors else "" for d in (one, other))
    return not first or not second or first == second


def _is_erratum(document: Document) -> bool:
    return _ABOUT_ANOTHER.match(document.title) is not None and document.retraction != "retracted"


def _is_preprint(document: Document) -> bool:
    return _PREPRINTS.search(" ".join([*document.publication_types, document.journal or ""])) is not None
