"""One measurement of a judge on pairs with known labels, from its estimated cost to the record in the user's folder.

It is asked as in an answer: several statements in a call, each with the quote that it cites, or a short answer.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from zlib import crc32

from pydantic import ValidationError

from medground import __version__
from medground.answering import Claim, judgement_of, judges
from medground.engine import operator_names
from medground.errors import ModelFailed, UsageError
from medground.home import Settings
from medground.models import (
    CallLimits,
    CheckInput,
    EvidenceView,
    Models,
    Proof,
    StatementView,
    check,
    open_models,
    own_address,
    shipped,
)
from medground.values import Author, Document, Frozen, Usage, UsageReport, portions
from medground_evaluate.judges.pairs import PLANTED, LabelledPair, planted_pairs, public_pairs
from medground_evaluate.line_file import LineFile, work_off
from medground_evaluate.metrics.cost import Estimate, list_price
from medground_evaluate.statistics import wilson

Said = Literal["entails", "contradicts", "related", "neutral", "unusable"]
"""`unusable`: a reply came, but it could not be read after all attempts."""


class Line(Frozen):
    """A judge's verdict on one pair."""

    pair: str
    said: Said
    reason: str = ""
    usage: UsageReport = UsageReport()


class Sheet(LineFile[Line]):
    """The file of one measurement, whose name holds judge, instructions and pairs: the verdict on each pair.

    A damaged line is asked for again. `fresh` forgets what is in the file.
    """

    what = "a file of verdicts on the test"

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        super().__init__(path)
        if fresh:
            self.clear()
        for _, raw in self.whole_lines():
            with suppress(ValidationError):
                self.lines.append(Line.model_validate_json(raw))

    def left(self, pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
        """The pairs without a line."""
        done = {line.pair for line in self.lines}
        return [pair for pair in pairs if pair.id not in done]


TOGETHER = 4
"""Statements in a call."""
CALLED_SUPPORTED = "the statements it calls supported"
UNDECIDED = "texts that decide nothing"
FIRST = 10
"""If not one of the first replies can be used, the model is not a judge, and no more are paid for."""
MOST_UNANSWERED = 5
"""More calls without any reply, each after its own tries, end the measurement; it can be resumed."""
_RIGHT: Mapping[str, str] = {"support": "entails", "refute": "contradicts"}
_ANSWERED: Mapping[str | None, Said] = {"follows": "entails", "contradicted": "contradicts"}

Call = tuple[LabelledPair, ...]


def calls_of(pairs: Sequence[LabelledPair]) -> list[Call]:
    """The calls for some pairs: several statements together, from any sets; each short answer alone."""
    mixed = sorted((pair for pair in pairs if not pair.shown), key=lambda pair: crc32(f"call {pair.id}".encode()))
    return [*map(tuple, portions(mixed, TOGETHER)), *((pair,) for pair in pairs if pair.shown)]


def asked(call: Call) -> CheckInput:
    """As the critic of an answer sees statements and the text that each cites."""
    quotes = tuple(EvidenceView(id=f"E{n}", quote=pair.text) for n, pair in enumerate(call, start=1))
    statements = tuple(
        StatementView(id=f"S{n}", text=pair.shown or pair.statement, cites=(f"E{n}",))
        for n, pair in enumerate(call, start=1)
    )
    if not call[0].shown:
        return CheckInput(evidence=quotes, statements=statements)
    question = f"Is this right? {call[0].statement}"
    return CheckInput(question=question, task="yes-no", evidence=quotes, statements=statements, answer=("yes",))


def _proof(name: str, kind: str, right: Sequence[bool], majority: float) -> Proof:
    low, high = wilson(sum(right), len(right))
    accuracy = sum(right) / len(right) if right else 0.0
    proof = Proof(dataset=name, pairs=len(right), accuracy=accuracy, low=low, high=high, majority=round(majority, 6))
    return proof.replace(of=kind)


_CHARACTERS = 4
"""Characters of a token, roughly, in English."""
_REPLY = 40
"""Tokens of a reply for each statement; what a model thinks before it is not counted."""


@dataclass(frozen=True)
class Measurement:
    """A measurement that is about to be made: nothing was asked yet."""

    model: str
    settings: Settings
    pairs: Sequence[LabelledPair]
    models: Models
    file: Path
    """The file of what the judge says; its name tells judge, instructions and pairs."""

    def left(self, *, fresh: bool = False) -> Estimate:
        """What is still to be asked, and its cost if every reply can be used."""
        left = [*self.pairs]
        if not fresh and self.file.exists():
            with Sheet(self.file) as sheet:
                left = sheet.left(left)
        schema, calls = len(json.dumps(check.output.model_json_schema())), calls_of(left)
        characters = sum(len("".join(check.taught_by)) + schema + len(check.prompt(asked(call))) for call in calls)
        tokens, replies = int(round(characters / _CHARACTERS, -3)), len(left) * _REPLY
        known = None if own_address(self.model, self.settings) else list_price(self.model, tokens, replies)
        return Estimate(len(calls), tokens, replies, known)

    async def make(
        self, *, fresh: bool = False, concurrency: int = 8, watch: Callable[[int, int], None] = lambda done, of: None
    ) -> judges.Measured:
        """Ask what is left and store the result; from then on it counts on this machine.

        Raises ModelFailed: none of the first replies could be used, or several calls had no reply; the rest is kept;
        ConfigError: the server rejects the key or does not have the model; StorageFailed: the file cannot be written;
        UsageError: another process is measuring the same judge.
        """
        unanswered: list[str] = []
        with Sheet(self.file, fresh=fresh) as sheet:
            self._check_first(sheet)

            async def work(call: Call) -> None:
                try:
                    lines = await self._lines(call)
                except ModelFailed as failed:
                    unanswered.append(failed.reason)
                    if len(unanswered) > MOST_UNANSWERED:
                        raise
                    return
                for line in lines:
                    sheet.add(line)
                watch(len(sheet.lines), len(self.pairs))
                self._check_first(sheet)

            try:
                await work_off(calls_of(sheet.left(self.pairs)), work, concurrency)
            except ModelFailed as error:
                if error.unreadable:
                    raise
            if unanswered:
                done = f"{len(sheet.lines):,} of {len(self.pairs):,} pairs are judged and kept"
                why = f"no reply ({unanswered[-1]}); {done}; run the same command to resume"
                raise ModelFailed(why, model=self.model)
            found = self._result({line.pair: line for line in sheet.lines})
        judges.keep(found, self.file.with_suffix(".json"))
        return found

    def _check_first(self, sheet: Sheet) -> None:
        said = sheet.lines
        if len(said) >= FIRST and all(line.said == "unusable" for line in said):
            why = f"none of its first {len(said)} replies could be used: {said[-1].reason}"
            raise ModelFailed(f"{why}; it is not a judge (--fresh starts again)", model=self.model, unreadable=True)

    async def _lines(self, call: Call) -> list[Line]:
        """What the judge says of each pair. A failure without a reply is raised: it says nothing about the judge."""
        value = asked(call)
        try:
            reply = await self.models.answer(check, value, CallLimits())
        except ModelFailed as failed:
            if not failed.unreadable:
                raise
            reason, usage = " ".join(failed.reason.split()), UsageReport.from_usage(failed.usage or Usage())
            lines = [Line(pair=pair.id, said="unusable", reason=reason) for pair in call]
        else:
            usage, said = (
                UsageReport.from_usage(reply.usage),
                {statement.statement: statement for statement in reply.output.statements},
            )
            lines = []
            for pair, quote, view in zip(call, value.evidence, value.statements, strict=True):
                found = judgement_of(Claim(view.text, (quote,)), said[view.id], self.settings.verify.entailment)
                word: Said = "unusable" if found.relation == "failed" or found.relation == "unsure" else found.relation
                word = _ANSWERED.get(reply.output.result, "neutral") if pair.shown else word
                lines.append(Line(pair=pair.id, said=word, reason=found.note))
        return [lines[0].replace(usage=usage), *lines[1:]]

    def _result(self, lines: Mapping[str, Line]) -> judges.Measured:
        """The measurement that a complete sheet makes."""
        told = [(pair, lines[pair.id].said) for pair in self.pairs]
        said = [(pair, word) for pair, word in told if not pair.dataset.startswith(PLANTED)]
        proofs = []
        for name in dict.fromkeys(pair.dataset for pair, _ in told if pair.dataset.startswith(PLANTED)):
            right = [(p.truth == "support") == (word == "entails") for p, word in told if p.dataset == name]
            proofs.append(_proof(name, "planted", right, 0.5))
        for name in dict.fromkeys(pair.dataset for pair, _ in said):  # a judge that does not decide is wrong
            here = [(p, word) for p, word in said if p.dataset == name and p.truth != "neutral"]
            supports = sum(pair.truth == "support" for pair, _ in here) / len(here)
            right = [_RIGHT[pair.truth] == word for pair, word in here]
            proofs.append(_proof(name, "claims", right, max(supports, 1 - supports)))
        if said:
            share = sum(pair.truth == "support" for pair, _ in said) / len(said)
            called = [pair.truth == "support" for pair, word in said if word == "entails"]
            silent = [word in ("neutral", "related") for pair, word in said if pair.truth == "neutral"]
            proofs += [_proof(CALLED_SUPPORTED, "supported", called, share), _proof(UNDECIDED, "neutral", silent, 0.5)]
        none = {"seconds": 0.0, "cached_calls": 0, "searches": 0, "counts": 0}
        return judges.Measured(
            model=self.model,
            address=own_address(self.model, self.settings),
            temperature=self.settings.server_of(self.model, check.name).temperature,
            asked=judges.asked_with(),
            measured=datetime.now(UTC),
            made_by=f"medground {__version__}",
            proofs=tuple(proofs),
            pairs=len(self.pairs),
            unusable=sum(word == "unusable" for _, word in told),
            usage=sum((lines[pair.id].usage.replace(**none) for pair in self.pairs), Usage()),
        )


def prepared(
    model: str, settings: Settings, *, data: Path | None = None, records: Iterable[Document] = ()
) -> Measurement:
    """Read the test and open the model; nothing is asked. The call cache is not used, so that replies are new.

    Args:
        data: the folder of the public sets, without which no model is proven.
        records: in whose findings errors are planted.

    Raises:
        UsageError: the model is not one that can be measured, or there is nothing to measure it on.
        ConfigError: the model is unknown, or its key or extra is missing.
    """
    if not Author(model).is_model:
        raise UsageError(f"{model} compares words and is not a judge; name a language model, such as openai:gpt-5")
    if model.startswith("nli:"):
        raise UsageError(
            f"{model} is not a language model; measure it with benchmarks/verification.py --critic {model}"
        )
    if model in shipped():
        raise UsageError(f"{model} ships with its own measurements; see `medground judge list`")
    chosen = settings.with_options({"model.default": model, "model.operators": {}, "model.cache": False})
    models = open_models(chosen, operator_names())
    pairs = [*planted_pairs(records), *(public_pairs(data) if data else ())]
    if not pairs:
        raise UsageError("no record with findings; name a corpus of papers with -c, files with --records, or --data")
    pin = [models.for_operator(check.name).identity, judges.asked_with(), [pair.id for pair in pairs]]
    name = judges.stem(model, hashlib.sha256(json.dumps(pin).encode()).hexdigest())
    return Measurement(model, chosen, pairs, models, judges.judges_folder(settings.home) / f"{name}.jsonl")
