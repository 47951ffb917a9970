"""How a planner is trained. The defaults are those of the paper (Omni-RAG, appendix D.4), where it names them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from medground.document import Frozen
from medground.train.planning.trainset import Which

BETA = 0.1
"""The strength of the preference. The paper does not name its value; this is that of Rafailov et al., 2023."""

Stage = Literal["sft", "dpo"]


class TrainingOptions(Frozen):
    """Options of one stage.

    Attributes:
        stage: supervised fine-tuning (Eq. 2) or direct preference optimisation (Eq. 3 and 4).
        which: the plans of supervised fine-tuning; `negative` for the comparison of Table 10.
        batch: plans, or pairs, for one step.
        at_once: how many of a batch are computed at the same time; fewer need less memory.
        learning_rate: the peak.
        ratio: random share of the training set (Figure 5).
        rank, alpha, dropout: of the adapter (LoRA). The paper does not name them.
        longest: examples of more tokens, prompt and plan, are left out, never cut.
        beta: of Eq. 4. The paper does not name it.
        save_every: steps between two checkpoints.
    """

    stage: Stage
    which: Which = "positive"
    batch: int = Field(default=64, ge=1)
    at_once: int = Field(default=4, ge=1)
    learning_rate: float = Field(gt=0)
    epochs: float = Field(gt=0)
    ratio: float = Field(default=1.0, gt=0, le=1)
    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    longest: int = Field(default=4096, ge=16)
    beta: float = Field(default=BETA, gt=0)
    save_every: int = Field(default=20, ge=1)
    seed: int = 0


SFT = TrainingOptions(stage="sft", learning_rate=2.5e-4, epochs=5)
DPO = TrainingOptions(stage="dpo", which="pairs", learning_rate=5e-6, epochs=3)
