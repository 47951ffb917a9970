"""NCBI's rate limits."""

from __future__ import annotations

from medground.fetching.pace import Pace, shared_pace

PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
"""Requests per second that NCBI allows one IP address, without and with an API key."""


def ncbi_pace(address: str, *, with_key: bool) -> Pace:
    """The pace that the process shares for an address."""
    return shared_pace(address, PER_SECOND_WITH_KEY if with_key else PER_SECOND)
