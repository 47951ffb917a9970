"""PubMed Reasoner and its baselines: each step of the paper in its place; the paper as a preset, and its ablations."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import heart_papers
from asked_questions import Asks
from heart_papers import BY_MODEL, QUESTION, MakeRun, replies, verdicts
from rows import each_row

from medground.answering.run import Run
from medground.corpus.design import design_level
from medground.corpus.library import Library
from medground.home.layers import preset_layer
from medground.home.settings import Settings
from medground.models.operators.reading import Extracted, ExtractOutput, SufficientOutput
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.recipes.pubmed_reasoner.answering import ReflectOutput
from medground.recipes.pubmed_reasoner.operators import MeshTermsOutput, ProposedTerm, QueryOutput, SelectTermsOutput
from medground.recipes.pubmed_reasoner.queries import SelfCriticOutput
from medground.recipes.pubmed_reasoner.recipe import PUBMED_REASONER, by_article
from medground.recipes.settings import PubMedReasonerSettings
from medground.sources.corpus import CorpusSource
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.values.question import Question

ask = heart_papers.ask
corpus = heart_papers.corpus

UNCOVERED = partial(verdicts, verdict=False)


def test_keyless_finds_reads_and_cites_with_pmids(ask: Asks) -> None:
    answer, run = ask()
    assert {"PMID:1", "PMID:3"} <= {e.document_id for e in answer.evidence}
    assert "[PMID: 3]" in answer.rationale
    assert answer.searches[0].query.startswith('("')
    assert answer.usage.model_calls == 0
    assert {"mesh_terms", "select_terms", "draft_query", "coverage", "alignment", "redundancy"} <= set(run.answered_by)


def test_the_model_is_asked_for_every_step_of_the_paper(ask: Asks) -> None:
    answer, _ = ask(replies(coverage=UNCOVERED))
    asked = Counter(name for name, _ in ask.seen)
    assert set(asked) == set(BY_MODEL)
    assert asked["coverage"] == asked["alignment"] == asked["redundancy"]
    assert answer.decision.shown() == "yes"
    order = [name for name, _ in ask.seen]
    assert order[:3] == ["mesh_terms", "select_terms", "draft_query"]
    assert order.index("update_terms") > order.index("redundancy")
    assert order[-2:] == ["respond", "check"]


def test_the_critic_sees_titles_and_abstracts_and_the_history(ask: Asks) -> None:
    ask(replies(coverage=UNCOVERED))
    critique = ask.values("coverage")[0]
    assert critique.signals[0].abstract.startswith("We studied aspirin")
    refine = ask.values("refine_query")[0]
    written, searched = refine.history
    assert "infarction" in written.query
    assert (written.found, searched.found > 0) == (0, True)
    assert critique.query == searched.query  # the query whose records are shown is the one that is judged


def test_the_loop_ends_when_quality_stops_growing_or_after_t_rounds(ask: Asks) -> None:
    ask(replies(coverage=UNCOVERED))
    assert Counter(n for n, _ in ask.seen)["refine_query"] == 1
    ask(replies())
    assert "refine_query" not in {n for n, _ in ask.seen}
    growing = iter(range(100))
    script = replies(
        coverage=lambda value: verdicts(value, verdict=next(growing) > 0),
        refine_query=lambda value: QueryOutput(query=f"aspirin[tiab] AND NOT town{len(value.history)}[tiab]"),
    )
    ask(script, options={"recipe.rounds": 2})
    asked = Counter(n for n, _ in ask.seen)
    assert (asked["coverage"], asked["refine_query"]) == (2, 1)  # the last round's query is judged, not rewritten


def test_the_query_that_the_critic_judged_best_is_read_though_others_found_more(ask: Asks) -> None:
    queries = iter(["aspirin[tiab]", "gout[tiab]", "hypertension[tiab]"])
    options = {"pubmed_reasoner.concepts": False, "pubmed_reasoner.relax": False, "recipe.rounds": 4}
    script = replies(
        draft_query=QueryOutput(query="stroke[tiab]"),
        coverage=lambda value: verdicts(value, verdict="gout" in value.query),
        alignment=lambda value: verdicts(value, verdict="stroke" not in value.query),
        refine_query=lambda value: QueryOutput(query=next(queries)),
    )
    answer, _ = ask(script, options=options)
    screened = ask.values("screen")[0]
    assert [passage.title for passage in screened.passages] == ["Aspirin and gout"]
    assert len(answer.searches) == 3
    assert max(search.hits for search in answer.searches) > len(screened.passages)


def test_wider_queries_are_counted_and_only_the_chosen_one_is_searched(ask: Asks) -> None:
    narrow = QueryOutput(query="aspirin[tiab] AND gout[tiab] AND stroke[tiab] AND fever[tiab] AND migraine[tiab]")
    answer, run = ask(replies(draft_query=narrow), options={"pubmed_reasoner.concepts": False})
    assert (run.usage.searches, len(answer.searches)) == (1, 1)
    assert 2 <= run.usage.counts <= 6
    assert answer.usage.counts == run.usage.counts
    assert " OR " in answer.searches[0].query


def test_what_the_evidence_lacks_is_searched_for(ask: Asks) -> None:
    checks = iter([SufficientOutput(sufficient=False, missing="gout"), SufficientOutput(sufficient=True)])
    options = {"pubmed_reasoner.concepts": False, "pubmed_reasoner.enough": 1}

    def extract(value: Any) -> ExtractOutput:
        second = (s.id for p in value.passages for s in p.sentences[1:2])
        return ExtractOutput(sentences=tuple(Extracted(sentence=one, stance="supports") for one in second))

    script = replies(
        draft_query=QueryOutput(query="infarction[tiab]"),
        sufficient=lambda value: next(checks),
        extract=extract,
        refine_query=lambda value: QueryOutput(query=f"{value.missing}[tiab]"),
    )
    answer, run = ask(script, options=options)
    assert [value.missing for value in ask.values("refine_query")] == ["gout"]
    assert [search.query for search in answer.searches] == ['"infarction"[Title/Abstract]', '"gout"[Title/Abstract]']
    assert "PMID:4" in {evidence.document_id for evidence in run.ledger.evidence}


def test_years_of_the_text_and_limits_of_the_user_reach_every_search(
    ask: Asks, make_run: MakeRun, corpus: Library
) -> None:
    answer, _ = ask(None, "Has aspirin prevented infarction since 2003?")
    assert all(search.query.endswith("AND 2003:3000[Date - Publication]") for search in answer.searches)
    assert {document.year for document in answer.documents} <= set(range(2003, 2010))
    assert any("from 2003 on were searched" in warning for warning in answer.warnings)

    with corpus.open("heart") as snapshot:
        run = make_run(QUESTION, [CorpusSource(snapshot)], recipe=PUBMED_REASONER)
        run.question = Question.ask(QUESTION, filters=Filters(year_from=2003, year_to=2004))
        answer = asyncio.run(PUBMED_REASONER.run(run.question, run))
    assert {d.year for d in answer.documents} <= {2003, 2004}
    assert answer.evidence
    assert all(search.query.endswith("AND 2003:2004[Date - Publication]") for search in answer.searches)


def test_stronger_designs_come_first_and_can_be_switched_off(ask: Asks) -> None:
    _, run = ask()
    evidence = [e for e in run.ledger.evidence if e.document_id in ("PMID:1", "PMID:3")]
    assert by_article(evidence, run, designs=True)[0].document_id == "PMID:3"
    assert design_level(("Randomized Controlled Trial",)) < design_level(()) < design_level(("Case Reports",))
    assert design_level(("Meta-Analysis", "Review")) == 0


@each_row("written", ["???", "all[sb]", "AND OR"])
def test_a_query_without_terms_does_not_search_everything(written: str, ask: Asks) -> None:
    query = QueryOutput(query=written)
    answer, _ = ask(replies(draft_query=query, refine_query=query), options={"pubmed_reasoner.concepts": False})
    assert answer.searches
    assert not [search for search in answer.searches if search.query == "all[Filter]"]
    assert "infarction" in answer.searches[0].query


def test_without_proposed_terms_the_critic_is_not_asked(ask: Asks) -> None:
    answer, _ = ask(replies(mesh_terms=MeshTermsOutput(terms=()), update_terms=MeshTermsOutput(terms=())))
    assert not {"select_terms", "coverage", "alignment", "redundancy"} & {name for name, _ in ask.seen}
    assert answer.evidence


def test_the_token_limit_ends_the_reading_but_not_the_answer(ask: Asks) -> None:
    script = replies(sufficient=SufficientOutput(sufficient=False))
    answer, _ = ask(script, options={"recipe.batch": 1, "pubmed_reasoner.tokens": 1})
    assert (len(ask.values("extract")), answer.decision.shown()) == (1, "yes")
    assert any("reading stopped after 1 batches" in warning for warning in answer.warnings)


def test_model_only_is_decided_without_evidence_and_says_so(ask: Asks) -> None:
    said = WriteOutput(sentences=(WrittenSentence(text="It does.", evidence=()),), answer=("yes",))
    answer, _ = ask({"recall": said}, recipe="model-only")
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert [s.verdict.label for s in answer.statements] == ["not found"]
    assert answer.searches == ()
    assert (answer.decision.validated, answer.warnings) == (False, ())
    assert "not validated here" in str(answer)


def test_self_reflection_asks_again_for_its_gaps(ask: Asks) -> None:
    answer, run = ask(replies(reflect=ReflectOutput(gaps=("gout",), query="gout[tiab]")), recipe="self-reflection")
    assert Counter(n for n, _ in ask.seen)["reflect"] == 2
    assert len(answer.searches) == 2
    assert "PMID:4" in run.ledger.documents
    assert Path(run.trace.path or "").is_file()


ADDITIONS = ["relax", "concepts", "step_back", "dates", "reorder", "designs"]
PAPER = {
    f"{group}.{name}": value
    for group, values in preset_layer("pubmed-reasoner-paper").items()
    for name, value in values.items()
    if group == "pubmed_reasoner" or (name in ("own_knowledge", "retractions") and group == "recipe")
}
AT_ONCE = ["screen", "extract", "sufficient", "summarise", "check", "write_query", "self_critic", "respond_openly"]


def as_published(
    asks: Asks, script: Mapping[str, Any], by_model: Sequence[str] = (), **options: Any
) -> tuple[Answer, Run]:
    return asks(script, by_model=by_model, options={**PAPER, **options})


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


def test_the_query_of_the_model_is_searched_as_it_is_and_the_last_one_is_read(ask: Asks) -> None:
    answer, run = as_published(ask, openly(refine_query=QueryOutput(query="gout[tiab] OR fever[tiab]")))
    assert [search.query for search in answer.searches] == [
        '"myocardial infarction"[Title/Abstract]',
        '"gout"[Title/Abstract] OR "fever"[Title/Abstract]',
    ]
    assert (run.usage.searches, run.usage.counts) == (2, 0)
    screened = ask.values("screen")[0]
    assert {passage.title for passage in screened.passages} == {"Aspirin and gout", "Aspirin and fever"}
    assert Counter(name for name, _ in ask.seen)["update_terms"] == 1


@each_row(
    ("ablation", "without"),
    [
        ({"pubmed_reasoner.critic": False}, {"coverage", "alignment", "redundancy", "update_terms", "refine_query"}),
        ({"pubmed_reasoner.reading": "summaries"}, {"screen", "extract", "sufficient"}),
        ({"pubmed_reasoner.reading": "abstracts"}, {"screen", "extract", "sufficient", "summarise"}),
        ({"pubmed_reasoner.batching": False}, {"sufficient"}),
    ],
)
def test_an_ablation_leaves_out_its_part_and_no_other(ablation: dict[str, Any], without: set[str], ask: Asks) -> None:
    answer, _ = as_published(ask, openly(), **ablation)
    asked = {name for name, _ in ask.seen}
    assert {*BY_MODEL, "respond_openly"} - {"respond"} - without == asked
    assert answer.evidence
    assert answer.usage.searches == 1 or "coverage" not in without


def test_one_call_for_the_query_and_one_for_its_critique(ask: Asks) -> None:
    queries = iter(["fever[tiab]", "aspirin[tiab] AND infarction[tiab]", "stroke[tiab]"])

    def criticised(value: Any) -> SelfCriticOutput:
        good = int(bool(value.signals) and "infarction" in value.signals[0].title)
        return SelfCriticOutput(query=next(queries), coverage=good, alignment=good, redundancy=1)

    said = {"write_query": QueryOutput(query='"Goats"[mesh]'), "self_critic": criticised}
    answer, _ = as_published(ask, openly() | said, AT_ONCE, **{"pubmed_reasoner.one_call": True})
    asked = Counter(name for name, _ in ask.seen)
    assert set(asked) == set(AT_ONCE)
    assert (asked["write_query"], asked["self_critic"]) == (1, 2)
    assert len(answer.searches) == 3
    histories = [[tried.query for tried in value.history] for value in ask.values("self_critic")]
    assert [len(history) for history in histories] == [1, 2]
    judged, _ = ask(openly() | said, by_model=[*AT_ONCE, "respond"], options={"pubmed_reasoner.one_call": True})
    assert judged.decision.shown() == "yes"


def test_headings_are_capped_only_by_the_setting(ask: Asks) -> None:
    script = openly(
        mesh_terms=MeshTermsOutput(terms=tuple(ProposedTerm(heading=f"Heading {n}") for n in range(14))),
        select_terms=lambda value: SelectTermsOutput(selected=tuple(c.heading for c in value.candidates)),
    )
    for most, kept in (None, 14), (8, 8):
        as_published(ask, script, **{"pubmed_reasoner.terms": most})
        assert len(ask.values("draft_query")[0].terms) == kept


def test_the_articles_that_the_coverage_check_needs_are_read_next(ask: Asks) -> None:
    def sufficient(value: Any) -> SufficientOutput:
        return SufficientOutput(sufficient=False, missing="asthma", needed=(value.unread[-1].id,))

    script = openly(draft_query=QueryOutput(query="aspirin[tiab]"), sufficient=sufficient)
    as_published(ask, script, **{"recipe.batch": 1, "pubmed_reasoner.critic": False})
    check = ask.values("sufficient")[0]
    batches = [value.passages for value in ask.values("extract")]
    assert batches[1][0].title == check.unread[-1].title
    assert check.unread[0].title != check.unread[-1].title


def test_self_reflection_keeps_the_commonest_of_its_candidates(ask: Asks) -> None:
    def respond(value: Any) -> WriteOutput:
        said = WrittenSentence(text="Aspirin lowered it.", evidence=value.summary[0].evidence)
        return WriteOutput(sentences=(said,), answer=("no" if value.sample == 1 else "yes",))

    script = openly(respond=respond, reflect=ReflectOutput(gaps=(), query=""))
    options, by_model = {"pubmed_reasoner.candidates": 3}, [*BY_MODEL, "reflect"]
    answer, _ = ask(script, by_model=by_model, recipe="self-reflection", options=options)
    assert Counter(name for name, _ in ask.seen)["respond"] == 3
    reflected = ask.values("reflect")[0]
    assert reflected.answer.endswith("yes")
    assert answer.decision.shown() in ("yes", "not judged")
