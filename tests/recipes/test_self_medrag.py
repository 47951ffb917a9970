"""Self-MedRAG: Algorithm 1 of the paper line by line, its guards, and what its rounds leave in the trace."""

from __future__ import annotations

from typing import Any

import pytest
from rounds import (
    BM25,
    BY_MODEL,
    DENSE,
    PAPERS,
    QUESTION,
    TOPICS,
    WITHDRAWN,
    MakeRun,
    Rankers,
    about,
    answered,
    replies,
    rounds_of,
)
from rows import each_row

from medground.corpus.library import Library
from medground.errors import ConfigError, ModelFailed
from medground.home.settings import Settings
from medground.recipes.self_medrag.recipe import SELF_MEDRAG
from medground.sources.corpus import CorpusSource
from medground.values.usage import Usage


def test_a_supported_rationale_is_returned_at_once(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model = scripted_model(replies([[about("scores")]], {about("scores"): "entails"}))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert [name for name, _ in model.seen] == ["reason", "entail", "entail"]  # the last is of the citation
    assert len(model.seen[1][1].evidence) == 2  # compared with all passages of C_i, not with the cited one alone
    assert rounds_of(run)[0]["ended"] == "supported"
    assert rounds_of(run)[0]["steering_score"] == 1.0
    assert answer.decision.shown() == "yes"


def test_unsupported_statements_join_the_query_and_the_history(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    scripts = [[about("stroke"), about("gout")], [about("fever")]]
    relations = {about("stroke"): "entails", about("gout"): "neutral", about("fever"): "entails"}
    model = scripted_model(replies(scripts, relations))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    second = [value for name, value in model.seen if name == "reason"][1]
    assert [past.query for past in second.history] == [QUESTION]
    assert second.history[0].rationale == " ".join(scripts[0])
    assert second.history[0].answer == ("yes",)
    assert second.history[0].unsupported == (about("gout"),)
    assert [search.query for search in answer.searches] == [QUESTION, f"{QUESTION} {about('gout')}"]
    one, two = rounds_of(run)
    assert list(one["text.unsupported"]) == [about("gout")]
    assert two["text.query"] == f"{QUESTION} {about('gout')}"
    assert "PMID:4" not in one["documents"]
    assert "PMID:4" in two["documents"]
    assert (one["steering_score"], two["steering_score"]) == (0.5, 1.0)
    assert [s.text for s in answer.statements] == [about("fever")]


@each_row("supported", [(0, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 2), (0, 2, 1), (2, 0, 0)])
def test_the_best_round_is_returned_and_the_earliest_of_equals(
    supported: tuple[int, ...], make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    scripts = [[about(TOPICS[2 * i]), about(TOPICS[2 * i + 1], i + 1)] for i in range(3)]
    relations = {
        text: "entails" if place < supported[i] else "neutral"
        for i, texts in enumerate(scripts)
        for place, text in enumerate(texts)
    }
    model = scripted_model(replies(scripts, relations))
    sources = [Rankers({"bm25": PAPERS}, fresh=True)]
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, sources=sources)
    expected = supported[: supported.index(2) + 1] if 2 in supported else supported
    rounds = [r for r in rounds_of(run) if "statements" in r][-len(expected) :]
    assert [r["steering_score"] * 2 for r in rounds] == list(expected)
    best = expected.index(max(expected))
    assert {s.text for s in answer.statements} == set(scripts[best])
    # Every round is counted; each statement is checked once, and again by its citation if the context supports it.
    assert answer.usage.model_calls == 3 * len(rounds) + sum(expected)
    assert answer.usage.searches == len(rounds)


def test_rounds_are_limited_and_without_critic_there_is_one(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    scripts = [[about(topic)] for topic in TOPICS]
    relations = {text: "neutral" for texts in scripts for text in texts}
    for options, expected in ({"self_medrag.rounds": 2}, 2), ({"self_medrag.critic": False}, 1):
        model = scripted_model(replies(scripts, relations))
        sources = [Rankers({"bm25": PAPERS}, fresh=True)]
        _, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, options=options, sources=sources)
        assert [name for name, _ in model.seen].count("reason") == expected
        assert all("ended" not in r for r in rounds_of(run)[-expected:])


def test_a_query_that_repeats_ends_the_loop(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    same = about("gout")
    model = scripted_model(replies([[same], [same.upper()], ["never"]], {same: "neutral", same.upper(): "neutral"}))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert rounds_of(run)[-1]["ended"] == "query repeats"
    assert len(answer.searches) == 2


def test_a_context_that_repeats_is_answered_again_with_the_history(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    first, second = "Aspirin prevents myocardial infarction in men.", "Aspirin lowers the risk of infarction in men."
    model = scripted_model(replies([[first], [second]], {first: "neutral", second: "entails"}))
    _, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, options={"self_medrag.passages": 1})
    one, two = rounds_of(run)
    assert one["passages"] == two["passages"]
    assert two["ended"] == "supported"


def test_statements_that_drift_stay_out_of_the_query_and_are_in_the_trace(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    away = "Fever and gout are seen in the winter."
    model = scripted_model(replies([[away], ["never"]], {away: "neutral"}))
    _, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    (only,) = rounds_of(run)
    assert (only["drifted"], only["ended"]) == (1, "query repeats")
    assert list(only["text.drifted"]) == [away]


def test_a_critic_that_is_not_validated_steers_but_its_verdict_is_not_judged(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies([[about("scores")]], {about("scores"): "entails"}))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert rounds_of(run)[0]["steering_score"] == 1.0
    assert [s.verdict.label for s in answer.statements] == ["not judged"]
    trusted = {"verify.trusted_judges": model.name}
    answer, _ = answered(make_run, corpus, model=model, by_model=BY_MODEL, options=trusted)
    assert [s.verdict.label for s in answer.statements] == ["supported"]


def test_keyless_quotes_end_the_loop_after_one_round(make_run: MakeRun, corpus: Library) -> None:
    answer, run = answered(make_run, corpus)
    assert {s.verdict.label for s in answer.statements} == {"quoted"}
    assert [r["ended"] for r in rounds_of(run)] == ["supported"]
    assert answer.usage.model_calls == 0
    assert answer.decision.status == "not judged"


def test_keyless_critic_steers_by_related_and_never_says_supported(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    scripts = [["Aspirin changed myocardial infarction by 40 percent."], ["Aspirin changed myocardial infarction."]]
    model = scripted_model(replies(scripts, {}))
    answer, run = answered(make_run, corpus, model=model, by_model=["reason"], options={"self_medrag.passages": 1})
    first = rounds_of(run)[0]
    assert first["steering_score"] == 0.0
    assert {s.verdict.label for s in answer.statements} <= {"related", "not found"}


def test_a_failed_critic_gives_no_score_and_ends_the_loop(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    broken = ModelFailed("timed out", model="scripted:model", usage=Usage(model_calls=1))
    model = scripted_model(replies([[about("stroke")], ["never"]], {}, entail=broken))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    (only,) = rounds_of(run)
    assert "steering_score" not in only
    assert only["ended"] == "nothing to judge"
    assert [s.verdict.label for s in answer.statements] == ["unverified"]


def test_after_a_failed_round_the_earlier_one_is_returned(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    script = replies([[about("gout")]], {about("gout"): "neutral"})
    first = script["reason"]

    def reason(value: Any) -> Any:
        return ModelFailed("no JSON", model="scripted:model") if value.history else first(value)

    model = scripted_model(script | {"reason": reason})
    answer, _ = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert [s.text for s in answer.statements] == [about("gout")]
    assert any("round 2 failed" in warning for warning in answer.warnings)
    always = scripted_model(script | {"reason": ModelFailed("no JSON", model="scripted:model")})
    with pytest.raises(ModelFailed):
        answered(make_run, corpus, model=always, by_model=BY_MODEL)


def test_retracted_papers_are_listed_but_never_in_a_context(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    scripts = [[about("stroke")], [about("gout")], [about("fever")]]
    model = scripted_model(replies(scripts, {texts[0]: "neutral" for texts in scripts}))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert all(WITHDRAWN.id not in r["documents"] for r in rounds_of(run))
    assert WITHDRAWN.id in {document.id for document in answer.documents}
    shown = [p for name, value in model.seen if name == "reason" for p in value.passages]
    assert all("always" not in sentence.text for passage in shown for sentence in passage.sentences)


def test_nothing_found_is_unanswerable(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model = scripted_model({})
    answer, run = answered(make_run, corpus, text="Qwertz zuiop?", model=model, by_model=BY_MODEL)
    assert answer.decision.status == "unanswerable"
    assert rounds_of(run)[0]["ended"] == "nothing found"


@each_row(
    ("retrieval", "expected"),
    [
        ("hybrid", ["PMID:3", "PMID:2", "PMID:4"]),  # Eq. 1: 2/62 > 1/61 = 1/61
        ("bm25", ["PMID:2", "PMID:3"]),
        ("dense", ["PMID:4", "PMID:3"]),
    ],
)
def test_retrieval_of_table_1(retrieval: str, expected: list[str], make_run: MakeRun, corpus: Library) -> None:
    options = {"self_medrag.retrieval": retrieval, "self_medrag.passages": 5}
    _, run = answered(make_run, corpus, sources=[Rankers({"bm25": BM25, "dense": DENSE})], options=options)
    assert list(rounds_of(run)[-1]["documents"]) == expected


@each_row(("retrieval", "problems"), [("dense", 1), ("hybrid", 1), ("bm25", 0), ("auto", 0)])
def test_dense_retrieval_without_vectors_is_refused_with_the_way_to_fix_it(
    retrieval: str, problems: int, corpus: Library
) -> None:
    settings = Settings.load(environ={}, options={"self_medrag.retrieval": retrieval})
    with corpus.open("heart") as snapshot:
        found = list(SELF_MEDRAG.check(settings, [CorpusSource(snapshot), Rankers({"bm25": BM25})]))
    assert len(found) == problems
    assert all(isinstance(error, ConfigError) and "--embed" in str(error) for error in found)


def test_one_source_with_vectors_is_enough_for_dense_retrieval() -> None:
    settings = Settings.load(environ={}, options={"self_medrag.retrieval": "dense"})
    assert list(SELF_MEDRAG.check(settings, [Rankers({"bm25": BM25}), Rankers({"dense": DENSE})])) == []
    assert list(SELF_MEDRAG.check(settings, [])) == []  # the sources are not open yet
