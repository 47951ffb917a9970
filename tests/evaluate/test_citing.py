"""Sets of citing sentences in their published forms, and the figures of a check of them."""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from command_line import run
from refusals import refused
from runs import write_lines

from medground.errors import UsageError
from medground.values import Finding
from medground_evaluate.citing import measured
from medground_evaluate.datasets.registry import open_dataset, recognised
from medground_evaluate.items import Item

ZINC = "Zinc shortened the colds of adults by two days in this trial of lozenges."
CLAIMS = [
    {
        "id": 1,
        "claim": "Colds are shorter with zinc (<|multi_cit|>), unlike fevers [<|other_cit|>].",
        "evidence": {"7001": [{"sentences": [0], "label": "ACCURATE"}]},
        "cited_doc_ids": [7000, 7001],
    },
    {
        "id": 2,
        "claim": "Garlic cures gout in older men with asthma <|cit|>",
        "evidence": {},
        "cited_doc_ids": [7000, 7001],
    },
    {
        "id": 3,
        "claim": "Zinc lengthened colds <|cit|>",
        "evidence": {"7001": [{"sentences": [0], "label": "CONTRADICT"}]},
        "cited_doc_ids": [7000, 7001],
    },
]
PARAGRAPHS = [
    {"doc_id": 7000, "title": "Zinc", "abstract": ["We gave zinc.", "Or not."]},
    {"doc_id": 7001, "title": "Zinc", "abstract": [ZINC]},
]


def read(name: str, path: Path) -> list[Item]:
    dataset = open_dataset(name)
    return list(dataset.read(dataset.find(path), "all"))


def test_citation_integrity_as_paragraphs_and_as_papers(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "claims-dev.jsonl", CLAIMS)
    refused(UsageError, "has neither corpus.jsonl nor references.jsonl", read, "citation-integrity", path)
    write_lines(tmp_path / "corpus.jsonl", PARAGRAPHS)
    one, two, three = read("citation-integrity", tmp_path)
    assert [item.gold for item in (one, two, three)] == [("yes",), ("maybe",), ("no",)]
    assert one.question.text == "Colds are shorter with zinc ([1]), unlike fevers [2]."
    assert one.context[0].text.split("\n\n") == ["We gave zinc. Or not.", ZINC] and one.group == two.group
    assert [dataset.info.name for dataset in recognised(path)] == ["citation-integrity"]

    row = {"id": "a", "ref": "PMC1", "sentence": "Colds are shorter [*].", "label": "NONE", "kind": "silent"}
    (tmp_path / "whole").mkdir()
    whole = write_lines(tmp_path / "whole" / "claims.jsonl", [row])
    write_lines(tmp_path / "whole" / "references.jsonl", [{"id": "PMC1", "title": "Zinc", "text": ZINC}])
    (item,) = read("citation-integrity", whole)
    assert (item.question.text, item.gold, item.documents) == ("Colds are shorter [1].", ("maybe",), ("PMC:PMC1",))


HEAD = [
    "Citing Article ID",
    "Statement with Citation",
    "Label",
    "Reference Article Title",
    "Reference Article Abstract",
]
ROWS = [
    ["c1", "Colds are shorter [citation 4].", "Fully substantiated", "Zinc", ZINC],
    ["c2", "Gout [citation].", "Unsubstantiated", "Zinc", ""],
]


def sheet(path: Path, rows: list[list[str]]) -> Path:
    """An Excel file as small as it may be: texts are kept once, empty cells are left out."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    links = "".join(
        f'<Relationship Id="{kind}" Type="{office}/{kind}" Target="{part}.xml"/>'
        for kind, part in (("worksheet", "worksheets/sheet1"), ("sharedStrings", "sharedStrings"))
    )
    texts = list(dict.fromkeys(cell for row in rows for cell in row if cell))
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    lines = ""
    for n, row in enumerate(rows, start=1):
        cells = [f'<c r="{"ABCDE"[at]}{n}" t="s"><v>{texts.index(cell)}</v></c>' for at, cell in enumerate(row) if cell]
        lines += f'<row r="{n}">{"".join(cells)}</row>'
    with ZipFile(path, "w") as file:
        sheets = f'<sheets><sheet name="Data" xmlns:r="{office}" r:id="worksheet"/></sheets>'
        file.writestr("xl/workbook.xml", f"<workbook {space}>{sheets}</workbook>")
        file.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        file.writestr("xl/sharedStrings.xml", f"<sst {space}>{shared}</sst>")
        file.writestr("xl/worksheets/sheet1.xml", f"<worksheet {space}><sheetData>{lines}</sheetData></worksheet>")
    return path


def test_reference_errors_as_a_sheet_and_as_a_table(tmp_path: Path) -> None:
    path = sheet(tmp_path / "ReferenceErrorDetection_data.xlsx", [HEAD, *ROWS])
    one, two = read("reference-errors", tmp_path)
    assert (one.question.text, one.gold, one.context[0].text) == ("Colds are shorter [1].", ("yes",), ZINC)
    assert (two.gold, two.context[0].text) == (("maybe",), "Zinc")
    table = tmp_path / "table.csv"
    table.write_text("\n".join(",".join(row) for row in [HEAD, *ROWS]) + "\n", encoding="utf-8")
    assert read("reference-errors", table) == [one, two]
    refused(
        UsageError,
        "the label is 'Maybe'",
        read,
        "reference-errors",
        sheet(path, [HEAD, ["c", "It is.", "Maybe", "Z", "Z"]]),
    )
    path.write_text("no sheet", encoding="utf-8")
    refused(UsageError, "is no Excel file", read, "reference-errors", path)


def test_the_figures_of_a_check() -> None:
    said = [
        ("yes", "supported", 0.9),
        ("yes", "not_checked", 0.4),
        ("maybe", "silent", 0.5),
        ("no", "contradicted", None),
        ("maybe", "contradicted", 0.6),
    ]
    items = [
        Item.model_validate({"id": str(n), "question": {"text": "It is.", "task": "yes-no-maybe"}, "gold": (gold,)})
        for n, (gold, _, _) in enumerate(said)
    ]
    found = [Finding(file="", sentence="It is.", start=0, end=6, kind=kind, likelihood=p) for _, kind, p in said]
    figures = measured(items, found)
    assert figures.area == pytest.approx(5 / 6)
    assert (figures.right.right, figures.right.of, figures.found.of, figures.alarms.right) == (1, 2, 1, 0)
    assert figures.kinds["maybe"] == {"silent": 1, "contradicted": 1}


def test_a_set_is_checked_from_the_command_line(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(tmp_path / "claims-dev.jsonl", CLAIMS)
    write_lines(tmp_path / "corpus.jsonl", PARAGRAPHS)
    assert run("eval", "cited", "citation-integrity", "--data", str(tmp_path), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["kinds"]) == {"yes", "maybe", "no"} and told["kinds"]["maybe"] == {"silent": 1}
