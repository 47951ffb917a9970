"""`search`, `fetch` and `get_document`: passages, and the stored text of documents, to which all offsets refer."""

from medground.answering.captions import in_pubmed
from medground.answering.conclude.compose import source_document
from medground.errors import MedgroundError, NotFound
from medground.faces.mcp.answers import fields_of, note_part, search_part, shown_as, source_of
from medground.faces.mcp.ask import filters_of
from medground.faces.mcp.catalogue import FIND
from medground.faces.mcp.outputs import Found
from medground.faces.mcp.pages import NAME, RETRACTION, WORDS, Fence, Part, Result, headed, line
from medground.faces.mcp.tool import Call, Documents, Fetch, Search
from medground.language.clean import some
from medground.values.document import Document, Passage
from medground.wording.view import document_view, search_view


async def search(call: Call, value: Search) -> Result:
    """The passages that were found, best first; a search that failed is reported as such."""
    found = await call.service.search(
        value.query,
        call.person,
        limit=value.limit,
        filters=filters_of(value),
        corpora=value.corpora,
        sources=value.sources,
    )
    fence = call.fence
    notice = found.notice.sentence if found.notice else None
    said = "Nothing was searched." if found.notice and found.notice.stops else some(len(found.hits), "passage") + "."
    parts = [
        *(_passage(hit.passage, fence) for hit in found.hits),
        *(search_part(search_view(search), fence) for search in found.searches),
        *(note_part(note, fence) for note in found.notes),
    ]
    return headed(notice, fence, said, parts, results=[])


def _passage(passage: Passage, fence: Fence) -> Part:
    title, url = line(passage.title, NAME) or passage.document_id, url_of(passage.document_id)
    value = shown_as(Found, passage, id=passage.document_id, quote=passage.text, title=title, url=url)
    return Part("results", fields_of(value), fence.words("passage"), cut="quote")


def url_of(document_id: str) -> str:
    """Where a record of PubMed can be read; for others their id as an address of our own, which nothing opens."""
    return in_pubmed(document_id) or f"medground:{document_id}"


_MOST = 8_000_000
"""Characters of text that one call reads; further documents of a batch are refused."""
_AUTHORS, _IDENTIFIERS, _SECTIONS = 20, 20, 100


async def fetch(call: Call, value: Fetch) -> Result:
    document = await (_whole(call, value.id) if value.full_text else call.service.document(value.id, call.person))
    source = source_of(document_view(source_document(document, "")))
    metadata = fields_of(source) | {
        "authors": [line(name, NAME) for name in document.authors[:_AUTHORS]],
        "licence": line(document.license or "", NAME),
        "identifiers": {line(k, 40): line(v, NAME) for k, v in list(document.identifiers.items())[:_IDENTIFIERS]},
    }
    known = {name: value for name, value in metadata.items() if value != "" and name not in ("id", "title", "url")}
    head = {"id": document.id, "title": source.title, "url": source.url or url_of(document.id), "metadata": known}
    mark = RETRACTION[document.retraction]
    named = f"{document.id}{f': {mark}' if mark else ''}"
    words = f"{named}\n{call.fence.rule}\n{call.fence('title', source.title)}"
    fields = {"start": 0, "end": len(document.text), "text": document.text}
    text = Part("text", fields, call.fence.words("text"), cut="text", joins=True)
    return Result(head=head, words=words, parts=(text,))


async def get_document(call: Call, value: Documents) -> Result:
    parts: list[Part] = []
    read = 0
    for document_id in dict.fromkeys(value.ids):
        call.words = f"reading {document_id[:80]}"
        if read > _MOST:
            parts.append(_without(document_id, "failed", "text limit of the call reached", "Ask for it alone.", call))
            continue
        try:
            document = await call.service.document(document_id, call.person)
        except NotFound as error:
            parts.append(_without(document_id, "not found", error.told("server"), FIND, call))
        except MedgroundError as error:
            problem = call.service.problem(error)
            parts.append(_without(document_id, "failed", problem.detail, problem.next, call))
        else:
            read += len(document.text)
            parts.append(_piece(document, call.fence))
    found = sum(1 for part in parts if part.cut)
    words = f"{found} of {some(len(parts), 'document')} found.\n{call.fence.rule}"
    return Result(head={"documents": []}, words=words, parts=parts)


def _piece(document: Document, fence: Fence) -> Part:
    source, end = source_of(document_view(source_document(document, ""))), len(document.text)
    parts = document.sections[:_SECTIONS]
    sections = [{"label": line(part.label, NAME), "start": part.start, "end": part.end} for part in parts]
    fields = {"status": "found", **fields_of(source), "start": 0, "end": end, "text": document.text}
    fields |= {"sections": sections} if sections else {}
    once = ("title", "year", "journal", "design", "retraction_words", "url", "sections")
    return Part("documents", fields, fence.words("piece"), cut="text", once=once)


async def _whole(call: Call, paper: str) -> Document:
    """The full text of a paper that is open; where only its place is known, that is the text."""
    found = await call.service.use(lambda engine: engine.full_text(paper), call.person)
    if found.document:
        return found.document
    if not found.url:
        raise NotFound(f"no open full text: {'; '.join(found.routes)}")
    said = f"The full text is open at {found.url} (licence: {found.license or 'not stated'})."
    return Document(id="PLACE:full-text", title=paper, text=said, **found.model_dump(exclude={"document", "routes"}))


def _without(document_id: str, status: str, error: str, next_step: str, call: Call) -> Part:
    value = {"status": status, "error": line(error, WORDS), "next": next_step, "id": document_id}
    return Part("documents", value, call.fence.words("no_document"))
