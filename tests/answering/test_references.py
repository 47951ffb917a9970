"""References in written text: every form is found, and what only looks like one is not."""

from __future__ import annotations

import string

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.answering.verify.named import author_years
from medground.answering.verify.references import plain, references, trial_numbers
from medground.values.document import Document

NUMBERS = st.integers(10_000_000, 99_999_999).map(str)


@each_row(
    ("text", "kind", "value"),
    [
        ("pmid=12345678", "pmid", "12345678"),
        ("PubMed 21645374", "pmid", "21645374"),
        ("ＰＭＩＤ：１２３", "pmid", "123"),
        ("PM\u200bID 123", "pmid", "123"),
        ("https://pubmed.ncbi.nlm.nih.gov/0123/", "pmid", "123"),
        ("[99999999]", "number", "99999999"),
        ("(99999999)", "number", "99999999"),
        ("reference no. 21645374", "number", "21645374"),
        ("PMC 123456", "pmc", "PMC123456"),
        ("PubMed Central ID 123456", "pmc", "PMC123456"),
        ("doi:10.1000/ABC.1).", "doi", "10.1000/abc.1"),
        ("https://doi.org/10.1056/NEJMoa2034577", "doi", "10.1056/nejmoa2034577"),
        ("NCT01234567", "trial", "NCT01234567"),
        ("ChiCTR-TRC-10001234", "trial", "CHICTRTRC10001234"),
        ("EudraCT number: 2004-000446-20", "trial", "200400044620"),
        ("CRD42015016992", "trial", "CRD42015016992"),
        ("CD001234", "cochrane", "CD001234"),
        ("10.1002/14651858.CD001234.pub3", "cochrane", "CD001234"),
        ("arXiv:2101.00001", "preprint", "ARXIV2101.00001"),
        ("N Engl J Med 2021;384:403-16", "printed", "2021;384:403"),
        ("www.cure.example", "url", "cure.example"),
    ],
)
def test_every_form_is_read(text: str, kind: str, value: str) -> None:
    for written in (text, f"Aspirin works ({text}).", f"As in {text}, aspirin works."):
        assert (kind, value) in [reference[:2] for reference in references(written)], written


@each_row(
    ("text", "authors", "year"),
    [
        ("“Aspirin cures.” (Smith et al., NEJM 2021)", ("Smith",), 2021),
        ("Smith and Jones (2019) say so", ("Smith", "Jones"), 2019),
        ("(Smith, 2019)", ("Smith",), 2019),
        ("(Block, 1996)", ("Block",), 1996),
        ("van der Berg et al. [12] say", ("van der Berg",), None),
        ("Meyer AB, Müller C, et al. (2010) found", ("Meyer", "Müller"), 2010),
        ("Smith, Jones, and Brown (2019)", ("Smith", "Jones", "Brown"), 2019),
        ("in Smith's 2019 trial", ("Smith",), 2019),
        ("(UK Prospective Diabetes Study Group, 1998)", ("UK Prospective Diabetes Study Group",), 1998),
        ("In one such study, Şahin et al. found", ("Şahin",), None),
    ],
)
def test_authors_and_years_are_read(text: str, authors: tuple[str, ...], year: int | None) -> None:
    assert [(one.authors, one.year) for one in author_years(text)] == [(authors, year)]


@each_row(
    "text",
    [
        "It fell by 12.5 mg/kg in 1,234 patients (P<0.05) from 2010 to 2015.",
        "We searched PubMed (1966-2010), Embase 1990 and ClinicalTrials.gov.",
        "IL-6 (2010), BRCA1 and BRCA2 (2019), CD4, CD34 and CD133, rs12345678, GSE12345678.",
        "As shown [1], [2,3] and [12-14], and in a 12345678 cell line.",
        "The Affordable Care Act (2010), the Mental Health Act (1983), the Declaration of Helsinki (2013).",
        "Medicare and Medicaid (2014); in Sweden and Norway (2010); (Denmark, 2010); (January, 2019); (May 2010).",
        "Kaplan-Meier curves, Fisher's exact test, DSM-IV (1994), Rome III, the SF-36, phase 2 (2010).",
        "Patients and colleagues agreed; doctors and others (2010) did not.",
        "HR 0.75 (95% CI 0.63-0.89), 10.5/1000 person-years, 1.5 x 10^6 cells/ml, 37 C, pH 7.4.",
    ],
)
def test_what_only_looks_like_a_reference_is_not_one(text: str) -> None:
    assert references(text) == []
    assert author_years(text) == []


@given(NUMBERS, st.sampled_from(["PMID: {}", "PMID {}", "pmid={}", "PubMed ID {}", "PubMed ID: {}", "[{}]", "({})"]))
def test_any_number_in_any_form_is_found(number: str, form: str) -> None:
    found = references(f"The risk fell by 12 % {form.format(number)}, as in 2010.")
    assert [reference.value for reference in found] == [number]


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """Each reference is in the text, and the same text gives the same references."""
    seen = plain(text)
    for one in references(text):
        assert one.text in seen
    for other in author_years(seen):
        assert other.text in seen
        assert all(author in seen for author in other.authors)
    assert references(text) == references(seen)


@settings(max_examples=30)
@given(st.lists(st.sampled_from([*string.ascii_letters, *"0123456789 .,;:()[]&-’"]), max_size=120).map("".join))
def test_long_runs_take_no_long_time(text: str) -> None:
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


def test_a_trial_has_one_number_in_every_spelling() -> None:
    text = "NCT 01234567, NCT-01234567 and EudraCT 2004-000446-20, EudraCT no. 2004-000446-20"
    assert trial_numbers(text) == {"NCT01234567", "200400044620"}
