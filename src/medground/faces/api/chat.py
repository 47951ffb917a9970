"""The chat endpoint, as clients of OpenAI call it: recipes are models, and the answer is a message with citations."""

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import Response

from medground.errors import MedgroundError, NotFound
from medground.faces.api.caller import Caller, Served, service_of
from medground.faces.api.chat_messages import (
    ChatFailure,
    ChatRequest,
    Completion,
    ErrorReply,
    Message,
    Model,
    Models,
    Talk,
)
from medground.faces.api.chat_messages import Request as ModelRequest
from medground.faces.api.chat_replies import ChatReply, Reply, W, error_reply, failed, parts_of, status_of
from medground.faces.api.chat_tasks import Form
from medground.faces.api.middleware import PROBLEMS, respond
from medground.faces.service.offers import RecipeOffer
from medground.faces.service.service import Service
from medground.faces.service.values import Person
from medground.home.layers import wrong_values

_SENT = ("retry-after", "www-authenticate")


class ChatRoute(APIRoute):
    """A route whose errors are OpenAI's."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            sent = {"Cache-Control": "no-store"}
            try:
                return await handle(request)
            except ChatFailure as error:
                status, reply = error.status, error_reply(error.status, str(error), error.param, error.code)
            except RequestValidationError as error:
                status, reply = 400, error_reply(400, wrong_values(error.errors()))
            except MedgroundError as error:
                problem = service_of(request).problem(error)
                status, reply = status_of(problem), failed(problem)
                sent |= {name: value for name, value in respond(problem).headers.items() if name in _SENT}
            return Response(reply.model_dump_json(), status, sent, "application/json")

        return handled


router = APIRouter(prefix="/v1", tags=["chat"], route_class=ChatRoute)

FAILURES: dict[int | str, dict[str, Any]] = {
    statuses: {**problem, "content": dict(problem["content"]), "model": ErrorReply}
    for statuses, problem in PROBLEMS.items()
}
CHUNKS: dict[str, Any] = {
    "text/event-stream": {"schema": {"type": "string", "description": "With `stream`: chunks, and last `[DONE]`."}}
}


@router.post(
    "/chat/completions",
    summary="Ask a question with an OpenAI client",
    response_model=Completion,
    responses={200: {"description": "The answer as a message.", "content": CHUNKS}, **FAILURES},
)
async def complete(wanted: ChatRequest, request: Request, person: Caller, service: Served) -> Response:
    """Answer the last message of a conversation.

    Each citation mark of the message has an annotation with the source's address and the citation as it is everywhere
    in Medground. A question after an answer of this endpoint follows that answer. System messages are not followed.
    What clients order of a conversation, such as a title, is replied to without asking. Parameters that have no effect
    are named in the header `Medground-Ignored`.
    """
    return await replied(ChatReply, wanted, wanted.messages, wanted.longest, request, person, service)


@router.get("/models", summary="The recipes, as models", responses=FAILURES)
async def models(person: Caller, service: Served) -> Models:
    """The recipes that a chat can name as its model."""
    return Models(data=tuple(Model(id=recipe.name, created=0) for recipe in await service.recipes()))


@router.get("/models/{model}", summary="A recipe, as a model", responses=FAILURES)
async def model(model: str, person: Caller, service: Served) -> Model:
    """One recipe."""
    return Model(id=(await _recipe(model, service)).name, created=0)


async def replied(
    kind: type[Reply[W]],
    wanted: W,
    messages: Sequence[Message],
    longest: int | None,
    request: Request,
    person: Person,
    service: Service,
) -> Response:
    """The reply to a request of either API, which asks a question or orders something of its conversation."""
    talk, form = Talk(messages), Form.of(wanted.model_extra or {})
    if (done := talk.reply(form)) is not None:
        return kind(wanted).spoken(done, form.function)
    if form.parameter:
        said = f"{form.parameter}: an answer is text with citations; POST /v1/ask gives it as JSON"
        raise ChatFailure(said, param=form.parameter)
    recipe = await _recipe(wanted.model, service)
    follow = await _follow(wanted, talk, service, person)
    job = await service.start(talk.asked(wanted, researches=recipe.researches, follow=follow), person)
    not_read, links = talk.has_earlier and follow is None, wanted.medground.links
    written = partial(parts_of, base=str(request.base_url), not_read=not_read, longest=longest, links=links)
    return await kind(wanted, job).response(job, written, request, service)


async def _recipe(name: str, service: Service) -> RecipeOffer:
    recipes = await service.recipes()
    found = next((recipe for recipe in recipes if recipe.name == name), None)
    if found is None:
        known = ", ".join(recipe.name for recipe in recipes)
        said = f"The model {name[:80]!r} does not exist; the models are the recipes {known}."
        raise ChatFailure(said, param="model", code="model_not_found", status=404)
    return found


async def _follow(wanted: ModelRequest, talk: Talk, service: Service, person: Person) -> str | None:
    """The answer that the question follows: the one that is named, or the last one of the conversation, if kept."""
    if wanted.medground.follow is not None:
        return (await service.answer(wanted.medground.follow, person)).trace_id
    if (name := talk.earlier_answer) is None:
        return None
    try:
        return (await service.answer(name, person)).trace_id
    except NotFound:
        return None
