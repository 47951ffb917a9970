"""References and quoted passages in written text: every form is found, what only looks like one is not, and a sentence
that names what this run never retrieved is held.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.answering.conclude.claim import CHECKING_A_CLAIM, check_claim
from medground.answering.conclude.finish import finish
from medground.answering.run import Run
from medground.answering.verify.marks import without_citations
from medground.answering.verify.named import (
    FLAG,
    QUOTATION,
    author_years,
    unfounded,
    unretrieved_references,
    without_marks,
)
from medground.answering.verify.references import LEAST_WORDS, altered_quotations, plain, references, trial_numbers
from medground.answering.write.draft import drafted
from medground.answering.write.draft import written as sentences
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.values.document import Document

TABLES = tables(__file__)

MakeRun = Callable[..., Run]
NUMBERS = st.integers(10_000_000, 99_999_999).map(str)


@each_row(("text", "kind", "value"), TABLES["forms"])
def test_every_form_is_read(text: str, kind: str, value: str) -> None:
    for written in (text, f"Aspirin works ({text}).", f"As in {text}, aspirin works."):
        assert (kind, value) in [reference[:2] for reference in references(written)], written


@each_row(
    ("text", "authors", "year"),
    [
        ("“Aspirin cures.” (Smith et al., NEJM 2021)", ("Smith",), 2021),
        ("Smith and Jones (2019) say so", ("Smith", "Jones"), 2019),
        ("van der Berg et al. [12] say", ("van der Berg",), None),
        ("Meyer AB, Müller C, et al. (2010) found", ("Meyer", "Müller"), 2010),
        ("in Smith's 2019 trial", ("Smith",), 2019),
        ("(UK Prospective Diabetes Study Group, 1998)", ("UK Prospective Diabetes Study Group",), 1998),
        ("In one such study, Şahin et al. found", ("Şahin",), None),
    ],
)
def test_authors_and_years_are_read(text: str, authors: tuple[str, ...], year: int | None) -> None:
    assert [(one.authors, one.year) for one in author_years(text)] == [(authors, year)]


@each_row("text", TABLES["no_references"])
def test_what_only_looks_like_a_reference_is_not_one(text: str) -> None:
    assert references(text) == []
    assert author_years(text) == []


@given(NUMBERS, st.sampled_from(["PMID: {}", "PMID {}", "pmid={}", "PubMed ID {}", "PubMed ID: {}", "[{}]", "({})"]))
def test_any_number_in_any_form_is_found(number: str, form: str) -> None:
    found = references(f"The risk fell by 12 % {form.format(number)}, as in 2010.")
    assert [reference.value for reference in found] == [number]


@given(st.text(max_size=300) | st.text("aZ09 .,;:()[]&-’", max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    """Each reference is in the text, the same text gives the same references, and long runs take no long time."""
    seen = plain(text)
    for one in references(text):
        assert one.text in seen
    for other in author_years(seen):
        assert other.text in seen
        assert all(author in seen for author in other.authors)
    assert references(text) == references(seen)
    references(text * 20)
    author_years(text * 20)


def test_a_year_may_be_that_of_the_print() -> None:
    paper = Document(id="X:1", text="t", authors=("García-López, María", "Jones B"), year=2020)
    (reference,) = author_years("(Garcia-Lopez et al., 2021)")
    assert reference.is_of(paper)
    assert not author_years("(Garcia-Lopez et al., 2018)")[0].is_of(paper)
    assert author_years("López et al. found")[0].is_of(paper)
    assert not author_years("Jones et al., 2020")[0].is_of(paper)
    assert not reference.is_of(Document(id="X:2", text="t", year=2021))


PAPER = Document(
    id="PMID:123",
    title="Aspirin",
    text="Aspirin lowered the risk of stroke (NCT01234567). Cite PMID:1, doi:10.1000/other and Brown et al., 2019.",
    identifiers={"doi": "10.1000/abc.1", "pmc": "PMC777777", "cochrane": "CD001234"},
    authors=("Smith JA", "Jones B"),
    year=2021,
    journal="The New England journal of medicine",
    imprint={"volume": "384", "pages": "403-416"},
    url="https://pubmed.ncbi.nlm.nih.gov/123/",
)
OTHER = Document(id="PMID:124", title="Warfarin", text="Warfarin prevented many strokes.")


@each_row(("sentence", "named"), TABLES["unretrieved"])
def test_unretrieved_references_are_found(sentence: str, named: list[str]) -> None:
    assert unretrieved_references(sentence, [PAPER], [PAPER]) == named


def test_a_trial_has_one_number_in_every_spelling_and_is_known_from_the_text_of_a_cited_paper() -> None:
    text = "NCT 01234567, NCT-01234567 and EudraCT 2004-000446-20, EudraCT no. 2004-000446-20"
    assert trial_numbers(text) == {"NCT01234567", "200400044620"}
    assert unretrieved_references("It is in NCT01234567.", [PAPER], [PAPER]) == []
    assert unretrieved_references("It is in NCT01234567.", [PAPER]) == ["NCT01234567"]


@each_row(
    ("sentence", "flag", "reason"),
    [
        ("It says “Aspirin lowered the risk of stroke”.", None, ""),
        ("The title is “Does aspirin help?”, as you ask “does aspirin help at all?”.", None, ""),
        ("“Aspirin raised the risk of stroke.”", QUOTATION, "which the source that it cites does not say"),
        ("“Aspirin cured every stroke ever.” (Brown et al., NEJM 2019)", FLAG, "Brown et al., NEJM 2019"),
    ],
)
def test_what_is_held_is_told(sentence: str, flag: str | None, reason: str) -> None:
    found = unfounded(sentence, [PAPER], [PAPER, OTHER], "Does aspirin help at all?")
    assert (found and found[0]) == flag
    assert reason in (found[1] if found else "")
    other = "“Warfarin prevented many strokes.”"  # the quote of another paper is no quote of the cited one
    cited: list[list[Document]] = [[PAPER], [OTHER], []]
    assert [bool(unfounded(other, one, [PAPER, OTHER])) for one in cited] == [True, False, False]


def test_a_sentence_with_an_unretrieved_reference_is_dropped(make_run: MakeRun) -> None:
    run = make_run("Does aspirin help?")
    run.ledger.admit([PAPER])
    quote = run.ledger.quote("PMID:123", 0, len(PAPER.text))
    texts = [
        "Aspirin lowered stroke (PMID 99887766).",
        "They write: “Aspirin raised the risk of stroke.”",
        "Aspirin lowered the risk [E7].",
        PAPER.text,
    ]
    written = WriteOutput(
        sentences=tuple(WrittenSentence(text=text, evidence=(quote.id,)) for text in texts), answer=("yes",)
    )
    answer = asyncio.run(
        finish(run.question, drafted(run.question, sentences(written), written, run, None), [quote], run)
    )
    assert without_marks("Estrone (E1) rose [12, E1] [P1.S2][P2].") == "Estrone (E1) rose [12, E1]."
    assert "99887766" not in answer.rationale
    assert "E7" not in answer.rationale
    assert [d.text for d in answer.dropped] == texts[:2]
    assert "“Aspirin raised the risk of stroke.”, which the source" in answer.dropped[1].reason
    assert "PMID 99887766, which this run never retrieved" in answer.dropped[0].reason
    assert [s.verdict.label for s in answer.statements] == ["related", "quoted"]


SOURCE = (
    "Aspirin lowered the risk of stroke by 25 % (95% CI, 0.63–0.89; P < 0.05). The patients’ group took 0.5 mg daily, "
    "not −5 mg. It did not harm 1,200 children."
)


@each_row("quote", TABLES["true_quotes"])
@each_row(
    "marks",
    ["“{}”", '"{}"', "‘{}’", "‚{}‘", "'{}'", "«{}»", "« {} »", "»{}«", "「{}」", "„{}“", "``{}''", "“{}", "{}”"],
)
def test_true_quotes_pass(quote: str, marks: str) -> None:
    written = marks.format(quote)
    sentence = written if marks == "{}”" else f"The authors say: {written}"
    assert altered_quotations(sentence, ["Other text.", SOURCE]) == []


@each_row("quote", TABLES["altered_quotes"])
@each_row("marks", ["“{}”", "‘{}’", "« {} »", "»{}«", "“{}"])
def test_altered_quotes_do_not(quote: str, marks: str) -> None:
    assert altered_quotations(f"The authors say: {marks.format(quote)}", [SOURCE]) == [quote]


@each_row("sentence", TABLES["no_quotes"])
def test_terms_possessives_and_inches_are_no_quotes(sentence: str) -> None:
    assert altered_quotations(sentence, [SOURCE]) == []


@each_row(("text", "compared"), TABLES["cited"])
def test_citations_are_read_out_of_a_text(text: str, compared: str) -> None:
    assert without_citations(text) == compared
    assert without_citations(compared) == compared


GONE = PAPER.model_copy(
    update={"id": "PMID:125", "authors": ("Gone A",), "retraction": "retracted", "url": None, "year": 2019}
)
CHECKED = "Warfarin prevented many strokes"


@each_row(
    ("claim", "critic", "note"),
    [
        (f"{CHECKED} (PMID: 124).", "keyless", ""),
        (f"{CHECKED} (PMID: 999).", "citation", "it refers to PMID: 999, which this run never retrieved"),
        ("Aspirin lowered the risk of stroke (PMID: 125).", "retraction", "it refers to PMID: 125, which is retracted"),
        (
            "Aspirin lowered the risk of stroke (Gone 2019).",
            "retraction",
            "it refers to Gone 2019, which is retracted",
        ),
        ("It is said that “Warfarin prevented many strokes”.", "keyless", ""),
        (
            "It is said that “Warfarin prevented most strokes”.",
            "citation",
            "it quotes “Warfarin prevented most strokes”, which the retrieved texts do not say; "
            "PMID:124 has “Warfarin prevented many strokes.”",
        ),
        (
            "It is said that “no one should ever go sailing”, and warfarin prevented strokes.",
            "citation",
            "it quotes “no one should ever go sailing”, which the retrieved texts do not say",
        ),
    ],
)
def test_a_claim_is_held_to_what_it_cites_and_quotes(
    make_run: MakeRun, memory_source: Any, claim: str, critic: str, note: str
) -> None:
    run = make_run(claim, sources=[memory_source([GONE, OTHER])], recipe=CHECKING_A_CLAIM)
    verdict = asyncio.run(check_claim(run)).statements[0].verdict
    assert (verdict.critic, verdict.note) == (critic, note)
    assert not {"number", "subject"} & {*verdict.flags}


WORD = st.text(st.characters(categories=["Ll"], max_codepoint=0x17F), min_size=1, max_size=8)


@given(st.lists(WORD, min_size=12, max_size=30), st.data())
def test_any_run_of_words_passes_and_a_changed_word_does_not(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - LEAST_WORDS))
    end = data.draw(st.integers(start + LEAST_WORDS, len(words)))
    assert altered_quotations(f"It says “{' '.join(words[start:end])}”.", [" ".join(words)]) == []
    changed = list(words[start:end])
    changed[data.draw(st.integers(0, len(changed) - 1))] = "0therword"
    assert altered_quotations(f"It says “{' '.join(changed)}”.", [" ".join(words)]) != []


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(sentence: str, source: str) -> None:
    for passage in altered_quotations(sentence, [source]):
        assert len(passage.split()) >= LEAST_WORDS
