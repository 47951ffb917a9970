"""The tutorial runs from its first cell to its last, in a kernel that has no network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from command_line import EXAMPLES

from medground.engine.answers import Answers
from medground.faces.notebook import ShownSteps
from medground.values.steps import Kept, Searching

pytestmark = pytest.mark.slow
TUTORIAL = EXAMPLES / "tutorial.ipynb"
ROOT = EXAMPLES.parent
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
NotebookClient(notebook, km=kernel, timeout=120, resources={"metadata": {"path": str(tutorial.parent)}}).execute()
nbformat.write(notebook, done)
"""


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
    own = {name: str(tmp_path / name) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR")}
    for folder in own.values():
        Path(folder).mkdir()
    environment = {**os.environ, "MEDGROUND_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT / "src"), **own}
    done = tmp_path / "done.ipynb"
    subprocess.run([sys.executable, "-c", RUN, str(TUTORIAL), str(done), str(tmp_path)], env=environment, check=True)
    notebook = nbformat.read(done, as_version=4)
    printed = [o for cell in notebook.cells for o in cell.get("outputs", ()) if o["output_type"] == "stream"]
    assert not [output for output in printed if output["name"] == "stderr"]
    pages = shown(notebook, "text/html")
    asked = list(Answers(tmp_path / "home").history())
    assert [answer for answer in asked if answer.question.startswith("Does walking")]
    assert any("What it cites" in page for page in pages)
    assert any("data:image/svg+xml" in page for page in pages)
    steps = [page for page in pages if " steps</summary>" in page]
    assert len(steps) == 2  # ask, and the follow-up with on_step
    assert all("Searching corpus" in page and "role" not in page for page in steps)


def test_outside_of_a_notebook_steps_are_only_kept() -> None:
    steps = ShownSteps()
    steps(Searching(source="corpus:papers", query="x"))
    assert repr(steps) == "Searching corpus:papers"
    assert "▸ Searching corpus:papers …" in steps._repr_html_()
    steps.progress("read", 1, 10)
    steps.progress("read", 5, 10)
    assert repr(steps) == "Searching corpus:papers\nRead: 5 of 10"
    steps(Kept(trace_id="t"))
    assert "2 steps" in steps._repr_html_()
