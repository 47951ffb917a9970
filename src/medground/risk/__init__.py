"""Recognises a person at risk in a question, and says where to turn. Rules only, no model."""

from medground.risk.first import notice_first
from medground.risk.notices import most_urgent, notice_for

__all__ = ["most_urgent", "notice_first", "notice_for"]
