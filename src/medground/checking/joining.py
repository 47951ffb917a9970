"""Entries of a list of references joined with stored papers: by id, else by title, else by first author and year."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from medground.answering.run import Run
from medground.answering.verify.named import AuthorYear
from medground.checking.entries import Entry, years_in
from medground.corpus.retraction import marked
from medground.language.clean import without_accents
from medground.language.names import name_of
from medground.values.document import Document
from medground.values.identifiers import KINDS
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Term, all_of, any_of

_SAME_TITLE = 88
"""Least likeness, 0 to 100, of a stored title to the words of an entry that name the same paper."""
_NEAR_TITLE = 70
"""Least likeness of a title that was shortened or misspelled: below it, an id is that of another paper."""
_SHORTENED = 60
"""The same by words, where id, first author and year are those of the paper: people leave out half of a title."""
_NEAR_YEARS = 1
_MOST, _OF_AUTHOR = 8, 50
"""Papers that a search by the words of an entry returns, and one by its first author and year."""
_LEAST_TITLE = 12
_LEAST_TEXT = 30
"""Letters of an entry, beside its authors, journal and ids, that can hold a title."""
_LEAST_NAME = 4
"""Letters of a word that is a name and no initials, in front of an entry; one letter of it may be misspelt."""
_SAME_JOURNAL = 90
_WORD = re.compile(r"[^\W_]+")
_PERSON = re.compile(
    r"[^\W\d_a-z][\w'’-]{1,40}(?: [\w'’-]{1,40}){0,3}?,? (?:[^\W\d_a-z]\.?[ -]?){1,4}(?=[\s,.;&(]|$)|\bet\.? al\b"
)
_IDS = re.compile(
    r"(?i)https?://\S+|(?:\bdoi\W+)?\S*10\.\d{4,9}/\S+|\bpm(?:c?id|c)\W*\w+|\b(?:pubmed|doi|pm(?:c?id|c))\b"
)
_SENTENCE = re.compile(r"(?<=[^\W\d_]{2}[.?!”])\s+|(?<=\)[.,])\s+|[“”\"]")


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
    near = await _candidates(entry, run)
    fitting = [one for one in near if _likeness(entry, one) >= _SAME_TITLE]
    if not fitting:
        return _by_author(entry, near)
    kept = sorted(fitting, key=lambda one: (-_likeness(entry, one), -len(one.text)))
    known = {name.partition(":")[0]: name for name in kept[0].paper}
    false = next((name for name in entry.ids if known.get(name.partition(":")[0], name) != name), None)
    wrong = f"{_told(false)} is not this paper, which has {_told(known[false.partition(':')[0]])}" if false else ""
    return Joined(entry, tuple(kept), wrong or differs(entry, kept[0], ""))


async def _candidates(entry: Entry, run: Run) -> list[Document]:
    """Stored papers that an entry may be: by its words, by those of its longest part, and by first author and year."""
    searched = entry.title or _IDS.sub(" ", entry.text)
    parts = dict.fromkeys((searched, max(_SENTENCE.split(searched), key=len)))
    lookups = [Lookup.words(part) for part in parts if sum(map(str.isalpha, part)) >= _LEAST_TEXT]
    names, years = _leading(entry), {year + near for year in years_in(entry.text) for near in (-1, 0, 1)}
    if names and years:
        by = [[Term(value=word, field="first_author") for word in names]]
        by += [[Term(value=str(year), field="year") for year in sorted(years)]]
        sources = tuple(source.name for source in run.sources if source.state is not None)
        how = {"sources": sources, "rankers": (Ranker.LEXICAL,), "limit": _OF_AUTHOR, "shown": "references"}
        lookups += [Lookup(asked=all_of([any_of(terms) for terms in by]), **how)] if sources else []
    found = await asyncio.gather(*(_ids(lookup, run) for lookup in lookups))
    ids = [name for one, names in zip(lookups, found, strict=True) for name in names[: one.limit or _MOST]]
    return await _documents(list(dict.fromkeys(ids)), run)


def _by_author(entry: Entry, near: Sequence[Document]) -> Joined:
    """An entry without a title joined by its first author and year, where only one paper has these."""
    years = years_in(entry.text)
    found = [one for one in near if one.year and years and _is_first(entry, one)]
    found = [one for one in found if not _names_title(entry, one) and not differs(entry, one, "")]
    found = [one for one in found if one.year in years] or found
    found = [one for one in found if _in(entry, one)] or found
    if any(set(one.paper).isdisjoint(found[0].paper) for one in found):
        several = ", ".join(one.id for one in found)
        return Joined(entry, reason=f"several stored papers have this author and year: {several}")
    kept = tuple(sorted(found, key=lambda one: -len(one.text)))
    return Joined(entry, kept, reason="joined by first author and year alone" if kept else "the paper is not stored")


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(without_accents(text).casefold()))


def _likeness(entry: Entry, document: Document) -> float:
    """How much a stored title, or what stands before its colon, is like the words of an entry, 0 to 100."""
    named = _plain(entry.title or entry.text)
    whole, before = _plain(document.title), _plain(document.title.partition(":")[0])
    titles = (whole, before) if len(before) >= _LEAST_TEXT else (whole,)  # two words before a colon name no paper
    alike = fuzz.ratio if entry.title else fuzz.partial_ratio
    likely = (title for title in titles if len(title) >= _LEAST_TITLE and len(named) >= len(title) // 2)
    return max((alike(title, named) for title in likely), default=0.0)


def _in(entry: Entry, document: Document) -> bool:
    journal = _plain(document.journal or "")
    return bool(journal) and fuzz.partial_ratio(journal, _plain(entry.text)) >= _SAME_JOURNAL


def _names_title(entry: Entry, document: Document) -> bool:
    """Whether an entry has words that are a title: more than its authors, ids, numbers and the paper's journal."""
    rest = _plain(_PERSON.sub(" ", _IDS.sub(" ", entry.text)))
    place = fuzz.partial_ratio_alignment(_plain(document.journal or ""), rest, score_cutoff=_SAME_JOURNAL)
    rest = rest[: place.dest_start] + rest[place.dest_end :] if place and document.journal else rest
    return bool(entry.title) or sum(map(str.isalpha, rest)) >= _LEAST_TEXT


def differs(entry: Entry, document: Document, name: str) -> str:
    """What of an entry is not that of a paper: its title, first author or year; empty if nothing is."""
    told, years = f"{_told(name)} is" if name else "the paper is", years_in(entry.text)
    title, named = _plain(document.title), _plain(entry.title or entry.text)
    is_first = _is_first(entry, document)
    shortened = is_first and document.year in years and fuzz.token_set_ratio(title, named) >= _SHORTENED
    alike = _likeness(entry, document) >= _NEAR_TITLE
    if title and not alike and not shortened and _names_title(entry, document):
        return f"{told} “{document.title}”, which the entry does not name"
    if is_first is False:
        return f"{told} by {document.authors[0]}, whom the entry does not name first"
    if years and document.year and all(abs(year - document.year) > _NEAR_YEARS for year in years):
        return f"{told} of {document.year}, and the entry says {entry.year}"
    return ""


def _is_first(entry: Entry, document: Document) -> bool | None:
    """Whether an entry names the first author of a paper first; None where one of them names nobody."""
    if not document.authors or not _leading(entry):
        return None
    written, title = _plain(entry.text), _plain(document.title)
    place = fuzz.partial_ratio_alignment(title, written, score_cutoff=_NEAR_TITLE) if title else None
    if not entry.authors and place and place.dest_start <= _LEAST_NAME - 1:
        return None
    family = _plain(name_of(document.authors[0]).family).split()
    return any(_is_slip(word, own) for word in _leading(entry) for own in family)


def _is_slip(word: str, own: str) -> bool:
    return OSA.distance(word, own) <= (len(own) >= _LEAST_NAME - 1)


def _leading(entry: Entry) -> list[str]:
    """The words with which an entry begins, to the first that is a name and no initials."""
    text = _WORD.findall(without_accents(entry.authors[0] if entry.authors else _IDS.sub(" ", entry.text)))
    short = list(takewhile(lambda word: len(word) < _LEAST_NAME + word.isupper(), text))
    return [word.casefold() for word in text[: len(short) + 1] if not word.isdigit()][: _LEAST_NAME + 1]


def _told(name: str) -> str:
    kind, _, value = name.partition(":")
    return {"pmid": f"PMID {value}", "doi": f"DOI {value}"}.get(kind, value)


def entry_of_id(name: str) -> Entry:
    """The entry of a paper that a text names by its id alone."""
    return Entry("", _told(name), (name,))


def is_id(key: str) -> bool:
    """Whether the key of a mark is the id of a paper: `pmid:1`."""
    return key.partition(":")[0] in KINDS and ":" in key


def entry_of_work(work: AuthorYear) -> Entry:
    """The entry of a paper that a text names by authors and year, and lists nowhere."""
    return Entry("", f"{work.authors[0]}, {work.year}", authors=work.authors[:1], year=work.year)


def is_by(work: AuthorYear, one: Joined) -> bool:
    """Whether an entry is the work that a text names by authors and year, as its paper has them or as it is written."""
    if one.documents and not one.wrong:
        return work.is_of(one.documents[0])
    near = one.entry.year is None or work.year is None or abs(one.entry.year - work.year) <= _NEAR_YEARS
    begins = _plain(", ".join(one.entry.authors) or one.entry.text)
    return near and any(begins.startswith(_plain(author)) for author in work.authors)
