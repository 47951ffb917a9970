"""What each surface of a server shows of one answer: its citations, and how it marks a source that is retracted.

Used by the tests with a small corpus, and by `benchmarks/citations.py` and `benchmarks/retractions.py` with real ones.
"""

import html
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from medground.language.clean import clean

Citation = tuple[str, int, int, str]
"""Document, start, end, quote: what must be the same everywhere."""
Quoted = tuple[str, str]
"""Document and quote, without white space: all that a list of references holds of a citation."""

PAGES = ("markdown", "html", "docx", "pdf")
REFERENCES = ("ris", "bibtex", "csl-json")


class Reply(Protocol):
    """A response of httpx2 or of its test client."""

    status_code: int
    content: bytes

    @property
    def text(self) -> str: ...
    def json(self) -> Any: ...


class Client(Protocol):
    """A client of httpx2, or FastAPI's test client."""

    def get(self, url: str) -> Reply: ...
    def post(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None) -> Reply: ...


class SurfaceFailed(Exception):
    """A surface gave an error instead of an answer."""


def _good(reply: Reply) -> Reply:
    if reply.status_code >= 300:
        raise SurfaceFailed(f"{reply.status_code}: {reply.text[:300]}")
    return reply


def asked(client: Client, question: str, **more: Any) -> dict[str, Any]:
    """The answer as JSON of `POST /v1/ask`."""
    found: dict[str, Any] = _good(client.post("/v1/ask", json={"question": question, **more})).json()
    return found


def events(client: Client, question: str, **more: Any) -> list[dict[str, Any]]:
    """The events of `POST /v1/ask`, as JSON."""
    reply = _good(client.post("/v1/ask", json={"question": question, **more}, headers={"Accept": "text/event-stream"}))
    return list(sent(reply.text))


def sent(stream: str) -> Iterator[dict[str, Any]]:
    """The JSON of each event of a stream."""
    for block in re.split(r"\r?\n\r?\n", stream):
        data = [line.removeprefix("data:").strip() for line in block.splitlines() if line.startswith("data:")]
        if data and data != ["[DONE]"]:
            yield json.loads("\n".join(data))


def chat(client: Client, question: str, model: str = "ground", **more: Any) -> dict[str, Any]:
    """The completion of a question."""
    body = {"model": model, "messages": [{"role": "user", "content": question}], **more}
    found: dict[str, Any] = _good(client.post("/v1/chat/completions", json=body)).json()
    return found


def streamed(client: Client, question: str, model: str = "ground", **more: Any) -> dict[str, Any]:
    """The message of a streamed completion, put together from its deltas."""
    body = {"model": model, "messages": [{"role": "user", "content": question}], "stream": True, **more}
    content, annotations = "", []
    for chunk in sent(_good(client.post("/v1/chat/completions", json=body)).text):
        for choice in chunk["choices"]:
            content += choice["delta"].get("content") or ""
            annotations += choice["delta"].get("annotations") or []
    return {"content": content, "annotations": annotations}


def kept(client: Client, trace_id: str) -> dict[str, Any]:
    """An answer after a reload."""
    found: dict[str, Any] = _good(client.get(f"/v1/answers/{trace_id}")).json()
    return found


def view(client: Client, trace_id: str) -> dict[str, Any]:
    """An answer as the page shows it."""
    found: dict[str, Any] = _good(client.get(f"/v1/answers/{trace_id}/view")).json()
    return found


def exported(client: Client, trace_id: str, form: str) -> str:
    """The text of an export; empty where the answer quotes nothing, so that there is no reference to export."""
    reply = client.get(f"/v1/answers/{trace_id}/export?format={form}")
    if form in REFERENCES and reply.status_code == 422:
        return ""
    content = _good(reply).content
    return TEXTS.get(form, lambda raw: raw.decode())(content)


def of_answer(answer: Mapping[str, Any]) -> set[Citation]:
    """The citations of an answer."""
    return {(one["document_id"], one["start"], one["end"], one["quote"]) for one in answer["evidence"]}


def shown(citations: set[Citation]) -> set[Citation]:
    """Citations as a view shows them: with a space for each character that nobody can see."""
    return {(document_id, start, end, clean(quoted)) for document_id, start, end, quoted in citations}


def of_message(message: Mapping[str, Any]) -> set[Citation]:
    """The citations of a message of a chat.

    Raises:
        SurfaceFailed: an annotation does not stand where its mark is, or its parts say different things.
    """
    found = set()
    for one in message["annotations"]:
        cited, place = one["citation"], one["url_citation"]
        if message["content"][place["start_index"] : place["end_index"]] != f"[{cited['evidence_id']}]":
            raise SurfaceFailed(f"an annotation is not at its mark: {one}")
        if place["content"] != clean(cited["quote"]):
            raise SurfaceFailed(f"an annotation has two quotes: {one}")
        found.add((cited["document_id"], cited["start"], cited["end"], cited["quote"]))
    return found


def in_documents(client: Client, citations: set[Citation]) -> list[Citation]:
    """The citations whose quote is not in its document at its place."""
    wrong = []
    for document_id, start, end, quoted in citations:
        document = _good(client.get(f"/v1/documents/{quote(document_id, safe=':')}")).json()
        if document["text"][start:end] != quoted:
            wrong.append((document_id, start, end, quoted))
    return wrong


def not_quoted(text: str, citations: set[Citation]) -> list[Citation]:
    """The citations whose quote is not in the text of an export, compared without white space and marks of Markdown."""
    page = solid(text)
    return [one for one in citations if solid(one[3]) not in page]


def solid(text: str) -> str:
    """Text without what a format adds or takes: escapes, entities, white space, hyphens, typographic forms."""
    plain = unicodedata.normalize("NFKC", html.unescape(text))
    return re.sub(r"[\\\s\u00ad\u2010-\u2015-]+|[{}\ufffe]|textbackslash|textbrace(?:left|right)", "", plain).casefold()


def references(text: str, form: str) -> set[str]:
    """The ids of the documents of a list of references."""
    if form == "csl-json":
        return {item["id"] for item in json.loads(text or "[]")}
    return set(re.findall(r"^ID  - (.*?)\s*$", text, re.MULTILINE)) if form == "ris" else set()


def _of_docx(raw: bytes) -> str:
    from docx import Document

    return "\n".join(paragraph.text for paragraph in Document(io.BytesIO(raw)).paragraphs)


def _of_pdf(raw: bytes) -> str:
    import pypdfium2

    pages = pypdfium2.PdfDocument(raw)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in pages)
    finally:
        pages.close()


def _of_html(raw: bytes) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", raw.decode()))


TEXTS: Mapping[str, Callable[[bytes], str]] = {"docx": _of_docx, "pdf": _of_pdf, "html": _of_html}


def compared(client: Client, question: str, forms: Sequence[str] = PAGES, **more: Any) -> dict[str, int]:
    """Mismatches of one question by surface, and under `citations` how many there are.

    The answer as JSON is what the others are compared with. Messages of the chat and events are of runs of their own.
    """
    answer = asked(client, question, **more)
    own = of_answer(answer)
    name = answer["trace_id"]
    last = events(client, question, **more)[-1]
    found = {
        "citations": len(own),
        "event stream": len(of_answer(last["answer"]) ^ own),
        "reloaded": len(of_answer(kept(client, name)) ^ own),
        "view": len(of_answer(view(client, name)) ^ shown(own)),
        "chat": len(of_message(chat(client, question)["choices"][0]["message"]) ^ own),
        "chat, streamed": len(of_message(streamed(client, question)) ^ own),
        "documents": len(in_documents(client, own)),
    }
    for form in forms:
        found[form] = len(not_quoted(exported(client, name, form), own))
    for form in REFERENCES:
        text = exported(client, name, form)
        found[form] = len(not_quoted(text, own))
        if form != "bibtex":  # it has keys of its own
            found[form] += len(references(text, form) ^ {one[0] for one in own})
    return found


# Retractions


def marks_in_text(text: str, document_id: str) -> list[bool]:
    """Whether each place of a page that names a document also says, in the same entry, that it is retracted."""
    places = re.finditer(rf"{re.escape(document_id)}(?!\d)", text)
    return ["retracted" in _entry(text, place.start(), place.end()).casefold() for place in places]


def _entry(text: str, start: int, end: int) -> str:
    """The entry of a list around a place: from its number to the next one's, or to an empty line."""
    after = re.search(r"\n\s*\n|\n\s*\d+\.\s", text[end:])
    before = [found.end() for found in re.finditer(r"\n\s*\n|\n\s*\d+\.\s", text[:start])]
    return text[before[-1] if before else 0 : end + (after.start() if after else 400)]


def marks_in_json(value: Any, document_id: str) -> list[bool]:
    """Whether each record that stands for a document says that it is retracted; a plain list of ids is not a record.

    A record is the document itself, its entry in an answer or a view, a passage of it, or an annotation that cites it.
    """
    if isinstance(value, Mapping):
        found = [mark for part in value.values() for mark in marks_in_json(part, document_id)]
        own = value.get("id") == document_id and "title" in value
        passage = value.get("document_id") == document_id and "retraction" in value
        annotation = value.get("document_id") == document_id and "state" in value
        if own or passage or annotation:
            said = [value.get("retraction"), value.get("retraction_words"), value.get("state")]
            found.append(any("retracted" in str(word).casefold() for word in said))
        return found
    if isinstance(value, list):
        return [mark for part in value for mark in marks_in_json(part, document_id)]
    return []


def cites(value: Mapping[str, Any], document_id: str) -> bool:
    """Whether an answer quotes a document."""
    return any(one["document_id"] == document_id for one in value["evidence"])


def marked(client: Client, question: str, document_id: str, forms: Sequence[str] = PAGES) -> dict[str, list[bool]]:
    """By surface, whether each place that shows a document says that it is retracted."""
    answer = asked(client, question)
    name = answer["trace_id"]
    completion = chat(client, question)
    message = completion["choices"][0]["message"]
    stream = streamed(client, question)
    found = {
        "answer": marks_in_json(answer, document_id),
        "event stream": marks_in_json(events(client, question)[-1], document_id),
        "reloaded": marks_in_json(kept(client, name), document_id),
        "view": marks_in_json(view(client, name), document_id),
        "chat": marks_in_text(message["content"], document_id) + marks_in_json(completion, document_id),
        "chat, streamed": marks_in_text(stream["content"], document_id) + marks_in_json(stream, document_id),
        "search": marks_in_json(_good(client.post("/v1/search", json={"text": question})).json(), document_id),
        "verify": marks_in_json(_good(client.post("/v1/verify", json={"claim": question})).json(), document_id),
        "document": marks_in_json(
            _good(client.get(f"/v1/documents/{quote(document_id, safe=':')}")).json(), document_id
        ),
    }
    for form in (*forms, *REFERENCES):
        text = exported(client, name, form)
        found[form] = (
            marks_in_json(json.loads(text or "[]"), document_id)
            if form == "csl-json"
            else marks_in_text(text, document_id)
        )
    return found
