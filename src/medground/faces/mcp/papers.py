"""`lookup_paper` and `related_papers`: ids, citations, entities, and what is like a paper or cites it."""

from typing import Any

from medground.answering.conclude.compose import source_document
from medground.faces.mcp.answers import fields_of, source_of, source_part
from medground.faces.mcp.pages import NAME, WORDS, Fence, Part, Result, line
from medground.faces.mcp.tool import Call, Papers, Related
from medground.language.clean import some
from medground.values.papers import PaperFound
from medground.wording.view import document_view

_ENTITIES = 40


async def lookup_paper(call: Call, value: Papers) -> Result:
    found = await call.service.use(lambda engine: engine.papers(value.papers, entities=value.entities), call.person)
    known = sum(one.status == "found" for one in found)
    words = f"{known} of {some(len(found), 'paper')} found.\n{call.fence.rule}"
    return Result(head={"papers": []}, words=words, parts=[_paper(one, call.fence) for one in found])


def _paper(one: PaperFound, fence: Fence) -> Part:
    fields: dict[str, Any] = {"asked": line(one.asked, NAME), "status": one.status, **one.ids, "held_by": one.held_by}
    if one.document:
        fields |= fields_of(source_of(document_view(source_document(one.document, ""))))
    fields |= {"error": line(one.reason, WORDS), "entities": [fields_of(each) for each in one.entities[:_ENTITIES]]}
    kept = {name: value for name, value in fields.items() if value}
    return Part("papers", kept, fence.words("paper", kinds=list(one.ids)))


async def related_papers(call: Call, value: Related) -> Result:
    found = await call.service.use(
        lambda engine: engine.related(value.paper, by=value.by, limit=value.limit), call.person
    )
    words = f"{some(len(found.documents), 'paper')} ({', '.join(found.ways)}).\n{call.fence.rule}"
    views = (document_view(source_document(document, "")) for document in found.documents)
    return Result(head={"documents": []}, words=words, parts=[source_part(view, call.fence) for view in views])
