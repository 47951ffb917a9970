"""Questions that ask for a stored relation, in the words of people, and many others that only seem to."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.graph.answer import find, read_question, wordings
from medground.graph.linking import terms_by_name
from medground.graph.store import GraphStore
from medground.values.graph import GraphFinding

MARFAN = "OMIM:154700 ORPHA:558"
RETT = "OMIM:312750 ORPHA:778"
CLASSIC_EDS = "OMIM:130010 ORPHA:287"
LENS = "HP:0001083"
SEIZURE = "HP:0001250"


def questions(text: str) -> list[str]:
    """The questions of a paragraph."""
    return [" ".join(one.split()) for one in re.findall(r"[^?]+\?", text)]


ASKS = {
    ("feature of", f"{LENS} {MARFAN}"): """
        Is dislocation of the lens seen in patients with Marfan's syndrome? Is lens dislocation one of the symptoms of
        Marfan syndrome? Do people with Marfan syndrome get lens dislocation? Does Marfan syndrome cause ectopia lentis?
        Does Marfan syndrome include ectopia lentis as a feature? Can ectopia lentis occur in Marfan syndrome? Do most
        people with Marfan syndrome get ectopia lentis? Isn't ectopia lentis a feature of Marfan syndrome? Is it true
        that ectopia lentis is a feature of Marfan's? Is ectopia lentiss a feature of Marfan sindrome? patients with
        Marfan syndrome: ectopia lentis?""",
    ("feature of", f"{LENS} OMIM:154700"): """Is ectopia lentis a feature of OMIM:154700? Is ectopia lentis (HP:0001083)
        a feature of Marfan syndrome (OMIM:154700)?""",
    ("feature of", f"{SEIZURE} {RETT}"): """Are seizures observed in individuals with Rett syndrome? Does the Rett
        syndrome cause an epileptic seizure?""",
    ("feature of", "HP:0001903 OMIM:227650 ORPHA:84"): "Is anaemia a feature of Fanconi anaemia?",
    ("feature of", f"{LENS} {SEIZURE} {MARFAN}"): "Is ectopia lentis or a seizure a feature of Marfan syndrome?",
    ("feature of", f"{LENS} {MARFAN} {RETT}"): "Is ectopia lentis seen in Marfan syndrome or Rett syndrome?",
    ("frequency of", f"{SEIZURE} {RETT}"): "How often do people with Rett syndrome have seizures?",
    ("frequency of", f"{LENS} {MARFAN}"): """How common is ectopia lentis in Marfan syndrome? How common a feature of
        Marfan syndrome is ectopia lentis? What percentage of patients with Marfan syndrome have ectopia lentis? Is
        ectopia lentis common in Marfan syndrome? How many people with Marfan syndrome have ectopia lentis?""",
    ("diseases with", LENS): """What diseases can cause lens dislocation? Which disorders are associated with ectopia
        lentis? In which diseases is ectopia lentis seen? Ectopia lentis is a feature of which diseases?""",
    ("diseases with", f"{LENS} {SEIZURE}"): "Which diseases have ectopia lentis and seizures?",
    ("diseases with", "HP:0001433 HP:0010729"): """Which diseases cause hepatosplenomegaly and cherry red spot? Which
        diseases show cherry-red spots and hepatosplenomegaly?""",
    ("genes of", CLASSIC_EDS): "Which genes are linked to Ehlers-Danlos syndrome, classic type?",
    ("genes of", MARFAN): "Which gene is mutated in Marfan syndrome? What gene causes Marfan syndrome?",
    ("genes of", RETT): """Mutations in which gene cause Rett syndrome? Rett syndrome is caused by mutations in which
        gene?""",
    ("genes of", "HP:0002108"): "Which genes are involved in spontaneous pneumothorax?",
    ("genes of", f"NCBIGene:2200 {MARFAN}"): "Is FBN1 associated with Marfan syndrome?",
    ("features of", RETT): """What are the signs and symptoms of Rett syndrome? Which symptoms do people with Rett
        syndrome have?""",
    ("features of", "OMIM:143100 ORPHA:399"): "What are the clinical manifestations of Huntington's disease?",
    ("excluded features of", RETT): "Which features are excluded in Rett syndrome?",
    ("diseases of gene", "NCBIGene:2200"): """Which diseases are caused by FBN1 mutations? Which diseases are associated
        with variants in the FBN1 gene?""",
    ("diseases of gene", "NCBIGene:4204"): "What happens if the MECP2 gene is mutated? mecp2 gene?",
    ("definition of", "HP:0001166"): "What does arachnodactyly mean? What are spider fingers?",
    ("definition of", "HP:0000316"): "Define hypertelorism?",
    ("definition of", "HP:0000006"): "What is autosomal dominant inheritance?",
    ("profile", RETT): "Tell me about Rett syndrome? What is Rett syndrome?",
    ("profile", "NCBIGene:4763 OMIM:162200 ORPHA:636"): "NF1?",
    ("profile", "OMIM:261600 ORPHA:716"): "PKU?",
    ("inheritance of", MARFAN): """How is Marfan syndrome inherited? Is Marfan syndrome dominant or recessive? I was
        wondering if Marfan syndrome is inherited? Is Marfan syndrome passed from parent to child?""",
    ("onset of", RETT): "When does Rett syndrome begin? At what age do symptoms of Rett syndrome first appear?",
    # courtesy and lead-ins
    ("feature of", f"{SEIZURE} {MARFAN}"): """Hi, could you tell me whether a seizure occurs in Marfan syndrome, thanks?
        Hello! I want to know if seizures are seen in Marfan syndrome please?""",
    ("inheritance of", RETT): "My daughter has Rett syndrome. How is it inherited?",
    ("onset of", "OMIM:272800 ORPHA:845"): "when do babies with Tay-Sachs disease first show symptoms?",
    ("diseases with", f"{SEIZURE} {LENS}"): "ddx of ectopia lentis as well as seizures?",
}
NOT_FOR_THE_GRAPH = """
    Does aspirin reduce mortality in Marfan syndrome? Is lensectomy safe in patients with ectopia lentis? Is
    cataract a complication of surgery for ectopia lentis in Marfan syndrome? Is ectopia lentis a diagnostic
    criterion of Marfan syndrome? What is the prognosis of Rett syndrome? Can Marfan syndrome be cured? Is ectopia
    lentis a feature of Marfan syndrome in children under 5? Is ectopia lentis an early feature of Marfan syndrome?
    Is ectopia lentis more common in Marfan syndrome than in homocystinuria? Are seizures in Rett syndrome
    associated with sudden death? Do women with Marfan syndrome have scoliosis? Do patients with Marfan syndrome and
    diabetes have ectopia lentis? How frequent are seizures in Rett syndrome after adolescence? How frequent are
    seizures in Rett syndrome compared with Angelman syndrome? Which diseases have ectopia lentis without heart
    disease? Which genes are associated with severity of Marfan syndrome? Which genes are associated with Marfan
    syndrome in Japan? Which FBN1 variants are associated with ectopia lentis in Marfan syndrome? What are the
    cardiac features of Marfan syndrome? Why is ectopia lentis a feature of Marfan syndrome? What are the symptoms
    of Charcot-Marie-Tooth disease with ptosis and parkinsonism? How many people are affected by multiple lentigines
    syndrome? What are the symptoms of Ehlers-Danlos syndrome, kyphoscoliosis type? What is (are) Adult Acute
    Lymphoblastic Leukemia ? What are the symptoms of Anxiety Disorders? What features do Marfan syndrome and
    Stickler syndrome share? What is pyroptosis? How to diagnose gout? How to prevent varicose veins? Does ectopia
    lentis cause Marfan syndrome? Is ectopia lentis a feature of Marfanoid disease? Is ectopia lentis a feature of
    diabetes? Is quality of life a feature of Marfan syndrome? Is smoking associated with Marfan syndrome? Which
    diseases are caused by smoking mutations? Which diseases are caused by mutations? What is the capital of France?
    Is Marfan syndrome associated with migraine? Does obesity cause asthma? Is there a connection between ectopia
    lentis and Marfan syndrome? Ectopia lentis in Marfan syndrome: is surgery needed? Can ectopia lentis be
    predicted from the FBN1 genotype? Does the liver affect Wilson disease? Is cystic fibrosis a liver disease? Does
    losartan affect the heart in Marfan syndrome? Does Marfan syndrome affect the heart rate? Does Alport syndrome
    in the mother affect the kidneys of the child? Which genes affect the skin in Fabry disease? Do children with
    Huntington disease have chorea? My mother carries cystic fibrosis. Will she have symptoms? My father has
    Huntington disease, will I get it? My son has Marfan syndrome and takes losartan, will he get a dissection? My
    son has Marfan syndrome. Will he give it to her? What is Tietze syndrome? What causes diabetes? My son has not
    got Marfan syndrome. Will he get scoliosis? alkaptonurea?"""


@each_row(
    ("text", "relation", "concepts"), [(one, *asked) for asked, texts in ASKS.items() for one in questions(texts)]
)
def test_a_question_for_a_stored_relation_is_read(hpo: GraphStore, text: str, relation: str, concepts: str) -> None:
    question = read_question(hpo, text)
    assert question is not None
    assert question.relation == relation
    named = {concept.id for concept in (*question.phenotypes, *question.diseases, *question.genes)}
    assert named == set(concepts.split())
    assert find(hpo, question) is not None


@each_row("text", ["", "?", *questions(NOT_FOR_THE_GRAPH)])
def test_every_other_question_is_left_to_the_literature(hpo: GraphStore, text: str) -> None:
    question = read_question(hpo, text)
    found = find(hpo, question) if question is not None else None
    assert found is None or not found.facts


@pytest.mark.slow
@pytest.mark.shared
def test_questions_about_studies_are_never_answered(hpo: GraphStore, shared: Path) -> None:
    taken = []
    for path in ("pubmedqa/pqa_l.jsonl.gz", "mirage/questions.jsonl.gz"):
        with gzip.open(shared / path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, 0, None, 8):  # every eighth question; all of them take half a minute
                item = json.loads(line)
                text = item["question"]
                if "options" not in item and read_question(hpo, text) is not None:
                    taken.append(text)
    assert taken == []


def test_a_family_has_all_its_types_and_a_full_name_never_matches_a_longer_one(hpo: GraphStore) -> None:
    def found(text: str) -> set[str]:
        return {concept.id for concept in hpo.find(text, "disease")}

    assert {"OMIM:130000", "OMIM:130010", "OMIM:130050", "OMIM:225410"} <= found("Ehlers-Danlos syndrome")
    assert found("Marfan syndrome") == set(MARFAN.split())
    assert "OMIM:613454" not in found("Rett syndrome")
    assert not {"OMIM:606408", "ORPHA:230839"} & found("classic Ehlers-Danlos syndrome")
    for symbol, gene in (("mog", "NCBIGene:4340"), ("MOGS", "NCBIGene:7841")):  # a symbol has no plural
        assert [concept.id for concept in hpo.find(symbol, "gene")] == [gene]


@each_row("text", ["Strange eye", "ol", "odd", "lens", "Gone term", "HP:9999999", "Alpha"])
def test_a_weak_name_matches_nothing(small: GraphStore, text: str) -> None:
    assert small.find(text, "phenotype", "disease") == ()
    # an abbreviation matches only as written
    assert [c.id for c in small.find("OL", "phenotype")] == ["HP:0100001"]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=400))
def test_any_text_can_be_read(hpo: GraphStore, text: str) -> None:
    for template in ("{}", "Is {} a feature of Marfan syndrome?", "What is {}?", "Which genes are associated with {}?"):
        read_question(hpo, template.format(text))


Ask = Callable[[GraphStore, str], GraphFinding]


def test_every_term_of_the_word_lists_is_in_the_release(hpo: GraphStore) -> None:
    named = {term for name in ("organs", "lay_terms") for terms in terms_by_name(name).values() for term in terms}
    assert {term for term in named if not hpo.find(term, "phenotype")} == set()


CLOSED = {
    "yes": """Is scoliosis common in Marfan syndrome? Do most people with cystic fibrosis get bronchiectasis? Is
        cirrhosis rare in cystic fibrosis? Isn't ectopia lentis a feature of Marfan syndrome? Is
        hepatosplenomegaly absent in Tay-Sachs disease? Is ectopia lentis or migraine a feature of Marfan
        syndrome? Do people with Marfan syndrome have ectopia lentis and scoliosis? Is arachnodactyly
        seen in Marfan syndrome or Huntington disease? Is cystic fibrosis autosomal recessive? Is FBN1
        associated with Marfan syndrome? Is Huntington disease dominant? Is Ehlers-Danlos syndrome recessive? Are
        cystic fibrosis or Huntington disease recessive?""",
    "no": """Is scoliosis rare in Marfan syndrome? Do all patients with Marfan syndrome have ectopia lentis? Is ectopia
        lentis not a feature of Marfan syndrome? Is Marfan syndrome X-linked? Is Huntington disease ever recessive? Are
        cystic fibrosis and Huntington disease recessive?""",
    # 6 of 53, and a kind of it is very frequent; 119 of 251, and 30-79%
    "": """Is pneumothorax common in Marfan syndrome? Do most people with Marfan syndrome have ectopia lentis? Is
        hepatosplenomegaly or chorea a feature of Marfan syndrome? Do people with Marfan syndrome have ectopia lentis
        and migraine? Is Huntington disease dominant or recessive?""",
}


@each_row(("closed", "text"), [(closed, one) for closed, texts in CLOSED.items() for one in questions(texts)])
def test_a_closed_question_is_decided_only_by_what_is_stored(hpo: GraphStore, text: str, closed: str, ask: Ask) -> None:
    assert ask(hpo, text).closed == closed


@each_row(
    ("text", "closed", "branch"),
    [
        ("Does Wilson disease affect the liver?", "yes", "HP:0001392"),
        ("Does Turner syndrome damage her heart?", "yes", "HP:0001627"),
        ("Are there skin problems in Fabry disease?", "yes", "HP:0000951"),
        ("What eye problems occur in Marfan syndrome?", "", "HP:0000478"),
        ("Symptoms of liver disease in cystic fibrosis", "", "HP:0001392"),
    ],
)
def test_a_part_of_the_body_is_its_branch(hpo: GraphStore, text: str, closed: str, branch: str, ask: Ask) -> None:
    finding = ask(hpo, text)
    places = [(fact.document_id, fact.start, fact.end) for fact in finding.facts]
    shown = {r.object.id for r in hpo.relations(subjects={doc for doc, *_ in places}) if r.place in places}
    assert shown
    assert shown <= {branch, *hpo.descendants(branch)}
    assert finding.closed == closed
    assert "read as Abnormal" in finding.note


def test_nothing_recorded_of_a_part_of_the_body_is_no_no(hpo: GraphStore, ask: Ask) -> None:
    for text in ("Does Tay-Sachs disease affect the liver?", "Is the heart affected in Tay-Sachs?"):
        finding = ask(hpo, text)
        assert (finding.status, finding.closed, finding.facts) == ("not recorded", "", ())


SAID = [
    # another mode than the one asked for, and both; an entry without a mode undoes neither
    ("Is Huntington disease ever recessive?", "recorded as Autosomal dominant inheritance; no mode of inheritance"),
    ("Is Ehlers-Danlos syndrome recessive?", "Autosomal dominant inheritance and Autosomal recessive inheritance"),
    # what “common” means, and names in plain words
    ("Is scoliosis common in Marfan syndrome?", "“common” is read as at least 30% of patients"),
    ("Does Turner syndrome cause short height?", "“short height” read as Short stature"),
    ("Do Alport syndrome patients go deaf?", "“deaf” read as Hearing impairment"),
    # a slip of one letter in a short name, and one that a name of the ontology has by mistake
    ("Marfann syndrom", "read as “marfan”"),
    ("Is ectopia lentiss a feature of Marfan syndrom?", "“lentiss” read as “lentis”; “syndrom” read as “syndrome”"),
    # a bare name has a profile, of each of its meanings
    ("Marfan syndrome", "no ages of onset recorded"),
    ("NF1", "the name of a disease and of a gene"),
    # genes by who records them; two features ranked by their likelihood, 119/251 x 16/53
    ("Which genes are associated with cystic fibrosis?", "recorded by OMIM and Orphanet: "),
    ("Which genes are associated with cystic fibrosis?", "by Orphanet: CEACAM3"),
    ("Which diseases have ectopia lentis and scoliosis?", "Marfan syndrome (OMIM:154700) 14%"),
    ("Which diseases have gout and self-mutilation?", "is recorded with all of them"),
    ("My niece has just been diagnosed with Rett syndrome. Will she have seizures?", "decides nothing for one person"),
]


@each_row(("text", "note"), SAID)
def test_how_a_question_was_read_is_said(hpo: GraphStore, text: str, note: str, ask: Ask) -> None:
    assert note in ask(hpo, text).note


@each_row(
    ("text", "closed", "answer", "documents"),
    [
        ("Does Turner syndrome cause short height?", "yes", "", []),
        ("My niece has just been diagnosed with Rett syndrome. Will she have seizures?", "", "", ["OMIM:312750"]),
        ("Is COL4A5 linked to Alport syndrome?", "yes", "COL4A5", ["OMIM:301050"]),  # the gene of a type of it
        ("NF1", "", "", ["OMIM:162200", "OMIM:193520"]),
        # a more specific feature counts where the asked one has no frequency
        ("Which diseases have tall stature and ectopia lentis?", "yes", "Marfan syndrome", []),
        ("How is Huntington disease inherited?", "yes", "Autosomal dominant inheritance", []),
        ("When does Wilson disease begin?", "", "Juvenile onset (20 of 30 patients)", []),
    ],
)
def test_what_is_found(hpo: GraphStore, text: str, closed: str, answer: str, documents: list[str], ask: Ask) -> None:
    finding = ask(hpo, text)
    assert (finding.closed, answer in finding.answer) == (closed, True)
    assert set(documents) <= {fact.document_id for fact in finding.facts}
    assert len(set(finding.facts)) == len(finding.facts) > 0


@each_row(
    ("text", "name"),
    [
        ("What is the best treatment of Marfan syndrome?", "Marfan syndrome"),
        ("Does the liver affect Wilson disease?", "Wilson"),
        ("alkaptonurea", "Alkaptonuria"),
    ],
)
def test_suggested_wordings_are_understood_and_answered(hpo: GraphStore, text: str, name: str, ask: Ask) -> None:
    suggested = wordings(hpo, text)
    assert 2 <= len(suggested) <= 3
    for wording in suggested:
        assert ask(hpo, wording).facts
        assert name in wording


def test_nothing_is_suggested_where_nothing_of_the_graph_is_named(hpo: GraphStore) -> None:
    for text in ("Does aspirin help?", "What is the capital of France?", "x", "¿Qué?"):
        assert wordings(hpo, text) == ()
