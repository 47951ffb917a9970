"""Without an extra, what needs it says so in one line: no import of a package that may be missing is unguarded.

A module needs the packages that it, or a module that it imports at once, imports at its top. A later import of such a
module or package stands below `needing`, or where its failure is handled.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from command_line import corpus_of

from medground.engine.blocking import BlockingEngine

QUESTION = "Does aspirin reduce the risk of stroke?"
ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IMPORTED = {
    "pyyaml": "yaml",
    "faiss-cpu": "faiss",
    "scikit-learn": "sklearn",
    "python-docx": "docx",
    "pyjwt": "jwt",
    "pydantic-ai-slim": "pydantic_ai",
    "citeproc-py": "citeproc",
    "haystack-ai": "haystack",
    "llama-index-core": "llama_index",
    "markdown-it-py": "markdown_it",
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry",
}
"""What is imported of a distribution, where that is not its name."""
CHECKED = {
    "medground.answering.rank.cross_encoder": "its constructor, with the extra torch",
    "medground.answering.trace": "a host's span brings opentelemetry; _provider asks for the extra otlp",
    "medground.answering.verify.trained_critic": "made",
    "medground.checking.printed": "apart.told, with the extra files",
    "medground.corpus.readers.compose": "apart.told",
    "medground.corpus.readers.docx": "apart.told",
    "medground.corpus.readers.html": "apart.told",
    "medground.faces.mcp.offers": "medground mcp, which asks for the extra mcp",
    "medground.faces.mcp.server": "medground mcp, which asks for the extra mcp",
    "medground.models.available": "check_extra",
    "medground.models.encoder_graph": "check_extra",
    "medground.models.local": "open_local",
    "medground.recipes.biomedsearch.proteins": "its files are of a source, which needs services",
    "medground.recipes.biomedsearch.web": "its pages are of a source, which needs services",
    "medground.wording.checked_text": "as_docx",
    "medground.wording.documents": "as_docx",
    "medground_evaluate.auditing": "_baselines",
}
"""Modules whose later imports come after a check, and where that is."""


def packages(requirements: list[str]) -> set[str]:
    names = (re.split(r"[\[<>=;,~ ]", one, maxsplit=1)[0].lower() for one in requirements)
    return {IMPORTED.get(name, name.replace("-", "_")) for name in names}


CORE = packages(PROJECT["dependencies"])
MAY_BE_MISSING = {
    package
    for extra, requirements in PROJECT["optional-dependencies"].items()
    if extra not in ("test", "docs")
    for package in packages(requirements) - CORE - {"medground"}
}


def is_guard(node: ast.stmt) -> bool:
    if isinstance(node, ast.With):
        return any("needing" in ast.unparse(one) or "suppress" in ast.unparse(one) for one in node.items)
    if isinstance(node, ast.Try):
        return any("ImportError" in ast.unparse(one.type) for one in node.handlers if one.type)
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(node: ast.AST, *, later: bool = False) -> Iterator[tuple[set[str], bool]]:
    """The names that unguarded imports below a node load, each with whether that is later, in a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield {one.name for one in child.names}, later
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield {child.module, *(f"{child.module}.{one.name}" for one in child.names)}, later
        elif isinstance(child, ast.ExceptHandler | ast.match_case) or (
            isinstance(child, ast.stmt) and not is_guard(child)
        ):
            yield from imports(child, later=later or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def test_what_needs_an_extra_is_imported_where_its_absence_is_told() -> None:
    at_once: dict[str, set[str]] = defaultdict(set)
    later: dict[str, list[set[str]]] = defaultdict(list)
    for path in SRC.rglob("*.py"):
        module = ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
        for names, is_later in imports(ast.parse(path.read_text(encoding="utf-8"))):
            if is_later:
                later[module].append(names)
            else:
                at_once[module] |= names
    needed = {module: {one.partition(".")[0] for one in names} & MAY_BE_MISSING for module, names in at_once.items()}
    before: object = None
    while before != (before := sum(map(len, needed.values()))):
        for module, names in at_once.items():
            needed[module].update(*(needed.get(name, ()) for name in names))
    unguarded = {
        module
        for module, found in later.items()
        for names in found
        if set().union(*(needed.get(name, {name.partition(".")[0]} & MAY_BE_MISSING) for name in names))
        - needed.get(module, set())
    }
    assert unguarded == CHECKED.keys()


ASKED = {
    "ask Q -c papers --model openai:gpt-5": "models",
    "ask Q -c papers --model local:planner.gguf": "local",
    "ask Q -c papers --source europepmc": "services",
    "config show --set retrieval.sources=duckduckgo": "services",
    "ask Q -c papers --recipe biomedsearch --source duckduckgo": "services",
    "ask Q -c papers --set verify.critic=nli:model": "torch",
    "ask Q -c s3://bucket/papers": "s3",
    "paper PMID:9 -c papers --pubmed live": "services",
    "update retractions https://example.org/retractions.csv": "services",
    "corpus push papers s3://bucket/papers": "s3",
    "corpus push papers solr+http://127.0.0.1:9/solr": "services",
    "corpus build more draft.txt --embed minilm": "dense",
    "corpus build more draft.txt --embed medcpt": "torch",
    "corpus build more draft.txt --ray local": "ray",
    "corpus build more table.parquet": "parquet",
    "corpus enrich papers --from pubmed": "services",
    "check draft.docx -c papers": "files",
    "export last --format html": "export",
    "export last --format docx -o answer.docx": "export",
    "models fetch critic": "dense",
    "serve": "serve",
    "web --no-browser": "serve",
    "mcp": "mcp",
    "mcp --http": "mcp",
    "token list": "serve",
    "serve log": "serve",
    "pubmed serve --corpus papers": "pubmed",
    "eval audit jsonl --data questions.jsonl": "evaluate",
    "python from medground.faces import create_app": "serve",
    "python import medground.integrations.langchain": "langchain",
    "python import medground.integrations.llamaindex": "llamaindex",
    "python import medground.integrations.haystack": "haystack",
    "python import medground.integrations.dspy": "dspy",
    "python import medground.integrations.smolagents": "smolagents",
    "python import medground.integrations.pydantic_ai": "models",
}
"""What is typed, each in its turn where every extra is missing, and the extra that it has to name."""
WITHOUT = """
import contextlib, io, json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))
from medground.errors import MedgroundError
from medground.faces.cli.app import main

def said(words):
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            if words[0] == "python":
                exec(" ".join(words[1:]))
            else:
                main(words)
    except SystemExit:
        pass
    except MedgroundError as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return told.getvalue()

print(json.dumps([said(one) for one in json.loads(sys.argv[2])]))
"""


def test_with_every_extra_missing_one_line_names_the_one_to_install(home: Path, tmp_path: Path) -> None:
    corpus_of({"id": "PMID:1", "title": "Aspirin", "text": "Aspirin significantly reduced the risk of stroke."})
    with BlockingEngine(corpora="papers") as engine:
        engine.ask("Does aspirin reduce the risk of stroke?")
    (tmp_path / "draft.txt").write_text("Aspirin helps (PMID: 1).", encoding="utf-8")
    (tmp_path / "draft.docx").write_bytes(b"PK\x03\x04")
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    record = {"question": "Does it?", "options": {"A": "yes", "B": "no"}, "answer": ["A"]}
    lines = (json.dumps({"id": str(number), **record}) for number in range(5))
    (tmp_path / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    typed = [[QUESTION if word == "Q" else word for word in line.split()] for line in ASKED]
    arguments = [json.dumps(sorted(MAY_BE_MISSING)), json.dumps(typed)]
    environment = {**os.environ, "MEDGROUND_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], env=environment, cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    wrong = {
        words: line
        for (words, extra), line in zip(ASKED.items(), json.loads(done.stdout), strict=True)
        if f'pip install "medground[{extra}]"' not in line or line.strip().count("\n")
    }
    assert wrong == {}
