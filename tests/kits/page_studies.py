"""A home for the researcher's views: studies, answers with stances, a report with a structure, a trace with costs."""

import math
from pathlib import Path

from rows import tables
from studies import STUDIES, answered, study

from medground.answering.trace import Trace
from medground.engine.answers import Answers
from medground.home.kept_files import Attachments
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.values.report import Report
from medground.values.steps import Asking, ReadingBatch, Searching

TABLES = tables(__file__)

JUDGED, UNJUDGED, REPORTED, DATALESS = "20260105-judged", "20260106-unjudged", "20260107-report", "20260108-gone"
DOZEN = "20260109-dozen"


def keep_studies(home: Path) -> None:
    """Keep the answers and a trace; the corpus `test` with the studies is built by the test."""
    kept = Answers(home)
    kept.keep(answered(["supports", "contradicts", "mixed", "supports", "contradicts"], trace_id=JUDGED))
    kept.keep(answered(trace_id=UNJUDGED))
    dozen = [study(n, {"RESULTS": f"Falls were counted. In study {n} they fell."}) for n in range(1, 13)]
    kept.keep(answered(["supports", "contradicts"], dozen, trace_id=DOZEN))
    kept.keep(_report(home))
    lost = STUDIES[0].model_copy(update={"id": "PMID:999"})
    kept.keep(answered(studies=(lost, STUDIES[1]), trace_id=DATALESS))
    _trace(home)


def _report(home: Path) -> Answer:
    plain = answered(["supports", "contradicts"], trace_id=REPORTED, recipe="biomedsearch")
    structure = Attachments(home).keep(
        helix_file(40).encode(), name="P11473.pdb", media_type="chemical/x-pdb", title="Vitamin D receptor"
    )
    content, end = TABLES["report"], len(plain.rationale)
    findings, limitations = content["sections"]
    sections = findings | {"start": 0, "end": end}, limitations | {"start": end, "end": end}
    report = Report.model_validate(content | {"sections": sections, "attachments": (structure,)})
    return Answer.model_validate(plain.model_copy(update={"report": report}).model_dump())


_BACKBONE = (("N", 1.55, -27.7, -0.9), ("CA", 2.28, 0.0, 0.0), ("C", 1.66, 26.5, 1.12), ("O", 2.03, 20.8, 2.31))
"""Atoms of a helix: distance from its axis, angle and place along it."""


def helix_file(residues: int) -> str:
    """A PDB file of an alpha helix of alanine along the x axis, with its whole backbone."""
    lines, number = [], 0
    for residue in range(residues):
        for name, radius, angle, along in _BACKBONE:
            number += 1
            turn = math.radians(100 * residue + angle)
            x, y, z = 1.5 * residue + along, radius * math.cos(turn), radius * math.sin(turn)
            place = f"{x:8.3f}{y:8.3f}{z:8.3f}"
            lines.append(f"ATOM  {number:5}  {name:<3} ALA A{residue + 1:4}    {place}  1.00 80.00{name[0]:>12}")
    return "\n".join([*lines, "TER", "END", ""])


def _trace(home: Path) -> None:
    settings = Settings.load(options={"home": home})
    trace = Trace(JUDGED, home / "traces" / f"{JUDGED}.jsonl", settings)
    with trace.span("recipe ground"):
        with trace.step(Searching(source="corpus:test", query="vitamin D")) as search:
            search.set(hits=["a"])
        with trace.step(ReadingBatch(documents=("PMID:1", "PMID:2"))):
            with trace.step(Asking(operator="extract", model="openai:gpt-5")) as call:
                call.genai(usage_input_tokens=1200, usage_output_tokens=80)
                call.set(cached=False, price="0.0042")
            with trace.step(Asking(operator="screen", model="keyless")):
                pass
    trace.close()
