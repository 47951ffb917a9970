"""Reliability diagrams as one SVG: how sure a model is, against how often it is right. Read by `critic.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from lxml import etree
from lxml.builder import E
from numpy.typing import NDArray

from medground_evaluate.statistics import wilson

SIDE, GAP, LEFT, TOP = 180, 56, 44, 34
STYLE = (
    "svg{background:#fff;font:12px sans-serif}.frame{fill:none;stroke:#999}.even{stroke:#bbb;stroke-dasharray:4 4}"
    ".bar{stroke:#1f5fa8;stroke-width:1.5}.dot{fill:#1f5fa8}.name{font-weight:bold}"
)


class Bin(NamedTuple):
    """A fifth of the texts: the mean probability of what is said, how many are right, and how many there are."""

    probability: float
    right: int
    of: int


def binned(said: NDArray[np.float64], right: NDArray[np.bool_], bins: int = 5) -> list[Bin]:
    """Equal parts of the texts, from the least sure; both arrays of shape (texts,)."""
    parts = np.array_split(said.argsort(kind="stable"), bins)
    return [Bin(float(said[part].mean()), int(right[part].sum()), len(part)) for part in parts if len(part)]


def diagram(sets: Mapping[str, Sequence[Bin]], path: Path) -> None:
    """Write a panel for each set, with Wilson's intervals of 95 % and the line on which both are equal."""
    parts = [
        part for number, name in enumerate(sets) for part in _panel(LEFT + number * (SIDE + GAP), name, sets[name])
    ]
    width, height = LEFT + len(sets) * (SIDE + GAP), TOP + SIDE + 50
    title = "Mean probability of what the critic says, and share that is right"
    svg = element(
        "svg", element("title", title), element("style", STYLE), *parts,
        viewBox=f"0 0 {width} {height}", xmlns="http://www.w3.org/2000/svg", width=width, height=height,
    )  # fmt: skip
    path.write_bytes(etree.tostring(svg, encoding="utf-8") + b"\n")


def element(tag: str, *parts: str | etree._Element, **attributes: str | float) -> etree._Element:
    """An element of SVG; `class_` becomes `class`."""
    made: etree._Element = E(tag, *parts, {name.rstrip("_"): str(value) for name, value in attributes.items()})
    return made


def _panel(left: float, name: str, bins: Sequence[Bin]) -> Iterator[etree._Element]:
    def across(probability: float) -> float:
        return round(left + probability * SIDE, 1)

    def up(share: float) -> float:
        return round(TOP + (1 - share) * SIDE, 1)

    yield element("text", name, x=left, y=TOP - 12, class_="name")
    yield element("rect", x=left, y=TOP, width=SIDE, height=SIDE, class_="frame")
    yield element("line", x1=across(0), y1=up(0), x2=across(1), y2=up(1), class_="even")
    for tick in (0.0, 0.5, 1.0):
        yield element("text", f"{tick:.1f}", x=across(tick) - 8, y=TOP + SIDE + 16)
        yield element("text", f"{tick:.1f}", x=left - 26, y=up(tick) + 4)
    yield element("text", "probability", x=left + SIDE / 2 - 30, y=TOP + SIDE + 34)
    for one in bins:
        low, high = wilson(one.right, one.of)
        x = across(one.probability)
        yield element("line", x1=x, x2=x, y1=up(low), y2=up(high), class_="bar")
        yield element("circle", cx=x, cy=up(one.right / one.of), r=4, class_="dot")
