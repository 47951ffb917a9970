"""Vocabularies are read from files of the published form: what they yield, and one clear line for a bad file."""

import gzip
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row

from medground.errors import BadDocument
from medground.graph.draft import Draft
from medground.graph.vocabularies import base as forms
from medground.graph.vocabularies.obo import obo
from medground.graph.vocabularies.releases import COLUMNS, drugbank, mesh, umls


def records(vocabulary: forms.Vocabulary) -> list[forms.Record]:
    return [record for part in vocabulary.parts for record in part.records()]


def atom(cui: str, text: str, **columns: str) -> dict[str, str]:
    usual = {"LAT": "ENG", "TS": "S", "STT": "VO", "ISPREF": "N", "SAB": "MSH", "TTY": "ET", "SUPPRESS": "N"}
    return {"CUI": cui, "STR": text, **usual, **columns}


PREFERRED = {"TS": "P", "STT": "PF", "ISPREF": "Y"}
CONSO = (
    atom("C0004057", "ASA", TTY="AB"),
    atom("C0004057", "Aspirin", **PREFERRED),
    atom("C0004057", "Aspirine", LAT="FRE", SAB="MSHFRE"),
    atom("C0004057", "Old aspirin", SUPPRESS="O"),
    atom("C0018681", "Headache", SAB="SNOMEDCT_US", **PREFERRED),
    atom("C0018681", "Cephalalgia"),
    atom("C9999999", "Nur Deutsch", LAT="GER", SAB="MSHGER"),
)
DEF = (
    {"CUI": "C0004057", "SAB": "MSH", "DEF": "A salicylate.", "SUPPRESS": "N"},
    {"CUI": "C0004057", "SAB": "MSHFRE", "DEF": "Un salicylate.", "SUPPRESS": "N"},
    {"CUI": "C0004057", "SAB": "MSH", "DEF": "Superseded.", "SUPPRESS": "O"},
)


def link(first: str, second: str, rel: str, **columns: str) -> dict[str, str]:
    return {"CUI1": first, "CUI2": second, "REL": rel, "SAB": "MSH", "SUPPRESS": "N", **columns}


ASPIRIN, HEADACHE = "C0004057", "C0018681"
REL = (
    # CUI2 has the relation to CUI1: aspirin may treat headache.
    link(HEADACHE, ASPIRIN, "RO", RELA="may_treat", SAB="MED-RT"),
    link(ASPIRIN, HEADACHE, "RO", RELA="may_be_treated_by", SAB="MED-RT"),
    link(HEADACHE, ASPIRIN, "CHD"),
    link(HEADACHE, ASPIRIN, "RB", SUPPRESS="Y"),
    link(HEADACHE, ASPIRIN, "XR"),
)
STY = ({"CUI": "C0004057", "TUI": "T121", "STN": "A1.4.1.1.1", "STY": "Pharmacologic Substance"},)
RELEASE = {"MRCONSO": CONSO, "MRDEF": DEF, "MRREL": REL, "MRSTY": STY}


def write_umls(folder: Path) -> Path:
    for table, rows in RELEASE.items():
        # as NLM publishes them: every column in its place, and `|` after the last one
        text = "".join("".join(f"{row.get(column, '')}|" for column in COLUMNS[table]) + "\n" for row in rows)
        (folder / f"{table}.RRF.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_umls_keeps_a_language_and_reads_relations_from_the_second_concept_to_the_first(tmp_path: Path) -> None:
    assert records(umls(write_umls(tmp_path))) == [
        forms.ConceptRecord("UMLS:C0004057", "Aspirin"),
        forms.NameRecord("UMLS:C0004057", "ASA", "abbreviation"),
        forms.ConceptRecord("UMLS:C0018681", "Headache"),
        forms.NameRecord("UMLS:C0018681", "Cephalalgia", "exact"),
        forms.TypeRecord("UMLS:C0004057", "Pharmacologic Substance"),
        forms.DefinitionRecord("UMLS:C0004057", "A salicylate.", source="MSH"),
        forms.RelationRecord("UMLS:C0004057", "may_treat", "UMLS:C0018681"),
        forms.RelationRecord("UMLS:C0018681", "may_be_treated_by", "UMLS:C0004057"),
        forms.RelationRecord("UMLS:C0004057", "CHD", "UMLS:C0018681"),
    ]
    found = records(umls(tmp_path, sources=["MSH"]))
    assert forms.ConceptRecord("UMLS:C0018681", "Cephalalgia") in found
    assert [r.predicate for r in found if isinstance(r, forms.RelationRecord)] == ["CHD"]
    # the language of a definition is that of its source, which another run may have read
    (definitions,) = (part for part in umls(tmp_path).parts if "MRDEF" in part.name)
    assert list(definitions.records()) == [forms.DefinitionRecord("UMLS:C0004057", "A salicylate.", source="MSH")]


@each_row(
    ("old", "new", "message"),
    [
        ("|N|", "|", "15 columns instead of the 16 of MRREL"),
        ("C0004057", "D0004057", "'D0004057' is not a CUI"),
        ("C0018681", "X", "'X' is not a CUI"),
        ("N||\n", "N", "columns instead of the 16 of MRREL"),
    ],
)
def test_umls_without_a_file_or_a_column_or_an_id_is_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    packed = write_umls(tmp_path) / "MRREL.RRF.gz"
    file = packed.with_suffix("")  # which comes before the packed one
    file.write_text(gzip.decompress(packed.read_bytes()).decode().replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadDocument, match=message) as error:
        records(umls(tmp_path))
    assert "MRREL.RRF" in one_line(error)
    file.unlink()
    packed.unlink()
    with pytest.raises(BadDocument, match=r"there is no MRREL\.RRF") as error:
        umls(tmp_path)
    one_line(error)


def one_line(error: pytest.ExceptionInfo[BadDocument]) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


SAMPLES = Path(__file__).parent / "samples"
DRUGBANK = (SAMPLES / "drugbank.xml").read_text(encoding="utf-8")


def test_drugbank_gives_what_the_paper_adds_to_a_concept(tmp_path: Path) -> None:
    (tmp_path / "drugbank.xml").write_text(DRUGBANK, encoding="utf-8")
    bank = drugbank(tmp_path / "drugbank.xml")
    assert bank.joins
    found = records(bank)
    assert [record for record in found if not isinstance(record, forms.DefinitionRecord)] == [
        forms.ConceptRecord("DRUGBANK:DB00945", "Acetylsalicylic acid", ("drug", "small molecule")),
        forms.NameRecord("DRUGBANK:DB00945", "Aspirin"),
        forms.ConceptRecord("DRUGBANK:DB00001", "Lepirudin", ("drug", "biotech")),
    ]
    assert {record.label: record.text for record in found if isinstance(record, forms.DefinitionRecord)} == {
        "Description": "Also known as Aspirin, acetylsalicylic acid (ASA) is a drug.",
        "Indication": "For pain.",
        "Pharmacodynamics": "It disrupts prostaglandins.",
        "Interaction with Warfarin": "The risk of bleeding can be increased.",
    }


OBO = (SAMPLES / "disease.obo").read_text(encoding="utf-8")


def test_obo_terms_typedefs_and_what_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "doid.obo").write_text(OBO, encoding="utf-8")
    ontology = obo(tmp_path / "doid.obo")
    assert ontology.name == "doid releases/2030-02-03"
    assert records(ontology) == [
        forms.ConceptRecord("DOID:1", "disease", ("disease ontology",)),
        forms.DefinitionRecord("DOID:1", 'A "disposition" to suffer.'),
        forms.NameRecord("DOID:1", "illness", "exact"),
        forms.NameRecord("DOID:1", "malady", "related"),
        forms.NameRecord("DOID:1", "DIS", "abbreviation"),
        forms.NameRecord("DOID:1", "DOID:99", "xref"),
        forms.NameRecord("DOID:1", "UMLS_CUI:C0012634", "xref"),
        forms.ConceptRecord("DOID:2", "heart disease", ("other space",)),
        forms.RelationRecord("DOID:2", "is_a", "DOID:1"),
        forms.RelationRecord("DOID:2", "RO:0004026", "UBERON:0000948"),
        forms.RelationRecord("DOID:2", "part_of", "DOID:1"),
        forms.PredicateRecord("RO:0004026", "disease has location"),
        forms.NoteRecord("doid.obo: 1 terms without an id of the form PREFIX:NAME left out"),
    ]


def test_a_cycle_is_read_and_told(tmp_path: Path) -> None:
    text = OBO.replace("alt_id: DOID:99", "is_a: DOID:2 ! heart disease")
    (tmp_path / "doid.obo").write_text(text, encoding="utf-8")
    told = [record.text for record in records(obo(tmp_path / "doid.obo")) if isinstance(record, forms.NoteRecord)]
    assert told[1] == "doid.obo: a cycle of is_a was read as it stands: DOID:1 -> DOID:2 -> DOID:1"


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3, unique=True)))
def test_a_cycle_is_found_exactly_where_there_is_one(parents: dict[str, list[str]]) -> None:
    found = list(forms.cycles(parents))
    for cycle in found:
        assert cycle[0] == cycle[-1]
        assert all(parent in parents[child] for child, parent in pairwise(cycle))
    reached: dict[str, set[str]] = {node: set(parents.get(node, ())) for node in parents}
    for _ in range(6):
        reached = {node: above.union(*(reached.get(a, set()) for a in above)) for node, above in reached.items()}
    assert bool(found) is any(node in above for node, above in reached.items())


MESH = """\
D006333\tHeart Failure\tCardiac Failure|Failure, Heart\tC14.280.434\t
D006331\tHeart Diseases\t\tC14.280\t
D000001\tCalcimycin\tA-23187\tD03.633.100.221.173|D02.355\t12
D099999\tFemale\t\t\t
"""


def test_mesh_headings_are_narrower_than_those_above_in_the_tree(tmp_path: Path) -> None:
    (tmp_path / "d.tsv.gz").write_bytes(gzip.compress(MESH.encode()))
    assert records(mesh(tmp_path / "d.tsv.gz")) == [
        forms.ConceptRecord("MESH:D006333", "Heart Failure", ("disease",)),
        forms.NameRecord("MESH:D006333", "Cardiac Failure"),
        forms.NameRecord("MESH:D006333", "Failure, Heart"),
        forms.ConceptRecord("MESH:D006331", "Heart Diseases", ("disease",)),
        forms.ConceptRecord("MESH:D000001", "Calcimycin", ("chemical or drug",)),
        forms.NameRecord("MESH:D000001", "A-23187"),
        forms.ConceptRecord("MESH:D099999", "Female"),
        forms.RelationRecord("MESH:D006333", "broader", "MESH:D006331"),
    ]


NOT_MESH, NO_TERM = "the columns are not id, heading", r"no \[Term\] in use"


@each_row(
    ("reader", "name", "content", "message"),
    [
        *((drugbank, "d.xml", text, ".") for text in (DRUGBANK[: len(DRUGBANK) * 2 // 3], "", "no xml at all")),
        (drugbank, "d.xml", DRUGBANK.replace("www.drugbank.ca", "example.org"), "not in the namespace"),
        (drugbank, "d.xml", DRUGBANK.replace("drugbank ", "bank ").replace("</drugbank>", "</bank>"), "."),
        (obo, "x.obo", "", NO_TERM),
        (obo, "x.obo", "<xml/>\n", "not OBO format"),
        (obo, "x.obo", "format-version: 1.2\n\n[Typedef]\nid: x\n", NO_TERM),
        (obo, "x.obo", b"format-version: 1.2\n\n[Term]\nid: X:1\nname: \xff\n", "not UTF-8"),
        *((mesh, "d.tsv", text, NOT_MESH) for text in ("x\ty\n", "D000001\n", "D000001\t\tx\tC14\n", "D1 Heart\n")),
        (mesh, "d.tsv.gz", "D000001\tnot packed", "."),
        (mesh, "d.tsv", f"D000001\tHeart\t{'x' * 1_000_001}\tC14\n", "a line has more than 1,000,000 bytes"),
    ],
)
def test_a_file_of_another_form_is_one_line(
    tmp_path: Path, reader: Callable[[Path], forms.Vocabulary], name: str, content: str | bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(BadDocument, match=message) as error:
        records(reader(tmp_path / name))
    assert name in one_line(error)


def test_what_is_too_long_for_a_name_is_one_line(tmp_path: Path) -> None:
    text = f"ontology: x\n\n[Term]\nid: T:1\nname: {'heart ' * 1000}\n"
    (tmp_path / "x.obo").write_text(text, encoding="utf-8")
    with closing(Draft(tmp_path / "draft", [obo(tmp_path / "x.obo")])) as draft:
        refused(BadDocument, "5,999 characters, more than 5,000", draft.read)


def test_blanks_in_a_value_are_read_in_one_pass(tmp_path: Path) -> None:
    (tmp_path / "x.obo").write_text(f"ontology: x\n\n[Term]\nid: T:1\nname: a{{{' ' * 200_000}b\n", encoding="utf-8")
    assert forms.ConceptRecord("T:1", "a{ b") in records(obo(tmp_path / "x.obo"))
