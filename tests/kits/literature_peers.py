"""Literature services on loopback that answer in the forms that they publish, over documents of the test."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any
from xml.sax.saxutils import escape

from http_peer import Asked, Reply
from rows import tables

from medground.values.document import Document

TABLES = tables(__file__)
"""What a record says of every document."""

_TERM = re.compile(r'"([^"]*)"')
Service = Callable[[Asked], Reply]


def _matching(documents: Sequence[Document], query: str) -> list[Document]:
    """The documents that hold any of the quoted terms, those with most first."""
    terms = [term.casefold() for term in _TERM.findall(query)]
    texts = {d.id: f"{d.title} {d.text} {d.id.partition(':')[2]}".casefold() for d in documents}
    counted = [(sum(term in texts[d.id] for term in terms), d) for d in documents]
    return [d for n, d in sorted(counted, key=lambda one: -one[0]) if n]


def _json(content: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(content).encode(), status=status, type="application/json;charset=UTF-8")


def europepmc(documents: Sequence[Document], **more: Any) -> Service:
    """Europe PMC: `search`, resultType=core, format=json. `more` is added to each record."""

    def answer(asked: Asked) -> Reply:
        if asked.path != "/search" or asked.parameters["resultType"] != "core":
            return Reply(b"", status=404)
        found = _matching(documents, asked.parameters["query"])
        start = 0 if asked.parameters["cursorMark"] == "*" else int(asked.parameters["cursorMark"].removeprefix("AoE"))
        page = found[start : start + int(asked.parameters["pageSize"])]
        content = {
            "version": "6.9",
            "hitCount": len(found),
            "nextCursorMark": f"AoE{start + len(page)}",
            "request": {"queryString": asked.parameters["query"], "resultType": "core"},
            "resultList": {"result": [europepmc_record(document) | more for document in page]},
        }
        return _json(content)

    return answer


def europepmc_record(document: Document) -> dict[str, Any]:
    number = document.id.partition(":")[2]
    return TABLES["europepmc"] | {
        "id": number,
        "pmid": number,
        "title": f"<i>{escape(document.title)}</i>.",
        "pubYear": str(document.year or 2001),
        "abstractText": f"<h4>Background</h4>{escape(document.text)}",
        "firstPublicationDate": f"{document.year or 2001}-07-01",
    }


def eutils_pmc(documents: Sequence[Document]) -> Service:
    """The E-utilities with db=pmc: esearch and efetch. `PMID:1` is PMC1 there."""

    def answer(asked: Asked) -> Reply:
        if asked.parameters.get("db") != "pmc":
            return Reply(b"<eSearchResult><ERROR>Invalid db name specified</ERROR></eSearchResult>")
        if asked.path.endswith("esearch.fcgi"):
            found = _matching(documents, asked.parameters["term"])[: int(asked.parameters["retmax"])]
            ids = "".join(f"<Id>{d.id.partition(':')[2]}</Id>" for d in found)
            counts = f"<Count>{len(found)}</Count><RetMax>{len(found)}</RetMax><RetStart>0</RetStart>"
            return Reply(f"<eSearchResult>{counts}<IdList>{ids}</IdList></eSearchResult>".encode())
        wanted = asked.parameters["id"].split(",")
        articles = "".join(_article(d) for d in documents if d.id.partition(":")[2] in wanted)
        return Reply(f"<pmc-articleset>{articles}</pmc-articleset>".encode())

    return answer


def _article(document: Document) -> str:
    number = document.id.partition(":")[2]
    kind = "retracted-article" if document.retraction == "retracted" else "research-article"
    return (
        f'<article article-type="{kind}"><front><journal-meta><journal-title-group><journal-title>Heart</journal-title>'
        f'</journal-title-group></journal-meta><article-meta><article-id pub-id-type="pmc">{number}</article-id>'
        f'<article-id pub-id-type="pmid">{number}</article-id><title-group><article-title>{escape(document.title)}'
        f"</article-title></title-group><pub-date><year>{document.year or 2001}</year></pub-date>"
        f"<abstract><p>{escape(document.text)}</p></abstract></article-meta></front>"
        f"<body><sec><title>Methods</title><p>The charts of all patients were read twice.</p></sec></body></article>"
    )


def sciencedirect(documents: Sequence[Document], key: str, covered: bool = True) -> Service:
    """Elsevier's search (GET) and article retrieval; `covered`: the key is entitled to abstracts."""

    def answer(asked: Asked) -> Reply:
        if asked.headers.get("x-els-apikey") != key:
            error = {"statusCode": "AUTHENTICATION_ERROR", "statusText": "Invalid API Key"}
            return _json({"service-error": {"status": error}}, status=401)
        if asked.path.startswith("/content/article/doi/"):
            found = [d for d in documents if asked.path.endswith(_doi(d))]
            if not found or not covered:
                status = {"statusCode": "RESOURCE_NOT_FOUND", "statusText": "Resource not found."}
                return _json({"service-error": {"status": status}}, status=404 if not found else 403)
            return _json({"full-text-retrieval-response": {"coredata": _core(found[0])}})
        found = _matching(documents, asked.parameters["query"])
        start, count = int(asked.parameters["start"]), int(asked.parameters["count"])
        assert count in (10, 25, 50, 100)
        page: list[dict[str, Any]] = [_entry(d) for d in found[start : start + count]]
        results = {
            "opensearch:totalResults": str(len(found)),
            "opensearch:startIndex": str(start),
            "opensearch:itemsPerPage": str(len(page)),
            "entry": page or [{"@_fa": "true", "error": "Result set was empty"}],
        }
        return _json({"search-results": results})

    return answer


def _doi(document: Document) -> str:
    return f"10.1016/j.test.{document.id.partition(':')[2]}"


def _entry(document: Document) -> dict[str, Any]:
    return TABLES["entry"] | {
        "dc:identifier": f"DOI:{_doi(document)}",
        "prism:doi": _doi(document),
        "dc:title": document.title,
        "prism:coverDate": f"{document.year or 2001}-05-01",
        "pii": f"S00000000000{10000 + int(document.id.partition(':')[2])}",
    }


def _core(document: Document) -> dict[str, Any]:
    return TABLES["core"] | {
        "dc:identifier": f"doi:{_doi(document)}",
        "dc:title": f"\n {document.title} ",
        "dc:description": f"\n   Abstract\n {document.text}\n",
    }
