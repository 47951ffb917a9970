"""A picture of a structure as SVG: its C-alpha trace on its principal plane, nearer parts drawn over farther ones."""

import math
from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from medground.sources.proteins.records import templates
from medground.sources.proteins.structures import Residue, Structure

_SIDE = 552.0
"""Points of the longer side of a trace, in a picture of 600."""
_BANDS = (
    (90.0, "#0053d6", "Very high (pLDDT 90 or more)"),
    (70.0, "#65cbf3", "High (pLDDT 70 to under 90)"),
    (50.0, "#ffdb13", "Low (pLDDT 50 to under 70)"),
    (0.0, "#ff7d45", "Very low (pLDDT under 50)"),
)
"""A bound belongs to the band above it, so that the shares are those that AlphaFold DB gives of the same file."""
_CHAINS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#525252")
_FARTHEST = 4.6
"""Angstroms between neighbours in a chain; farther apart, residues between them are missing."""
_MOST_DRAWN = 4000


def band_of(plddt: float) -> int:
    """The band of a pLDDT, 0 (very high) to 3 (very low)."""
    return next(number for number, (least, _, _) in enumerate(_BANDS) if plddt >= least or number == len(_BANDS) - 1)


def picture(structure: Structure, title: str, *, predicted: bool) -> str:
    """The structure as an SVG image with a title, which screen readers read too, and a legend.

    `predicted`: the B-factor column is pLDDT.
    """
    step = -(-len(structure.residues) // _MOST_DRAWN)
    residues = structure.residues[::step]
    colours, keys = _by_band(residues) if predicted else _by_chain(residues, structure.chains)
    places = _projected(residues)
    places -= places.min(axis=0)
    wide, tall, deep = places.max(axis=0).tolist()
    points = [(one.chain, colour, place) for one, colour, place in zip(residues, colours, places.tolist(), strict=True)]
    neighbours = (
        (one, other)
        for one, other in pairwise(points)
        if one[0] == other[0] and math.dist(one[2], other[2]) <= _FARTHEST * step
    )
    lines = [((one[2][2] + other[2][2]) / 2 / max(deep, 1.0), one[2], other[2], one[1]) for one, other in neighbours]
    lines = lines or [(1.0, points[0][2], points[0][2], colours[0])]
    return (
        templates()
        .get_template("structure.svg")
        .render(
            title=title,
            heading=wrap(title, 70, max_lines=2, placeholder="…"),
            residues=len(structure.residues),
            keys=keys,
            lines=[(near, one, other, _paler(colour, 0.45 * (1 - near))) for near, one, other, colour in sorted(lines)],
            wide=wide,
            tall=tall,
            scale=_SIDE / max(wide, tall, 1.0),
        )
    )


def _by_band(residues: Sequence[Residue]) -> tuple[list[str], list[tuple[str, str]]]:
    bands = [band_of(residue.b) for residue in residues]
    keys = [
        (colour, f"{told}: {100 * bands.count(number) / len(bands):.1f} % of residues")
        for number, (_, colour, told) in enumerate(_BANDS)
    ]
    return [_BANDS[number][1] for number in bands], keys


def _by_chain(residues: Sequence[Residue], chains: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    colour = {chain: _CHAINS[number % len(_CHAINS)] for number, chain in enumerate(chains)}
    keys = [(colour[chain], f"Chain {chain}") for chain in chains[: len(_CHAINS)]]
    if len(chains) > len(_CHAINS):
        keys.append(("#ffffff", f"and {len(chains) - len(_CHAINS)} further chains, in the same colours"))
    return [colour[residue.chain] for residue in residues], keys


def _projected(residues: Sequence[Residue]) -> NDArray[np.float64]:
    """Coordinates along the principal axes, the widest first; the picture has y downwards.

    The sign of an axis is free: its largest component is positive, so that the picture is the same everywhere.
    """
    places = np.array([[residue.x, residue.y, residue.z] for residue in residues], dtype=np.float64)
    places -= places.mean(axis=0)
    _, axes = np.linalg.eigh(places.T @ places)
    axes = axes[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(3)])
    if np.linalg.det(axes) < 0:  # a mirror image would turn helices the wrong way
        axes[:, 2] *= -1
    turned: NDArray[np.float64] = places @ axes
    return turned


def _paler(colour: str, share: float) -> str:
    mixed = (round(int(colour[n : n + 2], 16) * (1 - share) + 255 * share) for n in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in mixed)
