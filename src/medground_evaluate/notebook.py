"""Evaluation runs in a notebook: accuracy with intervals, outcomes and cost, plotted as `eval report` plots them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from medground_evaluate.report.content import Report, percent, read_report, used_statuses
from medground_evaluate.report.figures import accuracy_plot, cost_plot, element, status_plot
from medground_evaluate.report.pages import style

_OWN = "svg.plot{background:var(--ground);font:13px system-ui,sans-serif;margin:0;max-width:none}"
"""What the page of a report gives its plots, and an image by itself lacks."""


@dataclass(frozen=True)
class ShownRuns:
    """Runs of one data set, which show themselves in a notebook: a table, then plots. `report` has the figures."""

    report: Report

    def svg(self) -> dict[str, str]:
        """The plots as SVG files by name: `accuracy`, `outcomes`, `cost`. They follow light and dark by themselves."""
        comparison = self.report.comparison
        drawn = {"outcomes": status_plot(comparison), "cost": cost_plot(comparison)}
        if any(row.accuracy.of for row in comparison.rows):
            drawn = {"accuracy": accuracy_plot(self.report), **drawn}
        return {name: _file(plot) for name, plot in drawn.items()}

    def __repr__(self) -> str:
        return "\n".join(" ".join(row) for row in self._rows())

    def _repr_html_(self) -> str:
        """A table of the figures, and each plot as an image: an untrusted notebook shows images, and no inline SVG."""
        names = ("run", "accuracy", "95 %", "correct", "seconds each")
        head = element("tr", *(element("th", name) for name in names))
        rows = (element("tr", *(element("td", cell) for cell in row)) for row in self._rows())
        table = element("table", element("thead", head), element("tbody", *rows))
        captions = {
            "accuracy": "Accuracy with 95 % intervals; the dashed line is the baseline",
            "outcomes": f"Outcomes of the questions, from the left: {', '.join(used_statuses(self.report.comparison))}",
            "cost": "Cost of a question",
        }
        images = (_image(svg, captions[name]) for name, svg in self.svg().items())
        return element("div", table, *images)

    def _rows(self) -> Iterator[Sequence[str]]:
        for row in self.report.comparison.rows:
            share = row.accuracy
            low, high = share.interval if share.of else (0.0, 1.0)
            correct = f"{share.right:,} of {share.of:,}"
            between = f"{percent(low)} to {percent(high)}"
            yield row.name, percent(share.value), between, correct, f"{row.cost.seconds:.3f}"


def show_runs(*paths: str | Path) -> ShownRuns:
    """Runs of one data set side by side, for a notebook. All are compared with the first.

    Args:
        paths: files that `medground eval run` wrote.

    Raises:
        UsageError: a file is not a run, or the runs have different sets or gold answers.
    """
    return ShownRuns(read_report([Path(path) for path in paths]))


def _file(plot: Markup) -> str:
    inside = plot.removeprefix("<svg")
    start, _, rest = inside.partition(">")
    return f'<svg xmlns="http://www.w3.org/2000/svg"{start}><style>{style()}{_OWN}</style>{rest}'


def _image(svg: str, caption: str) -> Markup:
    content = b64encode(svg.encode()).decode()
    style = "display:block;max-width:760px;width:100%;margin:2px 0 12px"
    image = element("img", src=f"data:image/svg+xml;base64,{content}", alt=caption, style=style)
    return element("div", f"{caption}.", image)
