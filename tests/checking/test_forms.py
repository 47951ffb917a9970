"""Forms of files that a check reads: works in the fields of Word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from medground.checking.printed import _of_csl

WORK = {"title": "Zinc in colds", "author": [{"family": "Smith", "given": "John"}], "DOI": "10.1234/zinc"}


@pytest.mark.parametrize(
    ("more", "work"),
    [
        ({}, "Smith J. Zinc in colds. DOI: 10.1234/zinc"),
        ({"issued": {"date-parts": [[2019, 3]]}}, "Smith J. Zinc in colds. 2019. DOI: 10.1234/zinc"),
        ({"author": [{"literal": "WHO"}]}, "WHO. Zinc in colds. DOI: 10.1234/zinc"),
        ({"author": [{"family": None}, 3]}, "Zinc in colds. DOI: 10.1234/zinc"),
        ({"author": None, "issued": {"date-parts": [[]]}}, "Zinc in colds. DOI: 10.1234/zinc"),
        ({"issued": "2010", "title": 5}, "Smith J. DOI: 10.1234/zinc"),
    ],
)
def test_a_field_of_a_wrong_type_is_left_out(more: dict[str, Any], work: str) -> None:
    items = [{"itemData": WORK | more}, {"itemData": None}, None]
    assert [*_of_csl(f"CSL_CITATION {json.dumps({'citationItems': items})}")] == [work]


@pytest.mark.parametrize("held", [{"citationItems": None}, {"citationItems": 3}, [], {"citationItems": [{}]}])
def test_a_citation_without_works_has_none(held: object) -> None:
    assert not [*_of_csl(f"CSL_CITATION {{{json.dumps(held)[1:]}")]
