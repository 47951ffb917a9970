"""Self-MedRAG: which round is returned where one gives no answer, and the paper's own rules as a preset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rounds import (
    BY_MODEL,
    PAPERS,
    QUESTION,
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
from medground.home.layers import preset_names
from medground.home.settings import Settings
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.recipes.self_medrag.settings import SelfMedRagSettings

SUPPORTED, NOT = about("scores"), about("gout")
RELATIONS = {SUPPORTED: "entails", NOT: "neutral"}
PAPER = {"self_medrag.returned": "last", "self_medrag.drift": 0.0}


def rounds_with(*scripts: tuple[tuple[str, ...], tuple[str, ...]]) -> dict[str, Any]:
    """Replies with these statements and this answer in each round, the last of them repeated."""

    def reason(value: Any) -> ReasonOutput:
        texts, answer = scripts[min(len(value.history), len(scripts) - 1)]
        return ReasonOutput(claims=tuple(SubClaim(text=t, sentences=("P1.S1",)) for t in texts), answer=answer)

    return replies([], RELATIONS, reason=reason)


def test_an_abstention_with_a_supported_sentence_does_not_end_the_loop(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(rounds_with(((SUPPORTED,), ()), ((SUPPORTED,), ("yes",))))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert [r.get("ended") for r in rounds_of(run)] == [None, "supported"]
    assert answer.decision.shown() == "yes"


def test_an_abstention_whose_query_repeats_reads_the_next_passages(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(rounds_with(((), ()), ((), ()), ((SUPPORTED,), ("no",))))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, sources=[Rankers({"bm25": PAPERS})])
    one, two, three = (list(r["documents"]) for r in rounds_of(run))
    assert (one, two, three) == (["PMID:1", "PMID:2"], ["PMID:3", "PMID:4"], ["PMID:5", "PMID:6"])
    assert answer.decision.shown() == "no"


def test_only_the_limit_on_rounds_ends_abstentions(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model = scripted_model(rounds_with(((), ())))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert answer.decision.shown() is None
    assert [r.get("ended") for r in rounds_of(run)] == [None, None, None]


def test_abstentions_end_when_every_passage_was_read(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model, few = scripted_model(rounds_with(((), ()))), [Rankers({"bm25": PAPERS[:3]})]
    _, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, sources=few)
    assert [r.get("ended") for r in rounds_of(run)] == [None, None, "nothing found"]


@each_row("first", [True, False])
def test_of_equal_scores_the_round_with_an_answer_is_returned(
    first: bool, make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    scripts = [((NOT,), ("yes",)), ((NOT,), ())]
    model = scripted_model(rounds_with(*(scripts if first else scripts[::-1])))
    sources = [Rankers({"bm25": PAPERS}, fresh=True)]
    options = {"self_medrag.rounds": 2}
    _, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, sources=sources, options=options)
    assert returned(run) == (1 if first else 2)


def test_an_answer_that_reaches_theta_comes_before_a_better_abstention(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    three = (SUPPORTED, f"{SUPPORTED[:-1]} too.", f"{SUPPORTED[:-1]} as well.")
    relations = dict.fromkeys(three, "entails") | {NOT: "neutral"}
    script = rounds_with(((SUPPORTED,), ()), ((*three, NOT), ("yes",)))
    model = scripted_model(script | {"entail": replies([], relations)["entail"]})
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL)
    assert [r["steering_score"] for r in rounds_of(run)] == [1.0, 0.75]
    assert answer.decision.shown() == "yes"


def test_in_the_paper_a_supported_round_is_returned_whatever_it_answers(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(rounds_with(((SUPPORTED,), ()), ((SUPPORTED,), ("yes",))))
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, options=PAPER)
    assert [r["ended"] for r in rounds_of(run)] == ["supported"]
    assert answer.decision.shown() is None


def test_in_the_paper_the_last_round_is_returned_and_every_unsupported_statement_joins_the_query(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    away = "Fever and gout are seen in the winter."
    script = rounds_with(((SUPPORTED, away), ("yes",)), ((away,), ("no",)))
    model = scripted_model(script | {"entail": replies([], {**RELATIONS, away: "neutral"})["entail"]})
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, options=PAPER)
    assert [r["steering_score"] for r in rounds_of(run)] == [0.5, 0.0, 0.0]
    assert all("ended" not in r and r["drifted"] == 0 for r in rounds_of(run))
    assert returned(run) == 3
    assert [s.query for s in answer.searches] == [QUESTION, f"{QUESTION} {away}", f"{QUESTION} {away}"]


def test_in_the_paper_the_history_holds_the_contexts_and_nothing_is_filtered(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(rounds_with(((NOT,), ("yes",))))
    options = {**PAPER, "self_medrag.contexts": True, "recipe.retractions": False}
    answer, run = answered(make_run, corpus, model=model, by_model=BY_MODEL, options=options)
    asked = [value for name, value in model.seen if name == "reason"]
    assert [len(past.passages) for past in asked[-1].history] == [2, 2]
    assert any(WITHDRAWN.text in passage for past in asked[-1].history for passage in past.passages)
    assert WITHDRAWN.id in rounds_of(run)[0]["documents"]
    assert all(s.verdict.label != "supported" for s in answer.statements)  # a retracted paper still supports nothing


def returned(run: Any) -> int:
    from medground.answering.trace import read_trace

    spans = read_trace(run.trace.path.parent, run.trace.path.stem)
    return [s["attributes"]["medground.number"] for s in spans if s["name"] == "best round"][-1]


def test_presets_are_the_paper_and_table_1(tmp_path: Path) -> None:
    names = [name for name in preset_names() if name.startswith("self-medrag-")]
    loaded = {name: Settings.load(preset=name, environ={"MEDGROUND_HOME": str(tmp_path)}) for name in names}
    of_loop = {name: s.section(SelfMedRagSettings) for name, s in loaded.items()}
    assert {name: (s.retrieval, s.critic) for name, s in of_loop.items()} == {
        "self-medrag-bm25": ("bm25", False),
        "self-medrag-dense": ("dense", False),
        "self-medrag-hybrid": ("hybrid", False),
        "self-medrag-model": ("hybrid", True),
        "self-medrag-paper": ("hybrid", True),
    }
    assert {(s.drift, s.returned, s.contexts) for s in of_loop.values()} == {(0.0, "last", True)}
    assert {s.recipe.retractions for s in loaded.values()} == {False}
    assert {s.recipe.name for s in loaded.values()} == {"self-medrag"}
    assert {(s.verify.entailment, s.verify.support, s.retrieval.fusion_k) for s in loaded.values()} == {(0.5, 0.7, 60)}
    assert {(s.verify.contradiction, s.verify.taxonomy) for s in loaded.values()} == {(False, False)}
    assert loaded["self-medrag-paper"].verify.critic == "nli:FacebookAI/roberta-large-mnli"
    assert loaded["self-medrag-model"].verify.critic == "entail"
    assert loaded["self-medrag-bm25"].retrieval.dense is False
