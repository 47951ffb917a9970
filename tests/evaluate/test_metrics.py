"""Every metric by hand, and against scikit-learn, a plain recursion or a definition over pairs and moments."""

import asyncio
import json
import math
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from command_line import run
from numpy.typing import NDArray
from refusals import refused
from rows import each_row
from runs import header, line, write_lines, write_run

from medground.answering.verify.nli_model import NliModel
from medground.errors import ConfigError, UsageError
from medground.values.answer import Answer
from medground.values.question import Question
from medground.values.source_plan import SourcePlan, SourceQuery
from medground.values.statement import Assessment
from medground.values.steps import SourcesPlanned
from medground.values.usage import UsageReport
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item, RunLine
from medground_evaluate.metrics.answers import (
    accuracy,
    assessments,
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
from medground_evaluate.metrics.cost import Stage, cost_ratio, mean_cost, stage_means, stages
from medground_evaluate.metrics.measures import answers_by_round, measure, planned_queries, was_rewritten
from medground_evaluate.metrics.searching import (
    Reading,
    evidence_depths,
    heading_scores,
    headings_of,
    query_statistics,
    ranking_scores,
    retrieval_means,
)
from medground_evaluate.metrics.uncertainty import luq, nli_entailment, read_samples, uncertainty_of
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
    assert (set_scores([]).exact.value, set_scores([]).partial) == (None, 0.0)


def test_rates_and_support_count_failed_and_unfinished_questions() -> None:
    lines = [line(n, "A", "A", cited=cited) for n, cited in enumerate([("PMID:1",), ("PMID:1",), ()])]
    assert (grounded_rate(lines).value, grounded_rate(lines, items=4).value) == (2 / 3, 2 / 4)
    assert grounded_rate(lines, sufficient={"0", "2"}).value == 1 / 3
    assert grounded_rate(lines, 4, {"0", "1"}).value == 2 / 4
    assert grounded_rate([]).value is None and grounded_rate([], sufficient={"0"}).value is None

    given = [{"support": 1.0, "faithfulness": 0.5, "statements": 2}, {"support": 0.5, "statements": 4}, {}]
    scores = support_scores(line(n, **fields) for n, fields in enumerate(given))
    assert (scores.support.value, scores.support.of, scores.support.without) == (0.75, 2, 1)
    assert (scores.faithfulness.value, scores.faithfulness.of, scores.statements.value) == (0.5, 1, 2.0)
    assert support_scores([]).support.value is None


def test_cost_is_a_mean_and_a_ratio_and_an_unknown_price_is_never_free() -> None:
    one = UsageReport(input_tokens=100, output_tokens=20, model_calls=2, searches=1, seconds=1.0, price=Decimal("0.02"))
    cached = {"cached_calls": 1, "cached_input_tokens": 100, "cached_output_tokens": 10}
    other = UsageReport(input_tokens=200, output_tokens=30, model_calls=3, seconds=3.0, **cached)
    cost = mean_cost([one, other])
    assert (cost.input_tokens, cost.output_tokens, cost.searches) == (200, 30, 0.5)  # of calls made and cached
    assert (cost.seconds, mean_cost([one]).seconds) == (None, 1.0)  # a reply from the cache takes no time
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
    known = {one.id: one for one in lines[:2]}
    scores = ranking_scores(
        {i: one.found for i, one in known.items()}, {i: one.gold_documents for i, one in known.items()}, (2, 4)
    )
    each = scores["q"]
    found = each["R@2"], each["P@2"], each["R@4"], each["P@4"], each["RR"]
    assert found == pytest.approx((1 / 3, 1 / 2, 2 / 3, 1 / 2, 1 / 2))
    best = 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert each["nDCG@4"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)
    assert set(scores["none"].values()) == {0.0}
    assert retrieval_means(lines)["RR"] == pytest.approx(1 / 4)  # MRR
    assert retrieval_means(lines[2:]) == {}
    assert ranking_scores({"q": ("D:x", "D:x", "D:a")}, {"q": ("D:a",)}, (1,))["q"]["RR"] == 1 / 2
    # trec_eval breaks ties of scores by id, so ascending or descending ids must make no difference.
    for order in ([f"D:{n}" for n in range(9)], [f"D:{n}" for n in range(9, 0, -1)]):
        assert ranking_scores({"q": order}, {"q": (order[4],)}, (5,))["q"]["RR"] == pytest.approx(1 / 5)
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    refused(ConfigError, r'pip install "medground\[evaluate\]"', retrieval_means, lines)


def test_headings_by_hand() -> None:
    pairs = [({"Asthma", "child*"}, {"Asthma/therapy", "Humans", "Child"}), (set(), {"Humans"}), ({"A"}, set())]
    scores = heading_scores(pairs)
    assert (scores.precision, scores.recall) == pytest.approx(((2 / 2 + 0) / 2, (2 / 3 + 0) / 2))
    assert (scores.questions, scores.without_query) == (2, 1)
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
    assert (depths.within(5).value, depths.within(20).value, evidence_depths([]).median) == (2 / 4, 3 / 4, None)

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
    planned = [span("recipe omni-rag", 0, 10), span("source plan", 0, 5), span("operator plan", 0, 2, tokens=100)]
    planned += [span("search corpus:omni.book", 2, 4), span("operator assess", 4, 5, tokens=10)]
    searched = [span("search corpus:omni.book", 5, 7), span("search graph:omni", 6, 8)]
    found = stages([*planned, *searched, span("operator read", 8, 9, tokens=1000)])
    assert found == {"planning": Stage(3.0, 112, 2), "retrieval": Stage(5.0), "answering": Stage(2.0, 1001, 1)}
    planning, retrieval, answering = stage_means([found, None])
    assert (planning.name, planning.seconds, planning.tokens) == ("planning", Mean(3.0, 1), Mean(112.0, 1))
    assert (retrieval.seconds.value, answering.tokens.value) == (5.0, 1001.0)
    assert stage_means([None]) == ()
    assert stages([span("recipe rag", 0, 10), span("search corpus:a", 2, 4)]) is None

    first = SourcePlan(queries={"book": (SourceQuery(text="heart sounds"),)})
    last = SourcePlan(queries={"graph": (SourceQuery(text="symptoms", term="Marfan syndrome"),)})
    steps = [SourcesPlanned.from_queries(plan.queries, repairs=2) for plan in (first, last)]
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


def test_rouge_by_hand() -> None:
    score = rouge_l("police kill the gunman", "Police killed the gunman.")
    assert (score.precision, score.recall, score.f1) == (3 / 4, 3 / 4, 3 / 4)
    part = rouge_l("a b", "a b c d")
    assert (part.precision, part.recall) == (1.0, 0.5)
    assert rouge_l("", "a").f1 == rouge_l("...", "a").f1 == rouge_l("a", []).f1 == 0.0
    assert rouge_l("a b", ["x", "a b", "a"]).f1 == 1.0


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


# One run measured from its stored answers and traces, and several runs as samples

HEADER = header(dataset="jsonl", settings={"model": {"temperature": 0.7, "cache": False}})


def asked(n: int, text: str = "", answer: str = "yes") -> RunLine:
    cited = ("PMID:1",) if answer else ()
    return line(f"q{n}", "yes", answer, cited=cited, text=text, trace=f"20260101-000000-0000000{n}")


def trace(home: Path, n: int, *spans: tuple[str, Mapping[str, Any]]) -> None:
    folder = home / "traces"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"name": name, "start": k, "attributes": dict(given)} for k, (name, given) in enumerate(spans)]
    (folder / f"20260101-000000-0000000{n}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def batches(*documents: Sequence[str], sufficient: bool, query: str) -> list[tuple[str, Mapping[str, Any]]]:
    spans: list[tuple[str, Mapping[str, Any]]] = [("final query", {"medground.text.query": query})]
    for number, batch in enumerate(documents, start=1):
        said = json.dumps({"sufficient": sufficient and number == len(documents)})
        spans += [("read batch", {"medground.documents": [*batch]})]
        spans += [("operator sufficient", {"medground.text.output": said})]
    return spans


def test_a_run_by_hand(home: Path) -> None:
    known: dict[str, Any] = {"gold": ("yes",), "reference": "the gunman was killed", "headings": ("Asthma", "Child")}
    items = [Item(id=f"q{n}", question=Question.ask("Is it?", task="yes-no"), **known) for n in (1, 2, 3)]
    trace(home, 1, *batches(["a", "b"], ["c"], sufficient=True, query='"Asthma"[mh]'))
    trace(home, 2, *batches(["a"], sufficient=False, query='"Asthma"[mh] AND "Adult"[mh]'))
    trace(home, 3, ("round", {"medground.answer": ["no"], "medground.steering_score": 0.1}))
    lines = [asked(1, "the gunman killed"), asked(2, "nobody"), asked(3, answer="")]
    found = measure(HEADER, lines, home, items)
    assert (found.items, found.untraced) == (4, 1)  # the fourth is unfinished
    assert found.checked and found.depths and found.headings and found.rouge
    assert (found.grounded.right, found.grounded.of) == (2, 4)
    assert (found.checked.right, found.checked.of) == (1, 4)  # the second never had enough
    assert (found.depths.mean, dict(found.depths.distribution), found.depths.never) == (3.0, {3: 1}, 3)
    assert (found.depths.within(5).right, found.depths.within(5).of) == (1, 4)
    assert (found.headings.precision, found.headings.recall) == ((1 + 1 / 2 + 0) / 3, (1 / 2 + 1 / 2 + 0) / 3)
    assert [(point.asked, point.accuracy.right, point.accuracy.of) for point in found.rounds] == [(1, 0, 3)]
    assert found.rouge.value == pytest.approx((2 * 3 / (3 + 4) + 0 + 0) / 3)  # `the gunman killed`, of three and four


def test_how_often_questions_were_rewritten_and_what_a_model_said_of_answers(home: Path) -> None:
    """Reason and Verify, section 4.1.3 (8 % and 12 % of questions) and section 4.2.1."""
    for n, low in ((1, True), (2, False), (3, False)):
        trace(home, n, ("rewrite trigger", {"medground.overlap": 0.2, "medground.rewrite": low}))
    found = measure(HEADER, [asked(1), asked(2), asked(3)], home)
    assert found.rewritten and (found.rewritten.right, found.rewritten.of) == (1, 3)
    assert was_rewritten([]) is None
    said = [Assessment(verdict="CORRECT", quality=4, assessed_by="m"), Assessment(quality=1, assessed_by="m"), None]
    answers = [cast("Answer", SimpleNamespace(assessment=one)) for one in said]
    counted = assessments([*answers, None])
    assert counted and (counted.correct.right, counted.correct.of) == (1, 1)
    assert (counted.quality.value, counted.quality.of) == (2.5, 2)
    assert assessments([answers[2]]) is None
    assert (found.depths, found.headings, found.rouge, found.rounds) == (None, None, None, ())
    assert (found.queries, found.untraced, found.assessed) == ({}, 1, None)


def written(path: Path, *lines: RunLine, **fields: Any) -> Path:
    return write_run(path, lines, **{**HEADER.model_dump(), **fields})


def test_as_a_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"question": "Is it?", "answer": "yes", "task": "yes-no", "reference": "it is", "headings": ["Asthma"]}
    data = write_lines(tmp_path / "questions.jsonl", [{"id": f"q{n}", **record} for n in (1, 2)])
    low = ("rewrite trigger", {"medground.overlap": 0.2, "medground.rewrite": True})
    trace(home, 1, *batches(["a", "b"], sufficient=True, query='"Asthma"[mh]'), low)
    path = written(tmp_path / "run.jsonl", asked(1, "it is"), dataset_hash=open_dataset("jsonl").hash(data), items=2)
    assert run("eval", "measure", str(path), "--data", str(data)) == 0
    said = capsys.readouterr().out
    assert "2 questions; 1 without a stored trace" in said
    assert "ROUGE-L against the reference: F1 1.000 (1 questions)" in said
    assert "questions rewritten because too little was found: 100.0% [20.7%, 100.0%] of 1" in said
    assert run("eval", "measure", str(path), "--json") == 0
    assert json.loads(capsys.readouterr().out)["depths"]["never"] == 1


def test_runs_are_samples_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [("It helps.", "It is so."), ("It harms.", "")]
    samples = read_samples([written(tmp_path / f"{a}.jsonl", asked(1, a), asked(2, b)) for a, b in texts])
    found = asyncio.run(uncertainty_of(samples, entailment_by_words))
    assert (samples.runs, samples.temperature, found.each["q1"].value) == (2, 0.7, 1.0)
    assert (found.mean.of, found.mean.without) == (1, 1)  # a single answer has no uncertainty
    one = written(tmp_path / "1.jsonl", asked(1, "It helps."))
    refused(UsageError, "two or more runs", read_samples, [one, one])
    other = written(tmp_path / "2.jsonl", asked(1, "It helps."), recipe="ground")
    refused(UsageError, "differs from the first run: recipe was rag, is ground", read_samples, [one, other])
    fixed = {"model": {"temperature": 0.0, "cache": True}}
    same = [written(tmp_path / f"{n}.jsonl", asked(1, "It helps."), settings=fixed) for n in (3, 4)]
    assert run("eval", "uncertainty", *map(str, same), "--nli", "nowhere") == 2
    assert "--set model.temperature=0.7 --set model.cache=false" in capsys.readouterr().err


def model(labels: list[str], *logits: float) -> NliModel:
    """A network that has the same logits for every pair."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    def fixed(ids: Any, mask: Any, types: Any) -> Any:
        return np.tile(np.float32(logits), (len(ids), 1))

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "it": 1, "helps": 2, ".": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return NliModel("fixed", {"id2label": dict(enumerate(labels))}, tokenizer, fixed)


def test_luq_ignores_neutral_and_needs_contradiction() -> None:
    # P(entail) is exp(l_e) / (exp(l_e) + exp(l_c)) = 3 / 4, however probable neutral is.
    network = model(["contradiction", "neutral", "entailment"], 0.0, 5.0, math.log(3))
    found = asyncio.run(luq(["it helps.", "it helps.", "it helps."], nli_entailment(network)))
    assert found.value == pytest.approx(1 / 4)
    unread = asyncio.run(luq(["strange words here only.", "it helps."], nli_entailment(network)))
    assert (unread.value, unread.unjudged) == (pytest.approx(1 / 4), 1)

    with pytest.raises(UsageError, match="label for contradiction"):
        nli_entailment(model(["not_entailment", "entailment"], 0.0, 1.0))
