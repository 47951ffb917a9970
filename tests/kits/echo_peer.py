"""A server of models, of E-utilities and of whatever else is asked for, that repeats all it is sent wherever it can."""

import base64
import json
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from http_peer import Asked, Peer, Reply


class EchoPeer(Peer):
    """Repeats path, headers and body of each request: plain, percent-encoded, as base64 and inside JSON.

    `manner` says how: `good` replies that hold the echo as text, `error` pages, or a `redirect`, each with an echo in a
    header too.
    """

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.manner = "good"
        self.sent: list[str] = []

    def _reply(self, to: Asked) -> Reply:
        """A reply in this manner."""
        headers = [f"{name}: {value}" for name, value in to.headers.items()]
        credentials = [to.headers["authorization"].partition(" ")[2]] if "authorization" in to.headers else []
        opened = [base64.b64decode(one + "==", validate=False).decode("latin-1") for one in credentials]
        asked = " ".join([to.target, *headers, *opened, *([] if "messages" in to.body else [to.body])])
        self.sent.append(asked)
        echo = " ; ".join([asked, quote(asked, safe=""), *(base64.b64encode(c.encode()).decode() for c in credentials)])
        status, location, content = 200, "", self._good(to.path, to.body, echo)
        if self.manner == "error":
            status, content = 400, json.dumps({"error": {"message": echo, "type": echo}, "message": echo})
        elif self.manner == "redirect":
            status, location, content = 302, f"{self.url}/elsewhere?{quote(asked, safe='')}", echo
        more = {"x-echo": " ".join(echo.split())[:4000].encode("ascii", "ignore").decode()}
        more |= {"location": location} if location else {}
        kind = "text/xml" if content.startswith("<") else "application/json"
        return Reply(b"" if to.method == "HEAD" else content.encode(), status, kind, more)

    def _good(self, path: str, body: str, echo: str) -> str:
        if "esearch" in path:
            return (
                "<eSearchResult><Count>1</Count><RetMax>1</RetMax><RetStart>0</RetStart><IdList><Id>7</Id></IdList>"
                f"<TranslationSet/><QueryTranslation>{escape(echo)}</QueryTranslation></eSearchResult>"
            )
        if "efetch" in path:
            return (
                "<PubmedArticleSet><PubmedArticle><MedlineCitation Status='MEDLINE'><PMID Version='1'>7</PMID>"
                f"<Article PubModel='Print'><ArticleTitle>Aspirin and stroke {escape(echo)}</ArticleTitle><Abstract>"
                f"<AbstractText>Aspirin reduced the risk of stroke. {escape(echo)}.</AbstractText></Abstract></Article>"
                "</MedlineCitation></PubmedArticle></PubmedArticleSet>"
            )
        if "messages" not in body:
            return json.dumps({"echo": echo})
        asked = json.loads(body)
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema", {"type": "string"})
        written = filled(schema, schema.get("$defs", {}), echo)
        message = {"role": "assistant", "content": written if isinstance(written, str) else json.dumps(written)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 900, "completion_tokens": 900, "total_tokens": 1800}
        whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice]}
        return json.dumps({**whole, "usage": usage})


def filled(schema: dict[str, Any], named: dict[str, Any], echo: str) -> Any:
    """A value that fits a JSON schema, with the echo as each text."""
    if "$ref" in schema:
        return filled(named[schema["$ref"].rpartition("/")[2]], named, echo)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], named, echo)
    match schema.get("type"):
        case "object":
            return {name: filled(one, named, echo) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [filled(schema.get("items", {"type": "string"}), named, echo)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return echo[: schema.get("maxLength", 3000)]
