"""The clauses of a sentence that each say something, so that a true main part does not hide a wrong minor one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from medground.answering.verify.arms import compares
from medground.answering.verify.named import AuthorYear, author_years
from medground.answering.verify.references import plain, quotations
from medground.checking.absences import is_absence
from medground.checking.marks import marks
from medground.checking.sentences import CitingSentence
from medground.checking.sources import told
from medground.language.clause_grammar import has_verb, words_of
from medground.language.clauses import blanked
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.quantities import quantities
from medground.values.finding import Finding, FindingKind

_CUT = verbose_pattern(
    r"""
    [,;]?\s+(?P<joint>and|but|whereas|while|although)(?P<aside>,\s[^,;]{3,40},)?\s+|;\s+
    """
)
_TOGETHER = lazy_pattern(r"(?i)\b(?:between|both|neither)\s[^,;]{0,40}$")
"""Before an `and` that joins two sides."""
_THEY = "they "
"""A subject for a clause that may begin with its verb."""
_LEAST = 2
"""Stems of a part that says something."""
_UNTOLD = frozenset(["not_checked", "silent"])
_SURE: tuple[FindingKind, ...] = ("contradicted", "number", "elsewhere", "retracted", "wrong_reference")
"""Kinds that a part is told to be, though the whole is not: that it is far from its source may be due to its length."""


def clauses_of(sentence: CitingSentence) -> list[CitingSentence]:
    """The clauses of a sentence, each with the marks behind it; empty for one that is only one.

    What quotes, or says that something is not reported, stays whole.
    """
    text = sentence.shown
    if sentence.carried or quotations(text) or is_absence(sentence.claim):
        return []
    found = marks(text, rounded=True)
    cuts = [cut for cut in _CUT.finditer(blanked(text)) if _divides(text, cut, [mark.end for mark in found])]
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    spans = list(zip(starts, ends, strict=True)) if cuts else []
    parts: list[CitingSentence] = []
    cited: tuple[tuple[str, ...], tuple[AuthorYear, ...]] = sentence.keys, sentence.authors
    for start, end in reversed(spans):
        keys = tuple(key for mark in found if start <= mark.start < end for key in mark.keys if key in sentence.keys)
        authors = tuple(year for year in author_years(plain(text[start:end])) if year in sentence.authors)
        cited = (keys, authors) if keys or authors else cited
        parts.insert(0, replace(sentence, text=text[start:end], shown=text[start:end], keys=cited[0], authors=cited[1]))
    return parts


def _divides(text: str, cut: re.Match[str], marked: Sequence[int]) -> bool:
    """Whether two clauses meet: a mark stands before it, an aside behind it, or both sides have a verb."""
    left, right = text[: cut.start()], text[cut.end() :]
    if min(len(set(told(one))) for one in (left, right)) < _LEAST or _TOGETHER.search(left):
        return False
    behind_mark = any(not left[end:].strip() for end in marked if end <= len(left))
    return (
        behind_mark
        or bool(cut["joint"] and cut["aside"])
        or (has_verb(words_of(left)) and has_verb(words_of(_THEY + right)))
    )


def worst(whole: Finding, parts: Sequence[tuple[CitingSentence, Finding]]) -> Finding:
    """The finding on a sentence, by those on the whole and on its parts: a fault of a part is told with its words."""
    apart = not any(quantities(part.claim) or compares(part.claim) for part, _ in parts)  # the whole tells whose it is
    if apart and whole.kind in _UNTOLD and parts and all(said.kind == "supported" for _, said in parts):
        reason = "; ".join(dict.fromkeys(said.reason for _, said in parts))
        told = {"kind": "supported", "evidence": parts[0][1].evidence, "reason": f"each part: {reason}"}
        return whole.replace(**told)
    open_to = _SURE if whole.kind in ("supported", "not_checked") else (whole.kind,)
    for part, said in parts:
        same = whole.kind == "supported" and said.evidence == whole.evidence  # one sentence does not say both
        if said.kind in open_to and not same:
            reason = f"of “{' '.join(part.text.split())}”: {said.reason}"
            return whole.replace(kind=said.kind, evidence=said.evidence, reason=reason)
    return whole
