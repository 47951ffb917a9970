"""The preset `pubmed-reasoner-paper` is the paper, and its ablations and options are one setting away."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from heart_papers import BY_MODEL, QUESTION, MakeRun, answered, library_of_papers, replies, verdicts
from rows import each_row

from medground.answering.run import Run
from medground.corpus.library import Library
from medground.home.layers import preset_layer
from medground.home.settings import Settings
from medground.models.operators.reading import ScreenOutput, SufficientOutput
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.recipes.pubmed_reasoner.at_once import SelfCriticOutput
from medground.recipes.pubmed_reasoner.operators import MeshTermsOutput, ProposedTerm, QueryOutput, SelectTermsOutput
from medground.recipes.pubmed_reasoner.settings import PubMedReasonerSettings
from medground.values.answer import Answer

ADDITIONS = ["relax", "concepts", "step_back", "dates", "reorder", "designs"]
PAPER = {
    f"{group}.{name}": value
    for group, values in preset_layer("pubmed-reasoner-paper").items()
    for name, value in values.items()
    if group == "pubmed_reasoner" or (name in ("own_knowledge", "retractions") and group == "recipe")
}
AT_ONCE = [*(name for name in BY_MODEL if name in ("screen", "extract", "sufficient", "summarise", "entail"))]
AT_ONCE += ["write_query", "self_critic", "respond_openly"]
KNOWN = WriteOutput(sentences=(WrittenSentence(text="Aspirin is an old drug.", evidence=()),), answer=("yes",))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_papers(tmp_path_factory.mktemp("home"))


def as_published(
    make_run: MakeRun, corpus: Library, model: Any, by_model: list[str] | None = None, **options: Any
) -> tuple[Answer, Run]:
    by_model = by_model or [*BY_MODEL, "respond_openly"]
    return answered("pubmed-reasoner", make_run, corpus, model=model, by_model=by_model, options={**PAPER, **options})


def openly(**changes: Any) -> dict[str, Any]:
    said = replies(**changes)
    return {"respond_openly": said["respond"], **said}


def test_the_preset_has_the_papers_parameters_and_nothing_of_ours() -> None:
    settings = Settings.load(preset="pubmed-reasoner-paper", environ={})
    chosen = settings.section(PubMedReasonerSettings)
    assert (settings.recipe.name, settings.recipe.batch, settings.retrieval.keep) == ("pubmed-reasoner", 5, 20)
    assert (chosen.tokens, chosen.terms, chosen.final, settings.recipe.own_knowledge) == (None, None, "last", True)
    assert (settings.verify.own_knowledge, settings.recipe.retractions) == ("mark", False)
    assert [name for name in ADDITIONS if getattr(chosen, name)] == []
    switches = {name for name, field in PubMedReasonerSettings.model_fields.items() if field.annotation is bool}
    assert switches - {"one_call", "critic", "batching"} == set(ADDITIONS)


def test_the_query_of_the_model_is_searched_as_it_is_and_the_last_one_is_read(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(openly(refine_query=QueryOutput(query="gout[tiab] OR fever[tiab]")))
    answer, run = as_published(make_run, corpus, model)
    assert [search.query for search in answer.searches] == [
        '"myocardial infarction"[Title/Abstract]',
        '"gout"[Title/Abstract] OR "fever"[Title/Abstract]',
    ]
    assert (run.usage.searches, run.usage.counts) == (2, 0)
    screened = next(value for name, value in model.seen if name == "screen")
    assert {passage.title for passage in screened.passages} == {"Aspirin and gout", "Aspirin and fever"}
    assert Counter(name for name, _ in model.seen)["update_terms"] == 1


def test_the_response_may_add_what_the_model_knows(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model = scripted_model(openly(respond_openly=KNOWN))
    answer, _ = as_published(make_run, corpus, model, **{"verify.own_knowledge": "mark"})
    assert {"respond", "respond_openly"} & {name for name, _ in model.seen} == {"respond_openly"}
    assert [statement.evidence for statement in answer.statements] == [()]
    assert answer.statements[0].verdict.label != "supported"


@each_row(
    ("ablation", "without"),
    [
        ({"pubmed_reasoner.critic": False}, {"coverage", "alignment", "redundancy", "update_terms", "refine_query"}),
        ({"pubmed_reasoner.reading": "summaries"}, {"screen", "extract", "sufficient"}),
        ({"pubmed_reasoner.reading": "abstracts"}, {"screen", "extract", "sufficient", "summarise"}),
        ({"pubmed_reasoner.batching": False}, {"sufficient"}),
    ],
)
def test_an_ablation_leaves_out_its_part_and_no_other(
    ablation: dict[str, Any], without: set[str], make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(openly())
    answer, _ = as_published(make_run, corpus, model, **ablation)
    asked = {name for name, _ in model.seen}
    assert {*BY_MODEL, "respond_openly"} - {"respond"} - without == asked
    assert answer.evidence


def test_without_the_critic_one_query_is_searched(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    answer, _ = as_published(make_run, corpus, scripted_model(openly()), **{"pubmed_reasoner.critic": False})
    assert answer.usage.searches == 1


def test_one_call_for_the_query_and_one_for_its_critique(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    queries = iter(["fever[tiab]", "aspirin[tiab] AND infarction[tiab]", "stroke[tiab]"])

    def criticised(value: Any) -> SelfCriticOutput:
        good = int(bool(value.signals) and "infarction" in value.signals[0].title)
        return SelfCriticOutput(query=next(queries), coverage=good, alignment=good, redundancy=1)

    said = {"write_query": QueryOutput(query='"Goats"[mesh]'), "self_critic": criticised}
    model = scripted_model(openly() | said)
    answer, _ = as_published(make_run, corpus, model, AT_ONCE, **{"pubmed_reasoner.one_call": True})
    asked = Counter(name for name, _ in model.seen)
    assert set(asked) == set(AT_ONCE)
    assert (asked["write_query"], asked["self_critic"]) == (1, 2)
    assert len(answer.searches) == 3
    histories = [[tried.query for tried in value.history] for name, value in model.seen if name == "self_critic"]
    assert [len(history) for history in histories] == [1, 2]
    judged = answered(
        "pubmed-reasoner",
        make_run,
        corpus,
        model=scripted_model(openly() | said | {"respond": replies()["respond"]}),
        by_model=[*AT_ONCE, "respond"],
        options={"pubmed_reasoner.one_call": True},
    )
    assert judged[0].decision.shown() == "yes"


def test_headings_are_capped_only_by_the_setting(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    names = [f"Heading {number}" for number in range(14)]

    def drafted_from(most: int | None) -> int:
        model = scripted_model(
            openly(
                mesh_terms=MeshTermsOutput(terms=tuple(ProposedTerm(heading=name) for name in names)),
                select_terms=lambda value: SelectTermsOutput(selected=tuple(c.heading for c in value.candidates)),
            )
        )
        as_published(make_run, corpus, model, **{"pubmed_reasoner.terms": most})
        return len(next(value for name, value in model.seen if name == "draft_query").terms)

    assert drafted_from(None) == 14
    assert drafted_from(8) == 8


def test_the_articles_that_the_coverage_check_needs_are_read_next(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(
        openly(
            draft_query=QueryOutput(query="aspirin[tiab]"),
            screen=lambda value: ScreenOutput(relevant=tuple(p.id for p in value.passages)),
            sufficient=lambda value: SufficientOutput(
                sufficient=False, missing="asthma", needed=(value.unread[-1].id,)
            ),
        )
    )
    options = {"recipe.batch": 1, "pubmed_reasoner.critic": False}
    as_published(make_run, corpus, model, **options)
    check = next(value for name, value in model.seen if name == "sufficient")
    batches = [value.passages for name, value in model.seen if name == "extract"]
    assert batches[1][0].title == check.unread[-1].title
    assert check.unread[0].title != check.unread[-1].title


def test_self_reflection_keeps_the_commonest_of_its_candidates(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    from medground.recipes.pubmed_reasoner.answering import ReflectOutput

    said = {1: "no", 2: "yes", 3: "yes"}
    model = scripted_model(
        openly(
            respond=lambda value: WriteOutput(
                sentences=(WrittenSentence(text="Aspirin lowered it.", evidence=value.summary[0].evidence),),
                answer=(said[value.sample],),
            ),
            reflect=ReflectOutput(gaps=(), query=""),
        )
    )
    options = {"pubmed_reasoner.candidates": 3}
    answer, _ = answered(
        "self-reflection", make_run, corpus, QUESTION, model=model, by_model=[*BY_MODEL, "reflect"], options=options
    )
    assert Counter(name for name, _ in model.seen)["respond"] == 3
    reflected = next(value for name, value in model.seen if name == "reflect")
    assert reflected.answer.endswith("yes")
    assert answer.decision.shown() in ("yes", "not judged")


def test_the_critic_is_asked_of_each_term(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    model = scripted_model(openly(coverage=lambda value: verdicts(value, verdict=False)))
    as_published(make_run, corpus, model)
    critique = next(value for name, value in model.seen if name == "redundancy")
    assert [term.heading for term in critique.terms] == ["Aspirin", "Myocardial Infarction"]
    assert "infarction" in critique.query
