"""`lookup_phenotype`: what the knowledge graph knows of a phenotype, disease or gene."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from medground.engine import Engine
from medground.errors import MedgroundError
from medground.faces.mcp.inputs import Terms
from medground.faces.mcp.outputs import Phenotype, PhenotypeTerms, Quote
from medground.faces.mcp.parts import Fields, Part, Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.tools.answers import NAME, WORDS, few, fields_of, listed, quote_part, shown_as
from medground.faces.mcp.untrusted import Fence, line
from medground.graph.concepts.entry import ConceptEntry, ConceptFound, Neighbour
from medground.service.asked import Searched
from medground.text.english import some

_MOST = 30
"""Names of a kind that are listed of one concept; a count stands for the others."""
_ENTRIES = 10
_LINES = 5


async def _look_up(call: Call, value: Terms) -> Result:
    """Look each term up. One that fails does not cost the others; where all fail, that is an error."""
    searched = await asyncio.to_thread(Searched.by_default, call.service.settings)

    async def work(engine: Engine) -> list[list[ConceptFound] | MedgroundError]:
        return [await _looked_up(engine, term) for term in value.terms]

    outcomes = await call.service.engines.use(searched, work)
    failures = [outcome for outcome in outcomes if isinstance(outcome, MedgroundError)]
    if len(failures) == len(outcomes):
        raise failures[0]
    parts = [
        part
        for term, outcome in zip(value.terms, outcomes, strict=True)
        for part in (
            [_failed(call, term, outcome)]
            if isinstance(outcome, MedgroundError)
            else _entries(term, outcome, call.fence)
        )
    ]
    found = sum(1 for outcome in outcomes if isinstance(outcome, list) and any(one.entries for one in outcome))
    said = f"{found} of {some(len(value.terms), 'term')} found in the knowledge graph."
    return Result(head={"terms": []}, words=f"{said}\n{call.fence.rule}", parts=parts)


async def _looked_up(engine: Engine, term: str) -> list[ConceptFound] | MedgroundError:
    try:
        return await engine.concept(term, limit=_LINES)
    except MedgroundError as error:
        return error


def _entries(term: str, found: list[ConceptFound], fence: Fence) -> Iterator[Part]:
    """The concepts that a term names, and what documents state about them; or the nearest names."""
    named = [one for one in found if one.entries]
    if not named:
        near = tuple(dict.fromkeys(name for one in found for name in one.nearest))
        step = "Look one of nearest up, or search for the word itself." if near else "Search for the word itself."
        value = Phenotype(status="not found", term=term, error="no concept has this name", next=step, nearest=near)
        yield Part("terms", fields_of(value), lambda v: _words(v, fence))
    for one in named:
        for entry in one.entries[:_ENTRIES]:
            yield Part("terms", fields_of(_phenotype(term, one, entry)), lambda v: _words(v, fence))
        for passage in one.lines:
            quote = shown_as(Quote, passage, quote=passage.text)
            yield quote_part("quotes", {"term": term, **fields_of(quote)}, fence)


def _phenotype(term: str, found: ConceptFound, entry: ConceptEntry) -> Phenotype:
    return Phenotype(
        status="found",
        term=term,
        matched_by=found.by,
        id=entry.id,
        name=line(entry.name, NAME),
        synonyms=few([line(name, NAME) for name in entry.synonyms], _MOST),
        broader=few(_named(entry.above), _MOST),
        narrower=few(_named(entry.below), _MOST),
        source=line(found.source, NAME),
    )


def _named(neighbours: tuple[Neighbour, ...]) -> list[str]:
    return [f"{line(one.name, NAME)} ({one.id})" for one in neighbours]


def _failed(call: Call, term: str, error: MedgroundError) -> Part:
    problem = call.service.problem(error)
    value = Phenotype(status="failed", term=term, error=line(problem.detail, WORDS), next=problem.next)
    return Part("terms", fields_of(value), lambda v: _words(v, call.fence))


def _words(value: Fields, fence: Fence) -> str:
    asked = fence("term", value["term"])
    if value["status"] != "found":
        near = "; ".join(value.get("nearest", ()))
        return f"{asked}: {fence('error', value['error'])}. {f'Nearest: {near}.' if near else value['next']}"
    about = fence("concept", f"{value['name']}. {listed(value, 'synonyms')}")
    return f"{asked}: {value['id']} (matched by {value['matched_by']}, {value['source']}) {about}"


LOOKUP_PHENOTYPE = Tool(
    name="lookup_phenotype",
    about="Phenotypes, diseases and genes of the knowledge graph (HPO) by id, name or synonym, with quoted statements.",
    input=Terms,
    output=PhenotypeTerms,
    run=_look_up,
)
