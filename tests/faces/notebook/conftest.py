"""The papers of the examples as a corpus, and one more whose text is hostile."""

import json
from pathlib import Path

import pytest
from command_line import EXAMPLES, corpus_of

HOSTILE = (
    "Hostile juice lowered blood pressure <script>alert(1)</script><img src=x onerror=alert(2)> in 12 <b>adults</b> "
    "[click](javascript:alert(3)) & \"quoted\" 'text'."
)


@pytest.fixture
def papers(home: Path) -> str:
    """The name of the corpus."""
    papers = map(json.loads, (EXAMPLES / "papers" / "papers.jsonl").read_text(encoding="utf-8").splitlines())
    corpus_of(*papers, {"id": "X:1", "title": "<b>A trial</b>", "text": HOSTILE, "url": "javascript:alert(5)"})
    return "papers"
