"""Settings of `reason-and-verify`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from medground.home.settings_groups import SettingsSection


class ReasonAndVerifySettings(SettingsSection):
    """Parts of the recipe `reason-and-verify` (Reason and Verify, section 3.1 and 4.1)."""

    section: ClassVar[str] = "reason_and_verify"

    candidates: int = Field(default=20, ge=1, description="passages from BM25 (k)")
    passages: int = Field(default=5, ge=1, description="passages of evidence after reranking (m)")
    rerank: bool = Field(default=True, description="off: the first passages by BM25 are the evidence")
    reranker: str = Field(default="none", description="`none`, `medcpt`, or a cross-encoder's name or folder")
    rationale: bool = Field(default=True, description="off: vanilla RAG, which answers without a rationale")
    rewrite: bool = Field(default=True, description="rewrite the question when overlap or evidence score is low")
    overlap: float = Field(default=0.3, ge=0, le=1, description="rewrite below this overlap (tau_ovlp)")
    evidence: float = Field(default=0.5, ge=0, le=1, description="rewrite below this mean score (tau_evid)")
    assess: bool = Field(default=False, description="ask a model for one verdict on the whole, and quality 1 to 5")
    pool: str | None = Field(default=None, description="name of a demonstration pool, or the path of its file")
    shots: int = Field(default=0, ge=0, le=8, description="demonstrations to show (k)")
    shown: Literal["quotes", "passages"] = Field(
        default="quotes", description="of a demonstration: the sentences that its rationale cites, or all of its E"
    )
    selection: Literal["static", "dynamic"] = "dynamic"
    balanced: bool = Field(default=False, description="take classes in turn instead of the nearest only")
    diversity: float = Field(
        default=0.95, ge=0, le=1, description="cosine above which two demonstrations count as alike"
    )
    least: int = Field(
        default=0, ge=0, description="least number of unique demonstrations; the rest are drawn at random"
    )
    seed: int = 0
