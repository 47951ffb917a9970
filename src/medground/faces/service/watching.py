"""Questions that people watch are asked again by the server once what is searched for them has changed."""

from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import ValidationError

from medground.errors import ConfigError, MedgroundError, UsageError
from medground.faces.service.accounts import Saved, Tokens
from medground.faces.service.questions import Questioning
from medground.faces.service.request import AskBody, Searched, allowed_keys, chosen_for
from medground.faces.service.values import Limits, Person
from medground.home.kept_files import settings_of
from medground.home.layers import wrong_values
from medground.values.answer import Answer


class Watching(Questioning):
    """Asks watched questions again. A `Service` is one."""

    saved: Saved
    _tokens: Tokens
    _now: Callable[[], datetime]

    async def ask_watched(self) -> int:
        """Ask watched questions again whose corpora have changed, at most `serve.watched` of them; how many it was.

        An answer that differs is named `again` beside the former one; another is deleted. What could not be answered is
        asked again after a pause.
        """
        watched = await to_thread(self.saved.watched)
        asked, corpora = 0, await self.corpora() if watched else []
        for owner, one in watched:
            with suppress(MedgroundError):  # a token that was revoked, or an answer that is gone
                person = await to_thread(self._tokens.person, owner)
                former = await to_thread(self._kept.answer, one.answer, person)
                chosen = await to_thread(chosen_for, former, self.settings)
                searched = [each for each in corpora if (each.name in chosen.corpora if chosen else each.default)]
                states = one.states | {each.name: each.hash for each in searched if each.hash}
                due = states != one.states and one.is_due(self._now())
                if due and asked < self.settings.serve.watched:
                    asked += 1
                    told = await self._again(former, chosen, states, person)
                    if "failed" in told:
                        told |= {"failures": one.failures + 1, "tried": self._now()}
                    else:
                        told |= {"states": states, "failed": None, "failures": 0, "tried": None}
                    await to_thread(self.saved.tell, owner, one.answer, told)
        return asked

    async def _again(
        self, former: Answer, chosen: Searched | None, states: dict[str, str], person: Person
    ) -> dict[str, Any]:
        said = former.question
        given: dict[str, Any] = {name: getattr(said, name) for name in ("task", "context", "filters")}
        given |= {"options": {option.letter: option.text for option in said.options}, "recipe": former.recipe}
        given["kind"] = "research" if former.report else "ask"
        with suppress(UsageError, ConfigError):  # what was set for it is not kept, or is gone since
            then = settings_of(former, self.settings)
            given["model"] = then.model.default if then.model.default in self.models() else None
            own = {
                f"recipe.{name}": value for name, value in then.recipe if value != getattr(self.settings.recipe, name)
            }
            given["settings"] = {key: own[key] for key in allowed_keys(former.recipe) if key in own}
        if chosen:
            given |= {"corpora": chosen.corpora, "sources": chosen.sources}
        unlimited = person.replace(limits=Limits())  # the server asks, not the person
        at = sha256(repr((former.trace_id, sorted(states.items()))).encode()).hexdigest()  # once for all servers
        try:
            answer = await (await self.start(AskBody(question=said.text, **given), unlimited, key=at)).outcome()
        except MedgroundError as error:
            return {"failed": error.told("server")}
        except ValidationError as error:  # the command line takes what a server does not, such as longer names
            return {"failed": wrong_values(error.errors())}
        if lacking := _lacking(answer, former):
            await to_thread(self._kept.delete, answer.trace_id, person)
            return {"failed": lacking}
        if _said(answer) != _said(former):
            return {"asked": answer.created.isoformat(), "again": answer.trace_id}
        await to_thread(self._kept.delete, answer.trace_id, person)
        return {"asked": answer.created.isoformat()}


def _lacking(answer: Answer, former: Answer) -> str:
    """Why an answer cannot be compared with the former one: it ended early, or a source failed; empty if it can."""
    if answer.stopped and not former.stopped:
        return f"stopped early: {answer.stopped}"
    failed, before = (
        {search.source: search.error for search in each.searches if search.status == "failed"}
        for each in (answer, former)
    )
    return "; ".join(f"{source}: {error}" for source, error in failed.items() if source not in before)


def _said(answer: Answer) -> tuple[object, ...]:
    """What tells two answers apart: the decision, and the papers that are quoted."""
    return answer.decision.status, answer.decision.shown(), {evidence.document_id for evidence in answer.evidence}
