"""Comparison of runs: by hand, against SciPy, through the command, with invalid files."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from command_line import run
from lxml.html import document_fromstring
from markdown_it import MarkdownIt
from refusals import refused
from runs import line, write_lines, write_run
from scipy.stats import binomtest
from typer.testing import CliRunner

from medground.errors import StorageFailed, UsageError
from medground.values.question import Question
from medground_evaluate.cli.compare import compare_runs
from medground_evaluate.compare import compare, items_of, read_result, read_results
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item
from medground_evaluate.report.content import read_report
from medground_evaluate.report.pages import as_html, as_markdown, write_report
from medground_evaluate.statistics import holm, mcnemar, paired_difference, wilson


def write(path: Path, answers: str, **fields: Any) -> Path:
    """A run over questions q1, q2, ... with gold `yes yes no no ...`; `-` is a question without an answer."""
    gold = ["yes", "yes", "no", "no"] * 20
    usage = {"model_calls": 2, "input_tokens": 100 * len(answers.split())}
    lines = [
        line(f"q{n}", gold[n - 1], given.strip("-"), usage=usage, text="text " * 9)
        for n, given in enumerate(answers.split(), start=1)
    ]
    settings = {"recipe": {"rounds": 3}}
    return write_run(path, lines, **{"limit": 4, "settings": settings, "snapshots": {"corpus": "c"}, **fields})


def test_holm_and_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == mcnemar(1, 0) == 1.0
    assert mcnemar(5, 0) == 2 / 32
    assert mcnemar(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert mcnemar(5_200, 4_800) == pytest.approx(binomtest(4_800, 10_000).pvalue)  # no overflow

    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert (holm([0.9, 0.8]), holm([])) == ([1.0, 1.0], [])


def test_the_score_interval_of_a_paired_difference() -> None:
    def between(won: int, lost: int, of: int) -> tuple[float, float, float]:
        found = paired_difference(won, lost, of)
        assert found
        return found.value, found.low, found.high

    # Airway hyper-responsiveness in 21 children: Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014).
    assert between(1, 7, 21) == pytest.approx((-6 / 21, -0.517, -0.026), abs=0.0005)
    least = 1.959964**2 / (100 + 1.959964**2)  # without a discordant pair, z^2 / (n + z^2)
    assert between(0, 0, 100) == pytest.approx((0, -least, least))
    assert between(3, 0, 3)[1:] == pytest.approx((-0.123, 1), abs=0.0005)  # as McNemar's p of 0.25: it may be chance
    deviation = ((80 / 400 - 0.1**2) / 400) ** 0.5  # standard error of the mean of 60 wins and 20 losses
    assert between(60, 20, 400) == pytest.approx((0.1, 0.1 - 1.96 * deviation, 0.1 + 1.96 * deviation), abs=0.004)
    assert paired_difference(0, 0, 0) is None


def test_two_runs_by_hand(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes no no -"), write(tmp_path / "b.jsonl", "yes yes yes no", recipe="ground")]
    found = compare(read_results(paths))
    assert [(row.name, row.accuracy.right, row.accuracy.of) for row in found.rows] == [("rag", 2, 4), ("ground", 3, 4)]
    assert found.majority and (found.majority[0], found.majority[1].value) == ("yes", 0.5)
    (pair,) = found.pairs
    assert (pair.won, pair.lost, pair.both, pair.neither) == (("q2", "q4"), ("q3",), 1, 0)
    assert pair.p == 1.0 and pair.difference and pair.difference.value == 0.25
    assert (pair.chosen, pair.warnings) == (("recipe was rag, is ground",), ())
    assert found.rows[0].statuses == {"answered": 3, "not judged": 1}

    paths = [write(tmp_path / "a.jsonl", "yes no"), write(tmp_path / "b.jsonl", "yes", recipe="model-only")]
    found = compare(read_results(paths))
    ratio = found.rows[0].cost_ratio
    assert (found.cost_base, ratio["input_tokens"], ratio["model_calls"]) == ("model-only", 2.0, 1.0)

    one = write(tmp_path / "a.jsonl", "yes")
    assert compare(read_results([one])).pairs == ()
    names = [r.name for r in read_results([one, write(tmp_path / "b.jsonl", "no", model="other")])]
    assert names == ["rag keyless", "rag other"]
    names = [r.name for r in read_results([one, write(tmp_path / "c.jsonl", "no")])]
    assert names == [f"rag keyless {tmp_path / name}" for name in ("a.jsonl", "c.jsonl")]


def test_rows_that_are_not_comparable(tmp_path: Path) -> None:
    other = {"dataset_hash": "other", "snapshots": {"corpus": "d"}, "versions": {"medground": "0.2.0"}}
    paths = [write(tmp_path / "a.jsonl", "yes"), write(tmp_path / "b.jsonl", "no", **other)]
    (pair,) = compare(read_results(paths)).pairs
    said = ("dataset_hash was h, is other", "snapshots.corpus was c, is d", "medground was 0.1.0, is 0.2.0")
    assert [all(one in w for one, w in zip(said, pair.warnings, strict=True)), pair.chosen] == [True, ()]


def test_what_differs_by_design_between_recipes_is_not_listed(tmp_path: Path) -> None:
    """Each recipe has its own prompts and its own section, which is listed where it differs from its defaults."""
    plain = {"recipe": {"rounds": 3}}
    ten, three = (plain | {"pubmed_reasoner": {"signals": signals, "critic": False}} for signals in (10, 3))
    runs = [("rag", ten), ("self-medrag", plain), ("pubmed-reasoner", three)]
    paths = [
        write(tmp_path / f"{recipe}.jsonl", "yes", prompts_hash=recipe, recipe=recipe, settings=settings)
        for recipe, settings in runs
    ]
    one, other = compare(read_results(paths)).pairs
    assert one.chosen == ("recipe was rag, is self-medrag", "pubmed_reasoner.critic was false, is true")
    assert other.chosen == ("recipe was rag, is pubmed-reasoner", "pubmed_reasoner.signals was 10, is 3")
    assert (one.warnings, other.warnings) == ((), ())


def test_warnings_of_rows(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes yes no no"), write(tmp_path / "b.jsonl", "yes yes")]
    found = compare(read_results(paths))
    assert found.rows[1].accuracy.value == 0.5
    assert found.rows[1].warnings == ("2 of 4 questions are unfinished and count as wrong",)
    assert found.pairs[0].questions == 2
    assert "left out of paired tests: 2" in found.pairs[0].warnings[0]

    path = write(tmp_path / "a.jsonl", "yes no no no", accepted=("medground was 0.1.0, is 0.2.0",))
    assert compare(read_results([path])).rows[0].warnings == ("resumed although medground was 0.1.0, is 0.2.0",)

    path = write(tmp_path / "a.jsonl", "yes no")
    path.write_bytes(path.read_bytes()[:-40])
    assert list(read_result(path).lines) == ["q1"]


def test_an_invalid_file_is_a_one_line_error(tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", "yes no")

    def other(name: str, content: str | bytes) -> Path:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / name

    lines, text = good.read_bytes().splitlines(keepends=True), good.read_text()
    for paths, message in (
        ((good, write(tmp_path / "other.jsonl", "yes", dataset="medqa")), "compare runs over the same data set"),
        ((write(tmp_path / "empty.jsonl", ""),), "no finished question"),
        ((), "no runs to compare"),
        ((good, tmp_path / "." / "good.jsonl"), "given twice"),
        ((tmp_path / "missing.jsonl",), "cannot be read"),
        ((other("bytes.jsonl", b"\x00\xff\n"),), "not a Medground run"),
        ((other("twice.jsonl", b"".join([*lines, lines[-1]])),), "'q2' has two lines"),
        ((other("broken.jsonl", text + '{"id": 3}\n'),), "broken.jsonl:4: this line is invalid"),
        ((good, other("renamed.jsonl", text.replace('"id":"q', '"id":"z'))), "no question in common"),
        ((good, other("gold.jsonl", text.replace('"yes"]', '"no"]', 1))), "different gold answers for 'q1'"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            compare(read_results(paths))


def shown(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(compare_runs)
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_shows_everything_a_reader_needs(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes no no -"), write(tmp_path / "b.jsonl", "yes yes yes no", recipe="ground")]
    text = shown(*map(str, paths), "--classes", "--questions", "1")
    assert "always yes  50.0 %" in text
    assert "won 2, lost 1, both correct 1, both wrong 0; exact McNemar p 1" in text
    assert "won: q2, and 1 more" in text
    assert "classes of ground" in text and "warnings" not in text

    path = write(tmp_path / "a.jsonl", "yes no", limit=None)
    assert "no question has gold documents" in shown(str(path), "--retrieval")
    text = path.read_text().replace('"found":[],"gold_documents":[]', '"found":["D:2","D:1"],"gold_documents":["D:1"]')
    path.write_text(text)
    found = shown(str(path), "--retrieval").split("retrieval", 1)[1].splitlines()
    assert [row.split()[-1] for row in found[:2]] == ["MRR", "0.500"]

    path = write(tmp_path / "a.jsonl", "yes no - no", dataset="mirage")
    path.write_text(path.read_text().replace('"id":"q', '"id":"pubmedqa:').replace('"gold":["no"]', '"gold":["A"]', 1))
    assert [row.split()[1:] for row in shown(str(path)).splitlines()[-2:]] == [
        ["pubmedqa", "50.0%", "2", "of", "4"],
        ["mean", "of", "sets", "50.0%"],
    ]

    paths = [write(tmp_path / f"{name}.jsonl", "yes no", model=name) for name in "ab"]
    for path in paths:
        path.write_text(path.read_text().replace('"gold":["yes"]', '"gold":[]'))
    assert "none of these questions has a gold answer" in shown(*map(str, paths))

    paths = [write(tmp_path / f"{name}.jsonl", "yes yes no no", model=name) for name in "abc"]
    found = json.loads(shown(*map(str, paths), "--json"))
    assert [row["name"] for row in found["rows"]] == ["rag a", "rag b", "rag c"]
    assert [pair["won"] for pair in found["pairs"]] == [[], []]

    assert "\x1b" not in shown(str(write(tmp_path / "a.jsonl", "yes", recipe="rag\x1b[31m")))


def test_the_command_shows_the_best_baseline_without_evidence(tmp_path: Path) -> None:
    records = [{"id": f"q{n}", "question": f"Is number {n} right?", "answer": "yes"} for n in range(1, 5)]
    data = write_lines(tmp_path / "questions.jsonl", records)
    digest = open_dataset("jsonl").hash(data)
    run = write(tmp_path / "a.jsonl", "yes no", dataset="jsonl", dataset_hash=digest)
    rows = shown(str(run), "--data", str(data)).splitlines()
    assert rows[2].startswith("best blind baseline: ") and "2 of 2" in rows[2]
    assert json.loads(shown(str(run), "--data", str(data), "--json"))["best_blind"]["share"] == 1.0
    with pytest.raises(UsageError, match="is not the file that rag was made from"):
        items_of(read_results([write(tmp_path / "b.jsonl", "yes", dataset="jsonl")])[0], data)

    run = write(tmp_path / "a.jsonl", "yes no", dataset="jsonl (yes or no)", dataset_hash=digest)
    text = run.read_text(encoding="utf-8").replace('"task":"yes-no-maybe"', '"task":"yes-no"')
    run.write_text(text, encoding="utf-8")
    assert [item.question.task for item in items_of(read_results([run])[0], data)] == ["yes-no"] * 2
    assert "best blind baseline: " in shown(str(run), "--data", str(data))


# The report: its figures are correct, it loads nothing, and text in it cannot do anything

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
    return [written(tmp_path / "one.jsonl", SAID), written(tmp_path / "two.jsonl", better, recipe="ground")]


class Page:
    """What a browser would see."""

    def __init__(self, html: str) -> None:
        elements = [*document_fromstring(html).iter("*")]
        self.tags = [one.tag for one in elements]
        self.attributes = [named for one in elements for named in one.items()]
        self.text = " ".join(word for text in elements[0].itertext() for word in text.split())


def test_figures_of_two_runs(runs: list[Path]) -> None:
    report = read_report(runs)
    page = Page(as_html(report)).text
    low, high = wilson(2, 4)
    assert "pubmedqa: 2 runs" in page
    assert f"rag keyless 50.0 % {100 * low:.1f} – {100 * high:.1f} 2 of 4 66.7 %" in page  # 3 of the 4 were answered
    assert "ground against rag, 4 questions" in page
    assert "won 1" in page and "lost 1" in page and "no difference 2" in page
    assert "+0.0" in page
    assert "100 10 1 0 2 0.5" in page  # cost of a question
    assert report.baseline and report.baseline.name == "always yes"
    assert [question.outcome for question in report.questions] == ["same", "won", "lost", "same"]
    given = report.questions[3].given[0]
    assert given and given.status == "not judged"

    asked = Question.ask("Is it right?", task="yes-no-maybe")
    blind = read_report(runs, [Item(id=f"q{n}", question=asked, gold=(gold,)) for n, (gold, _) in enumerate(SAID)])
    assert blind.baseline and blind.baseline.share == 0.5
    rows = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*</tr>", as_html(blind))
    assert "best blind baseline" in rows[1]
    assert as_markdown(blind).index("best blind") < as_markdown(blind).index("| rag |")


def test_questions_that_differ_are_listed_first_and_unfinished_ones_are_in_the_denominator(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground_evaluate.report.content.MOST_QUESTIONS", 2)
    report = read_report(runs)
    assert [question.outcome for question in report.questions] == ["won", "lost"]
    assert report.left_out == 2
    assert "2 questions on which the runs agree are not listed" in Page(as_html(report)).text
    page = Page(as_html(read_report([written(tmp_path / "run.jsonl", SAID, items=8)]))).text
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


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    said = line(HOSTILE, question=HOSTILE, error=HOSTILE).model_copy(update={"gold": (HOSTILE,), "answer": (HOSTILE,)})
    fields = {"dataset": f"x {HOSTILE}", "model": HOSTILE, "accepted": (HOSTILE,), "snapshots": {HOSTILE: "f" * 64}}
    report = read_report([write_run(tmp_path / "hostile.jsonl", [said], items=1, **fields)])
    page = Page(as_html(report))
    assert page.tags.count("script") == 1
    assert not {name for name, _ in page.attributes if name.startswith("on")}
    assert "img" not in page.tags
    assert "\u202e" not in as_html(report)
    assert '<img src=x onerror="alert(2)">' in page.text
    rendered = MarkdownIt("commonmark").enable("table").render(as_markdown(report))
    assert "<script" not in rendered and "<img" not in rendered and "href" not in rendered and "<code" not in rendered


def test_the_command_writes_both_files_and_refuses_mistakes(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("eval", "report", *map(str, runs), "--out", str(tmp_path / "report")) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "report" / f"report.{end}") for end in ("md", "html")]
    assert (tmp_path / "report" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    data = write_lines(tmp_path / "questions.jsonl", [{"id": "q0", "question": "Is it so?", "answer": "yes"}])
    digest = open_dataset("jsonl").hash(data)
    path = written(tmp_path / "run.jsonl", SAID[:1], dataset="jsonl", dataset_hash=digest)
    assert run("eval", "report", str(path), "--data", str(data), "--out", str(tmp_path / "report")) == 0
    assert "best blind baseline" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")

    refused(UsageError, "cannot be read", read_report, [tmp_path / "nothing.jsonl"])
    other = written(tmp_path / "other.jsonl", SAID, dataset="bioasq")
    refused(UsageError, "compare runs over the same data set", lambda: read_report([runs[0], other]))
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused(StorageFailed, "name another with --out", lambda: write_report(read_report(runs), tmp_path / "file"))
