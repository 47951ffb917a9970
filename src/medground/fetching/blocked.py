"""Pages that stand in place of the page that was asked for: a captcha, a check for robots, a block."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TITLE = re.compile(rb"<title[^>]*>([^<]{0,300})", re.IGNORECASE)
_SAYS_SO = re.compile(
    rb"just a moment|attention required|are you (?:a )?(?:human|robot)|robot check|human verification|"
    rb"verify(?:ing)? (?:that )?you are (?:a )?human|security (?:check|verification)|pardon our interruption|"
    rb"checking your browser|bot (?:detection|verification)|access (?:to this page has been )?denied|captcha|"
    rb"ddos.?guard|request (?:blocked|rejected)|unusual traffic|are not a robot",
    re.IGNORECASE,
)
_FORM = re.compile(
    rb"g-recaptcha|h-captcha|cf-turnstile|challenge-form|/cdn-cgi/challenge-platform/|px-captcha|"
    rb"captcha-delivery\.com|anomaly-modal|awswafcaptcha|_incapsula_resource|geo\.captcha",
    re.IGNORECASE,
)
_SHORT = 1500
"""Characters of text below which a page with a captcha is nothing but the captcha: a form for comments may have one."""
_LOOKED_AT = 200_000


def is_block(status: int, headers: Mapping[str, str], content: bytes) -> bool:
    """Whether a reply is a check for robots instead of the page."""
    start = content[:_LOOKED_AT]
    if "challenge" in headers.get("cf-mitigated", "").lower():
        return True
    title = _TITLE.search(start)
    says_so = bool(title and _SAYS_SO.search(title[1]))
    if status in (202, 403, 429, 503):
        return says_so or bool(_FORM.search(start))
    return (says_so or bool(_FORM.search(start))) and _text_length(start) < _SHORT


def _text_length(content: bytes) -> int:
    """Characters of a page's text, without scripts."""
    import lxml.html
    from lxml import etree

    try:
        tree = lxml.html.document_fromstring(content)
    except (etree.LxmlError, ValueError):  # nothing in it
        return 0
    etree.strip_elements(tree, "script", "style", "noscript", with_tail=False)
    return len(" ".join(tree.text_content().split()))
