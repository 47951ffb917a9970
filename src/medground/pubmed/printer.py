"""Print a query tree as PubMed text, with a tag on every term, as PubMed shows translations."""

from collections.abc import Sequence
from typing import assert_never

from medground.errors import UsageError
from medground.pubmed.filters import range_text
from medground.pubmed.tags import Tag, tag_for_date, tag_for_field, tag_for_kind
from medground.values import query as nodes
from medground.values.query import Leaf, Query, fold

_Printed = tuple[str, bool]
"""A text, and whether it needs parentheses within another."""


def to_pubmed(query: Query) -> str:
    """Print a tree. Parsing the result returns an equal tree, if the tree came from `parse`.

    Raises UsageError: the tree uses something that PubMed has no field for, such as our kinds of source.
    """
    return fold(query, lambda leaf: (_printed(leaf), isinstance(leaf, nodes.Words)), _all, _any)[0]


def _all(parts: Sequence[tuple[_Printed, bool]]) -> _Printed:
    text = ""
    for part, left_out in parts:
        text += f" {'NOT' if left_out else 'AND'} {_inside(part)}" if text or left_out else _inside(part)
    return text.strip(), len(parts) > 1 or parts[0][1]


def _any(parts: Sequence[_Printed], best: bool) -> _Printed:
    return " OR ".join(map(_inside, parts)), len(parts) > 1


def _inside(part: _Printed) -> str:
    return f"({part[0]})" if part[1] else part[0]


def _printed(query: Leaf) -> str:
    match query:
        case nodes.Everything():
            return "all[Filter]"
        case nodes.Range(field="id"):
            return f"{query.low}:{query.high}[{_tag('id').name}]"
        case nodes.Range() | nodes.DateRange():
            field = "published" if isinstance(query, nodes.Range) else query.field
            return f"{range_text(query)}[{tag_for_date(field).name}]"
        case nodes.Mesh():
            return _mesh(query)
        case nodes.PublicationType():
            return f"{_quoted(query.name)}[{tag_for_kind('type').name}{'' if query.explode else ':noexp'}]"
        case nodes.Metadata():
            raise UsageError(f"PubMed has no field {query.name!r}; leave this limit out to search it")
        case nodes.Words():
            return " OR ".join(f"{_quoted(word)}[{_tag(query.field).name}]" for word in query.text.split()) or '""'
        case nodes.Term() | nodes.Phrase() | nodes.Near():
            return _leaf(query)
        case _:
            assert_never(query)


def _leaf(query: nodes.Term | nodes.Phrase | nodes.Near) -> str:
    if isinstance(query, nodes.Term) and query.field == "year":
        return f"{_plain(query.value)}[{tag_for_date('published').name}]"
    near = query.distance if isinstance(query, nodes.Near) else query.slop if isinstance(query, nodes.Phrase) else 0
    # PubMed supports proximity search in titles and abstracts, not in all fields.
    tag = _tag("title_abstract" if near and query.field is None else query.field)
    if isinstance(query, nodes.Term):
        if query.prefix:
            return f'"{_plain(query.value)}*"[{tag.name}]'
        if query.field == "id":
            return f"{query.value.removeprefix('PMID:')}[{tag.name}]"
        if query.field == "identifier":
            return _identifier(query.value, tag)
        exact = ":noexp" if query.field in ("mesh", "mesh_major", "publication_type") else ""
        return f"{_quoted(query.value)}[{tag.name}{exact}]"
    shown = f":~{near}" if isinstance(query, nodes.Near) or near else ""
    return f"{_quoted(query.text)}[{tag.name}{shown}]"


def _identifier(value: str, tag: Tag) -> str:
    """An identifier, which may have its kind before it (`doi:10.1000/x`); PubMed asks for a PMID by another field."""
    kind, colon, name = value.partition(":")
    if kind == "pmid" and name:
        return f"{_plain(name)}[{_tag('id').name}]"
    if kind == "pmc" and name:
        return _plain(name)  # PubMed knows it by its form alone; its field has no tag
    return f"{_quoted(name if colon and kind == 'doi' else value)}[{tag.name}]"


def _mesh(query: nodes.Mesh) -> str:
    narrow = "" if query.explode else ":noexp"
    if query.heading is None:
        name, tag = "", tag_for_kind("subheading")
    else:
        name, tag = query.heading.casefold(), tag_for_kind("major" if query.major else "mesh")
    names = [f"{name}/{q}" if name else q for q in query.qualifiers] or [name]
    texts = [f"{_quoted(name)}[{tag.name}{narrow}]" for name in names]
    return texts[0] if len(texts) == 1 else f"({' OR '.join(texts)})"


def _tag(field: nodes.FieldName | None) -> Tag:
    if field == "publication_type":
        return tag_for_kind("type")
    tag = tag_for_field(field or "all")
    if tag is None:
        raise UsageError(f"PubMed has no field for {field}; remove this part of the query")
    return tag


def _quoted(text: str) -> str:
    return f'"{_plain(text)}"'


def _plain(text: str) -> str:
    return " ".join(text.replace('"', " ").split())
