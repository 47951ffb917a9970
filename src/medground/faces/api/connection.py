"""A connection of the API: what it refuses is answered as a problem."""

from __future__ import annotations

from starlette.responses import Response

from medground.faces.api.problems import refused
from medground.serving.connection import Connection as ServingConnection
from medground.serving.refusal import Refusal


class Connection(ServingConnection):
    """Refuses with problems."""

    def response_to(self, refusal: Refusal) -> Response:
        return refused(refusal)
