"""An error as `application/problem+json` (RFC 9457): the one place where errors get a status and a next step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from medground.document import Frozen
from medground.errors import (
    BadDocument,
    BudgetExhausted,
    ConfigError,
    MedgroundError,
    ModelFailed,
    NotAllowed,
    NotConfigured,
    NotFound,
    RateLimited,
    SnapshotCorrupt,
    SourceUnavailable,
    Stopped,
    StorageFailed,
    UsageError,
)
from medground.notice import Notice
from medground.service.refused import Refused

_PREFIX = "urn:medground:problem:"


class Problem(Frozen):
    """What went wrong, for a client. `type`, `title`, `status` and `detail` are those of RFC 9457."""

    type: str = Field(description="a name of this kind of problem that never changes")
    title: str
    status: int = Field(ge=400, le=599, description="the HTTP status")
    detail: str = Field(description="what is wrong here, in one line")
    next: str = Field(description="what to do now")
    retry_after: int | None = Field(default=None, ge=0, description="seconds after which a retry can succeed")
    trace_id: str | None = Field(default=None, description="the trace, and the answer so far where one was kept")
    research: str | None = Field(default=None, description="the research that can be gone on with")
    notice: Notice | None = Field(default=None, description="what is shown before anything else")


@dataclass(frozen=True)
class _Kind:
    error: type[MedgroundError]
    name: str
    status: int
    title: str
    next: str


_KINDS = (
    _Kind(NotAllowed, "not-allowed", 401, "The token is not accepted", "Send a token that is valid now."),
    _Kind(NotFound, "not-found", 404, "It is not there", "Check the name; list what is there."),
    _Kind(UsageError, "usage", 422, "The request cannot be used", "Change the request."),
    _Kind(ConfigError, "settings", 422, "The settings do not allow this", "Choose another recipe, model or source."),
    _Kind(BadDocument, "bad-document", 422, "A file cannot be read", "Mend the file or leave it out."),
    _Kind(Refused, "limit", 429, "A limit of this token is reached", "Wait, then send the request again."),
    _Kind(NotConfigured, "not-configured", 503, "A source is not set up", "Leave the source out."),
    _Kind(RateLimited, "source-busy", 503, "A source is busy", "Wait, then ask again."),
    _Kind(SourceUnavailable, "source-unavailable", 503, "A source could not be searched", "Ask again later."),
    _Kind(ModelFailed, "model-failed", 502, "A model gave no usable answer", "Ask again, or name another model."),
    _Kind(BudgetExhausted, "budget", 422, "A limit of the question is reached", "Read what was found so far."),
    _Kind(SnapshotCorrupt, "corpus", 500, "A corpus is damaged", "Tell whoever runs this server."),
    _Kind(StorageFailed, "storage", 507, "The disk cannot be written to", "Tell whoever runs this server."),
    _Kind(Stopped, "stopped", 409, "The work was stopped", "Read what was found, or ask again."),
    _Kind(MedgroundError, "failed", 500, "It failed", "Ask again; if it fails again, tell whoever runs this server."),
)
"""From the most to the least special; the first that fits counts."""

INTERNAL = Problem(
    type=f"{_PREFIX}internal",
    title="Internal error",
    status=500,
    detail="An error that Medground did not expect; the server's log has it.",
    next="Tell whoever runs this server.",
)


def problem_of(error: MedgroundError, hide: Sequence[str] = ()) -> Problem:
    """An error as a client may see it.

    Args:
        error: what was raised.
        hide: texts that stay on the server, such as the path of its home folder.
    """
    kind = next(kind for kind in _KINDS if isinstance(error, kind.error))
    detail = " ".join(str(error).split())
    for text in hide:
        detail = detail.replace(text, "(home)")
    wait = getattr(error, "retry_after", None)
    return Problem(
        type=_PREFIX + kind.name,
        title=kind.title,
        status=kind.status,
        detail=detail,
        next=kind.next,
        retry_after=None if wait is None else math.ceil(wait),
        trace_id=error.trace_id,
        research=error.research,
        notice=error.notice,
    )
