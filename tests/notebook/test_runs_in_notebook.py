"""Plots of evaluation runs in a notebook: the figures of the report, as images that load nothing."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from example_papers import QUESTIONS, run
from lxml import etree

from medground.faces.notebook import show_runs


def test_runs_show_a_table_and_plots(papers: str, tmp_path: Path) -> None:
    paths = [tmp_path / "rag.jsonl", tmp_path / "ground.jsonl"]
    for path in paths:
        run("eval", "run", "jsonl", "--data", QUESTIONS, "--recipe", path.stem, "-c", papers, "--out", path, "-q")
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
    assert share.value is not None
    assert f"{100 * share.value:.1f} %" in " ".join(drawn["accuracy"].itertext())

    page = shown._repr_html_()
    assert "<svg" not in page
    assert "<style" not in page
    images = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert [base64.b64decode(image).decode() for image in images] == list(shown.svg().values())
    assert f"{share.right} of {share.of}" in page
    assert f"{share.right} of {share.of}" in repr(shown)
