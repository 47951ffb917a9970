"""The simplest possible source, as someone might write for a project of their own, passes the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medground.sources.base import Source
from medground.testing import DOCUMENTS, SourceContract


class TestMemorySource(SourceContract):
    @pytest.fixture
    def make(self, memory_source: Any) -> Callable[[], Source]:
        return lambda: memory_source(DOCUMENTS)
