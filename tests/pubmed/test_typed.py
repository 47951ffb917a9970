"""What people type into a search box: a query of another service is refused with the reason."""

import pytest
from rows import each_row

from medground.errors import UsageError
from medground.pubmed.normalize import normalize
from medground.pubmed.typed import typed_query


@each_row(
    ("query", "service"),
    [
        ("exp Neoplasms/ AND (cancer or tumor).tw.", "Ovid"),
        ("cancer adj3 therapy", "Ovid"),
        ("'heart failure'/exp OR 'heart failure':ti,ab", "Embase"),
        ("*Asthma/dt or exp *Asthma/th [Therapy]", "Ovid"),
        ("limit 3 to english language", "Ovid"),
        ("Asthma/ and child*.ti,ab.", "Ovid"),
        ("'heart attack':ti AND [english]/lim", "Embase"),
        ("asthma/exp", "Embase"),
        ("wheez* NEAR/3 child*", "Embase, the Cochrane Library or Web of Science"),
        ("TI asthma OR AB asthma", "EBSCO"),
        ("wheez* N3 child*", "EBSCO"),
        ("asthma W/3 child", "Scopus"),
        ("ALL=(asthma)", "Web of Science"),
        ('MESH.EXACT("Asthma")', "ProQuest"),
        ("[mh ^asthma] OR asthma:ti,ab,kw", "the Cochrane Library"),
        ('(MH "Heart Failure+") OR TI ( heart failure ) OR AB ( heart failure )', "EBSCO"),
        ("TITLE-ABS-KEY(heart failure)", "Scopus"),
        ("TS=(heart failure)", "Web of Science"),
    ],
)
def test_a_query_of_another_service_is_refused_and_noted(query: str, service: str) -> None:
    with pytest.raises(UsageError, match=f"this is the syntax of {service}"):
        typed_query(query)
    assert any(f"the syntax of {service}" in note for note in normalize(query).notes)


@each_row(
    "query",
    [
        *("cancer[tiab] AND heart failure[mh]", "Is the exp of gene X, A/B?", "Does 10:1 of TI matter?"),
        *("asthma and/or copd", "What does 'mild'/'severe' mean?", "Does vitamin N3 help?", "How is W/3 defined?"),
    ],
)
def test_queries_of_pubmed_and_questions_are_not(query: str) -> None:
    typed_query(query)
    assert not any("syntax of" in note for note in normalize(query).notes)
