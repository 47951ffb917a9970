"""What is printed around the text of a paper is told from its text."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.prose import is_prose, why_not_prose

Linear = Callable[[Callable[[int], object], int], None]


@each_row(
    ("why", "line"),
    [
        ("address", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2752805/"),
        ("label", "Authors: Kin, Nathalie; Guerard, Pauline; Diancourt, Laure"),
        ("date alone", "2009-10-07"),
        ("names", "Boily-Larouche, Geneviève; Iscache, Anne-Laure; Zijenah, Lynn S.; Humphrey, Jean H."),
        ("names", "Mikhail Y Kirov, Vsevolod V Kuzkov, Vladimir N Kuklin and Lars J Bjertnaes"),
        ("place of work", "1 Department of Anesthesiology, Faculty of Medicine, University of Tromsø, Tromsø, Norway"),
        ("licence", "Copyright © 2004 Kirov et al., licensee BioMed Central Ltd."),
        ("licence", "This is an open-access article, which permits unrestricted use and distribution."),
        ("reference", "Sazawal S, Black RE, Ramsan M. Effects of supplementation. Lancet 2006;367:133-143."),
        ("legend", "Figure 2. Effect of the promoter variant on transcriptional activity."),
        ("legend without a full stop", "Table 1 Characteristics of the patients at baseline"),
        ("supplement", "Supplementary data are available at Bioinformatics online."),
        ("furniture", "Page 3 of 12"),
        ("note to readers", "These authors contributed equally to this work."),
        ("contributions", "Methodology: BB MSAD PP LB."),
        ("declaration", "The authors declare that they have no competing interests."),
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
        "Figure 2 shows that mortality fell.",
        "Between 2005 and 2008, 1,845 patients were diagnosed with early gastric cancer.",
        "Marfan syndrome, Loeys-Dietz syndrome and Ehlers-Danlos syndrome affect the aorta.",
        "We report a variant in TWIST1, corresponding to p.R191M.",
        "Smith et al. (2004) showed that aspirin reduces the risk of stroke.",
        "The study was done at the Department of Surgery, University Hospital, Oslo, Norway.",
        "Funding of public health reduced mortality.",
    ],
)
def test_a_sentence_that_names_such_things_is_prose(sentence: str) -> None:
    assert why_not_prose(sentence) is None


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    assert is_prose(text) == (why_not_prose(text) is None)


@each_row("piece", ["Smith AB, ", "a.b@", "Aa. ", "10.1000/", "Abc Def, ", "in 2004; ", "we the "])
def test_a_long_line_takes_no_more_than_linear_time(piece: str, linear: Linear) -> None:
    linear(lambda count: why_not_prose(piece * count), 300)
