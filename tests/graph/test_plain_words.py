"""Questions in people's own words: parts of the body, layman's terms, lead-ins, slips, and traps beside them."""

from __future__ import annotations

from rows import each_row

from medground.graph.answer import entails, find, wordings
from medground.graph.linking import lay_terms, organs
from medground.graph.question import read_question
from medground.graph.store import GraphStore
from medground.values.graph import GraphFinding


def ask(store: GraphStore, text: str) -> GraphFinding | None:
    question = read_question(store, text)
    return find(store, question) if question is not None else None


def kinds(store: GraphStore, *roots: str) -> set[str]:
    return {name for root in roots for name in (root, *store.descendants(root))}


def shown(store: GraphStore, finding: GraphFinding) -> set[str]:
    places = [(fact.document_id, fact.start, fact.end) for fact in finding.facts]
    relations = [r for doc, *_ in places for r in store.relations(subjects=[doc])]
    return {r.object.id for r in relations if r.place in places}


def test_every_term_of_the_word_lists_is_in_the_release(hpo: GraphStore) -> None:
    named = {term for terms in (*organs().values(), *lay_terms().values()) for term in terms}
    assert {term for term in named if not hpo.find(term, "phenotype")} == set()


@each_row(
    ("text", "closed", "branches"),
    [
        ("Does Wilson disease affect the liver?", "yes", ["HP:0001392"]),
        ("are the eyes affected in Tay-Sachs", "yes", ["HP:0000478"]),
        ("Does Turner syndrome damage her heart?", "yes", ["HP:0001627"]),
        ("Are there skin problems in Fabry disease?", "yes", ["HP:0000951"]),
        ("Is the liver damaged in Wilson disease?", "yes", ["HP:0001392"]),
        ("What eye problems occur in Marfan syndrome?", "", ["HP:0000478"]),
        ("How does Fabry disease affect the skin?", "", ["HP:0000951"]),
        ("Symptoms of liver disease in cystic fibrosis", "", ["HP:0001392"]),
    ],
)
def test_a_part_of_the_body_is_its_branch(hpo: GraphStore, text: str, closed: str, branches: list[str]) -> None:
    finding = ask(hpo, text)
    assert finding is not None
    assert finding.facts
    assert finding.closed == closed
    assert shown(hpo, finding) <= kinds(hpo, *branches)
    assert all(entails(hpo, fact) for fact in finding.facts)
    assert "read as Abnormal" in finding.note


@each_row("text", ["Does Tay-Sachs disease affect the liver?", "Is the heart affected in Tay-Sachs?"])
def test_nothing_recorded_of_a_part_of_the_body_is_never_a_no(hpo: GraphStore, text: str) -> None:
    finding = ask(hpo, text)
    assert finding is not None
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
    ],
)
def test_a_question_that_asks_for_more_is_left_alone(hpo: GraphStore, text: str) -> None:
    assert read_question(hpo, text) is None


@each_row(
    ("text", "note"),
    [
        ("Does Turner syndrome cause short height?", "“short height” read as Short stature"),
        ("Are people with Noonan syndrome short?", "“short” read as Short stature"),
        ("Do Alport syndrome patients go deaf?", "“deaf” read as Hearing impairment"),
    ],
)
def test_names_in_plain_words(hpo: GraphStore, text: str, note: str) -> None:
    finding = ask(hpo, text)
    assert finding is not None
    assert finding.closed == "yes"
    assert note in finding.note


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
def test_courtesy_and_lead_ins_change_nothing(hpo: GraphStore, text: str, same: str) -> None:
    polite, plain = ask(hpo, text), ask(hpo, same)
    assert polite is not None
    assert plain is not None
    assert (polite.facts, polite.closed) == (plain.facts, plain.closed)


def test_what_will_happen_to_one_person_is_not_decided(hpo: GraphStore) -> None:
    finding = ask(hpo, "My niece has just been diagnosed with Rett syndrome. Will she have seizures?")
    assert finding is not None
    assert finding.facts
    assert finding.closed == ""
    assert "decides nothing for one person" in finding.note


@each_row(
    ("text", "name"),
    [("Marfann syndrom", "Marfan"), ("marfna syndrome", "Marfan"), ("what is Alagile syndrome", "Alagille")],
)
def test_a_slip_of_one_letter_in_a_short_name_is_mended_and_said(hpo: GraphStore, text: str, name: str) -> None:
    finding = ask(hpo, text)
    assert finding is not None
    assert finding.concepts[0].startswith(name)
    assert f"read as “{name.casefold()}”" in finding.note


def test_a_type_of_the_syndrome_answers_for_its_gene(hpo: GraphStore) -> None:
    finding = ask(hpo, "Is COL4A5 linked to Alport syndrome?")
    assert finding is not None
    assert finding.closed == "yes"
    assert {fact.document_id for fact in finding.facts} == {"OMIM:301050"}


def test_genes_are_grouped_by_who_records_them(hpo: GraphStore) -> None:
    finding = ask(hpo, "Which genes are associated with cystic fibrosis?")
    assert finding is not None
    assert "recorded by OMIM and Orphanet: " in finding.note
    assert "CFTR" in finding.note.split("by OMIM and Orphanet: ")[1].split(";")[0]
    assert "12 of 22" in finding.note
    assert "by Orphanet: CEACAM3" in finding.note


def test_a_more_specific_feature_counts_where_the_asked_one_has_no_frequency(hpo: GraphStore) -> None:
    finding = ask(hpo, "Which diseases have tall stature and ectopia lentis?")
    assert finding is not None
    assert "Marfan syndrome" in finding.answer


def test_what_is_not_understood_still_has_wordings_that_work(hpo: GraphStore) -> None:
    for wording in wordings(hpo, "Does the liver affect Wilson disease?"):
        found = ask(hpo, wording)
        assert found is not None
        assert found.facts
