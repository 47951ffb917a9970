"""Closed questions for some, most or all patients, with negation and several names, and profiles and rankings."""

from __future__ import annotations

from collections.abc import Callable

from rows import each_row

from medground.graph.answer import wordings
from medground.graph.names import name_key
from medground.graph.question import read_question
from medground.graph.store import GraphStore
from medground.values.graph import GraphFinding

Ask = Callable[[GraphStore, str], GraphFinding]


@each_row(
    ("text", "closed"),
    [
        ("Is scoliosis common in Marfan syndrome?", "yes"),  # 16 of 53, and frequent
        ("Is scoliosis rare in Marfan syndrome?", "no"),
        ("Is pneumothorax common in Marfan syndrome?", ""),  # 6 of 53, and a kind of it is very frequent
        ("Do all patients with Marfan syndrome have ectopia lentis?", "no"),
        ("Do most people with Marfan syndrome have ectopia lentis?", ""),  # 119 of 251, and 30-79%
        ("Do most people with cystic fibrosis get bronchiectasis?", "yes"),
        ("Is cirrhosis rare in cystic fibrosis?", "yes"),
        ("Is ectopia lentis not a feature of Marfan syndrome?", "no"),
        ("Isn't ectopia lentis a feature of Marfan syndrome?", "yes"),
        ("Is hepatosplenomegaly absent in Tay-Sachs disease?", "yes"),
        ("Is hepatosplenomegaly or chorea a feature of Marfan syndrome?", ""),
        ("Is ectopia lentis or migraine a feature of Marfan syndrome?", "yes"),
        ("Do people with Marfan syndrome have ectopia lentis and migraine?", ""),
        ("Do people with Marfan syndrome have ectopia lentis and scoliosis?", "yes"),
        ("Is arachnodactyly seen in Marfan syndrome or Huntington disease?", "yes"),
        ("Is cystic fibrosis autosomal recessive?", "yes"),
        ("Is Marfan syndrome X-linked?", ""),
        ("Is FBN1 associated with Marfan syndrome?", "yes"),
    ],
)
def test_a_closed_question_is_decided_only_by_what_is_stored(hpo: GraphStore, text: str, closed: str, ask: Ask) -> None:
    assert ask(hpo, text).closed == closed


def test_what_common_means_is_said(hpo: GraphStore, ask: Ask) -> None:
    assert "“common” is read as at least 30% of patients" in ask(hpo, "Is scoliosis common in Marfan syndrome?").note


def test_a_count_of_few_patients_is_not_all(small: GraphStore, ask: Ask) -> None:
    assert ask(small, "Do all people with Alpha syndrome 1 have odd lens?").closed == "no"  # 3 of 4
    assert ask(small, "Do most people with Alpha syndrome 1 have odd lens?").closed == ""


def test_a_bare_disease_has_a_profile_that_says_how_much_there_is(hpo: GraphStore, ask: Ask) -> None:
    finding = ask(hpo, "Marfan syndrome")
    kinds = [fact.sentence for fact in finding.facts]
    assert kinds[0].startswith("Autosomal dominant inheritance is recorded as a mode of inheritance")
    assert any(sentence.startswith("FBN1 is recorded as a gene") for sentence in kinds)
    assert "no ages of onset recorded" in finding.note
    assert "features, most frequent first, shown" in finding.note


def test_a_name_that_is_a_gene_and_a_disease_shows_both(hpo: GraphStore, ask: Ask) -> None:
    finding = ask(hpo, "NF1")
    assert "the name of a disease and of a gene" in finding.note
    assert {"OMIM:162200", "OMIM:193520"} <= {fact.document_id for fact in finding.facts}
    assert len(set(finding.facts)) == len(finding.facts)


def test_diseases_with_two_features_are_ranked_with_their_likelihood(hpo: GraphStore, ask: Ask) -> None:
    finding = ask(hpo, "Which diseases have ectopia lentis and scoliosis?")
    assert "6 of 19 diseases with all 2 of them" in finding.note
    assert "Marfan syndrome (OMIM:154700) 14%" in finding.note  # 119/251 x 16/53
    assert "Marfan syndrome" in finding.answer
    by_disease = [name_key(hpo.concepts([fact.document_id])[0].name) for fact in finding.facts]
    assert by_disease[::2] == by_disease[1::2]
    assert len(set(by_disease)) == 6, "the entries of OMIM and Orphanet are one disease"


def test_no_disease_with_all_of_them_is_said(hpo: GraphStore, ask: Ask) -> None:
    assert "is recorded with all of them" in ask(hpo, "Which diseases have gout and self-mutilation?").note


def test_inheritance_and_onset(hpo: GraphStore, ask: Ask) -> None:
    assert ask(hpo, "How is Huntington disease inherited?").answer == "Autosomal dominant inheritance"
    onset = ask(hpo, "When does Wilson disease begin?")
    assert onset.answer.startswith("Juvenile onset (20 of 30 patients)")
    assert ask(hpo, "When does Huntington disease begin?").status == "not recorded"


@each_row("text", ["What is the best treatment of Marfan syndrome?", "Does aspirin help?", "x", "¿Qué?"])
def test_suggested_wordings_are_understood_and_answered(hpo: GraphStore, text: str, ask: Ask) -> None:
    suggested = wordings(hpo, text)
    assert 2 <= len(suggested) <= 3
    for wording in suggested:
        assert ask(hpo, wording).facts
        assert ("Marfan syndrome" in wording) or "Marfan" not in text


def test_a_misspelt_name_alone_is_suggested(hpo: GraphStore) -> None:
    assert read_question(hpo, "alkaptonurea") is None
    assert all("Alkaptonuria" in wording for wording in wordings(hpo, "alkaptonurea"))


def test_a_spelling_that_one_name_of_the_ontology_has_by_mistake_is_corrected(hpo: GraphStore) -> None:
    read = read_question(hpo, "Is ectopia lentiss a feature of Marfan syndrom?")
    assert read is not None
    assert read.read_as == ("“lentiss” read as “lentis”", "“syndrom” read as “syndrome”")
