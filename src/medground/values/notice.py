"""A notice: the sentence that comes first where a person may be at risk."""

from __future__ import annotations

from typing import Literal

from medground.values.document import Frozen

NoticeKind = Literal["self-harm", "emergency", "treatment"]
"""`self-harm`: nothing is searched or quoted. `emergency`, `treatment` (one's own treatment): the answer follows."""


class Notice(Frozen):
    """Where to turn, shown before anything else."""

    kind: NoticeKind
    sentence: str

    @property
    def stops(self) -> bool:
        """Whether the question is not answered at all."""
        return self.kind == "self-harm"
