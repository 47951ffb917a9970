"""The tools, for agents: when to use each, what it takes and gives, and the module that does it."""

from collections.abc import Mapping

from medground.faces.mcp import outputs, tool
from medground.faces.mcp.tool import Tool

FIND = "Find its id with search."
_AGAIN = "Call the tool again."
_ALL = (
    Tool(
        "ask",
        "Answer a biomedical question from the literature, with a verdict on each sentence and verbatim citations. "
        "Says so when nothing supports an answer.",
        tool.Ask,
        outputs.AnswerOrJob,
        "ask",
    ),
    Tool(
        "research",
        "Write a report on a broad question: sub-questions, then a section for each. Slower than ask.",
        tool.Research,
        outputs.Researched,
        "ask",
    ),
    Tool(
        "search",
        "Find passages of the literature by words and meaning: verbatim, with offsets. Read more of one with fetch.",
        tool.Search,
        outputs.SearchFound,
        "documents",
    ),
    Tool(
        "fetch",
        "The stored text of one document that search found, with its metadata.",
        tool.Fetch,
        outputs.Fetched,
        "documents",
        missing=FIND,
    ),
    Tool(
        "get_document",
        "Texts of several documents by id, with sections and a status for each. Offsets are those of citations.",
        tool.Documents,
        outputs.DocumentsFound,
        "documents",
    ),
    Tool(
        "lookup_paper",
        "PMID, PMC id, DOI and record of papers, from any of their ids or from a citation.",
        tool.Papers,
        outputs.PapersFound,
        "papers",
    ),
    Tool(
        "related_papers",
        "Papers that are similar to a paper, cite it, or are its references.",
        tool.Related,
        outputs.RelatedFound,
        "papers",
    ),
    Tool(
        "verify_claim",
        "Compare claims with the literature: a verdict for each statement and the quote that decided it.",
        tool.Claims,
        outputs.ClaimsChecked,
        "ask",
    ),
    Tool(
        "check_text",
        "Check each sentence of a text against the papers that it cites.",
        tool.TextToCheck,
        outputs.TextChecked,
        "checking",
    ),
    Tool(
        "plan_query",
        "Turn a question into a valid PubMed query with MeSH headings. Searches nothing.",
        tool.PlanQuery,
        outputs.QueryPlanned,
        "terms",
    ),
    Tool(
        "lookup_mesh",
        "MeSH headings by name, entry term or id, with entry terms, broader and narrower headings.",
        tool.Terms,
        outputs.MeshTerms,
        "terms",
    ),
    Tool(
        "lookup_phenotype",
        "Phenotypes, diseases and genes of the knowledge graph (HPO) by id, name or synonym, with quoted statements.",
        tool.Terms,
        outputs.PhenotypeTerms,
        "terms",
    ),
    Tool(
        "read_more",
        "The next page of a result that was truncated.",
        tool.Cursor,
        outputs.GoesOn,
        lasts=False,
        missing="Call the tool again without a cursor.",
    ),
    Tool(
        "get_job",
        "The state of a job, or its result once it has ended. Waits a while for the end.",
        tool.JobId,
        outputs.GoesOn,
        lasts=False,
        missing=_AGAIN,
    ),
    Tool(
        "cancel_job",
        "Stop a job. What it found is kept and returned.",
        tool.JobId,
        outputs.GoesOn,
        reads=False,
        lasts=False,
        missing=_AGAIN,
    ),
)
TOOLS: Mapping[str, Tool] = {each.name: each for each in _ALL}
