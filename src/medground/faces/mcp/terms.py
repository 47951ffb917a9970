"""`plan_query`, `lookup_mesh` and `lookup_phenotype`: what PubMed and the knowledge graph know of words."""

import asyncio
from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

from medground.engine.engine import Engine
from medground.errors import MedgroundError
from medground.faces.mcp.answers import few, fields_of, note_part, quote_part, shown_as
from medground.faces.mcp.outputs import Heading, Quote
from medground.faces.mcp.pages import NAME, WORDS, Fence, Fields, Part, Result, headed, line
from medground.faces.mcp.tool import Call, PlanQuery, Terms
from medground.faces.service.request import Searched
from medground.language.clean import some
from medground.pubmed.mesh import vocabulary
from medground.values.graph import ConceptEntry, ConceptFound, Neighbour

_MOST = 40
"""Names of a kind that are listed of one heading; a count stands for the others."""


async def plan_query(call: Call, value: PlanQuery) -> Result:
    planned = await call.service.plan_query(value.question, call.person)
    notice = planned.notice.sentence if planned.notice else None
    if planned.notice is not None and planned.notice.stops:
        return Result(head={"notice": notice}, words=str(notice))
    fence = call.fence
    url = f"https://pubmed.ncbi.nlm.nih.gov/?{urlencode({'term': planned.query})}"
    terms = [
        Part(
            "terms",
            fields_of(Heading(heading=line(term.heading, NAME), reason=line(term.rationale, NAME))),
            fence.words("heading"),
        )
        for term in planned.terms
    ]
    head = {"query": planned.query, **({"url": url} if len(url) < 2_000 else {}), "planner": planned.planner}
    parts = [*terms, *(note_part(note, fence) for note in planned.notes)]
    return headed(notice, fence, f"PubMed query: {fence('query', planned.query)}", parts, **head)


async def lookup_mesh(call: Call, value: Terms) -> Result:
    parts = await asyncio.to_thread(lambda: [_looked_up(term, call.fence) for term in value.terms])
    found = sum(1 for part in parts if not isinstance(part.fields, str) and part.fields["status"] == "found")
    said = f"{found} of {some(len(parts), 'term')} found in MeSH."
    return Result(head={"terms": []}, words=f"{said}\n{call.fence.rule}", parts=parts)


def _looked_up(term: str, fence: Fence) -> Part:
    mesh = vocabulary()
    if (heading := mesh.find(term)) is None:
        near = (f"{one.heading.name} ({one.heading.id})" for one in mesh.nearest(term, limit=5))
        return _part(_unknown(term, "MeSH has no such name", near), fence)
    value = {
        "status": "found",
        "term": term,
        "id": heading.id,
        "heading": heading.name,
        "entry_terms": few(heading.entry_terms, _MOST),
        "trees": few(heading.trees, _MOST),
        "broader": few([above.name for above in mesh.parents(heading)], _MOST),
        "narrower": few([below.name for below in mesh.children(heading)], _MOST),
    }
    return _part(value, fence)


def _unknown(term: str, error: str, near: Iterable[str]) -> Fields:
    """A term that has no entry, with the nearest names."""
    names = tuple(dict.fromkeys(near))
    step = "Look one of nearest up, or search for the word itself." if names else "Search for the word itself."
    return {"status": "not found", "term": term, "error": error, "next": step, "nearest": names}


_MOST_PHENOTYPES = 30
"""Names of a kind that are listed of one concept; a count stands for the others."""
_ENTRIES = 10
_LINES = 5


async def lookup_phenotype(call: Call, value: Terms) -> Result:
    """Look each term up. One that fails does not cost the others; where all fail, that is an error."""
    searched = await asyncio.to_thread(Searched.by_default, call.service.settings)

    async def work(engine: Engine) -> list[list[ConceptFound] | MedgroundError]:
        return [await _phenotypes_found(engine, term) for term in value.terms]

    outcomes = await call.service.engines.use(searched, work)
    failures = [outcome for outcome in outcomes if isinstance(outcome, MedgroundError)]
    if len(failures) == len(outcomes):
        raise failures[0]
    each = zip(value.terms, outcomes, strict=True)
    parts = [part for term, outcome in each for part in _entries(call, term, outcome)]
    found = sum(1 for outcome in outcomes if isinstance(outcome, list) and any(one.entries for one in outcome))
    said = f"{found} of {some(len(value.terms), 'term')} found in the knowledge graph."
    return Result(head={"terms": []}, words=f"{said}\n{call.fence.rule}", parts=parts)


async def _phenotypes_found(engine: Engine, term: str) -> list[ConceptFound] | MedgroundError:
    try:
        return await engine.concept(term, limit=_LINES)
    except MedgroundError as error:
        return error


def _entries(call: Call, term: str, found: list[ConceptFound] | MedgroundError) -> Iterator[Part]:
    """The concepts that a term names, and what documents state about them; or the nearest names, or what failed."""
    fence = call.fence
    if isinstance(found, MedgroundError):
        problem = call.service.problem(found)
        detail = line(problem.detail, WORDS)
        yield _part({"status": "failed", "term": term, "error": detail, "next": problem.next}, fence)
        return
    named = [one for one in found if one.entries]
    if not named:
        near = (name for one in found for name in one.nearest)
        yield _part(_unknown(term, "no concept has this name", near), fence)
    for one in named:
        for entry in one.entries[:_ENTRIES]:
            yield _part(_phenotype(term, one, entry), fence)
        for passage in one.lines:
            quote = shown_as(Quote, passage, quote=passage.text)
            yield quote_part("quotes", {"term": term, **fields_of(quote)}, fence)


def _phenotype(term: str, found: ConceptFound, entry: ConceptEntry) -> Fields:
    return {
        "status": "found",
        "term": term,
        "matched_by": found.by,
        "id": entry.id,
        "name": line(entry.name, NAME),
        "synonyms": few([line(name, NAME) for name in entry.synonyms], _MOST_PHENOTYPES),
        "broader": few(_named(entry.above), _MOST_PHENOTYPES),
        "narrower": few(_named(entry.below), _MOST_PHENOTYPES),
        "source": line(found.source, NAME),
    }


def _named(neighbours: tuple[Neighbour, ...]) -> list[str]:
    return [f"{line(neighbour.name, NAME)} ({neighbour.id})" for neighbour in neighbours]


def _part(value: Fields, fence: Fence) -> Part:
    return Part("terms", value, fence.words("term"))
