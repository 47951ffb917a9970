"""Automatic term mapping: what PubMed shows for words without a tag."""

from __future__ import annotations

from rows import each_row

from medground.pubmed.mapping import Mapper, with_journals
from medground.pubmed.mesh import vocabulary
from medground.pubmed.translate import translate
from medground.values.query import Mesh, Term

SHOWN: dict[str, str] = {
    "child rearing": '"child rearing"[MeSH Terms] OR ("child"[All Fields] AND "rearing"[All Fields])'
    ' OR "child rearing"[All Fields]',
    "stem cells": '"stem cells"[MeSH Terms] OR ("stem"[All Fields] AND "cells"[All Fields])'
    ' OR "stem cells"[All Fields]',
    "toothache": '"toothache"[MeSH Terms] OR "toothache"[All Fields]',
    "odontalgia": '"toothache"[MeSH Terms] OR "toothache"[All Fields] OR "odontalgia"[All Fields]',
    "heart attack": '"myocardial infarction"[MeSH Terms] OR ("myocardial"[All Fields] AND "infarction"[All Fields])'
    ' OR "myocardial infarction"[All Fields] OR ("heart"[All Fields] AND "attack"[All Fields])'
    ' OR "heart attack"[All Fields]',
    "heart-attack": '"myocardial infarction"[MeSH Terms] OR ("myocardial"[All Fields] AND "infarction"[All Fields])'
    ' OR "myocardial infarction"[All Fields] OR ("heart"[All Fields] AND "attack"[All Fields])'
    ' OR "heart-attack"[All Fields]',
    "protein c": '"protein c"[MeSH Terms] OR "protein c"[All Fields]',
    "vitamin c": '"ascorbic acid"[MeSH Terms] OR ("ascorbic"[All Fields] AND "acid"[All Fields])'
    ' OR "ascorbic acid"[All Fields] OR "vitamin c"[All Fields]',
    "stress mechanical": '"stress, mechanical"[MeSH Terms] OR ("mechanical"[All Fields] AND "stress"[All Fields])'
    ' OR "mechanical stress"[All Fields]',
    "endocrine pathology": '"endocr pathol"[Journal] OR ("endocrine"[All Fields] AND "pathology"[All Fields])'
    ' OR "endocrine pathology"[All Fields]',
    "cancer": '"neoplasms"[MeSH Terms] OR "neoplasms"[All Fields] OR "cancer"[All Fields]',
    "lens dislocation": '"ectopia lentis"[MeSH Terms] OR ("ectopia"[All Fields] AND "lentis"[All Fields])'
    ' OR "ectopia lentis"[All Fields] OR ("lens"[All Fields] AND "dislocation"[All Fields])'
    ' OR "lens dislocation"[All Fields]',
    "anaemia": '"anemia"[MeSH Terms] OR "anemia"[All Fields] OR "anaemia"[All Fields]',
    "clinical trial": '"clinical trial"[Publication Type] OR ("clinical"[All Fields] AND "trial"[All Fields])'
    ' OR "clinical trial"[All Fields]',
    "therapy": '"therapy"[MeSH Subheading] OR "therapeutics"[MeSH Terms] OR "therapeutics"[All Fields]'
    ' OR "therapy"[All Fields]',
    "stem cells AND hasabstract": '("stem cells"[MeSH Terms] OR ("stem"[All Fields] AND "cells"[All Fields])'
    ' OR "stem cells"[All Fields]) AND "hasabstract"[Filter]',
    "biopython": '"biopython"[All Fields]',
}
"""Queries and the translation shown for them."""


@each_row(("text", "shown"), SHOWN.items())
def test_translations_match_pubmed(text: str, shown: str) -> None:
    assert translate(text).text == shown


def test_each_concept_has_its_own_translation() -> None:
    found = translate("vitamin c common cold")
    assert [t.source for t in found.translations] == ["vitamin c", "common cold"]
    assert found.translations[1].text.startswith('"common cold"[MeSH Terms] OR ')
    assert found.text == " AND ".join(f"({t.text})" for t in found.translations)


@each_row(
    ("text", "sources"),
    [
        ("heart attack rehabilitation heart", ["heart attack", "rehabilitation", "heart"]),  # the longest name
        ("the wounds and injuries of a child", ["wounds and injuries", "child"]),  # stop words only in a name
        ('"heart attack"', []),
        ("heart attack[tiab]", []),
        ("heart attack*[tw]", []),
        ('"heart attack"[all]', []),
    ],
)
def test_concepts_of_a_query(text: str, sources: list[str]) -> None:
    assert [one.source for one in translate(text).translations] == sources


def test_a_journal_name_is_not_a_subject_and_a_corpus_can_add_journals() -> None:
    assert translate("new england journal of medicine").text.startswith('"n engl j med"[Journal] OR ')
    mapper = Mapper(vocabulary(), with_journals(["Lab Reports of Mars"]))
    assert translate("lab reports of mars", mapper=mapper).text.startswith('"lab reports of mars"[Journal] OR ')


def test_an_author_needs_a_capital_and_initials() -> None:
    assert translate("O'Brien JC").text != translate("obrien jc").text
    assert translate("Smith JA").query == Term(value="smith ja", field="author", prefix=True)
    assert translate("Factor II").query != Term(value="factor ii", field="author", prefix=True)


@each_row("text", ["PMID: 21645374", "PMID 21645374", "pmid:21645374"])
def test_a_pmid_may_have_a_prefix(text: str) -> None:
    assert translate(text).query == Term(value="PMID:21645374", field="id")


def test_a_heading_and_a_subheading_with_the_same_name_are_both_searched() -> None:
    parts = translate("diagnosis").query.parts  # type: ignore[union-attr]
    assert Mesh(qualifiers=("diagnosis",)) in parts
    assert Mesh(heading="Diagnosis") in parts
