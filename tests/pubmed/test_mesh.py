"""The MeSH vocabulary: names, the tree, nearest headings, qualifiers, the table and the command."""

import functools
import gzip
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import typer
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rows import each_row
from typer.testing import CliRunner

from medground.errors import SnapshotCorrupt, UsageError
from medground.faces.cli.installation import mesh as mesh_command
from medground.pubmed.characters import fold, fold_lines
from medground.pubmed.mesh import Vocabulary, mesh_values, publication_types, vocabulary
from medground.pubmed.mesh_table import Table, read_table
from medground.pubmed.tags import find_folded_qualifier, find_qualifier, narrower, qualifiers
from medground.values.query import Mesh, PublicationType

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_mesh.py"
SMALL_IDS = tuple(f"D00000{number}" for number in range(1, 6))
SMALL = Vocabulary(
    Table(
        ids=SMALL_IDS,
        names=("Diseases", "Eye Diseases", "Lens Diseases", "Ectopia Lentis", "Genetic Diseases"),
        entry_terms=("", "Diseases of the Eye", "", "Lens, Dislocated|Dislocated Lens", ""),
        trees=("C01", "C01.100", "C01.100.500", "C01.100.500.300|C01.200.300", "C01.200"),
    )
)


@each_row(
    ("name", "heading"),
    [
        *((name, "Marfan Syndrome") for name in ("MARFAN'S SYNDROME", "marfan’s-syndrome", "D008382")),
        ("Pipe Smoking", "Pipe Smoking"),  # and not the heading that has it as an entry term
        ("tumour", "Neoplasms"),
        ("TNF-α", "Tumor Necrosis Factor-alpha"),
        ("breast cancer", "Breast Neoplasms"),
        # what MeSH itself lacks and PubMed's translation table adds, or HPO's synonyms do
        ("gene therapy", "Genetic Therapy"),
        ("beta-blockers", "Adrenergic beta-Antagonists"),
        ("miscarriages", "Abortion, Spontaneous"),
        ("ARDS", "Respiratory Distress Syndrome"),
        ("blood in urine", "Hematuria"),
    ],
)
def test_common_names_are_known(name: str, heading: str) -> None:
    assert vocabulary().heading(name).name == heading


def test_the_error_for_an_unknown_heading_suggests_the_closest() -> None:
    with pytest.raises(UsageError, match="no heading 'marfan sindrome'; did you mean Marfan Syndrome"):
        vocabulary().heading("marfan sindrome")
    assert vocabulary().find("") is None
    assert vocabulary().find("D999999999") is None


def test_the_tree_of_a_small_vocabulary() -> None:
    top, eye, lens, ectopia, genetic = (SMALL.heading(id_) for id_ in SMALL_IDS)
    assert SMALL.explode(top) == (top, eye, lens, ectopia, genetic)
    assert SMALL.explode(lens) == (lens, ectopia)
    assert SMALL.children(top) == (eye, genetic)
    assert SMALL.parents(ectopia) == (lens, genetic)
    assert SMALL.ancestors(ectopia) == (lens, eye, top, genetic)
    assert SMALL.path("C01.100.500.300") == (top, eye, lens, ectopia)
    assert SMALL.find("dislocated lens") == ectopia


@given(st.integers(0, 30_763))
@settings(max_examples=60, deadline=None)
def test_the_tree_is_consistent(number: int) -> None:
    mesh = vocabulary()
    heading = read_table_once().heading(number)
    assert mesh.find(heading.name) is not None
    below = mesh.explode(heading)
    assert below[0] == heading
    assert len(set(below)) == len(below)
    assert set(mesh.children(heading)) <= set(below)
    assert all(heading in mesh.ancestors(child) for child in mesh.children(heading))
    assert set(mesh.parents(heading)) <= set(mesh.ancestors(heading))


read_table_once = functools.cache(read_table)


@each_row(
    ("text", "heading"),
    [
        ("marfan sindrome", "Marfan Syndrome"),
        ("hart failure", "Heart Failure"),
        ("heart attac", "Myocardial Infarction"),
        ("type II diabetes mellitis", "Diabetes Mellitus, Type 2"),
    ],
)
def test_the_nearest_heading(text: str, heading: str) -> None:
    best = vocabulary().nearest(text)[0]
    assert best.heading.name == heading
    assert 0.85 <= best.score <= 1


@given(st.text(max_size=30))
@example("")
@settings(deadline=None, max_examples=50)
def test_nearest_accepts_any_text(text: str) -> None:
    scores = [near.score for near in vocabulary().nearest(text, limit=3)]
    assert len(scores) <= 3 * bool(text)
    assert scores == sorted(scores, reverse=True)


@given(st.text(alphabet=st.characters(max_codepoint=127, exclude_characters="|\n\r"), max_size=30))
def test_fold_and_fold_lines_agree(name: str) -> None:
    assert fold_lines(f"x|{name}|y").split("|") == ["x", fold(name), "y"]
    assert fold(fold(name)) == fold(name)


def test_all_qualifiers() -> None:
    assert len(qualifiers()) == 76
    assert len({q.abbreviation for q in qualifiers()}) == 76
    assert find_qualifier("DT") == find_qualifier("Drug Therapy")
    assert find_qualifier("administration and dosage") == find_qualifier("administration & dosage")
    assert find_folded_qualifier("dt") is None
    assert set(narrower("adverse effects")) == {"adverse effects", "poisoning", "toxicity"}
    assert set(narrower("therapeutic use")) >= {"administration & dosage", "adverse effects", "poisoning"}


def test_queries_expand_to_indexed_values() -> None:
    assert mesh_values(Mesh(heading="Lens Diseases"), SMALL) == ("Lens Diseases", "Ectopia Lentis")
    assert mesh_values(Mesh(heading="Lens Diseases", explode=False), SMALL) == ("Lens Diseases",)
    attached = mesh_values(Mesh(heading="Lens Diseases", qualifiers=("surgery",)), SMALL)
    assert set(attached) == {
        f"{heading}/{q}" for heading in ("Lens Diseases", "Ectopia Lentis") for q in ("surgery", "transplantation")
    }
    assert mesh_values(Mesh(qualifiers=("toxicity",)), SMALL) == ("/toxicity",)
    assert mesh_values(Mesh(heading="unheard of"), SMALL) == ("unheard of",)
    assert "Randomized Controlled Trial" in publication_types(PublicationType(name="clinical trial"))
    assert publication_types(PublicationType(name="clinical trial", explode=False)) == ("clinical trial",)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_mesh", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet [<!ENTITY bomb "boom"><!ENTITY file SYSTEM "file:///etc/hostname">]>
<DescriptorRecordSet>
 <DescriptorRecord><DescriptorUI>D000002</DescriptorUI><DescriptorName><String>Ménière Disease</String></DescriptorName>
  <TreeNumberList><TreeNumber>C09.1</TreeNumber><TreeNumber>C10.2</TreeNumber></TreeNumberList>
  <ConceptList><Concept><ScopeNote>Prose &bomb; &file;</ScopeNote>
   <TermList><Term><String>Ménière Disease</String></Term><Term><String>Auditory Vertigo</String></Term></TermList>
  </Concept></ConceptList></DescriptorRecord>
 <DescriptorRecord><DescriptorUI>D000001</DescriptorUI><DescriptorName><String>Toe Neoplasms</String></DescriptorName>
 </DescriptorRecord>
</DescriptorRecordSet>"""


def test_the_table_is_built_from_nlms_descriptor_file(tmp_path: Path, script: ModuleType) -> None:
    source = tmp_path / "desc2026.xml.gz"
    source.write_bytes(gzip.compress(XML.encode()))
    script.main(source, tmp_path / "mesh.tsv.gz")
    table = read_table(tmp_path / "mesh.tsv.gz")
    assert table.ids == ("D000001", "D000002")
    assert "Toe Cancer" in table.heading(0).entry_terms
    assert table.heading(1).entry_terms == ("Auditory Vertigo", "Meniere Disease")
    assert table.heading(1).trees == ("C09.1", "C10.2")
    assert "boom" not in "".join((*table.names, *table.entry_terms))
    assert Vocabulary(table).heading("meniere disease").id == "D000002"


def test_the_packaged_table_matches_the_descriptors(tmp_path: Path, script: ModuleType, shared: Path) -> None:
    script.main(shared / "mesh" / "descriptors.tsv.gz", tmp_path / "mesh.tsv.gz")
    assert read_table(tmp_path / "mesh.tsv.gz") == read_table_once()
    assert len(vocabulary()) == 30_764


@each_row(
    "data",
    [b"no gzip", gzip.compress(b"D1\tOne column less\tx", mtime=0), gzip.compress(b"\xff", mtime=0), b"\x1f\x8b\x08"],
)
def test_a_damaged_table_is_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "mesh.tsv.gz"
    path.write_bytes(data)
    with pytest.raises(SnapshotCorrupt, match="MeSH table") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


@each_row(
    ("asked", "code", "said"),
    [
        ("heart attack", 0, ["Infarction  D009203\nalso: ", "  Heart Diseases\n", "Infarction  [C14.280.647.500]"]),
        ("marfan sindrome", 1, ["no heading or entry term 'marfan sindrome'", "Marfan Syndrome"]),
    ],
)
def test_the_command_shows_a_heading_with_its_tree_or_the_closest(asked: str, code: int, said: list[str]) -> None:
    app = typer.Typer()
    app.command()(mesh_command)
    result = CliRunner().invoke(app, [asked])
    assert result.exit_code == code
    assert all(text in result.output for text in said)
