"""Literature for a sub-question: queries, fallback, duplicates, the filter of keywords, the nearest, failures."""

import asyncio
from collections.abc import Callable
from typing import Any

from rows import tables

from medground.answering.run import Run
from medground.errors import NotConfigured, SourceUnavailable
from medground.recipes.biomedsearch.literature import find_literature
from medground.recipes.biomedsearch.papers import asking
from medground.recipes.settings import BioMedSearchSettings
from medground.values.document import Document, MeshHeading
from medground.values.query import Or, Phrase
from medground.values.report import ToolFound
from medground.values.research_plan import ResearchPlan, SubQuestion

TABLES = tables(__file__)

NAMED = ("cyp17a1 knockout", "sex differentiation", "zebrafish")
ONE = SubQuestion(id="q1", text="Does cyp17a1 knockout change sex differentiation in zebrafish?", keywords=NAMED)
PLAN = ResearchPlan.model_validate(TABLES["plan"])
WHOLE = Document.model_validate(TABLES["whole"])
OTHER = Document(
    id="PMID:2",
    title="Androgens and sex differentiation in cyp17a1-deficient fish",
    text="Danio rerio that were cyp17a1-deficient had no androgens. Sex differentiation was lost.",
    mesh=(MeshHeading(descriptor="Androgens"), MeshHeading(descriptor="Animals")),
)
AWAY = Document(id="PMID:3", title="Zebrafish hearts", text="Zebrafish regenerate the heart after injury of any size.")
MakeRun = Callable[..., Run]


def found(run: Run, **more: Any) -> ToolFound:
    run.settings = run.settings.with_section(BioMedSearchSettings(**more))
    return asyncio.run(find_literature(ONE, PLAN, run))


def ids(result: ToolFound) -> list[str]:
    return [hit.passage.document_id for hit in result.hits]


def test_the_nearest_papers_with_the_keywords_are_kept_and_the_rest_counted(
    make_run: MakeRun, memory_source: Any
) -> None:
    run = make_run("q", [memory_source([AWAY, OTHER, WHOLE])])
    result = found(run, coverage=0.8)
    assert ids(result) == ["PMID:1", "PMID:2"]
    assert [hit.rank for hit in result.hits] == [1, 2]
    assert all(hit.passage.text == run.ledger.documents[hit.passage.document_id].text for hit in result.hits)
    flow = result.flow
    assert (flow.found, flow.merged, flow.filtered, flow.cut, flow.kept) == (3, 0, 1, 0, 2)
    assert flow.lost == ("PMID:3",)
    assert result.names == ("Androgens",)
    assert result.state == "found"
    assert {search.node for search in run.searches} == {"q1 literature"}

    result = found(make_run("q", [memory_source([AWAY, OTHER, WHOLE])]), kept=1, coverage=0.3)
    assert (ids(result), result.flow.cut, result.flow.filtered) == (["PMID:1"], 2, 0)


def test_without_a_threshold_all_are_ranked_by_database_keywords_and_cosine(
    make_run: MakeRun, memory_source: Any
) -> None:
    result = found(make_run("q", [memory_source([AWAY, OTHER, WHOLE])]))
    assert ids(result) == ["PMID:1", "PMID:2", "PMID:3"]
    assert (result.flow.filtered, result.flow.lost, result.notes) == (0, (), ())
    assert ids(found(make_run("q", [memory_source([AWAY, OTHER, WHOLE])]), kept=1)) == ["PMID:1"]


def test_records_of_one_paper_are_merged_by_id_and_title(make_run: MakeRun, memory_source: Any) -> None:
    fuller = WHOLE.model_copy(update={"id": "PMC:PMC9", "text": WHOLE.text + " Ovaries were absent.", "mesh": ()})
    by_doi = fuller.model_copy(update={"identifiers": {"doi": "10.1/A"}})
    by_title = WHOLE.model_copy(update={"id": "DOI:10.9/b", "identifiers": {}, "title": f"{WHOLE.title.upper()}."})
    sources = [memory_source([WHOLE, OTHER]), memory_source([by_doi], "pmc"), memory_source([by_title, WHOLE], "other")]
    result = found(make_run("q", sources))
    assert ids(result) == ["PMC:PMC9", "PMID:2"]
    assert (result.flow.found, result.flow.merged, result.flow.kept) == (5, 3, 2)
    assert result.names == ("Androgens",)  # the headings of the other records of the paper count


def test_a_retraction_in_any_database_sets_the_paper_aside(make_run: MakeRun, memory_source: Any) -> None:
    retracted = WHOLE.model_copy(update={"retraction": "retracted"})
    run = make_run(ONE.text, [memory_source([WHOLE, OTHER]), memory_source([retracted], "europepmc")])
    result = found(run)
    assert ids(result) == ["PMID:2"]
    assert (result.flow.found, result.flow.merged, result.flow.filtered, result.flow.kept) == (3, 1, 1, 1)
    assert list(run.shown) == ["PMID:1"]
    assert result.notes == ("1 retracted papers or notices about papers were excluded",)


def test_below_the_threshold_the_best_are_kept_unless_they_are_on_another_subject(
    make_run: MakeRun, memory_source: Any
) -> None:
    near = AWAY.model_copy(update={"text": "Sex differentiation in zebrafish was studied.", "id": "PMID:4"})
    result = found(make_run("q", [memory_source([AWAY, near])]), coverage=0.8)
    assert (ids(result), result.flow.kept, result.flow.filtered) == (["PMID:4"], 1, 1)
    assert result.notes == ("no paper has 80% of the keywords; those that have 67% of them are kept",)

    result = found(make_run("q", [memory_source([AWAY])]), coverage=0.8)
    assert (ids(result), result.state, result.flow.filtered) == ([], "empty", 1)
    assert result.flow.lost == ("PMID:3",)
    assert result.notes == ("no paper has 40% of the keywords, so none is kept",)


def test_nothing_found_is_empty_and_a_failure_is_named(make_run: MakeRun, memory_source: Any) -> None:
    failing = memory_source([], "europepmc", SourceUnavailable("status 503", source="europepmc"))
    result = found(make_run("q", [memory_source([]), failing]))
    assert (result.state, result.hits) == ("empty", ())
    (line,) = result.failures
    assert line == "europepmc: status 503; its papers are missing"
    unset = memory_source([], "sciencedirect", NotConfigured("no key", source="sciencedirect"))
    assert found(make_run("q", [unset])).state == "not configured"
    assert found(make_run("q", [unset, failing])).state == "failed"
    nowhere = found(make_run("q", []))
    assert (nowhere.state, len(nowhere.failures)) == ("not configured", 1)


def test_sources_can_be_left_out_and_keywords_switched_off(make_run: MakeRun, memory_source: Any) -> None:
    sources = [memory_source([WHOLE]), memory_source([AWAY], "pmc")]
    result = found(make_run("q", sources), without=("pmc",))
    assert result.flow.found == 1
    plain = found(make_run("q", sources), use_keywords=False)
    assert sorted(ids(plain)) == ["PMID:1", "PMID:3"]
    assert plain.flow.filtered == 0


def test_a_source_that_finds_nothing_is_asked_again(make_run: MakeRun, memory_source: Any) -> None:
    class Strict(memory_source):  # type: ignore[misc]
        async def search(self, lookup: Any, filters: Any) -> Any:
            found = await super().search(lookup, filters)
            return found if len(lookup.asked.parts) == 2 else type(found)(lookup, self.name, rankings=((),))

    result = found(make_run("q", [Strict([WHOLE], "pubmed:live")]), salient=2)
    assert ids(result) == ["PMID:1"]
    (note,) = result.notes
    assert note.startswith("pubmed:live found nothing with all keywords, so it was asked for cyp17a1 knockout, sex")


def test_names_found_earlier_become_synonyms_or_optional_words() -> None:
    names = ["zebrafish mutants", "androgen receptor"]
    asked = asking(ONE, PLAN, names, use_keywords=True, most_salient=3)
    assert asked.keywords[2] == ("zebrafish", "Danio rerio", "zebrafish mutants")
    assert asked.words.text.endswith("androgen receptor")
    assert asked.salient is None
    assert isinstance(asked.tree.parts[2], Or)  # type: ignore[union-attr]
    assert Phrase(text="zebrafish mutants") in asked.tree.parts[2].parts  # type: ignore[union-attr]
