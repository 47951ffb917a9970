"""A picture of a structure as SVG: its C-alpha trace on its principal plane, what is nearer drawn over what is farther.

Predictions are coloured by the bands of pLDDT in which AlphaFold DB shows them, experimental structures by chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medground.sources.proteins.structures import Residue, Structure

_SIZE, _MARGIN, _TITLE, _LINE = 600.0, 24.0, 54.0, 22.0
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


class Key(NamedTuple):
    """A line of the legend."""

    colour: str
    text: str


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
    turned = _projected(residues)
    scale = (_SIZE - 2 * _MARGIN) / max(float(np.ptp(turned[:, :2], axis=0).max()), 1.0)
    drawn = float(np.ptp(turned[:, 1])) * scale + 2 * _MARGIN
    height = _TITLE + drawn + _LINE * len(keys) + _MARGIN
    described = f"C-alpha trace of {len(structure.residues)} residues. " + "; ".join(key.text for key in keys)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif">',
        f"<title>{escape(title)}</title><desc>{escape(described)}</desc>",
        f'<rect width="{_SIZE:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        *(
            f'<text x="{_MARGIN:.0f}" y="{24 + 19 * n}" font-size="15" fill="#1a1a1a">{escape(line)}</text>'
            for n, line in enumerate(wrap(title, 70, max_lines=2, placeholder="…"))
        ),
        f'<g transform="translate(0 {_TITLE:.0f})" fill="none" stroke-linecap="round">',
        *_trace(residues, turned, colours, scale, _FARTHEST * step),
        "</g>",
        *_legend(keys, _TITLE + drawn),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _by_band(residues: Sequence[Residue]) -> tuple[list[str], list[Key]]:
    bands = [band_of(one.b) for one in residues]
    keys = [
        Key(colour, f"{told}: {100 * bands.count(number) / len(bands):.1f} % of residues")
        for number, (_, colour, told) in enumerate(_BANDS)
    ]
    return [_BANDS[number][1] for number in bands], keys


def _by_chain(residues: Sequence[Residue], chains: Sequence[str]) -> tuple[list[str], list[Key]]:
    colour = {chain: _CHAINS[number % len(_CHAINS)] for number, chain in enumerate(chains)}
    keys = [Key(colour[chain], f"Chain {chain}") for chain in chains[: len(_CHAINS)]]
    if len(chains) > len(_CHAINS):
        keys.append(Key("#ffffff", f"and {len(chains) - len(_CHAINS)} further chains, in the same colours"))
    return [colour[one.chain] for one in residues], keys


def _projected(residues: Sequence[Residue]) -> NDArray[np.float64]:
    """Coordinates along the principal axes, the widest first; the picture has y downwards.

    The sign of an axis is free: its largest component is positive, so that the picture is the same everywhere.
    """
    places = np.array([[one.x, one.y, one.z] for one in residues], dtype=np.float64)
    places -= places.mean(axis=0)
    _, axes = np.linalg.eigh(places.T @ places)
    axes = axes[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(3)])
    if np.linalg.det(axes) < 0:  # a mirror image would turn helices the wrong way
        axes[:, 2] *= -1
    turned: NDArray[np.float64] = places @ axes
    return turned


def _trace(
    residues: Sequence[Residue], turned: NDArray[np.float64], colours: Sequence[str], scale: float, farthest: float
) -> list[str]:
    """The lines between neighbours, the farthest first; what is far is paler and thinner."""
    low, high = turned.min(axis=0), turned.max(axis=0)
    xs = _SIZE / 2 + (turned[:, 0] - (low[0] + high[0]) / 2) * scale
    ys = _MARGIN + (high[1] - turned[:, 1]) * scale
    depth = (turned[:, 2] - low[2]) / max(float(high[2] - low[2]), 1.0)
    drawn = [(float(depth[0]), 0, 0)] if len(residues) == 1 else []
    for n in range(len(residues) - 1):
        apart = float(np.linalg.norm(turned[n + 1] - turned[n]))
        if residues[n].chain == residues[n + 1].chain and apart <= farthest:
            drawn.append((float(depth[n] + depth[n + 1]) / 2, n, n + 1))
    lines = []
    for near, first, last in sorted(drawn):
        path = f'<path d="M{xs[first]:.1f} {ys[first]:.1f}L{xs[last]:.1f} {ys[last]:.1f}"'
        thick = min(max(1.5 * scale, 1.5), 7.0) * (0.6 + 0.4 * near)
        lines.append(f'{path} stroke="#ffffff" stroke-width="{thick + 1.6:.1f}" stroke-linecap="butt"/>')
        lines.append(f'{path} stroke="{_paler(colours[first], 0.45 * (1 - near))}" stroke-width="{thick:.1f}"/>')
    return lines


def _paler(colour: str, share: float) -> str:
    mixed = (round(int(colour[n : n + 2], 16) * (1 - share) + 255 * share) for n in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _legend(keys: Sequence[Key], top: float) -> list[str]:
    lines = []
    for n, key in enumerate(keys):
        y = top + _LINE * n
        lines.append(f'<rect x="{_MARGIN:.0f}" y="{y:.0f}" width="14" height="14" fill="{key.colour}"/>')
        lines.append(
            f'<text x="{_MARGIN + 22:.0f}" y="{y + 12:.0f}" font-size="13" fill="#1a1a1a">{escape(key.text)}</text>'
        )
    return lines
