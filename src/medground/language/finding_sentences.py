"""Whether a sentence reports a result, states an aim or describes a method, by its words."""

import re

from medground.language.pattern import lazy_pattern, verbose_pattern

_ROLES = {
    "significance": lazy_pattern(r"\bsignificant(?:ly)?\b", re.IGNORECASE),
    "comparison": verbose_pattern(
        r"""
        \b(?:higher|lower|greater|less|more|increas\w*|decreas\w*|reduc\w*|improv\w*|correlat\w*|associat\w*|
        predict\w*|differ\w*)\b
        """
    ),
    "method": verbose_pattern(
        r"""
        \b(?:were\ (?:included|enrolled|recruited|randomi\w+|performed|measured|collected|obtained|assessed|
        analy\w+|evaluated|compared|asked|divided)|was\ (?:performed|measured|assessed|used|conducted|carried)|
        using|retrospective\w*|questionnaire|between\ (?:19|20)\d\d)\b
        """
    ),
    "purpose": verbose_pattern(
        r"""
        \b(?:aim\w*|purpose|objectives?|whether|hypothesi\w+|goals?)\b|\bto\ (?:determine|investigate|evaluate|
        assess|examine|compare|test|study|explore|clarify)\b|\bwe\ (?:sought|studied|investigated|examined|
        evaluated|aimed|asked)\b
        """
    ),
    "question": lazy_pattern(r"\?\s*$"),
}
_FINDING = lazy_pattern(
    r"\b(?:show\w*|demonstrat\w*|reveal\w*|confirm\w*|found|observed|identified|detected)\b", re.IGNORECASE
)
_CONCLUSION = verbose_pattern(
    r"""
    \b(?:conclu\w+|suggest\w*|indicat\w+|(?:our|these|the\ present)\ (?:results|findings|data))\b
    """
)
_RESULT = (_ROLES["significance"], _FINDING, _ROLES["comparison"], _CONCLUSION)
_NEGATION = re.compile(r"\b(?:no|not|nor|neither|without)\b", re.IGNORECASE)
_GROUPS = lazy_pattern(
    r"\b(?:served as (?:a )?(?:controls?|comparison)|acted as controls?|control group)\b", re.IGNORECASE
)


def states_purpose(sentence: str) -> bool:
    """Whether a sentence states the aim of a study, or a question, rather than a result."""
    asks = _ROLES["purpose"].search(sentence) or _ROLES["question"].search(sentence)
    return asks is not None and not _CONCLUSION.search(sentence)


def reports_result(sentence: str) -> bool:
    """Whether a sentence looks like a finding or a conclusion."""
    return not states_purpose(sentence) and any(form.search(sentence) for form in _RESULT)


def describes_method(sentence: str) -> bool:
    """Whether a sentence says what was done, and neither what was found nor what follows."""
    done = _ROLES["method"].search(sentence) or _GROUPS.search(sentence)
    return done is not None and not any(form.search(sentence) for form in (*_RESULT, _NEGATION))
