"""The form in which a client wants a reply: text, JSON of a schema, or the call of a function.

An answer is text with citations. What a client orders of a conversation fits each form: fields are filled by name.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from medground.errors import UsageError
from medground.faces.api.chat_tasks import Order, kind_of


class ChatFailure(UsageError):
    """A chat request that cannot be honoured; `param` is the parameter at fault and `code` OpenAI's word for it."""

    def __init__(self, said: str, *, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        self.param = param
        self.code = code
        self.status = status
        super().__init__(said)


class Lenient(BaseModel):
    """What clients of OpenAI send: fields that are not known are not read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _filled(schema: Any, order: Order) -> dict[str, Any] | None:
    """An object that fits a JSON schema; None where it has no field for what is ordered, or needs what nobody knows.

    Raises LookupError, TypeError, AttributeError: it is not the schema of an object.
    """
    found = dict[str, Any]()
    for key, part in schema["properties"].items():
        if texts := order.texts(key):
            listed = "array" in part.get("type", "string")
            found[key] = texts[: part.get("maxItems")] if listed else ", ".join(texts)[: part.get("maxLength")]
    return found if order.kind in map(kind_of, found) and found.keys() >= {*schema.get("required", ())} else None


class Form(NamedTuple):
    """What a client asks for in place of text.

    Attributes:
        parameter: of the request, which asks for it.
        schemas: those that can be chosen, by the name of their function; JSON that is not a call has no name.
        forced: whether text is not accepted.
    """

    parameter: str
    schemas: Mapping[str, Any]
    forced: bool

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> "Form":
        """The form that a request asks for, by the parameters of either API."""
        parameter = "response_format" if "response_format" in sent else "text"
        wanted = _part(sent.get(parameter), "format")
        if wanted.get("type", "text") != "text":
            return cls(parameter, {"": _part(wanted, "json_schema").get("schema")}, forced=True)
        chosen, tools = sent.get("tool_choice") or "auto", sent.get("tools")
        functions = [_part(tool, "function") for tool in tools] if isinstance(tools, list) else []
        name = _part(chosen, "function").get("name")
        schemas = {str(one.get("name")): one.get("parameters") for one in functions if name in (None, one.get("name"))}
        return cls("tool_choice", {} if chosen == "none" else schemas, chosen not in ("auto", "none"))

    def refuse(self) -> None:
        """Check that text is accepted. Raises ChatFailure: it is not, and an answer has no other form."""
        if self.forced:
            said = "an answer is text with citations; POST /v1/ask gives it as JSON"
            raise ChatFailure(f"{self.parameter}: {said}", param=self.parameter)

    def made(self, order: Order) -> tuple[str, str]:
        """The function to call and its arguments, or no function and the text of the reply.

        Raises ChatFailure: no schema can be served, and text is not accepted.
        """
        for name, schema in self.schemas.items():
            with suppress(LookupError, TypeError, AttributeError):
                if (found := _filled(schema, order)) is not None:
                    return name, json.dumps(found, ensure_ascii=False)
        if self.parameter == "tool_choice" or not order.text.startswith("{"):
            self.refuse()
        return "", order.text


def _part(value: Any, name: str) -> Mapping[str, Any]:
    """What an object of a request has under a name, or the object; empty where that is something else."""
    found = value.get(name, value) if isinstance(value, dict) else {}
    return found if isinstance(found, dict) else {}
