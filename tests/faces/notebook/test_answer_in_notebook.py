"""In a notebook: an answer with its quotes, plots of runs, and the tutorial from its first cell to its last."""

import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from command_line import EXAMPLES, ROOT, run
from lxml import etree

import medground
from medground.answering.explanation import Explanation
from medground.engine.answers import Answers
from medground.engine.unfinished import Outcome, Unfinished
from medground.errors import UsageError
from medground.faces.notebook import ShownSteps
from medground.values.answer import Answer
from medground.values.graph import ConceptEntry, ConceptFound
from medground.values.papers import FullText, Related
from medground.values.steps import Kept, Searching
from medground.wording.view import view
from medground_evaluate.report.plots import show_runs

QUESTIONS = EXAMPLES / "questions" / "questions.jsonl"
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
    places += [text.index(sentence.text, places[-1]) for sentence in shown.sentences[1:]]  # the first is the headline
    places += [text.index("Sources"), *(text.index(note) for note in shown.notes)]
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


def results(papers: str) -> Iterator[object]:
    """Every kind of result that an engine gives, of words and papers that hold markup."""
    hostile = "Does <script>alert(3)</script> hostile juice lower blood pressure?"
    with medground.BlockingEngine(corpora=papers) as engine:
        answer, (outcome,) = engine.ask(hostile), engine.ask_many([hostile])
        found = engine.search("hostile juice")
        document = engine.document("EX:1")
        yield from (answer, outcome, found, found.hits[0], document, answer.evidence[0], *engine.history())
        yield from (engine.again(answer.trace_id), engine.verify("Hostile juice lowers blood pressure."))
        yield from (engine.table(answer.trace_id, ["<b>dose</b>"]), engine.strategy(["juice", "#1 AND <i>"]))
        yield engine.check_text("Juice <script>heals</script> (1).\n\nReferences\n1. Juice. PMID: 1")
        yield from (paper := engine.papers(["PMID:99999999"])[0], Related(paper=paper, documents=(document,), ways=()))
        yield Outcome("<img src=x>", error=UsageError("<script>"))
        yield Explanation((), (), [{"sentence": "<script>"}], {"text": "no"}, "")
        yield from (Unfinished.model_construct(id="1", settings={"a": "b" * 999}), FullText(document=document))


def test_every_result_is_short_in_text_and_shows_itself_in_a_notebook(papers: str) -> None:
    kinds = set()
    for result in results(papers):
        assert len(repr(result)) <= 300, result
        assert Page(result._repr_html_()).text  # type: ignore[attr-defined]  # refuses every tag that is not its own
        kinds.add(type(result).__name__)
    assert len(kinds) == 17
    with medground.BlockingEngine(corpora=papers) as engine:
        found = engine.search("hostile juice")
        danger = engine.search("I want to kill myself")
        assert repr(engine._engine) == "Engine(recipe='ground', sources=['corpus:papers'])"
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in Page(found._repr_html_()).text
    many = replace(found, hits=found.hits * 99)
    assert f"and {len(many.hits) - 50:,} more" in Page(many._repr_html_()).text
    assert Page(danger._repr_html_()).text.startswith("notice ")


def test_what_a_graph_knows_is_short_in_text() -> None:
    found = ConceptFound("Marfan", "graph:x", entries=(ConceptEntry("HP:1", "n" * 900),), nearest=("y" * 900,) * 9)
    assert repr(found).startswith("ConceptFound(term='Marfan', source='graph:x', entries=(ConceptEntry(id='HP:1'")
    assert len(repr(found)) <= 300


def test_the_text_of_an_answer_says_what_matters(answer: Answer) -> None:
    counts = f"citations={len(answer.evidence)}"
    assert repr(answer).startswith(f"Answer(headline={answer.headline!r}, {counts}, recipe='ground', trace_id=")
    assert len(repr([answer] * 2)) <= 604


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


pytestmark = pytest.mark.slow
TUTORIAL = ROOT / "examples" / "tutorial.ipynb"
RUN = """
import sys
from pathlib import Path
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

tutorial, done, place = map(Path, sys.argv[1:])
# Over files in place of ports.
kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(place / "kernel"))
notebook = nbformat.read(tutorial, as_version=4)
NotebookClient(notebook, km=kernel, timeout=120, resources={"metadata": {"path": str(place)}}).execute()
nbformat.write(notebook, done)
"""


def execute(notebook: Path, place: Path, **environment: str) -> Any:
    """A notebook with its outputs, by a kernel of its own."""
    own = {name: str(place / name) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR")}
    for folder in own.values():
        Path(folder).mkdir()
    done = place / "done.ipynb"
    known = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **own, **environment}
    subprocess.run([sys.executable, "-c", RUN, str(notebook), str(done), str(place)], env=known, check=True)
    return nbformat.read(done, as_version=4)


def shown(notebook: Any, kind: str) -> list[str]:
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if kind in output.get("data", {})
    ]


def test_it_is_kept_without_outputs() -> None:
    notebook = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in notebook.cells if "outputs" in cell)


def test_every_cell_runs_and_shows_something_and_steps_are_one_output(tmp_path: Path) -> None:
    notebook = execute(TUTORIAL, tmp_path, MEDGROUND_HOME=str(tmp_path / "home"))
    printed = [o for cell in notebook.cells for o in cell.get("outputs", ()) if o["output_type"] == "stream"]
    assert not [output for output in printed if output["name"] == "stderr"]
    pages = shown(notebook, "text/html")
    asked = list(Answers(tmp_path / "home").history())
    assert [answer for answer in asked if answer.question.startswith("Does walking")]
    assert any("What it cites" in page for page in pages)
    assert any("data:image/svg+xml" in page for page in pages)
    steps = [page for page in pages if " steps</summary>" in page]
    assert len(steps) == 2  # ask, and the follow-up with on_step
    assert all("Searching " in page and "role" not in page for page in steps)


def test_a_kernel_shows_results_as_tables_and_lists_of_them_in_short(papers: str, tmp_path: Path) -> None:
    calls = ("engine.search('hostile juice')", "engine.verify('Juice helps.')", "engine.ask_many(['Does juice help?'])")
    cells = [f"import medground\nengine = medground.BlockingEngine(corpora={papers!r})", *calls, "engine.close()"]
    notebook, asked = nbformat.v4.new_notebook(), tmp_path / "asked.ipynb"
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, asked)
    done = execute(asked, tmp_path)
    assert all(len(text) <= 300 for text in shown(done, "text/plain"))
    found, verified = shown(done, "text/html")
    assert "&lt;script&gt;alert(1)" in found
    assert "<script" not in found
    assert "Juice helps." in Page(verified).text


def test_outside_of_a_notebook_steps_are_only_kept() -> None:
    steps = ShownSteps()
    steps(Searching(source="corpus:papers", query="x"))
    assert repr(steps) == "Searching papers"
    assert "▸ Searching papers …" in steps._repr_html_()
    steps.progress("read", 1, 10)
    steps.progress("read", 5, 10)
    assert repr(steps) == "Searching papers\nRead: 5 of 10"
    steps(Kept(trace_id="t"))
    assert "2 steps" in steps._repr_html_()
