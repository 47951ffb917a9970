"""Look for papers whose words oppose a finding, and quote the sentences that do, to be compared with it.

Whether they contradict it is for `verify.conflicts` to compare and for a reader to judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medground.document import Hit
from medground.evidence import Evidence
from medground.executor.contradictions import contradicting, opposition
from medground.read.numbered import spans
from medground.recipes.settings.biomedsearch import BioMedSearchSettings
from medground.run import Run
from medground.together import together
from medground.write.subanswers import Part

OPPOSED = 0.5
"""Least share of a finding's subject, by weight, in a sentence that opposes it."""
_EACH = 3
"""Most sentences that are quoted against a finding."""


async def opposing(answered: Sequence[Part], run: Run) -> tuple[list[Evidence], list[str]]:
    """Quotes that may oppose the first finding of each sub-answer, and the ids of all papers looked at for that.

    Nothing is searched where `biomedsearch.contradictions` is off.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    if not run.settings.section(BioMedSearchSettings).contradictions:
        return [], []
    findings = [(part, text) for part in answered for text in list(_findings(part, run))[:1]]
    found = await together(contradicting(text, part.found.subquestion, run) for part, text in findings)
    quotes = [
        quote
        for (part, text), hits in zip(findings, found, strict=True)
        for quote in list(_opposed(part, text, hits, run))[:_EACH]
    ]
    return quotes, list(dict.fromkeys(hit.passage.document_id for hits in found for hit in hits))


def _findings(part: Part, run: Run) -> Iterator[str]:
    """The sentences of a sub-answer that cite papers."""
    kinds = {quote.id: run.ledger.documents[quote.document_id].kind for quote in part.evidence}
    return (one.text for one in part.sentences if any(kinds[e] == "research" for e in one.evidence))


def _opposed(part: Part, finding: str, hits: Sequence[Hit], run: Run) -> Iterator[Evidence]:
    """The sentence of each other paper that opposes a finding most."""
    own = {quote.document_id for quote in part.evidence}
    for hit in hits:
        passage = hit.passage
        if passage.document_id in own or not passage.text.strip() or not run.stands(passage):
            continue
        weighed = [(opposition(finding, passage.text[start:end]), start, end) for start, end in spans(passage.text)]
        share, start, end = max(weighed, default=(0.0, 0, 0))
        if share >= OPPOSED:
            yield run.ledger.quote(passage.document_id, passage.start + start, passage.start + end)
