"""A checked statement: its verdict and the critic's judgement behind it."""

from __future__ import annotations

from dataclasses import dataclass

from medground.answer import Verdict
from medground.verify.critics.base import Judgement


@dataclass(frozen=True)
class Checked:
    """A verdict with the judgement behind it.

    `judgement` is None if no critic was needed: the statement is a verbatim quote, was compared with a stored relation,
    or has no source at all.
    """

    verdict: Verdict
    judgement: Judgement | None = None
