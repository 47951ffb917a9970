"""The settings of single recipes: a section for each paper. What all recipes share is in `home.settings_groups`."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, NonNegativeInt

from medground.home.settings_groups import Listed, SettingsSection, listed
from medground.values.document import AtLeastOne, Proportion
from medground.values.research_plan import TOOLS, Tool

PlannerName = Literal["auto", "prompting", "trained", "keyless", "all", "original", "query2doc", "reflexion", "serts"]


class OmniRagSettings(SettingsSection):
    """Parts of the recipe `omni-rag` (Omni-RAG, sections 4.1 and 5.1, appendix D.3)."""

    section: ClassVar[str] = "omni_rag"

    planner: PlannerName = Field(
        default="auto",
        description="`auto`: `trained` where an adapter is named, else `prompting`; `keyless`: word statistics even "
        "where a model is named; `all`: the question to every source",
    )
    adapter: str | None = Field(
        default=None,
        description="folder of a trained planner's adapter, run in this process; a served one is named by "
        "model.operators.plan_sources instead",
    )
    tagged: bool = Field(default=False, description="ask for the plan as text in tags (E.7), not as typed output")
    only: Listed = Field(default=(), description="names or kinds of the only sources to plan for; empty for all")
    without: Listed = Field(default=(), description="names or kinds of sources to leave out")
    dropped: Listed = Field(
        default=(), description="names or kinds of sources that are planned for and searched, and not read (Table 6)"
    )
    queries: int = Field(default=3, ge=1, le=12, description="maximum queries per source")
    depth: int = Field(default=20, ge=1, le=1000, description="passages that a query finds")
    kept: int = Field(
        default=10, ge=1, le=1000, description="passages, or lines of a graph, left of these by reranking"
    )
    passages: AtLeastOne = Field(default=20, description="maximum passages for the reader")
    each: AtLeastOne = Field(default=2, description="passages of each source before the best of all")
    context: int = Field(default=20_000, ge=1000, description="maximum characters of passages for the reader")
    passage_words: int = Field(default=200, ge=20, description="maximum words of a passage that query2doc writes")
    answer_words: int = Field(default=100, ge=20, description="maximum words of the answer's reasoning")
    rounds: AtLeastOne = Field(default=8, description="maximum plans of reflexion and serts")

    @property
    def chosen(self) -> str:
        """The planner that answers."""
        return ("trained" if self.adapter else "prompting") if self.planner == "auto" else self.planner

    @property
    def models(self) -> Mapping[str, str]:
        """The trained planner that `adapter` names."""
        return {"plan_sources": f"planner:{self.adapter}"} if self.adapter and self.chosen == "trained" else {}


class PubMedReasonerSettings(SettingsSection):
    """Parts of the recipe `pubmed-reasoner`. The switches turn off what we added to the paper, for ablations.

    The preset `pubmed-reasoner-paper` has all of them off.
    """

    section: ClassVar[str] = "pubmed_reasoner"

    terms: AtLeastOne | None = Field(
        default=None, description="maximum MeSH headings to search with and critique; no limit by default"
    )
    one_call: bool | None = Field(
        default=None,
        description="write a query in one call and criticise it in one (appendix E), not by equation; by default where "
        "a model answers",
    )
    signals: AtLeastOne = Field(default=10, description="records whose title and abstract the critic sees (S_t)")
    signal_length: int = Field(default=1_500, ge=100, description="characters of an abstract that the critic sees")
    critic: bool = Field(default=True, description="refine the query (Algorithm 1); off: keep the first query")
    final: Literal["judged", "last"] = Field(
        default="judged", description="read what the best-rated query found, or the last one (Algorithm 1, line 13)"
    )
    reading: Literal["evidence", "summaries", "abstracts"] = Field(
        default="evidence",
        description="answer from quoted evidence (Algorithm 2), from summaries of whole articles (Table 6, w/o RR), or "
        "from their abstracts (Table 9)",
    )
    batching: bool = Field(default=True, description="stop reading early (Algorithm 2); off: read all 20 documents")
    tokens: NonNegativeInt | None = Field(
        default=None, description="tokens after which reading stops (T); no limit by default"
    )
    candidates: AtLeastOne = Field(
        default=1, description="responses of `self-reflection`, of which the most common is kept"
    )
    relax: bool = Field(default=True, description="(a) widen a query that finds too little")
    enough: AtLeastOne = Field(default=5, description="number of documents that is enough for (a)")
    concepts: bool = Field(default=True, description="(b) add concepts of the question that the query lacks")
    step_back: bool = Field(default=True, description="(d) search again if the evidence is not sufficient")
    dates: bool = Field(default=True, description="limit the search to years that the question states")
    reorder: bool = Field(default=True, description="read what is likelier to answer first; off: in the order found")
    designs: bool = Field(default=True, description="(f) cite stronger study designs first")


class ReasonAndVerifySettings(SettingsSection):
    """Parts of the recipe `reason-and-verify` (Reason and Verify, section 3.1 and 4.1)."""

    section: ClassVar[str] = "reason_and_verify"

    candidates: AtLeastOne = Field(default=20, description="passages from BM25 (k)")
    passages: AtLeastOne = Field(default=5, description="passages of evidence after reranking (m)")
    rerank: bool = Field(default=True, description="off: the first passages by BM25 are the evidence")
    reranker: str = Field(default="none", description="`none`, `medcpt`, or a cross-encoder's name or folder")
    rationale: bool = Field(default=True, description="off: vanilla RAG, which answers without a rationale")
    rewrite: bool = Field(default=True, description="rewrite the question when overlap or evidence score is low")
    overlap: Proportion = Field(default=0.3, description="rewrite below this overlap (tau_ovlp)")
    evidence: Proportion = Field(default=0.5, description="rewrite below this mean score (tau_evid)")
    assess: bool = Field(default=False, description="ask a model for one verdict on the whole, and quality 1 to 5")
    pool: str | None = Field(default=None, description="name of a demonstration pool, or the path of its file")
    shots: int = Field(default=0, ge=0, le=8, description="demonstrations to show (k)")
    shown: Literal["quotes", "passages"] = Field(
        default="quotes", description="of a demonstration: the sentences that its rationale cites, or all of its E"
    )
    selection: Literal["static", "dynamic"] = "dynamic"
    balanced: bool = Field(default=False, description="take classes in turn instead of the nearest only")
    diversity: Proportion = Field(default=0.95, description="cosine above which two demonstrations count as alike")
    least: NonNegativeInt = Field(
        default=0, description="minimum number of unique demonstrations; the rest are drawn at random"
    )
    seed: int = 0


class SelfMedRagSettings(SettingsSection):
    """Parts of the recipe `self-medrag` (its section 3); theta is `verify.support`, tau `verify.entailment`."""

    section: ClassVar[str] = "self_medrag"

    retrieval: Literal["auto", "hybrid", "bm25", "dense"] = Field(
        default="auto", description="`auto`: `hybrid` where a source has vectors, else `bm25`"
    )
    passages: AtLeastOne = Field(default=5, description="passages in the context of each round (C_i)")
    critic: bool = Field(default=True, description="off: a single round without critic")
    rounds: AtLeastOne = Field(default=3, description="maximum rounds; the best one is returned")
    drift: Proportion = Field(
        default=0.3, description="minimum cosine for a statement that joins the query with the question"
    )
    returned: Literal["best", "last"] = Field(
        default="best",
        description="`best`: the best round, and a round that gives no answer does not end the loop; `last`: the round "
        "that reaches theta or the last one, as in the paper",
    )
    contexts: bool = Field(default=False, description="show the generator the passages of earlier rounds too (H)")


class BioMedSearchSettings(SettingsSection):
    """Parts of the recipe `biomedsearch` (BioMedSearch, sections III and IV.B)."""

    section: ClassVar[str] = "biomedsearch"

    subquestions: int = Field(default=5, ge=1, le=10, description="most sub-questions (n)")
    keywords: int = Field(default=6, ge=1, le=12, description="maximum keywords per sub-question (e)")
    use_keywords: bool = Field(default=True, description="off: each sub-question is searched by its own words")
    tools: Annotated[tuple[Tool, ...], BeforeValidator(listed)] = Field(
        default=TOOLS, description="what may be searched: literature, protein, web"
    )
    without: Listed = Field(default=(), description="names of sources to leave out")
    each: int = Field(default=100, ge=1, le=1000, description="maximum results per source and sub-question")
    coverage: Proportion = Field(
        default=0.0,
        description="minimum share of keywords in title and abstract (theta); 0: papers are only ranked by it",
    )
    salient: AtLeastOne = Field(default=3, description="keywords of the second query where the first finds nothing")
    kept: int = Field(default=10, ge=1, le=100, description="papers kept for a sub-question (k)")
    relevance: Proportion = Field(default=0.4, description="minimum relevance of a web page (tau)")
    pages: int = Field(default=5, ge=1, le=100, description="web pages kept for a sub-question (k)")
    embedder: str = Field(
        default="minilm",
        description="the embedding model for cosines, outside any corpus; words are used if it is not installed",
    )
    paragraphs: int = Field(default=5, ge=1, le=50, description="paragraphs that answer a choice (k)")
    passages: bool = Field(default=True, description="answer a choice from the passages that were read, too")
