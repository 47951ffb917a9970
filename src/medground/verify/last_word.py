"""Which judges have the last word over word filters.

A filter finds a hedge, an aim or a species in the words of a quote, and cannot read. A language model on a server, or
any judge that the user trusts, reads better: what a filter notices is shown to it, and it decides. A filter overrules
word statistics, a small model of this process, networks for sentence pairs, and a model that was measured here and is
no better than guessing; the critic that ships was measured together with the filters.
"""

from __future__ import annotations

from medground.author import Author
from medground.models.pairs.shipped import shipped
from medground.settings import VerifySettings
from medground.verify.judges import may_judge

_LIMITED = ("local", "nli")


def has_last_word(judge: str, settings: VerifySettings) -> bool:
    """Whether this judge decides over a word filter.

    Args:
        judge: a critic's name.
        settings: whom the user trusts.
    """
    if judge in settings.trusted_judges:
        return True
    if not Author(judge).is_model or judge in (*shipped(), *settings.unproven_judges):
        return False
    return judge.partition(":")[0] not in _LIMITED or may_judge(judge, settings)
