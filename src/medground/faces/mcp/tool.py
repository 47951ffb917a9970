"""What a tool is: what it takes, its JSON schemas, its words for a model, and where the function is that does it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Self

from mcp_types import Tool as Listed
from mcp_types import ToolAnnotations
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, StringConstraints, model_validator
from pydantic.json_schema import GenerateJsonSchema

from medground.faces.mcp.outputs import Paged
from medground.faces.mcp.pages import Fence, Page, Result
from medground.values.identifiers import Relation

if TYPE_CHECKING:  # a client waits for the catalogue, and not for the engine
    from medground.faces.service.job import Job
    from medground.faces.service.service import Service
    from medground.faces.service.values import Person

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


class Input(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """Base of what tools take."""


class Places(Input):
    """Where is searched."""

    corpora: Names | None = None
    """The server's own by default."""
    sources: Names | None = None
    """Of live sources, such as clinicaltrials."""


class Searching(Places):
    """What is searched."""

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
    """Its open full text."""


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


class Claims(Places):
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


_DROPPED = (
    *("title", "default", "required", "minLength", "maxLength", "minimum", "maximum", "minItems"),
    "additionalProperties",
)
"""What a model does not need to know: names of types repeat those of fields, and a call without a value needs none.
Calls are still checked against the whole type."""


class _Schema(GenerateJsonSchema):
    """Without titles of fields, defaults and null: fields without a value are left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])

    default_schema = nullable_schema


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a type, with its references resolved and without what models do not read."""
    whole = model.model_json_schema(schema_generator=_Schema)
    required = {"required": whole["required"]} if "required" in whole else {}
    short = _shortened(whole, whole.pop("$defs", {}))
    short.pop("description", None)  # that of the type; the tool has its own
    return {**short, **required}


def _shortened(schema: Any, definitions: Mapping[str, Any]) -> Any:
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        named = definitions[reference.rpartition("/")[2]]
        schema = {**named, "description": None, **schema, "$ref": None}
    short = {k: _shortened(v, definitions) for k, v in schema.items() if isinstance(v, dict) or k not in _DROPPED}
    if short.get("items") == {"type": "string"} and "description" not in short:
        del short["items"]
    return {key: value for key, value in short.items() if value is not None}


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


Run = Callable[[Call, Any], Awaitable[Result | Page]]


@dataclass(frozen=True)
class Tool:
    """A tool of the catalogue.

    Attributes:
        about: when to use it, for a model.
        output: the type behind its output schema.
        module: the module of this package whose function of its name does it; none for what `Calls` does itself.
        reads: it changes nothing that a user would miss.
        lasts: it may take long, and then goes on as a job.
        missing: the next step where what it was asked for is not there.
    """

    name: str
    about: str
    input: type[Input]
    output: type[Paged]
    module: str = ""
    reads: bool = True
    lasts: bool = True
    missing: str = ""

    def load(self) -> Run:
        """The function that does it: it brings the engine, so it is loaded for the first call."""
        run: Run = getattr(import_module(f"{__package__}.{self.module}"), self.name)
        return run

    def listed(self, offered: Mapping[str, Sequence[str]]) -> Listed:
        """Its entry in `tools/list`. `offered`: the names that an argument can have; without any it is left out."""
        takes = schema_of(self.input)
        for name in filter(takes["properties"].__contains__, offered):
            field = takes["properties"].pop(name)
            if names := list(offered[name]):
                field.get("items", field)["enum"] = names
                takes["properties"][name] = field
        hints: dict[str, Any] = {"read_only_hint": True} if self.reads else {"destructive_hint": False}
        return Listed(
            name=self.name,
            title=self.name.replace("_", " ").capitalize(),
            description=self.about,
            input_schema=takes,
            output_schema={**schema_of(self.output), "required": ["truncated"]},  # a job that goes on has no more
            annotations=ToolAnnotations(**hints),
        )


@dataclass(frozen=True)
class Times:
    """How long clients are kept waiting, in seconds.

    Attributes:
        patience: after this, a call is answered with the id of a job: clients give up after 60.
        beat: between progress notifications while nothing new happens; one is due every 10.
    """

    patience: float = 45.0
    beat: float = 5.0


TIMES = Times()
