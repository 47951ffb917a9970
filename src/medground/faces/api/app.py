"""The app: routes over a `Service`, behind checks that come before any of them.

Run it with `medground serve` (`--port 0` takes a free port and prints it), or in a test without a socket:

    async with Service.open(settings) as service:
        app = make_app(service, authenticated=False)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            response = await client.post("/v1/ask", json={"question": "Does aspirin prevent stroke?"})

`base_url` must name loopback: other `Host` headers are refused. `httpx.ASGITransport` gives a response only when it has
ended; to read events as they come, start a real server with `faces.api.server.running`.

A router is added to `_ROUTERS`; its caller is `Caller`, its service `Served`
(`caller.py`). An address that takes uploads is named in `UPLOADS`: its body is passed on as it comes, so the route
takes the `Request` and reads it itself, once its caller is known. Raise errors of `medground.errors`: each becomes a
problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware import Middleware

from medground.faces.api.answers import router as answers_router
from medground.faces.api.caller import Door
from medground.faces.api.chat import router as chat_router
from medground.faces.api.literature import router as literature_router
from medground.faces.api.literature import server_router
from medground.faces.api.middleware import (
    Bodies,
    ClientLeft,
    Counted,
    Requests,
    ResponseDeadline,
    SecureHeaders,
    Sizes,
    nobody_there,
)
from medground.faces.api.problems import MEDIA_TYPE, add_handlers, refused
from medground.faces.api.questions import jobs_router
from medground.faces.api.questions import router as asking_router
from medground.faces.service.service import Service
from medground.faces.service.values import Problem
from medground.faces.serving import OwnHosts
from medground.version import __version__

TAGS = (
    ("answers", "Ask questions and read the answers."),
    ("jobs", "Questions and research at work: state, events, stop."),
    ("chat", "The same for clients of OpenAI: recipes as models, answers as messages with citations."),
    ("literature", "Search, documents, and claims checked against them."),
    ("server", "What can be searched and chosen, what was used, and whether it works."),
)
_WHEN = {
    "400": "The body cannot be read as JSON, is nested too deeply, or has a number that is too long.",
    "401": "The token is missing, wrong or revoked.",
    "403": "The Origin header names another server.",
    "404": "It is not there, or it is another person's.",
    "408": "The body came too slowly.",
    "409": "It does not fit the present state, such as an idempotency key of another request.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "421": "The Host header names another server.",
    "422": "A value cannot be used; `detail` names it.",
    "429": "A limit of the token is reached; see the header Retry-After.",
    "500": "An internal error.",
    "502": "A model gave no usable answer.",
    "503": "A source could not be searched, or the server is busy.",
    "504": "The answer took too long; start a job.",
    "507": "The disk cannot be written to.",
}
_OF_BODIES = ("400", "403", "408", "413", "415")
_OF_WORK = ("429", "502", "503", "504", "507")


def add_openapi(app: FastAPI, *, authenticated: bool) -> None:
    """Let an app describe itself. Where it is not `authenticated`, a token may be sent but need not."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app, authenticated)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _described(app: FastAPI, authenticated: bool) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        routes=app.routes,
        license_info=app.license_info,
        tags=[{"name": name, "description": words} for name, words in TAGS],
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    problem = Problem.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["Problem"] = problem
    for methods in document["paths"].values():
        for operation in methods.values():
            _add_problems(operation)
            if "security" in operation and not authenticated:
                operation["security"].append({})
    return document


def _add_problems(operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    named = {status for status in responses if status >= "400"} | {"421", "500"}
    if "security" in operation:
        named |= {"401", *_OF_WORK}
    if "requestBody" in operation:
        named |= {"422", *_OF_BODIES}
    for status in sorted(named):
        said = responses.get(status, {}).get("description", "")
        declared = responses.get(status, {}).get("content", {})  # an error of the chat endpoint has OpenAI's form, too
        responses[status] = {
            "description": said if said not in ("", "Validation Error") else _WHEN[status],
            "content": {
                **{kind: own for kind, own in declared.items() if "ValidationError" not in str(own)},
                MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}},
            },
        }
        if status in ("429", "503"):
            responses[status]["headers"] = {
                "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}
            }


BODY_SECONDS = 20.0
"""Seconds in which a body must come."""
UPLOADS = frozenset(["/v1/corpora"])
"""Addresses that take files."""
_UPLOAD_SECONDS = 3600.0
_SPARE = 60.0
"""Seconds that a request may take beyond those of its question: it may wait in line."""
_ROUTERS = (asking_router, jobs_router, answers_router, literature_router, server_router, chat_router)
_ABOUT = """Answers to biomedical questions from the literature, with the exact sentences that they rest on.

Send a token as `Authorization: Bearer TOKEN`; `medground token create NAME` makes one. Errors are
`application/problem+json` (RFC 9457) with a `next` step. A citation is everywhere the id of a document with the start
and end of a slice of its text, in code points."""


def make_app(
    service: Service, *, authenticated: bool, names: Sequence[str] = (), seconds: float = BODY_SECONDS
) -> FastAPI:
    """The app over an open service.

    Args:
        authenticated: whether every request needs a token; without one it is of whoever sits at this computer.
        names: host names that it answers to, beside loopback and the setting `serve.hosts`.
        seconds: in which a body must come.
    """
    limits, requests = service.settings.serve, Requests()
    app = FastAPI(
        title="Medground",
        version=__version__,
        summary="Biomedical answers in which every sentence is checked.",
        description=_ABOUT,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,  # both of these load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
        middleware=[
            Middleware(SecureHeaders),
            Middleware(Counted, requests=requests),
            Middleware(OwnHosts, names=(*limits.hosts, *names), respond=refused),
            Middleware(
                ResponseDeadline, seconds=limits.seconds + _SPARE, longer=dict.fromkeys(UPLOADS, _UPLOAD_SECONDS)
            ),
            Middleware(Bodies, sizes=Sizes(limits.body, limits.upload, seconds), uploads=UPLOADS),
        ],
    )
    app.state.door = Door(service, authenticated, requests)
    add_handlers(app, hide=(str(service.settings.home),))
    app.add_exception_handler(ClientLeft, nobody_there)
    for router in _ROUTERS:
        app.include_router(router)
    add_openapi(app, authenticated=authenticated)
    return app
