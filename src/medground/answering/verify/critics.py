"""The critic that `verify.critic` names: an operator, labels alone, an NLI model, or the network that ships."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from medground.answering.run import Run
from medground.answering.verify.critic import Claim, Critic, Judgement, Reads, Scorer, without_judge
from medground.answering.verify.judges import NLI, OPERATOR, may_judge
from medground.answering.verify.named import remark
from medground.answering.verify.nli_critic import NliCritic, open_nli
from medground.answering.verify.trained_critic import PairScorer, TrainedCritic, open_trained
from medground.errors import ConfigError, ModelFailed
from medground.home.registry import find, names
from medground.models.catalogue import shipped
from medground.models.operators.checking import CheckInput, CheckOutput, StatementCheck, StatementView, check
from medground.models.operators.verifying import label
from medground.values.steps import Judging
from medground.values.usage import Author

LONGEST = 24_000
"""Characters of the quotes and statements of one call, about 6,000 tokens; what is longer is checked in several calls
at the same time."""


@dataclass(frozen=True)
class AnswerJudgement:
    """What a judge says of a short answer: what it found, and the places of the claims that decide it."""

    said: CheckOutput
    rests_on: tuple[int, ...]
    by: str


class OperatorCritic:
    """Asks the operator `check`: one call for all claims and the short answer that they lead to.

    A call for which its server was too busy is made once more.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.name = run.models.for_operator(check.name).name
        self.is_model = Author(self.name).is_model
        # Word statistics compare sentences; a model reads whole passages.
        self.reads: Reads = "passages" if self.is_model else "sentences"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order. Raises BudgetExhausted: the run reached one of its limits."""
        return (await self.judge_answer(claims))[0]

    async def judge_answer(
        self,
        claims: Sequence[Claim],
        answer: Sequence[str] = (),
        beside: Sequence[str] = (),
        doubts: Sequence[str] = (),
    ) -> tuple[list[Judgement], AnswerJudgement | None]:
        """Judge claims, and whether a short answer follows from them and from the sentences `beside` them.

        The second value is None if there is no answer, nobody can tell, or the call failed, which is a warning.

        Raises BudgetExhausted: the run reached one of its limits.
        """
        found = {n: known for n, claim in enumerate(claims) if (known := without_judge(claim))}
        *groups, last = _groups({n: claim for n, claim in enumerate(claims) if n not in found})
        told = [claim.statement for group in groups for claim in group.values()]
        sent = [self._value(group) for group in groups]
        sent += [self._value(last, answer, (*told, *beside) if answer else (), doubts)] if last or answer else []
        outputs = await asyncio.gather(*map(self._ask, sent))
        for group, output in zip([*groups, last], outputs, strict=False):
            found |= self._judgements(group, output)
        self._run.on_step(Judging(done=len(claims), of=len(claims)))
        said = outputs[-1] if outputs and answer else None
        if not isinstance(said, CheckOutput) or said.result is None:
            return [found[n] for n in range(len(claims))], None
        places = tuple(n for n in last if f"S{n + 1}" in said.rests_on)
        return [found[n] for n in range(len(claims))], AnswerJudgement(said, places, self.name)

    def _value(
        self,
        group: Mapping[int, Claim],
        answer: Sequence[str] = (),
        beside: Sequence[str] = (),
        doubts: Sequence[str] = (),
    ) -> CheckInput:
        quotes = {view.id: view for claim in group.values() for view in claim.premises}
        asked = self._run.question
        return CheckInput(
            question=asked.text,
            task=asked.task,
            options=asked.options,
            evidence=tuple(view.replace(stance="unknown") for view in quotes.values()),
            statements=tuple(_statement(n, claim, len(quotes)) for n, claim in group.items()),
            beside=tuple(beside),
            answer=tuple(answer),
            doubts=tuple(doubts),
        )

    async def _ask(self, value: CheckInput) -> CheckOutput | ModelFailed:
        try:
            return await self._run.ask(check, value)
        except ModelFailed as failed:
            error = failed
        if error.busy:
            with contextlib.suppress(ModelFailed):
                return await self._run.ask(check, value)
        what = "a sentence" if value.statements else "the short answer"
        self._run.warn(f"{what} could not be verified: {error}")
        return error

    def _judgements(self, group: Mapping[int, Claim], output: CheckOutput | ModelFailed) -> dict[int, Judgement]:
        if isinstance(output, ModelFailed):
            return {n: Judgement("failed", note=output.reason) for n in group}
        said = {statement.statement: statement for statement in output.statements}
        tau, documents = self._run.settings.verify.entailment, self._run.ledger.documents.values()
        found = {n: judgement_of(claim, said[f"S{n + 1}"], tau) for n, claim in group.items()}
        return {n: replace(j, note=remark(j.note, documents, self._run.question.text)) for n, j in found.items()}


def _groups(claims: Mapping[int, Claim]) -> list[dict[int, Claim]]:
    """The claims by their places, in as few groups as a call's length allows. A quote counts once in a group."""
    groups, seen = [dict[int, Claim]()], dict[str, str]()
    for n, claim in claims.items():
        own = {view.id: view.quote for view in claim.premises} | {f"S{n}": claim.statement}
        joined = seen | own
        if groups[-1] and (sum(map(len, joined.values())) > LONGEST or joined != own | seen):
            groups.append({})
            seen = {}
        groups[-1][n] = claim
        seen |= own
    return groups


def _statement(n: int, claim: Claim, quotes: int) -> StatementView:
    own = claim.cites or (tuple(view.id for view in claim.premises) if len(claim.premises) < quotes else ())
    return StatementView(id=f"S{n + 1}", text=claim.statement, kind=claim.kind, cites=own, doubts=claim.doubts)


def judgement_of(claim: Claim, said: StatementCheck, tau: float) -> Judgement:
    """The operator's judgement; one with a known probability below tau, or by a foreign quote, counts as `related`."""
    given = [view.id for view in claim.premises]
    own = claim.cites or given
    only = own[:1] if len(own) == 1 or said.relation == "contradicts" else []  # which may be left unnamed
    best = said.best or next(iter(only), None)
    if best not in given or claim.kind != "statement":
        best = None
    probability, entailment = said.probabilities.get(said.relation), said.probabilities.get("entails")
    decided = said.relation in ("entails", "contradicts") and claim.kind == "statement"
    if decided and best is None:
        return Judgement("related", note=said.reason)
    if decided and probability is not None and probability < tau:
        note = f"{said.relation} with a probability of {probability:.2f}, below {tau:g}"
        return Judgement("related", best, entailment=entailment, note=note)
    found = Judgement(said.relation, best, probability, entailment=entailment, flags=said.flags, note=said.reason)
    return replace(found, settles=said.settles)


class LabelsOnly:
    """Leaves every claim to the model that answers the operator `label`."""

    reads: Reads = "passages"

    def __init__(self, run: Run) -> None:
        self.name = run.models.for_operator(label.name).name

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """No relation for any claim; results are in order."""
        return [without_judge(claim) or Judgement("unsure") for claim in claims]


LABELS = "label"


def open_critic(run: Run) -> Critic:
    """Open the critic that the run's settings name. A model is loaded on first use, or earlier by `check_critic`.

    Raises ConfigError: no critic has that name, an extra is missing, or the model is not an NLI model.
    """
    name = run.settings.verify.critic
    if name == LABELS:
        return LabelsOnly(run)
    model = check_critic(name, run.settings.home / "models")
    if isinstance(model, PairScorer):
        return TrainedCritic(run, model)
    if isinstance(model, Critic):
        return model
    return OperatorCritic(run) if model is None else NliCritic(run, name, model)


def keyless_judge(run: Run) -> Critic | None:
    """The network that ships, where it was fetched and may judge: for when a language model fails."""
    for name in shipped():
        if may_judge(name, run.settings.verify):
            with contextlib.suppress(ConfigError):
                return TrainedCritic(run, open_trained(name, run.settings.home / "models"))
    return None


def check_critic(name: str, models: Path) -> Scorer | Critic | None:
    """Load the model of a critic, once, or your own critic. Returns None for an operator, whose model is open.

    This blocks: call it in a thread, before anything is paid for.

    Raises ConfigError: see `open_critic`.
    """
    if name in (OPERATOR, LABELS):
        return None
    ours = list(shipped())
    if name in ours:
        return open_trained(name, models)
    if not name.startswith(NLI) and (own := find("critics", name, Critic)) is not None:
        return own
    if not name.startswith(NLI) or not name.removeprefix(NLI).strip():
        known = "`, `".join([OPERATOR, LABELS, *ours, *names("critics")])
        raise ConfigError(f"unknown critic {name!r}; set verify.critic to `{known}` or `nli:` and a folder or hub name")
    return open_nli(name.removeprefix(NLI).strip())
