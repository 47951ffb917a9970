"""Figures and texts of a table, as the command line prints them."""

from __future__ import annotations


def clean(text: str) -> str:
    """Text that cannot steer a terminal."""
    from medground.wording import phrases as wording  # not at the start: it is slow to import

    return wording.clean(text)


def percent(value: float | None) -> str:
    """A share in percent; `-` for none."""
    return "-" if value is None else f"{value:.1%}"


def number(value: float | None) -> str:
    """A number with three decimals; `-` for none."""
    return "-" if value is None else f"{value:.3f}"
