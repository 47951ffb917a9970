"""Requests of chat clients that ask no question: a title, tags, follow-up questions, search queries and the like.

Clients such as Open WebUI and LibreChat send them with a conversation, and a program reads the reply. They are told by
what they order, of what, and in which form, and are answered from the conversation by code, in that form: no model is
called, nothing is searched, and nothing is kept or counted.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from medground.errors import UsageError
from medground.language.clean import joined
from medground.language.follow_up import read_follow_up
from medground.language.noun_phrases import ASKING, AUXILIARIES
from medground.language.subject import subjects

_ORDERED = re.compile(
    r"""
    (?=.*\btool_calls\b)(?P<tool_calls>)
    | (?=.*\b(?:search[ ](?:engine[ ])?quer(?:y|ies)|standalone|self-contained|rephrase)\b)(?P<queries>)
    | (?=.*\b(?:titles?|headlines?|names?[ ](?:this|the|our|it)|(?:an?|short|chat|conversation)[ ]name)\b)(?P<title>)
    | (?=.*\b(?:follow[- ]?ups?|asks?[ ](?:\w+[ ])?next|(?:next|short|more)[ ]questions?)\b)(?P<follow_ups>)
    | (?=.*\b(?:tags|labels?|keywords|categori[sz]e)\b)(?P<tags>)
    | (?=.*\b(?:image[ ]gener\w+|image[ ]prompt|text-to-image)\b)(?P<prompt>)
    | (?=.*\b(?:auto-?complet\w+|continu(?:e|ation)|unfinished)\b)(?P<text>)
    | (?=.*\bemojis?\b)(?P<emoji>)
    | (?=.*\b(?:summar(?:y|i[sz]e|i[sz]ing)|recap|condense)\b)(?P<summary>)
    """,
    re.I | re.X,
)
"""What a sentence orders, by its words; of two, the first here."""
_FIELD = re.compile(
    r"""(?:.*_)?(?:(?P<tool_calls>tool_calls)|(?P<queries>quer(?:y|ies))|(?P<title>title|topic|headline|name)
    |(?P<follow_ups>follow_?ups?|suggestions|questions|prompts)|(?P<tags>tags|labels|keywords|topics|categories)
    |(?P<prompt>prompt)|(?P<text>text|completion|continuation)|(?P<emoji>emoji)|(?P<summary>summary|recap)
    |(?P<language>language)
    )""",
    re.X,
)
"""How a field of the reply ends that holds it."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ABOUT = re.compile(
    r"\b(?:conversation|chat|dialog(?:ue)?|discussion|exchange|transcript|messages?|speaker|"
    r"the user['’]s (?:\w+ )?(?:request|question|query|input))\b",
    re.I,
)
"""What such an order is about."""
_ABOUT_THIS = re.compile(
    rf"\b(?:this|the|our|above|below|following|preceding|previous|provided|given|entire|last)\W+(?:\w+\W+)?{_ABOUT.pattern}",
    re.I,
)
"""The same beside a conversation, where people ask for the history of a disease and for text messages."""
_TITLED = re.compile(
    r"(?!.*\b(?:each|every|answers?|responses?|repl(?:y|ies))\b)\W*(?:please )?"
    r"(?:you (?:will|must|should) |your (?:task|job) is to )?"
    r"(?:generate|write|create|provide|summari[sz]e|give|make|come up|propose|suggest|produce|name)\b.*\btitles?\b",
    re.I,
)
"""The order of a system message for titles; not for a title of each answer."""
_SENTENCE = re.compile(r"\n+|(?<=[^\d\W][.!?])\s+")
_LEAD = 4
"""Sentences of a message with a conversation in which its order stands."""
_SHAPE = re.compile(r'(?<!\[)\{\s*"(\w+)"\s*:\s*(["[])')
"""The reply as JSON, as an example shows it: its field, and whether it holds a text or a list."""
_HEADED = re.compile(r"\W*task\W*:", re.I)
_BLOCK = re.compile(r"<(\w+)(?:\s[^<>]*)?>.*?</\1>|```.*?```", re.DOTALL)
_ROLES = r"(?:(user|human|follow[- ]up (?:input|question))|assistant|ai|bot|response)"
_ROLE = re.compile(rf"^\W*{_ROLES}\b\W*:\W*", re.I | re.M)
_SECTION = re.compile(r"^(?!\W*(?:user|human|assistant|ai|bot|response)\b)\W*\w[\w ]*:[ \t]*$", re.I | re.M)
"""A line that heads a part of a message, such as the conversation."""
_WRAPPED = re.compile(r"\W*(?:task\W*)?(?:respond|answer|use|you have been provided)\b", re.I)
_QUESTION = re.compile(
    r'<user_query>\s*(.+?)\s*</user_query>|\b(?:query|question): "(.+?)"|</\w+>\s*([^<]*\S)\s*\Z', re.DOTALL
)
_NEXT = ("known about {}?", "recommended by guidelines on {}?", "known about {} in children?", "not known about {}?")


class Turn(NamedTuple):
    """What somebody said in a conversation."""

    by_user: bool
    text: str


def question_in(message: str) -> str:
    """The question of a message that has it among instructions and context; the message itself otherwise."""
    found = _QUESTION.search(message) if _WRAPPED.match(message) else None
    return next(filter(None, found.groups())) if found else message


class Form(NamedTuple):
    """The form that a reply is to have: text, or JSON of a schema, which may be for a function.

    Attributes:
        parameter: of the request, which asks for JSON; empty for text.
    """

    parameter: str = ""
    function: str = ""
    schema: Any = None

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> "Form":
        """The form that a request asks for, by the parameters of either API."""
        wanted = _part(sent.get("response_format") or sent.get("text"), "format")
        if wanted.get("type", "text") != "text":
            return cls("response_format", "", _part(wanted, "json_schema").get("schema"))
        chosen, tools = sent.get("tool_choice") or "auto", sent.get("tools")
        if chosen in ("auto", "none"):
            return cls()
        name = _part(chosen, "function").get("name")
        functions = [_part(tool, "function") for tool in tools] if isinstance(tools, list) else []
        called = next((one for one in functions if name in (None, one.get("name"))), {})
        return cls("tool_choice", str(called.get("name")), called.get("parameters"))

    def filled(self, kind: str, text: str, values: Mapping[str, Sequence[str]]) -> str | None:
        """What is ordered in this form: `text`, or an object whose fields hold what their names say, of `values`.

        None where the schema has no field for it, needs what nobody knows, or cannot be read.
        """
        if not self.parameter or (not self.function and text.startswith("{")):
            return text
        found = dict[str, Any]()
        with suppress(LookupError, TypeError, AttributeError):
            for key, part in self.schema["properties"].items():
                if texts := values.get(kind_of(key) or ""):
                    found[key] = texts[: part.get("maxItems")] if part["type"] == "array" else ", ".join(texts)
            if kind in map(kind_of, found) and found.keys() >= {*self.schema.get("required", ())}:
                return json.dumps(found, ensure_ascii=False)
        return None


def _part(value: Any, name: str) -> Mapping[str, Any]:
    """What an object of a request has under a name, or the object; empty where that is something else."""
    found = value.get(name, value) if isinstance(value, dict) else {}
    return found if isinstance(found, dict) else {}


def reply_to(instructions: str, earlier: Sequence[Turn], message: str, form: Form) -> str | None:
    """The reply to a message that orders something of a conversation; None for a question, and where `form` is not met.

    Args:
        instructions: the system messages.
        earlier: what was said before.
    """
    outside, turns, shape = _BLOCK.sub(" ", message), [*_turns(message)], _shape(message)
    whole = len({turn.by_user for turn in turns}) == 2 or _HEADED.match(message) is not None
    sentences = [one for one in _SENTENCE.split(outside) if one.strip() and not _asks(one)]
    orders = [one for one in sentences if _ABOUT_THIS.search(one)]
    if shape and (whole or _ABOUT.search(outside)):
        kind = kind_of(shape[1])
    else:
        there = whole or earlier or outside != message
        kind = _ordered([*(sentences[:_LEAD] if whole else ()), *(orders if there else ())])
    if kind is None:
        shape = _shape(instructions)
        titled = any(_TITLED.match(one) and _ABOUT.search(one) for one in _SENTENCE.split(instructions)[:3])
        kind = "title" if titled else "tool_calls" if shape and shape[1] == "tool_calls" else None
        turns = turns or [*_turns(instructions)] or [Turn(True, message)]
    if kind is None:
        return None
    values = _values(turns or [*earlier] or [Turn(True, _SECTION.split(message)[-1])])
    texts = values[kind]
    text = (", " if shape or "comma" in message else "\n").join(texts)
    if shape:
        text = json.dumps({shape[1]: texts if shape[2] == "[" else text}, ensure_ascii=False)
    elif "JSON" in message:
        text = json.dumps(texts)
    return form.filled(kind, text, values)


def _asks(sentence: str) -> bool:
    """Whether a sentence is a question, or names a disease, a drug or the like: neither does an order of a client."""
    begins = sentence.split()[0].lower() in ASKING | AUXILIARIES
    return begins or sentence.endswith("?") or any(one.is_thing for one in subjects(sentence))


def kind_of(field: str) -> str | None:
    """What a field of a reply holds, by its name: `chatTitle` and `chat_title` hold a title."""
    found = _FIELD.fullmatch(_CAMEL.sub("_", field).lower())
    return found and found.lastgroup


def _ordered(sentences: Iterable[str]) -> str | None:
    return next((found.lastgroup for one in sentences if (found := _ORDERED.match(one))), None)


def _shape(text: str) -> re.Match[str] | None:
    return next((one for one in _SHAPE.finditer(text) if kind_of(one[1])), None)


def _turns(message: str) -> Iterator[Turn]:
    """The conversation that a message holds: its last part in which somebody speaks."""
    for part in reversed(_SECTION.split(message)):
        if spoken := [*_ROLE.finditer(part)]:
            ends = [*(one.start() for one in spoken[1:]), len(part)]
            for one, end in zip(spoken, ends, strict=True):
                yield Turn(bool(one[1]), part[one.end() : end].partition("</")[0].strip(' \n"`'))
            return


def _values(turns: Sequence[Turn]) -> dict[str, list[str]]:
    """What can be said of a conversation, by kind. What to write next, and which tool to call, is left open."""
    asked = [turn.text for turn in turns if turn.by_user] or [turns[0].text]
    about = [one.said for one in subjects(asked[0]) if one.is_thing] or [" ".join(asked[0].split()[:5]).rstrip("?.,")]
    whole = asked[-1]
    with suppress(UsageError, IndexError):
        whole = read_follow_up(whole, asked[-2]).text
    both = " and ".join(about[:2])
    return {
        "title": [both[:1].upper() + both[1:60]],
        "tags": ["Health", *about[:3]],
        "follow_ups": [f"What is {ask.format(about[0])}" for ask in _NEXT],
        "queries": [whole],
        "prompt": [f"A plain illustration of {both}, without text."],
        "summary": [f"{'User' if turn.by_user else 'Assistant'}: {joined(turn.text)[:300]}" for turn in turns],
        "emoji": ["🤔"],
        "text": [""],
        "tool_calls": [],
        "language": ["English"],
    }
