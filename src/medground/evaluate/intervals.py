"""Confidence intervals of shares."""

from __future__ import annotations

import math

Z95 = 1.959963984540054


def wilson(right: int, of: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval of `right / of`, 95 % by default; (0, 1) if `of` is 0.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    """
    if of == 0:
        return 0.0, 1.0
    share = right / of
    scale = 1 + z * z / of
    middle = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
