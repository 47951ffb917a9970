"""Writing a report."""

from __future__ import annotations

from pathlib import Path

from medground.errors import StorageFailed
from medground.evaluate.report.content import Report
from medground.evaluate.report.markdown import as_markdown
from medground.evaluate.report.page import as_html


def write_report(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write `report.md` and `report.html` into a folder, replacing existing ones.

    Raises:
        StorageFailed: the folder cannot be written.
    """
    markdown, page = folder / "report.md", folder / "report.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        markdown.write_text(as_markdown(report), encoding="utf-8")
        page.write_text(as_html(report), encoding="utf-8")
    except OSError as error:
        raise StorageFailed(
            f"{folder} cannot be written ({error.strerror or error}); name another with --out"
        ) from None
    return markdown, page
