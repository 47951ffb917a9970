"""What is printed around the text of a paper is told from its text."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.language.prose import is_prose, why_not_prose

Linear = Callable[[Callable[[int], object], int], None]


@each_row(
    ("why", "line"),
    [
        ("address", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2752805/"),
        ("address", "DOI:10.1371/journal.pone.0007211"),
        ("label", "Authors: Kin, Nathalie; Guerard, Pauline; Diancourt, Laure"),
        ("label", "License: cc-by"),
        ("label", "SHA: eef0ecf5b8e7b179dadaef967e65f2ab68f021e1"),
        ("label", "Keywords: coronavirus, pneumonia, infection control"),
        ("date alone", "2009-10-07"),
        ("date alone", "Received 6 September 2004; accepted 16 September 2004"),
        ("names", "Boily-Larouche, Geneviève; Iscache, Anne-Laure; Zijenah, Lynn S.; Humphrey, Jean H."),
        ("names", "Mikhail Y Kirov, Vsevolod V Kuzkov, Vladimir N Kuklin and Lars J Bjertnaes"),
        ("names", "Maria do Céu Machado, Hein de Vries, H. Lester Kirchner"),
        ("place of work", "1 Department of Anesthesiology, Faculty of Medicine, University of Tromsø, Tromsø, Norway"),
        ("place of work", "2 Surgery, AIIMS, Bhubaneswar, India"),
        ("licence", "Copyright © 2004 Kirov et al., licensee BioMed Central Ltd."),
        ("licence", "This is an open-access article, which permits unrestricted use and distribution."),
        ("licence", "No reuse allowed without permission; not certified by peer review."),
        (
            "reference",
            "Sazawal S, Black RE, Ramsan M. Effects of routine prophylactic supplementation. Lancet 2006;367:133-143.",
        ),
        ("reference", "Clin Infect Dis. 2011;52(suppl 1):S1-S3."),
        ("legend", "Figure 2. Effect of the promoter variant on transcriptional activity."),
        ("legend", "S1 Fig: The CONSORT flowchart.(TIF)"),
        ("legend", "Additional file 1: Sample sizes and standard deviations."),
        ("legend without a full stop", "Table 1 Characteristics of the patients at baseline"),
        ("supplement", "Supplementary data are available at Bioinformatics online."),
        ("supplement", "Click here for additional data file."),
        ("furniture", "Page 3 of 12"),
        ("note to readers", "These authors contributed equally to this work."),
        ("contributions", "Methodology: BB MSAD PP LB."),
        ("declaration", "The authors declare that they have no competing interests."),
        ("declaration", "All authors read and approved the final manuscript."),
        ("declaration", "This work was supported by grants from the Research Council."),
    ],
)
def test_what_is_printed_around_the_text_is_not_prose(why: str, line: str) -> None:
    assert why_not_prose(line) == why
    assert not is_prose(line)


@each_row(
    "sentence",
    [
        "Clust is available at https://github.com/BaselAbujamous/clust .",
        "HipMCL is freely available under a modified BSD license.",
        "Figure 2 shows that mortality fell.",
        "Figure S1 shows that mortality fell.",
        "Between 2005 and 2008, 1,845 patients were diagnosed with early gastric cancer.",
        "By December 2008, 9.3% (94/1010) of districts had at least one pharmacy.",
        "In addition, SNAP25, RAB18, FABP5, ARF5 and LDHA are related genes.",
        "Marfan syndrome, Loeys-Dietz syndrome and Ehlers-Danlos syndrome affect the aorta.",
        "We report a variant in TWIST1, corresponding to p.R191M.",
        "Smith et al. (2004) showed that aspirin reduces the risk of stroke.",
        "The study was done at the Department of Surgery, University Hospital, Oslo, Norway.",
        "Open access articles are cited more often than others.",
        "Funding of public health reduced mortality.",
        "Patients gave written consent and were received by a nurse.",
    ],
)
def test_a_sentence_that_names_such_things_is_prose(sentence: str) -> None:
    assert why_not_prose(sentence) is None


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_any_text_is_judged(text: str) -> None:
    assert is_prose(text) == (why_not_prose(text) is None)


@each_row("piece", ["Smith AB, ", "a.b@", "Aa. ", "10.1000/", "Abc Def, ", "in 2004; ", "we the "])
def test_a_long_line_takes_no_more_than_linear_time(piece: str, linear: Linear) -> None:
    linear(lambda count: why_not_prose(piece * count), 300)
