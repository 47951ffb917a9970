"""Replies in the form that a paper's prompt asks for: JSON of its own fields, tags, or prose that ends in an answer.

They are read where an operator has a prompt of the user's own that is not typed (`operators.NAME.typed = false`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from medground.language.sentences import sentence_spans
from medground.models.operators.base import InvalidOutput, SentencedPassage
from medground.models.operators.writing import TaskInput, allowed_answers
from medground.values.question import lettered

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_FINAL = re.compile(r"^\W*final answer\W+(.*)$|^\W*(answer unavailable)\b.*$", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(r"^[A-Z]\W+")
"""The letter before `yes` in `A. yes`."""
_PAPER = re.compile(r"PMID:?\s*(\d+)", re.IGNORECASE)
_PASSAGE = re.compile(
    r"\[(?:document |doc\.? )?P?(\d+)(?:\.S\d+)?\]|\b(?:documents?|passages?) P?(\d+)\b", re.IGNORECASE
)
_LONGEST = 1200
"""Most characters of a sentence of a rationale."""


def in_json(text: str) -> dict[str, Any]:
    """The object in a reply, which may stand in a fence. Raises InvalidOutput: there is none."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(_TRAILING_COMMA.sub("", text[start : end + 1]), strict=False)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidOutput("the reply is not one JSON object")
    return found


def in_words(found: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    """A field of an object as one line. Raises InvalidOutput: it is needed and not there."""
    said = found.get(name)
    text = "" if said is None else " ".join(str(said).split())
    if needed and not text:
        raise InvalidOutput(f"the field {name!r} is missing or empty")
    return text


def in_tag(text: str, tag: str) -> str:
    """What stands in the last tag of this name. Raises InvalidOutput: there is none."""
    found = re.findall(rf"<{tag}>(.*?)(?:</{tag}>|\Z)", text, re.DOTALL | re.IGNORECASE)
    if not found:
        raise InvalidOutput(f"the reply has no tag <{tag}>")
    return str(found[-1]).strip()


def rationale_and_answer(value: TaskInput, text: str) -> tuple[str, tuple[str, ...]]:
    """A rationale and the answer after it: of JSON with both, in a tag `answer`, or in a last line `FINAL ANSWER: ...`.

    The answer is empty where the reply says `ANSWER UNAVAILABLE`. That to an open question also ends the rationale.

    Raises InvalidOutput: there is no answer, or not one of the task's.
    """
    if '"answer"' in text:
        found = in_json(text)
        rationale, said = in_words(found, "rationale", needed=False), in_words(found, "answer")
    elif "<answer>" in text.casefold():
        rationale, said = re.split("<answer>", text, flags=re.IGNORECASE)[0], in_tag(text, "answer")
    elif ends := list(_FINAL.finditer(text)):
        rationale, said = text[: ends[-1].start()], ends[-1][1]
        if ends[-1][2]:
            return rationale, ()
    else:
        raise InvalidOutput("the reply does not end with its answer in the form that the instructions ask for")
    return f"{rationale}\n\n{said}" if value.task == "free" else rationale, _one_of(value, said)


def _one_of(value: TaskInput, said: str) -> tuple[str, ...]:
    """The answers that a text names, of those that the task allows; for an open question the text itself."""
    said, allowed = said.strip(" \t\n\"'`*“”.()"), allowed_answers(value)
    if not allowed:
        return (said[:600],) if said else ()
    if not value.options:
        plain, shown = _LABEL.sub("", said).casefold(), lettered(value.task, ())
        named = [one.text for one in shown if re.match(rf"{one.text}\b", plain) or said == one.letter]
    else:
        letters = re.match(r"[A-Z](?:\W+(?:and\W+)?[A-Z]\b)*(?![A-Za-z])", said)
        named = re.findall(r"\b[A-Z]\b", letters[0]) if letters else []
        named = named or [option.letter for option in value.options if option.text.casefold() == said.casefold()]
    if not named or not set(named) <= set(allowed):
        raise InvalidOutput(f"answer {said[:60]!r} is not one of {', '.join(allowed)}")
    return tuple(dict.fromkeys(named if value.task == "multiple-choice" else named[:1]))


def sentences(text: str) -> list[str]:
    """The sentences of a rationale, each on one line."""
    found = (" ".join(text[start:end].split()) for start, end in sentence_spans(text))
    return [one[:_LONGEST] for one in found if re.search(r"\w", one)]


def papers_cited(sentence: str, ids: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What a sentence cites as `[PMID: 123]`: the ids of that paper's quotes; `ids` are by document."""
    named = (ids.get(f"PMID:{number}", ()) for number in _PAPER.findall(sentence))
    return tuple(dict.fromkeys(one for several in named for one in several))


def passages_cited(sentence: str, passages: Sequence[SentencedPassage]) -> list[SentencedPassage]:
    """What a sentence cites as `[2]`, `[P2]` or `document 2`: the passages with these numbers."""
    numbers = {one or other for one, other in _PASSAGE.findall(sentence)}
    return [passage for passage in passages if passage.id.removeprefix("P") in numbers]
