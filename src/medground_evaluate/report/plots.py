"""All plots, as SVG: those of a report, and the same in a notebook.

All text is escaped; only what this module creates, and Jinja2, is markup.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from markupsafe import Markup

from medground.language import clean
from medground_evaluate.compare import Comparison
from medground_evaluate.report.content import STATUSES, Report, percent, read_report, statuses_of, used_statuses

_VOID = ("img", "circle", "line", "rect")
Part = str | Markup | float


def element(tag: str, *parts: Part | Iterable[Part], **attributes: Part) -> Markup:
    """One element. `class_` becomes `class`, and `_` in names becomes `-`."""
    named = Markup().join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), clean.clean(str(value)))
        for name, value in attributes.items()
    )
    if tag in _VOID:
        return Markup("<{}{}/>").format(tag, named)
    return Markup("<{0}{1}>{2}</{0}>").format(tag, named, joined(parts))


def joined(parts: Iterable[Part | Iterable[Part]]) -> Markup:
    """The parts joined together, with texts escaped."""
    return Markup().join(map(_part, parts))


def _part(part: Part | Iterable[Part]) -> Markup | str:
    if isinstance(part, Markup):
        return part
    return clean.clean(str(part)) if isinstance(part, str | float | int) else joined(part)


WIDTH = 760
LABELS = 230
VALUES = 70
STEP = 34
TOP = 26
LONGEST = 28
"""Number of characters of a name that fit beside the plot."""


def accuracy_plot(report: Report) -> Markup:
    """Accuracies: a dot with its interval as a whisker for each run, and a dashed line at the baseline, the first."""
    base = report.baseline
    rows = [(base.name.partition(":")[0], base.share, base.low, base.high)] if base is not None else []
    known = ((row.name, row.accuracy.value, *row.accuracy.interval) for row in report.comparison.rows)
    rows += [(name, value, low, high) for name, value, low, high in known if value is not None]
    scale = _Scale(min(low for *_, low, _ in rows), max(high for *_, high in rows))
    height = TOP + STEP * len(rows) + 24
    parts: list[Part] = [*_grid(scale, height)]
    if base is not None:
        x = scale.at(base.share)
        parts.append(element("line", x1=x, x2=x, y1=TOP - 8, y2=height - 24, class_="base-line"))
    for number, (name, value, low, high) in enumerate(rows):
        y = TOP + STEP * number + STEP / 2
        kind = "base" if base is not None and number == 0 else "run"
        parts += [
            _label(name, y),
            element("line", x1=scale.at(low), x2=scale.at(high), y1=y, y2=y, class_=f"whisker {kind}"),
            element("circle", cx=scale.at(value), cy=y, r=5.5, class_=f"dot {kind}"),
            element("text", f"{100 * value:.1f} %", x=WIDTH - 4, y=y + 4, class_="value"),
        ]
    return _svg(parts, height, "Accuracy with 95 % intervals")


def status_plot(comparison: Comparison) -> Markup:
    """Shares of the statuses: a stacked bar for each run. Parts are coloured by their position in `STATUSES`."""
    span = WIDTH - LABELS - 8
    parts: list[Part] = []
    for number, row in enumerate(comparison.rows):
        y, counts = 4 + STEP * number, statuses_of(row)
        parts.append(_label(row.name, y + 13))
        total, x = sum(counts.values()) or 1, float(LABELS)
        for kind in (kind for kind in STATUSES if counts.get(kind)):
            wide = span * counts[kind] / total
            title = element("title", f"{kind}: {counts[kind]:,} of {total:,} ({100 * counts[kind] / total:.1f} %)")
            bar = element("rect", x=round(x, 1), y=y, width=round(max(wide - 1.5, 1), 1), height=20, rx=2)
            parts.append(element("g", title, bar, class_=f"part-{STATUSES.index(kind)}"))
            if wide > 44:
                share = f"{100 * counts[kind] / total:.0f} %"
                parts.append(element("text", share, x=round(x + wide / 2, 1), y=y + 14.5, class_="inside"))
            x += wide
    return _svg(parts, 4 + STEP * len(comparison.rows), "Outcomes of the questions")


def bars(rows: Sequence[tuple[str, float, str]], title: str) -> Markup:
    """A bar for each row: its name, a value of 0 or more, and the value as text."""
    span = WIDTH - LABELS - VALUES - 50
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    parts: list[Part] = []
    for number, (name, value, words) in enumerate(rows):
        y = 4 + STEP * number
        wide = span * value / most
        parts += [
            _label(name, y + 13),
            element("rect", x=LABELS, y=y, width=round(max(wide, 1), 1), height=20, rx=2, class_="bar"),
            element("text", words, x=round(LABELS + wide + 8, 1), y=y + 14.5, class_="beside"),
        ]
    return _svg(parts, 4 + STEP * len(rows), title)


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float

    def at(self, value: float) -> float:
        """The x coordinate of a value."""
        left, right = self.ends
        return round(LABELS + (value - left) / (right - left) * (WIDTH - LABELS - VALUES), 1)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis: tenths around all values, 0 to 1."""
        return max(0.0, int(self.low * 10 - 1e-9) / 10), min(1.0, (int(self.high * 10 - 1e-9) + 1) / 10)


def _grid(scale: _Scale, height: float) -> list[Part]:
    left, right = (round(end * 10) for end in scale.ends)
    parts: list[Part] = []
    for tenth in range(left, right + 1):
        x = scale.at(tenth / 10)
        parts.append(element("line", x1=x, x2=x, y1=TOP - 8, y2=height - 24, class_="grid"))
        parts.append(element("text", f"{tenth * 10} %", x=x, y=height - 8, class_="tick"))
    return parts


def _label(name: str, y: float) -> Markup:
    """A row's label. A long name loses its middle, as names often differ at the end."""
    half = LONGEST // 2
    shown = name if len(name) <= LONGEST else f"{name[:half]}…{name[-half:]}"
    return element("text", element("title", name), shown, x=LABELS - 14, y=y + 4, class_="label")


def _svg(parts: Sequence[Part], height: float, title: str) -> Markup:
    box = f"0 0 {WIDTH} {round(height, 1)}"
    return element("svg", element("title", title), parts, viewBox=box, role="img", class_="plot", aria_label=title)


def cost_plot(comparison: Comparison) -> Markup:
    """Tokens per question; seconds if no run used tokens."""
    known = [(row.name, row.cost) for row in comparison.rows if row.cost is not None]
    tokens = [(name, cost.input_tokens + cost.output_tokens) for name, cost in known]
    if any(count for _, count in tokens):
        return bars([(name, count, f"{count:,.0f} tokens") for name, count in tokens], "Tokens per question")
    seconds = [(name, cost.seconds, f"{cost.seconds:.3f} s") for name, cost in known if cost.seconds is not None]
    return bars(seconds, "Seconds per question")


def style() -> str:
    """The styles of a report and its plots: readable in light and dark mode, on paper and on a phone."""
    return (resources.files(__package__) / "report.css").read_text(encoding="utf-8")


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
            known = row.cost.seconds if row.cost else None
            seconds = "unknown" if known is None else f"{known:.3f}"
            yield row.name, percent(share.value), between, correct, seconds


def show_runs(*paths: str | Path) -> ShownRuns:
    """Runs of one data set side by side, for a notebook. All are compared with the first.

    Args:
        paths: files that `medground eval run` wrote.

    Raises UsageError: a file is not a run, or the runs have different sets or gold answers.
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
