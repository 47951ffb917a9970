"""What a tool is: what it takes, its JSON schemas, its words for a model, and the function that does it."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Self, TypeVar, get_type_hints

from mcp_types import Tool as Listed
from mcp_types import ToolAnnotations
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from medground.faces.mcp.outputs import Paged
from medground.faces.mcp.pages import Fence, Page, Result
from medground.faces.service.job import Job
from medground.faces.service.service import Service
from medground.faces.service.values import Person
from medground.values.papers import Relation

MOST = 50
"""Most documents, claims or terms of one call."""


def _listed(value: Any) -> Any:
    """Some clients send a list as JSON text, or one entry without its list."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return [value] if isinstance(value, str) else value


def _batch(description: str, **more: Any) -> Any:
    return Field(min_length=1, max_length=MOST, description=f"{description} At most {MOST}.", **more)


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=240)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_listed)]
Year = Annotated[int, Field(ge=1000, le=2999)]


class Input(BaseModel):
    """Base of what tools take."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Searching(Input):
    """What is searched."""

    corpora: Names | None = None
    """Names of corpora; the server's own by default."""
    sources: Names | None = None
    """Of live sources, such as clinicaltrials."""
    year_from: Year | None = None
    year_to: Year | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.year_from is not None and self.year_to is not None and self.year_from > self.year_to:
            raise ValueError(f"year_from ({self.year_from}) is after year_to ({self.year_to})")
        return self


class Research(Searching):
    question: Text
    context: str = Field(default="", max_length=16_000)
    """A case or passage it is about. Never cited."""


class Ask(Research):
    options: Annotated[tuple[Text, ...], BeforeValidator(_listed)] = Field(default=(), max_length=26)
    """Choices of a choice question."""
    recipe: Name | None = None
    """How to answer; the server's own by default."""
    follow: Name | None = None
    """trace_id of the answer that this question follows."""


class Search(Searching):
    query: Text
    limit: int = Field(default=10, ge=1, le=MOST, description=f"Most passages, up to {MOST}.")


class Fetch(Input):
    id: Name
    """A document id from search, such as PMID:21645374."""
    full_text: bool = False
    """Its open full text, from PMC or elsewhere."""


class Documents(Input):
    ids: Names = _batch("Document ids, such as PMID:21645374.")


class Papers(Input):
    papers: Names = _batch("PMID, PMC id, DOI or citation: journal|year|volume|first page|author.")
    entities: bool = False
    """Genes, diseases, chemicals and variants they name."""


class Related(Input):
    paper: Name
    by: Relation = "similar"
    limit: int = Field(default=10, ge=1, le=MOST)


class Claims(Input):
    claims: Annotated[tuple[Text, ...], BeforeValidator(_listed)] = _batch(
        "Claims, a sentence or more each.", validation_alias=AliasChoices("claims", "claim")
    )


class TextToCheck(Input):
    text: str = Field(min_length=1, max_length=100_000)
    """With its references."""
    corpora: Names | None = None


class PlanQuery(Input):
    question: Text


class Terms(Input):
    terms: Names = _batch("Names, synonyms or ids.")


class Cursor(Input):
    cursor: Name


class JobId(Input):
    job: Name


_DROPPED = ("title", "default", "required", "minLength", "maxLength", "minimum", "minItems")
"""What a model does not need to know: names of types repeat those of fields, and a call without a value needs none.
Calls are still checked against the whole type."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a type, with its references resolved and without what models do not read."""
    whole = model.model_json_schema()
    definitions = whole.pop("$defs", {})
    short = _shortened(whole, definitions)
    required = whole.get("required", [])
    short.pop("description", None)  # that of the type; the tool has its own
    return {"type": "object", **short, **({"required": required} if required else {})}


def _shortened(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if (reference := schema.get("$ref")) is not None:
        named = {k: v for k, v in definitions[str(reference).rpartition("/")[2]].items() if k != "description"}
        return _shortened({**named, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions)
    if "anyOf" in schema:  # a value or null: fields without a value are left out
        kinds = [one for one in schema["anyOf"] if one.get("type") != "null"]
        if len(kinds) == 1:
            return _shortened({**kinds[0], **{k: v for k, v in schema.items() if k != "anyOf"}}, definitions)
    short: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED and not isinstance(value, dict):
            continue
        if key == "properties":
            short[key] = {name: _shortened(one, definitions) for name, one in value.items()}
        elif key == "items":
            if (entry := _shortened(value, definitions)) != {"type": "string"} or "description" in schema:
                short[key] = entry
        elif key == "additionalProperties":
            continue
        else:
            short[key] = value
    return short


I = TypeVar("I", bound=Input)  # noqa: E741


@dataclass
class Call:
    """One call of a tool: whose it is, and what it tells while it is at work.

    Attributes:
        words: the latest step in words.
        job: the job of the service that does the work, if there is one.
        fence: marks text of documents as data.
    """

    service: Service
    person: Person
    words: str = ""
    job: Job | None = None
    fence: Fence = field(default_factory=Fence)


@dataclass(frozen=True)
class Tool(Generic[I]):
    """A tool of the catalogue.

    Attributes:
        about: when to use it, for a model.
        output: the type behind its output schema.
        reads: it changes nothing that a user would miss.
        lasts: it may take long, and then goes on as a job.
        missing: the next step where what it was asked for is not there.
    """

    name: str
    about: str
    input: type[I]
    output: type[Paged]
    run: Callable[[Call, I], Awaitable[Result | Page]]
    reads: bool = True
    lasts: bool = True
    missing: str = ""

    @property
    def listed(self) -> Listed:
        """Its entry in `tools/list`."""
        hints: dict[str, Any] = {"read_only_hint": True} if self.reads else {"destructive_hint": False}
        return Listed(
            name=self.name,
            description=self.about,
            input_schema=schema_of(self.input),
            output_schema={**schema_of(self.output), "required": ["truncated"]},  # a job that goes on has no more
            annotations=ToolAnnotations(**hints),
        )


def tool(
    about: str, output: type[Paged], missing: str = ""
) -> Callable[[Callable[[Call, I], Awaitable[Result]]], Tool[I]]:
    """Make a function a tool of its name; the type of its argument `value` is what it takes."""

    def made(run: Callable[[Call, I], Awaitable[Result]]) -> Tool[I]:
        return Tool(run.__name__, about, get_type_hints(run)["value"], output, run, missing=missing)

    return made
