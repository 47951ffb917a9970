"""Detect quotes that report no finding: questions, aims, hypotheses, what is unknown, and titles.

A sentence that states an aim contains every word of the finding it is after, so it easily passes for proof. The rules
are for English. A sentence that also states its result ("to see whether ..., we ... and found ...") reports a finding.
"""

import re

from medground.language.pattern import verbose_pattern
from medground.values.document import Document

PURPOSE = "purpose"
TITLE = "title"
NOT_FINDINGS = (PURPOSE, TITLE)
"""The flags of quotes that report no finding."""

_ASKS = re.compile(r"[?？؟]\s*[\"'”’»)）」』\]]*\s*$")
_LOOK = r"""
    (?:determin|investigat|evaluat|assess|examin|compar|test|stud|explor|clarif|describ|identif|establish|
    estimat|ascertain|verif|address|analy[sz]|measur|elucidat|ask|find\ out|see|learn|report|illustrat|present|
    develop|quantif|characteri[sz]|review|discover)(?:e|y|ing|ying)?
"""
_LOOKED = r"""
    (?:determin|investigat|evaluat|assess|examin|compar|test|stud|explor|address|ask)(?:ed|ied|es|ies|s|ing|
    ying)
"""
_TRIED = r"""
    (?:aim(?:ed|s|ing)?|sought|designed|intended|set\ out|planned|undertaken|conducted|performed|carried\ out|
    wish(?:ed)?|want(?:ed)?|attempt(?:ed)?|tried)
"""
_NO_CARER = "".join(
    rf"(?<!\b{who}\ )"
    for who in ("doctor", "dentist", "physician", "clinician", "nurse", "surgeon", "specialist", "provider")
)
"""A dentist who will ask a patient has no aim of a study."""
_PURPOSE = verbose_pattern(
    rf"""
    \b(?:aims?|purpose|goals?|objectives?|intention)\b[^.;]{{0,80}}?\b(?:is|are|was|were)\b[^.;]{{0,20}}?\bto\b|
    \b(?:{_TRIED}\b[^.;]{{0,90}}?\ (?:to|at)|{_NO_CARER}will|(?:is|was|were)\ to)\ (?:\w+ly\ )?{_LOOK}\b|
    ^\W*(?:(?:objectives?|aims?|purpose|background|introduction)\W+)?to\ (?:\w+ly\ )?{_LOOK}\b|\b(?:we|study|
    trial|paper|review|authors?|analysis|survey)(?:\ \w+ly)?\ {_LOOKED}\ (?:whether|if|the\ (?:effects?|impact|
    efficacy|effectiveness|role|association|relationship|influence|hypothesis|safety))\b|\b(?:{_LOOK}|
    {_LOOKED})\ (?:\w+\ ){{0,2}}?(?:whether|if)\b|\bhypothesi[sz]e[sd]?\b|\b(?:our|the|working|
    null)\ hypothes[ie]s\ (?:is|was|were)\b|\btest\w*\ the\ hypothes[ie]s\b|
    \bhypothes[ie]s\ that\b[^.;]{{0,150}}\b(?:was|were)\ (?:tested|examined|evaluated|assessed)\b
    """
)
_UNKNOWN = verbose_pattern(
    r"""
    \b(?:is|are|was|were|remains?|remained)\ (?:\w+\ )?(?:unclear|unknown|uncertain|controversial|debated|
    disputed)\b|\bnot\ (?:yet\ )?(?:known|clear|established|been\ (?:studied|established|determined))\b|
    \bremains?\ to\ be\ (?:\w+\ )?\w+(?:ed|n)\b
    """
)
_TURN = re.compile(r"\b(?:but|although|though|however|whereas|while|despite)\b", re.IGNORECASE)
_RESULT = verbose_pattern(
    r"""
    \b(?:found|showed|shown|shows|demonstrat\w+|reveal\w+|observed|conclud\w+|suggest\w*|indicat\w+|confirm\w*|
    significantly|results?\ (?:of|from)\ (?:this|our|the\ present)|support(?:s|ed)?\ (?:the|our)\ hypothesis)\b|
    \d\s*%|\bp\s*[<=>]
    """
)


def why_not_finding(quote: str, document: Document) -> tuple[str, str] | None:
    """The flag of a quote that reports no finding, and the words that show it; None if it may report one."""
    if (title := _letters(document.title)) and _letters(quote) == title:
        return TITLE, "a title"
    word = _word(quote)
    return (PURPOSE, word) if word else None


def asks_or_plans(sentence: str) -> bool:
    """Whether a written sentence claims no finding itself."""
    return bool(_word(sentence))


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, in any quotation marks."""
    return bool(_ASKS.search(sentence))


def _word(sentence: str) -> str:
    if asks(sentence):
        return "?"
    found = _PURPOSE.search(sentence) or (None if _TURN.search(sentence) else _UNKNOWN.search(sentence))
    if found is None or _RESULT.search(sentence, found.end()):
        return ""
    return " ".join(found[0].split()).lower()


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
