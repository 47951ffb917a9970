"""docs/how-to/upgrade.md with kept homes of each version: copied, upgraded by a server, and rolled back."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from live_server import serving
from small_service import tokens_of

pytest.importorskip("fastapi", reason="needs the extra serve")
import httpx2

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "upgrade.md").read_text(encoding="utf-8")
HOMES = ROOT / "tests" / "faces" / "cli" / "homes"


def typed(heading: str) -> None:
    """Type the commands below a heading of the page, without those of a database."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert section is not None
    blocks = [block for block in re.findall(r"^```bash\n(.*?)^```", section[1], re.M | re.S) if "pg_" not in block]
    assert blocks
    for block in blocks:
        subprocess.run(["bash", "-euo", "pipefail", "-c", block], check=True)


def contents(home: Path) -> dict[str, str]:
    """The hash of each file of a home."""
    files = (path for path in home.rglob("*") if path.is_file())
    return {path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, ("bash", "tar", "find"))), reason="needs bash, tar and find")
@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_a_kept_home_is_upgraded_and_rolled_back_as_the_page_says(
    version: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: None
) -> None:
    home.mkdir()
    monkeypatch.chdir(tmp_path)
    with tarfile.open(HOMES / f"{version}.tar.gz") as packed:
        packed.extractall(home, filter="data")
    before = contents(home)
    answers = {path.stem for path in (home / "answers").iterdir()}
    typed("Copy")
    with tokens_of(home) as tokens:
        assert [token.role for token in tokens.list() if token.revoked is None]
        known = {"Authorization": f"Bearer {tokens.create('operator', role='admin')}"}
    with (
        serving("-c", "papers", "--set", "serve.log=off", "--no-browser", command="web") as (_, address),
        httpx2.Client(base_url=address, headers=known, timeout=60) as client,
    ):
        assert client.get("/readyz").status_code == 200
        asked = client.post("/v1/ask", json={"question": "Does zotromab reduce migraine days?"})
        assert asked.json()["evidence"]
        assert len(client.get("/v1/tokens").json()["tokens"]) >= 6
    assert answers < {path.stem for path in (home / "answers").iterdir()}
    for name in answers:
        json.loads((home / "answers" / f"{name}.json").read_bytes())
    assert os.environ["MEDGROUND_HOME"] == str(home)
    typed("Roll back")
    assert contents(home) == before
    with tarfile.open(tmp_path / "after-upgrade.tar") as kept:  # what was done since is not thrown away
        assert f"./answers/{asked.json()['trace_id']}.json" in kept.getnames()
