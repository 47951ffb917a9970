"""Years that a question states limit its search, and the answer says so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from rows import each_row

from medground.answering.run import Run
from medground.recipes.pubmed_reasoner.queries import dated
from medground.values.query import Filters
from medground.values.question import Question

MakeRun = Callable[..., Run]


def limits(text: str, make_run: MakeRun) -> tuple[int | None, int | None]:
    run = make_run(text, now=lambda: datetime(2026, 5, 1, tzinfo=UTC))
    found = dated(run.question, run).filters
    assert bool(run.warnings) == ((found.year_from, found.year_to) != (None, None))
    return found.year_from, found.year_to


@each_row(
    ("text", "years"),
    [
        ("Has survival in sepsis improved since 2010?", (2010, None)),
        ("What do trials published before 2005 say about aspirin?", (None, 2004)),
        ("What do studies from 2010 to 2015 say about aspirin?", (2010, 2015)),
        ("What did studies published between 2010 and 2015 find?", (2010, 2015)),
        ("Which reviews in 2019 are about gout?", (2019, 2019)),
        ("What does the literature of the last five years say?", (2021, None)),
        ("Is there evidence within the past 10 years for statins?", (2016, None)),
        ("Has practice changed after 2015?", (2016, None)),
        ("What was found from 2012 onwards?", (2012, None)),
    ],
)
def test_years_of_the_text_are_limits(text: str, years: tuple[int | None, int | None], make_run: MakeRun) -> None:
    assert limits(text, make_run) == years


@each_row(
    "text",
    [
        "Did mortality fall before 2005?",
        "Were children born in 1998 taller?",
        "Does a dose of 2010 mg help?",
        "Was the 2009 influenza pandemic severe?",
        "What did studies from 2015 to 2010 find?",
        "Is survival better since surgery?",
    ],
)
def test_other_numbers_are_not(text: str, make_run: MakeRun) -> None:
    assert limits(text, make_run) == (None, None)


def test_the_limits_of_the_user_go_first_and_others_are_told(make_run: MakeRun) -> None:
    run = make_run("x")
    question = Question.ask("Has survival improved since 2010?", filters=Filters(year_from=2000))
    assert dated(question, run) == question
    assert not run.warnings
    dated(Question.ask("Has survival improved since 2010?"), run)
    assert list(run.warnings) == [
        "only publications from 2010 on were searched, because the question says 'since 2010'"
    ]
