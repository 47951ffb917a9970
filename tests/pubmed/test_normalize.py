"""QueryNormalize (Eq. 11): always returns a query, is idempotent, and leaves valid queries unchanged."""

from __future__ import annotations

import contextlib
from datetime import date

from hypothesis import given, settings
from query_texts import TEXTS
from rows import each_row

from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.translate import parse

TODAY = date(2026, 3, 31)

REPAIRED: dict[str, str] = {
    # Operators.
    "AND asthma": "asthma",
    "asthma AND": "asthma",
    "asthma AND AND child": "asthma AND child",
    "asthma AND OR child": "asthma OR child",
    "asthma AND NOT child": "asthma NOT child",
    "asthma OR NOT child": "asthma OR (NOT child)",
    "asthma[mh] or copd[tiab]": "asthma[MeSH Terms] OR copd[Title/Abstract]",
    '"asthma"[mh] and "child"[mh] not "aged"[mh]': '"asthma"[MeSH Terms] AND "child"[MeSH Terms]'
    ' NOT "aged"[MeSH Terms]',
    "asthma && child || infant": "(asthma AND child) OR infant",
    # Parentheses.
    "(asthma AND child": "asthma AND child",
    "asthma AND child)": "asthma AND child",
    "((asthma OR copd) AND (child": "(asthma OR copd) AND child",
    "asthma AND ()": "asthma",
    "()": "all[Filter]",
    "a[ti] OR b[ti] AND c[ti]": "(a[Title] OR b[Title]) AND c[Title]",
    # Quotation marks.
    '"asthma': "asthma",
    '"heart attack AND "stroke"': 'heart attack AND "stroke"',
    "“heart attack”[tiab]": '"heart attack"[Title/Abstract]',
    "«heart attack»": '"heart attack"',
    '""heart attack""[ti]': '"heart attack"[Title]',
    "'heart attack'[ti]": '"heart attack"[Title]',
    '\\"heart attack\\"[ti]': '"heart attack"[Title]',
    "&quot;heart attack&quot;[ti]": '"heart attack"[Title]',
    '"heart attack[tiab]"': '"heart attack"[Title/Abstract]',
    '"" AND asthma': "asthma",
    # Tags.
    "asthma[tabi]": "asthma[Title/Abstract]",
    "asthma[titel]": "asthma[Title]",
    "asthma[Mesh Terns]": "asthma[MeSH Terms]",
    "asthma[qqqq]": "asthma",
    "hypertension[mh:exp]": "hypertension[MeSH Terms]",
    "hypertension[tiab:exact]": "hypertension[Title/Abstract]",
    "asthma[tiab": "asthma[Title/Abstract]",
    "(asthma OR copd)[tiab]": "asthma[Title/Abstract] OR copd[Title/Abstract]",
    "(asthma[ti] OR copd)[tiab]": "asthma[Title] OR copd[Title/Abstract]",
    "asthma[mh:~3]": "asthma[MeSH Terms]",
    "asthma[ti:noexp]": "asthma[Title]",
    "asthma[ti][ab]": "asthma[Title]",
    "asthma［tiab］": "asthma[Title/Abstract]",
    # Headings.
    '"Marfan Sindrome"[Mesh]': '"Marfan Syndrome"[MeSH Terms]',
    '"Myocardal Infraction"[majr]': '"Myocardial Infarction"[MeSH Major Topic]',
    '"Diabetes Melitus, Type 2"[mh:noexp]': '"Diabetes Mellitus, Type 2"[MeSH Terms:noexp]',
    '"Asthma/drug therapie"[Mesh]': '"Asthma/drug therapy"[MeSH Terms]',
    '"Astma/drug therapy"[Mesh]': '"Asthma/drug therapy"[MeSH Terms]',
    '"flooble grumbix"[Mesh] AND asthma[ti]': "flooble grumbix AND asthma[Title]",
    "Cells, Cultured[Mesh]": '"Cells, Cultured"[MeSH Terms]',
    "drug therapie[sh]": '"drug therapy"[MeSH Subheading]',
    "Randomised Controlled Trail[pt]": '"Randomized Controlled Trial"[Publication Type]',
    # Dates.
    "asthma AND 2010-01-01[dp]": "asthma AND 2010/01/01[Date - Publication]",
    "asthma AND 2010-2020[dp]": "asthma AND 2010:2020[Date - Publication]",
    "asthma AND 2010 to present[dp]": "asthma AND 2010:3000[Date - Publication]",
    'asthma AND "since 2015"[pdat]': "asthma AND 2015:3000[Date - Publication]",
    "asthma AND 2020:2010[dp]": "asthma AND 2010:2020[Date - Publication]",
    "asthma AND 2010:2020": "asthma AND 2010:2020[Date - Publication]",
    "asthma AND May 2010[edat]": "asthma AND 2010/05[Date - Entry]",
    "asthma AND soon[dp]": "asthma",
    "asthma AND 2010:[dp]": "asthma AND 2010:3000[Date - Publication]",
    "asthma AND :2010/06[dp]": "asthma AND 1000:2010/06[Date - Publication]",
    "(:2010[edat]) AND asthma": "1000:2010[Date - Entry] AND asthma",
    "2010/05/01:2010/09/31[dp]": "2010/05/01:2010/09[Date - Publication]",
    "asthma AND 2010/02/30[dp]": "asthma AND 2010/02[Date - Publication]",
    "asthma AND 2010/13[dp]": "asthma AND 2010[Date - Publication]",
    "asthma AND 2010:2020[ti]": "asthma AND 2010:2020[Date - Publication]",
    # Text that a model writes around a query.
    "```\nasthma[ti] AND copd[ti]\n```": "asthma[Title] AND copd[Title]",
    "```text\nasthma[ti]\n```\nThis should work.": "asthma[Title]",
    "Use `asthma[ti] AND copd[ti]` here": "asthma[Title] AND copd[Title]",
    "Query: asthma[ti]": "asthma[Title]",
    "The final PubMed query is: asthma[ti]": "asthma[Title]",
    '{"query": "\\"Asthma\\"[Mesh]", "rationale": "fits"}': '"Asthma"[MeSH Terms]',
    "Sure, here is a query for you:\n\nasthma[ti]\nAND copd[ti]\n\nIt finds both of the diseases.": "asthma[Title]"
    " AND copd[Title]",
    "**asthma**[ti]": "asthma[Title]",
    "#1 AND asthma": "asthma",
    # Syntax of other systems.
    "exp Asthma/ AND child*.ti,ab.": '"Asthma"[MeSH Terms] AND child*[Title/Abstract]',
    "asthma.mp. OR Thorax.jn.": "asthma[Text Word] OR Thorax[Journal]",
    'title:asthma AND mesh:"Heart Failure"': 'asthma[Title] AND "Heart Failure"[MeSH Terms]',
    '#1 "Asthma"[Mesh]\n#2 child[ti] OR infant[ti]\n#3 #1 AND #2': '"Asthma"[MeSH Terms]'
    " AND (child[Title] OR infant[Title])",
    "1. asthma[ti]\n2. copd[ti]\n3. 1 OR 2\n4. child[ti]\n5. 3 AND 4": "(asthma[Title] OR copd[Title])"
    " AND child[Title]",
    "1. asthma[ti]\n2. copd[ti] OR child[ti]": "asthma[Title] AND (copd[Title] OR child[Title])",
    "asthma[ti] AND, copd[ti]": "asthma[Title] AND copd[Title]",
    # Nothing to search for.
    "": "all[Filter]",
    "?!": "all[Filter]",
    "AND OR NOT": "all[Filter]",
}
"""Texts and the queries they become."""


@each_row(("text", "query"), REPAIRED.items())
def test_an_invalid_query_is_repaired_with_a_note(text: str, query: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.text == query
    assert found.query == parse(query, today=TODAY)
    clear = {"a[ti] OR b[ti] AND c[ti]", "Cells, Cultured[Mesh]"}
    assert bool(found.notes) == (text not in clear)
    assert any("everything is searched" in note for note in found.notes) == (query == "all[Filter]")


VALID = [
    "asthma",
    "heart attack AND aspirin",
    "does smoking cause lung cancer?",
    '"Asthma/drug therapy"[Majr] OR asthma*[tiab]',
    '("Blood Viscosity"[Mesh] AND "Vasodilation"[Mesh]) NOT (review[pt] OR 1990:2000[dp])',
    "a[ti] OR b[ti] AND c[ti] NOT d[ti] OR e[ti]",
    '"last 5 years"[dp] AND hasabstract',
    '"asthma child"[tiab:~3] AND english[la]',
    "17170002 16381840",
    "neoplasms/dh OR therapy[sh:noexp]",
    "heart attack[mh] AND Crohn's disease[mh]",
    "new england journal of medicine",
    "Smith JA AND asthma",
    "wounds and injuries or fractures",
]


@each_row("text", VALID)
def test_a_valid_query_keeps_its_meaning(text: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.query == parse(text, today=TODAY)
    assert found.notes == ()


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_any_text_becomes_a_query_and_normalising_is_idempotent(text: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.query == parse(found.text, today=TODAY)
    for again in (normalize(found.text, today=TODAY), normalize(to_pubmed(found.query), today=TODAY)):
        assert again.query == found.query
    assert normalize(found.text, today=TODAY).notes == ()
    with contextlib.suppress(QuerySyntaxError):
        assert found.notes or found.query == parse(text, today=TODAY)


@each_row(
    "text",
    ["(" * 3000 + "a", " AND ".join(["a OR b"] * 900), "a OR (" * 300, "[" * 3000, '"' * 3001, "NOT " * 900 + "a"],
)
def test_extreme_texts_become_queries(text: str) -> None:
    found = normalize(text)
    assert normalize(found.text).text == found.text
    assert len(found.notes) <= 50
