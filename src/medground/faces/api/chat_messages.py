"""What a client of the chat endpoint sends and gets: messages, completions, chunks and errors in the form of OpenAI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from medground.errors import UsageError
from medground.faces.service.request import Asked, Given, Name
from medground.values.document import DocumentId, Frozen
from medground.wording.markup import kept_as

_Empty = Annotated[tuple[Any, ...], Field(max_length=0)]
_One = Annotated[float, Field(ge=1, le=1)]
_Zero = Annotated[float, Field(ge=0, le=0)]
MOST_CHARACTERS = 200_000
"""Of one message: earlier answers come back whole."""


class ChatFailure(UsageError):
    """A chat request that cannot be honoured; `param` is the parameter at fault and `code` OpenAI's word for it."""

    def __init__(self, said: str, *, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        self.param = param
        self.code = code
        self.status = status
        super().__init__(said)


class TextPart(Frozen):
    """A part of a message. Images, audio and files are not read."""

    type: Literal["text"]
    text: str = Field(max_length=MOST_CHARACTERS)


_Text = Annotated[str, Field(max_length=MOST_CHARACTERS)] | Annotated[tuple[TextPart, ...], Field(max_length=100)]


class InstructionMessage(Frozen):
    """Instructions to the model. Only an empty message is taken: an answer follows its recipe."""

    role: Literal["system", "developer"]
    content: _Text


class UserMessage(Frozen):
    """What the user says; the last one is the question."""

    role: Literal["user"]
    content: _Text


class AssistantMessage(Frozen):
    """An earlier answer, as it was received. Its annotations may come back too, and are not read."""

    role: Literal["assistant"]
    content: _Text | None = None
    annotations: Annotated[tuple[Any, ...], Field(max_length=1_000)] | None = None
    refusal: None = None
    audio: None = None
    function_call: None = None
    tool_calls: _Empty | None = None


Message = Annotated[InstructionMessage | UserMessage | AssistantMessage, Field(discriminator="role")]


class StreamOptions(Frozen):
    """Of a stream: whether its last chunk tells what the answer cost."""

    include_usage: bool | None = None


class TextFormat(Frozen):
    """The only form of an answer."""

    type: Literal["text"]


class Own(Given):
    """What an answer of Medground can be given beside the question; as for `POST /v1/ask`."""

    language_model: Name | None = Field(default=None, description="one of the language models that the server offers")


class Defaults(Frozen):
    """Parameters of OpenAI that are taken with their default, for clients that always send them."""

    n: Literal[1] | None = None
    temperature: _One | None = None
    top_p: _One | None = None
    presence_penalty: _Zero | None = None
    frequency_penalty: _Zero | None = None
    logprobs: Literal[False] | None = None
    store: Literal[False] | None = None
    stop: None = None
    tools: _Empty | None = None
    tool_choice: Literal["none", "auto"] | None = None
    response_format: TextFormat | None = None
    modalities: tuple[Literal["text"]] | None = None
    service_tier: Literal["auto", "default"] | None = None


ONLY_DEFAULT = frozenset(Defaults.model_fields)


class ChatRequest(Defaults):
    """A request for a chat completion. Of `ONLY_DEFAULT` no other value is taken."""

    model: str = Field(min_length=1, max_length=100, description="a recipe, as `GET /v1/models` lists them")
    messages: tuple[Message, ...] = Field(min_length=1, max_length=1_000)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    medground: Own = Own()
    user: Annotated[str, Field(max_length=1_000)] | None = Field(default=None, description="accepted and ignored")
    safety_identifier: Annotated[str, Field(max_length=1_000)] | None = Field(
        default=None, description="accepted and ignored"
    )

    @property
    def with_usage(self) -> bool:
        """Whether the last chunk of a stream tells what the answer cost."""
        return bool(self.stream_options and self.stream_options.include_usage)


def check(request: ChatRequest) -> None:
    """Refuse instructions, a last message that is not the user's, and `stream_options` that stand alone."""
    for number, message in enumerate(request.messages):
        if isinstance(message, InstructionMessage) and text_of(message.content).strip():
            raise ChatFailure(
                f"A {message.role} message is not supported: an answer follows its recipe alone. Leave it out; give a "
                "case or a passage that the question is about as medground.context.",
                param=f"messages[{number}]",
                code="unsupported_value",
            )
    if not isinstance(request.messages[-1], UserMessage):
        raise ChatFailure("The last message must be the user's: it is the question.", param="messages")
    if request.stream_options is not None and not request.stream:
        raise ChatFailure("The parameter 'stream_options' needs 'stream': true.", param="stream_options")


def text_of(content: str | tuple[TextPart, ...] | None) -> str:
    """The text of a message."""
    return content if isinstance(content, str) else "\n".join(part.text for part in content or ())


def earlier_answer(request: ChatRequest) -> str | None:
    """The trace id of the last answer of the conversation that an earlier message shows; None where none does."""
    answers = (text_of(one.content) for one in reversed(request.messages) if isinstance(one, AssistantMessage))
    return next(filter(None, map(kept_as, answers)), None)


def has_earlier(request: ChatRequest) -> bool:
    """Whether anything but instructions comes before the question."""
    return any(not isinstance(message, InstructionMessage) for message in request.messages[:-1])


def asked_by(request: ChatRequest, *, researches: bool, follow: str | None) -> Asked:
    """The question of a request, after the answer `follow`; `researches`: whether its recipe is one of research."""
    own = dict(request.medground)
    return Asked(
        kind="research" if researches else "ask",
        question=text_of(request.messages[-1].content),
        recipe=request.model,
        model=own.pop("language_model"),
        **{**own, "follow": follow},
    )


FinishReason = Literal["stop", "length"]


class UrlCitation(Frozen):
    """Where a source can be read, and where the message cites it: `content[start_index:end_index]` is the mark."""

    url: str
    title: str
    start_index: int
    end_index: int
    content: str = Field(description="the quote, with a space for each invisible character")


class CitedQuote(Frozen):
    """A citation as it is everywhere in Medground: `document.text[start:end] == quote`."""

    evidence_id: str
    document_id: DocumentId
    start: int
    end: int
    quote: str
    state: str = Field(default="", description="why the source must not be trusted, such as a retraction, or empty")


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
    """What a chunk adds to the message; apart from it (`reasoning_content`), what is written and not checked yet."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    reasoning_content: str | None = None
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
