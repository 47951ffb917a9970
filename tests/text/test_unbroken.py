"""No sentence boundary cuts an address, a file name, the name of a species or a number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.sentences import sentence_spans

HOSTS = st.sampled_from(
    [
        "www.ncbi.nlm.nih.gov",
        "https://doi.org",
        "http://mobyle.rpbs.univ-paris.fr",
        "www.It-works.org",
        "ftp://ftp.ebi.ac.uk",
    ]
)
PARTS = st.sampled_from(
    [
        "geo",
        "Results.The",
        "index.php?id=3&The=4",
        "q?A!B",
        "10.1002/(SICI)1097",
        "j.cell.2014.05.001",
        "#In.We",
        "v1.0",
        "a,b;c:d",
        "(2)x",
    ]
)
ADDRESSES = st.one_of(
    st.builds(lambda host, parts: "/".join([host, *parts, "end"]), HOSTS, st.lists(PARTS, max_size=4)),
    st.sampled_from(["sohrab.Saraei@utu.fi", "jane.In.The@x-y.ac.uk", "doi:10.1016/S0140-6736(20)30183-5"]),
)
BEFORE = st.sampled_from(["", "The data are at ", "It rose (P<.001). See (", "Others agree, e.g. Jones; "])
AFTER = st.sampled_from(["", ".", ").", " and elsewhere.", ". The cells grew.", "). We saw it.", ", too."])


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(BEFORE, ADDRESSES, AFTER)
def test_no_address_is_cut(before: str, address: str, after: str) -> None:
    text = before + address + after
    first, last = len(before), len(before) + len(address)
    assert not [end for _, end in sentence_spans(text) if first < end < last]


@given(BEFORE, st.sampled_from([". ncbi.nlm.nih.gov/geo", ". org/geo", "/Blast. cgi", "/x. pdf?la=en", ".nih. gov"]))
def test_a_space_after_a_full_stop_of_an_address_cuts_nothing(before: str, rest: str) -> None:
    text = f"{before}https://www.x{rest} for details. The cells grew."
    assert any(f"https://www.x{rest} for" in sentence for sentence in sentences(text))


@each_row(
    "expected",
    [  # from COVID-QA, SciFact and BioASQ
        ["The disease is vectored by Ae. aegypti and Ae. albopictus.", "Transmission rose."],
        ["Raw data has been deposited to GEO (GSE119767; https://www.ncbi. nlm.nih.gov/geo/).", "We used it."],
        ["It was imported to NCBI BLAST (https://blast.ncbi.nlm.nih.gov/Blast. cgi) to confirm the identity."],
        ["They run a Web server at http://www.sander.ebi.ac. uk/gqsrv/submit"],
        ["The EMBL Database (http://www.ebi.ac.uk/embl. html ) constitutes Europe's primary resource."],
        ["29 vs. 11 of 33, respectively, p = 0. 003; intent to treat: 28.1%."],
        ["Seventy-three (10. 4%) of the athletes were current users.", "None was ill."],
        ["See www.gilead.com/harvoni/harvoni_pi. pdf?la=en).", "However, it is so."],
        ["License (https://bioconductor.org/packages/phosphonormalizer).", "Contact: sohrab.saraei@utu.fi"],
        ["doi: 10. 1371/journal.pone.0012345", "Next."],
        ["Salmonella enterica serov. Typhi and E. coli str. K-12 grew.", "Others did not."],
        ["The loss of chr. 17q21 and chrom. 5 was seen.", "GenBank acc. no. AF123 was used."],
        ["The Suppl. data. xlsx has all.", "The file counts.The.csv has some."],
    ],
)
def test_boundaries_as_real_texts_need_them(expected: list[str]) -> None:
    joined = "\n".join(expected) if "doi:" in expected[0] else " ".join(expected)
    assert sentences(joined) == expected


@each_row(
    "expected",
    [
        ["Look at www.x.org.", "27 patients came.", "p53 is there."],
        ["Look at www.x.org.", "www.y.org/z is another."],
        ["It was seen in AML.", "mice were well."],
        ["It rose from 5 to 10.", "5 mice died."],
        ["It is free (www.x.org).", "The cells grew."],
        ["Methods were as before.", "miR-21 fell."],
    ],
)
def test_true_boundaries_stay(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_a_boundary_without_a_space_after_an_address_stays() -> None:
    assert sentences("It is at (www.x.org).The cells grew.") == ["It is at (www.x.org).", "The cells grew."]


def test_a_new_line_still_ends_an_address() -> None:
    assert sentences("See www.ncbi.\nnlm.nih.gov/geo") == ["See www.ncbi.", "nlm.nih.gov/geo"]
