"""Reports of runs, as Markdown and as one self-contained HTML page."""

from __future__ import annotations

from medground.evaluate.report.content import Report, read_report
from medground.evaluate.report.files import write_report

__all__ = ["Report", "read_report", "write_report"]
