"""Answers of services, saved as files: each record is a document of its own."""

import json
from pathlib import Path

from read_files import items_of, written
from rows import each_row

from medground.values.document import Document

PAPER = {"paperId": "a1", "externalIds": {"PubMed": "90060001"}, "title": "Wool and warts", "abstract": "Warts shrank."}
EUROPE_PMC = """<responseWrapper><hitCount>1</hitCount><resultList><result><id>90060001</id><source>MED</source>
<pmid>90060001</pmid><title>Wool and warts</title><authorString>Ek P.</authorString><journalInfo>
<yearOfPublication>2012</yearOfPublication></journalInfo><abstractText>Warts shrank.</abstractText></result>
</resultList></responseWrapper>"""
ESUMMARY_1 = """<eSummaryResult><DocSum><Id>90060001</Id><Item Name="PubDate" Type="Date">2012 Apr</Item>
<Item Name="AuthorList" Type="List"><Item Name="Author" Type="String">Ek P</Item></Item>
<Item Name="Title" Type="String">Wool and warts</Item><Item Name="ArticleIds" Type="List">
<Item Name="pubmed" Type="String">90060001</Item></Item></DocSum></eSummaryResult>"""
ESUMMARY_2 = """<eSummaryResult><DocumentSummarySet><DocumentSummary uid="90060001"><PubDate>2012 Apr</PubDate>
<Authors><Author><Name>Ek P</Name></Author></Authors><Title>Wool and warts</Title><ArticleIds><ArticleId>
<IdType>pubmed</IdType><Value>90060001</Value></ArticleId></ArticleIds></DocumentSummary></DocumentSummarySet>
</eSummaryResult>"""
UPRIGHT = """"TITLE","Wool and warts"
"AUTHOR NAMES","Ek P.","Dahl O."
"ABSTRACT","Warts shrank."
"MEDLINE PMID","90060001 (http://www.ncbi.nlm.nih.gov/pubmed/90060001)"
"""
"""As Embase exports it under that name."""
PUBTATOR = "90060001|t|Wool and warts\n90060001|a|Warts shrank.\n90060001\t9\t14\twarts\tDisease\tMESH:D014860\n\n"
CORD = {"paper_id": "a1", "pubmed_id": "90060001", "metadata": {"title": "Wool and warts", "authors": []}}
OPENALEX = "id,doi,display_name,publication_year,ids.pmid,abstract\nW1,,Wool and warts,2012,90060001,Warts shrank.\n"


@each_row(
    ("name", "content"),
    [
        ("citations.json", json.dumps({"offset": 0, "data": [{"contexts": [], "citingPaper": PAPER}]})),
        ("recommended.json", json.dumps({"recommendedPapers": [PAPER]})),
        ("search.xml", EUROPE_PMC),
        ("summaries.xml", ESUMMARY_1),
        ("summaries_2.xml", ESUMMARY_2),
        ("works.csv", OPENALEX),
        ("upright.csv", UPRIGHT),
        ("annotated.txt", PUBTATOR),
        ("annotated.pubtator", PUBTATOR),
        ("cord.json", json.dumps(CORD | {"abstract": [], "body_text": [{"text": "Warts shrank."}]})),
    ],
)
def test_an_answer_of_a_service_is_read_record_by_record(tmp_path: Path, name: str, content: str) -> None:
    (paper,) = [item for item in items_of(written(tmp_path / name, content)) if isinstance(item, Document)]
    assert (paper.title, paper.identifiers["pmid"]) == ("Wool and warts", "90060001")
    is_summary = name.startswith("summaries")
    assert paper.text.endswith("Wool and warts" if is_summary else "Warts shrank.")


REGISTERS = (
    "NCT Number,Study Title,Study Status,Outcome Measures\nNCT99000001,Wool for warts,COMPLETED,Warts at 4 weeks\n",
    "TrialID,Public_title,Recruitment_Status,Primary_outcome\nNCT99000001,Wool for warts,Recruiting,Warts at 4 weeks\n",
)


def test_a_table_of_a_register_of_trials_is_read_with_what_it_says(tmp_path: Path) -> None:
    for number, content in enumerate(REGISTERS):
        (trial,) = items_of(written(tmp_path / f"trials_{number}.csv", content))
        assert isinstance(trial, Document)
        assert (trial.id, trial.title) == ("NCT:NCT99000001", "Wool for warts")
        assert "Warts at 4 weeks" in trial.text


def test_the_adverse_events_of_a_trial_are_read_by_group(tmp_path: Path) -> None:
    counts = [{"groupId": "E0", "numAffected": 3, "numAtRisk": 61}]
    events = {"eventGroups": [{"id": "E0", "title": "Wool"}], "seriousEvents": [{"term": "Rash", "stats": counts}]}
    known = {"identificationModule": {"nctId": "NCT99000002", "briefTitle": "Wool for warts"}}
    content = json.dumps({"protocolSection": known, "resultsSection": {"adverseEventsModule": events}})
    (trial,) = (item for item in items_of(written(tmp_path / "trial.json", content)) if isinstance(item, Document))
    assert "Rash | Wool: 3 of 61" in trial.text


def test_summaries_of_pubmed_without_numbers_are_read_one_by_one(tmp_path: Path) -> None:
    first = "Ek P, Dahl O. Wool at sea: a trial. Inv J Skin. 2020 Feb;8(2):55. PMID: 90060002; PMCID: PMC9900602."
    second = "Dahl O. Felt at sea. Inv J Skin. 2021;9(1):2. PMID: 90060003."
    found = items_of(written(tmp_path / "summary.txt", f"{first}\n\n{second}\n"))
    papers = [item for item in found if isinstance(item, Document)]
    assert [paper.identifiers["pmid"] for paper in papers] == ["90060002", "90060003"]
    assert (papers[0].title, papers[0].year) == ("Wool at sea: a trial.", 2020)
