"""Asking a judge about pairs with known labels, each verdict in a file at once, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from medground.answering.verify.critic import Claim
from medground.answering.verify.critics import judgement_of
from medground.answering.verify.measured import Measured, asked_with
from medground.errors import ModelFailed
from medground.home.line_file import LineFile, work_off
from medground.home.settings import Settings
from medground.models.base import CallLimits
from medground.models.operators.base import EvidenceView
from medground.models.operators.verifying import EntailInput, entail
from medground.models.registry import Models, own_address
from medground.models.shipped import Proof
from medground.values.document import Frozen
from medground.values.usage import Usage, UsageReport
from medground.version import __version__
from medground_evaluate.judges.labelled_pairs import LabelledPair
from medground_evaluate.statistics import wilson

Said = Literal["entails", "contradicts", "related", "neutral", "unusable"]
"""`unusable`: a reply came, but it could not be read after all tries."""


class Line(Frozen):
    """What a judge said of one pair."""

    pair: str
    said: Said
    reason: str = ""
    usage: UsageReport = UsageReport()


class Sheet(LineFile):
    """The file of one measurement, whose name tells judge, instructions and pairs. Use it as a context manager.

    A damaged line is asked for again. `fresh` forgets what is in the file.

    Attributes:
        lines: what the judge said, by pair.

    Raises:
        UsageError: another process is writing it.
        StorageFailed: the file cannot be written.
    """

    what = "a file of verdicts on the test"

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        super().__init__(path)
        self.lines: dict[str, Line] = {}
        if fresh:
            self.clear()
        for _, raw in self.whole_lines():
            with suppress(ValidationError):
                line = Line.model_validate_json(raw)
                self.lines[line.pair] = line

    def append(self, line: Line) -> None:
        """Add a line; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines[line.pair] = line


CALLED_SUPPORTED = "the statements it calls supported"
UNDECIDED = "texts that decide nothing"
FIRST = 10
"""If not one of the first replies can be used, the model is no judge, and no more are paid for."""
MOST_UNANSWERED = 5
"""More calls without any reply, each after its own tries, end the measurement; it can be resumed."""
_RIGHT: Mapping[str, str] = {"support": "entails", "refute": "contradicts"}

Watch = Callable[[int, int], None]
"""Called after each pair with the number done and the total; must be cheap."""


def claim_of(pair: LabelledPair) -> Claim:
    """A pair as the critic of an answer sees a statement and the one text that it cites."""
    return Claim(pair.statement, (EvidenceView(id="E1", quote=pair.text),))


async def ask_all(
    models: Models,
    pairs: Sequence[LabelledPair],
    sheet: Sheet,
    settings: Settings,
    *,
    concurrency: int = 8,
    watch: Watch = lambda done, of: None,
) -> None:
    """Ask the model of `entail` about each pair that the sheet does not have; each reply is in the file at once.

    Raises:
        ModelFailed: none of the first replies could be used, or several calls had no reply; the rest is kept.
        ConfigError: the server rejects the key or does not have the model.
        StorageFailed: the file cannot be written.
    """
    name = models.of(entail.name).name
    left = [pair for pair in pairs if pair.id not in sheet.lines]
    unanswered: list[str] = []
    _check_first(sheet.lines.values(), name)

    async def work(pair: LabelledPair) -> None:
        try:
            line = await _line(models, pair, settings)
        except ModelFailed as failed:
            unanswered.append(failed.reason)
            if len(unanswered) > MOST_UNANSWERED:
                raise
            return
        sheet.append(line)
        watch(len(sheet.lines), len(pairs))
        _check_first(sheet.lines.values(), name)

    try:
        await work_off(left, work, concurrency)
    except ModelFailed as error:
        if error.unreadable:
            raise
    if unanswered:
        done = f"{len(sheet.lines):,} of {len(pairs):,} pairs are judged and kept"
        raise ModelFailed(f"no reply ({unanswered[-1]}); {done}; run the same command to resume", model=name)


def _check_first(lines: Iterable[Line], name: str) -> None:
    said = list(lines)
    if len(said) >= FIRST and all(line.said == "unusable" for line in said):
        why = f"none of its first {len(said)} replies could be used: {said[-1].reason}"
        raise ModelFailed(f"{why}; it is not a judge (--fresh asks again)", model=name, unreadable=True)


async def _line(models: Models, pair: LabelledPair, settings: Settings) -> Line:
    """What the judge says of a pair. A failure without a reply is raised: it says nothing about the judge."""
    claim = claim_of(pair)
    try:
        reply = await models.answer(
            entail, EntailInput(statement=claim.statement, evidence=claim.premises), CallLimits()
        )
    except ModelFailed as failed:
        if not failed.unreadable:
            raise
        reason = " ".join(failed.reason.split())
        return Line(pair=pair.id, said="unusable", reason=reason, usage=UsageReport.of(failed.usage or Usage()))
    found = judgement_of(claim, reply.output, settings.verify.entailment)
    said = "unusable" if found.relation in ("failed", "unsure") else found.relation
    return Line(pair=pair.id, said=said, reason=found.note, usage=UsageReport.of(reply.usage))


def result(
    pairs: Sequence[LabelledPair], lines: Mapping[str, Line], model: str, settings: Settings, now: datetime
) -> Measured:
    """The measurement that a complete sheet makes."""
    said = [(pair, lines[pair.id].said) for pair in pairs]
    names = dict.fromkeys(pair.dataset for pair in pairs)
    proofs = [_claims(name, [(p, s) for p, s in said if p.dataset == name and p.truth != "neutral"]) for name in names]
    return Measured(
        model=model,
        address=own_address(model, settings),
        temperature=settings.model.temperature,
        asked=asked_with(),
        measured=now,
        made_by=f"medground {__version__}",
        proofs=(*proofs, _called_supported(said), _undecided(said)),
        pairs=len(pairs),
        unusable=sum(word == "unusable" for _, word in said),
        usage=UsageReport.of(_total(lines[pair.id].usage for pair in pairs)),
    )


def _claims(name: str, said: Sequence[tuple[LabelledPair, str]]) -> Proof:
    """SUPPORT against CONTRADICT; a judge that does not decide is wrong."""
    right = sum(_RIGHT[pair.truth] == word for pair, word in said)
    supports = sum(pair.truth == "support" for pair, _ in said)
    return _proof(name, right, len(said), max(supports, len(said) - supports) / len(said))


def _called_supported(said: Sequence[tuple[LabelledPair, str]]) -> Proof:
    called = [pair.truth == "support" for pair, word in said if word == "entails"]
    share = sum(pair.truth == "support" for pair, _ in said) / len(said)
    return _proof(CALLED_SUPPORTED, sum(called), len(called), share).model_copy(update={"of": "supported"})


def _undecided(said: Sequence[tuple[LabelledPair, str]]) -> Proof:
    right = [word in ("neutral", "related") for pair, word in said if pair.truth == "neutral"]
    return _proof(UNDECIDED, sum(right), len(right), 0.5).model_copy(update={"of": "neutral"})


def _proof(name: str, right: int, of: int, majority: float) -> Proof:
    low, high = wilson(right, of)
    accuracy = right / of if of else 0.0
    return Proof(dataset=name, pairs=of, accuracy=accuracy, low=low, high=high, majority=round(majority, 6))


def _total(reports: Iterable[UsageReport]) -> Usage:
    return sum(
        (
            Usage(r.input_tokens, r.output_tokens, r.model_calls, price=r.price, estimated_tokens=r.estimated_tokens)
            for r in reports
        ),
        Usage(),
    )
