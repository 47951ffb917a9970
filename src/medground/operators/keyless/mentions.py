"""The MeSH headings that a question names, by automatic term mapping."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from medground.pubmed.mesh import Heading, vocabulary
from medground.pubmed.translate import standard_mapper
from medground.query import Mesh, Or, Query

_POOR_NAMES = """
    adult|affect|aged|animals|association|cells|child|data|disease|female|goals|hospitals|humans|infant|male|men|methods|mice
    |middle aged|patients|persons|population|probability|rats|research|research design|risk|risk factors|role|safety
    |schools|standards|students|teaching|therapeutics|time|tissues|women|work|world health organization
"""
POOR = frozenset(name.strip() for name in _POOR_NAMES.split("|"))
"""Headings that say little about the subject of a question (check tags and words common to all studies)."""


@dataclass(frozen=True)
class Mention:
    """Words of a question that name a heading."""

    words: str
    heading: Heading


@lru_cache(maxsize=256)
def mentions(question: str) -> tuple[Mention, ...]:
    """The headings that a question names, in order, by automatic term mapping."""
    found: dict[str, Mention] = {}
    for said, name in mapped(question):
        if name and name.casefold() not in POOR:
            found.setdefault(name, Mention(said, vocabulary().heading(name)))
    return tuple(found.values())


def spoken(question: str) -> str:
    """The words of a question, separated by single spaces."""
    return " ".join(re.findall(r"[\w'’+/-]+", question))


def mapped(question: str) -> list[tuple[str, str]]:
    """The words that term mapping reads as one concept, in order, with the heading; it is empty if there is none."""
    plain = spoken(question)
    _, translations = standard_mapper().map(plain) if plain else (None, [])
    headings = [(t.source, vocabulary().find(_heading_of(t.query) or "")) for t in translations]
    return [(said, heading.name if heading else "") for said, heading in headings]


def _heading_of(query: Query) -> str | None:
    parts = query.parts if isinstance(query, Or) else (query,)
    return next((part.heading for part in parts if isinstance(part, Mesh) and part.heading), None)
