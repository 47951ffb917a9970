"""E-utilities responses as typed values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from medground.fetching.faults import Fault
from medground.pubmed.eutils_faults import service_fault
from medground.pubmed.eutils_xml import number, read_tree, text, texts, words

_ABOUT_ONE_ID = re.compile(r"\buid\b|\bid(s| list)? ", re.IGNORECASE)
_NO_SUCH_ID = re.compile(r"\buid\b|cannot get document summary", re.IGNORECASE)


@dataclass(frozen=True)
class History:
    """A result that the service stores for some hours, identified by `WebEnv` and `query_key`."""

    web_env: str
    query_key: int


@dataclass(frozen=True)
class SearchResult:
    """The result of esearch.

    Attributes:
        count: number of matching records.
        ids: the requested IDs, in order.
        translation: how the service interpreted the query.
        translations: words in the query and the terms they were mapped to.
        not_found: phrases in the query that match no record.
        warnings: other messages from the service.
        history: where the service stores the whole result, if requested.
    """

    count: int
    ids: tuple[str, ...]
    translation: str
    translations: tuple[tuple[str, str], ...] = ()
    not_found: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    history: History | None = None


@dataclass(frozen=True)
class Summary:
    """Metadata of one record, without its abstract. `date` is as printed in the record, such as `2001 Jun`."""

    id: str
    title: str
    journal: str
    date: str
    authors: tuple[str, ...]
    publication_types: tuple[str, ...]
    languages: tuple[str, ...]
    identifiers: dict[str, str]
    has_abstract: bool


@dataclass(frozen=True)
class Links:
    """IDs in a database linked to the source IDs, under a link name such as `pubmed_pubmed`."""

    source_ids: tuple[str, ...]
    name: str
    database: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class DatabaseInfo:
    """A database of the service. `fields` maps search field names to their full names."""

    name: str
    description: str
    count: int
    last_update: str
    fields: dict[str, str]


@dataclass(frozen=True)
class Posted:
    """Where the service stored the posted IDs, and any IDs it rejected."""

    history: History
    invalid: tuple[str, ...] = ()


def read_search(path: Path) -> SearchResult:
    """Parse an esearch response."""
    tree = read_tree(path, "eSearchResult")
    lists = [tree.find(name) for name in ("ErrorList", "WarningList")]
    messages = [child for found in lists if found is not None for child in found]
    not_found = ("PhraseNotFound", "QuotedPhraseNotFound")
    return SearchResult(
        count=number(tree, "Count"),
        ids=texts(tree.iterfind("IdList/Id")),
        translation=text(tree, "QueryTranslation"),
        translations=tuple((text(t, "From"), text(t, "To")) for t in tree.iterfind("TranslationSet/Translation")),
        not_found=texts(child for child in messages if child.tag in not_found),
        warnings=tuple(f"{_readable(child.tag)}: {words(child)}" for child in messages if child.tag not in not_found),
        history=_history(tree),
    )


def read_count(path: Path) -> int:
    """Parse an esearch response to rettype=count."""
    return number(read_tree(path, "eSearchResult"), "Count")


def read_post(path: Path) -> Posted:
    """Parse an epost response. Unknown IDs are not an error as long as some were stored."""
    tree = read_tree(path, "ePostResult", tolerated=_ABOUT_ONE_ID)
    history = _history(tree)
    if history is None:
        errors = texts(tree.iter("ERROR"))
        raise service_fault(errors[0]) if errors else Fault("the response has no WebEnv")
    return Posted(history, texts(tree.iterfind("InvalidIdList/Id")))


def read_summaries(path: Path) -> dict[str, Summary]:
    """Parse an esummary response (version 1) into summaries by ID. Unknown IDs are omitted."""
    tree = read_tree(path, "eSummaryResult", tolerated=_NO_SUCH_ID)
    return {summary.id: summary for summary in map(_summary, tree.iterfind("DocSum"))}


def read_links(path: Path) -> tuple[Links, ...]:
    """Parse an elink response to cmd=neighbor."""
    tree = read_tree(path, "eLinkResult")
    return tuple(
        Links(texts(group.iterfind("IdList/Id")), text(links, "LinkName"), text(links, "DbTo"), _linked(links))
        for group in tree.iterfind("LinkSet")
        for links in group.iterfind("LinkSetDb")
    )


def read_database(path: Path) -> DatabaseInfo:
    """Parse an einfo response about one database."""
    tree = read_tree(path, "eInfoResult").find("DbInfo")
    if tree is None:
        raise Fault("the response does not describe a database")
    return DatabaseInfo(
        name=text(tree, "DbName"),
        description=text(tree, "Description"),
        count=number(tree, "Count"),
        last_update=text(tree, "LastUpdate"),
        fields={text(field, "Name"): text(field, "FullName") for field in tree.iterfind("FieldList/Field")},
    )


def read_databases(path: Path) -> tuple[str, ...]:
    """Parse an einfo response that lists all databases."""
    return texts(read_tree(path, "eInfoResult").iterfind("DbList/DbName"))


def read_spelling(path: Path) -> str | None:
    """Parse an espell response: the corrected query, or None if there is nothing to correct."""
    return text(read_tree(path, "eSpellResult"), "CorrectedQuery") or None


def _history(tree: etree._Element) -> History | None:
    web_env = text(tree, "WebEnv")
    return History(web_env, number(tree, "QueryKey")) if web_env else None


def _linked(links: etree._Element) -> tuple[str, ...]:
    return texts(links.iterfind("Link/Id"))


def _summary(record: etree._Element) -> Summary:
    items = {item.get("Name", ""): item for item in record.iterfind("Item")}

    def one(name: str) -> str:
        return words(items[name]) if name in items else ""

    def many(name: str) -> tuple[str, ...]:
        return texts(items[name]) if name in items else ()

    others = items.get("ArticleIds")
    return Summary(
        id=text(record, "Id"),
        title=one("Title"),
        journal=one("FullJournalName") or one("Source"),
        date=one("PubDate") or one("EPubDate"),
        authors=many("AuthorList"),
        publication_types=many("PubTypeList"),
        languages=many("LangList"),
        identifiers={} if others is None else {item.get("Name", ""): words(item) for item in others if words(item)},
        has_abstract=one("HasAbstract") == "1",
    )


def _readable(tag: str) -> str:
    """Turn `PhraseIgnored` into `phrase ignored`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tag).lower()
