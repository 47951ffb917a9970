"""Settings of `omni-rag`, of its planners and of its baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from medground.home.settings_groups import Listed, SettingsSection

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
    queries: int = Field(default=3, ge=1, le=12, description="most queries for a source")
    depth: int = Field(default=20, ge=1, le=1000, description="passages that a query finds")
    kept: int = Field(
        default=10, ge=1, le=1000, description="passages, or lines of a graph, left of these by reranking"
    )
    passages: int = Field(default=20, ge=1, description="most passages for the reader")
    each: int = Field(default=2, ge=1, description="passages of each source before the best of all")
    context: int = Field(default=20_000, ge=1000, description="most characters of passages for the reader")
    passage_words: int = Field(default=200, ge=20, description="most words of a passage that query2doc writes")
    answer_words: int = Field(default=100, ge=20, description="most words of the answer's reasoning")
    rounds: int = Field(default=8, ge=1, description="most plans of reflexion and serts")

    @property
    def chosen(self) -> str:
        """The planner that answers."""
        return ("trained" if self.adapter else "prompting") if self.planner == "auto" else self.planner

    @property
    def models(self) -> Mapping[str, str]:
        """The trained planner that `adapter` names."""
        return {"plan_sources": f"planner:{self.adapter}"} if self.adapter and self.chosen == "trained" else {}
