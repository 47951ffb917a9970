"""Search strategies written for other services, which PubMed's syntax would read as other words."""

import re

_FORMS = {
    "Ovid": re.compile(
        r"(?<!\w)exp \*?[A-Z][\w ,'()-]{1,60}/(?=[\s)\d]|$)|\badj\d{1,2}\b|"
        r"\.(?:(?:tw|ti|ab|mp|kw|kf|sh|hw|pt|nm|rn|jw|af)\b,?)+\.",
        re.I,
    ),
    "Embase": re.compile(r"'[^']{2,80}'/(?:exp|de|mj|br|syn)\b|(?<=[\w')]):(?:ti|ab|kw),(?:ti|ab|kw|de|tt)\b(?!,kw)"),
    "the Cochrane Library": re.compile(r"\[mh \^?\"?\w|:ti,ab,kw\b"),
    "EBSCO": re.compile(r"\(?\bM[HMJ] ?\"[^\"]{2,80}\+?\"|\bTI ?\(.{1,200}\bOR AB ?\("),
    "Scopus": re.compile(r"\bTITLE-ABS(?:-KEY)?(?:-AUTH)?\s?\("),
    "Web of Science": re.compile(r"\b(?:TS|TI|AB|AK)=\(?\"?\w"),
}


def other_syntax(query: str) -> str:
    """What is wrong with a query that is written for another service; empty of any other text.

    >>> other_syntax("exp Neoplasms/ AND cancer.tw.")
    'this is the syntax of Ovid (“exp Neoplasms/”), which is not read; write it in PubMed\\'s, such as "neoplasms"[mh]'
    >>> other_syntax("Does aspirin help in heart failure?")
    ''
    """
    found = ((service, form.search(query)) for service, form in _FORMS.items())
    service, sign = next(((service, sign) for service, sign in found if sign), ("", None))
    if sign is None:
        return ""
    advice = 'write it in PubMed\'s, such as "neoplasms"[mh]'
    return f"this is the syntax of {service} (“{sign[0].strip()}”), which is not read; {advice}"
