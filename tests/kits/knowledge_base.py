"""A small base of five sources."""

import json
from pathlib import Path

from medground.corpus.embedder import Embedder
from medground.graph.bases.building import BuiltBase, build_base
from medground.graph.bases.spec import read_spec
from medground.values.steps import Progress, no_progress

SOURCE = """
[[sources]]
kind = "{kind}"
about = "What a {kind} of this test holds."
licence = "the licence of the {kind}"
origin = "the {kind} of this test"
"""
BOOK = SOURCE.format(kind="book") + 'inputs = [{ path = "book" }]\n'
GUIDELINE = SOURCE.format(kind="guideline") + 'inputs = [{ path = "qa.jsonl", where = { set = "advice" } }]\n'
RESEARCH = SOURCE.format(kind="research") + (
    'inputs = [{ path = "papers.jsonl", prefix = "P", fields = { id = "n", title = "head", text = ["a", "b.c"] } }]\n'
)
WIKI = SOURCE.format(kind="wiki") + 'inputs = [{ path = "qa.jsonl", where = { set = "entry" } }]\n'
GRAPH = SOURCE.format(kind="graph") + 'inputs = [{ reader = "mesh", path = "mesh.tsv" }]\n'
ALL = (BOOK, GUIDELINE, RESEARCH, WIKI, GRAPH)


def written(folder: Path, *sources: str) -> Path:
    """The specification of a base `omni` with these sources."""
    path = folder / "kb.toml"
    path.write_text('name = "omni"\n' + "".join(sources), encoding="utf-8")
    return path


def made(spec: Path, home: Path, progress: Progress = no_progress) -> BuiltBase:
    """The base, built without vectors."""
    return build_base(read_spec(spec), spec, home, open_embedder=no_embedder, progress=progress)


def no_embedder(name: str) -> Embedder:
    raise AssertionError(f"{name} is not wanted")


def filled(folder: Path) -> Path:
    """The folder of the files that the sources read."""
    (folder / "book").mkdir(parents=True)
    for number, topic in enumerate(("heart", "lung", "kidney")):
        (folder / "book" / f"{number}.txt").write_text(f"The {topic} is an organ.\n\nIt can fail.\n", encoding="utf-8")
    pairs = [
        ("1", "advice", "Wash your hands."),
        ("2", "entry", "Influenza is an infection."),
        ("3", "advice", "Rest."),
    ]
    _lines(folder / "qa.jsonl", [{"id": f"QA:{n}", "text": text, "set": kept} for n, kept, text in pairs])
    papers = [{"n": n, "head": f"Trial {n}", "a": "Zinc was given.", "b": {"c": f"It helped {n}."}} for n in range(5)]
    _lines(folder / "papers.jsonl", papers)
    rows = [
        "D000001\tHeart\tCor\tA07.541\t",
        "D000002\tHeart Ventricles\t\tA07.541.560\t",
        "D000003\tAorta\t\tA07.015\t",
    ]
    (folder / "mesh.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def _lines(path: Path, records: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
