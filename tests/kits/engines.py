"""Search engines on loopback: each answers in the form of the real one, page by page, from results of the test."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from http_peer import Asked, Reply

Result = tuple[str, str, str]
"""Address, title, summary."""
Find = Callable[[str], Sequence[Result]]
"""From the words of a query to results."""

_DUCK_HEAD = "<!DOCTYPE html><html><head><title>{q} at DuckDuckGo</title></head><body><div id='links' class='results'>"
_DUCK_RESULT = """<div class="result results_links results_links_deep web-result {extra}">
<div class="links_main links_deep result__body"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>
<div class="result__extras"><a class="result__url" href="{href}">{shown}</a></div>
<a class="result__snippet" href="{href}">{summary}</a></div></div>"""
_DUCK_NEXT = """<div class="nav-link"><form action="/html/" method="post">
<input type="submit" class="btn btn--alt" value="Next" /><input type="hidden" name="q" value="x" />
<input type="hidden" name="s" value="{s}" /><input type="hidden" name="v" value="l" />
<input type="hidden" name="vqd" value="4-1{s}" /></form></div>"""


def duckduckgo(find: Find) -> Callable[[Asked], Reply]:
    """The page of results without scripts: ten, then fifteen a page, with an advertisement on top."""

    def answer(asked: Asked) -> Reply:
        results, start = list(find(asked.parameters["q"])), int(asked.parameters.get("s", 0))
        end = start + (15 if start else 10)
        parts = [_DUCK_HEAD.format(q="x")]
        if not results:
            parts.append(
                '<div class="result results_links result--no-result"><div class="no-results">No results.</div>'
            )
        elif not start:
            ad = "https://duckduckgo.com/y.js?ad_domain=shop.example"
            parts.append(_DUCK_RESULT.format(extra="result--ad", href=ad, title="Buy", shown="shop", summary="Buy"))
        for url, title, summary in results[start:end]:
            href = f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut=0f"
            bold = summary.replace("zebrafish", "<b>zebrafish</b>")
            parts.append(_DUCK_RESULT.format(extra="", href=href, title=title, shown=url, summary=bold))
        if end < len(results):
            parts.append(_DUCK_NEXT.format(s=end))
        return Reply("\n".join([*parts, "</div></body></html>"]).encode(), type="text/html; charset=UTF-8")

    return answer


def brave(find: Find) -> Callable[[Asked], Reply]:
    """The Web Search API: twenty results a request."""

    def answer(asked: Asked) -> Reply:
        count, offset = int(asked.parameters["count"]), int(asked.parameters["offset"])
        results = list(find(asked.parameters["q"]))
        told: dict[str, Any] = {"type": "search", "query": {"original": asked.parameters["q"]}}
        told["query"]["more_results_available"] = (offset + 1) * count < len(results)
        if items := results[offset * count : (offset + 1) * count]:
            given = [{"url": url, "title": title, "description": said} for url, title, said in items]
            told["web"] = {"type": "search", "results": [one | {"page_age": "2024-05-06T00:00:00"} for one in given]}
        return Reply(json.dumps(told).encode(), type="application/json")

    return answer


FORMS = {"duckduckgo": duckduckgo, "brave": brave}
