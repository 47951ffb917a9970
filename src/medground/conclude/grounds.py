"""Whether a checked rationale carries the answer that was drawn from it, and why if it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answer import Verdict
from medground.conclude.policy import OWN_KNOWLEDGE, UNSUPPORTED, Verdicted, rejected
from medground.sentence import by_sentence
from medground.verify.citations import CITATION, DISPUTED
from medground.verify.given import GIVEN
from medground.verify.reporting import NOT_FINDINGS

_MARKS = {CITATION, DISPUTED}
"""Flags that tell readers of something else than a difference from the quote."""


@dataclass(frozen=True)
class Grounds:
    """A rationale after checking.

    Attributes:
        written: every statement that was written, also the dropped ones.
        supporting: the released statements that can support a decision.
        unverified: the released statements on which the judge failed.
    """

    written: tuple[Verdicted, ...]
    supporting: tuple[Verdicted, ...]
    unverified: tuple[Verdicted, ...]

    @classmethod
    def of(cls, written: Sequence[Verdicted], kept: Sequence[Verdicted]) -> Grounds:
        """The grounds of a rationale, from what was written and what is released."""
        return cls(
            written=tuple(written),
            supporting=tuple(pair for pair in kept if can_support(pair[1])),
            unverified=tuple(pair for pair in kept if pair[1].label == "unverified"),
        )

    @property
    def contradicted(self) -> str:
        """How many sentences the evidence contradicts, in words; empty if none."""
        wrong, of = _sentences(self._wrong), _sentences(self.written)
        many = "every sentence" if wrong == of else f"{wrong} of the {of} sentences"
        return f"the evidence contradicts {many} of the rationale" if wrong else ""

    @property
    def carry(self) -> bool:
        """Whether sentences support a decision, and no more of them are contradicted than do."""
        return bool(self.supporting) and _sentences(self.supporting) >= _sentences(self._wrong)

    @property
    def _wrong(self) -> list[Verdicted]:
        return [pair for pair in self.written if rejected(pair[1]) == "contradicted"]

    @property
    def unchecked(self) -> str:
        """Why no sentence was checked that could support the decision, if the judge is to blame; else empty."""
        if self.supporting or self.contradicted or not self.unverified:
            return ""
        failed = dict.fromkeys(f"{verdict.critic} failed: {verdict.note}" for _, verdict in self.unverified)
        return f"unverified, because {' and '.join(failed)}"

    def why_not(self) -> str:
        """Why they do not carry the decision, for each way in which sentences fail to."""
        others = [verdict for _, verdict in self.written if rejected(verdict) != "contradicted"]
        reasons = "" if self.supporting else "; ".join(dict.fromkeys(map(_why, others)))
        if self.contradicted:
            rest = f", and none of the others supports it: {reasons}" if reasons else ""
            return f"{self.contradicted}{rest}"
        return f"none of its sentences supports it: {reasons}"


_RULES = ("citation", "retraction", "form", "graph")
"""Critics whose note is the reason."""


def can_support(verdict: Verdict) -> bool:
    """Whether a sentence with this verdict can support a decision.

    It cannot if it was not found in its source or not checked, if it cites nothing, if its words differ from the source
    and no judge with the last word has weighed that, or if it is based on a quote that reports no finding.
    """
    flags = set(verdict.flags)
    if verdict.label in UNSUPPORTED or rejected(verdict) or flags & {OWN_KNOWLEDGE, *NOT_FINDINGS}:
        return False
    return not flags - _MARKS or verdict.label not in ("related", "not judged")


def _why(verdict: Verdict) -> str:
    """Why a sentence supports nothing."""
    if verdict.label == "unverified":
        return f"not checked, because {verdict.critic} failed: {verdict.note}"
    if verdict.label == GIVEN:
        return "it only repeats the context of the question"
    if verdict.label == "not found":
        return (
            verdict.note
            if verdict.critic in _RULES and verdict.note
            else f"{verdict.critic} does not find it in the evidence"
        )
    if OWN_KNOWLEDGE in verdict.flags or not verdict.best:
        return "no evidence is cited"
    if not set(verdict.flags).isdisjoint(NOT_FINDINGS):
        return "the text cited reports no finding"
    if rejected(verdict):
        return f"{verdict.labelled_by} labels it {verdict.category}"
    differing = [flag for flag in verdict.flags if flag not in _MARKS]
    return f"differs from the evidence ({', '.join(differing)})" if differing else "left out with its sentence"


def _sentences(statements: Sequence[Verdicted]) -> int:
    """How many sentences these statements are from."""
    return sum(1 for _ in by_sentence([statement for statement, _ in statements]))
