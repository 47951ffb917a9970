"""`plan_query` and `lookup_mesh`: from a question or a name to what PubMed understands."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from medground.faces.mcp.inputs import PlanQuery, Terms
from medground.faces.mcp.outputs import Heading, MeshFound, MeshTerms, QueryPlanned
from medground.faces.mcp.parts import Fields, Part, Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.tools.answers import NAME, few, fields_of, listed, note_part
from medground.faces.mcp.untrusted import Fence, line
from medground.pubmed.mesh import Heading as MeshHeading
from medground.pubmed.mesh import Vocabulary, vocabulary
from medground.text.english import some

_MOST = 40
"""Names of a kind that are listed of one heading; a count stands for the others."""


async def _plan(call: Call, value: PlanQuery) -> Result:
    planned = await call.service.plan_query(value.question, call.person)
    notice = planned.notice.sentence if planned.notice else None
    if planned.notice is not None and planned.notice.stops:
        return Result(head={"notice": notice}, words=str(notice))
    fence = call.fence
    url = f"https://pubmed.ncbi.nlm.nih.gov/?{urlencode({'term': planned.query})}"
    head = {
        **({"notice": notice} if notice else {}),
        "query": planned.query,
        **({"url": url} if len(url) < 2_000 else {}),
        "planner": planned.planner,
    }
    words = "\n".join(filter(None, [notice, fence.rule, f"PubMed query: {fence('query', planned.query)}"]))
    terms = [
        Part(
            "terms",
            fields_of(Heading(heading=line(term.heading, NAME), reason=line(term.rationale, NAME))),
            lambda v: fence("term", f"{v['heading']}: {v['reason']}"),
        )
        for term in planned.terms
    ]
    return Result(head=head, words=words, parts=[*terms, *(note_part(note, fence) for note in planned.notes)])


async def _mesh(call: Call, value: Terms) -> Result:
    parts = await asyncio.to_thread(lambda: [_looked_up(term, call.fence) for term in value.terms])
    found = sum(1 for part in parts if not isinstance(part.fields, str) and part.fields["status"] == "found")
    said = f"{found} of {some(len(parts), 'term')} found in MeSH."
    return Result(head={"terms": []}, words=f"{said}\n{call.fence.rule}", parts=parts)


def _looked_up(term: str, fence: Fence) -> Part:
    mesh = vocabulary()
    heading = mesh.find(term)
    value = _entry(mesh, term, heading) if heading is not None else _nearest(mesh, term)
    return Part("terms", fields_of(value), lambda v: _words(v, fence))


def _entry(mesh: Vocabulary, term: str, heading: MeshHeading) -> MeshFound:
    return MeshFound(
        status="found",
        term=term,
        id=heading.id,
        heading=heading.name,
        entry_terms=few(heading.entry_terms, _MOST),
        trees=few(heading.trees, _MOST),
        broader=few(tuple(above.name for above in mesh.parents(heading)), _MOST),
        narrower=few(tuple(below.name for below in mesh.children(heading)), _MOST),
    )


def _nearest(mesh: Vocabulary, term: str) -> MeshFound:
    near = tuple(f"{one.heading.name} ({one.heading.id})" for one in mesh.nearest(term, limit=5))
    step = "Look one of nearest up, or search for the word itself." if near else "Search for the word itself."
    return MeshFound(status="not found", term=term, error="MeSH has no such name", next=step, nearest=near)


def _words(value: Fields, fence: Fence) -> str:
    if value["status"] != "found":
        near = "; ".join(value["nearest"])
        return f"{fence('term', value['term'])}: {value['error']}. {f'Nearest: {near}.' if near else value['next']}"
    return f"{fence('term', value['term'])}: {value['heading']} {value['id']}\n    {listed(value, 'entry_terms')}"


PLAN_QUERY = Tool(
    name="plan_query",
    about="Turn a question into a valid PubMed query with MeSH headings. Searches nothing.",
    input=PlanQuery,
    output=QueryPlanned,
    run=_plan,
)
LOOKUP_MESH = Tool(
    name="lookup_mesh",
    about="MeSH headings by name, entry term or id, with entry terms, broader and narrower headings.",
    input=Terms,
    output=MeshTerms,
    run=_mesh,
)
