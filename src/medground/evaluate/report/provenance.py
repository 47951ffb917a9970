"""How each run was made: everything in its header that could change the results."""

from __future__ import annotations

from medground.evaluate.base import RunHeader
from medground.evaluate.report.content import Report
from medground.evaluate.report.elements import Markup, Part, element


def provenance(report: Report) -> list[Part]:
    """A heading and one folded table per run."""
    named = zip(report.comparison.rows, report.headers, strict=True)
    return [element("h2", "How the runs were made"), *(_of(row.name, header) for row, header in named)]


def facts(header: RunHeader) -> list[tuple[str, str]]:
    """Names and values from the header."""
    return [
        ("recipe", header.recipe),
        ("model", header.versions.get("model", header.model)),
        ("settings", header.settings_hash),
        ("prompts", header.prompts_hash),
        ("corpora", ", ".join(f"{name} {digest[:12]}" for name, digest in header.snapshots.items()) or "none"),
        ("data", f"{header.dataset} {header.dataset_hash[:12]}, split {header.split}"),
        ("versions", ", ".join(f"{k} {v}" for k, v in header.versions.items() if k != "model")),
        ("started", header.started),
        *(("accepted", difference) for difference in header.accepted),
    ]


def _of(name: str, header: RunHeader) -> Markup:
    rows = (element("tr", element("th", key), element("td", element("code", value))) for key, value in facts(header))
    return element("details", element("summary", name), element("table", element("tbody", *rows)))
