"""A call that is refused, in one line."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

E = TypeVar("E", bound=Exception)


def refused(kind: type[E], says: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> E:
    """The error of a call: of this kind, with these words (a regular expression), and in one line."""
    with pytest.raises(kind, match=says) as raised:
        call(*arguments, **options)
    assert "\n" not in str(raised.value)
    return raised.value
