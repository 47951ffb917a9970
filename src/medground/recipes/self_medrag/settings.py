"""Settings of `self-medrag`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from medground.home.settings_groups import SettingsSection


class SelfMedRagSettings(SettingsSection):
    """Parts of the recipe `self-medrag` (its section 3); theta is `verify.support`, tau `verify.entailment`."""

    section: ClassVar[str] = "self_medrag"

    retrieval: Literal["auto", "hybrid", "bm25", "dense"] = Field(
        default="auto", description="`auto`: `hybrid` where a source has vectors, else `bm25`"
    )
    passages: int = Field(default=5, ge=1, description="passages in the context of each round (C_i)")
    critic: bool = Field(default=True, description="off: a single round without critic")
    rounds: int = Field(default=3, ge=1, description="most rounds; the best one is returned")
    drift: float = Field(
        default=0.3, ge=0, le=1, description="least cosine of a statement that joins the query with the question"
    )
    returned: Literal["best", "last"] = Field(
        default="best",
        description="`best`: the best round, and a round that gives no answer does not end the loop; `last`: the round "
        "that reaches theta or the last one, as in the paper",
    )
    contexts: bool = Field(default=False, description="show the generator the passages of earlier rounds too (H)")
