"""Entries of a list of references joined with stored papers: by id, else by title, else by first author and year."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from medground.answering.run import Run
from medground.answering.verify.named import AuthorYear
from medground.checking.entries import Entry
from medground.corpus.retraction import marked
from medground.language.clean import without_accents
from medground.language.names import name_of
from medground.values.document import Document
from medground.values.identifiers import KINDS
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Term, any_of

_SAME_TITLE = 88
"""Least likeness, 0 to 100, of a stored title to the words of an entry that name the same paper."""
_NEAR_TITLE = 70
"""Least likeness of a title that was shortened or misspelled: below it, an id is that of another paper."""
_SHORTENED = 60
"""The same by words, where id, first author and year are those of the paper: people leave out half of a title."""
_NEAR_YEARS = 1
_MOST = 8
"""Papers that a search by the words of an entry returns."""
_LEAST_TITLE = 12
_LEAST_TEXT = 30
"""Letters of an entry, beside its ids, that can hold a title."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Joined:
    """An entry with the stored paper that it is, the fullest version first.

    Attributes:
        wrong: what of its id, title, authors and year is that of another paper; empty if all are of one.
        reason: why there is no paper; empty if there is one.
    """

    entry: Entry
    documents: tuple[Document, ...] = ()
    wrong: str = ""
    reason: str = ""

    @property
    def ref(self) -> str | None:
        """The id of the paper: that of its PubMed record where that is stored."""
        ids = sorted((document.id for document in self.documents), key=lambda name: not name.startswith("PMID:"))
        return next(iter(ids), None)


async def stored(names: Sequence[str], run: Run) -> dict[str, list[Document]]:
    """The stored documents of papers by their names (`pmid:1`, `pmc:PMC1`, `doi:10.1/x`), the longest first.

    Raises SourceUnavailable: a corpus cannot be searched.
    """
    corpora = tuple(source.name for source in run.sources if source.state is not None)
    if not names or not corpora:
        return {}
    asked = any_of([Term(value=name, field="identifier") for name in dict.fromkeys(names)])
    how = Lookup(asked=asked, shown="references", sources=corpora, rankers=(Ranker.LEXICAL,), limit=10_000)
    found: dict[str, list[Document]] = {}
    for document in await _documents(await _ids(how, run), run):
        for name in document.paper:
            found.setdefault(name, []).append(document)
    return {name: sorted(some, key=lambda one: -len(one.text)) for name, some in found.items()}


async def _ids(lookup: Lookup, run: Run) -> list[str]:
    rankings = [ranking for found in await run.look_up(lookup) for ranking in found.rankings]
    return list(dict.fromkeys(hit.passage.document_id for ranking in rankings for hit in ranking))


async def _documents(ids: Sequence[str], run: Run) -> list[Document]:
    await run.retrieve(list(ids))
    return [marked(run.ledger.documents[name]) for name in ids if name in run.ledger.documents]


async def joined(entry: Entry, held: Mapping[str, Sequence[Document]], run: Run) -> Joined:
    """An entry with its paper, of those that are `held` by their names, or of those that a search by its words finds.

    Raises SourceUnavailable: a corpus cannot be searched.
    """
    by_id = [(name, held[name]) for name in entry.ids if held.get(name)]
    if by_id:
        name, documents = by_id[0]
        other = next((n for n, found in by_id if not set(found[0].paper) & set(documents[0].paper)), None)
        wrong = f"{_told(name)} and {_told(other)} are two papers" if other else differs(entry, documents[0], name)
        return Joined(entry, tuple(documents), wrong)
    near = await _documents((await _ids(Lookup.words(_searched(entry)), run))[:_MOST], run) if _has_title(entry) else []
    fitting = [one for one in near if _likeness(entry, one) >= _SAME_TITLE]
    if fitting:
        kept = sorted(fitting, key=lambda one: (-_likeness(entry, one), -len(one.text)))
        known = {name.partition(":")[0]: name for name in kept[0].paper}
        false = next((name for name in entry.ids if known.get(name.partition(":")[0], name) != name), None)
        wrong = f"{_told(false)} is not this paper, which has {_told(known[false.partition(':')[0]])}" if false else ""
        return Joined(entry, tuple(kept), wrong or differs(entry, kept[0], ""))
    return Joined(entry, reason="the paper is not stored")


def _searched(entry: Entry) -> str:
    return entry.title or re.sub(r"https?://\S+|\S*10\.\d{4,9}/\S+|\bPM(?:C?ID)\W*\w+", " ", entry.text)


def _has_title(entry: Entry) -> bool:
    return sum(map(str.isalpha, _searched(entry))) >= _LEAST_TEXT


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(without_accents(text).casefold()))


def _likeness(entry: Entry, document: Document) -> float:
    """How much a stored title is like the words of an entry, 0 to 100."""
    title, named = _plain(document.title), _plain(entry.title or entry.text)
    if len(title) < _LEAST_TITLE or len(named) < len(title) // 2:
        return 0.0
    return fuzz.ratio(title, named) if entry.title else fuzz.partial_ratio(title, named)


def differs(entry: Entry, document: Document, name: str) -> str:
    """What of an entry is not that of a paper: its title, first author or year; empty if nothing is."""
    told = f"{_told(name)} is" if name else "the paper is"
    first = _plain(name_of(document.authors[0]).family) if document.authors else ""
    text = _plain(", ".join(entry.authors) or entry.text)
    signed = bool(first) and first in text and entry.year is not None and entry.year == document.year
    title, named = _plain(document.title), _plain(entry.title or entry.text)
    shortened = signed and fuzz.token_set_ratio(title, named) >= _SHORTENED
    if _has_title(entry) and title and _likeness(entry, document) < _NEAR_TITLE and not shortened:
        return f"{told} “{document.title}”, which the entry does not name"
    if first and _names_authors(entry, document) and first not in text:
        return f"{told} by {document.authors[0]}, whom the entry does not name"
    if entry.year and document.year and abs(entry.year - document.year) > _NEAR_YEARS:
        return f"{told} of {document.year}, and the entry says {entry.year}"
    return ""


def _names_authors(entry: Entry, document: Document) -> bool:
    """Whether an entry names authors: words stand before its title."""
    if entry.authors or not document.title:
        return bool(entry.authors)
    place = fuzz.partial_ratio_alignment(_plain(document.title), _plain(entry.text))
    return place is not None and place.dest_start > 3


def _told(name: str) -> str:
    kind, _, value = name.partition(":")
    return {"pmid": f"PMID {value}", "doi": f"DOI {value}"}.get(kind, value)


def entry_of_id(name: str) -> Entry:
    """The entry of a paper that a text names by its id alone."""
    return Entry("", _told(name), (name,))


def is_id(key: str) -> bool:
    """Whether the key of a mark is the id of a paper: `pmid:1`."""
    return key.partition(":")[0] in KINDS and ":" in key


def is_by(work: AuthorYear, one: Joined) -> bool:
    """Whether an entry is the work that a text names by authors and year, as its paper has them or as it is written."""
    if one.documents and not one.wrong:
        return work.is_of(one.documents[0])
    near = one.entry.year is None or work.year is None or abs(one.entry.year - work.year) <= _NEAR_YEARS
    begins = _plain(", ".join(one.entry.authors) or one.entry.text)
    return near and any(begins.startswith(_plain(author)) for author in work.authors)
