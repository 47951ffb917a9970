"""The report: its figures are correct, it loads nothing, and text in it cannot do anything."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from runs import line, write_lines, write_run

from medground.errors import StorageFailed, UsageError
from medground.testing.command import run
from medground.values.question import Question
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item
from medground_evaluate.report.content import Report, read_report
from medground_evaluate.report.pages import as_html, as_markdown, write_report
from medground_evaluate.statistics import wilson

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)"> | [x](javascript:alert(3)) `code` & \u202e'
SAID = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("maybe", "")]
"""Gold and answer of the four questions of a run."""


def written(path: Path, said: Sequence[tuple[str, str]], **fields: object) -> Path:
    """A run of `rag`, whose questions q0, q1, ... have these gold answers and answers."""
    usage = {"input_tokens": 100, "output_tokens": 10, "model_calls": 1, "searches": 2, "seconds": 0.5}
    lines = [line(f"q{n}", *pair, question=f"Is number {n} right?", usage=usage) for n, pair in enumerate(said)]
    return write_run(path, lines, **fields)


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    better = [("yes", "yes"), ("yes", "yes"), ("no", "yes"), ("maybe", "")]
    return [
        written(tmp_path / "one.jsonl", SAID),
        written(tmp_path / "two.jsonl", better, recipe="ground"),
    ]


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def text_of(page: Page) -> str:
    return " ".join(" ".join(page.texts).split())


def test_figures_of_two_runs(runs: list[Path]) -> None:
    page = text_of(Page(as_html(read_report(runs))))
    low, high = wilson(2, 4)
    assert "pubmedqa: 2 runs" in page
    assert f"rag keyless 50.0 % {100 * low:.1f} – {100 * high:.1f} 2 of 4 66.7 %" in page  # 3 of the 4 were answered
    assert "ground against rag, 4 questions" in page
    assert "won 1" in page and "lost 1" in page and "no difference 2" in page
    assert "+0.0" in page
    assert "100 10 1 2 0.5" in page  # cost of a question

    items = [
        Item(id=f"q{n}", question=Question.ask(f"Is number {n} right?", task="yes-no-maybe"), gold=(gold,))
        for n, (gold, _) in enumerate(SAID)
    ]
    blind = read_report(runs, items)
    assert blind.baseline is not None
    assert blind.baseline.name.startswith("best blind baseline: ")
    assert blind.baseline.share == 0.5
    rows = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*</tr>", as_html(blind))
    assert "best blind baseline" in rows[1]
    assert as_markdown(blind).index("best blind") < as_markdown(blind).index("| rag |")
    plain = read_report(runs)
    assert plain.baseline is not None
    assert plain.baseline.name == "always yes"

    report = read_report(runs)
    assert [question.outcome for question in report.questions] == ["same", "won", "lost", "same"]
    assert report.questions[3].given[0] is not None
    assert report.questions[3].given[0].status == "not judged"


def test_questions_that_differ_are_listed_first_if_there_are_too_many(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground_evaluate.report.content.MOST_QUESTIONS", 2)
    report = read_report(runs)
    assert [question.outcome for question in report.questions] == ["won", "lost"]
    assert report.left_out == 2
    assert "2 questions on which the runs agree are not listed" in text_of(Page(as_html(report)))


def test_unfinished_questions_are_in_the_denominator(tmp_path: Path) -> None:
    page = text_of(Page(as_html(read_report([written(tmp_path / "run.jsonl", SAID, items=8)]))))
    assert "25.0 %" in page
    assert "4 of 8 questions are unfinished and count as wrong" in page


def test_the_page_loads_nothing_and_runs_only_its_own_script(runs: list[Path]) -> None:
    html = as_html(read_report(runs))
    page = Page(html)
    assert not {"img", "link", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert not {"src", "href", "srcset", "action"} & {name for name, _ in page.attributes}
    assert "url(" not in html and "@import" not in html and "http://" not in html and "https://" not in html
    script = html.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(value for name, value in page.attributes if "default-src" in value)
    assert policy.startswith("default-src 'none'")
    assert f"'sha256-{digest}'" in policy
    assert "script-src 'unsafe-inline'" not in policy


def hostile(tmp_path: Path, text: str) -> Report:
    said = line(text, question=text, error=text).model_copy(update={"gold": (text,), "answer": (text,)})
    fields = {"dataset": f"x {text}", "model": text, "accepted": (text,), "snapshots": {text: "f" * 64}}
    return read_report([write_run(tmp_path / "hostile.jsonl", [said], items=1, **fields)])


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    report = hostile(tmp_path, HOSTILE)
    page = Page(as_html(report))
    assert page.tags.count("script") == 1
    assert not {name for name, _ in page.attributes if name.startswith("on")}
    assert "img" not in page.tags
    assert "\u202e" not in as_html(report)
    assert '<img src=x onerror="alert(2)">' in text_of(page)
    rendered = MarkdownIt("commonmark").enable("table").render(as_markdown(report))
    assert "<script" not in rendered and "<img" not in rendered and "href" not in rendered and "<code" not in rendered


def test_the_command_writes_both_files_and_refuses_mistakes(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("eval", "report", *map(str, runs), "--out", str(tmp_path / "report")) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "report" / f"report.{end}") for end in ("md", "html")]
    assert (tmp_path / "report" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")

    with pytest.raises(UsageError, match="cannot be read"):
        read_report([tmp_path / "nothing.jsonl"])
    other = written(tmp_path / "other.jsonl", SAID, dataset="bioasq")
    with pytest.raises(UsageError, match="compare runs over the same data set"):
        read_report([runs[0], other])
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageFailed, match="name another with --out"):
        write_report(read_report(runs), tmp_path / "file")


def test_the_baseline_needs_the_file_that_the_run_was_made_from(tmp_path: Path) -> None:
    asked = [{"id": f"q{n}", "question": f"Is it {n}?", "answer": "yes"} for n in range(4)]
    data = write_lines(tmp_path / "questions.jsonl", asked)
    digest = open_dataset("jsonl").hash(data)
    path = written(tmp_path / "run.jsonl", SAID[:1], dataset="jsonl", dataset_hash=digest)
    words = ["eval", "report", str(path), "--data", str(data), "--out", str(tmp_path / "report")]
    assert run(*words) == 0
    assert "best blind baseline" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    write_lines(data, asked[:3])
    assert run(*words) == 2
