"""Settings of `pubmed-reasoner`, and of the baselines that share its query generation."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from medground.settings import SettingsSection


class PubMedReasonerSettings(SettingsSection):
    """Parts of the recipe `pubmed-reasoner`. The switches turn off what we added to the paper, for ablations."""

    section: ClassVar[str] = "pubmed_reasoner"

    terms: int = Field(default=8, ge=1, description="most MeSH headings to search with and critique")
    signals: int = Field(default=10, ge=1, description="records whose title and abstract the critic sees (S_t)")
    signal_length: int = Field(default=1_500, ge=100, description="characters of an abstract that the critic sees")
    critic: bool = Field(default=True, description="refine the query (Algorithm 1); off: keep the first query")
    batching: bool = Field(default=True, description="stop reading early (Algorithm 2); off: read all 20 documents")
    tokens: int | None = Field(
        default=None, ge=0, description="tokens after which reading stops (T); no limit by default"
    )
    relax: bool = Field(default=True, description="(a) widen a query that finds too little")
    enough: int = Field(default=5, ge=1, description="number of documents that is enough for (a)")
    concepts: bool = Field(default=True, description="(b) add concepts of the question that the query lacks")
    step_back: bool = Field(default=True, description="(d) search again if the evidence is not sufficient")
    retractions: bool = Field(default=True, description="(e) list retracted papers instead of reading them")
    designs: bool = Field(default=True, description="(f) cite stronger study designs first")
