"""In a notebook: an answer with quotes that its marks lead to, plots of runs, and nothing that could run or load."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from command_line import EXAMPLES
from lxml import etree

import medground
from medground.testing.command import run
from medground.values.answer import Answer
from medground.wording.view import view
from medground_evaluate.report.plots import show_runs

QUESTIONS = EXAMPLES / "papers" / "questions.jsonl"
ALLOWED = {
    "div": {"style", "dir"},
    "p": {"style", "dir"},
    "h3": {"dir"},
    "h4": set(),
    "strong": {"id"},
    "span": {"style"},
    "a": {"href", "title", "rel", "style"},
    "br": set(),
    "ul": {"style"},
    "ol": {"style"},
    "li": {"style", "value"},
    "details": set(),
    "summary": {"style"},
    "blockquote": {"style"},
    **{tag: set() for tag in ("table", "thead", "tbody", "tr", "th", "td")},
}
"""What a notebook keeps of an output that it does not trust, as far as it is used here."""


class Page(HTMLParser):
    """The tags of an output, its links, anchors and text."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.words: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        assert tag in ALLOWED, tag
        assert named.keys() <= ALLOWED[tag], (tag, named)
        assert "url(" not in named.get("style", "")
        self.links += [named["href"]] if "href" in named else []
        self.anchors += [named["id"]] if "id" in named else []

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def answer(papers: str) -> Answer:
    """An answer of some quotes."""
    return medground.ask("Does walking lower blood pressure in adults with hypertension?", corpora=papers)


def test_it_has_the_words_of_the_terminal_in_their_order_and_signs_for_verdicts(answer: Answer, papers: str) -> None:
    content, shown = answer._repr_html_(), view(answer)
    text = Page(content).text
    places = [text.index(said) for said in (shown.question, shown.headline)]
    places += [text.index(sentence.text, places[-1]) for sentence in shown.sentences]
    places += [text.index(shown.support), text.index("Sources"), *(text.index(note) for note in shown.notes)]
    assert places == sorted(places)
    assert shown.cost in text
    for verdict in (verdict for sentence in shown.sentences for verdict in sentence.verdicts):
        assert f"{verdict.glyph} {verdict.words}" in text
    retracted = medground.ask("Does beetroot juice cure hypertension?", corpora=papers)
    assert "✗ RETRACTED: not used as evidence." in Page(retracted._repr_html_()).text
    assert set(re.findall(r"(?<!-)\bcolor:([^;\"]+)", content)) <= {"inherit", "#2e8b57", "#b8860b", "#d9534f"}
    assert "background" not in content  # the text keeps the colour of the notebook


def test_a_mark_leads_to_its_quote(answer: Answer) -> None:
    content = answer._repr_html_()
    page = Page(content)
    marks = [link.removeprefix("#") for link in page.links if link.startswith("#")]
    assert marks
    assert set(marks) <= set(page.anchors)
    for quote in answer.evidence:
        after = content.partition(f'id="{answer.trace_id.replace("-", "")}-{quote.id}"')[2]
        assert quote.quote in after
        if quote.id in {name for statement in answer.statements for name in statement.evidence}:
            assert content.count(quote.quote) >= 2  # in the list, and opened below the sentence


def test_hostile_text_is_text(papers: str) -> None:
    answer = medground.ask("Does hostile juice lower blood pressure?", corpora=papers)
    page = Page(answer._repr_html_())  # refuses every tag that is not its own
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in page.text
    assert all(link.startswith(("#", "https://")) for link in page.links)


def test_runs_show_a_table_and_plots(papers: str, tmp_path: Path) -> None:
    paths = [tmp_path / "rag.jsonl", tmp_path / "ground.jsonl"]
    for path in paths:
        words = ("--data", str(QUESTIONS), "--recipe", path.stem, "-c", papers, "--out", str(path), "-q")
        assert run("eval", "run", "jsonl", *words) == 0
    shown = show_runs(*paths)
    rows = shown.report.comparison.rows
    assert [row.name for row in rows] == ["rag", "ground"]
    drawn = {name: etree.fromstring(svg.encode()) for name, svg in shown.svg().items()}
    assert list(drawn) == ["accuracy", "outcomes", "cost"]
    for plot in drawn.values():
        assert plot.tag == "{http://www.w3.org/2000/svg}svg"
        assert "ground" in (said := " ".join(plot.itertext()))
        assert "http" not in said
    share = rows[1].accuracy
    page = shown._repr_html_()
    assert "<svg" not in page
    assert "<style" not in page
    images = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert [base64.b64decode(image).decode() for image in images] == list(shown.svg().values())
    assert all(f"{share.right} of {share.of}" in said for said in (page, repr(shown)))
