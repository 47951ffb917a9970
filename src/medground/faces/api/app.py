"""The app: routes over a `Service`, behind checks that come before any of them.

Run it with `medground serve` (`--port 0` takes a free port and prints it), or in a test without a socket:

    async with Service.open(settings) as service:
        app = make_app(service, authenticated=False)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            response = await client.post("/v1/ask", json={"question": "Does aspirin prevent stroke?"})

`base_url` must name loopback: other `Host` headers are refused. `httpx.ASGITransport` gives a response only when it has
ended; to read events as they come, start a real server with `faces.api.server.running`.

A router is a file in `routes/` with a `router`, added to `_ROUTERS`; its caller is `Caller`, its service `Served`
(`caller.py`). An address that takes uploads is named in `UPLOADS`: its body is passed on as it comes, so the route
takes the `Request` and reads it itself, once its caller is known. Raise errors of `medground.errors`: each becomes a
problem.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from starlette.middleware import Middleware

from medground.faces.api.bodies import Bodies, Sizes
from medground.faces.api.caller import Door
from medground.faces.api.leaving import ClientLeft, nobody_there
from medground.faces.api.metrics import Counted, Requests
from medground.faces.api.openapi import add_openapi
from medground.faces.api.patience import ResponseDeadline
from medground.faces.api.problems import add_handlers, refused
from medground.faces.api.routes.answers import router as answers_router
from medground.faces.api.routes.asking import router as asking_router
from medground.faces.api.routes.chat import router as chat_router
from medground.faces.api.routes.jobs import router as jobs_router
from medground.faces.api.routes.literature import router as literature_router
from medground.faces.api.routes.planning import router as planning_router
from medground.faces.api.routes.server import router as server_router
from medground.faces.api.routes.studies import router as studies_router
from medground.faces.api.secure import SecureHeaders
from medground.service.service import Service
from medground.serving.hosts import OwnHosts
from medground.version import __version__

BODY_SECONDS = 20.0
"""Seconds in which a body must come."""
UPLOADS = frozenset(["/v1/corpora"])
"""Addresses that take files."""
_UPLOAD_SECONDS = 3600.0
_SPARE = 60.0
"""Seconds that a request may take beyond those of its question: it may wait in line."""
_ROUTERS = (
    asking_router,
    jobs_router,
    answers_router,
    studies_router,
    literature_router,
    planning_router,
    server_router,
    chat_router,
)
_ABOUT = """Answers to biomedical questions from the literature, with the exact sentences that they rest on.

Send a token as `Authorization: Bearer TOKEN`; `medground token create NAME` makes one. Errors are
`application/problem+json` (RFC 9457) with a `next` step. A citation is everywhere the id of a document with the start
and end of a slice of its text, in code points."""


def make_app(
    service: Service, *, authenticated: bool, names: Sequence[str] = (), seconds: float = BODY_SECONDS
) -> FastAPI:
    """The app over an open service.

    Args:
        service: what answers.
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
