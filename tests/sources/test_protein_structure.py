"""Structure files and their pictures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from protein_records import cif_file, pdb_file
from rows import each_row

from medground.errors import BadDocument
from medground.sources.proteins.picture import band_of, picture
from medground.sources.proteins.structures import read_structure

LETTERS = "MAGKSMAGKSMAGKS"


def test_pdb_and_mmcif_of_one_structure_are_read_alike() -> None:
    first = read_structure(pdb_file(LETTERS).encode(), "one.pdb")
    second = read_structure(cif_file(LETTERS).encode(), "one.cif")
    assert (first.residues, first.accessions) == (second.residues, second.accessions)
    assert (first.sequence, first.chains, first.mean_b) == (LETTERS, ("A",), 80.0)
    assert second.entry == "TEST"


def test_only_the_first_model_and_the_first_place_of_an_atom_count() -> None:
    several = pdb_file(LETTERS).replace("END\n", "ENDMDL\n") + pdb_file(LETTERS)
    assert len(read_structure(several.encode(), "one.pdb").residues) == len(LETTERS)
    rows = cif_file(LETTERS).replace("#\n", "", 1)
    doubled = rows.replace(" 1 P00001\n", " 1 P00001\n", 1) + rows.splitlines()[-2].replace(" 1 P00001", " 2 P00001")
    assert len(read_structure(doubled.encode(), "one.cif").residues) == len(LETTERS)


@each_row(
    ("content", "file", "why"),
    [
        (b"<html>not found</html>", "a.pdb", "it has no C-alpha atom"),
        (b"\xff\xfe", "a.cif", "it is not text"),
        (pdb_file(LETTERS)[:900].encode() + b"\nATOM      2  CA  MET A   2      xx", "a.pdb", "an atom cannot be read"),
        (cif_file(LETTERS).replace(" 1.0 80.0 3", " 80.0 3").encode(), "a.cif", "an atom cannot be read"),
    ],
)
def test_what_is_not_a_structure_is_refused(content: bytes, file: str, why: str) -> None:
    with pytest.raises(BadDocument, match=f"^{file}: {why}$"):
        read_structure(content, file)


@given(st.text(max_size=200), st.sampled_from(["a.pdb", "a.cif"]))
def test_any_text_is_a_structure_or_refused(text: str, file: str) -> None:
    with pytest.raises(BadDocument):
        read_structure(text.encode("utf-8", "replace"), file)


def test_a_picture_is_one_image_with_title_legend_and_no_code() -> None:
    assert [band_of(plddt) for plddt in (100, 90, 89.99, 70, 50, 49.99, 0)] == [0, 0, 1, 1, 2, 3, 3]
    structure = read_structure(pdb_file(LETTERS).encode(), "one.pdb")
    svg = picture(structure, 'AF-1 <script>alert("x")</script> & co', predicted=True)
    root = etree.fromstring(svg.encode())
    tags = [etree.QName(one).localname for one in root.iter()]
    assert "script" not in tags
    assert tags.count("path") == 2 * (len(LETTERS) - 1)
    assert "High (pLDDT 70 to under 90): 100.0 % of residues" in "".join(root.itertext())
    assert svg == picture(structure, 'AF-1 <script>alert("x")</script> & co', predicted=True)


def test_a_gap_is_not_drawn_and_chains_have_colours() -> None:
    gap = "\n".join(line for line in pdb_file(LETTERS).splitlines() if " A   7 " not in line)
    second = pdb_file(LETTERS, chain="B").splitlines()[2:]
    structure = read_structure("\n".join([*gap.splitlines()[:-1], *second]).encode(), "one.pdb")
    svg = picture(structure, "two chains", predicted=False)
    assert svg.count("<path") == 2 * ((len(LETTERS) - 3) + (len(LETTERS) - 1))
    assert "Chain A" in svg
    assert "Chain B" in svg
    assert picture(read_structure(pdb_file("M").encode(), "m.pdb"), "one", predicted=False).count("<path") == 2


@pytest.mark.shared
def test_real_files(shared: Path) -> None:
    folder = shared / "alphafold_pdb"
    for name, residues, accession in (
        ("AF-P05067-F1-model_v6.pdb", 770, "P05067"),
        ("AF-P05067-F1-model_v6.cif", 770, "P05067"),
        ("AF-A1YPR0-F1-model_v4.pdb", 619, "A1YPR0"),
        ("AF-A0A0C5B5G6-F1-model_v6.cif", 16, "A0A0C5B5G6"),
        ("1amb_updated.cif", 28, "P05067"),
    ):
        structure = read_structure(gzip.decompress((folder / f"{name}.gz").read_bytes()), name)
        assert (len(structure.residues), structure.accessions) == (residues, {accession})


@pytest.mark.shared
def test_the_picture_has_the_shares_that_alphafold_gives(shared: Path) -> None:
    folder = shared / "alphafold_pdb"
    models = json.loads((folder / "alphafold_api_prediction_P05067.json").read_text())
    told = next(one for one in models if one["entryId"] == "AF-P05067-F1")
    content = gzip.decompress((folder / "AF-P05067-F1-model_v6.pdb.gz").read_bytes())
    bands = [band_of(one.b) for one in read_structure(content, "a.pdb").residues]
    names = ("VeryHigh", "Confident", "Low", "VeryLow")
    assert [round(bands.count(n) / len(bands), 3) for n in range(4)] == [told[f"fractionPlddt{name}"] for name in names]
