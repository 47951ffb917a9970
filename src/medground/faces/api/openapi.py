"""The OpenAPI 3.1 document: as FastAPI makes it, with every error as a problem."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from medground.faces.api.problems import MEDIA_TYPE
from medground.service.problem import Problem

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
