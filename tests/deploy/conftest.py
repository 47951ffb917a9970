"""Tests that are async functions."""

from awaited import pytest_pyfunc_call  # noqa: F401
