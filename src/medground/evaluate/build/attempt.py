"""One attempt at a question: written from findings, then every option checked against the literature by another.

Source: BioMedSearch, section IV.A and Figure 2 (questions are verified, and made again until the count is met).
"""

from __future__ import annotations

import asyncio
import random
import string
from collections.abc import Sequence
from dataclasses import dataclass

from medground.evaluate.base import Item
from medground.evaluate.build.checks import gives_away, repeats
from medground.evaluate.build.literature import proof_of, sentenced
from medground.evaluate.build.values import BuiltOption, BuiltQuestion, Finding, Proof, SubTopic
from medground.lookup import Lookup
from medground.operators.set_building import (
    CheckOptionInput,
    FindingView,
    Level,
    Says,
    WriteQuestionInput,
    WrittenOption,
    check_option,
    write_choice_question,
)
from medground.rank.fuse import fuse
from medground.read.numbered import TextSpan
from medground.run import Run

READ = 5
"""Papers that are searched for each option, beside those of its own findings."""


@dataclass(frozen=True)
class Wanted:
    """What an attempt is for.

    Attributes:
        id: of the question.
        key: the letters that shall be right.
        options: number of options.
        findings: those that it may use.
        rejected: why earlier attempts failed.
        seed: for whatever is drawn.
    """

    id: str
    level: Level
    subtopic: SubTopic
    key: tuple[str, ...]
    options: int
    findings: tuple[Finding, ...]
    rejected: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Checked:
    """What the second check says of an option, with the sentences of its findings and those that decide."""

    says: Says
    proofs: tuple[Proof, ...]


class Rejected(Exception):
    """An attempt made no question. The message says why."""


async def attempt(wanted: Wanted, there: Sequence[Item], run: Run) -> BuiltQuestion:
    """One question, or why there is none.

    Args:
        wanted: what it is for.
        there: the questions that the set has.
        run: the run of the attempt.

    Raises:
        Rejected: the findings do not carry a question, the literature does not bear out an option, something gives the
            key away, or the question is there already.
        ModelFailed: a model gave no usable output.
        SourceUnavailable: no source could be searched.
    """
    views = tuple(FindingView(id=f"F{n}", text=one.text) for n, one in enumerate(wanted.findings, start=1))
    value = WriteQuestionInput(
        topic=wanted.subtopic.text,
        level=wanted.level,
        right=len(wanted.key),
        wrong=wanted.options - len(wanted.key),
        findings=views,
        rejected=tuple(one[:100] for one in wanted.rejected[-3:]),
        seed=wanted.seed,
    )
    written = await run.ask(write_choice_question, value)
    if not written.options:
        raise Rejected("the findings do not carry a question")
    of = {view.id: finding for view, finding in zip(views, wanted.findings, strict=True)}
    checks = await asyncio.gather(*(_check(option, of, run) for option in written.options))
    for option, check in zip(written.options, checks, strict=True):
        if check.says != ("shown" if option.right else "ruled out"):
            kind = "right" if option.right else "wrong"
            raise Rejected(f"the second check says {check.says} of a {kind} option: {option.text[:60]}")
    question = _lettered(wanted, written.question, list(zip(written.options, checks, strict=True)), run)
    if (reason := gives_away(question)) or (reason := _as_repeat(repeats(question, there))):
        raise Rejected(reason)
    return question


def _as_repeat(other: str) -> str:
    return f"nearly the same as {other}" if other else ""


async def _check(option: WrittenOption, findings: dict[str, Finding], run: Run) -> Checked:
    """The option against the papers of its findings and those that its own words find, in an order without meaning."""
    own = {proof.document_id for name in option.findings for proof in findings[name].proofs}
    results = await run.look_up(Lookup.words(option.text))
    hits = fuse([ranking for result in results for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    other = [i for i in dict.fromkeys(hit.passage.document_id for hit in hits) if i not in own][:READ]
    await run.retrieve([*own, *other])
    places: dict[str, TextSpan] = {}
    papers = [run.ledger.documents[i] for i in sorted({*own, *other}) if i in run.ledger.documents]
    passages = tuple(sentenced(f"P{n}", paper, places) for n, paper in enumerate(papers, start=1))
    output = await run.ask(check_option, CheckOptionInput(option=option.text, passages=passages))
    decide = [proof_of(places[sentence], run) for sentence in output.sentences]
    stated = [proof for name in option.findings for proof in findings[name].proofs]
    return Checked(output.says, tuple({(p.document_id, p.start, p.end): p for p in [*stated, *decide]}.values()))


def _lettered(wanted: Wanted, text: str, checked: list[tuple[WrittenOption, Checked]], run: Run) -> BuiltQuestion:
    """The question with its options placed so that the wanted letters are right."""
    random.Random(wanted.seed).shuffle(checked)
    right = iter([pair for pair in checked if pair[0].right])
    wrong = iter([pair for pair in checked if not pair[0].right])
    options = []
    for letter in string.ascii_uppercase[: wanted.options]:
        option, check = next(right if letter in wanted.key else wrong)
        options.append(
            BuiltOption(
                letter=letter,
                text=" ".join(option.text.split()),
                right=option.right,
                checked=check.says,
                proofs=check.proofs,
            )
        )
    return BuiltQuestion(
        id=wanted.id,
        level=wanted.level,
        topic=wanted.subtopic.topic,
        subtopic=wanted.subtopic.text,
        question=" ".join(text.split()),
        options=tuple(options),
        written_by=run.answerer(write_choice_question).name,
        checked_by=run.answerer(check_option).name,
    )
