"""What search services export: Web of Science, Scopus, Embase, the Cochrane Library, Ovid, ProQuest, Wiley."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from read_files import items_of, written
from rows import each_row

from medground.corpus.readers.entry import described
from medground.corpus.readers.values import unmarked

DOI = "10.1016/s0140-6736(19)30001-2"
BOTH = {"pmid": "30001122", "doi": DOI}
PRINTED = {"volume": "393", "issue": "10175", "pages": "1021-1029"}


WOS = """\ufeffFN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Smith, JA
   Muller, K
AF Smith, John A.
   Mueller, Klaus
TI Early statin therapy after
   infarction
SO LANCET
LA English
DT Article
DE statins; mortality
ID THERAPY
AB Background Statins help. We took 1204
   patients.
PD MAR 14
PY 2019
VL 393
IS 10175
BP 1021
EP 1029
DI 10.1016/S0140-6736(19)30001-2
PM 30001122
UT WOS:000461234500028
ER

PT B
AU Jones, P
TI Aspirin
PY 2018
AR e12
ER

EF
"""


@each_row("end", ["\n", "\r\n"])
def test_web_of_science_as_plain_text(tmp_path: Path, end: str) -> None:
    first, second = items_of(written(tmp_path / "savedrecs.txt", WOS.replace("\n", end)), "wos")
    assert (first.id, first.title) == ("PMID:30001122", "Early statin therapy after infarction")
    assert first.text == "Background Statins help. We took 1204 patients."
    assert first.authors == ("Smith, John A.", "Mueller, Klaus")
    assert (first.year, first.dates, first.journal) == (2019, {"published": "2019-03-14"}, "LANCET")
    assert (first.identifiers, first.imprint, first.keywords[-1]) == (BOTH, PRINTED, "THERAPY")
    assert first.metadata["unique_id"] == ("WOS:000461234500028",)
    assert (second.text, second.kind, second.imprint) == ("Aspirin", "book", {"pages": "e12"})


def test_web_of_science_as_a_table_although_it_is_called_txt(tmp_path: Path) -> None:
    names = "PT|AU|BA|AF|TI|SO|LA|DT|DE|ID|AB|SN|PD|PY|VL|IS|BP|EP|DI|PM|UT"
    rows = [
        "J|Smith, JA|||Statins|LANCET|English|Article|a; b|THERAPY|Statins help.|1|MAR 14|2019|393|10175|1021|1029"
        f"|{DOI}|30001122|WOS:1",
        "J|Jones, P|||Aspirin|BMJ|English|Article||THERAPY|Aspirin too.|1||2018||||||| WOS:2",
    ]
    table = "\ufeff" + "\r\n".join("\t".join(row) for row in (one.split("|") for one in (names, *rows)))
    first, second = items_of(written(tmp_path / "savedrecs.txt", table), "csv")
    assert (first.id, first.journal, first.imprint) == ("PMID:30001122", "LANCET", PRINTED)
    assert second.id.startswith("REF:"), "a keyword of theirs is called ID"
    assert second.metadata["keywords_plus"] == ("THERAPY",)


EMBASE = """Embase
----------------------------------------
TY  - JOUR
M3  - Article
Y1  - 2019
VL  - 393
IS  - 10175
SP  - 1021
EP  - 1029
JF  - The Lancet
A1  - Smith J.A.
T1  - Statins
N2  - Statins help.
DO  - 10.1016/S0140-6736(19)30001-2
U2  - L2001234
C5  - 30001122
DB  - Embase
DB  - Medline
ER  -
"""
SCOPUS = """TY  - JOUR
TI  - Statins &amp; mortality in <i>vivo</i>
AU  - Smith, J.A.
PY  - 2019
T2  - The Lancet
DO  - 10.1016/S0140-6736(19)30001-2
UR  - https://www.scopus.com/inward/record.uri?eid=2-s2.0-85062&doi=10.1016%2fS0140
AB  - 10<sup>6</sup> cells in CO<sub>2</sub>, P &lt; 0.05.
C2  - 30001122
DB  - Scopus
ER  -
"""
WILEY = """Provider: Wiley Online Library
Content: text/plain; charset="UTF-8"

TY  - JOUR
AN  - CN-01912345
TI  - Statins
AU  - Smith, JA
SO  - Lancet (London, England)
YR  - 2019
KY  - *statin; adult
PM  - PUBMED 30001122
AB  - Statins help.
DO  - 10.1016/S0140-6736(19)30001-2
ER  -
"""
PROQUEST = """TY  - JOUR
T1  - Statins
AN  - 2190000000; 30001122
AU  - Smith, John
PY  - 2019
JF  - Lancet
AB  - Statins help.
DO  - https://doi.org/10.1016/S0140-6736(19)30001-2
DB  - MEDLINE\u00ae
ER  -
"""


@each_row("content", [EMBASE, SCOPUS, WILEY, PROQUEST])
def test_ris_of_search_services(tmp_path: Path, content: str) -> None:
    (document,) = items_of(written(tmp_path / "export.ris", content), "ris")
    assert (document.id, document.identifiers, document.year) == ("PMID:30001122", BOTH, 2019)
    assert "Lancet" in str(document.journal)
    if content is SCOPUS:
        assert document.title == "Statins & mortality in vivo"
        assert document.text == "10^6 cells in CO2, P < 0.05."
    if content is WILEY:
        assert document.keywords == ("statin", "adult")
    if content is EMBASE:
        assert document.imprint == PRINTED


COCHRANE = """Record #1 of 2
ID: CN-01912345
AU: Smith JA
AU: Muller K
TI: Statins
SO: Lancet (London, England)
YR: 2019
VL: 393
NO: 10175
PG: 1021-1029
PM: PUBMED 30001122
PT: Journal article; Randomized controlled trial
KY: *Statins; Humans
DOI: 10.1016/S0140-6736(19)30001-2
AB: BACKGROUND: Statins help.
US: https://www.cochranelibrary.com/central/doi/10.1002/central/CN-01912345/full


Record #2 of 2
ID: CN-01912346
TI: Aspirin
YR: 2018
"""
OVID = """VN  - Ovid Technologies
DB  - Ovid MEDLINE(R)
UI  - 30001122
AU  - Smith JA
    Muller K
TI  - Statins
SO  - Lancet. 393(10175):1021-1029, 2019 Mar 14.
VI  - 393
IP  - 10175
PG  - 1021-1029
MH  - *Statins
    Humans
AB  - BACKGROUND: Statins
    help.
DO  - https://dx.doi.org/10.1016/S0140-6736(19)30001-2
YR  - 2019
"""


def test_the_cochrane_library_and_ovid_as_text(tmp_path: Path) -> None:
    trial, other = items_of(written(tmp_path / "citation-export.txt", COCHRANE), "cochrane")
    assert (other.title, other.year) == ("Aspirin", 2018)
    (record,) = items_of(written(tmp_path / "ovid.txt", OVID), "ovid")
    for document in (trial, record):
        assert (document.id, document.identifiers, document.imprint) == ("PMID:30001122", BOTH, PRINTED)
        assert (document.text, document.year) == ("BACKGROUND: Statins help.", 2019)
        assert document.authors == ("Smith JA", "Muller K")
        assert document.keywords == ("Statins", "Humans")
        assert str(document.journal).startswith("Lancet")
    assert trial.publication_types == ("Journal article", "Randomized controlled trial")


def test_signs_that_bibtex_exporters_write_as_they_are_stay_what_they_are(tmp_path: Path) -> None:
    entry = r"""Automatically generated by Mendeley Desktop 1.19.8

@article{a, title={Costs of $500 versus $300 in 50% of patients: A & B #1},
abstract={We saw 50% improve (P {\textless} 0.05). {\%} more, $\alpha$ = 5 in NO$_2$ and 10$^{6}$.},
author={{National Heart and Lung Institute} and de la Cruz, Maria and Ludwig van Beethoven},
year=2020, volume={3}, pages={1--2}}"""
    (document,) = items_of(written(tmp_path / "library.bib", entry), "bibtex")
    assert document.title == "Costs of $500 versus $300 in 50% of patients: A & B #1"
    assert document.text == "We saw 50% improve (P < 0.05). % more, \u03b1 = 5 in NO2 and 10^6."
    assert document.authors == ("National Heart and Lung Institute", "de la Cruz, Maria", "van Beethoven, Ludwig")
    assert document.imprint == {"volume": "3", "pages": "1\u20132"}


def test_zotero_keeps_a_pmid_in_extra_in_its_table_and_in_its_json(tmp_path: Path) -> None:
    header = '"Key","Item Type","Publication Year","Author","Title","Publication Title","Abstract Note","Extra"'
    row = '"AB12","journalArticle","2019","Smith, John A.","Statins","The Lancet","Statins help.","PMID: 30001122"'
    (from_table,) = items_of(written(tmp_path / "zotero.csv", f"{header}\n{row}\n"), "csv")
    content = (
        '{"config": {"id": "36"}, "items": [{"key": "AB12", "itemType": "journalArticle", "title": "Statins", '
        '"abstractNote": "Statins help.", "date": "2019-03-14", "publicationTitle": "The Lancet", '
        '"extra": "PMID: 30001122", "creators": [{"firstName": "John A.", "lastName": "Smith"}], '
        '"tags": [{"tag": "statins"}]}]}'
    )
    (from_json,) = items_of(written(tmp_path / "better.json", content), "csl-json")
    for document in (from_table, from_json):
        assert (document.id, document.text, document.year) == ("PMID:30001122", "Statins help.", 2019)
        assert (document.authors, document.journal) == (("Smith, John A.",), "The Lancet")
    assert from_json.keywords == ("statins",)


@given(st.text(max_size=80))
def test_markup_is_all_that_goes(text: str) -> None:
    plain = text.replace("<", "").replace("&", "")
    assert unmarked(plain) == plain
    assert unmarked(f"<p>{plain}</p>").split() == plain.split()


def test_a_text_that_compares_is_not_markup() -> None:
    assert unmarked("a < b and b > c") == "a < b and b > c"
    fields = {"title": "T", "abstract": "p<0.05 & x>1", "id": "a"}
    assert described(fields).text == "p<0.05 & x>1"
