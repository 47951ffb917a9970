"""Search strategies written for other services, which PubMed's syntax would read as other words."""

import re

_OVID = "(?:tw|ti|ab|mp|kw|kf|sh|hw|pt|nm|rn|jw|af|tx|sb|px|rx|ui|bt|ot|tn|dv|fs|dm|ct|lg|la|au|yr)"
_EMBASE = "(?:ti|ab|kw|de|tt|tn|dn|lnk|au|jt)"
_EBSCO = r"\(?(?:TI|AB|SU|TX|MH|MM) "
_FORMS = {
    "Ovid": re.compile(
        r"(?<![\w/])(?:exp [*\"]{0,2}|\*)[A-Z][\w ,'()-]{1,60}\"?/(?=[a-z]{2}\b|[\s)\d]|$)|\badj\d{1,2}\b|"
        rf"(?<=[\w)*$?#\"])\.(?:{_OVID}\b,?)+\.(?!\w)|"
        r"^\W*[A-Z][\w ,'-]{1,60}/(?:[a-z]{2},(?: ?[a-z]{2}\b,?)+)?(?:\s*$|\s+(?:and|or|not)\s)|"
        r"^\W*(?:limit \d+ to|remove duplicates from \d)",
        re.I,
    ),
    "the Cochrane Library": re.compile(
        r"\[mh \^?\"?\w|\bMeSH descriptor:? \[|(?<=[\w*)\"]):ti,ab,kw\b(?!,)|(?<=[\w*)\"]) NEXT (?=[\w(\"])"
    ),
    "Embase": re.compile(
        r"'[^']{2,80}'/(?:exp|de|mj|br|syn|d[dmt]|ae)(?:_\w\w)?\b|\b\w+/(?:exp|mj)\b|\[[\w -]{2,40}\]/(?:lim|py|sd)\b|"
        rf"(?<=[\w'*)\"]):{_EMBASE}(?:,{_EMBASE})*(?=[\s)]|$)"
    ),
    "EBSCO": re.compile(
        rf"\bM[HMJ] ?\"[^\"]{{2,80}}\"|(?<!\w){_EBSCO}\(?[\w\"*][^=?]{{0,200}}? (?:AND|OR|NOT) {_EBSCO}|"
        r"[*)\"] [NW]\d{1,2} | [NW]\d{1,2} \("
    ),
    "Scopus": re.compile(
        r"\bTITLE-ABS(?:-KEY)?(?:-AUTH)? ?\(|\b(?:TITLE|ABS|KEY|AUTHKEY)\(|\b(?:W|PRE)/\d{1,2} (?!.*\?)"
    ),
    "Web of Science": re.compile(r"\b(?:TS|TI|AB|AK|KP|ALL|SO|PY|WC)=[(\"\w]"),
    "ProQuest": re.compile(
        r"\b[A-Z]+(?:\.EXACT|\.EXPLODE)+\(|\b(?:NOFT|TIABSU)\(|\b(?:TI|AB|SU)(?:,(?:TI|AB|SU))+\(|"
        r"\b(?:ti|ab|su)\([^()]{1,200}\) (?:AND|OR|NOT) (?:ti|ab|su)\("
    ),
    "Embase, the Cochrane Library or Web of Science": re.compile(r"\b(?:NEAR|NEXT)/\d{1,2}\b"),
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
