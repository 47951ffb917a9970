"""Self-MedRAG: Algorithm 1 line by line, its guards and its trace; the paper as a preset; score and next query."""

from pathlib import Path
from typing import Any

import pytest
from asked_questions import Asks
from hypothesis import given
from hypothesis import strategies as st
from rounds import BM25, DENSE, PAPERS, QUESTION, TOPICS, WITHDRAWN, Rankers, about, replies, rounds_of
from rows import each_row

from medground.answering.verify.critic import Checked, Judgement
from medground.corpus.library import Library
from medground.errors import ConfigError, ModelFailed
from medground.home.layers import preset_names
from medground.home.settings import Settings
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.recipes import self_medrag
from medground.recipes.settings import SelfMedRagSettings
from medground.sources.corpus import CorpusSource
from medground.values.query import Words
from medground.values.question import Question
from medground.values.statement import Verdict
from medground.values.usage import Usage


def test_a_supported_rationale_is_returned_at_once(ask: Asks) -> None:
    answer, run = ask(replies([[about("scores")]], {about("scores"): "entails"}))
    assert [name for name, _ in ask.seen] == ["reason", "check", "check"]  # the last is of the short answer
    assert len(ask.seen[1][1].evidence) == 2  # compared with all passages of C_i, not with the cited one alone
    assert rounds_of(run)[0]["ended"] == "supported"
    assert rounds_of(run)[0]["steering_score"] == 1.0
    assert answer.decision.shown() == "yes"


def test_unsupported_statements_join_the_query_and_the_history(ask: Asks) -> None:
    scripts = [[about("stroke"), about("gout")], [about("fever")]]
    relations = {about("stroke"): "entails", about("gout"): "neutral", about("fever"): "entails"}
    answer, run = ask(replies(scripts, relations))
    second = ask.values("reason")[1]
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
def test_the_best_round_is_returned_and_the_earliest_of_equals(supported: tuple[int, ...], ask: Asks) -> None:
    scripts = [[about(TOPICS[2 * i]), about(TOPICS[2 * i + 1], i + 1)] for i in range(3)]
    relations = {
        text: "entails" if place < supported[i] else "neutral"
        for i, texts in enumerate(scripts)
        for place, text in enumerate(texts)
    }
    sources = [Rankers({"bm25": PAPERS}, fresh=True)]
    answer, run = ask(replies(scripts, relations), sources=sources)
    expected = supported[: supported.index(2) + 1] if 2 in supported else supported
    rounds = [r for r in rounds_of(run) if "statements" in r][-len(expected) :]
    assert [r["steering_score"] * 2 for r in rounds] == list(expected)
    best = expected.index(max(expected))
    assert {s.text for s in answer.statements} == set(scripts[best])
    # Every round is counted: one call writes, one checks; then the short answer is checked, if sentences carry it.
    assert answer.usage.model_calls - 2 * len(rounds) in (0, 1)
    assert answer.usage.searches == len(rounds)


def test_rounds_are_limited_and_without_critic_there_is_one(ask: Asks) -> None:
    scripts = [[about(topic)] for topic in TOPICS]
    relations = {text: "neutral" for texts in scripts for text in texts}
    for options, expected in ({"self_medrag.rounds": 2}, 2), ({"self_medrag.critic": False}, 1):
        sources = [Rankers({"bm25": PAPERS}, fresh=True)]
        _, run = ask(replies(scripts, relations), options=options, sources=sources)
        assert [name for name, _ in ask.seen].count("reason") == expected
        assert all("ended" not in r for r in rounds_of(run)[-expected:])


def test_a_query_that_repeats_ends_the_loop(ask: Asks) -> None:
    same = about("gout")
    answer, run = ask(replies([[same], [same.upper()], ["never"]], {same: "neutral", same.upper(): "neutral"}))
    assert rounds_of(run)[-1]["ended"] == "query repeats"
    assert len(answer.searches) == 2


def test_a_failed_critic_gives_no_score_and_ends_the_loop(ask: Asks) -> None:
    broken = ModelFailed("timed out", model="scripted:model", usage=Usage(model_calls=1))
    answer, run = ask(replies([[about("stroke")], ["never"]], {}, check=broken))
    (only,) = rounds_of(run)
    assert "steering_score" not in only
    assert only["ended"] == "nothing to judge"
    assert [s.verdict.label for s in answer.statements] == ["unverified"]


def test_after_a_failed_round_the_earlier_one_is_returned(ask: Asks) -> None:
    script = replies([[about("gout")]], {about("gout"): "neutral"})
    first = script["reason"]

    def reason(value: Any) -> Any:
        return ModelFailed("no JSON", model="scripted:model") if value.history else first(value)

    answer, _ = ask(script | {"reason": reason})
    assert [s.text for s in answer.statements] == [about("gout")]
    assert any("round 2 failed" in warning for warning in answer.warnings)
    with pytest.raises(ModelFailed):
        ask(script | {"reason": ModelFailed("no JSON", model="scripted:model")})


@each_row(
    ("retrieval", "expected"),
    [
        ("hybrid", ["PMID:3", "PMID:2", "PMID:4"]),  # Eq. 1: 2/62 > 1/61 = 1/61
        ("bm25", ["PMID:2", "PMID:3"]),
        ("dense", ["PMID:4", "PMID:3"]),
    ],
)
def test_retrieval_of_table_1(retrieval: str, expected: list[str], ask: Asks) -> None:
    options = {"self_medrag.retrieval": retrieval, "self_medrag.passages": 5}
    _, run = ask(sources=[Rankers({"bm25": BM25, "dense": DENSE})], options=options)
    assert list(rounds_of(run)[-1]["documents"]) == expected


@each_row(("retrieval", "problems"), [("dense", 1), ("hybrid", 1), ("bm25", 0), ("auto", 0)])
def test_dense_retrieval_without_vectors_is_refused_with_the_way_to_fix_it(
    retrieval: str, problems: int, corpus: Library
) -> None:
    settings = Settings.load(environ={}, options={"self_medrag.retrieval": retrieval})
    with corpus.open("heart") as snapshot:
        found = list(self_medrag.SELF_MEDRAG.check(settings, [CorpusSource(snapshot), Rankers({"bm25": BM25})]))
    assert len(found) == problems
    assert all(isinstance(error, ConfigError) and "build a corpus with vectors" in str(error) for error in found)
    assert list(self_medrag.SELF_MEDRAG.check(settings, [Rankers({"bm25": BM25}), Rankers({"dense": DENSE})])) == []
    assert list(self_medrag.SELF_MEDRAG.check(settings, [])) == []  # the sources are not open yet


SUPPORTED, NOT = about("scores"), about("gout")
RELATIONS = {SUPPORTED: "entails", NOT: "neutral"}
PAPER = {"self_medrag.returned": "last", "self_medrag.drift": 0.0}


def rounds_with(*scripts: tuple[tuple[str, ...], tuple[str, ...]]) -> dict[str, Any]:
    """Replies with these statements and this answer in each round, the last of them repeated."""

    def reason(value: Any) -> ReasonOutput:
        texts, answer = scripts[min(len(value.history), len(scripts) - 1)]
        first = value.passages[0].sentences[0].id
        return ReasonOutput(claims=tuple(SubClaim(text=t, sentences=(first,)) for t in texts), answer=answer)

    return replies([], RELATIONS, reason=reason)


def test_an_abstention_with_a_supported_sentence_does_not_end_the_loop(ask: Asks) -> None:
    answer, run = ask(rounds_with(((SUPPORTED,), ()), ((SUPPORTED,), ("yes",))))
    assert [r.get("ended") for r in rounds_of(run)] == [None, "supported"]
    assert answer.decision.shown() == "yes"


def test_an_abstention_whose_query_repeats_reads_the_next_passages(ask: Asks) -> None:
    answer, run = ask(rounds_with(((), ()), ((), ()), ((SUPPORTED,), ("no",))), sources=[Rankers({"bm25": PAPERS})])
    one, two, three = (list(r["documents"]) for r in rounds_of(run))
    assert (one, two, three) == (["PMID:1", "PMID:2"], ["PMID:3", "PMID:4"], ["PMID:5", "PMID:6"])
    assert answer.decision.shown() == "no"
    for sources, ended in ([Rankers({"bm25": PAPERS[:3]})], "nothing found"), (None, None):
        answer, run = ask(rounds_with(((), ())), **({"sources": sources} if sources else {}))
        assert [r.get("ended") for r in rounds_of(run)][-3:] == [None, None, ended]
        assert answer.decision.shown() is None


@each_row("first", [True, False])
def test_of_equal_scores_the_round_with_an_answer_is_returned(first: bool, ask: Asks) -> None:
    scripts = [((NOT,), ("yes",)), ((NOT,), ())]
    sources = [Rankers({"bm25": PAPERS}, fresh=True)]
    options = {"self_medrag.rounds": 2}
    _, run = ask(rounds_with(*(scripts if first else scripts[::-1])), sources=sources, options=options)
    assert rounds_of(run, "best round")[-1]["number"] == (1 if first else 2)


def test_an_answer_that_reaches_theta_comes_before_a_better_abstention(ask: Asks) -> None:
    three = (SUPPORTED, f"{SUPPORTED[:-1]} too.", f"{SUPPORTED[:-1]} as well.")
    relations = dict.fromkeys(three, "entails") | {NOT: "neutral"}
    script = rounds_with(((SUPPORTED,), ()), ((*three, NOT), ("yes",)))
    answer, run = ask(script | {"check": replies([], relations)["check"]})
    assert [r["steering_score"] for r in rounds_of(run)] == [1.0, 0.75]
    assert answer.decision.shown() == "yes"


def test_in_the_paper_a_supported_round_is_returned_whatever_it_answers(ask: Asks) -> None:
    answer, run = ask(rounds_with(((SUPPORTED,), ()), ((SUPPORTED,), ("yes",))), options=PAPER)
    assert [r["ended"] for r in rounds_of(run)] == ["supported"]
    assert answer.decision.shown() is None


def test_in_the_paper_the_last_round_is_returned_and_every_unsupported_statement_joins_the_query(ask: Asks) -> None:
    away = "Fever and gout are seen in the winter."
    script = rounds_with(((SUPPORTED, away), ("yes",)), ((away,), ("no",)))
    answer, run = ask(script | {"check": replies([], {**RELATIONS, away: "neutral"})["check"]}, options=PAPER)
    assert [r["steering_score"] for r in rounds_of(run)] == [0.5, 0.0, 0.0]
    assert all("ended" not in r and r["drifted"] == 0 for r in rounds_of(run))
    assert rounds_of(run, "best round")[-1]["number"] == 3
    assert [s.query for s in answer.searches] == [QUESTION, f"{QUESTION} {away}", f"{QUESTION} {away}"]


def test_in_the_paper_the_history_holds_the_contexts_and_nothing_is_filtered(ask: Asks) -> None:
    options = {**PAPER, "self_medrag.contexts": True, "recipe.retractions": False}
    answer, run = ask(rounds_with(((NOT,), ("yes",))), options=options)
    asked = ask.values("reason")
    assert [len(past.passages) for past in asked[-1].history] == [2, 2]
    assert any(WITHDRAWN.text in passage for past in asked[-1].history for passage in past.passages)
    assert WITHDRAWN.id in rounds_of(run)[0]["documents"]
    kept, run = ask(rounds_with(((NOT,), ("yes",))), options=PAPER)
    assert WITHDRAWN.id not in rounds_of(run)[-1]["documents"]
    assert WITHDRAWN.id in {document.id for document in kept.documents}
    assert all(s.verdict.label != "supported" for s in answer.statements)  # a retracted paper still supports nothing


def test_presets_are_the_paper_and_table_1(tmp_path: Path) -> None:
    names = [name for name in preset_names() if name.startswith("self-medrag-")]
    loaded = {name: Settings.load(preset=name, environ={"MEDGROUND_HOME": str(tmp_path)}) for name in names}
    of_loop = {name.rpartition("-")[2]: s.section(SelfMedRagSettings) for name, s in loaded.items()}
    table = {"bm25": ("bm25", False), "dense": ("dense", False), "hybrid": ("hybrid", False)}
    table |= dict.fromkeys(("model", "paper"), ("hybrid", True))
    assert {name: (s.retrieval, s.critic) for name, s in of_loop.items()} == table
    assert {(s.drift, s.returned, s.contexts) for s in of_loop.values()} == {(0.0, "last", True)}
    assert {(s.recipe.name, s.recipe.retractions) for s in loaded.values()} == {("self-medrag", False)}
    assert {(s.verify.entailment, s.verify.support, s.retrieval.fusion_k) for s in loaded.values()} == {(0.5, 0.7, 60)}
    assert {(s.verify.contradiction, s.verify.taxonomy) for s in loaded.values()} == {(False, False)}
    critics = {name: loaded[f"self-medrag-{name}"].verify.critic for name in ("paper", "model")}
    assert critics == {"paper": "nli:FacebookAI/roberta-large-mnli", "model": "check"}
    assert loaded["self-medrag-bm25"].retrieval.dense is False


def judged(relation: Any, critic: str = "nli:some", label: Any = "not judged", **more: Any) -> Checked:
    return Checked(Verdict(label=label, critic=critic), Judgement(relation, best="E1", **more))


QUOTED = Checked(Verdict(label="quoted", critic="verbatim"))
FAILED = judged("failed", label="unverified")


@each_row(
    ("checked", "expected"),
    [
        (QUOTED, True),
        (Checked(Verdict(label="supported", critic="graph")), True),
        (Checked(Verdict(label="not found", critic="citation")), False),
        (judged("entails", entailment=0.5), True),
        (judged("entails", entailment=0.49), False),
        (judged("neutral"), False),
        (judged("related", critic="keyless", label="related"), True),
        (judged("related", critic="keyless", label="related", flags=("number",)), False),
        (judged("related", critic="nli:some", label="related"), False),
        (FAILED, False),
    ],
)
def test_what_counts_as_supported_for_the_loop(checked: Checked, expected: bool) -> None:
    assert self_medrag.holds(checked, 0.5) is expected


def test_the_score_is_a_share_or_none_if_every_judgement_failed() -> None:
    assert self_medrag.steering_score([QUOTED, judged("neutral"), FAILED], 0.5) == pytest.approx(1 / 3)
    assert self_medrag.steering_score([FAILED, FAILED], 0.5) is None
    assert self_medrag.steering_score([], 0.5) is None
    assert self_medrag.failed(FAILED)
    assert not self_medrag.failed(judged("neutral"))


ASKED = Question.ask("Does aspirin prevent myocardial infarction in adults with hypertension?")
TEXTS = st.text(max_size=80)


def test_statements_join_once_unless_they_drifted_and_options_belong_to_the_question() -> None:
    statements = ["Aspirin lowered infarction.", "aspirin  LOWERED infarction", "Aspirin lowered infarction!"]
    once = self_medrag.revised(ASKED, self_medrag.first_query(ASKED), statements, 0.0).query
    assert once.parts == (ASKED.text, statements[0])
    assert self_medrag.revised(ASKED, once, statements, 0.0).query.key == once.key

    away = "The chapel's ceiling was painted within four years."
    revision = self_medrag.revised(ASKED, self_medrag.first_query(ASKED), [away], 0.1)
    assert revision.query == self_medrag.first_query(ASKED)
    assert revision.drifted == (away,)

    choice = Question.ask("Which drug is first?", options=["Metformin", "Warfarin"])
    revision = self_medrag.revised(choice, self_medrag.first_query(choice), ["Metformin comes first."], 0.2)
    assert not revision.drifted
    assert revision.query.tree(choice) == Words(text="Which drug is first? Metformin comes first. Metformin Warfarin")


@given(TEXTS, TEXTS)
def test_closeness_is_symmetric_bounded_and_higher_for_the_same_subject(one: str, other: str) -> None:
    assert 0.0 <= self_medrag.closeness(one, other) == self_medrag.closeness(other, one) <= 1.0
    near = self_medrag.closeness(ASKED.text, "Adults with hypertension had fewer infarctions under aspirin.")
    assert near > 0.4 > self_medrag.closeness(ASKED.text, "Gout attacks became more frequent in 2004.")


@given(st.lists(TEXTS, max_size=6), st.floats(0, 1))
def test_a_query_only_grows_and_every_statement_is_accounted_for(texts: list[str], least: float) -> None:
    start = self_medrag.first_query(ASKED)
    revision = self_medrag.revised(ASKED, start, texts, least)
    assert revision.query.key >= start.key
    assert revision.query.parts[:1] == start.parts
    joined = {self_medrag.LoopQuery((text,)).key for text in revision.query.parts}
    assert all(text in revision.drifted or self_medrag.LoopQuery((text,)).key in joined for text in texts)
    again = self_medrag.revised(ASKED, revision.query, texts, least)
    assert again.query.key == revision.query.key
