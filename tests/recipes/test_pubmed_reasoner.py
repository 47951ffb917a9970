"""PubMed Reasoner and its baselines: each step of the paper in its place, keyless and with a scripted model."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from heart_papers import BY_MODEL, QUESTION, MakeRun, answered, library_of_papers, replies, verdicts
from rows import each_row

from medground.answering.rank.design import design_level
from medground.corpus.library import Library
from medground.errors import UsageError
from medground.home.registry import recipe_names
from medground.models.operators.reading import Extracted, ExtractOutput, SufficientOutput
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.recipes.pubmed_reasoner.critic import Attempt, Critique, best_attempt
from medground.recipes.pubmed_reasoner.operators import MeshTermsOutput, QueryOutput
from medground.recipes.pubmed_reasoner.recipe import PUBMED_REASONER
from medground.recipes.pubmed_reasoner.terms import QueryResult
from medground.sources.corpus import CorpusSource
from medground.sources.pubmed.query import PubMedQuery
from medground.values.answer import Answer
from medground.values.document import Hit, Passage
from medground.values.query import Term
from medground.values.question import Question

UNCOVERED = partial(verdicts, verdict=False)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_papers(tmp_path_factory.mktemp("home"))


def test_keyless_finds_reads_and_cites_with_pmids(make_run: MakeRun, corpus: Library) -> None:
    answer, run = answered("pubmed-reasoner", make_run, corpus)
    assert {"PMID:1", "PMID:3"} <= {e.document_id for e in answer.evidence}
    assert "[PMID: 3]" in answer.rationale
    assert answer.searches[0].query.startswith('("')
    assert answer.usage.model_calls == 0
    assert {"mesh_terms", "select_terms", "draft_query", "coverage", "alignment", "redundancy"} <= set(run.answered_by)


def test_the_model_is_asked_for_every_step_of_the_paper(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies(coverage=UNCOVERED))
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL)
    asked = Counter(name for name, _ in model.seen)
    assert set(asked) == set(BY_MODEL)
    assert asked["coverage"] == asked["alignment"] == asked["redundancy"]
    assert answer.decision.shown() == "yes"
    order = [name for name, _ in model.seen]
    assert order[:3] == ["mesh_terms", "select_terms", "draft_query"]
    assert order.index("update_terms") > order.index("redundancy")
    assert order[-2:] == ["respond", "entail"]


def test_the_critic_sees_titles_and_abstracts_and_the_history(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies(coverage=UNCOVERED))
    answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL)
    critique = next(value for name, value in model.seen if name == "coverage")
    assert critique.signals[0].abstract.startswith("We studied aspirin")
    refine = next(value for name, value in model.seen if name == "refine_query")
    written, searched = refine.history
    assert "infarction" in written.query
    assert (written.found, searched.found > 0) == (0, True)
    assert critique.query == searched.query  # the query whose records are shown is the one that is judged


def test_the_loop_ends_when_quality_stops_growing_or_after_t_rounds(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    flat = scripted_model(replies(coverage=UNCOVERED))
    answered("pubmed-reasoner", make_run, corpus, model=flat, by_model=BY_MODEL)
    assert Counter(n for n, _ in flat.seen)["refine_query"] == 1
    faultless = scripted_model(replies())
    answered("pubmed-reasoner", make_run, corpus, model=faultless, by_model=BY_MODEL)
    assert "refine_query" not in {n for n, _ in faultless.seen}
    growing = iter(range(100))
    share = scripted_model(
        replies(
            coverage=lambda value: verdicts(value, verdict=next(growing) > 0),
            refine_query=lambda value: QueryOutput(query=f"aspirin[tiab] AND NOT town{len(value.history)}[tiab]"),
        )
    )
    answered("pubmed-reasoner", make_run, corpus, model=share, by_model=BY_MODEL, options={"recipe.rounds": 2})
    asked = Counter(n for n, _ in share.seen)
    assert (asked["coverage"], asked["refine_query"]) == (2, 1)  # the last round's query is judged, not rewritten


def test_the_query_that_the_critic_judged_best_is_read_though_others_found_more(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    def covered(value: Any) -> Any:
        return verdicts(value, verdict="gout" in value.query)

    queries = iter(["aspirin[tiab]", "gout[tiab]", "hypertension[tiab]"])
    model = scripted_model(
        replies(
            draft_query=QueryOutput(query="stroke[tiab]"),
            coverage=covered,
            alignment=lambda value: verdicts(value, verdict="stroke" not in value.query),
            refine_query=lambda value: QueryOutput(query=next(queries)),
        )
    )
    options = {"pubmed_reasoner.concepts": False, "pubmed_reasoner.relax": False, "recipe.rounds": 4}
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=options)
    screened = next(value for name, value in model.seen if name == "screen")
    assert [passage.title for passage in screened.passages] == ["Aspirin and gout"]
    assert len(answer.searches) == 3
    assert max(search.hits for search in answer.searches) > len(screened.passages)


def test_equal_verdicts_are_decided_by_documents_up_to_enough() -> None:
    def judged(text: str, documents: int, covered: float, redundant: float = 0.0) -> Attempt:
        query = PubMedQuery(text, Term(value=text))
        hits = tuple(
            Hit(passage=Passage(document_id=f"PMID:{n}", start=0, end=1, text="x"), ranker="bm25", rank=n, score=1.0)
            for n in range(1, documents + 1)
        )
        return Attempt(query, documents, query, QueryResult(hits, ()), Critique(covered, 1.0, redundant))

    few, many, more = judged("few", 1, 1.0), judged("many", 6, 1.0), judged("more", 9, 1.0)
    assert best_attempt([many, few], 5) is many
    assert best_attempt([many, more], 5) is more  # both are enough, so the later one
    assert best_attempt([more, many], 5) is many
    assert best_attempt([few, judged("off", 50, 0.5)], 5) is few
    assert best_attempt([few, judged("needless", 50, 1.0, redundant=0.5)], 5) is few


def test_wider_queries_are_counted_and_only_the_chosen_one_is_searched(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    narrow = QueryOutput(query="aspirin[tiab] AND gout[tiab] AND stroke[tiab] AND fever[tiab] AND migraine[tiab]")
    model = scripted_model(replies(draft_query=narrow))
    options = {"pubmed_reasoner.concepts": False}
    answer, run = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=options)
    assert (run.usage.searches, len(answer.searches)) == (1, 1)
    assert 2 <= run.usage.counts <= 6
    assert answer.usage.counts == run.usage.counts
    assert " OR " in answer.searches[0].query


def test_what_the_evidence_lacks_is_searched_for(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    checks = iter([SufficientOutput(sufficient=False, missing="gout"), SufficientOutput(sufficient=True)])
    model = scripted_model(
        replies(
            draft_query=QueryOutput(query="infarction[tiab]"),
            sufficient=lambda value: next(checks),
            extract=lambda value: ExtractOutput(
                sentences=tuple(
                    Extracted(sentence=s.id, stance="supports") for p in value.passages for s in p.sentences[1:2]
                )
            ),
            refine_query=lambda value: QueryOutput(query=f"{value.missing}[tiab]"),
        )
    )
    options = {"pubmed_reasoner.concepts": False, "pubmed_reasoner.enough": 1}
    answer, run = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=options)
    asked = [value for name, value in model.seen if name == "refine_query"]
    assert [value.missing for value in asked] == ["gout"]
    assert [search.query for search in answer.searches] == ['"infarction"[Title/Abstract]', '"gout"[Title/Abstract]']
    assert "PMID:4" in {evidence.document_id for evidence in run.ledger.evidence}


def test_years_of_the_text_and_limits_of_the_user_reach_every_search(make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered("pubmed-reasoner", make_run, corpus, "Has aspirin prevented infarction since 2003?")
    assert all(search.query.endswith("AND 2003:3000[Date - Publication]") for search in answer.searches)
    assert {document.year for document in answer.documents} <= set(range(2003, 2010))
    assert any("from 2003 on were searched" in warning for warning in answer.warnings)

    from medground.values.query import Filters

    with corpus.open("heart") as snapshot:
        run = make_run(QUESTION, [CorpusSource(snapshot)], recipe=PUBMED_REASONER)
        run.question = Question.ask(QUESTION, filters=Filters(year_from=2003, year_to=2004))
        answer = asyncio.run(PUBMED_REASONER.run(run.question, run))
    assert {d.year for d in answer.documents} <= {2003, 2004}
    assert answer.evidence
    assert all(search.query.endswith("AND 2003:2004[Date - Publication]") for search in answer.searches)


def test_stronger_designs_come_first_and_can_be_switched_off(make_run: MakeRun, corpus: Library) -> None:
    from medground.recipes.pubmed_reasoner.recipe import by_article

    _, run = answered("pubmed-reasoner", make_run, corpus)
    evidence = [e for e in run.ledger.evidence if e.document_id in ("PMID:1", "PMID:3")]
    assert by_article(evidence, run, designs=True)[0].document_id == "PMID:3"
    assert design_level(("Randomized Controlled Trial",)) < design_level(()) < design_level(("Case Reports",))
    assert design_level(("Meta-Analysis", "Review")) == 0


def test_retracted_papers_are_listed_but_not_read(make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered("pubmed-reasoner", make_run, corpus)
    assert "PMID:9" not in {e.document_id for e in answer.evidence}
    assert "PMID:9" in {d.id for d in answer.documents}
    ablated, _ = answered("pubmed-reasoner", make_run, corpus, options={"recipe.retractions": False})
    withdrawn = {e.id for e in ablated.evidence if e.document_id == "PMID:9"}
    for statement in ablated.statements:
        if set(statement.evidence) <= withdrawn:
            assert statement.verdict.label == "not found"


@each_row("written", ["???", "all[sb]", "AND OR"])
def test_a_query_without_terms_does_not_search_everything(
    written: str, make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies(draft_query=QueryOutput(query=written), refine_query=QueryOutput(query=written)))
    off = {"pubmed_reasoner.concepts": False}
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=off)
    assert answer.searches
    assert not [search for search in answer.searches if search.query == "all[Filter]"]
    assert "infarction" in answer.searches[0].query


def test_without_proposed_terms_the_critic_is_not_asked(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies(mesh_terms=MeshTermsOutput(terms=()), update_terms=MeshTermsOutput(terms=())))
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL)
    assert not {"select_terms", "coverage", "alignment", "redundancy"} & {name for name, _ in model.seen}
    assert answer.evidence


def test_the_token_limit_ends_the_reading_but_not_the_answer(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    def reads(tokens: int | None) -> tuple[Answer, int]:
        model = scripted_model(replies(sufficient=SufficientOutput(sufficient=False)))
        options = {"recipe.batch": 1, "pubmed_reasoner.tokens": tokens}
        answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=options)
        return answer, Counter(name for name, _ in model.seen)["extract"]

    whole, batches = reads(None)
    short, first = reads(1)
    assert (first, batches > 1) == (1, True)
    assert short.decision.shown() == whole.decision.shown() == "yes"
    assert any("reading stopped after 1 batches" in warning for warning in short.warnings)


@each_row("name", recipe_names())
def test_every_recipe_answers_keyless_and_says_when_it_cannot(name: str, make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered(name, make_run, corpus)
    assert answer.recipe == name
    assert answer.decision.status in ("not judged", "unanswerable")
    if name == "biomedsearch":  # a plan of research is refused before anything is searched
        with pytest.raises(UsageError, match="nothing biomedical"):
            answered(name, make_run, corpus, text="Who painted the ceiling of the chapel?")
        return
    nothing, _ = answered(name, make_run, corpus, text="Who painted the ceiling of the chapel?")
    assert nothing.decision.status in ("unanswerable", "not judged")


def test_model_only_is_decided_without_evidence_and_says_so(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    said = WriteOutput(sentences=(WrittenSentence(text="It does.", evidence=()),), answer=("yes",))
    model = scripted_model({"recall": said})
    answer, _ = answered("model-only", make_run, corpus, model=model, by_model=["recall"])
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert [s.verdict.label for s in answer.statements] == ["not found"]
    assert answer.searches == ()
    assert any("is not validated here" in w for w in answer.warnings)


def test_self_reflection_asks_again_for_its_gaps(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    from medground.recipes.pubmed_reasoner.answering import ReflectOutput

    queries = iter(["gout[tiab]", "gout[tiab]"])
    model = scripted_model(replies(reflect=lambda value: ReflectOutput(gaps=("gout",), query=next(queries))))
    names = [*BY_MODEL, "reflect"]
    answer, run = answered("self-reflection", make_run, corpus, model=model, by_model=names)
    assert Counter(n for n, _ in model.seen)["reflect"] == 2
    assert len(answer.searches) == 2
    assert "PMID:4" in run.ledger.documents
    assert Path(run.trace.path or "").is_file()
