"""Questions as data sets ask them: some are longer than a user may type or have two equal options; all are kept."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping, Sequence

from medground.corpus.readers.compose import printable
from medground.question import Option, Question, Task

LETTERS = string.ascii_uppercase + string.ascii_lowercase
"""Letters of options: A to Z, then a to z."""

_YES_NO: Mapping[frozenset[str], Task] = {
    frozenset({"yes", "no"}): "yes-no",
    frozenset({"yes", "no", "maybe"}): "yes-no-maybe",
}


def asked(text: object, task: Task, options: Mapping[str, str] | Sequence[str] = ()) -> Question:
    """A question of a data set, with white space collapsed.

    Raises:
        ValueError: the text or an option is missing or empty, or a choice question has fewer than two options.
    """
    choices = dict(options) if isinstance(options, Mapping) else dict(zip(LETTERS, options, strict=False))
    if len(choices) != len(options):
        raise ValueError(f"{len(options)} options are too many; at most {len(LETTERS)} can be lettered")
    if task in ("single-choice", "multiple-choice") and len(choices) < 2:
        raise ValueError(f"a {task} question needs at least two options, not {len(choices)}")
    return Question(
        text=_clean(text, "question"),
        task=task,
        options=tuple(Option(letter=letter, text=_clean(o, f"option {letter}")) for letter, o in choices.items()),
    )


def closed(text: object, options: Mapping[str, str], letter: object) -> tuple[Question, tuple[str, ...]]:
    """A question with one correct option, and its gold value; options yes, no (and maybe) make it a yes/no question.

    Raises:
        ValueError: as for `asked`; or the gold answer is not one of the options.
    """
    if not isinstance(options, Mapping):
        raise ValueError("the options are not an object with a letter for each option")
    if not isinstance(letter, str) or letter not in options:
        raise ValueError(f"the gold answer is {letter!r}, not one of the options {', '.join(options)}")
    values = {key: str(value).strip().lower() for key, value in options.items()}
    task = _YES_NO.get(frozenset(values.values()))
    if task is not None and len(values) == len(set(values.values())):
        return asked(text, task), (values[letter],)
    return asked(text, "single-choice", options), (letter,)


def _clean(text: object, what: str) -> str:
    if not isinstance(text, str):
        raise ValueError(f"the {what} is {type(text).__name__}, not text")
    cleaned = " ".join(unicodedata.normalize("NFC", printable(text)).split())
    if not cleaned:
        raise ValueError(f"the {what} is empty")
    return cleaned
