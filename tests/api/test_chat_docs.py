"""The examples of docs/chat.md run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from heart import library
from live_server import live_server

PAGE = Path(__file__).resolve().parents[2] / "docs" / "chat.md"


def test_the_examples_run(tmp_path: Path, loopback: None, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    code = [re.sub("^    ", "", block, flags=re.MULTILINE) for block in blocks]
    code = [
        block[block.index("from openai") :] if "from openai" in block and "medground serve" in block else block
        for block in code
    ]
    examples = [block for block in code if re.match(r"\s*(?:from|stream|client)\b", block)]
    assert len(examples) == 4
    library(tmp_path)
    names: dict[str, Any] = {}
    with live_server(tmp_path, "heart") as address:
        for example in examples:
            exec(example.replace("http://127.0.0.1:8123", address), names)  # the page's own code
        names["client"].close()
    printed = capsys.readouterr().out
    assert printed.startswith("**What the sources say**")
    assert "https://pubmed.ncbi.nlm.nih.gov/1/" in printed
    assert names["agent"].model.model_name == "ground"
