"""Genes, proteins and organisms that a question names."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.sources.proteins.genes import genes_in, organisms_named

NAMED = tomllib.loads(Path(__file__).with_name("named_genes.toml").read_text(encoding="utf-8"))


@each_row(("text", "genes", "organisms"), NAMED["named"])
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
