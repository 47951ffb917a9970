"""Questions that people watch are asked again by the server once what is searched for them has changed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from medground.corpus.library import Library
from medground.errors import MedgroundError
from medground.faces.service.accounts import Saved, Tokens, Watched
from medground.faces.service.questions import Questioning
from medground.faces.service.request import Asked, Searched, chosen_for
from medground.faces.service.values import Person
from medground.values.answer import Answer


class Watching(Questioning):
    """Asks watched questions again. A `Service` is one."""

    saved: Saved
    _tokens: Tokens

    async def ask_watched(self) -> int:
        """Ask watched questions again whose corpora have changed, at most `serve.watched` of them; how many it was.

        An answer that differs is named `again` beside the former one; another is deleted.
        """
        asked = 0
        for owner in await asyncio.to_thread(self.saved.owners):
            for one in (await asyncio.to_thread(self.saved.read, owner)).watched:
                with suppress(MedgroundError):  # a token that was revoked, or an answer that is gone
                    person = await asyncio.to_thread(self._tokens.person, owner)
                    if asked < self.settings.serve.watched and (told := await self._again(one, person)):
                        await asyncio.to_thread(self.saved.tell, owner, one.answer, told)
                        asked += 1
        return asked

    async def _again(self, one: Watched, person: Person) -> dict[str, Any]:
        """What is to be saved once a question was asked again; nothing where it need not be."""
        former = await asyncio.to_thread(self._kept.answer, one.answer, person)
        where, states = await asyncio.to_thread(self._searched, former)
        if states.items() <= one.states.items():
            return {}
        said, told = former.question, dict[str, Any](states={**one.states, **states})
        given: dict[str, Any] = {name: getattr(said, name) for name in ("task", "context", "filters")}
        options = {option.letter: option.text for option in said.options}
        try:
            answer = await (
                await self.start(Asked(question=said.text, options=options, **given, **where), person)
            ).outcome()
        except MedgroundError as error:
            return told | {"failed": str(error)}
        told["asked"] = answer.created.isoformat()
        if _said(answer) != _said(former):
            return told | {"again": answer.trace_id}
        await asyncio.to_thread(self._kept.delete, answer.trace_id, person)
        return told

    def _searched(self, answer: Answer) -> tuple[dict[str, Any], dict[str, str]]:
        """What was chosen for an answer, as a question names it, and the hash of each corpus that is now searched."""
        chosen, library, states = chosen_for(answer, self.settings), Library(self.settings.home), {}
        for name in (chosen or Searched.by_default(self.settings)).corpora:
            with suppress(MedgroundError):  # not built, or damaged
                states[name] = library.info(name).hash
        return {"corpora": chosen.corpora, "sources": chosen.sources} if chosen else {}, states


def _said(answer: Answer) -> tuple[object, ...]:
    """What tells two answers apart: the decision, and the papers that are quoted."""
    return answer.decision.status, answer.decision.shown(), {evidence.document_id for evidence in answer.evidence}
