"""Words: tokens, stems, content words, how rare each is in the literature, and their spellings and initials."""

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources

import tantivy

from medground.language.word_lists import word_lists
from medground.pubmed.characters import american

_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_ASCII_TOKEN = re.compile(r"[0-9]+(?:[.,][0-9]+)+|[a-z0-9]+")
"""The same for lower-case ASCII, which covers most sentences and is faster."""
LEAST_LETTERS = 5
"""Letters of a word that may have two spellings; `does` is not `des`, nor `four` `for`."""
LONGEST_TOKEN = 60
"""Longer runs of letters are not words (sequences, base64); they are cut to this many characters."""
MOST = 7.0
"""Weight of the rarest words. An unknown word may be a misspelling, so it must not outweigh all others."""
LEAST = 0.5
"""Weight of a function word or a letter, which only tell names apart."""
NUMBER = 3.0
"""Weight of a number."""

_LISTS = word_lists("common_words")
FUNCTION_WORDS = _LISTS["function"] | {f"{word}nt" for word in _LISTS["function"] if len(word) >= 3}
"""Function words, also where the apostrophe is left out: shouldnt."""

QUESTION_WORDS = _LISTS["question"]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The English stem of one lower-case word in American spelling; the word itself if the stemmer leaves nothing."""
    plain = american(word)
    if plain != word and (len(plain) < LEAST_LETTERS or not _is_word(plain)):
        plain = word
    return _stem(plain)


def _stem(word: str) -> str:
    stems = _stemmer().analyze(word)
    return stems[0] if stems else word


def _is_word(american_word: str) -> bool:
    """Whether a word that rules of letters made is one: in abstracts or in MeSH."""
    if abstracts_with(_stem(american_word)):
        return True
    from medground.pubmed.mesh import vocabulary  # slow to open, and seldom needed

    return vocabulary().find_folded(american_word) is not None


@cache
def _stemmer() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("English")).build()


def tokens(text: str) -> list[str]:
    """Lower-case words and numbers in order; `TNF-alpha` is two, `0.05` is one."""
    folded = (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
    found = (_ASCII_TOKEN if folded.isascii() else _TOKEN).findall(folded)
    return found if max(map(len, found), default=0) <= LONGEST_TOKEN else [token[:LONGEST_TOKEN] for token in found]


def stems(text: str) -> list[str]:
    """Stems of all words of a text, in order, with repeats."""
    return [stem(token) for token in tokens(text)]


def terms(text: str) -> list[str]:
    """Stems of the content words of a text, in order, with repeats; function words and single letters are left out."""
    return list(_terms(text))


@lru_cache(maxsize=8192)
def _terms(text: str) -> tuple[str, ...]:
    """Remembered, because a sentence is compared with the question at several steps."""
    return tuple(filter(None, map(_content_stem, tokens(text))))


@lru_cache(maxsize=100_000)
def _content_stem(token: str) -> str:
    return stem(token) if token not in FUNCTION_WORDS and (len(token) > 1 or token.isdigit()) else ""


@cache
def question_stems() -> frozenset[str]:
    """Stems of words that say little about the topic of a question."""
    return frozenset(stem(w) for w in QUESTION_WORDS)


def topic(question: str) -> frozenset[str]:
    """Stems that name what a question is about; all its content stems if it has no others."""
    content = frozenset(terms(question))
    return (content - question_stems()) or content


@cache
def _frequencies() -> tuple[int, Mapping[str, int]]:
    stored = json.loads((resources.files("medground") / "data" / "frequencies.json").read_text(encoding="utf-8"))
    return int(stored["abstracts"]), {term: int(n) for n, words in stored["terms"].items() for term in words.split()}


def abstracts_with(term: str) -> int:
    """In how many abstracts of a fixed set a stem occurs; 0 for one that is rare there."""
    return _frequencies()[1].get(term, 0)


@lru_cache(maxsize=100_000)
def weight(term: str) -> float:
    """How informative a stem is: its inverse document frequency in a fixed set of abstracts, 0.05 to `MOST`.

    All numbers have the same weight: a year or a dose is rare in any set, but says little; so do function words.
    """
    if term[0].isdigit():
        return NUMBER
    if term in FUNCTION_WORDS or len(term) == 1:
        return LEAST
    abstracts, frequency = _frequencies()
    return min(MOST, math.log((abstracts + 1) / (frequency.get(term, 0) + 0.5)) + 0.05)


_WRITTEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def names(text: str) -> frozenset[str]:
    """Stems of words written like names (capitals after the first letter of the text, letters with digits) or unknown.

    A name cannot be told from a misspelling.
    """
    found: set[str] = set()
    for match in _WRITTEN.finditer(text):
        word = match[0]
        rest = word if match.start() else word[1:]
        written = any(c.isupper() for c in rest) or (any(map(str.isdigit, word)) and any(map(str.isalpha, word)))
        found.update(t for t in terms(word) if not t[0].isdigit() and (written or weight(t) >= MOST))
    return frozenset(found) - question_stems()


def rarest_of(names: Iterable[str]) -> str:
    """The rarest of some names; empty if none is rare."""
    rare = [t for t in names if weight(t) >= MOST]
    return max(rare, key=lambda t: (len(t), t), default="")


def mentions(text: str, name: str) -> bool:
    """Whether a text has a word with a stem, in either spelling; an empty stem is in every text."""
    return name in text.lower() or name in terms(text)


def coverage(wanted: Iterable[str], found: Iterable[str]) -> float:
    """Share, by weight, of the wanted stems that were found: 0 to 1, and 0 if nothing is wanted."""
    distinct = sorted(set(wanted))
    total = sum(weight(t) for t in distinct)
    present = set(found)
    return sum(weight(t) for t in distinct if t in present) / total if total else 0.0


def densest(wanted: frozenset[str], text: Sequence[str], window: int, least: int = 1) -> float:
    """The best coverage of the wanted stems by `window` consecutive stems of a text, 0 to 1.

    Stretches that hold fewer than `least` different ones count as 0.
    """
    total = sum(weight(t) for t in sorted(wanted))
    places = [(n, term) for n, term in enumerate(text) if term in wanted]
    inside: dict[str, int] = {}
    best, first = 0.0, 0
    for n, term in places:
        inside[term] = inside.get(term, 0) + 1
        while n - places[first][0] >= window:
            inside[places[first][1]] -= 1
            first += 1
        held = [t for t, times in sorted(inside.items()) if times]
        if len(held) >= least:
            best = max(best, sum(weight(t) for t in held))
    return best / total if total else 0.0


_WORD = re.compile(r"[^\W\d_]+")
_LENGTHS = (3, 4, 5)
"""Two initials stand for too many things."""


def spelled_out(text: str, question: str) -> str:
    """The text with the initials of neighbouring words of the question written out as those words.

    Those that the question itself has stay: there they are a name of their own.

    >>> spelled_out("Celecoxib did not help in ALS.", "Does celecoxib help in amyotrophic lateral sclerosis?")
    'Celecoxib did not help in amyotrophic lateral sclerosis.'
    """
    initials, runs = _runs(question)
    return initials.sub(lambda found: runs[found[0]], text) if runs else text


@lru_cache(maxsize=64)
def _runs(question: str) -> tuple[re.Pattern[str], dict[str, str]]:
    found: dict[str, str] = {}
    pieces = _WORD.findall(question)
    for length in _LENGTHS:
        for start in range(len(pieces) - length + 1):
            run = pieces[start : start + length]
            if not any(word.lower() in FUNCTION_WORDS for word in run):
                found.setdefault("".join(word[0] for word in run).upper(), " ".join(run))
    found = {initials: run for initials, run in found.items() if initials not in pieces}
    return re.compile(rf"\b(?:{'|'.join(found)})\b"), found
