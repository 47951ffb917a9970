"""A text is checked over HTTP, as it is or as a file; the check comes back as a file; bad input is one clear line."""

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any

from docx import Document

TEXT = (
    "The trial said that “aspirin doubled the risk of stroke” (PMID: 1). Nobody cited <b>this</b> sentence of the text."
)


def in_base64(content: bytes) -> str:
    return b64encode(content).decode()


async def test_a_text_and_the_same_text_in_word_have_the_same_findings(calling: Callable[..., Any]) -> None:
    word = Document()
    word.add_paragraph(TEXT)
    held = BytesIO()
    word.save(held)
    async with calling() as client:
        found = (await client.post("/v1/check", json={"text": TEXT})).json()
        as_word = {"content": in_base64(held.getvalue()), "name": "a.docx", "corpora": ["papers"]}
        other = (await client.post("/v1/check", json=as_word)).json()
    first, second = found["findings"]
    assert found["texts"] == {"text.md": TEXT}
    assert TEXT[first["start"] : first["end"]] == first["sentence"]
    assert first["kind"] in ("altered_quote", "fabricated_quote")
    assert first["cited"] == ["PMID:1"]
    assert (second["kind"], second["cited"]) == ("not_checked", [])
    assert [{**one, "file": "text.md"} for one in other["findings"]] == found["findings"]


async def test_a_check_comes_back_as_a_file_whose_text_is_escaped(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        found = (await client.post("/v1/check", json={"text": TEXT})).json()
        page = await client.post("/v1/check/export?format=html", json=found)
        word = await client.post("/v1/check/export?format=docx", json=found)
        sarif = await client.post("/v1/check/export?format=sarif", json=found)
        assert (await client.post("/v1/check/export?format=exe", json=found)).status_code == 422
    assert page.headers["content-disposition"] == 'attachment; filename="medground-check.html"'
    assert "&lt;b&gt;this&lt;/b&gt;" in page.text
    assert len(list(Document(BytesIO(word.content)).comments)) == 2
    assert sarif.json()["version"] == "2.1.0"


async def test_what_cannot_be_checked_is_said_in_one_line(calling: Callable[..., Any]) -> None:
    asked: list[tuple[dict[str, Any], int, str]] = [
        ({"text": " "}, 422, "has no text"),
        ({"text": "word. " * 60_000}, 422, "at most 150,000 characters"),
        ({"text": "word. " * 400_000}, 413, "at most 1,000,000 bytes"),
        ({"content": in_base64(b"\x00\x01\xff\xfe"), "name": "a.bin"}, 422, "a.bin is not text in UTF-8"),
        ({"content": in_base64(b"word. " * 60_000), "name": "long.txt"}, 422, "long.txt has 360,000 characters"),
        ({"content": "%%%"}, 422, "has no text"),
        ({"text": TEXT, "corpora": ["nope"]}, 422, "nope"),
    ]
    async with calling() as client:
        for body, status, words in asked:
            refused = await client.post("/v1/check", json=body)
            assert (refused.status_code, words in refused.json()["detail"]) == (status, True), refused.text
            assert "\n" not in refused.json()["detail"]
