"""Every metric by hand, and against scikit-learn, a plain recursion or a definition over pairs and moments."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row
from runs import line

from medground.answering.verify.critic import Claim, Judgement
from medground.errors import ConfigError
from medground.values.answer import Answer
from medground.values.source_plan import SourcePlan, SourceQuery
from medground.values.steps import SourcesPlanned
from medground.values.usage import UsageReport
from medground_evaluate.metrics.answers import (
    accuracy,
    citation_scores,
    class_scores,
    confusion,
    document_citations,
    grounded_rate,
    macro_f1,
    rouge_l,
    round_curve,
    set_scores,
    support_scores,
)
from medground_evaluate.metrics.cost import Stage, cost_ratio, joined, mean_cost, stage_means, stages, without
from medground_evaluate.metrics.measures import answers_by_round, planned_queries
from medground_evaluate.metrics.searching import (
    Reading,
    evidence_depths,
    heading_scores,
    headings_of,
    query_statistics,
    ranking_scores,
    retrieval_scores,
)
from medground_evaluate.metrics.uncertainty import luq
from medground_evaluate.statistics import Mean

YES_NO = [line(1, "yes", "yes"), line(2, "yes", "no"), line(3, "yes"), line(4, "no", "no"), line(5, "maybe", "yes")]


def test_accuracy_counts_unanswered_and_unfinished_questions() -> None:
    share = accuracy(YES_NO)
    assert (share.right, share.of, share.value) == (2, 5, 0.4)
    assert accuracy(YES_NO, items=8).value == 2 / 8
    # Wilson for 2 of 5, by hand: centre (0.4 + 3.8415 / 10) / 1.7683, half width 1.96 sqrt(0.048 + 0.038415) / 1.7683
    assert share.interval == pytest.approx((0.1176, 0.7693), abs=1e-4)
    assert accuracy([]).value is None and accuracy([], items=3).value is None
    assert accuracy([line(1, "", "A")]).value is None  # an open question has no gold answer to count


def test_classes_by_hand() -> None:
    scores = {score.label: (score.precision, score.recall, score.f1) for score in class_scores(YES_NO)}
    assert scores == {"yes": (1 / 2, 1 / 3, 2 / 5), "no": (1 / 2, 1.0, 2 / 3), "maybe": (None, 0.0, 0.0)}
    assert macro_f1(class_scores(YES_NO)) == pytest.approx((2 / 5 + 2 / 3 + 0) / 3)
    given_to = {("yes", "yes"), ("yes", "no"), ("yes", ""), ("no", "no"), ("maybe", "yes")}
    assert confusion(YES_NO) == dict.fromkeys(given_to, 1)
    assert (class_scores([]), macro_f1([])) == ((), None) and not confusion([])


def test_several_answers_by_hand() -> None:
    scores = set_scores([line(1, "A B", "B A"), line(2, "A B", "B C"), line(3, "C", "A B C"), line(4, "D")])
    assert scores.exact.value == 1 / 4
    assert scores.partial == pytest.approx((1 + 1 / 3 + 1 / 3 + 0) / 4)
    assert scores.precision == pytest.approx((1 + 1 / 2 + 1 / 3 + 0) / 4)
    assert scores.recall == pytest.approx((1 + 1 / 2 + 1 + 0) / 4)
    assert scores.f1 == pytest.approx((1 + 1 / 2 + 1 / 2 + 0) / 4)
    none = set_scores([])
    assert (none.exact.value, none.partial, none.f1) == (None, 0.0, 0.0)


def test_rates_and_support_count_failed_and_unfinished_questions() -> None:
    lines = [line(n, "A", "A", cited=cited) for n, cited in enumerate([("PMID:1",), ("PMID:1",), ()])]
    assert (grounded_rate(lines).value, grounded_rate(lines, items=4).value) == (2 / 3, 2 / 4)
    assert grounded_rate(lines, sufficient={"0", "2"}).value == 1 / 3
    assert grounded_rate(lines, 4, {"0", "1"}).value == 2 / 4
    assert grounded_rate([]).value is None and grounded_rate([], sufficient={"0"}).value is None

    scores = support_scores(
        [line(1, support=1.0, faithfulness=0.5, statements=2), line(2, support=0.5, statements=4), line(3)]
    )
    assert (scores.support.value, scores.support.of, scores.support.without) == (0.75, 2, 1)
    assert (scores.faithfulness.value, scores.faithfulness.of, scores.statements.value) == (0.5, 1, 2.0)
    assert support_scores([]).support.value is None


def test_cost_is_a_mean_and_a_ratio_and_an_unknown_price_is_never_free() -> None:
    used = [
        UsageReport(input_tokens=100, output_tokens=20, model_calls=2, searches=1, seconds=1.0, price=Decimal("0.02")),
        UsageReport(input_tokens=300, output_tokens=40, model_calls=3, cached_calls=1, seconds=3.0),
    ]
    cost = mean_cost(used)
    assert (cost.input_tokens, cost.output_tokens, cost.searches, cost.seconds) == (200, 30, 0.5, 2.0)
    assert (cost.model_calls, cost.cached_calls) == (3.0, 0.5)  # calls that the recipe needs: made and cached
    assert cost.money == pytest.approx(0.01)
    ratio = cost_ratio(cost, mean_cost([UsageReport(input_tokens=50, output_tokens=10, model_calls=1, price=None)]))
    assert (ratio["input_tokens"], ratio["output_tokens"], ratio["model_calls"]) == (4.0, 3.0, 3.0)
    assert ratio["searches"] is ratio["money"] is None  # the base has no search, and no price
    assert mean_cost([UsageReport(price=Decimal(1)), UsageReport(price=None)]).money is None
    assert mean_cost([]).input_tokens == 0


def test_rounds_keep_the_answer_of_questions_that_ended() -> None:
    histories: list[tuple[Any, list[tuple[str, ...]]]] = [
        (line(1, "yes"), [("yes",)]),
        (line(2, "no"), [("yes",), ("no",)]),
        (line(3, "no"), [("no",), ("yes",), ("no",)]),
        (line(4, "yes"), []),
    ]
    curve = round_curve(histories)
    found = [(p.number, p.asked, p.accuracy.right, p.accuracy.of) for p in curve]
    assert found == [(1, 3, 2, 4), (2, 2, 2, 4), (3, 1, 3, 4)]
    assert curve[2].macro_f1 == pytest.approx((2 / 3 + 1) / 2)  # yes: one of two found; no: all
    assert round_curve([]) == ()


def test_retrieval_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        line("q", found=("D:x", "D:a", "D:y", "D:b"), gold_documents=("D:a", "D:b", "D:c")),
        line("none", gold_documents=("D:a",)),
        line("no gold"),
    ]
    scores = retrieval_scores(lines, depths=(2, 4))
    each = scores.each["q"]
    found = each["R@2"], each["P@2"], each["R@4"], each["P@4"], each["RR"]
    assert found == pytest.approx((1 / 3, 1 / 2, 2 / 3, 1 / 2, 1 / 2))
    best = 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert each["nDCG@4"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)
    assert set(scores.each["none"].values()) == {0.0}
    assert scores.mean["RR"] == pytest.approx(1 / 4)  # MRR
    assert scores.without_gold == 1 and retrieval_scores([]).mean == {}
    assert ranking_scores({"q": ("D:x", "D:x", "D:a")}, {"q": ("D:a",)}, (1,))["q"]["RR"] == 1 / 2
    # trec_eval breaks ties of scores by id, so ascending or descending ids must make no difference.
    ids = [f"D:{n}" for n in range(9)]
    for order in (ids, ids[::-1]):
        assert ranking_scores({"q": order}, {"q": (order[4],)}, (5,))["q"]["RR"] == pytest.approx(1 / 5)
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(ConfigError, match=r'pip install "medground\[evaluate\]"'):
        retrieval_scores(lines)


def test_headings_by_hand() -> None:
    pairs = [({"Asthma", "child*"}, {"Asthma/therapy", "Humans", "Child"}), (set(), {"Humans"}), ({"A"}, set())]
    scores = heading_scores(pairs)
    assert (scores.precision, scores.recall) == pytest.approx(((2 / 2 + 0) / 2, (2 / 3 + 0) / 2))
    assert (scores.questions, scores.without_query, scores.without_gold) == (2, 1, 1)
    assert heading_scores([]).precision is None
    assert heading_scores([(set(), {"A"})]).recall is None  # having no MeSH queries differs from having bad ones
    query = '("Asthma"[MeSH Terms] OR "asthma"[Title/Abstract]) AND "Child"[Majr] NOT "Adult"[mh] AND Asthma[mh]'
    assert headings_of(query) == ("Asthma", "Child")
    assert headings_of("asthma in children") == headings_of("") == ()


def by_length(texts: Sequence[str]) -> NDArray[np.float32]:
    """A small working encoder: the number of words and a constant."""
    return np.array([[len(text.split()), 1] for text in texts], dtype=np.float32)


def test_depths_and_queries_by_hand() -> None:
    depths = evidence_depths([Reading(5, True), Reading(10, True), Reading(5, True), Reading(20, False)])
    assert (depths.distribution, depths.mean, depths.median, depths.never) == ({5: 2, 10: 1}, 20 / 3, 5.0, 1)
    assert (depths.within(5).value, depths.within(20).value) == (2 / 4, 3 / 4)
    none = evidence_depths([])
    assert (none.mean, none.median, none.within(5).value) == (None, None, None)

    plans = [{"book": ["a b", "c d e f"], "wiki": ["x"]}, {"book": ["a b c"], "graph": [" "]}]
    found = query_statistics(plans, by_length)
    assert (found["book"].queries, found["book"].words.value) == (3 / 2, 3.0)
    assert found["book"].diversity.value == pytest.approx(1 - (2 * 4 + 1) / math.sqrt(5 * 17))
    assert (found["book"].diversity.of, found["book"].diversity.without) == (1, 1)
    assert (found["wiki"].queries, found["wiki"].diversity.value) == (1 / 2, None)
    assert (found["graph"].queries, found["graph"].words.value) == (0.0, None)
    assert query_statistics([]) == {} and query_statistics(plans)["book"].diversity.value is None


def span(name: str, start: float, end: float, tokens: int = 0) -> dict[str, Any]:
    used = {"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 1} if tokens else {}
    return {"name": name, "start": int(start * 1e9), "end": int(end * 1e9), "attributes": used}


def test_stages_by_hand() -> None:
    # Planning from 0 to 5, with a search inside; two searches at once from 5 to 8; answering from 8 to 10.
    found = stages(
        [
            span("recipe omni-rag", 0, 10),
            span("source plan", 0, 5),
            span("operator plan", 0, 2, tokens=100),
            span("search corpus:omni.book", 2, 4),
            span("operator assess", 4, 5, tokens=10),
            span("search corpus:omni.book", 5, 7),
            span("search graph:omni", 6, 8),
            span("operator read", 8, 9, tokens=1000),
        ]
    )
    assert found is not None
    assert (found.planning, found.retrieval, found.answering) == (Stage(3.0, 112, 2), Stage(5.0), Stage(2.0, 1001, 1))
    planning, retrieval, answering = stage_means([found, None])
    assert (planning.name, planning.seconds, planning.tokens) == ("planning", Mean(3.0, 1), Mean(112.0, 1))
    assert (retrieval.seconds.value, answering.tokens.value) == (5.0, 1001.0)
    assert stage_means([None]) == ()
    assert stages([span("recipe rag", 0, 10), span("search corpus:a", 2, 4)]) is None

    first = SourcePlan(queries={"book": (SourceQuery(text="heart sounds"),)})
    last = SourcePlan(queries={"graph": (SourceQuery(text="symptoms", term="Marfan syndrome"),)})
    steps = [SourcesPlanned.of(plan.queries, repairs=2) for plan in (first, last)]
    spans = [{"name": step.span_name, "attributes": step.attributes()} for step in steps]
    assert planned_queries(spans) == {"graph": ["Marfan syndrome , symptoms"]}
    assert planned_queries([]) is None
    rounds = [("no", 0.2), ("yes", 0.6), ("no", 0.6), ("maybe", 0.4)]
    spans = [
        {"name": "round", "start": n, "attributes": {"medground.answer": [answer], "medground.steering_score": score}}
        for n, (answer, score) in enumerate(rounds)
    ]
    failed = {"name": "round", "start": 9, "attributes": {}}
    assert answers_by_round([*spans, failed]) == (("no",), ("yes",), ("yes",), ("yes",))


TIMES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))))


@given(TIMES, TIMES)
def test_times_are_sets_of_moments(times: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    def moments(stretches: list[tuple[int, int]]) -> set[int]:
        return {moment for start, end in stretches for moment in range(start, end)}

    one, other = joined(times), joined(others)
    assert moments(one) == moments(times)
    assert all(left[1] < right[0] for left, right in pairwise(one))
    rest = without(one, other)
    assert moments(rest) == moments(times) - moments(others)
    assert sum(end - start for start, end in rest) == len(moments(rest))


def test_rouge_by_hand() -> None:
    score = rouge_l("police kill the gunman", "Police killed the gunman.")
    assert (score.precision, score.recall, score.f1) == (3 / 4, 3 / 4, 3 / 4)
    part = rouge_l("a b", "a b c d")
    assert (part.precision, part.recall) == (1.0, 0.5)
    assert rouge_l("", "a").f1 == rouge_l("...", "a").f1 == rouge_l("a", []).f1 == 0.0
    assert rouge_l("a b", ["x", "a b", "a"]).f1 == 1.0


class WordCritic:
    """A working critic for a toy language: a statement is entailed if the premises contain all its words."""

    name = "words"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        found = []
        for claim in claims:
            held = {word for premise in claim.premises for word in premise.quote.lower().strip(".").split()}
            entailed = set(claim.statement.lower().strip(".").split()) <= held
            found.append(Judgement("failed" if "broken" in claim.statement else "entails" if entailed else "neutral"))
        return found


def answer(*statements: tuple[str, Sequence[str]]) -> Answer:
    """An answer whose statements cite quotes, as far as `citation_scores` reads it."""
    quotes = list(dict.fromkeys(quote for _, cited in statements for quote in cited))
    said = [SimpleNamespace(text=text, evidence=[*map(quotes.index, cited)]) for text, cited in statements]
    evidence = [SimpleNamespace(id=number, quote=quote) for number, quote in enumerate(quotes)]
    return cast("Answer", SimpleNamespace(statements=said, evidence=evidence))


@each_row(
    ("statements", "expected"),
    [
        # one citation that proves it; no citation; one that proves nothing
        ([("a b.", ("a b c",))], (1, 1, 1, 1, 0)),
        ([("a b.", ())], (0, 1, 0, 0, 0)),
        ([("a b.", ("x",))], (0, 1, 0, 1, 0)),
        # two that prove it only together: both are needed
        ([("a b.", ("a", "b"))], (1, 1, 2, 2, 0)),
        # the second is not needed: alone it proves nothing, and the first is enough
        ([("a b.", ("a b", "x"))], (1, 1, 1, 2, 0)),
        ([("broken.", ("a",)), ("a.", ("a",))], (1, 1, 1, 1, 1)),
    ],
)
def test_citations_by_hand(statements: list[Any], expected: tuple[int, ...]) -> None:
    found = asyncio.run(citation_scores(answer(*statements), WordCritic()))
    assert (found.recall.right, found.recall.of, found.precision.right, found.precision.of, found.failed) == expected


def test_cited_documents_by_hand() -> None:
    cases = [("D:1 D:2", "D:1 D:3 D:4"), ("", "D:1"), ("D:1", "")]
    found = document_citations(line("q", cited=cited.split(), gold_documents=gold.split()) for cited, gold in cases)
    assert (found.precision.value, found.precision.of, found.precision.without) == (1 / 2, 1, 1)
    assert found.recall.value == pytest.approx((1 / 3 + 0) / 2)
    assert document_citations([]).recall.value is None


async def entailment_by_words(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    """P = 0.5 for a sentence starting with H, 1 if the premise contains it, else 0; None if it says `unread`."""
    known = [0.5 if sentence.startswith("H") else float(sentence in premise) for premise, sentence in pairs]
    return [None if "unread" in sentence else value for (_, sentence), value in zip(pairs, known, strict=True)]


@each_row(
    ("responses", "expected"),
    [
        (["It helps.", "It harms."], (1.0, 2, 0)),
        # r2 contains one of r1's two sentences: S = 1/2. r1 contains r2's only one: S = 1. U = (1/2 + 0) / 2
        (["It helps. It is safe.", "It helps."], (0.25, 2, 0)),
        # Three: C(r1) = (1 + 0) / 2, C(r2) = (1 + 0) / 2, C(r3) = (1/2 + 1/2) / 2
        (["It helps.", "It helps.", "Harm was seen."], (pytest.approx(0.5), 3, 0)),
        ([], (None, 0, 0)),
        (["This is unread.", "This is unread too."], (None, 2, 2)),
        (["It helps. This is unread.", "It helps."], (0.0, 2, 1)),
    ],
)
def test_luq_by_hand(responses: list[str], expected: tuple[Any, ...]) -> None:
    found = asyncio.run(luq(responses, entailment_by_words))
    assert (found.value, found.responses, found.unjudged) == expected
