"""Genes, proteins and organisms that a question names."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.sources.proteins.genes import genes_in, organisms_named


@each_row(
    ("text", "genes", "organisms"),
    [
        ("Effects of cyp17a1 knockout(KO) on zebrafish?", ["cyp17a1"], ["Danio rerio"]),
        ("Is Tp53 needed for apoptosis in mice?", ["Tp53"], ["Mus musculus"]),
        ("What does p53 do in rats and patients?", ["p53"], ["Rattus norvegicus", "Homo sapiens"]),
        ("IL-6 and TNF-alpha in ICU patients with COPD", ["IL-6", "TNF-alpha"], ["Homo sapiens"]),
        ("BRCA1 mutations, BRCA mutation carriers", ["BRCA1", "BRCA"], []),
        ("Which secretase cleaves the amyloid precursor protein?", ["amyloid precursor protein"], []),
        ("the CBG22016 gene in Caenorhabditis briggsae", ["CBG22016"], ["Caenorhabditis briggsae"]),
        ("c-kit; vascular endothelial growth factor", ["c-kit", "vascular endothelial growth factor"], []),
        ("Does the yeast Spt6 bind the fruit fly?", ["Spt6"], ["Saccharomyces cerevisiae", "Drosophila melanogaster"]),
        ("Does MRI or CT help in the ICU in COPD, ALS, PCOS and HIV?", [], []),
        ("Is a CD4 count below 200 cells/mm3 in the UK a risk (OR 2.1, SD 4, p=0.03)?", [], []),
        ("Can gene therapy restore function? Was the set of rest large?", [], []),
        ("Nivolumab, liraglutide and insulin at 10 mg in type 2 diabetes, grade 3, stage T2N0M1", [], []),
        ("Vitamin B12, H1N1, O157H7, SF-36, HbA1c and PM2.5 in Il and CAT scans", [], []),
        ("a cat", [], ["Felis catus"]),
    ],
)
def test_genes_and_organisms_are_told_apart(text: str, genes: list[str], organisms: list[str]) -> None:
    assert [one.name for one in genes_in(text)] == genes
    assert [one.scientific.partition(" (")[0] for one in organisms_named(text)] == organisms
    assert all(text[one.start : one.end].startswith(one.name) for one in genes_in(text))


def test_a_symbol_is_named_once_and_its_writing_tells_whether_it_is_human() -> None:
    assert [one.name for one in genes_in("TP53 and tp53 and TP-53")] == ["TP53"]
    names = ("TP53", "p53", "IL-6", "TGF-β1", "vascular endothelial growth factor", "cyp17a1", "Tp53")
    assert [name for name in names if not genes_in(name)[0].looks_human] == ["cyp17a1", "Tp53"]


@settings(max_examples=25)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for one in genes_in(text):
        assert text[one.start : one.end].rstrip("+") == one.name
    organisms_named(text)
