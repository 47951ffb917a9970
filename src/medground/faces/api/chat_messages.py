"""What a client of the chat endpoint sends and gets: messages, completions, chunks and errors in the form of OpenAI."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from medground.errors import UsageError
from medground.faces.api.chat_tasks import Form, Turn, question_in, reply_to
from medground.faces.service.request import AskBody, Given, Name
from medground.values.document import Described, DocumentId, Frozen
from medground.wording.markup import kept_as

MOST_CHARACTERS = 200_000
"""Of one message: earlier answers come back whole."""
_INSTRUCTIONS = ("system", "developer")
_NAME = re.compile(r"[A-Za-z0-9_]{1,60}")
_MOST_NAMES = 50
Longest = Annotated[int | None, Field(ge=1, description="at this many tokens, about, the message is cut")]


class ChatFailure(UsageError):
    """A chat request that cannot be honoured; `param` is the parameter at fault and `code` OpenAI's word for it."""

    def __init__(self, said: str, *, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        self.param = param
        self.code = code
        self.status = status
        super().__init__(said)


class Lenient(BaseModel, frozen=True, extra="ignore"):
    """What clients of OpenAI send: fields that are not known are not read."""


class TextPart(Lenient):
    """A part of a message. Images, audio and files are not read."""

    type: Literal["text", "input_text", "output_text"]
    text: str = Field(max_length=MOST_CHARACTERS)


Text = Annotated[str, Field(max_length=MOST_CHARACTERS)] | Annotated[tuple[TextPart, ...], Field(max_length=100)]


class Message(Lenient):
    """A message. The last one of the user is the question; of others, only the last answer is looked at."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | None = None


class StreamOptions(Lenient):
    """Of a stream: whether its last chunk tells what the answer cost."""

    include_usage: bool | None = None


class Own(Given):
    """What an answer of Medground can be given beside the question; as for `POST /v1/ask`."""

    language_model: Name | None = None
    """one of the language models that the server offers"""
    links: bool = False
    """end the message with its citations as a Markdown list of links"""


class Request(BaseModel, frozen=True, extra="allow", use_attribute_docstrings=True):
    """What requests of both APIs have. What has no effect is taken, and named in the header `Medground-Ignored`."""

    model: str = Field(min_length=1, max_length=100)
    """a recipe, as `GET /v1/models` lists them"""
    stream: bool | None = False
    medground: Own = Own()

    @property
    def ignored(self) -> str:
        """The parameters that are there and have no effect, as the header lists them."""
        sent = self.model_extra or {}
        named = (name for name, value in sent.items() if value not in (None, [], {}) and _NAME.fullmatch(name))
        return ", ".join(sorted(named)[:_MOST_NAMES])


class ChatRequest(Request):
    """A request for a chat completion."""

    messages: tuple[Message, ...] = Field(min_length=1, max_length=1_000)
    stream_options: StreamOptions | None = None
    max_tokens: Longest = None
    max_completion_tokens: Longest = None

    @property
    def longest(self) -> int | None:
        """Most tokens of the message."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def with_usage(self) -> bool:
        """Whether the last chunk of a stream tells what the answer cost."""
        return bool(self.stream_options and self.stream_options.include_usage)


def text_of(content: str | tuple[TextPart, ...] | None) -> str:
    """The text of a message."""
    return content if isinstance(content, str) else "\n".join(part.text for part in content or ())


class Talk:
    """A conversation, as far as it is read.

    Raises ChatFailure: the last message is not the user's.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        if not messages or messages[-1].role != "user":
            raise ChatFailure("The last message must be the user's: it is the question.", param="messages")
        *earlier, asked = messages
        self._message = text_of(asked.content)
        told = [one for one in earlier if one.role not in _INSTRUCTIONS]
        self._earlier = [Turn(one.role == "user", text_of(one.content)) for one in told]
        self.has_earlier = bool(told)
        """Whether anything but instructions comes before the question."""
        answers = (text_of(one.content) for one in reversed(told) if one.role == "assistant")
        self.earlier_answer = next(filter(None, map(kept_as, answers)), None)
        """The trace id of the last answer that an earlier message shows."""
        self._instructions = "\n\n".join(text_of(one.content) for one in earlier if one.role in _INSTRUCTIONS)

    def reply(self, form: Form) -> str | None:
        """The reply where the last message asks no question but orders something of the conversation, in this form."""
        return reply_to(self._instructions, self._earlier, self._message, form)

    def asked(self, request: Request, *, researches: bool, follow: str | None) -> AskBody:
        """Its question, after the answer `follow`; `researches`: whether its recipe is one of research."""
        own = dict(request.medground)
        own.pop("links")
        return AskBody(
            kind="research" if researches else "ask",
            question=question_in(self._message),
            recipe=request.model,
            model=own.pop("language_model"),
            **{**own, "follow": follow},
        )


FinishReason = Literal["stop", "length"]


class UrlCitation(Described):
    """Where a source can be read, and where the message cites it: `content[start_index:end_index]` is the mark."""

    url: str
    title: str
    start_index: int
    end_index: int
    content: str
    """the quote, with a space for each invisible character"""


class CitedQuote(Described):
    """A citation as it is everywhere in Medground: `document.text[start:end] == quote`."""

    evidence_id: str
    document_id: DocumentId
    start: int
    end: int
    quote: str
    state: str = ""
    """why the source must not be trusted, such as a retraction, or empty"""


class Annotation(Frozen):
    """A citation mark of a message, with the quote that it stands for."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation
    citation: CitedQuote

    def flat(self) -> dict[str, Any]:
        """As the Responses API has it."""
        return {"type": self.type, **self.url_citation.model_dump(), "citation": self.citation.model_dump()}


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
