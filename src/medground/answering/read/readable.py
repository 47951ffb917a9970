"""The hits that may be read: one version of each paper, one entry for each work, nothing that is retracted; and what
records say of each other.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations

from medground.answering.read.corrections import names_paper, of_paper
from medground.answering.run import Run
from medground.corpus.records import agrees
from medground.corpus.retraction import ERRATUM, RETRACTED, doubt, set_aside, why_aside
from medground.language import words
from medground.language.pattern import verbose_pattern
from medground.language.prose import why_not_prose
from medground.language.question_reading import Asked
from medground.language.quoting.leading import asks_beside
from medground.pubmed.characters import letters_of
from medground.values.document import Document, Hit
from medground.values.grouping import grouped

_WORD = re.compile(r"\w+")
_SHINGLE = 4
"""Words per shingle."""
_HELD = 0.5
"""A text with this share of its shingles in another is held by it: abstracts are edited for the journal."""


async def one_version(hits: Sequence[Hit], run: Run) -> list[Hit]:
    """The hits of one version of each paper, in the place of the best hit of any of its versions.

    It is a version that has been quoted in this run, or else the published one, or the fullest. If one version is
    retracted, it stands for all that have its title.

    Raises SourceUnavailable: the versions cannot be fetched to be compared.
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
        found.sort(key=lambda d: (d.id not in retracted, d.id not in quoted, *is_less(d), -len(d.text), d.id))
        instead |= _instead(found, retracted)
    documents = run.ledger.documents
    for name, chosen in instead.items():
        if chosen in retracted and set(documents[name].paper).isdisjoint(documents[chosen].paper):
            run.warn(f"{name} is a version of a retracted paper, so it is not used as evidence")
    return _replaced(hits, instead)


def _groups(hits: Sequence[Hit]) -> list[list[str]]:
    """Ids of the documents found that share a name of their papers or a long title, for each paper that has several."""
    papers = {hit.passage.document_id: set(hit.passage.paper) for hit in hits}
    titles = {hit.passage.document_id: letters_of(hit.passage.title) for hit in hits}
    for document_id, title in titles.items():
        papers[document_id] |= {title} if len(title) >= _TITLE else set()
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
            if other.id in instead:
                continue
            if set(document.paper).isdisjoint(other.paper):  # a preprint and its paper, by the same authors
                signed = document.authors and other.authors and is_less(document) != is_less(other)
                same = bool(signed) and same_work(document, other)
            else:
                same = _same(shingles[document.id], shingles[other.id])
                same = same or (document.id in retracted and agrees(other, document))
            if same:
                instead[other.id] = document.id
    return instead


def _same(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    smaller = min(len(one), len(other))
    return smaller == 0 or len(one & other) >= _HELD * smaller


def _replaced(hits: Sequence[Hit], instead: Mapping[str, str]) -> list[Hit]:
    """The hits without those of other versions; the best of each paper's comes where its best was."""
    kept = grouped((hit.passage.document_id, hit) for hit in hits if hit.passage.document_id not in instead)
    papers = (instead.get(hit.passage.document_id, hit.passage.document_id) for hit in hits)
    return [kept[paper].pop(0) for paper in papers if kept.get(paper)]


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))


_ABOUT_ANOTHER = verbose_pattern(
    r"""
    ^\W*(?:(?:author|publisher)(?:['’]?s['’]?)?\ )?(?:erratum|errata|corrigendum|corrigenda|
    correction)s?\b(?:\s*(?:to|for|in|:|\.|-|–|—)+\s*)*
    """
)
"""How the title of an erratum begins, before the title of its paper."""
_TITLE = 20
"""Letters of a title that no two works share by chance."""
_PREPRINTS = re.compile(r"\b(?:preprint|(?:bio|med|ar|chem|psy)rxiv|research square|ssrn)\b", re.IGNORECASE)


def same_work(one: Document, other: Document) -> bool:
    """Whether two documents are of one work, such as a paper and its preprint."""
    if one.id == other.id:
        return True
    if one.kind != other.kind:
        return False
    own, theirs = _plain_title(one), _plain_title(other)
    titled = own == theirs and len(own) >= _TITLE
    if not set(one.paper).isdisjoint(other.paper):
        return titled or _same(*(_shingles(f"{document.title} {document.text}") for document in (one, other)))
    return titled and one.kind == "research" and _first_authors_agree(one, other)


def _plain_title(document: Document) -> str:
    return letters_of(_ABOUT_ANOTHER.sub("", document.title))


def _first_authors_agree(one: Document, other: Document) -> bool:
    """Whether the family names of the first authors are the same, as far as both are known."""
    first, second = (re.split(r"[\s,]", d.authors[0].casefold())[0] if d.authors else "" for d in (one, other))
    return not first or not second or first == second


def is_less(document: Document) -> tuple[bool, bool]:
    """Whether it is an erratum, and whether it is a preprint."""
    erratum = _ABOUT_ANOTHER.match(document.title) is not None and document.retraction != "retracted"
    return erratum, _PREPRINTS.search(" ".join([*document.publication_types, document.journal or ""])) is not None


def texts(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that can be read as text. Graph pages are left out: their lines are relations without a subject, and are
    used as facts instead (`read.facts`)."""
    return [hit for hit in hits if hit.passage.kind != "graph"]


def is_beside(section: str | None, asked: Asked) -> bool:
    """Whether a section stands beside a paper's text, such as acknowledgements, and is not asked for."""
    heading = (section or "").rpartition(" > ")[2]
    if not heading or why_not_prose(f"{heading}:") != "label":
        return False
    return not asks_beside(asked) and set(words.terms(asked.text)).isdisjoint(words.terms(heading))


async def readable(hits: Sequence[Hit], run: Run, *, asked: Asked | None = None, retractions: bool = True) -> list[Hit]:
    """The hits that may become evidence, in order; of a paper that was found in several versions, those of one.

    What stands beside a paper's text, such as its funding, is none of its findings, unless it is asked for. Retracted
    papers and notices about papers are left out of the reading; those on what is asked are listed in the answer.
    `retractions=False` keeps them, for ablations.

    Args:
        asked: what is asked, if not the question of the run.

    Raises SourceUnavailable: versions of a paper cannot be fetched to be compared, or one that was left out to be
    listed.
    """
    asked = asked or run.asked
    own = [hit for hit in hits if not is_beside(hit.passage.section, asked)]
    hits = await one_version(own, run)
    if not retractions:
        return hits
    kept, aside = set_aside(hits)
    found = {h.passage.document_id: f"{h.passage.title}\n{h.passage.text}" for h in reversed(hits)}
    aside = {document: reason for document, reason in aside.items() if asked.is_about(found[document])}
    await run.retrieve(list(aside))
    for document, reason in aside.items():
        run.warn(f"{document} was found but is {reason}, so it is not used as evidence")
        run.shown.setdefault(document)
    errata = [run.ledger.documents[i] for i, reason in aside.items() if reason == ERRATUM and i in run.ledger.documents]
    for paper in {hit.passage.document_id: hit.passage for hit in kept}.values():
        for erratum in of_paper(paper.title, paper.paper, errata):
            run.warn(f"{paper.document_id} was corrected: “{erratum.text}” ({erratum.id})")
    on_it = (hit for hit in kept if asked.is_about(found[hit.passage.document_id]))
    for document, why in {h.passage.document_id: why for h in on_it if (why := doubt(h.passage))}.items():
        run.warn(f"{document} {why}; check it before you rely on it")
    return kept


_YEARS = re.compile(r"\b(?:19|20)\d\d\b")
_REVISED = re.compile("review|guideline|meta-analysis|consensus", re.IGNORECASE)
"""Types of publication that are brought up to date."""


def replaced(documents: Sequence[Document]) -> Iterator[tuple[Document, Document]]:
    """The older and the newer of two versions of a review or a guideline."""
    for older, newer in permutations(documents, 2):
        if older.year is None or newer.year is None or older.year >= newer.year:
            continue
        is_revised = all(_REVISED.search(" ".join(one.publication_types)) for one in (older, newer))
        titles = {letters_of(_YEARS.sub("", one.title)) for one in (older, newer)}
        if is_revised and (len(titles) == 1 or names_paper(newer, older.paper)):
            yield older, newer
