"""Writing a report."""

from __future__ import annotations

from pathlib import Path

from medground.durable import write_whole
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
        write_whole(markdown, as_markdown(report))
        write_whole(page, as_html(report))
    except OSError as error:
        raise StorageFailed(
            f"{folder} cannot be written ({error.strerror or error}); name another with --out"
        ) from None
    return markdown, page
