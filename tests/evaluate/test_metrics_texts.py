"""ROUGE-L, citations and LUQ: hand-computed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medground.answering.verify.critic import Claim, Judgement
from medground.values.answer import Answer
from medground.values.question import Question
from medground_evaluate.items import RunLine
from medground_evaluate.metrics.answers import rouge_l
from medground_evaluate.metrics.evidence import citation_scores, document_citations
from medground_evaluate.metrics.uncertainty import luq


def test_rouge_by_hand() -> None:
    score = rouge_l("police kill the gunman", "Police killed the gunman.")
    assert (score.precision, score.recall, score.f1) == (3 / 4, 3 / 4, 3 / 4)
    assert rouge_l("the gunman kill police", "police killed the gunman").f1 == 1 / 2
    assert rouge_l("a b", "a b c d").precision == 1.0
    assert rouge_l("a b", "a b c d").recall == 0.5

    assert rouge_l("", "a").f1 == 0.0
    assert rouge_l("...", "a").f1 == 0.0
    assert rouge_l("a", []).f1 == 0.0
    assert rouge_l("a b", ["x", "a b", "a"]).f1 == 1.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_rouge_against_the_plain_recursion(one: list[str], other: list[str]) -> None:
    def longest(a: Sequence[str], b: Sequence[str]) -> int:
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i, x in enumerate(a):
            for k, y in enumerate(b):
                table[i + 1][k + 1] = table[i][k] + 1 if x == y else max(table[i][k + 1], table[i + 1][k])
        return table[-1][-1]

    expected = 2 * longest(one, other) / (len(one) + len(other)) if one and other else 0.0
    assert rouge_l(" ".join(one), " ".join(other)).f1 == pytest.approx(expected)


class WordCritic:
    """A working critic for a toy language: a statement is entailed if the premises contain all its words."""

    name = "words"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        return [self._judged(claim) for claim in claims]

    def _judged(self, claim: Claim) -> Judgement:
        if "broken" in claim.statement:
            return Judgement("failed", note="as asked")
        held = {word for premise in claim.premises for word in premise.quote.lower().strip(".").split()}
        inside = set(claim.statement.lower().strip(".").split()) <= held
        return Judgement("entails" if inside else "neutral")


def answer(*statements: tuple[str, Sequence[str]]) -> Answer:
    """An answer whose statements cite quotes, each from a different document."""
    quotes = list(dict.fromkeys(quote for _, cited in statements for quote in cited))
    ids = {quote: f"E{n}" for n, quote in enumerate(quotes, start=1)}
    rationale = "".join(text for text, _ in statements)
    starts = [sum(len(text) for text, _ in statements[:n]) for n in range(len(statements))]
    return Answer.model_validate(
        {
            "id": "a",
            "question": Question.ask("What is it?"),
            "decision": {"task": "free", "status": "not judged"},
            "rationale": rationale,
            "statements": [
                {
                    "text": text,
                    "start": start,
                    "end": start + len(text),
                    "evidence": [ids[quote] for quote in cited],
                    "verdict": {"label": "not judged", "critic": "words"},
                }
                for (text, cited), start in zip(statements, starts, strict=True)
            ],
            "evidence": [
                {"id": i, "document_id": f"PMID:{n}", "start": 0, "end": len(quote), "quote": quote}
                for n, (quote, i) in enumerate(ids.items(), start=1)
            ],
            "documents": [{"id": f"PMID:{n}", "title": "t", "kind": "research"} for n in range(1, len(quotes) + 1)],
            "recipe": "rag",
            "settings_hash": "0",
            "trace_id": "t",
            "created": "2026-01-01T00:00:00Z",
        }
    )


async def scores_of(*statements: tuple[str, Sequence[str]]) -> tuple[int, int, int, int, int]:
    found = await citation_scores(answer(*statements), WordCritic())
    return found.recall.right, found.recall.of, found.precision.right, found.precision.of, found.failed


def test_citations_by_hand() -> None:

    cases = {
        # one citation that proves it; no citation; one that proves nothing
        (("a b.", ("a b c",)),): (1, 1, 1, 1, 0),
        (("a b.", ()),): (0, 1, 0, 0, 0),
        (("a b.", ("x",)),): (0, 1, 0, 1, 0),
        # two that prove it only together: both are needed
        (("a b.", ("a", "b")),): (1, 1, 2, 2, 0),
        # the second is not needed: alone it proves nothing, and the first is enough
        (("a b.", ("a b", "x")),): (1, 1, 1, 2, 0),
        # each proves it alone: both count
        (("a b.", ("a b", "b a")),): (1, 1, 2, 2, 0),
        (("broken.", ("a",)), ("a.", ("a",))): (1, 1, 1, 1, 1),
        (): (0, 0, 0, 0, 0),
    }
    for statements, expected in cases.items():
        assert asyncio.run(scores_of(*statements)) == expected, statements


def test_cited_documents_by_hand() -> None:
    def line(cited: str, gold: str) -> RunLine:
        content = {"id": "q", "question": "?", "task": "free", "status": "answered"}
        return RunLine.model_validate(content | {"cited": cited.split(), "gold_documents": gold.split()})

    found = document_citations([line("D:1 D:2", "D:1 D:3 D:4"), line("", "D:1"), line("D:1", "")])
    assert (found.precision.value, found.precision.of, found.precision.without) == (1 / 2, 1, 1)
    assert found.recall.value == pytest.approx((1 / 3 + 0) / 2)
    assert document_citations([]).recall.value is None


async def entailment_by_words(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    """P = 0.5 for a sentence starting with H, 1 if the premise contains it, else 0; None if it says `unread`."""
    values: list[float | None] = []
    for premise, sentence in pairs:
        known = 0.5 if sentence.startswith("H") else float(sentence in premise)
        values.append(None if "unread" in sentence else known)
    return values


def uncertainty(*responses: str) -> tuple[float | None, int, int]:

    found = asyncio.run(luq(responses, entailment_by_words))
    return found.value, found.responses, found.unjudged


def test_luq_by_hand() -> None:
    same = "It helps. It is safe."
    assert uncertainty(same, same, same) == (0.0, 3, 0)
    assert uncertainty("It helps.", "It harms.") == (1.0, 2, 0)
    # r2 contains one of r1's two sentences: S = 1/2. r1 contains r2's only one: S = 1. U = (1/2 + 0) / 2
    assert uncertainty("It helps. It is safe.", "It helps.") == (0.25, 2, 0)
    # Three: C(r1) = (1 + 0) / 2, C(r2) = (1 + 0) / 2, C(r3) = (1/2 + 1/2) / 2
    assert uncertainty("It helps.", "It helps.", "Harm was seen.") == (pytest.approx(0.5), 3, 0)

    assert uncertainty() == (None, 0, 0)
    assert uncertainty("It helps.", "  ") == (None, 1, 0)
    assert uncertainty("This is unread.", "This is unread too.") == (None, 2, 2)
    assert uncertainty("It helps. This is unread.", "It helps.") == (0.0, 2, 1)
