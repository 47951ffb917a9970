"""HTML, PDF, Word and Markdown hold the same sentences, numbers and tables, whatever the documents say."""

import io
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import pypdfium2
import pytest
from lxml import etree, html
from markdown_it import MarkdownIt
from researched import BLOG, HORMONES, PLAN, PREPRINT, PROTEIN, QUESTION, SEXES, SLEEP, reported, tool
from rows import each_row

from medground.answering.run import Run
from medground.errors import UsageError
from medground.home.kept_files import Attachments
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.report import Attachment, SubFound
from medground.wording.export import STYLE, bibliography, export
from medground.wording.layout import layout

MakeRun = Callable[..., Run]
PIXELS = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="red"/></svg>'
)
PICTURE = Attachment(
    name="model.svg", media_type="image/svg+xml", sha256="0" * 64, size=len(PIXELS), title="Model of Cyp17a1",
    licence="CC BY 4.0",
)  # fmt: skip
ODD = (
    "<script>alert(1)</script> <img src=x onerror=y>",
    "# [x](javascript:alert(1)) ![i](http://e.org/i.png) | a | b |",
    '#eval("1") $sum_(i=0)^n$ *b* _i_ @ref <label> `raw`',
    "\u202eevil\u202c \x07bell\x00 \u200bzero",
    "Pneumono" * 40,
    "α-tocopherol ≥ 5 µg/mL ± 0.3 × 10² naïve façade",
    "\\section{x} \\textbf{y} 100 % ~ ^ & {}",
    "=IMPORT(1) 1. one\n2. two - three",
)


@pytest.fixture
def drawn(generated: Callable[[int], Answer]) -> Answer:
    """A report with a picture among its files."""
    return next(a for a in map(generated, range(20)) if a.report and a.report.attachments and a.statements)


@pytest.fixture
def generated(make_run: MakeRun) -> Callable[[int], Answer]:
    """A report from documents drawn at random, with odd titles and sentences."""

    def make(seed: int) -> Answer:
        draw = random.Random(seed)
        documents: list[Document] = []
        for number, one in enumerate((HORMONES, SEXES, PREPRINT, BLOG, PROTEIN, SLEEP)):
            odd = draw.choice(ODD)
            by = f"{draw.randint(2, 98)}.{number} %"
            text = f"{one.text} The zebrafish cyp17a1 knockout lowered hormones by {by}: {odd}."
            documents.append(one.model_copy(update={"title": f"{one.title} {odd}", "text": text}))
        literature, web, protein = documents[:3] + documents[5:], documents[3:4], documents[4:5]
        found = []
        for sub in PLAN.subquestions:
            some = draw.sample(literature, draw.randint(0, len(literature)))
            tools = [tool(sub.id, "literature", some)]
            if draw.random() < 0.5:
                tools.append(tool(sub.id, "web", web, failures=(f"Brave: {draw.choice(ODD)}",)))
            if draw.random() < 0.5:
                tools.append(tool(sub.id, "protein", protein, attachments=(PICTURE,)))
            found.append(SubFound(sub, tuple(tools)))
        answer, _ = reported(make_run, found, known=documents)
        return answer

    return make


def _files(attachment: Attachment) -> bytes:
    return PIXELS


def _texts(answer: Answer) -> Iterator[tuple[str, str]]:
    """The text of each export, as a reader of its format sees it."""
    page = html.fromstring(export(answer, "html", files=_files))
    yield "html", page.find("body").text_content()
    rendered = MarkdownIt().enable("table").render(export(answer, "markdown", files=_files).decode())
    yield "markdown", html.fromstring(rendered).text_content()
    word = docx.Document(io.BytesIO(export(answer, "docx", files=_files)))
    yield "docx", "\n".join(text.text or "\n" for text in word.element.body.iter(docx.oxml.ns.qn("w:t")))
    printed = pypdfium2.PdfDocument(export(answer, "pdf", files=_files))
    pages = [page.get_textpage().get_text_bounded() for page in printed]
    yield "pdf", "\n".join(re.sub(rf"\s+{number}\s*$", "", text) for number, text in enumerate(pages, start=1))
    printed.close()


def _plain(text: str) -> str:
    return re.sub(r"[\s\u200b\ufffe\x02]", "", text)


def _lines(answer: Answer) -> list[str]:
    """Every line and cell of the page, without white space and without the brackets of citation marks."""
    blocks = layout(answer, bibliography=bibliography(answer, STYLE), files=_files)
    lines = [line for block in blocks for line in (*block.lines, *(cell for row in block.rows for cell in row))]
    return [line for line in (_unmarked(_plain("".join(span.text for span in line))) for line in lines) if line]


def _unmarked(text: str) -> str:
    return re.sub(r"\[(E\d+)\]", r"\1", text)  # Markdown has links without brackets


def _rest(text: str, lines: list[str]) -> str:
    """What a text holds beside the lines, which it has in this order."""
    at, rest = 0, []
    for line in lines:
        place = text.find(line, at)
        assert place >= 0, f"{line!r} is missing in {text[at : at + 300]!r}"
        rest.append(text[at:place])
        at = place + len(line)
    return "".join([*rest, text[at:]])


def _drawn(answer: Answer) -> list[str]:
    """The texts inside pictures, which only a PDF has as text; the longest first."""
    blocks = layout(answer, bibliography=bibliography(answer, STYLE), files=_files)
    pictures = [block.picture.content for block in blocks if block.picture is not None]
    texts = {_plain(text) for one in pictures for text in etree.fromstring(one).itertext()}
    return sorted(texts - {""}, key=len, reverse=True)


@pytest.mark.slow
@each_row("seed", range(3))
def test_the_exports_hold_the_same(generated: Callable[[int], Answer], seed: int) -> None:
    answer = generated(seed)
    lines, drawn = _lines(answer), _drawn(answer)
    for form, text in _texts(answer):
        rest = _rest(_unmarked(_plain(text)), lines)
        for words in drawn if form == "pdf" else []:
            rest = rest.replace(words, "")
        assert re.fullmatch(r"(?:•|-|\d{1,2}\.?)*", rest), f"{form} also holds {rest!r}"


def test_html_is_one_file_that_loads_and_runs_nothing(generated: Callable[[int], Answer]) -> None:
    for seed in range(3):
        content = export(generated(seed), "html", files=_files)
        page = html.fromstring(content)
        assert not page.xpath("//script | //iframe | //object | //link | //form | //base | //@onerror | //@onload")
        assert all(source.startswith("data:image/") for source in page.xpath("//@src"))
        assert all(link.startswith(("#", "https://")) for link in page.xpath("//@href"))
        assert b"default-src 'none'" in content


def test_pdf_is_the_same_each_time_and_word_shows_pictures(drawn: Answer) -> None:
    assert export(drawn, "pdf", files=_files) == export(drawn, "pdf", files=_files)
    shapes = [docx.Document(io.BytesIO(export(drawn, "docx", files=f))).inline_shapes for f in (None, _files)]
    assert len(shapes[0]) < len(shapes[1])


def test_a_file_that_is_gone_is_told_and_kept_ones_are_shown(drawn: Answer, tmp_path: Path) -> None:
    kept = Attachments(tmp_path)
    told = kept.keep(PIXELS, name="model.svg", media_type="image/svg+xml", title="Model of Cyp17a1")
    shown = drawn.model_copy(update={"report": drawn.report.model_copy(update={"attachments": (told,)})})  # type: ignore[union-attr]
    assert len(html.fromstring(export(shown, "html", files=kept.read)).xpath("//img")) == 1
    (tmp_path / "attachments" / told.sha256).unlink()
    assert not html.fromstring(export(shown, "html", files=kept.read)).xpath("//img")
    for form in ("markdown", "html", "docx", "pdf"):
        assert export(shown, form, files=kept.read)
    page = export(shown, "markdown", files=kept.read).decode().replace("\\", "")
    assert "model.svg of this report is gone" in " ".join(page.split())


def test_an_answer_without_evidence_has_pages_and_no_references(make_run: MakeRun) -> None:
    empty = [SubFound(one, (tool(one.id, "literature", []),)) for one in PLAN.subquestions]
    answer, _ = reported(make_run, empty)
    for form in ("markdown", "html", "docx", "pdf"):
        assert export(answer, form)
    with pytest.raises(UsageError, match="quotes no source"):
        export(answer, "ris")


def test_references_of_a_report_are_the_cited_works(make_run: MakeRun) -> None:
    tools = tool("q1", "literature", [HORMONES, SLEEP]), tool("q2", "web", [BLOG]), tool("q3", "protein", [PROTEIN])
    found = [SubFound(one, (own,)) for one, own in zip(PLAN.subquestions, tools, strict=False)]
    answer, _ = reported(make_run, found)
    ris = export(answer, "ris").decode()
    assert re.findall(r"TY  - (\w+)", ris) == ["JOUR", "ELEC", "DATA"]
    assert SLEEP.title not in ris and "Mice" not in ris
    text = export(answer, "markdown").decode()
    assert HORMONES.title in text[text.index("## References") :] and SLEEP.title not in text
    assert QUESTION in text
