"""A question in the words of papers: clipped and lay words, and misspelt ones, as people who ask them mean them."""

import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources

from rapidfuzz.distance import OSA

from medground.home.files import rows
from medground.language import words
from medground.language.plain_words import is_plain, plain_words
from medground.language.predicate_words import VERBS
from medground.language.requests import asked_words
from medground.language.sentences import sentence_spans
from medground.language.subject import Subject, bracketed, subjects
from medground.language.thresholds import COMMON, LONG_SLIP, SHORT_NAME, SHORTEST_SLIP, TOGETHER
from medground.pubmed.typed import names_in

_ALIKE = str.maketrans("eiouynszk", "aaaaamccc")
"""Letters that are taken for each other."""
_PATIENT = re.compile(r"\d[ -]year[ -]olds?\b[^.;?]*\bwith\b")
"""How a case of an examination begins, of which all is asked about."""
_WORD = re.compile(r"(?<![\w-])[a-z]+(?![\w-])")
_NAME = re.compile(r"(?<![\w-])[^\W\d_]{4,}(?![\w-])")


@cache
def _meant() -> dict[str, str]:
    return {said: meant for said, meant in rows("language", "people_words")}  # noqa: C416 - lists are no pairs to mypy


@cache
def _said() -> re.Pattern[str]:
    either = "|".join(map(_form, sorted(_meant(), key=lambda said: -len(said))))
    return re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")


def _form(said: str) -> str:
    """What is in capitals is said in capitals, and not beside brackets that explain it; another short word never is."""
    if said.isupper():
        return rf"(?<!\(){said}(?!\s?\()"
    return f"{f'(?!{said.upper()})' if len(said) <= SHORT_NAME else ''}(?ai:{said})"


@cache
def _brands() -> dict[str, str]:
    """Names under which drugs are sold, each with the drug, but for those that people's own words explain better."""
    stored = (resources.files("medground") / "data" / "brands.tsv.gz").read_bytes()
    rows = (line.split("\t") for line in gzip.decompress(stored).decode("utf-8").splitlines())
    return {brand: drug for brand, drug in rows if brand not in _meant()}


def _as_meant(text: str) -> tuple[str, dict[str, str]]:
    """A text in the words of papers, and which of its words were replaced by which."""
    changed = {word: right for word in _NAME.findall(text) if (right := _brands().get(word.lower(), ""))}
    changed |= {word: right for word in _WORD.findall(text) if word not in changed and (right := corrected(word))}
    for word, right in changed.items():
        text = re.sub(rf"\b{word}\b", right, text)
    for said in dict.fromkeys(_said().findall(text)):
        changed[said] = _meant().get(said) or _meant()[said.lower()]
    return _said().sub(lambda found: changed[found[0]], text), changed


@dataclass(frozen=True)
class PlainWording:
    """A question in the words of papers.

    Attributes:
        asked: all of it, or of a story only what matters to what it asks in the end.
        changed: which of its words were replaced by which, such as `{"mets": "metastases"}`.
        in_story: whether it is only a part.
    """

    asked: str
    changed: Mapping[str, str]
    in_story: bool


def in_plain_words(text: str) -> PlainWording:
    """A question, in words or in PubMed's syntax, in the words of papers."""
    whole, changed = _as_meant(names_in(text))
    asked = _asked_last(whole)
    return PlainWording(asked, changed, asked != whole)


def typed_too(subjects: Sequence[Subject], changed: Mapping[str, str]) -> tuple[Subject, ...]:
    """Subjects of a text that `in_plain_words` changed: what was typed and what else people say are names too."""
    renamed = list(subjects)
    for typed, meant in changed.items():
        others = [other for other, same in _meant().items() if same == meant]
        for n, subject in enumerate(renamed):
            if (said := subject.said.replace(meant, typed)) != subject.said:
                renamed[n] = replace(subject, names=(said, *others, *subject.names))
    return tuple(renamed)


def _asked_last(text: str) -> str:
    """A text; of a story that ends in a question, that question after the things of health that the rest names.

    If it has several sentences and more than `TOGETHER` things decide, it is from the last one that names any.
    """
    spans = sentence_spans(text)
    asked = min((start for start, end in spans if text[:end].endswith("?")), default=0)
    if asked and not _PATIENT.search(text):
        return _without_story(text[:asked], text[asked:])
    places = [thing.start for thing in subjects(text) if thing.decides] if len(spans) > 1 else []
    if len(places) <= TOGETHER:
        return text
    return text[max((start for start, _ in spans if start <= max(places)), default=0) :]


def _without_story(story: str, question: str) -> str:
    """A question after the things of health that its story names; by itself where it names its own."""
    before, asked = sorted(subjects(story), key=lambda subject: subject.start), subjects(question)
    if any(subject.of_health and (subject.names or subject.decides) for subject in before):  # more than people
        left = max(TOGETHER - sum(subject.decides for subject in asked), 1)
        health = [
            " ".join([subject.said, *(f"({name})" for name in bracketed(story, subject.said))])
            for subject in before
            if subject.of_health
        ]
        return f"{', '.join(health[-left:])}. {question}"
    if asked:
        return question
    for subject in before:
        story = story.replace(subject.said, "") if subject.decides else story
    return f"{story}{question}"


@lru_cache(maxsize=4096)
def corrected(word: str) -> str:
    """What an unknown lower-case word is misspelt for: the commonest that differs in one letter; empty if none does."""
    from medground.pubmed.mesh import vocabulary  # slow to open, and seldom needed

    if len(word) < SHORTEST_SLIP - 1 or words.weight(words.stem(word)) < words.MOST or is_plain(word):
        return ""
    near = [other for other in _known()[word[0]] if _is_slip(word, other)]
    near = [] if any(word[:-1] in other[:-1] for other in near) else near  # it may be a form of the other
    plain = (other for other in _plain()[word[0]] if _is_slip(word, other))
    near += [other for other in plain if words.abstracts_with(words.stem(other)) >= COMMON]
    if any(words.stem(word) == words.stem(other) for other in near):  # a form of it, or a plural: migranes, not migrans
        singular = corrected(word[:-1]) if word.endswith("es") else ""
        return f"{singular}s" if singular else ""
    if not near or word in vocabulary().words:
        return ""
    return max(near, key=lambda other: (words.abstracts_with(words.stem(other)), other[-1] == word[-1]))


@cache
def _plain() -> Mapping[str, list[str]]:
    """Plain English words, by their first letter."""
    return _by_letter(plain_words())


def _by_letter(found: Iterable[str]) -> Mapping[str, list[str]]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for word in found:
        if word.isalpha() and len(word) >= SHORTEST_SLIP - 1:
            grouped[word[0]].append(word)
    return grouped


def _is_slip(word: str, other: str) -> bool:
    """Whether one letter is left out, doubled or, in a long word, taken for one that is like it, or some are moved."""
    is_long = len(word) >= LONG_SLIP
    word = word if other.endswith("s") else word.removesuffix("s")
    is_moved = sorted(word) == sorted(other)
    if max(len(word), len(other)) < SHORTEST_SLIP:
        return False
    if OSA.distance(word, other, score_cutoff=2) > (2 if is_long and is_moved else 1):
        return False
    is_common = words.abstracts_with(words.stem(other)) > 0
    if len(word) != len(other) or is_moved:
        return is_long or is_common
    return is_long and is_common and word.translate(_ALIKE) == other.translate(_ALIKE)


@cache
def _known() -> Mapping[str, list[str]]:
    """Words that may be meant, by their first letter: names in MeSH, what is asked of things, and verbs."""
    from medground.pubmed.mesh import vocabulary

    return _by_letter((*vocabulary().words, *asked_words(), *VERBS))
