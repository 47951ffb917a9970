"""The test of a judge: the same few hundred pairs of text and statement for everyone, from sets that are measured only.

None of them trains anything that ships. They are public, so a hosted model may have seen them: a pass is necessary
proof, not sufficient.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple
from zlib import crc32

from pydantic import ValidationError

from medground import __version__
from medground.answering import Claim, judgement_of, judges
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
from medground.values import Author, Frozen, Usage, UsageReport
from medground_evaluate.datasets.literature import SCIFACT
from medground_evaluate.datasets.loader import json_lines
from medground_evaluate.line_file import LineFile, work_off
from medground_evaluate.metrics.cost import Estimate, list_price
from medground_evaluate.statistics import wilson

Truth = Literal["support", "refute", "neutral"]
PER_SET: Mapping[Truth, int] = {"support": 24, "refute": 24, "neutral": 12}
"""Pairs of each label in a set. Half of those that decide support, so that guessing is right half of the time."""
_TRUTHS: Mapping[str, Truth] = {"SUPPORT": "support", "CONTRADICT": "refute"}


class LabelledPair(NamedTuple):
    """A statement, the text to judge it by, and the truth. `group`: pairs of one share a document or a claim."""

    id: str
    dataset: str
    group: str
    text: str
    statement: str
    truth: Truth

    @property
    def asked(self) -> CheckInput:
        """As the critic of an answer sees a statement and the one text that it cites."""
        statement = StatementView(id="S1", text=self.statement)
        return CheckInput(evidence=(EvidenceView(id="E1", quote=self.text),), statements=(statement,))


def _scifact(data: Path, name: str) -> Iterator[LabelledPair]:
    """Development claims, each with every abstract that it cites."""
    for item in SCIFACT.read(data / "scifact", "validation"):
        for document in item.context:
            number = document.id.partition(":")[2]
            given = item.extra["evidence"].get(number)
            truth = _TRUTHS[given[0]["label"]] if given else "neutral"
            yield LabelledPair(f"{item.id}-{number}", name, number, document.text, item.question.text, truth)


def _nli(path: Path, name: str, split: str | None) -> Iterator[LabelledPair]:
    for where, row in json_lines(path):
        try:
            if split in (None, row.get("split")):
                text = " ".join(row["premise"].split())
                yield LabelledPair(row["id"], name, row["group"], text, row["hypothesis"], row["label"])
        except (KeyError, AttributeError) as error:
            raise UsageError(f"{where}: not a labelled pair ({error}); copy the file again") from None


_PLACES: Mapping[str, tuple[str, str | None]] = {
    "SciFact dev": ("scifact", "validation"),
    "Check-COVID dev": ("nli/check_covid.jsonl.gz", "dev"),
    "Evidence Inference validation": ("nli/evidence_inference_v2_templates.jsonl.gz", "validation"),
    "HealthVer dev": ("nli/healthver_abs.jsonl.gz", None),
    "NLI4CT evidence": ("nli/nli4ct2023_evidence.jsonl.gz", None),
}
"""The sets by the names that answers use, each with its place in the data folder and its split."""


def drawn_pairs(data: Path) -> list[LabelledPair]:
    """The pairs of the sets that are in a data folder, set by set."""
    if not data.is_dir():
        raise UsageError(f"{data} is not a folder; give the folder of scifact/ and nli/ with --data")
    there = [name for name, (place, _) in _PLACES.items() if (data / place).exists()]
    if "SciFact dev" not in there or len(there) < judges.SETS:
        missing = ", ".join(place for name, (place, _) in _PLACES.items() if name not in there)
        raise UsageError(
            f"{data} lacks {missing}; a proof needs scifact and {judges.SETS - 1} sets of nli (see its README)"
        )
    found: list[LabelledPair] = []
    for name in there:
        place, split = _PLACES[name]
        pairs = _scifact(data, name) if place == "scifact" else _nli(data / place, name, split)
        found += _drawn(pairs, name)
    return found


def _drawn(pairs: Iterable[LabelledPair], name: str) -> list[LabelledPair]:
    """The fixed draw of a set: by the checksum of ids, of each group one before any second."""
    ordered = sorted(pairs, key=lambda pair: (crc32(pair.id.encode()), pair.id))
    used: set[str] = set()
    found: list[LabelledPair] = []
    for truth, most in PER_SET.items():
        fresh: list[LabelledPair] = []
        again: list[LabelledPair] = []
        for pair in (pair for pair in ordered if pair.truth == truth):
            (again if pair.group in used else fresh).append(pair)
            used.add(pair.group)
        found += [*fresh, *again][:most]
    if not {"support", "refute"} <= {pair.truth for pair in found}:
        raise UsageError(f"{name} has no pairs of both kinds, supported and refuted; copy the data again")
    return sorted(found, key=lambda pair: crc32(pair.id.encode()))


# One measurement of a judge on pairs with known labels, from its estimated cost to the record in the user's folder.

Said = Literal["entails", "contradicts", "related", "neutral", "unusable"]
"""`unusable`: a reply came, but it could not be read after all attempts."""


class Line(Frozen):
    """What a judge said of one pair."""

    pair: str
    said: Said
    reason: str = ""
    usage: UsageReport = UsageReport()


class Sheet(LineFile[Line]):
    """The file of one measurement, whose name tells judge, instructions and pairs: what the judge said of each pair.

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


CALLED_SUPPORTED = "the statements it calls supported"
UNDECIDED = "texts that decide nothing"
FIRST = 10
"""If not one of the first replies can be used, the model is not a judge, and no more are paid for."""
MOST_UNANSWERED = 5
"""More calls without any reply, each after its own tries, end the measurement; it can be resumed."""
_RIGHT: Mapping[str, str] = {"support": "entails", "refute": "contradicts"}


def _proof(name: str, kind: str, right: Sequence[bool], majority: float) -> Proof:
    low, high = wilson(sum(right), len(right))
    accuracy = sum(right) / len(right) if right else 0.0
    proof = Proof(dataset=name, pairs=len(right), accuracy=accuracy, low=low, high=high, majority=round(majority, 6))
    return proof.model_copy(update={"of": kind})


_CHARACTERS = 4
"""Characters of a token, roughly, in English."""
_REPLY = 40
"""Tokens of a reply; what a model thinks before it is not counted."""


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
        schema = len(json.dumps(check.output.model_json_schema()))
        characters = sum(len(check.instructions) + schema + len(check.prompt(pair.asked)) for pair in left)
        tokens, replies = int(round(characters / _CHARACTERS, -3)), len(left) * _REPLY
        known = None if own_address(self.model, self.settings) else list_price(self.model, tokens, replies)
        return Estimate(len(left), tokens, replies, known)

    async def make(
        self, *, fresh: bool = False, concurrency: int = 8, watch: Callable[[int, int], None] = lambda done, of: None
    ) -> judges.Measured:
        """Ask what is left and store the result; from then on it counts on this machine.

        Raises:
            ModelFailed: none of the first replies could be used, or several calls had no reply; the rest is kept.
            ConfigError: the server rejects the key or does not have the model.
            StorageFailed: the file cannot be written.
            UsageError: another process is measuring the same judge.
        """
        unanswered: list[str] = []
        with Sheet(self.file, fresh=fresh) as sheet:
            self._check_first(sheet)

            async def work(pair: LabelledPair) -> None:
                try:
                    line = await self._line(pair)
                except ModelFailed as failed:
                    unanswered.append(failed.reason)
                    if len(unanswered) > MOST_UNANSWERED:
                        raise
                    return
                sheet.add(line)
                watch(len(sheet.lines), len(self.pairs))
                self._check_first(sheet)

            try:
                await work_off(sheet.left(self.pairs), work, concurrency)
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

    async def _line(self, pair: LabelledPair) -> Line:
        """What the judge says of a pair. A failure without a reply is raised: it says nothing about the judge."""
        try:
            reply = await self.models.answer(check, pair.asked, CallLimits())
        except ModelFailed as failed:
            if not failed.unreadable:
                raise
            reason = " ".join(failed.reason.split())
            return Line(pair=pair.id, said="unusable", reason=reason, usage=UsageReport.of(failed.usage or Usage()))
        claim = Claim(pair.statement, pair.asked.evidence)
        found = judgement_of(claim, reply.output.statements[0], self.settings.verify.entailment)
        said = "unusable" if found.relation in ("failed", "unsure") else found.relation
        return Line(pair=pair.id, said=said, reason=found.note, usage=UsageReport.of(reply.usage))

    def _result(self, lines: Mapping[str, Line]) -> judges.Measured:
        """The measurement that a complete sheet makes."""
        said = [(pair, lines[pair.id].said) for pair in self.pairs]
        proofs = []
        for name in dict.fromkeys(pair.dataset for pair in self.pairs):  # a judge that does not decide is wrong
            here = [(p, word) for p, word in said if p.dataset == name and p.truth != "neutral"]
            supports = sum(pair.truth == "support" for pair, _ in here) / len(here)
            right = [_RIGHT[pair.truth] == word for pair, word in here]
            proofs.append(_proof(name, "claims", right, max(supports, 1 - supports)))
        share = sum(pair.truth == "support" for pair, _ in said) / len(said)
        called = [pair.truth == "support" for pair, word in said if word == "entails"]
        silent = [word in ("neutral", "related") for pair, word in said if pair.truth == "neutral"]
        none = {"seconds": 0.0, "cached_calls": 0, "searches": 0, "counts": 0}
        proofs += [_proof(CALLED_SUPPORTED, "supported", called, share), _proof(UNDECIDED, "neutral", silent, 0.5)]
        return judges.Measured(
            model=self.model,
            address=own_address(self.model, self.settings),
            temperature=self.settings.model.temperature,
            asked=judges.asked_with(),
            measured=datetime.now(UTC),
            made_by=f"medground {__version__}",
            proofs=tuple(proofs),
            pairs=len(self.pairs),
            unusable=sum(word == "unusable" for _, word in said),
            usage=sum((lines[pair.id].usage.model_copy(update=none) for pair in self.pairs), Usage()),
        )


def prepared(model: str, data: Path, settings: Settings) -> Measurement:
    """Read the test and open the model; nothing is asked. The call cache is not used, so that replies are new.

    Raises UsageError: the model is not one that can be measured, or the data are missing; ConfigError: the model is
    unknown, or its key or extra is missing.
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
    models = open_models(chosen, ())
    pairs = drawn_pairs(data)
    pin = [models.of(check.name).identity, judges.asked_with(), [pair.id for pair in pairs]]
    name = judges.stem(model, hashlib.sha256(json.dumps(pin).encode()).hexdigest())
    return Measurement(model, chosen, pairs, models, judges.judges_folder(settings.home) / f"{name}.jsonl")
