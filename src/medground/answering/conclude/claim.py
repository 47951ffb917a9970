"""Check a claim that the user wrote against the sources: verdicts and quotes, no answer."""

from itertools import islice

from medground.answering.conclude.compose import listed_documents
from medground.answering.declaration import Declaration
from medground.answering.rank.fuse import distinct, fuse
from medground.answering.read.readable import readable, texts
from medground.answering.run import Run, with_titles
from medground.answering.verify.check import CHECKING, check_each
from medground.answering.verify.marks import without_citations
from medground.answering.verify.named import author_years
from medground.answering.verify.references import quotations
from medground.corpus.retraction import set_aside
from medground.language.clauses import segment
from medground.values.answer import Search, SourceDocument
from medground.values.decision import Notice
from medground.values.document import Frozen, Hit
from medground.values.evidence import Evidence, Sentence
from medground.values.lookup import Lookup
from medground.values.statement import Statement
from medground.values.usage import UsageReport

CHECKING_A_CLAIM = Declaration(name="verify", operators=CHECKING)
PASSAGES = 5
"""Passages that a claim is compared with, unless `verify.context` sets another number."""


class CheckedClaim(Frozen):
    """A claim split into statements, each with its verdict and the quotes behind it.

    `evidence` holds the deciding quotes and `documents` their documents. If both are empty, either nothing was found to
    compare the claim with or a source failed: see `searches`. A `notice` about self-harm comes alone.
    """

    claim: str
    notice: Notice | None = None
    statements: tuple[Statement, ...]
    evidence: tuple[Evidence, ...] = ()
    documents: tuple[SourceDocument, ...] = ()
    searches: tuple[Search, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: UsageReport = UsageReport()
    trace_id: str


async def check_claim(run: Run) -> CheckedClaim:
    """Search for the claim (the text of the run's question) and compare each of its statements with the results.

    Raises SourceUnavailable: no source could be searched; BudgetExhausted: the run reached one of its limits.
    """
    claim = run.question.text
    if run.notice is not None and run.notice.stops:
        return CheckedClaim(claim=claim, notice=run.notice, statements=(), usage=run.report(), trace_id=run.trace.id)
    spans = [span for span in segment(claim) if without_citations(claim[slice(*span)]).strip(" .,;:")] or segment(claim)
    parts = [Sentence(text=claim[start:end], evidence=(), within=claim, start=start) for start, end in spans]
    checked = await check_each(parts, run, context=await _context(claim, run), cited=False)
    statements = tuple(
        Statement(
            text=part.text,
            start=start,
            end=end,
            evidence=(one.verdict.best,) if one.verdict.best else (),
            verdict=one.verdict,
        )
        for part, (start, end), one in zip(parts, spans, checked, strict=True)
    )
    cited = {evidence for statement in statements for evidence in statement.evidence}
    evidence = tuple(e for e in run.ledger.evidence if e.id in cited)
    return CheckedClaim(
        claim=claim,
        notice=run.notice,
        statements=statements,
        evidence=evidence,
        documents=listed_documents(run, [*(e.document_id for e in evidence), *run.shown]),
        searches=tuple(run.searches),
        warnings=tuple(run.warnings),
        usage=run.report(),
        trace_id=run.trace.id,
    )


async def _context(claim: str, run: Run) -> list[Hit]:
    await with_titles(run.question, run)  # what a claim is compared with first: the papers that it names by id
    stated = without_citations(claim) or claim
    quoted = [Lookup.words(passage) for passage in quotations(claim)]
    found = await run.look_up(Lookup.words(stated), *quoted)
    fused = fuse([ranking for result in found for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    if author_years(claim):
        await run.retrieve(list(set_aside(fused)[1]))  # so that a retracted one is known by its authors
    hits = distinct(await readable(texts(fused), run, asked=run.asked.reworded(stated)))
    return list(islice(hits, run.settings.verify.context or PASSAGES))
