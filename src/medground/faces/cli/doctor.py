"""`medground doctor`: what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import typer

from medground.faces.cli.terminal import say


def doctor() -> None:
    """Check this installation. Exits with 1 if something that the settings need is missing."""
    from medground.doctor import examine

    findings = examine()
    width = max(len(f.what) for f in findings)
    for finding in findings:
        mark = {"ok": "ok     ", "missing": "missing", "limited": "LIMITED", "broken": "BROKEN "}[finding.state]
        say(f"{mark}  {finding.what:<{width}}  {finding.note}")
    if any(f.state == "broken" for f in findings):
        raise typer.Exit(1)
