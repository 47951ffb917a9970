"""The names of authors, as reference managers take them apart."""

import re
from dataclasses import dataclass

from medground.language.pattern import verbose_pattern

_INITIALS = r"(?:[^\W\d_a-z]\.?[ -]?){1,4}"
_PERSON = re.compile(rf"(?P<family>.+?)\s+(?P<given>{_INITIALS})")
_GROUP = verbose_pattern(
    r"""
    \b(?:group|study|trial|investigators?|collaborat\w+|consortium|network|committee|society|association|team|
    project|institute|cent(?:re|er)|university|council|federation|agency|organi[sz]ation|college|department|
    academy|program(?:me)?|foundation|initiative|panel|board|register|registry)\b
    """
)


_SUFFIX = re.compile(r"(?P<name>.+?),?\s+(?P<suffix>Jr|Sr|2nd|3rd|4th|III|IV)\.?", re.IGNORECASE)
_SPELLED = re.compile(r"[^\W\d_a-z][^\W\d_]+")


@dataclass(frozen=True)
class Name:
    """A person by `family`, `given` and `suffix`; or the whole text as `family` where its form does not tell them."""

    family: str
    given: str = ""
    suffix: str = ""

    @property
    def is_person(self) -> bool:
        """Whether family and given name are known."""
        return bool(self.given)


def name_of(author: str) -> Name:
    """An author such as `Smith JA`, `Smith JA Jr` or `Smith, John A.`; what cannot be taken apart, stays whole.

    Args:
        author: one line of text.
    """
    if _GROUP.search(author):
        return Name(author)
    ended = _SUFFIX.fullmatch(author)
    parts = _parts(ended["name"] if ended else author)
    if parts is None:
        return Name(author)
    return Name(parts[0], _spaced(parts[1]), ended["suffix"] if ended else "")


def _parts(author: str) -> tuple[str, str] | None:
    """Family and given name; None where the form does not tell them apart."""
    family, comma, given = (part.strip() for part in author.partition(","))
    if comma:
        return (family, given) if family and given and "," not in given else None
    found = _PERSON.fullmatch(author)
    if found is None or not found["given"].isupper():
        return None
    family, given = found["family"], found["given"]
    if family.isupper() and (" " in family or len(given) > 2):
        return None  # rather a group than a person of an old record, such as `SMITH JA`
    if "." in given and len(_SPELLED.findall(family)) > 1:
        return None  # `Smith John A.`: John may be a given name
    return family, given


def _spaced(given: str) -> str:
    """`JA` as `J. A.`; a given name that is written out stays."""
    if not (re.fullmatch(_INITIALS, given) and given.isupper()):
        return given
    return " ".join(f"{letter}." for letter in re.findall(r"[^\W\d_]", given))
