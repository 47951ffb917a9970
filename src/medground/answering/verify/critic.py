"""The contract of a critic, and the verdict that its judgement comes to.

A critic takes a statement and premise passages and returns a relation with its probability.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

from medground.language.question_reading import InWords
from medground.models.operators.base import EvidenceView
from medground.models.operators.checking import Entailment
from medground.values.evidence import SentenceKind
from medground.values.statement import Assessed, Verdict


@dataclass(frozen=True)
class Claim(InWords):
    """A statement and the passages that it is compared with, best first. Without passages it cannot be supported.

    `doubts` are what word filters noticed about the pair, for a critic that can read them; `cites` are ids of the
    premises that it names itself, empty where all are meant; `kind` as in `StatementView`; `within` is the sentence
    that the statement is part of.
    """

    statement: str
    premises: tuple[EvidenceView, ...] = ()
    doubts: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    kind: SentenceKind = "statement"
    within: str = ""

    @property
    def in_words(self) -> str:
        """The statement."""
        return self.statement


Reads = Literal["sentences", "windows", "passages"]
"""What a critic is given of a passage: each sentence, neighbouring sentences together, or the whole."""


@dataclass(frozen=True)
class Judgement:
    """A critic's judgement of one claim.

    Attributes:
        relation: `entails`, `contradicts`, `related` (same topic, not judged) or `neutral`. `unsure` means that the
            critic leans one way, but not by enough to say so. `failed` means that it gave no usable result (an error, a
            timeout, NaN): the statement is `unverified`, never supported.
        best: id of the deciding premise, or of the one with the highest entailment; None if none is close.
        probability: probability of the relation, from 0 to 1, if the critic measures it.
        entailment: highest probability of entailment over the premises, if the critic measures it.
        flags: differences from a similar premise that make the statement wrong, such as `number` or `negation`.
        note: one line for a reader; for a failure, the reason.
        settles: words of a quote that answer the doubts about the claim, as it copied them.
        mean: mean probability of entailment over the premises that it read, 0 if it read none; None if not measured.
    """

    relation: Entailment | Literal["unsure", "failed"]
    best: str | None = None
    probability: float | None = None
    entailment: float | None = None
    flags: tuple[str, ...] = ()
    note: str = ""
    settles: str = ""
    mean: float | None = None

    @property
    def leans(self) -> Literal["entails", "contradicts"] | None:
        """The way that it goes, also where the critic is too unsure to say so; None if it goes neither way."""
        if self.relation == "entails" or self.relation == "contradicts":
            return self.relation
        if self.relation != "unsure" or self.probability is None:
            return None
        return "entails" if self.probability == self.entailment else "contradicts"


def without_judge(claim: Claim) -> Judgement | None:
    """The judgement of a claim that needs no critic: it is empty, or there is no text to compare it with."""
    if not claim.statement.strip():
        return Judgement("failed", note="the statement is empty")
    if not any(premise.quote.strip() for premise in claim.premises):
        return Judgement("neutral", note="there is no text to compare it with")
    return None


def sound(claim: Claim, judgement: Judgement) -> Judgement:
    """The judgement, or a failed one if a number is not a probability or `best` is not one of the premises."""
    numbers = [number for number in (judgement.probability, judgement.entailment) if number is not None]
    if not all(0 <= number <= 1 for number in numbers):  # False for NaN
        return Judgement("failed", note="the critic returned a number that is not a probability")
    decisive = judgement.best is not None or (
        judgement.relation in ("entails", "contradicts") and claim.kind == "statement"
    )
    if decisive and judgement.best not in {premise.id for premise in claim.premises}:
        return Judgement("failed", note="the critic did not name one of the passages it was given")
    return judgement


@runtime_checkable
class Critic(Protocol):
    """Judges claims. One instance serves many concurrent calls."""

    @property
    def name(self) -> str:
        """The critic's name, as in `verify.trusted_judges`: `keyless`, `nli:roberta-large-mnli`, ..."""
        ...

    @property
    def reads(self) -> Reads:
        """What it is given of each passage of a context."""
        ...

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order. A claim that cannot be judged is `failed`, with the reason.

        Raises BudgetExhausted: the run reached one of its limits.
        """
        ...


@dataclass(frozen=True)
class Score:
    """Highest probabilities over the windows of a premise; NaN if any window gave a value that is not finite."""

    entailment: float
    contradiction: float


class Scorer(Protocol):
    """What scores pairs of premise and hypothesis, such as an `NliModel`."""

    def problem(self, statement: str) -> str | None:
        """Why the model cannot judge a statement, or None."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool]) -> list[Score]:
        """Score pairs in order; NaN once `stopped` is true. Raises ModelFailed: the network could not run."""
        ...


CONTRADICTION = "contradiction"
"""The flag of a statement that a judge which is not validated calls contradicted."""

INCORRECT = "incorrect"
"""The flag of a statement that a model labels as one of the four kinds of incorrect."""

CITATION = "citation"
"""The flag of a statement that is supported, but not by the evidence that it cites."""

DISPUTED = "disputed"
"""The flag of a statement that its citation supports and another retrieved passage contradicts."""


@dataclass(frozen=True)
class Checked:
    """A verdict with the judgement behind it.

    `judgement` is None if no critic was needed: the statement is a verbatim quote, was compared with a stored relation,
    or has no source at all.
    """

    verdict: Verdict
    judgement: Judgement | None = None


def verdict_of(found: Judgement, critic: str, *, validated: bool) -> Verdict:
    """The verdict that a critic's judgement comes to."""
    told = {name: getattr(found, name) for name in ("best", "flags", "probability", "note")}
    given: dict[str, Any] = {"critic": critic, **told}
    match found.relation:
        case "failed":
            return Verdict(label="unverified", critic=critic, note=found.note)
        case "unsure":
            return Verdict(label="not judged", critic=critic, best=found.best, note=found.note)
        case "neutral":
            return Verdict(label="not found", **given)
        case "related":
            return Verdict(label="related", **given)
    if not validated:
        return _assessed(found, given)
    if found.relation == "contradicts":
        return Verdict(label="contradicted", **given)
    return Verdict(label="partly" if found.flags else "supported", **given)


def _assessed(found: Judgement, given: dict[str, Any]) -> Verdict:
    """What a model says that is not a validated judge: told, but no label."""
    entailed = found.relation == "entails"
    assessed: Assessed = "contradicted" if not entailed else "partly" if found.flags else "supported"
    doubt = () if entailed else (CONTRADICTION,)  # not enough for a verdict, but worth a look
    changed = {"flags": (*found.flags, *doubt)}
    return Verdict(label="not judged", assessed=assessed, **(given | changed))


def by_citation(checked: Checked, of_citation: Checked) -> Checked:
    """A statement checked against the context, corrected for its own citations.

    If the cited quotes entail it, they are the ones to show, whatever another passage says. If only another passage, or
    another sentence of the passage, entails it, the citation is wrong and the statement is `partly` supported.
    """
    found, cited = checked.judgement, of_citation.judgement
    if found is None or cited is None:
        return checked
    if found.relation == "entails":
        return replace(checked, verdict=_supported(checked.verdict, cited))
    if cited.relation != "entails":
        return checked
    if found.relation == "contradicts":
        return replace(of_citation, verdict=marked(of_citation.verdict, DISPUTED, "another passage contradicts it"))
    return of_citation


def _supported(verdict: Verdict, cited: Judgement) -> Verdict:
    if cited.relation == "entails":
        flags = tuple(dict.fromkeys([*verdict.flags, *cited.flags]))
        label = "partly" if flags and verdict.label == "supported" else verdict.label
        return verdict.replace(best=cited.best, flags=flags, label=label)
    if cited.relation == "failed":
        return marked(verdict, CITATION, f"whether the evidence cited supports it was not checked: {cited.note}")
    return marked(verdict, CITATION, "the retrieved passages support it, but the evidence cited does not")


def marked(verdict: Verdict, flag: str, note: str) -> Verdict:
    """The verdict with a flag and a note; `supported` becomes `partly`."""
    label = "partly" if verdict.label == "supported" else verdict.label
    return noted(verdict, note, flag).replace(label=label)


def noted(verdict: Verdict, note: str, *flags: str) -> Verdict:
    """The verdict with one more note, and with these flags."""
    notes = "; ".join(filter(None, [verdict.note, note]))
    return verdict.replace(flags=tuple(dict.fromkeys([*verdict.flags, *flags])), note=notes)
