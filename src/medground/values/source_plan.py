"""What a source holds, as a planner reads it: one paragraph, how a query for it is written, its licence and origin."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator

from medground.values.document import Frozen, Hit, SourceKind
from medground.values.graph import GraphFact

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


class SourceDescription(Frozen):
    """A source of a knowledge base.

    Attributes:
        name: as plans and their tags write it, such as `book`.
        about: one paragraph for the planner: what it holds, and for which questions it is good.
        licence: the terms under which its texts may be used; it goes with every export.
    """

    name: str
    kind: SourceKind
    about: str = Field(min_length=1, max_length=1000)
    licence: str = Field(min_length=1, max_length=1000)
    origin: str = Field(min_length=1, max_length=1000)

    @property
    def query_format(self) -> str:
        """How its queries are written in a plan: for a graph, each has a term and what is asked about it (E.2)."""
        if self.kind == "graph":
            return "a term, a comma, what is asked about it; several with ; between them"
        return "a few words; several queries with ; between them"

    @field_validator("name")
    @classmethod
    def _is_a_tag(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise ValueError(f"{value[:40]!r} is not a source's name; use a-z, 0-9, - and _, starting with a letter")
        return value

    @classmethod
    def of_kind(cls, kind: SourceKind) -> Self:
        """The description of a source of which only the kind is known."""
        return cls(name=kind, kind=kind, about=_ABOUT[kind], licence="not recorded", origin="not recorded")


_ABOUT: dict[SourceKind, str] = {
    "book": "Medical textbooks and teaching material: anatomy, mechanisms, diagnosis and treatment as they are taught.",
    "guideline": "Recommendations and advice of health organisations: what to do in a given situation.",
    "research": "Abstracts and articles of biomedical studies: what was measured, in whom, with which result.",
    "wiki": "Encyclopaedia articles: general knowledge about a topic, named by its title.",
    "graph": "A knowledge graph: definitions of medical concepts and the relations recorded between them.",
    "protein": "Records of proteins: function, interactions, sequence, structure.",
    "web": "Pages of the web, of any quality.",
}


# How a query is written inside a tag, and how what stands there is cut into queries again.

_REFERENCE = re.compile(r"&(#\d{1,7}|[A-Za-z]{2,8});")
_CUT = re.compile(rf"{_REFERENCE.pattern}|;")
_MARKS = re.compile(r"[;<>`]")
_NUMBER = re.compile(r"(?:[-*•‣·–—]+|\(?\d{1,2}[.):](?=\s)|[Qq]\d{1,2}[.:)])\s*")
_LABEL = re.compile(r"(?i)(?:search[ _])?(?:query|term|concept|keywords?)[ _]?\d{0,2}\s*[:=]\s*")
_WRAPS = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "{": "}", "[": "]", "(": ")", "*": "*", "_": "_"}
_NOTHING = re.compile(
    r"none|n/a|n\.a|nil|null|empty|nothing|not (?:needed|applicable)|no (?:search(?:es)?|quer(?:y|ies))(?: needed)?|"
    r"no (?:information )?retrieval(?: is)? needed",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\s,(?:\s|$)")


def written(text: str, term: str = "") -> str:
    """A query as a tag holds it. `pieces`, `split_term` and `cleaned` give it back unchanged."""
    asked = _written(text) if text else ""
    return f"{_written(term).replace(',', '&#44;')} , {asked}".rstrip() if term else asked


def _written(text: str) -> str:
    safe = _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", text)
    first = safe[:1]
    if first.isalnum() and not is_nothing(safe) and all(cleaned(one) == one for one in (safe, f"{safe} ,")):
        return safe
    return safe if first in ("", "&") else f"&#{ord(first)};{safe[1:]}"


def plain(text: str) -> str:
    """Text with its character references read; one that means nothing stays."""
    return _REFERENCE.sub(_read, text)


def _read(found: re.Match[str]) -> str:
    name = found[1]
    if not name.startswith("#"):
        return html5.get(f"{name};", found[0])
    code = int(name[1:])
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0]


def pieces(inside: str) -> list[str]:
    """What stands in a tag, cut at each `;`, and at line ends where a list is written by lines.

    Where `;` separates the queries, a line end only does if a number or a bullet follows.
    """
    parts = _parts(inside)
    if len(parts) > 1:
        lines = [line for part in parts for line in _BULLET_LINE.split(part)]
    else:
        lines = _SINGLE_LINE.split(inside) if _ENUMERATED.match(inside.strip()) else inside.splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


def _parts(inside: str) -> list[str]:
    cuts = [one for one in _CUT.finditer(inside) if one[0] == ";" or _read(one) == one[0]]
    ends = [(cut.end() - 1, cut.end()) for cut in cuts]
    starts = [0, *(after for _, after in ends)]
    return [inside[start:end] for start, (end, _) in zip(starts, [*ends, (len(inside), 0)], strict=True)]


_BULLET_LINE = re.compile(r"[\r\n]+(?=\s*(?:[-*•‣·–—]|\(?\d{1,2}[.):])\s)")
_ENUMERATED = re.compile(r"\(?1[.):]\s.*?\s\(?2[.):]\s", re.DOTALL)
_SINGLE_LINE = re.compile(r"(?:^|\s)(?=\(?\d{1,2}[.):]\s)")


def cleaned(piece: str) -> str:
    """A piece without its number or bullet, its label, and the quotes or brackets around all of it."""
    before = None
    while piece != before:
        before = piece
        for start in (_NUMBER, _LABEL):
            if found := start.match(piece):
                piece = piece[found.end() :]
        piece = piece.strip()
        closing = _WRAPS.get(piece[:1])
        if closing and len(piece) > 1 and piece[-1] == closing:
            inner = piece[1:-1]
            if closing not in inner and piece[0] not in inner:
                piece = inner.strip()
            elif len(piece) > 4 and piece[:2] == piece[-2:] == "**" and "*" not in piece[2:-2]:
                piece = piece[2:-2].strip()
    return piece


def is_nothing(piece: str) -> bool:
    """Whether a piece says that nothing is asked: `none`, `N/A`, only marks."""
    return _NOTHING.fullmatch(piece.strip(" .")) is not None or piece == "NA" or not any(map(str.isalnum, plain(piece)))


def split_term(piece: str) -> tuple[str, str, int]:
    """The term of a graph's query, what is asked about it, and the number of commas that could part them.

    A comma with spaces around it is the one meant; else the first. Without a comma all of it is the term.
    """
    if found := _COMMA.search(piece):
        return piece[: found.start()].strip(), piece[found.end() :].strip(), 1
    term, comma, asked = piece.partition(",")
    return term.strip(), asked.strip(), piece.count(",") if comma else 0


MOST_QUERIES = 3
"""Most queries for one source (section 4.1: fewer than 4)."""

OneLine = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]


class SourceQuery(Frozen):
    """One query. For a graph, `term` is the concept and `text` what is asked about it; elsewhere `term` is empty."""

    text: OneLine
    term: OneLine = ""

    def __str__(self) -> str:
        return f"{self.term} , {self.text}" if self.term else self.text


class SourcePlan(Frozen):
    """`P = {(i, j, q_j^i)}`: the queries of each source, by its name. A source without queries is not searched."""

    queries: Annotated[
        Mapping[str, tuple[SourceQuery, ...]],
        AfterValidator(lambda queries: {name: asked for name, asked in queries.items() if asked}),
    ] = Field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of queries: each is one lookup."""
        return sum(map(len, self.queries.values()))

    def __iter__(self) -> Iterator[tuple[str, SourceQuery]]:  # type: ignore[override]
        return ((name, query) for name, queries in self.queries.items() for query in queries)


SourceState = Literal["found", "empty", "failed", "not configured", "not asked"]
"""`empty`: searched, and it has nothing. `failed`: it could not be searched. `not configured`: it is not open here."""


@dataclass(frozen=True)
class QueryFound:
    """A query and what it found, best first. `facts` are the stored facts of a graph that answer it."""

    query: SourceQuery
    hits: tuple[Hit, ...] = ()
    facts: tuple[GraphFact, ...] = ()


@dataclass(frozen=True)
class SourceFound:
    """A source of a plan: what became of it, and what each of its queries found. `failure` says why it failed."""

    source: SourceDescription
    state: SourceState
    queries: tuple[QueryFound, ...] = ()
    failure: str = ""
    names: tuple[str, ...] = field(default=(), compare=False)
    """The sources of the run that hold it."""

    @property
    def passages(self) -> int:
        """Number of different passages found."""
        return len({hit.passage.key for query in self.queries for hit in query.hits})


def tagged(plan: SourcePlan, sources: tuple[str, ...]) -> str:
    """The plan as a planner writes it: one tag for each source, empty where nothing is asked of it.

    `<book> heart sounds ; heart failure </book>`, one line per source, in the order of `sources`. Whatever marks a
    query holds, `plan.sources.read_plan` reads it back.
    """
    inside = {name: " ; ".join(written(one.text, one.term) for one in plan.queries.get(name, ())) for name in sources}
    return "\n".join(
        f"<{name}> {asked} </{name}>" if asked else f"<{name}> </{name}>" for name, asked in inside.items()
    )
