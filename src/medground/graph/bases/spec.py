"""The specification of a knowledge base: a TOML file that names its sources, what each is, and what it is read from.

    name = "omni"

    [[sources]]
    kind = "book"
    about = "Textbook chapters: ..."
    licence = "CC BY 4.0"
    origin = "https://..."
    inputs = [{ path = "textbooks" }]

Errors are reported in one line with their location in the file.
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from medground.corpus.readers.base import Input, file_input
from medground.corpus.readers.entry import described
from medground.corpus.readers.lines import read_lines
from medground.errors import ConfigError
from medground.graph.bases.record import checked_name
from medground.home.files import parsed_toml, tables
from medground.values.document import Document, Frozen, NonEmpty
from medground.values.source_plan import SourceDescription

# The line of a TOML file at which a value stands, for messages: `tomllib` does not tell.

_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?")


def line_of(text: str, place: Sequence[str | int]) -> int:
    """The line, from 1, of the innermost part of a place that can be found; the last table named, if not its key.

    A place is keys and numbers of tables, such as `("sources", 1, "inputs", 0, "path")`.
    """
    lines = text.splitlines()
    headers = [head[1] if (head := _HEADER.match(line)) else "" for line in lines]
    start, end, name = 0, len(lines), ""
    for part, number in zip_longest(place, place[1:]):
        if isinstance(part, int):
            continue
        name = f"{name}.{part}" if name else part
        heads = [at for at in range(start, end) if headers[at] == name]
        sets = re.compile(rf"(?:^|[{{,])\s*[\"']?{re.escape(part)}[\"']?\s*[=.]")
        if isinstance(number, int) and number < len(heads):
            start = heads[number]
            others = (at for at in range(start + 1, end) if headers[at] and not headers[at].startswith(f"{name}."))
            end = next(others, end)
        else:  # at the beginning of a line, or in a table on one line
            start = next((at for at in range(start, end) if sets.search(lines[at].partition("#")[0])), start)
    return min(start, max(len(lines) - 1, 0)) + 1


# JSON Lines of any form as documents: a specification says which field of a record is its id, its title, its text.

MAPPED = "jsonlines"
"""The reader that takes `fields`."""

_LISTS = frozenset(["authors", "keywords", "mesh", "publication_types"])
_FIELDS = frozenset(
    ["id", "title", "text", "abstract", "year", "date", "journal", "url", "language", "license", "doi", "pmid", "pmc"]
)

_SEPARATORS = {"text": "\n\n", "id": ":"}

Fields = Mapping[str, Sequence[str | int]]
"""Field of a document to fields of a record. Of several, the texts follow each other as paragraphs."""


def open_mapped(path: Path, fields: Fields, kept: Collection[str] = (), prefix: str | None = None) -> Input:
    """One file of JSON Lines, plain or gzip.

    `fields` says what is read, where a dot leads into nested objects (`meta.year`). The `kept` fields become metadata,
    to be filtered by; ids without a prefix get this one.

    Raises BadDocument: the file has gone.
    """
    convert = partial(_document, fields=fields, kept=tuple(kept), prefix=prefix)
    return file_input(path, MAPPED, partial(read_lines, convert=convert))


def _document(record: Mapping[str, Any], fields: Fields, kept: Sequence[str], prefix: str | None) -> Document:
    found: dict[str, Any] = {}
    for name, places in fields.items():
        values = [value for place in places if (value := _at(record, str(place))) not in (None, "", [], {})]
        if values:
            found[name] = _joined(name, values)
    if not found.keys() & {"text", "abstract"}:
        wanted = " or ".join(str(place) for name in ("text", "abstract") for place in fields.get(name, ()))
        raise ValueError(f"{wanted}: the field is missing or empty")
    if prefix and "id" in found and ":" not in str(found["id"]):
        found["id"] = f"{prefix}:{found['id']}"
    found["metadata"] = {name: value for name in kept if (value := _at(record, name)) is not None}
    return described(found)


def _joined(name: str, values: Sequence[Any]) -> Any:
    """One value of a document's field from those of a record: lists stay lists, paragraphs stay apart."""
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    if name in _LISTS:
        return parts
    if len(parts) == 1:
        return parts[0] if isinstance(parts[0], str | int | float) else str(parts[0])
    return _SEPARATORS.get(name, " ").join(map(str, parts))


def _at(record: Any, place: str) -> Any:
    """The value of a field; the whole name counts before its dots do. Of a list of objects, that of each."""
    if isinstance(record, list):
        return [value for one in record if (value := _at(one, place)) not in (None, "")]
    if not isinstance(record, Mapping):
        return None
    if place in record:
        return record[place]
    first, dot, rest = place.partition(".")
    return _at(record.get(first), rest) if dot else None


Kind = Literal["book", "guideline", "research", "wiki", "graph"]
"""The five kinds of source (section 3)."""

_MOST_CHARACTERS = 1000
"""Most characters of a chunk (section 3.1)."""


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str | int) else value


Values = Annotated[tuple[str | int, ...], BeforeValidator(_listed), Field(min_length=1)]
Wanted = Mapping[str, tuple[str | int, ...]]


class InputSpec(Frozen):
    """What a source is read from.

    Attributes:
        paths: files and folders, relative to the specification; `path` may name a single one.
        reader: the name of a reader, or of a graph a vocabulary; without one it is recognised from the content.
        fields: of JSON Lines: which field of a record is the id, title, text and so on. No other field is read.
        where: only documents with one of these values in each of these fields.
        prefix: the prefix of ids that have none.
    """

    paths: Annotated[tuple[Path, ...], BeforeValidator(_listed)] = Field(default=(), alias="path")
    reader: str | None = None
    fields: Mapping[str, Values] = Field(default_factory=dict)
    where: Mapping[str, Values] = Field(default_factory=dict)
    prefix: str | None = Field(default=None, pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,31}$")

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValueError('is not a table such as { path = "folder" }')
        if "path" in data and "paths" in data:
            raise ValueError("has both `path` and `paths`; keep one")
        return {("path" if key == "paths" else key): value for key, value in data.items()}

    @model_validator(mode="after")
    def _mapped(self) -> Self:
        if self.fields and self.reader not in (None, MAPPED):
            raise ValueError(f"`fields` are for the reader {MAPPED}, not {self.reader}")
        if self.prefix and not self.fields:
            raise ValueError("`prefix` is for records with `fields`; other readers make their own ids")
        if unknown := sorted(self.fields.keys() - _FIELDS - _LISTS):
            known = ", ".join(sorted(_FIELDS | _LISTS))
            raise ValueError(f"a document has no field {unknown[0]!r}; map {known}")
        if self.fields and not self.fields.keys() & {"text", "abstract"}:
            raise ValueError('`fields` must say which field is the text, such as fields = { text = "body" }')
        return self

    def resolved(self, folder: Path) -> tuple[Path, ...]:
        """Its paths from the folder of the specification."""
        return tuple((folder / path.expanduser()).resolve() for path in self.paths)


class SourceSpec(Frozen):
    """One source: its description, and how its corpus is built.

    Its name, as plans write it, is by default its kind; its embedding model is by default that of the base.
    """

    name: str = ""
    kind: Kind
    about: NonEmpty
    licence: NonEmpty
    origin: NonEmpty
    inputs: tuple[InputSpec, ...] = Field(min_length=1)
    chunk: int = Field(default=_MOST_CHARACTERS, ge=50, le=_MOST_CHARACTERS)
    embed: str | None = None

    @property
    def described(self) -> SourceDescription:
        """What a planner and an export learn of it."""
        return SourceDescription(
            name=self.name or self.kind,
            kind=self.kind,
            about=" ".join(self.about.split()),
            licence=" ".join(self.licence.split()),
            origin=" ".join(self.origin.split()),
        )

    @model_validator(mode="after")
    def _can_be_described(self) -> Self:
        try:
            self.described  # noqa: B018 - making it checks it
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = re.sub(r"\W", "", str(first["loc"][0])) if first["loc"] else ""
            raise ValueError(f"{name}: {first['msg'].removeprefix('Value error, ')}") from None
        return self


class Spec(Frozen):
    """A knowledge base to build. Without an embedding model (`embed`), search is by words."""

    name: Annotated[str, BeforeValidator(lambda value: checked_name(str(value)))]
    embed: str | None = None
    sources: tuple[SourceSpec, ...] = Field(min_length=1)


def read_spec(path: Path) -> Spec:
    """Read a specification and check it against the disk and the readers.

    Raises ConfigError: it cannot be read, or something in it is wrong; the message names the place.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tree = parsed_toml(text)
    except FileNotFoundError:
        raise ConfigError(f"no specification {path}; docs/knowledge-base.md shows one") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None
    try:
        spec = Spec.model_validate(tree)
    except ValidationError as error:
        loc, what = _first(error)
        raise _wrong(path, text, tree, loc, what) from None
    from medground.graph.bases.building import problems  # it brings the readers, which are slow to import

    for loc, what in problems(spec, path.resolve().parent):
        raise _wrong(path, text, tree, loc, what)
    return spec


Place = tuple[str | int, ...]
"""Keys and numbers of tables from the top of the file, as in `("sources", 1, "inputs", 0, "path")`."""


def _first(error: ValidationError) -> tuple[Place, str]:
    """The first problem; a missing or unknown key comes before what follows from it."""
    found = error.errors(include_url=False)
    first = next((one for one in found if one["type"] in ("missing", "extra_forbidden")), found[0])
    where = first["loc"]
    match first["type"]:
        case "missing":
            return where, "is missing" + _WANTED.get(str(where[-1]), "")
        case "extra_forbidden":
            return where, "is not a key of a specification; docs/knowledge-base.md lists them"
        case "literal_error":
            return where, f"unknown {where[-1]} {first['input']!r}; use {first.get('ctx', {}).get('expected', '')}"
        case "too_short" | "string_too_short":
            return where, "is empty"
    return where, first["msg"].removeprefix("Value error, ")


_WANTED: Mapping[str, str] = tables("graph/bases", "spec")["wanted"]


def _wrong(path: Path, text: str, tree: Mapping[str, Any], loc: Place, what: str) -> ConfigError:
    where = _words(tree, loc)
    return ConfigError(f"{path}, line {line_of(text, loc)}: {f'{where}: ' if where else ''}{what}")


def _words(tree: Mapping[str, Any], loc: Place) -> str:
    """The place in words: `source 2 (guideline), input 1`, then the key."""
    here: Any = tree
    tables: list[str] = []
    keys: list[str] = []
    for part in loc:
        try:
            here = here[part]
        except (KeyError, IndexError, TypeError):
            here = None
        if isinstance(part, str):
            keys.append(part)
            continue
        named = here.get("name") or here.get("kind") if isinstance(here, Mapping) else None
        singular = keys.pop().removesuffix("s") if keys else "entry"
        tables.append(f"{singular} {part + 1}" + (f" ({str(named)[:40]})" if named else ""))
    return ": ".join(filter(None, (", ".join(tables), ".".join(keys))))
