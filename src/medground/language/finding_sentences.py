"""How good a quote a sentence is for a question, by its words, form and position.

The weights come from a ridge regression of each sentence's token F1 with the paper's own conclusion, on PubMedQA's
training split, with two changes. The regression favours statements of purpose, which repeat the question but are not
evidence; they get no credit here. It never saw a conclusion, which gets some. `benchmarks/evidence.py` measures the
result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FORMS: Mapping[str, tuple[float, re.Pattern[str]]] = {
    "significance": (0.007, re.compile(r"\bsignificant(?:ly)?\b", re.IGNORECASE)),
    "finding": (
        0.014,
        re.compile(
            r"\b(?:show\w*|demonstrat\w*|reveal\w*|confirm\w*|found|observed|identified|detected)\b", re.IGNORECASE
        ),
    ),
    "comparison": (
        0.019,
        re.compile(
            r"\b(?:higher|lower|greater|less|more|increas\w*|decreas\w*|reduc\w*|improv\w*|correlat\w*|associat\w*|"
            r"predict\w*|differ\w*)\b",
            re.IGNORECASE,
        ),
    ),
    "conclusion": (
        0.08,
        re.compile(
            r"\b(?:conclu\w+|suggest\w*|indicat\w+|(?:our|these|the present) (?:results|findings|data))\b",
            re.IGNORECASE,
        ),
    ),
    "number": (0.006, re.compile(r"\d")),
    "negation": (0.01, re.compile(r"\b(?:no|not|nor|neither|without)\b", re.IGNORECASE)),
    "method": (
        -0.03,
        re.compile(
            r"\b(?:were (?:included|enrolled|recruited|randomi\w+|performed|measured|collected|obtained|assessed|"
            r"analy\w+|evaluated|compared|asked|divided)|was (?:performed|measured|assessed|used|conducted|carried)|"
            r"using|retrospective\w*|questionnaire|between (?:19|20)\d\d)\b",
            re.IGNORECASE,
        ),
    ),
}
_RESULT_FORMS = ("significance", "finding", "comparison", "conclusion")
_PURPOSE = re.compile(
    r"\b(?:aim\w*|purpose|objectives?|whether|hypothesi\w+|goals?)\b|"
    r"\bto (?:determine|investigate|evaluate|assess|examine|compare|test|study|explore|clarify)\b|"
    r"\bwe (?:sought|studied|investigated|examined|evaluated|aimed|asked)\b|\?\s*$",
    re.IGNORECASE,
)


def states_purpose(sentence: str) -> bool:
    """Whether a sentence states the aim of a study, or a question, rather than a result."""
    return bool(_PURPOSE.search(sentence)) and not _FORMS["conclusion"][1].search(sentence)


def reports_result(sentence: str) -> bool:
    """Whether a sentence looks like a finding or a conclusion."""
    return not states_purpose(sentence) and any(_FORMS[form][1].search(sentence) for form in _RESULT_FORMS)


_GROUPS = re.compile(
    r"\b(?:served as (?:a )?(?:controls?|comparison)|acted as controls?|control group)\b", re.IGNORECASE
)


def describes_method(sentence: str) -> bool:
    """Whether a sentence says what was done, and neither what was found nor what follows."""
    found = ("significance", "finding", "comparison", "conclusion", "negation")
    done = _FORMS["method"][1].search(sentence) or _GROUPS.search(sentence)
    return done is not None and not any(_FORMS[form][1].search(sentence) for form in found)
