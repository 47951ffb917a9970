"""Whether a sentence reports a result, states an aim or describes a method, by its words."""

import re

from medground.language.word_lists import forms

_ROLES = forms("roles")
_FINDING = forms("finding_sentences")["finding"]
_CONCLUSION = forms("finding_sentences")["conclusion"]
_RESULT = (_ROLES["significance"], _FINDING, _ROLES["comparison"], _CONCLUSION)
_NEGATION = re.compile(r"\b(?:no|not|nor|neither|without)\b", re.IGNORECASE)
_GROUPS = forms("finding_sentences")["groups"]


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
