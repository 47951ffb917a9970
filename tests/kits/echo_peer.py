"""A server of models, of E-utilities and of whatever else is asked for, that repeats all it is sent wherever it can."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote
from xml.sax.saxutils import escape


class EchoPeer:
    """Repeats path, headers and body of each request: plain, percent-encoded, as base64 and inside JSON.

    `manner` says how: `good` replies that hold the echo as text, `error` pages, or a `redirect`, each with an echo in a
    header too.
    """

    def __init__(self) -> None:
        peer = self
        self.manner = "good"
        self.sent: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *arguments: Any) -> None:
                """Nothing."""

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                peer.reply(self, body)

            do_GET = do_POST = do_HEAD = handle_any  # noqa: N815 (their names in http.server)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, to: BaseHTTPRequestHandler, body: bytes) -> None:
        """Send a reply in this manner."""
        headers = [f"{name}: {value}" for name, value in to.headers.items()]
        credentials = [value.partition(" ")[2] for name, value in to.headers.items() if name == "Authorization"]
        opened = [base64.b64decode(one + "==", validate=False).decode("latin-1") for one in credentials]
        asked = " ".join([to.path, *headers, *opened, *([] if b"messages" in body else [body.decode("latin-1")])])
        self.sent.append(asked)
        echo = " ; ".join([asked, quote(asked, safe=""), *(base64.b64encode(c.encode()).decode() for c in credentials)])
        status, location, content = 200, "", self._good(to.path, body, echo)
        if self.manner == "error":
            status, content = 400, json.dumps({"error": {"message": echo, "type": echo}, "message": echo})
        elif self.manner == "redirect":
            status, location, content = 302, f"http://127.0.0.1:{self.port}/elsewhere?{quote(asked, safe='')}", echo
        sent = content.encode()
        to.send_response(status)
        to.send_header("content-type", "text/xml" if content.startswith("<") else "application/json")
        to.send_header("content-length", str(len(sent)))
        to.send_header("x-echo", " ".join(echo.split())[:4000].encode("ascii", "ignore").decode())
        if location:
            to.send_header("location", location)
        to.end_headers()
        if to.command != "HEAD":
            to.wfile.write(sent)

    def _good(self, path: str, body: bytes, echo: str) -> str:
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
        if b"messages" not in body:
            return json.dumps({"echo": echo})
        asked = json.loads(body)
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema", {"type": "string"})
        written = _filled(schema, schema.get("$defs", {}), echo)
        message = {"role": "assistant", "content": written if isinstance(written, str) else json.dumps(written)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 900, "completion_tokens": 900, "total_tokens": 1800}
        whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice]}
        return json.dumps({**whole, "usage": usage})


def _filled(schema: dict[str, Any], named: dict[str, Any], echo: str) -> Any:
    """A value that fits a JSON schema, with the echo as each text."""
    if "$ref" in schema:
        return _filled(named[schema["$ref"].rpartition("/")[2]], named, echo)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "anyOf" in schema:
        return _filled(schema["anyOf"][0], named, echo)
    match schema.get("type"):
        case "object":
            return {name: _filled(one, named, echo) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [_filled(schema.get("items", {"type": "string"}), named, echo)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return echo[: schema.get("maxLength", 3000)]
