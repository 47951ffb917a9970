"""Figures and texts as the command line prints them in tables."""

from __future__ import annotations


def clean(text: str) -> str:
    """Text without terminal control characters."""
    from medground.wording import phrases as wording  # imported here because it is slow to import

    return wording.clean(text)


def one_line(text: str) -> str:
    """Text without terminal control characters, on one line: the name of a file may hold line breaks and worse.

    Spaces that align columns stay.
    """
    return clean(text).replace("\n", " ")


def percent(value: float | None) -> str:
    """A share in percent; `-` for None."""
    return "-" if value is None else f"{value:.1%}"


def number(value: float | None) -> str:
    """A number with three decimals; `-` for None."""
    return "-" if value is None else f"{value:.3f}"
