"""Settings of `pubmed-reasoner`, and of the baselines that share its query generation."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from medground.settings import SettingsSection


class PubMedReasonerSettings(SettingsSection):
    """Parts of the recipe `pubmed-reasoner`. The switches turn off what we added to the paper, for ablations."""

    section: ClassVar[str] = "pubmed_reasoner"

    terms: int = Field(default=8, ge=1, description="most MeSH headings that are searched with and criticised")
    signals: int = Field(default=10, ge=1, description="records whose title and abstract the critic sees (S_t)")
    signal_length: int = Field(default=1_500, ge=100, description="characters of an abstract that the critic sees")
    critic: bool = Field(default=True, description="refine the query (Algorithm 1); off: the first query stays")
    batching: bool = Field(default=True, description="stop reading early (Algorithm 2); off: all 20 are read")
    tokens: int | None = Field(default=None, ge=0, description="tokens after which reading stops (T); none is no limit")
    relax: bool = Field(default=True, description="(a) widen a query that finds too little")
    enough: int = Field(default=5, ge=1, description="documents that are enough for (a)")
    concepts: bool = Field(default=True, description="(b) every concept of the question is in the query")
    step_back: bool = Field(default=True, description="(d) search again when the evidence does not suffice")
    retractions: bool = Field(default=True, description="(e) retracted papers are not read, and shown")
    designs: bool = Field(default=True, description="(f) stronger designs are cited first")
