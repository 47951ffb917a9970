"""The policy that decides which sentences are released, and whether they carry the answer that was drawn from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from medground.answering.verify.context import FOREIGN, GIVEN, SUBJECT
from medground.answering.verify.critic import CITATION, CONTRADICTION, DISPUTED, INCORRECT
from medground.answering.verify.named import HELD
from medground.answering.verify.overclaim import HELD_BACK, UNHELD
from medground.answering.verify.reporting import NOT_FINDINGS
from medground.home.settings_groups import VerifySettings
from medground.values.evidence import Sentence, by_sentence
from medground.values.statement import Dropped, Verdict

UNSUPPORTED = ("not found", "unverified", GIVEN)

OWN_KNOWLEDGE = "own knowledge"
"""The flag of a sentence that cites nothing and is shown all the same."""
_NOTHING_CITED = "it cites no evidence; the setting verify.own_knowledge=mark shows such sentences, marked"

_OWN = "the model's own knowledge, not from the evidence"

Verdicted = tuple[Sentence, Verdict]


def release(
    statements: Sequence[Sentence], verdicts: Sequence[Verdict], settings: VerifySettings, *, uncited: bool = False
) -> tuple[list[Verdicted], list[Dropped]]:
    """Split checked statements into released statements and dropped sentences.

    Without `verify.gate` every statement is released, with its verdict: a paper ends at the paper's answer.

    A judge that has not proved itself may take away, never give: a statement that any judge calls contradicted or
    incorrect is dropped. Sentences that refer to a work that was never retrieved, or quote what their source does not
    say, are always dropped. Sentences without a citation and unsupported statements are dropped or marked,
    depending on the settings. A sentence is released whole or not at all, because part of a sentence may say something
    else. `uncited` releases sentences without citations, for recipes that answer from a model's memory. A sentence that
    only repeats what was given with the question is released without citations: no source is about that.
    """
    kept: list[Verdicted] = []
    dropped: list[Dropped] = []
    remaining = iter(zip(statements, verdicts, strict=True))
    for group in by_sentence(statements):
        checked = list(islice(remaining, len(group)))
        reasons = []
        if settings.gate:
            reasons = [reason for pair in checked if (reason := _refused(*pair, settings, uncited=uncited))]
        if reasons:
            dropped.append(Dropped(text=group[0].whole.text, reason="; ".join(reasons)))
        else:
            kept += checked if uncited else _marked(checked)
    return kept, dropped


def _marked(checked: Sequence[Verdicted]) -> list[Verdicted]:
    """The statements of a sentence; one that cites nothing cites what supports it, or is marked as own knowledge."""
    if all(verdict.label == GIVEN for _, verdict in checked):
        return [(statement.replace(evidence=()), verdict) for statement, verdict in checked]
    if any(statement.evidence for statement, _ in checked):
        return list(checked)
    found = tuple(dict.fromkeys(v.best for _, v in checked if v.best and v.label in ("supported", "partly")))
    if found:
        return [(statement.replace(evidence=found), verdict) for statement, verdict in checked]
    return [
        (one, v if v.label == GIVEN else v.replace(flags=(*v.flags, OWN_KNOWLEDGE), note=_OWN)) for one, v in checked
    ]


def _refused(statement: Sentence, verdict: Verdict, settings: VerifySettings, *, uncited: bool) -> str:
    """Why a statement must be dropped, with its text if its sentence has others; empty if it is released."""
    needs_none = uncited or verdict.label == GIVEN or settings.own_knowledge == "mark"
    cites = bool(statement.evidence) or needs_none
    found = rejected(verdict)
    held_back = not UNHELD.union(HELD).isdisjoint(verdict.flags)
    held_back |= verdict.label == "not found" and not HELD_BACK.isdisjoint(verdict.flags)
    always = bool(found) or held_back or not cites
    if not always and not (settings.unsupported == "drop" and verdict.label in UNSUPPORTED):
        return ""
    reason = verdict.note if cites or found else _NOTHING_CITED
    described = f"{found or verdict.label}{': ' + reason if reason else ''}"
    return f"“{statement.text}” is {described}" if statement.within else described


def rejected(verdict: Verdict) -> str:
    """What a judge, validated or not, calls a statement that it rejects; empty if none rejects it."""
    if verdict.label == "contradicted" or CONTRADICTION in verdict.flags:
        return "contradicted"
    return INCORRECT if INCORRECT in verdict.flags else ""


_DECIDE_NOTHING = UNHELD.union(NOT_FINDINGS, (OWN_KNOWLEDGE, FOREIGN))
_MARKS = {CITATION, DISPUTED, SUBJECT}
"""Flags that tell readers of something else than a difference from the quote."""


@dataclass(frozen=True)
class Grounds:
    """A rationale after checking.

    Attributes:
        written: every statement that was written, also the dropped ones.
        released: of these the ones that are shown.
    """

    written: Sequence[Verdicted]
    released: Sequence[Verdicted]

    @property
    def supporting(self) -> list[Verdicted]:
        """Of the released statements, those that can support a decision."""
        return [pair for pair in self.released if can_support(pair[1])]

    @property
    def contradicted(self) -> str:
        """How many sentences the evidence contradicts, in words; empty if none."""
        wrong, written = _sentences(self._wrong), _sentences(self.written)
        many = "every sentence" if wrong == written else f"{wrong} of the {written} sentences"
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
        """Why no judge says of any sentence that it holds, if the judge is to blame; else empty."""
        silent = [verdict for _, verdict in self.released if is_silent(verdict) and _MARKS.issuperset(verdict.flags)]
        if self.supporting or self.contradicted or not silent:
            return ""
        failed = [f"{one.critic} failed: {one.note}" for one in silent if one.label == "unverified"]
        said = failed or [f"{one.critic} does not say that a sentence is supported by its quotes" for one in silent]
        return " and ".join(dict.fromkeys(said))

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

    It cannot if it was not found in its source, if no judge says that it holds, if it cites nothing, if its words
    differ from the source and no judge with the last word has weighed that, if it is based on a quote that reports no
    finding, or if it is about a thing that no text around its quotes names, whoever judged it.
    """
    flags = set(verdict.flags)
    if verdict.label in UNSUPPORTED or is_silent(verdict) or rejected(verdict) or flags & _DECIDE_NOTHING:
        return False
    return not flags - _MARKS or verdict.label != "not judged"


def is_silent(verdict: Verdict) -> bool:
    """Whether a judge failed, or says neither that a sentence holds nor that it does not. What is on the same subject
    need not hold.
    """
    assessed = verdict.assessed or verdict.category
    return verdict.label in ("unverified", "related") or (verdict.label == "not judged" and not assessed)


def _why(verdict: Verdict) -> str:
    if verdict.label == "unverified":
        return f"not checked, because {verdict.critic} failed: {verdict.note}"
    if verdict.label == GIVEN:
        return "it only repeats the context of the question"
    if verdict.label == "not found":
        by_rule = (verdict.critic in _RULES or not set(HELD).isdisjoint(verdict.flags)) and verdict.note
        return by_rule or f"{verdict.critic} does not find it in the evidence"
    if OWN_KNOWLEDGE in verdict.flags or not verdict.best:
        return "no evidence is cited"
    if not set(verdict.flags).isdisjoint(NOT_FINDINGS):
        return "the text cited reports no finding"
    if rejected(verdict):
        return f"{verdict.labelled_by} labels it {verdict.category}"
    if FOREIGN in verdict.flags or (SUBJECT in verdict.flags and verdict.label == "related"):
        return "the text cited does not mention what it is about"
    differing = [flag for flag in verdict.flags if flag not in _MARKS]
    return f"differs from the evidence ({', '.join(differing)})" if differing else "left out with its sentence"


def _sentences(statements: Sequence[Verdicted]) -> int:
    return sum(1 for _ in by_sentence([statement for statement, _ in statements]))
