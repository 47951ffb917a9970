"""A citation is the same on every surface of a server, and a retracted source is marked on each.

`benchmarks/citations.py` and `benchmarks/retractions.py` do the same with real questions and papers.
"""

from __future__ import annotations

from pathlib import Path

import httpx
import surfaces
from heart import QUESTION, library
from live_server import live_server

QUESTIONS = (
    QUESTION,
    "Does aspirin prevent stroke?",
    "What did aspirin do to gout attacks?",
    "Did asthma worsen in children?",
    "Was migraine less frequent with aspirin?",
    "Does headache go away within hours?",
    "Did fever fall?",
    "Which town took part in the study of aspirin and stroke?",
    "Did myocardial infarction fall by a fifth?",
    "Is xylophone music louder than a trumpet?",
)


def test_citations_and_marks_of_retraction_are_the_same_on_every_surface(tmp_path: Path, loopback: None) -> None:
    library(tmp_path)
    with live_server(tmp_path, "heart") as address, httpx.Client(base_url=address, timeout=60) as client:
        citations_are_the_same(client)
        a_retracted_source_is_marked(client)


def citations_are_the_same(client: httpx.Client) -> None:
    cited = 0
    for number, question in enumerate(QUESTIONS):
        forms = surfaces.PAGES if number == 0 else ("markdown",)
        found = surfaces.compared(client, question, forms)
        cited += found.pop("citations")
        assert not any(found.values()), (question, found)
    assert cited >= len(QUESTIONS)


def a_retracted_source_is_marked(client: httpx.Client) -> None:
    found = surfaces.marked(client, "Did myocardial infarction vanish altogether with aspirin?", "PMID:9")
    assert all(all(marks) for marks in found.values()), found
    shown = {surface for surface, marks in found.items() if marks}
    assert shown == set(found) - set(surfaces.REFERENCES)  # a list of references holds what is quoted, and it is not
