"""Settings of `biomedsearch`, of its planner, its executor and its report."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from medground.home.settings_groups import Listed, SettingsSection, listed
from medground.values.research_plan import TOOLS, Tool


class BioMedSearchSettings(SettingsSection):
    """Parts of the recipe `biomedsearch` (BioMedSearch, sections III and IV.B)."""

    section: ClassVar[str] = "biomedsearch"

    subquestions: int = Field(default=5, ge=1, le=10, description="most sub-questions (n)")
    keywords: int = Field(default=6, ge=1, le=12, description="most keywords of a sub-question (e)")
    use_keywords: bool = Field(default=True, description="off: each sub-question is searched by its own words")
    tools: Annotated[tuple[Tool, ...], BeforeValidator(listed)] = Field(
        default=TOOLS, description="what may be searched: literature, protein, web"
    )
    without: Listed = Field(default=(), description="names of sources to leave out")
    each: int = Field(default=100, ge=1, le=1000, description="most results of one source for a sub-question")
    coverage: float = Field(
        default=0.8, ge=0, le=1, description="least share of keywords in title and abstract (theta)"
    )
    salient: int = Field(default=3, ge=1, description="keywords of the second query where the first finds nothing")
    kept: int = Field(default=10, ge=1, le=100, description="papers kept for a sub-question (k)")
    relevance: float = Field(default=0.4, ge=0, le=1, description="least relevance of a web page (tau)")
    pages: int = Field(default=5, ge=1, le=100, description="web pages kept for a sub-question (k)")
    embedder: str = Field(
        default="minilm",
        description="the embedding model of cosines, outside any corpus; words count where it is not there",
    )
    paragraphs: int = Field(default=5, ge=1, le=50, description="paragraphs of a report that answer a choice (k)")
