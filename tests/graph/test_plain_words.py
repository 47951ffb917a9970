"""Questions in people's own words: amounts, parts of the body, plain names, lead-ins, slips, and traps beside them."""

from __future__ import annotations

from collections.abc import Callable

from rows import each_row

from medground.graph.answer import read_question, wordings
from medground.graph.linking import lay_terms, organs
from medground.graph.names import name_key
from medground.graph.store import GraphStore
from medground.values.graph import GraphFinding

Ask = Callable[[GraphStore, str], GraphFinding]


def test_every_term_of_the_word_lists_is_in_the_release(hpo: GraphStore) -> None:
    named = {term for terms in (*organs().values(), *lay_terms().values()) for term in terms}
    assert {term for term in named if not hpo.find(term, "phenotype")} == set()


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


def test_a_count_of_few_patients_is_not_all(small: GraphStore, ask: Ask) -> None:
    assert ask(small, "Do all people with Alpha syndrome 1 have odd lens?").closed == "no"  # 3 of 4
    assert ask(small, "Do most people with Alpha syndrome 1 have odd lens?").closed == ""


@each_row(
    ("text", "closed", "branch"),
    [
        ("Does Wilson disease affect the liver?", "yes", "HP:0001392"),
        ("are the eyes affected in Tay-Sachs", "yes", "HP:0000478"),
        ("Does Turner syndrome damage her heart?", "yes", "HP:0001627"),
        ("Are there skin problems in Fabry disease?", "yes", "HP:0000951"),
        ("Is the liver damaged in Wilson disease?", "yes", "HP:0001392"),
        ("What eye problems occur in Marfan syndrome?", "", "HP:0000478"),
        ("How does Fabry disease affect the skin?", "", "HP:0000951"),
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


@each_row("text", ["Does Tay-Sachs disease affect the liver?", "Is the heart affected in Tay-Sachs?"])
def test_nothing_recorded_of_a_part_of_the_body_is_never_a_no(hpo: GraphStore, text: str, ask: Ask) -> None:
    finding = ask(hpo, text)
    assert (finding.status, finding.closed, finding.facts) == ("not recorded", "", ())


@each_row(
    "text",
    [
        "Does the liver affect Wilson disease?",
        "Is cystic fibrosis a liver disease?",
        "Does losartan affect the heart in Marfan syndrome?",
        "Does Marfan syndrome affect the heart rate?",
        "Does Alport syndrome in the mother affect the kidneys of the child?",
        "Does Marfan syndrome affect life expectancy?",
        "Which genes affect the skin in Fabry disease?",
        "Do children with Huntington disease have chorea?",
        "My mother carries cystic fibrosis. Will she have symptoms?",
        "My father has Huntington disease, will I get it?",
        "My son has Marfan syndrome and takes losartan, will he get a dissection?",
        "My son has Marfan syndrome. Will he give it to her?",
        "What is Tietze syndrome?",
        "What causes diabetes?",
        "My son has not got Marfan syndrome. Will he get scoliosis?",
        "alkaptonurea",
    ],
)
def test_a_question_that_asks_for_more_is_left_alone(hpo: GraphStore, text: str) -> None:
    assert read_question(hpo, text) is None


@each_row(
    ("text", "same"),
    [
        (
            "Hi, could you please tell me whether gout occurs in Marfan syndrome? Thanks!",
            "Is gout seen in Marfan syndrome?",
        ),
        ("I was wondering if Marfan syndrome is inherited", "Is Marfan syndrome inherited?"),
        ("My daughter has Rett syndrome. How is it inherited?", "How is Rett syndrome inherited?"),
        ("Is Marfan syndrome passed from parent to child?", "Is Marfan syndrome inherited?"),
        ("when do babies with Tay-Sachs disease first show symptoms", "When does Tay-Sachs disease start?"),
        ("whats Rett syndrome", "What is Rett syndrome?"),
        ("diseases with anosmia as well as delayed puberty", "diseases with anosmia and delayed puberty"),
        ("ddx of gout and seizures", "diseases with gout and seizures"),
    ],
)
def test_courtesy_and_lead_ins_change_nothing(hpo: GraphStore, text: str, same: str, ask: Ask) -> None:
    polite, plain = ask(hpo, text), ask(hpo, same)
    assert (polite.facts, polite.closed) == (plain.facts, plain.closed)


SAID = [
    # what “common” means, and names in plain words
    ("Is scoliosis common in Marfan syndrome?", "“common” is read as at least 30% of patients"),
    ("Does Turner syndrome cause short height?", "“short height” read as Short stature"),
    ("Are people with Noonan syndrome short?", "“short” read as Short stature"),
    ("Do Alport syndrome patients go deaf?", "“deaf” read as Hearing impairment"),
    # a slip of one letter in a short name, and one that a name of the ontology has by mistake
    ("Marfann syndrom", "read as “marfan”"),
    ("marfna syndrome", "read as “marfan”"),
    ("what is Alagile syndrome", "read as “alagille”"),
    ("Is ectopia lentiss a feature of Marfan syndrom?", "“lentiss” read as “lentis”; “syndrom” read as “syndrome”"),
    # a bare name has a profile, of each of its meanings
    ("Marfan syndrome", "no ages of onset recorded"),
    ("Marfan syndrome", "features, most frequent first, shown"),
    ("NF1", "the name of a disease and of a gene"),
    # genes by who records them; two features ranked by their likelihood, 119/251 x 16/53
    ("Which genes are associated with cystic fibrosis?", "recorded by OMIM and Orphanet: "),
    ("Which genes are associated with cystic fibrosis?", "by Orphanet: CEACAM3"),
    ("Which genes are associated with cystic fibrosis?", "12 of 22"),
    ("Which diseases have ectopia lentis and scoliosis?", "6 of 19 diseases with all 2 of them"),
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


def test_two_entries_of_one_disease_are_ranked_as_one(hpo: GraphStore, ask: Ask) -> None:
    finding = ask(hpo, "Which diseases have ectopia lentis and scoliosis?")
    by_disease = [name_key(hpo.concepts([fact.document_id])[0].name) for fact in finding.facts]
    assert by_disease[::2] == by_disease[1::2]
    assert len(set(by_disease)) == 6
    kinds = [fact.sentence for fact in ask(hpo, "Marfan syndrome").facts]
    assert kinds[0].startswith("Autosomal dominant inheritance is recorded as a mode of inheritance")
    assert any(sentence.startswith("FBN1 is recorded as a gene") for sentence in kinds)


@each_row(
    ("text", "name"),
    [
        ("What is the best treatment of Marfan syndrome?", "Marfan syndrome"),
        ("Does the liver affect Wilson disease?", "Wilson"),
        ("alkaptonurea", "Alkaptonuria"),
        ("Does aspirin help?", ""),
        ("x", ""),
        ("¿Qué?", ""),
    ],
)
def test_suggested_wordings_are_understood_and_answered(hpo: GraphStore, text: str, name: str, ask: Ask) -> None:
    suggested = wordings(hpo, text)
    assert 2 <= len(suggested) <= 3
    for wording in suggested:
        assert ask(hpo, wording).facts
        assert name in wording
