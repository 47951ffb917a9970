"""`check_text`: a text with citations in, what the papers say of each of its sentences out."""

from medground.faces.mcp.answers import note_part
from medground.faces.mcp.pages import NAME, WORDS, Fence, Part, Result, line
from medground.faces.mcp.tool import Call, TextToCheck
from medground.values.finding import Finding, JoinedReference
from medground.wording.findings import KINDS, summary, unjoined


async def check_text(call: Call, value: TextToCheck) -> Result:
    found = await call.service.check_text(value.text, call.person, file="text", corpora=value.corpora)
    parts = [_finding(finding, call.fence) for finding in found.findings]
    parts += [_reference(one, call.fence) for one in unjoined(found)]
    parts += [note_part(remark, call.fence) for remark in found.remarks]
    return Result(head={"findings": []}, words=f"{summary(found)}.\n{call.fence.rule}", parts=parts)


def _finding(one: Finding, fence: Fence) -> Part:
    value = one.model_dump(mode="json", exclude={"file"}, exclude_defaults=True)
    return Part("findings", value, fence.words("finding", kind=KINDS[one.kind]))


def _reference(one: JoinedReference, fence: Fence) -> Part:
    value = {"mark": line(one.mark, NAME), "entry": line(one.entry, WORDS), "reason": line(one.reason, WORDS)}
    return Part("references", value, fence.words("unjoined"))
