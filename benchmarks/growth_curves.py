"""Draws what `growth.py` measured, and prints it as tables: `growth-cost.svg` and `growth-search.svg`.

    python benchmarks/growth_curves.py docs/images

Dashed is not measured: it is the power law through the two largest sizes that were, up to all of PubMed (76 million
passages), or for a node of Solr up to one shard (10 million).
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground_evaluate.report.plots import Part, element

Line = dict[str, Any]
PUBMED, SHARD = 76_000_000, 10_000_000
WIDE, HIGH, LEFT, TOP = 330, 240, 50, 34
STYLE = """
:root{color-scheme:light dark;--ink:#16181d;--soft:#5c6370;--rule:#e3e4e8;--ground:#fcfcfb;
--a:#1f6feb;--b:#8db8f7;--c:#b4540a;--d:#18794e;--e:#8b3fb0;--f:#e39a55}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#9aa3b2;--rule:#2c3138;--ground:#121417;
--a:#6aa6ff;--b:#3a68a8;--c:#f0a35e;--d:#4fc38a;--e:#cf8df0;--f:#8a5a2b}}
svg{background:var(--ground);font:12px system-ui,sans-serif}text{fill:var(--ink)}.soft{fill:var(--soft);font-size:11px}
.end{text-anchor:end}.mid{text-anchor:middle}.name{font-weight:650}.grid{stroke:var(--rule)}
.line{fill:none;stroke-width:2}.far{stroke-dasharray:4 4;opacity:.7}.p95{stroke-width:1;opacity:.6}
""" + "".join(f".{c}{{stroke:var(--{c})}}circle.{c}{{fill:var(--{c});stroke:none}}" for c in "abcdef")


@dataclass(frozen=True)
class Curve:
    """One measure of one system."""

    name: str
    colour: str
    job: str
    value: Callable[[Line], float]
    light: bool = False

    def points(self, lines: Sequence[Line]) -> list[tuple[int, float]]:
        return sorted((one["size"], self.value(one)) for one in lines if one["job"] == self.job)

    def beyond(self, points: Sequence[tuple[int, float]]) -> tuple[int, float] | None:
        """Where the power law through the last two sizes ends."""
        end = SHARD if self.job.startswith("solr") else PUBMED
        if len(points) < 2:
            return None
        (a, low), (b, high) = points[-2:]
        return end, high * (end / b) ** max(0.0, math.log(high / low) / math.log(b / a))


def memory(kind: str) -> Callable[[Line], float]:
    return lambda one: float(sum(one["memory"][kind].values()) - sum(one["started"].values()))


def search(kind: str, place: str) -> Callable[[Line], float]:
    return lambda one: float(one[kind][place])


def folder_words(one: Line) -> float:
    """Disk without what only vectors need."""
    return math.fsum(size for name, size in one["disk"].items() if name != "all" and not name.startswith("vectors"))


WORDS, BOTH, TANTIVY, BM25S = "folder, words", "folder, words and vectors", "raw Tantivy", "bm25s"
SOLR_WORDS, SOLR = "Solr, words", "Solr, words and vectors"
COSTS = {
    "Build, CPU seconds": [
        Curve(WORDS, "a", "embedded_build", lambda one: one["build"]["until index"]),
        Curve(BOTH, "b", "embedded_build", lambda one: one["build"]["cpu"]),
        Curve(SOLR_WORDS, "f", "solr_words_build", lambda one: one["build"]["cpu"]),
        Curve(SOLR, "c", "solr_build", lambda one: one["build"]["cpu"]),
        Curve(TANTIVY, "d", "tantivy_build", lambda one: one["build"]["cpu"]),
        Curve(BM25S, "e", "bm25s_build", lambda one: one["build"]["cpu"]),
    ],
    "Disk, MB": [
        Curve(WORDS, "a", "embedded_build", folder_words),
        Curve(BOTH, "b", "embedded_build", lambda one: one["disk"]["all"]),
        Curve(SOLR_WORDS, "f", "solr_words", lambda one: one["disk"]["all"]),
        Curve(SOLR, "c", "solr", lambda one: one["disk"]["all"]),
        Curve(TANTIVY, "d", "tantivy_build", lambda one: one["disk"]["all"]),
        Curve(BM25S, "e", "bm25s_build", lambda one: one["disk"]["all"]),
    ],
    "Memory beyond the start, MB": [
        Curve(WORDS, "a", "embedded", memory("words")),
        Curve(BOTH, "b", "embedded", memory("both")),
        Curve(TANTIVY, "d", "tantivy_alone", memory("words")),
        Curve(BM25S, "e", "bm25s_alone", memory("words")),
    ],
}
SYSTEMS = (
    ("folder", "a", "embedded"),
    (SOLR, "c", "solr"),
    (SOLR_WORDS, "f", "solr_words"),
    (TANTIVY, "d", "tantivy_alone"),
    (BM25S, "e", "bm25s_alone"),
)


def searched(kind: str) -> list[Curve]:
    """CPU time of one kind of search in the systems that have it."""
    have = SYSTEMS[: 5 if kind == "words" else 4 if kind.startswith("words") else 2]
    return [
        Curve(name, colour, job, search(kind, f"cpu {place}"), place == "p95")
        for name, colour, job in have
        for place in ("p50", "p95")
    ]


KINDS = ("words", "words, 30 %", "words, 1 %", "hybrid", "hybrid, 30 %", "hybrid, 1 %")
SEARCHES = {f"{kind.capitalize()}: CPU ms of a search": searched(kind) for kind in KINDS}


def panel(title: str, curves: Sequence[Curve], lines: Sequence[Line], at: tuple[float, float]) -> list[Part]:
    """One plot with two logarithmic axes."""
    drawn = [(curve, points) for curve in curves if (points := curve.points(lines))]
    ends = [end for curve, points in drawn if (end := curve.beyond(points)) and not curve.light]
    values = [value for _, points in drawn for _, value in points] + [value for _, value in ends]
    low, high = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
    wide, tall = WIDE - LEFT - 24, HIGH - TOP - 44

    def place(size: float, value: float) -> tuple[float, float]:
        x = (math.log10(size) - 4) / (math.log10(PUBMED) - 4)
        y = (math.log10(value) - low) / max(1, high - low)
        return round(at[0] + LEFT + x * wide, 1), round(at[1] + TOP + (1 - y) * tall, 1)

    parts: list[Part] = [element("text", title, x=at[0] + LEFT, y=at[1] + 20, class_="name")]
    for size, word in ((1e4, "10 k"), (1e5, "100 k"), (1e6, "1 M"), (1e7, "10 M"), (PUBMED, "76 M")):
        x, bottom = place(size, 10**low)
        parts.append(element("line", x1=x, x2=x, y1=at[1] + TOP, y2=bottom, class_="grid"))
        parts.append(element("text", word, x=x, y=bottom + 15, class_="soft mid"))
    for power in range(low, high + 1):
        x, y = place(1e4, 10**power)
        parts.append(element("line", x1=x, x2=x + wide, y1=y, y2=y, class_="grid"))
        parts.append(element("text", short(power), x=x - 6, y=y + 4, class_="soft end"))
    for curve, points in drawn:
        places, kind = [place(*point) for point in points], f"line {curve.colour}{' p95' if curve.light else ''}"
        parts.append(path(places, kind))
        if (end := curve.beyond(points)) and not curve.light:
            parts.append(path([places[-1], place(*end)], f"{kind} far"))
        told = f"{curve.name}{', p95' if curve.light else ''}"
        for (size, value), (x, y) in zip(points, places, strict=True):
            label = element("title", f"{told}, {size:,} passages: {value:,.3g}")
            parts.append(
                element("g", label, element("circle", cx=x, cy=y, r=2 if curve.light else 3.5, class_=curve.colour))
            )
    return parts


def short(power: int) -> str:
    """A power of ten, as 100 k."""
    return f"{10.0 ** (power % 3 if power > 2 else power):g}{('', ' k', ' M')[max(0, power) // 3]}"


def path(places: Sequence[tuple[float, float]], kind: str) -> Part:
    return element("path", d="M" + "L".join(f"{x},{y}" for x, y in places), class_=kind)


def picture(title: str, panels: dict[str, list[Curve]], lines: Sequence[Line]) -> str:
    """Plots in rows of three, with a key above."""
    parts: list[Part] = [element("title", title)]
    x = float(LEFT)
    for name, colour in dict.fromkeys((c.name, c.colour) for curves in panels.values() for c in curves):
        parts += [element("circle", cx=x, cy=14, r=4, class_=colour), element("text", name, x=x + 9, y=18)]
        x += 30 + 6 * len(name)
    note = "thin: p95; " if any(c.light for curves in panels.values() for c in curves) else ""
    parts.append(element("text", f"{note}dashed: not measured", x=x + 10, y=18, class_="soft"))
    for number, (name, curves) in enumerate(panels.items()):
        parts += panel(name, curves, lines, (number % 3 * WIDE, 24 + number // 3 * HIGH))
    box = f"0 0 {3 * WIDE} {24 + math.ceil(len(panels) / 3) * HIGH}"
    return element("svg", element("style", STYLE), parts, xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img")


def figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cell(one: Line, curve: Curve, late: Curve | None) -> str:
    """A figure; of a search the median and the 95th percentile."""
    return figure(curve.value(one)) + (f" / {figure(late.value(one))}" if late else "")


def tables(lines: Sequence[Line]) -> None:
    """The same as Markdown, then the time that passed."""
    sizes = sorted({one["size"] for one in lines})
    head, rule = " | ".join(f"{size:,}" for size in sizes), " --- |" * (len(sizes) + 2)
    for told, panels in (("costs", COSTS), ("CPU ms of a search, p50 / p95", SEARCHES)):
        print(f"\n| {told} | {head} | by the power law |\n|{rule}")
        for title, curve in ((title, one) for title, curves in panels.items() for one in curves if not one.light):
            late = next((one for one in panels[title] if one.light and one.name == curve.name), None)
            at = {one["size"]: cell(one, curve, late) for one in lines if one["job"] == curve.job}
            end = curve.beyond(curve.points(lines))
            far = f"{end[0] / 1e6:.0f} million: {figure(end[1])}" if end else ""
            name = f"{title.partition(':')[0]}: {curve.name}"
            print(f"| {name} | {' | '.join(at.get(size, '') for size in sizes)} | {far} |")
    print(f"\n| ms p50 / p95 that passed; recall at 10 | {head} |\n|{rule.removesuffix(' --- |')}")
    for kind in (*KINDS[:3], "vectors", "vectors, 30 %", "vectors, 1 %", *KINDS[3:]):
        for name, _, job in SYSTEMS:
            at = {one["size"]: passed(one[kind]) for one in lines if one["job"] == job and kind in one}
            if at:
                print(f"| {kind.capitalize()}: {name} | {' | '.join(at.get(size, '') for size in sizes)} |")


def passed(found: Line) -> str:
    recall = f"; {found['recall']:.3f}" if "recall" in found else ""
    return f"{figure(found['p50'])} / {figure(found['p95'])}{recall}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=Path)
    options = parser.parse_args()
    lines = [json.loads(line) for line in Path(__file__).with_name("growth.jsonl").read_text().splitlines()]
    for name, title, panels in (("cost", "What passages cost", COSTS), ("search", "What a search costs", SEARCHES)):
        (options.images / f"growth-{name}.svg").write_text(picture(title, panels, lines) + "\n", encoding="utf-8")
    tables(lines)


if __name__ == "__main__":
    main()
