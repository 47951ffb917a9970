"""Names that the papers found use for what was looked for: they sharpen later queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from medground.executor.papers import Paper
from medground.text import words

_MOST = 5
"""Most names: each one takes weight from a later query's own words."""
_PAPERS = 2
"""A name of one paper alone may be that paper's own subject."""
_TAG_WORDS = """
    humans animals male female pregnancy adult adolescent child infant aged mice rats cattle dogs cats rabbits swine
    sheep chickens newborn middle young preschool 80 over time factors treatment outcome retrospective prospective
    cohort risk follow up case control reference values sensitivity specificity surveys questionnaires cross sectional
    double blind method
"""
_CHECK_TAGS = frozenset(_TAG_WORDS.split())
"""Words of headings that nearly every record has, and that name no subject."""


def names_of(papers: Sequence[Paper], asked: str, keywords: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The most frequent MeSH headings and author keywords of the papers that the question does not have, most first."""
    known = set(words.terms(" ".join([asked, *(form for forms in keywords for form in forms)])))
    counted: Counter[str] = Counter()
    written: dict[str, str] = {}
    for paper in papers:
        headings = (heading.descriptor for record in paper.records for heading in record.mesh)
        given = (keyword for record in paper.records for keyword in record.keywords)
        own = {name.casefold(): name for name in (*headings, *given) if _tells(name, known)}
        counted.update(own.keys())
        written = own | written
    frequent = [name for name, papers_with in counted.items() if papers_with >= _PAPERS]
    return tuple(written[name] for name in sorted(frequent, key=lambda name: (-counted[name], name))[:_MOST])


def _tells(name: str, known: set[str]) -> bool:
    """Whether a name says what the question does not, and is not a tag of nearly every record."""
    stems = set(words.terms(name))
    return bool(stems - known) and not set(words.tokens(name)) <= _CHECK_TAGS | words.FUNCTION_WORDS
