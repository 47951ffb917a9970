"""A server of models that is always right, and writes beside its answer what every check objects to."""

import json
import re
from typing import Any

from chat_peer import ChatPeer, Sent, chat, prompt_of
from echo_peer import filled

OBJECTIONABLE = (
    "Quillfeather et al. (2019) saw it in 4,711 of 9,002 patients within 37 days.",
    "It is not true that zinc shortens colds.",
    'You should stop it today: the authors write that "nothing else explains it".',
)
"""Sentences that no quote carries: a work that was not retrieved, numbers, an opposite, advice, a false quotation."""
_IDS = {"sentences": r"^(P\d+\.S\d+) ", "evidence": r"^(E\d+) "}
_JUDGED = {"relation": "contradicts", "category": "INCORRECT-FALSE", "verdict": "INCORRECT"}
_WRITTEN = ("claims", "statements", "sentences", "background", "synthesis")


class OraclePeer(ChatPeer):
    """Fills the form of each reply; `answer` is what it answers.

    `says` is what it writes elsewhere, empty for nothing but the answer. `planless` has it plan in prose.
    """

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.answer: list[str] = []
        self.says = ""
        self.planless = False
        self.calls: list[str] = []

    def _reply(self, asked: dict[str, Any]) -> Sent:
        form = (asked.get("response_format") or {}).get("json_schema")
        self.calls.append(form["name"] if form else "text")
        if self.planless and (form is None or form["name"] == "PlanSourcesOutput"):
            return chat("I would look in a textbook first, and then in recent trials.")
        if form is None:
            return chat("<book>zinc</book> <research>zinc ; colds</research>")
        reply = filled(form["schema"], form["schema"].get("$defs", {}), self.says or "zinc")
        shown = prompt_of(asked)
        reply = {name: _citing(name, self._said(name, value), shown) for name, value in reply.items()}
        if "answerable" in reply:
            reply["answerable"] = bool(reply["claims"])
        if "options" in reply:
            letters = dict.fromkeys(re.findall(r"<letter>(.)</letter>", shown))
            reply["options"] = [{**reply["options"][0], "letter": letter} for letter in letters]
        return chat(json.dumps(reply))

    def _said(self, name: str, value: Any) -> Any:
        if name == "answer" and isinstance(value, list):
            return self.answer
        if name in _WRITTEN and not self.says:
            return []
        if isinstance(value, list):
            return [{**one, **_judged(one)} if isinstance(one, dict) else one for one in value]
        return _JUDGED.get(name, value) if isinstance(value, str) else value


def _citing(name: str, value: Any, shown: str) -> Any:
    """A part of a reply, whose lists of ids hold the first id that the prompt shows."""
    if isinstance(value, dict):
        return {field: _citing(field, one, shown) for field, one in value.items()}
    if isinstance(value, list) and name in _IDS and all(isinstance(one, str) for one in value):
        return re.findall(_IDS[name], shown, re.MULTILINE)[:1] if value else []
    return [_citing("", one, shown) for one in value] if isinstance(value, list) else value


def _judged(part: dict[str, Any]) -> dict[str, Any]:
    return {name: said for name, said in _JUDGED.items() if isinstance(part.get(name), str)}
