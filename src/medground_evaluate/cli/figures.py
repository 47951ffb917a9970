"""Figures as the command line prints them in tables."""

from __future__ import annotations


def percent(value: float | None) -> str:
    """A share in percent; `-` for None."""
    return "-" if value is None else f"{value:.1%}"


def number(value: float | None) -> str:
    """A number with three decimals; `-` for None."""
    return "-" if value is None else f"{value:.3f}"
