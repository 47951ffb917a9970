"""NCBI's own client, EDirect, against our server: whole sessions in a shell."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medground.values.document import Document

pytestmark = pytest.mark.skipif(shutil.which("esearch") is None, reason="needs NCBI's EDirect (ncbi-entrez-direct)")
COMMANDS = ("esearch", "efetch", "elink", "epost", "esummary", "efilter", "einfo")
Shell = Callable[[str], str]


@pytest.fixture
def shell_of(tmp_path: Path) -> Callable[[str], Shell]:
    """A shell whose EDirect asks a server. Its commands call each other without `-base`, so each stands behind one."""

    def make(address: str) -> Shell:
        for name in COMMANDS:
            script = tmp_path / name
            script.write_text(f'#!/bin/sh\nexec {shutil.which(name)} "$@" -base {address}/entrez/eutils/\n')
            script.chmod(0o755)
        known = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "NCBI_API_KEY": "none", "HOME": str(tmp_path)}

        def run(line: str) -> str:
            done = subprocess.run(
                ["sh", "-c", line], env=known, capture_output=True, text=True, timeout=120, check=True
            )
            assert "ERROR" not in done.stderr and "FAILURE" not in done.stderr, done.stderr
            return done.stdout.strip()

        return run

    return make


@pytest.mark.shared
def test_a_session(real_server: str, shell_of: Callable[[str], Shell], loopback: None) -> None:
    """Searched, filtered, fetched, linked, posted, summarised, cited."""
    run = shell_of(real_server)
    found = run('esearch -db pubmed -query "asthma" | efetch -format uid').split()
    assert len(found) == 3 and "29768149" in found
    assert run('esearch -db pubmed -query "asthma" | efilter -pub english -query "review[pt]" | efetch -format uid')
    fetched = run("epost -db pubmed -id '9997 12091962,11748933' | efilter -query 'humans[mh]' | efetch -format uid")
    assert set(fetched.split()) <= {"9997", "12091962", "11748933"} and fetched
    extract = "xtract -pattern PubmedArticle -element MedlineCitation/PMID Journal/Title"
    assert run(f"efetch -db pubmed -id 9997 -format xml | {extract}").startswith("9997\t")
    assert "PMID- 9997" in run("efetch -db pubmed -id 9997 -format medline")
    assert run("esummary -db pubmed -id 9997 | xtract -pattern DocumentSummary -element Id") == "9997"
    assert "pubmed_pubmed" in run("elink -db pubmed -id 9997 -cmd acheck | xtract -pattern IdLinkSet -element LinkName")
    links = run("elink -db pubmed -id 29768149 -cmd prlinks | xtract -pattern IdUrlSet -element ObjUrl/Url")
    assert links.startswith("https://doi.org/10.")
    every = run("elink -db pubmed -id 29768149 -cmd llinks | xtract -pattern ObjUrl -element ObjUrl/Url").split()
    assert links in every
    checks = "xtract -pattern IdCheckList -element Id@HasNeighbor,Id@HasLinkOut,Id"
    assert run(f"elink -db pubmed -id 9997,5 -cmd ncheck | {checks}").split() == ["N", "Y", "5", "9997"]
    assert run(f"elink -db pubmed -id 29768149 -cmd lcheck | {checks}").split() == ["Y", "29768149"]
    assert len(run("elink -db pubmed -id 9997 -related | efetch -format uid").split()) > 1
    cited = f"nquire -url {real_server}/entrez/eutils/ ecitmatch.cgi -db pubmed -retmode xml -bdata"
    assert run(f"{cited} 'biochim biophys acta|1976|446|179|strekas tc|one|'").endswith("|one|9997")
    assert run(f"{cited} 'biochim biophys acta|1977|446|179|strekas tc|two|'").endswith("|two|NOT_FOUND")


def test_more_than_ten_thousand_are_found_by_ranges_of_pmids(
    serve: Any, catalogue_of: Any, shell_of: Callable[[str], Shell], loopback: None
) -> None:
    records = [
        Document(id=f"PMID:{n}", title=f"Study {n} of zebras", text=f"Study {n} of zebras") for n in range(1, 12_501)
    ]
    with serve(catalogue_of(records)) as address:
        run = shell_of(address)
        assert run('esearch -db pubmed -query "zebras" | efetch -format uid | sort -n | uniq | wc -l') == "12500"
