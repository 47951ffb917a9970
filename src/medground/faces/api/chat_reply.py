"""What the chat endpoint sends back: completions, the chunks of a stream, models and errors, in OpenAI's form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal
from urllib.parse import quote

from pydantic import Field

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.language.clean import clean
from medground.values.answer import Answer, SourceDocument
from medground.values.document import DocumentId, Frozen
from medground.values.evidence import Evidence
from medground.wording.markdown import Mark, chat_pieces

FinishReason = Literal["stop", "length"]


class UrlCitation(Frozen):
    """Where a source can be read, and where the message cites it: `content[start_index:end_index]` is the mark."""

    url: str
    title: str
    start_index: int
    end_index: int
    content: str = Field(description="the quote, with a space for each character that nobody can see")


class CitedQuote(Frozen):
    """A citation as it is everywhere in Medground: `document.text[start:end] == quote`."""

    evidence_id: str
    document_id: DocumentId
    start: int
    end: int
    quote: str
    state: str = Field(default="", description="why the source must not be trusted, such as a retraction; else empty")


class Annotation(Frozen):
    """A citation mark of a message, with the quote that it stands for."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation
    citation: CitedQuote


class ReplyMessage(Frozen):
    """The message of a completion."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: tuple[Annotation, ...] = ()


class Usage(Frozen):
    """Tokens of language models; none where no model was asked."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Kept(Frozen):
    """The answer behind a message; `GET /v1/answers/{trace_id}` gives all of it."""

    trace_id: str
    status: str
    value: str | None


class Choice(Frozen):
    """The only choice of a completion."""

    index: Literal[0] = 0
    message: ReplyMessage
    logprobs: None = None
    finish_reason: FinishReason


class Completion(Frozen):
    """A whole answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: tuple[Choice, ...]
    usage: Usage
    medground: Kept


class Delta(Frozen):
    """What a chunk adds to the message."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    annotations: tuple[Annotation, ...] | None = None


class ChunkChoice(Frozen):
    """The only choice of a chunk."""

    index: Literal[0] = 0
    delta: Delta
    logprobs: None = None
    finish_reason: FinishReason | None = None


class Chunk(Frozen):
    """A part of a streamed answer."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: tuple[ChunkChoice, ...]
    usage: Usage | None = None
    medground: Kept | None = None


class Model(Frozen):
    """A recipe as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["medground"] = "medground"


class Models(Frozen):
    """All recipes."""

    object: Literal["list"] = "list"
    data: tuple[Model, ...]


class ErrorBody(Frozen):
    """What went wrong."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ErrorReply(Frozen):
    """An error, also as the last event of a stream that failed."""

    error: ErrorBody


def models_of(names: Sequence[str]) -> Models:
    """Recipes as models. They were not made at a time that matters, so `created` is 0."""
    return Models(data=tuple(Model(id=name, created=0) for name in names))


def completion(answer: Answer, *, id: str, base: str, not_read: bool = False) -> Completion:
    """An answer as a completion.

    Args:
        id: the id of the completion.
        base: the address of this server, ending with a slash: where a source that has no address of its own is read.
        not_read: whether to say that earlier messages were not read.
    """
    pieces = list(chat_pieces(answer, not_read=not_read))
    annotations = annotations_of(answer, [mark for piece in pieces for mark in piece.marks], base)
    message = ReplyMessage(content="".join(piece.text for piece in pieces), annotations=annotations)
    return Completion(
        id=id,
        created=int(answer.created.timestamp()),
        model=answer.recipe,
        choices=(Choice(message=message, finish_reason=finish_reason(answer)),),
        usage=usage_of(answer),
        medground=kept(answer),
    )


def deltas(answer: Answer, *, base: str, not_read: bool = False) -> Iterator[Delta]:
    """The parts of an answer in order; arguments as for `completion`."""
    for piece in chat_pieces(answer, not_read=not_read):
        yield Delta(content=piece.text, annotations=annotations_of(answer, piece.marks, base) or None)


def annotations_of(answer: Answer, marks: Sequence[Mark], base: str) -> tuple[Annotation, ...]:
    """The annotations of citation marks, in order."""
    evidence = {one.id: one for one in answer.evidence}
    documents = {one.id: one for one in answer.documents}
    found = ((mark, evidence[mark.evidence_id]) for mark in marks)
    return tuple(_annotation(mark, quoted, documents[quoted.document_id], base) for mark, quoted in found)


def usage_of(answer: Answer) -> Usage:
    """The tokens that an answer cost."""
    used = answer.usage
    return Usage(
        prompt_tokens=used.input_tokens,
        completion_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
    )


def kept(answer: Answer) -> Kept:
    """How to find the answer again, and its decision."""
    return Kept(trace_id=answer.trace_id, status=answer.decision.status, value=answer.decision.shown())


def finish_reason(answer: Answer) -> FinishReason:
    """`length` where a limit ended the work early."""
    return "length" if answer.stopped else "stop"


def _annotation(mark: Mark, quoted: Evidence, document: SourceDocument, base: str) -> Annotation:
    address = captions.address(document)
    own = f"{base}v1/documents/{quote(document.id, safe=':')}"
    title = " ".join(clean(document.title).split()) or document.id
    return Annotation(
        url_citation=UrlCitation(
            url=address if captions.is_web_address(address) else own,
            title=f"RETRACTED: {title}" if why_aside(document) == "retracted" else title,
            start_index=mark.start,
            end_index=mark.end,
            content=clean(quoted.quote),
        ),
        citation=CitedQuote(
            evidence_id=quoted.id,
            document_id=quoted.document_id,
            start=quoted.start,
            end=quoted.end,
            quote=quoted.quote,
            state=captions.state(document),
        ),
    )
