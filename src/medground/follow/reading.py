"""How a follow-up question reads by itself: what it points at is put in its place.

The forms that are read, each in its own function: what is left out of a question because it is the same as before
(`elliptic.py`), and a word that points back, such as "it" or "this drug" (`pointing.py`). Anything else stays as it was
typed. How a question was read is shown with its answer.
"""

from __future__ import annotations

from medground.follow.base import Reading
from medground.follow.elliptic import another_name, bare_interrogative, condition, still_true, thing_asked_for
from medground.follow.pointing import pointing


def read_follow_up(asked: str, former: str) -> Reading:
    """Read a follow-up question.

    Args:
        asked: the follow-up, in one line.
        former: the question before it.

    Raises:
        UsageError: a word points back at something that the form of the former question does not tell.
    """
    for form in (bare_interrogative, still_true, condition, another_name, thing_asked_for, pointing):
        if (reading := form(asked, former)) is not None:
            return reading
    return Reading(asked)
