"""A check of a text as SARIF 2.1.0, the form in which code hosts take findings."""

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from medground.language.clean import joined
from medground.values.finding import Finding, TextCheck
from medground.version import __version__
from medground.wording.findings import FAULTS, KINDS, Places, details, places_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(check: TextCheck, accepted: Collection[Finding] = ()) -> str:
    """The faults as errors and what was not checked as notes; `accepted` ones are marked as suppressed."""
    places = places_of(check)
    rules = [{"id": kind, "shortDescription": {"text": KINDS[kind]}} for kind in (*FAULTS, "not_checked")]
    run = {
        "tool": {"driver": {"name": "Medground", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, places, finding in accepted) for finding in check.findings if finding.kind != "supported"
        ],
    }  # fmt: skip
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _result(finding: Finding, places: Mapping[str, Places], accepted: bool) -> dict[str, Any]:
    region: dict[str, Any] = {"charOffset": finding.start, "charLength": finding.end - finding.start}
    if (known := places.get(finding.file)) is not None:
        (line, column), (last, end) = known.at(finding.start), known.at(finding.end)
        region = {"startLine": line, "startColumn": column, "endLine": last, "endColumn": end, **region}
    place = {"artifactLocation": {"uri": quote(finding.file.replace("\\", "/"))}, "region": region}
    said = ". ".join((KINDS[finding.kind], joined(finding.sentence), *map(joined, details(finding))))
    known_by = sha256(f"{finding.kind}\n{joined(finding.sentence)}".encode()).hexdigest()
    return {
        "ruleId": finding.kind,
        "level": "error" if finding.kind in FAULTS else "note",
        "message": {"text": said},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"sentence/v1": known_by},
        **({"suppressions": [{"kind": "external"}]} if accepted else {}),
    }
