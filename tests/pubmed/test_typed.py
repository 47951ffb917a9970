"""What people type into a search box: a query of another service is translated, or refused with the reason."""

import re

import pytest
from rows import each_row

from medground.errors import UsageError
from medground.pubmed.normalize import normalize
from medground.pubmed.translate import parse
from medground.pubmed.typed import typed_query


@each_row(
    ("query", "service"),
    [
        ("cancer adj3 therapy", "Ovid"),
        ("(hypoglyc?emi* or asthma).tw.", "Ovid"),
        ("metformin.rn,ti.", "Ovid"),
        ("asthma.ti. and (child.zz. or adult.ti.)", "Ovid"),
        ("limit 3 to english language", "Ovid"),
        ("'heart attack':ti AND [english]/lim", "Embase"),
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
    ("query", "translated"),
    [
        ("exp Asthma/ and (child$ or infant).ti.", '"Asthma"[mh] AND (child*[ti] OR infant[ti])'),
        (
            "*Asthma/dt, th or exp *Asthma/th [Therapy]",
            '("Asthma/dt"[majr:noexp] OR "Asthma/th"[majr:noexp]) OR "Asthma/th"[majr]',
        ),
        ("heart failure.mp. [mp=title, abstract]", '"heart failure"[tw]'),
        ("(asthma.ti. or wheez*).ti,ab,kf. not cohort.pt.", "(asthma[ti] OR wheez*[tiab]) NOT cohort[pt]"),
        ("not-for-profit.tw. and smith j.au.", 'not-for-profit[tw] AND "smith j"[au]'),
        ("'heart failure'/exp/mj OR 'heart failure':ti,ab", '"heart failure"[majr] OR "heart failure"[tiab]'),
        ("'asthma'/de AND [2010-2020]/py", '"asthma"[mh:noexp] AND 2010:2020[dp]'),
    ],
)
def test_what_pubmed_can_say_of_ovid_and_embase_is_translated(query: str, translated: str) -> None:
    assert typed_query(query) == parse(translated)
    repaired = normalize(query)
    assert repaired.query == parse(translated)
    assert any(note.endswith(f"searched for: {translated}") for note in repaired.notes)


@each_row(
    ("query", "part"),
    [
        ("exp Asthma/ or wheezing.tw. and child.tw.", "“and” with “or” outside brackets"),
        ("(exp Asthma/ and child.tw.", "brackets that are missing"),
        ("exp Asthma/ or 2", "2"),
        ("exp Wounds and Injuries/", "exp Wounds without a field"),
        ('"wom?n".tw. and exp Asthma/', "wom"),
        ("breast.hw. and exp Asthma/", ".hw."),
        ("exp asthma.tw.", "exp asthma"),
        ("'x'/exp:ti", ":ti"),
    ],
)
def test_what_pubmed_would_read_otherwise_is_refused_with_the_part(query: str, part: str) -> None:
    with pytest.raises(UsageError, match=re.escape(part)):
        typed_query(query)


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
