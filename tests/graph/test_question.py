"""Questions that ask for a stored relation, and many others that only seem to."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.graph.answer import find, read_question
from medground.graph.relation import ConceptKind
from medground.graph.store import GraphStore

MARFAN = "OMIM:154700 ORPHA:558"
RETT = "OMIM:312750 ORPHA:778"
CLASSIC_EDS = "OMIM:130010 ORPHA:287"
LENS = "HP:0001083"
SEIZURE = "HP:0001250"


def questions(text: str) -> list[str]:
    """The questions of a paragraph."""
    return [" ".join(one.split()) for one in re.findall(r"[^?]+\?", text)]


LENS_IN_MARFAN = """
Is ectopia lentis a feature of Marfan syndrome? Is Ectopia Lentis a known clinical feature of Marfan Syndrome? Is
lens dislocation seen in Marfan syndrome? Is dislocation of the lens seen in patients with Marfan's syndrome? Is
lens dislocation one of the symptoms of Marfan syndrome? Do people with Marfan syndrome get lens dislocation? Can
patients with Marfan syndrome have ectopia lentis? Can Marfan syndrome patients have ectopia lentis? Does Marfan
syndrome cause ectopia lentis? Does Marfan syndrome include ectopia lentis as a feature? Can ectopia lentis occur in
Marfan syndrome? Is there ectopia lentis in Marfan syndrome? Is ectopia lentis associated with Marfan syndrome? Do
most people with Marfan syndrome get ectopia lentis? Is ectopia lentis not a feature of Marfan syndrome? Isn't
ectopia lentis a feature of Marfan syndrome? Is it true that ectopia lentis is a feature of Marfan's? Is ectopia
lentiss a feature of Marfan sindrome?"""
ASKS = [
    *((text, "feature of", f"{LENS} {MARFAN}") for text in questions(LENS_IN_MARFAN)),
    ("is ectopia lentis a sign of marfan syndrome", "feature of", f"{LENS} {MARFAN}"),
    ("Is ectopia lentis a feature of OMIM:154700?", "feature of", f"{LENS} OMIM:154700"),
    ("Is ectopia lentis (HP:0001083) a feature of Marfan syndrome (OMIM:154700)?", "feature of", f"{LENS} OMIM:154700"),
    ("Is migraine a feature of Marfan syndrome?", "feature of", f"HP:0002076 {MARFAN}"),
    ("Are seizures a feature of Rett syndrome?", "feature of", f"{SEIZURE} {RETT}"),
    ("Are seizures observed in individuals with Rett syndrome?", "feature of", f"{SEIZURE} {RETT}"),
    ("Do individuals with Rett's syndrome develop seizures?", "feature of", f"{SEIZURE} {RETT}"),
    ("Does the Rett syndrome cause an epileptic seizure?", "feature of", f"{SEIZURE} {RETT}"),
    ("Is anaemia a feature of Fanconi anaemia?", "feature of", "HP:0001903 OMIM:227650 ORPHA:84"),
    ("Is microcephaly a manifestation of Angelman syndrome?", "feature of", "HP:0000252 OMIM:105830 ORPHA:72"),
    ("How frequent are seizures in Rett syndrome?", "frequency of", f"{SEIZURE} {RETT}"),
    ("How common is ectopia lentis in Marfan syndrome?", "frequency of", f"{LENS} {MARFAN}"),
    ("How often is lens dislocation seen in patients with Marfan syndrome?", "frequency of", f"{LENS} {MARFAN}"),
    ("How often do seizures occur in Rett syndrome?", "frequency of", f"{SEIZURE} {RETT}"),
    ("How often do people with Rett syndrome have seizures?", "frequency of", f"{SEIZURE} {RETT}"),
    ("How common a feature of Marfan syndrome is ectopia lentis?", "frequency of", f"{LENS} {MARFAN}"),
    ("What percentage of patients with Marfan syndrome have ectopia lentis?", "frequency of", f"{LENS} {MARFAN}"),
    ("What proportion of Marfan syndrome patients have ectopia lentis?", "frequency of", f"{LENS} {MARFAN}"),
    ("How many people with Marfan syndrome have scoliosis?", "frequency of", f"HP:0002650 {MARFAN}"),
    ("What is the frequency of seizures in Rett syndrome?", "frequency of", f"{SEIZURE} {RETT}"),
    ("Which diseases have ectopia lentis?", "diseases with", LENS),
    ("What diseases can cause lens dislocation?", "diseases with", LENS),
    ("Which disorders are associated with ectopia lentis?", "diseases with", LENS),
    ("In which diseases is ectopia lentis seen?", "diseases with", LENS),
    ("Which syndromes is ectopia lentis a feature of?", "diseases with", LENS),
    ("Of which diseases is ectopia lentis a feature?", "diseases with", LENS),
    ("Ectopia lentis is a feature of which diseases?", "diseases with", LENS),
    ("Which genes are associated with classic Ehlers-Danlos syndrome?", "genes of", CLASSIC_EDS),
    ("Which genes are associated with classical Ehlers Danlos syndrome?", "genes of", CLASSIC_EDS),
    ("Which genes are linked to Ehlers-Danlos syndrome, classic type?", "genes of", CLASSIC_EDS),
    ("Which gene is mutated in Marfan syndrome?", "genes of", MARFAN),
    ("What gene causes Marfan syndrome?", "genes of", MARFAN),
    ("What is the gene for Marfan syndrome?", "genes of", MARFAN),
    ("Which gene mutations cause Rett syndrome?", "genes of", RETT),
    ("Mutations in which gene cause Rett syndrome?", "genes of", RETT),
    ("Rett syndrome is caused by mutations in which gene?", "genes of", RETT),
    ("Which genes are involved in spontaneous pneumothorax?", "genes of", "HP:0002108"),
    ("Is FBN1 associated with Marfan syndrome?", "genes of", f"NCBIGene:2200 {MARFAN}"),
    ("What are the features of Marfan syndrome?", "features of", MARFAN),
    ("What are the signs and symptoms of Rett syndrome?", "features of", RETT),
    ("What are the clinical manifestations of Huntington's disease?", "features of", "OMIM:143100 ORPHA:399"),
    ("Which symptoms do people with Rett syndrome have?", "features of", RETT),
    ("What are the symptoms of Achondroplasia ?", "features of", "OMIM:100800 ORPHA:15"),
    ("Which diseases are caused by FBN1 mutations?", "diseases of gene", "NCBIGene:2200"),
    ("Which diseases are associated with variants in the FBN1 gene?", "diseases of gene", "NCBIGene:2200"),
    ("What diseases does the MECP2 gene cause?", "diseases of gene", "NCBIGene:4204"),
    ("What is ectopia lentis?", "definition of", LENS),
    ("What is a seizure?", "definition of", SEIZURE),
    ("What does arachnodactyly mean?", "definition of", "HP:0001166"),
    ("Define hypertelorism", "definition of", "HP:0000316"),
    ("What is autosomal dominant inheritance?", "definition of", "HP:0000006"),
]

AS_PEOPLE_ASK = [
    ("Marfan syndrome", "profile", MARFAN),
    ("What is Marfan syndrome?", "profile", MARFAN),
    ("Tell me about Rett syndrome", "profile", RETT),
    ("NF1", "profile", "NCBIGene:4763 OMIM:162200 ORPHA:636"),
    ("PKU", "profile", "OMIM:261600 ORPHA:716"),
    ("arachnodactyly", "profile", "HP:0001166"),
    ("What are spider fingers?", "definition of", "HP:0001166"),
    ("How is Marfan syndrome inherited?", "inheritance of", MARFAN),
    ("Is Marfan syndrome dominant or recessive?", "inheritance of", MARFAN),
    ("When does Rett syndrome begin?", "onset of", RETT),
    ("At what age do symptoms of Rett syndrome first appear?", "onset of", RETT),
    ("patients with Marfan syndrome: ectopia lentis", "feature of", f"{LENS} {MARFAN}"),
    ("Is ectopia lentis common in Marfan syndrome?", "frequency of", f"{LENS} {MARFAN}"),
    ("Is ectopia lentis or a seizure a feature of Marfan syndrome?", "feature of", f"{LENS} {SEIZURE} {MARFAN}"),
    ("Is ectopia lentis seen in Marfan syndrome or Rett syndrome?", "feature of", f"{LENS} {MARFAN} {RETT}"),
    ("Is hearing loss a feature of Rett syndrome?", "feature of", f"HP:0000365 {RETT}"),
    ("Which diseases have ectopia lentis and seizures?", "diseases with", f"{LENS} {SEIZURE}"),
    ("Which features are excluded in Rett syndrome?", "excluded features of", RETT),
    ("What happens if the MECP2 gene is mutated?", "diseases of gene", "NCBIGene:4204"),
    ("mecp2 gene", "diseases of gene", "NCBIGene:4204"),
]

NOT_FOR_THE_GRAPH = {
    "Treatment, outcome, diagnosis": """
        Does aspirin reduce mortality in Marfan syndrome? Does losartan slow aortic root dilatation in Marfan
        syndrome? What is the treatment of ectopia lentis in Marfan syndrome? Is lensectomy safe in patients with
        ectopia lentis? Do beta blockers prevent aortic dissection in Marfan syndrome? Is ectopia lentis in Marfan
        syndrome treated with surgery? Is cataract a complication of surgery for ectopia lentis in Marfan
        syndrome? Does ectopia lentis predict aortic dissection in Marfan syndrome? Is scoliosis associated with
        mortality in Marfan syndrome? Is ectopia lentis a diagnostic criterion of Marfan syndrome? What is the
        prognosis of Rett syndrome? Is Marfan syndrome fatal? Can Marfan syndrome be cured? How is Marfan syndrome
        diagnosed? Should patients with Marfan syndrome have echocardiography?""",
    "Conditions that no relation covers": """
        Is ectopia lentis a feature of Marfan syndrome in children under 5? Is ectopia lentis an early feature of
        Marfan syndrome? Is ectopia lentis a specific sign of Marfan syndrome? Is ectopia lentis more common in
        Marfan syndrome than in homocystinuria? Are seizures in Rett syndrome associated with sudden death? Do
        children with Rett syndrome have seizures? Do women with Marfan syndrome have scoliosis? Do patients with
        Marfan syndrome have ectopia lentis before the age of ten? Do patients with Marfan syndrome and diabetes
        have ectopia lentis? How frequent are seizures in Rett syndrome after adolescence? How frequent are
        seizures in girls with Rett syndrome? How frequent are seizures in Rett syndrome compared with Angelman
        syndrome? What is the incidence of aortic dissection in Marfan syndrome per year? Which rare diseases have
        ectopia lentis? Which diseases have ectopia lentis without heart disease? Which genes are associated with
        severity of Marfan syndrome? Which genes are differentially expressed in Marfan syndrome? Which genes are
        associated with Marfan syndrome in Japan? Which FBN1 variants are associated with ectopia lentis in Marfan
        syndrome? What are the early symptoms of Rett syndrome? What are the features of Marfan syndrome in
        newborns? What are the cardiac features of Marfan syndrome? Why is ectopia lentis a feature of Marfan
        syndrome?""",
    "Names that run on, and words that only look misspelt": """
        What are the symptoms of Charcot-Marie-Tooth disease with ptosis and parkinsonism? How many people are
        affected by multiple lentigines syndrome? What are the symptoms of Ehlers-Danlos syndrome, kyphoscoliosis
        type? What is (are) Adult Acute Lymphoblastic Leukemia ? What are the symptoms of Anxiety Disorders? What
        features do Marfan syndrome and Stickler syndrome share? What do Marfan syndrome and Stickler syndrome
        have in common? What is pyroptosis? What is Tietze syndrome? How to diagnose gout? How to prevent varicose
        veins? Does ectopia lentis cause Marfan syndrome?""",
    "Names that the graph does not know, or only nearly": """
        Is ectopia lentis a feature of Marfanoid disease? Is ectopia lentis a feature of diabetes? Is lens trouble
        a feature of Marfan syndrome? Is quality of life a feature of Marfan syndrome? Is smoking associated with
        Marfan syndrome? Which genes are associated with happiness? Which diseases are caused by smoking
        mutations? Which diseases are caused by mutations? What is PubMed? What is the capital of France? What is
        life?""",
    "Shapes of PubMedQA": """
        Is Marfan syndrome associated with migraine? Does obesity cause asthma? Is hypertension associated with
        breast cancer? Are seizures associated with worse outcome after stroke? Do mitochondria play a role in
        remodelling lace plant leaves during programmed cell death? Is there a connection between ectopia lentis
        and Marfan syndrome? Ectopia lentis in Marfan syndrome: is surgery needed? Can ectopia lentis be predicted
        from the FBN1 genotype?""",
}


@each_row(("text", "relation", "concepts"), ASKS + AS_PEOPLE_ASK)
def test_a_question_for_a_stored_relation_is_read(hpo: GraphStore, text: str, relation: str, concepts: str) -> None:
    question = read_question(hpo, text)
    assert question is not None
    assert question.relation == relation
    named = {concept.id for concept in (*question.phenotypes, *question.diseases, *question.genes)}
    assert named == set(concepts.split())
    assert find(hpo, question) is not None


@each_row("text", ["", "?", *(one for texts in NOT_FOR_THE_GRAPH.values() for one in questions(texts))])
def test_every_other_question_is_left_to_the_literature(hpo: GraphStore, text: str) -> None:
    question = read_question(hpo, text)
    found = find(hpo, question) if question is not None else None
    assert found is None or not found.facts


@each_row(
    ("text", "note"),
    [
        ("NF1", "“NF1” read as Neurofibromatosis type 1"),
        ("Is hearing loss a feature of Rett syndrome?", "“hearing loss” read as Hearing impairment (HP:0000365)"),
        ("Is ectopia lentis a feature of Marfan's?", "“Marfan's” read as Marfan syndrome (OMIM:154700)"),
        ("Is scoliossis a feature of Marfan syndrome?", "“scoliossis” read as “scoliosis”"),
    ],
)
def test_a_name_that_is_not_read_as_written_is_said(hpo: GraphStore, text: str, note: str) -> None:
    question = read_question(hpo, text)
    assert question is not None
    assert note in question.read_as
    found = find(hpo, question)
    assert found is not None
    assert note in found.note


@pytest.mark.slow
@pytest.mark.shared
def test_questions_about_studies_are_never_answered(hpo: GraphStore, shared: Path) -> None:
    taken = []
    for path in ("pubmedqa/pqa_l.jsonl.gz", "mirage/questions.jsonl.gz"):
        with gzip.open(shared / path, "rt", encoding="utf-8") as lines:
            for line in lines:
                item = json.loads(line)
                text = item["question"]
                if "options" not in item and read_question(hpo, text) is not None:
                    taken.append(text)
    assert taken == []


def test_a_family_of_syndromes_includes_all_its_types(hpo: GraphStore) -> None:
    family = {concept.id for concept in hpo.find("Ehlers-Danlos syndrome", "disease")}
    assert {"OMIM:130000", "OMIM:130010", "OMIM:130050", "OMIM:225410"} <= family


def test_a_full_name_never_matches_a_longer_one(hpo: GraphStore) -> None:
    assert {c.id for c in hpo.find("Marfan syndrome", "disease")} == set(MARFAN.split())
    assert "OMIM:613454" not in {c.id for c in hpo.find("Rett syndrome", "disease")}
    assert not {"OMIM:606408", "ORPHA:230839"} & {c.id for c in hpo.find("classic Ehlers-Danlos syndrome", "disease")}


@each_row("text", ["Strange eye", "ol", "odd", "lens", "Gone term", "HP:9999999", "Alpha"])
def test_a_weak_name_matches_nothing(small: GraphStore, text: str) -> None:
    assert small.find(text, "phenotype", "disease") == ()


def test_an_abbreviation_matches_only_as_written(small: GraphStore) -> None:
    assert [c.id for c in small.find("OL", "phenotype")] == ["HP:0100001"]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_any_text_can_be_read(hpo: GraphStore, text: str) -> None:
    for template in ("{}", "Is {} a feature of Marfan syndrome?", "What is {}?", "Which genes are associated with {}?"):
        read_question(hpo, template.format(text))


@each_row(
    ("text", "kind", "expected"),
    [
        ("cone-rod dystrophy", "phenotype", "HP:0000548"),
        ("Rod-cone dystrophy", "phenotype", "HP:0000510"),
        ("mog", "gene", "NCBIGene:4340"),
        ("MOGS", "gene", "NCBIGene:7841"),
    ],
)
def test_names_that_differ_by_order_or_a_final_s_are_different(
    hpo: GraphStore, text: str, kind: ConceptKind, expected: str
) -> None:
    assert [concept.id for concept in hpo.find(text, kind)] == [expected]
