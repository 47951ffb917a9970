"""PMIDs, PMC ids and DOIs in one form each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.values.identifiers import normal_doi, normal_id, normal_pmc, normal_pmid, paper_names

SUFFIX = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_/", min_size=1, max_size=30).filter(lambda t: t[-1] != "/")
DOIS = st.builds(
    lambda number, start, inner, end: f"10.{number}/{start}({inner}){end}",
    st.integers(1000, 999_999_999),
    SUFFIX,
    SUFFIX,
    SUFFIX,
)
AROUND = st.sampled_from(
    ["{}", "https://doi.org/{}", "http://dx.doi.org/{}", "doi:{}", "DOI: {}.", "({})", "<{}>", "{},", " {}; ", '"{}"']
)


@given(DOIS, AROUND, st.booleans())
def test_a_doi_is_the_same_however_it_is_written(doi: str, around: str, upper: bool) -> None:
    assert normal_doi(around.format(doi.upper() if upper else doi)) == doi


@given(st.text())
def test_a_normal_form_stays(text: str) -> None:
    for kind in ("pmid", "pmc", "doi"):
        normal = normal_id(kind, text)
        assert normal is None or normal_id(kind, normal) == normal


@each_row(
    ("written", "doi"),
    [
        ("https://doi.org/10.1016%2FS0140-6736%2805%2967889-0", "10.1016/s0140-6736(05)67889-0"),
        (
            "10.1002/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2",
            "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
        ),
        ("10.1/x", None),
        ("", None),
    ],
)
def test_dois_as_people_write_them(written: str, doi: str | None) -> None:
    assert normal_doi(written) == doi


@each_row(
    "written", ["21645374", " 0021645374 ", "PMID: 21645374", "https://pubmed.ncbi.nlm.nih.gov/21645374/", "21645374.2"]
)
def test_pmids_as_people_write_them(written: str) -> None:
    assert normal_pmid(written) == "21645374"


def test_what_is_not_an_id() -> None:
    assert [normal_pmid(text) for text in ("0", "10.1000/123", "abc", "1" * 11)] == [None] * 4
    assert [normal_pmc(text) for text in ("PMC", "PMC0", "10.1000/123", "x1")] == [None] * 4
    assert normal_pmc("https://pmc.ncbi.nlm.nih.gov/articles/pmc0065.1/") == normal_pmc("65") == "PMC65"


def test_the_names_of_a_paper() -> None:
    ids = {"doi": "https://doi.org/10.1000/X.", "pmid": "7", "omim": "1"}
    assert paper_names("PMC:PMC9", ids) == ("pmid:7", "pmc:PMC9", "doi:10.1000/x")
    assert paper_names("DOI:10.1000/x", {"doi": "10.1000/X"}) == ("doi:10.1000/x",)
    assert paper_names("FILE:a.pdf", {"doi": "unknown"}) == ()
