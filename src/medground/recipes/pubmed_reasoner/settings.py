"""Settings of `pubmed-reasoner`, and of the baselines that share its query generation."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from medground.home.settings_groups import SettingsSection


class PubMedReasonerSettings(SettingsSection):
    """Parts of the recipe `pubmed-reasoner`. The switches turn off what we added to the paper, for ablations.

    The preset `pubmed-reasoner-paper` has all of them off.
    """

    section: ClassVar[str] = "pubmed_reasoner"

    terms: int | None = Field(
        default=None, ge=1, description="most MeSH headings to search with and critique; no limit by default"
    )
    one_call: bool = Field(
        default=False, description="write a query in one call and criticise it in one (appendix E), not by equation"
    )
    signals: int = Field(default=10, ge=1, description="records whose title and abstract the critic sees (S_t)")
    signal_length: int = Field(default=1_500, ge=100, description="characters of an abstract that the critic sees")
    critic: bool = Field(default=True, description="refine the query (Algorithm 1); off: keep the first query")
    final: Literal["judged", "last"] = Field(
        default="judged", description="read what the best judged query found, or the last one (Algorithm 1, line 13)"
    )
    reading: Literal["evidence", "summaries", "abstracts"] = Field(
        default="evidence",
        description="answer from quoted evidence (Algorithm 2), from summaries of whole articles (Table 6, w/o RR), or "
        "from their abstracts (Table 9)",
    )
    batching: bool = Field(default=True, description="stop reading early (Algorithm 2); off: read all 20 documents")
    tokens: int | None = Field(
        default=None, ge=0, description="tokens after which reading stops (T); no limit by default"
    )
    candidates: int = Field(
        default=1, ge=1, description="responses of `self-reflection`, of which the commonest is kept"
    )
    relax: bool = Field(default=True, description="(a) widen a query that finds too little")
    enough: int = Field(default=5, ge=1, description="number of documents that is enough for (a)")
    concepts: bool = Field(default=True, description="(b) add concepts of the question that the query lacks")
    step_back: bool = Field(default=True, description="(d) search again if the evidence is not sufficient")
    dates: bool = Field(default=True, description="limit the search to years that the question states")
    reorder: bool = Field(default=True, description="read what is likelier to answer first; off: in the order found")
    designs: bool = Field(default=True, description="(f) cite stronger study designs first")
