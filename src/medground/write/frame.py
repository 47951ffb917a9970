"""How sub-answers connect, and the background and synthesis that frame them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from medground.answer import Conflict
from medground.errors import ModelFailed
from medground.evidence import Evidence
from medground.operators.reporting import (
    ComposeReportInput,
    ComposeReportOutput,
    ConnectInput,
    JoinedView,
    compose_report,
    connect_parts,
)
from medground.operators.writing import WrittenSentence
from medground.read.numbered import TextSpan
from medground.report import Connection
from medground.run import Run
from medground.write.introductions import introductions
from medground.write.subanswers import Asks, Part


async def connected(answered: Sequence[Part], asks: Asks, run: Run) -> list[Connection]:
    """How the answered parts hang together; nothing where there is one only, or where the model fails."""
    if len(answered) < 2:
        return []
    value = ConnectInput(question=run.question.text, parts=tuple(part.view(run) for part in answered))
    try:
        output = await asks.ask(connect_parts, value)
    except ModelFailed as failed:
        run.warn(f"how the sub-answers connect could not be asked: {failed}")
        return []
    by = asks.answerer(connect_parts)
    return [
        Connection(
            first=one.first,
            second=one.second,
            relation=one.relation,
            evidence=tuple(dict.fromkeys(one.evidence)),
            found_by=by,
            about=one.about,
        )
        for one in output.connections
    ]


def disagreeing(answered: Sequence[Part], conflicts: Sequence[Conflict]) -> list[Connection]:
    """The contradictions of sub-answers among the conflicts of their quotes."""
    owner = {quote.id: part.id for part in reversed(answered) for quote in part.evidence}
    found = []
    for conflict in conflicts:
        sides = [[e for e in side.evidence if e in owner] for side in conflict.sides]
        for one, other in combinations(sides, 2):
            pairs = {(owner[e], owner[f]): (e, f) for e in one for f in other if owner[e] != owner[f]}
            for (first, second), evidence in pairs.items():
                found.append(
                    Connection(
                        first=first,
                        second=second,
                        relation="contradicts",
                        evidence=evidence,
                        found_by=conflict.found_by,
                        about=conflict.about,
                    )
                )
    return found


async def framed(
    answered: Sequence[Part], connections: Sequence[Connection], asks: Asks, run: Run
) -> tuple[ComposeReportOutput, list[Evidence]]:
    """Background, synthesis and answer, whose sentences cite quotes of the ledger, and the quotes of introductions.

    A model that fails leaves the report without them.
    """
    places: dict[str, TextSpan] = {}
    hits = [hit for part in answered for hit in part.hits]
    value = ComposeReportInput(
        question=run.question.text,
        task=run.question.task,
        options=run.question.options,
        introductions=introductions(run.question.text, hits, places, run),
        parts=tuple(part.view(run) for part in answered),
        connections=tuple(
            JoinedView(first=one.first, second=one.second, relation=one.relation, about=one.about)
            for one in connections
        ),
        sentences=run.settings.recipe.sentences,
    )
    try:
        output = await asks.ask(compose_report, value)
    except ModelFailed as failed:
        run.warn(f"background and synthesis could not be written: {failed}")
        return ComposeReportOutput(background=(), synthesis=(), answer=()), []
    used = dict.fromkeys(e for one in (*output.background, *output.synthesis) for e in one.evidence if e in places)
    quotes = {one: run.ledger.quote(*places[one]) for one in used}
    background, synthesis = (_cited(sentences, quotes) for sentences in (output.background, output.synthesis))
    framed = output.model_copy(update={"background": background, "synthesis": synthesis})
    return framed, list(quotes.values())


def _cited(sentences: Sequence[WrittenSentence], quotes: Mapping[str, Evidence]) -> tuple[WrittenSentence, ...]:
    return tuple(
        one.model_copy(update={"evidence": tuple(quotes[e].id if e in quotes else e for e in one.evidence)})
        for one in sentences
    )
