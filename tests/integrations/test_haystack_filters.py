"""Haystack's filters as Medground's limits, and what cannot be said by these."""

from typing import Any

import pytest

from medground import Filters
from medground.errors import UsageError
from medground.integrations.haystack_filters import filters_of


def one(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def both(*conditions: Any) -> dict[str, Any]:
    return {"operator": "AND", "conditions": [*conditions]}


def either(*conditions: Any) -> dict[str, Any]:
    return {"operator": "OR", "conditions": [*conditions]}


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        (one("meta.year", ">=", 2015), {"year_from": 2015}),
        (one("year", ">", 2015), {"year_from": 2016}),
        (one("meta.year", "<", "2015"), {"year_to": 2014}),
        (one("meta.year", "==", 2015), {"where": {"year": "2015"}}),
        (one("meta.year", "in", [2015, 2017]), {"where": {"year": ["2015", "2017"]}}),
        (both(one("meta.year", ">=", 2015), one("meta.year", "<=", 2018)), {"year_from": 2015, "year_to": 2018}),
        (both(one("meta.year", ">", 2015), one("year", "==", 2016)), {"year_from": 2016, "where": {"year": "2016"}}),
        (either(one("meta.year", "==", 1990), one("meta.year", "in", [1992])), {"where": {"year": ["1990", "1992"]}}),
        (one("meta.date", ">=", "2019-03"), {"date_from": "2019-03"}),
        (both(one("date", "<=", "2020-02"), one("date", ">=", "2019")), {"date_from": "2019", "date_to": "2020-02"}),
        (one("meta.language", "==", "eng"), {"where": {"language": "eng"}}),
        (one("meta.publication_types", "==", "Review"), {"where": {"publication_type": "Review"}}),
        (one("meta.document_id", "in", ["PMID:1", "PMID:2"]), {"where": {"id": ["PMID:1", "PMID:2"]}}),
        (
            both(either(one("design", "==", "rct"), one("meta.design", "==", "cohort")), one("meta.ward", "==", "ICU")),
            {"where": {"design": ["rct", "cohort"], "ward": "ICU"}},
        ),
        (
            both(both(one("journal", "==", "Gut")), one("year_from", "==", 3)),
            {"where": {"journal": "Gut", "year_from": "3"}},
        ),
    ],
)
def test_what_fields_may_be_is_translated(given: dict[str, Any], limits: dict[str, Any]) -> None:
    assert filters_of(given) == Filters(**limits)


def test_no_filters_and_those_of_medground_stay() -> None:
    assert filters_of(None) is None
    assert filters_of({}) == Filters()
    assert filters_of(Filters(year_from=2)) == filters_of({"year_from": 2}) == Filters(year_from=2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (one("meta.year", "!=", 2015), "by year != 2015; use metadata, with a text or a whole number: ==, in, or <"),
        (one("meta.journal", "not in", ["Lancet"]), r"journal not in \['Lancet'\]"),
        (one("meta.journal", ">", "L"), "by journal > 'L'"),
        (one("meta.year", "in", []), r"by year in \[\]"),
        (one("meta.year", ">=", None), "by year >= None"),
        (one("meta.year", ">=", 2015.5), "by year >= 2015.5"),
        (one("meta.retracted", "==", True), "by retracted == True"),
        (one("meta.year", ">=", "soon"), "year_from: not a whole number"),
        (one("meta.year", ">", "2015-03"), "by year > '2015-03'"),
        (one("meta.date", ">", "2019-03"), "by date > '2019-03'"),
        (one("meta.kind", "==", "poem"), "no kind 'poem'"),
        (one("id", "==", "x"), "by id == 'x'; use metadata"),
        (one("content", "==", "x"), "by content == 'x'; use metadata"),
        ({"field": "meta.year", "operator": ["=="], "value": 1}, r"by year \['=='\] 1"),
        ({"operator": "NOT", "conditions": [one("meta.year", "==", 2015)]}, "the operator 'NOT'; use AND or OR"),
        ({"operator": "AND", "conditions": []}, "the operator 'AND'"),
        ({"conditions": [one("meta.year", "==", 2015)]}, "the operator None"),
        (
            either(one("meta.year", "==", 2015), one("meta.kind", "==", "book")),
            "OR of these conditions on kind; join fields by AND",
        ),
        (
            both(one("meta.mesh", "==", "A"), one("meta.mesh", "==", "B")),
            "AND of these conditions on mesh; join fields by AND",
        ),
        (both(one("meta.year", ">", 2015), one("meta.year", "<", 2010)), "first year .2016. is after the last .2009."),
        (either(one("year", "<", 1990), one("year", ">", 2020)), "OR of these conditions on year"),
        (both(one("meta.year", ">", 2015), one("meta.year", ">", 2010)), "AND of these conditions on year"),
        (both("meta.year"), "a filter of Haystack is a dictionary, not 'meta.year'"),
        ([one("meta.year", "==", 2015)], "is a dictionary"),
        ({"years": 2015}, "years"),
    ],
)
def test_anything_else_is_one_line_and_never_left_out(given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        filters_of(given)
    assert "\n" not in str(raised.value)
