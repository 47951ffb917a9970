"""A check of a text in each form: blocks, HTML, Word with comments, SARIF. Untrusted text stays text in all of them."""

import json
import re
from io import BytesIO

import pytest
from docx import Document

from medground.values.finding import Finding, FindingEvidence, JoinedReference, TextCheck
from medground.wording.checked_text import as_docx, as_html
from medground.wording.findings import blocks, slices
from medground.wording.sarif import as_sarif
from medground.wording.text import blocks_as_text

TEXT = (
    "# Aspirin\n\nAspirin halved\nstrokes in 40 adults [1]. It is <script>alert(1)</script> safe [2].\n\nNothing cited."
)
HALVED, SAFE, LAST = (
    "Aspirin halved\nstrokes in 40 adults [1].",
    "It is <script>alert(1)</script> safe [2].",
    "Nothing cited.",
)
FILE = 'a "draft" <b>.md'


def finding(sentence: str, kind: str, **more: object) -> Finding:
    start = TEXT.index(sentence)
    return Finding.model_validate(
        {"file": FILE, "sentence": sentence, "start": start, "end": start + len(sentence), "kind": kind, **more}
    )


WRONG = finding(
    HALVED,
    "number",
    cited=("PMID:1",),
    evidence=FindingEvidence(ref="PMID:1", quote="Strokes were halved in 400 <i>adults</i>."),
    reason="the cited text says 400 adults, not 40",
)
CHECK = TextCheck(
    findings=(WRONG, finding(SAFE, "supported", cited=("PMID:2",)), finding(LAST, "not_checked", reason="no citation")),
    references=(
        JoinedReference(file=FILE, mark="[1]", entry="Smith 2019", ref="PMID:1"),
        JoinedReference(file=FILE, mark="[3]", entry="Doe & <Roe> 2020", reason="not stored"),
    ),
    remarks=("A mark after several sentences counts for the last one.",),
    texts={FILE: TEXT},
)


def test_a_terminal_shows_place_kind_papers_quote_and_reason_of_each_sentence() -> None:
    shown = blocks_as_text(blocks(CHECK, accepted=(WRONG,)))
    assert shown.splitlines()[:5] == [
        f"{FILE}:3:1: Wrong number (accepted)",
        "    Aspirin halved strokes in 40 adults [1].",
        "    Cited: PMID:1",
        "    “Strokes were halved in 400 <i>adults</i>.” (PMID:1)",
        "    the cited text says 400 adults, not 40",
    ]
    assert f"{FILE}:4:27: Supported" in shown
    assert "[3] Doe & <Roe> 2020: not stored" in shown
    assert "Smith 2019" not in shown
    assert shown.splitlines()[-1] == (
        "3 sentences: 1 supported, 1 wrong number, 1 not checked; 1 accepted by the baseline"
    )


def test_slices_of_a_text_join_to_the_text_whatever_the_findings_are() -> None:
    odd = [CHECK.findings[2], WRONG, WRONG.model_copy(update={"start": 15, "end": 10_000})]
    cut = list(slices(TEXT, CHECK.model_copy(update={"findings": tuple(odd)}), FILE))
    assert "".join(piece for piece, _ in cut) == TEXT
    assert (HALVED, 1) in cut


def test_html_names_each_sentence_and_escapes_all_that_others_wrote() -> None:
    page = as_html(CHECK)
    assert "<script" not in page
    assert "<i>adults" not in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    marked = re.findall(r'<a class="(\w+)" id="s(\d)" href="#f\2">(.*?)</a> <span[^>]*>(.*?)</span>', page, re.S)
    assert [(look, number, name) for look, number, _, name in marked] == [
        ("bad", "1", "1 Wrong number"),
        ("good", "2", "2 Supported"),
        ("caution", "3", "3 Not checked"),
    ]
    assert "&lt;script&gt;alert(1)&lt;/script&gt; safe" in marked[1][2]
    assert re.search(r'<a class="dim" href="#s1">.*:3:1</a>', page)


def test_word_has_a_comment_on_each_sentence() -> None:
    word = Document(BytesIO(as_docx(CHECK)))
    told = [comment.text.splitlines() for comment in word.comments]
    assert told[0] == [
        "Wrong number",
        "Cited: PMID:1",
        "“Strokes were halved in 400 <i>adults</i>.” (PMID:1)",
        "the cited text says 400 adults, not 40",
    ]
    assert [lines[0] for lines in told] == ["Wrong number", "Supported", "Not checked"]
    texts = [paragraph.text for paragraph in word.paragraphs]
    assert "Aspirin halved strokes in 40 adults [1]. It is <script>alert(1)</script> safe [2]." in texts


def test_comments_go_into_a_copy_of_the_word_document_that_was_checked() -> None:
    word = Document()
    paragraph = word.add_paragraph("First. It is ")
    paragraph.add_run("<script>alert(1)</script>").bold = True
    paragraph.add_run(" safe [2]. And more.")
    word.add_paragraph("Nothing cited.")
    held = BytesIO()
    word.save(held)
    copy = Document(BytesIO(as_docx(CHECK, held.getvalue())))
    assert copy.paragraphs[0].text == paragraph.text
    assert [run.text for run in copy.paragraphs[0].runs if run.bold] == ["<script>alert(1)</script>"]
    xml = copy.element.xml
    inside = re.search(r"<w:commentRangeStart.*?<w:commentRangeEnd", xml, re.S)
    assert inside is not None
    assert "".join(re.findall("<w:t[^>]*>([^<]*)", inside[0])) == SAFE.replace("<", "&lt;").replace(">", "&gt;")
    assert len(list(copy.comments)) == 3
    assert "Findings whose sentence is not in one paragraph" in [one.text for one in copy.paragraphs]


def test_sarif_has_what_its_schema_requires() -> None:
    held = json.loads(as_sarif(CHECK, accepted=(WRONG,)))
    assert held["version"] == "2.1.0"
    (run,) = held["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Medground"
    rules = {rule["id"] for rule in driver["rules"]}
    assert {result["ruleId"] for result in run["results"]} == {"number", "not_checked"} <= rules
    first = run["results"][0]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20%22draft%22%20%3Cb%3E.md"
    assert place["region"] == {
        "startLine": 3, "startColumn": 1, "endLine": 4, "endColumn": 26, "charOffset": 11, "charLength": len(HALVED),
    }  # fmt: skip
    assert first["level"] == "error"
    assert first["suppressions"] == [{"kind": "external"}]
    assert first["message"]["text"].startswith("Wrong number. Aspirin halved strokes")
    assert run["results"][1]["level"] == "note"
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(held, SARIF)


SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {"driver": {"type": "object", "required": ["name"]}},
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "properties": {
                                "message": {"anyOf": [{"required": ["text"]}, {"required": ["id"]}]},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "suppressions": {"items": {"required": ["kind"]}},
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The parts of the schema of SARIF 2.1.0 that a file must have, for what is written here."""
