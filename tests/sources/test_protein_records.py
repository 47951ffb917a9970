"""Entries of UniProtKB as text: every line follows from the entry; structure files and their pictures."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from protein_records import FISH, cif_file, entry, pdb_file, text
from refusals import refused
from rows import each_row

from medground.errors import BadDocument
from medground.sources.live import parts
from medground.sources.proteins.entry import FRAGMENT, UNREVIEWED, entry_document
from medground.sources.proteins.names import read_names
from medground.sources.proteins.pictures import band_of, picture
from medground.sources.proteins.structures import read_structure
from medground.values.document import Document

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def real(shared: Path, name: str) -> tuple[dict[str, Any], str]:
    content = (shared / "uniprot" / name).read_bytes()
    raw = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    return json.loads(raw), raw


def section(document: Document, label: str) -> list[str]:
    found = next((one for one in document.sections if one.label == label), None)
    return document.text[found.start : found.end].split("\n") if found else []


@pytest.mark.shared
@each_row("name", ["uniprotkb_P05067.json.gz", "uniprotkb_P0DTR4.json", "uniprotkb_A8Y1C3.json"])
def test_no_number_is_in_the_text_of_a_real_entry_that_is_not_in_the_entry(name: str, shared: Path) -> None:
    given, raw = real(shared, name)
    document = entry_document(given)
    stored = set(NUMBER.findall(raw))
    assert [one for one in NUMBER.findall(document.text) if one not in stored and one not in raw] == []


@pytest.mark.shared
def test_the_real_entry_of_app(shared: Path) -> None:
    given, _ = real(shared, "uniprotkb_P05067.json.gz")
    document = entry_document(given)
    assert document.id == "UNIPROT:P05067"
    assert document.title == "Amyloid-beta precursor protein (APP, Homo sapiens), UniProtKB P05067"
    assert (document.kind, document.license, document.cautions, document.authors) == ("protein", "CC BY 4.0", (), ())
    assert document.identifiers == {"uniprot": "P05067", "gene": "APP"}
    assert "PMID:2881207" in document.references
    # Texts of curators are there word for word, each sentence of it a line.
    functions = [one["texts"][0]["value"] for one in given["comments"] if one["commentType"] == "FUNCTION"]
    told = " ".join(line.split(": ", 1)[1] for line in section(document, "Function"))
    assert all(text.rstrip(".") in told for text in functions)
    assert section(document, "Sequence")[0] == (
        "The sequence of APP (Homo sapiens) has 770 amino acids and a molecular mass of 86943 Da."
    )
    assert "APP (Homo sapiens), involvement in disease: Alzheimer disease 1 (AD1; MIM 104300)." in section(
        document, "Disease"
    )
    assert "APP (Homo sapiens) is located in: Perikaryon." in section(document, "Location")
    assert any("PDB 1AAP" in line and "1.50 A" in line for line in section(document, "Structure"))
    pairs = sum(len(one["interactions"]) for one in parts(given, "comments") if "interactions" in one)
    assert sum("interacts with" in line for line in section(document, "Interactions")) >= pairs


@pytest.mark.shared
def test_the_real_enzyme_and_the_real_unreviewed_entry(shared: Path) -> None:
    enzyme = entry_document(real(shared, "uniprotkb_P0DTR4.json")[0])
    subject = "A type blood N-acetyl-alpha-D-galactosamine deacetylase (Flavonifractor plautii)"
    assert f"A cofactor of {subject} is a divalent metal cation." in section(enzyme, "Activity")
    assert f"The Michaelis constant of {subject} for A antigen type 1 penta-MU is 340 uM." in enzyme.text
    assert f"{subject}, mutagenesis at residue 341, Y to F: 3000-fold reduction in deacetylase rate." in enzyme.text
    worm = entry_document(real(shared, "uniprotkb_A8Y1C3.json")[0])
    assert worm.cautions == (UNREVIEWED,)
    assert worm.text.startswith("A8Y1C3 is the unreviewed (TrEMBL) UniProtKB entry for Protein CBG22016.")


def test_what_is_said_of_one_form_or_a_fragment_says_so() -> None:
    told = [text("FUNCTION", "Binds zinc", molecule="Isoform 2"), text("DISRUPTION PHENOTYPE", "Fish lack ovaries.")]
    document = entry_document(entry("P00001", "tst1", FISH, comments=told, flag="Fragment", reviewed=False))
    assert section(document, "Function") == ["Isoform 2 of tst1 (Danio rerio), function: Binds zinc."]
    assert section(document, "Phenotype") == ["tst1 (Danio rerio), disruption phenotype: Fish lack ovaries."]
    assert document.cautions == (UNREVIEWED, FRAGMENT)
    assert "entry of a fragment for" in document.text
    told = [text("CAUTION", "Was reported to bind X (PubMed:1). This work was later retracted (PubMed:2)")]
    (line,) = section(entry_document(entry("P00001", "tst1", comments=told)), "Caution")
    assert line.endswith("later retracted (PubMed:2).")  # never without its retraction
    names = read_names(entry("P00001", "IL6", name="Interleukin-6", synonyms=["IFNB2"]))
    assert [names.fits(one) for one in ("il-6", "IFNB2", "interleukin 6", "IL66")] == [4, 3, 2, 0]
    for odd in ({}, {"primaryAccession": "P00001"}, {"primaryAccession": "../x", "sequence": {"a": 1}}):
        refused(BadDocument, "the reply contains something other than a UniProtKB entry", entry_document, odd)


words = st.text("abc XY1-.(\n", max_size=30)
jsons = st.recursive(
    st.none() | st.integers() | words, lambda one: st.lists(one, max_size=3) | st.dictionaries(words, one, max_size=3)
)
KINDS = ["FUNCTION", "DISEASE", "INTERACTION", "SUBCELLULAR LOCATION", "ALTERNATIVE PRODUCTS", "COFACTOR", "CAUTION"]
comments = st.fixed_dictionaries(
    {"commentType": st.sampled_from(KINDS)},
    optional={
        "texts": st.lists(st.fixed_dictionaries({"value": words})) | jsons,
        "disease": st.fixed_dictionaries({"diseaseId": words, "description": words}) | jsons,
        "interactions": st.lists(st.dictionaries(st.sampled_from(["interactantTwo", "numberOfExperiments"]), jsons)),
        "note": jsons,
        "molecule": words | jsons,
    },
)


@settings(max_examples=15)
@given(st.lists(comments, max_size=5), words, jsons)
def test_any_form_of_a_field_is_read_and_no_number_is_made_up(told: list[Any], name: str, odd: Any) -> None:
    given = entry("P00001", "tst1", comments=told, name=name, features=odd, uniProtKBCrossReferences=odd)
    document = entry_document(given)
    stored = json.dumps(given)
    assert all(number in stored for number in NUMBER.findall(document.text))
    assert all(line.strip() for line in document.text.split("\n"))
    assert "\n".join(document.text[one.start : one.end] for one in document.sections) == document.text


LETTERS = "MAGKSMAGKSMAGKS"


def test_pdb_and_mmcif_of_one_structure_are_read_alike() -> None:
    first = read_structure(pdb_file(LETTERS).encode(), "one.pdb")
    second = read_structure(cif_file(LETTERS).encode(), "one.cif")
    assert (first.residues, first.accessions) == (second.residues, second.accessions)
    assert (first.sequence, first.chains, first.mean_b) == (LETTERS, ("A",), 80.0)
    assert second.entry == "TEST"
    several = pdb_file(LETTERS).replace("END\n", "ENDMDL\n") + pdb_file(LETTERS)
    assert len(read_structure(several.encode(), "one.pdb").residues) == len(LETTERS)  # only the first model counts


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
    refused(BadDocument, f"^{file}: {why}$", read_structure, content, file)


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
    # the bands of the picture have the shares that AlphaFold DB gives
    models = json.loads((folder / "alphafold_api_prediction_P05067.json").read_text())
    told = next(one for one in models if one["entryId"] == "AF-P05067-F1")
    content = gzip.decompress((folder / "AF-P05067-F1-model_v6.pdb.gz").read_bytes())
    bands = [band_of(one.b) for one in read_structure(content, "a.pdb").residues]
    for number, name in enumerate(("VeryHigh", "Confident", "Low", "VeryLow")):
        assert round(bands.count(number) / len(bands), 3) == told[f"fractionPlddt{name}"]
