"""Characters and words: typographic variants, Greek letters, folded names, and the words that PubMed ignores."""

import re
import unicodedata
from functools import lru_cache

from medground.home.files import rows

# British and American spelling, by the few rules of letters in which they differ.

_RULES = (
    (re.compile(r"(?<=\w)[ao]e|^[ao]e(?=\w\w)"), "e"),
    (re.compile(r"(?<=\w\w)our(?=s?\b|al|ed\b|ing)"), "or"),
    (re.compile(r"is(?=e[ds]?\b|ers?\b|ing\b|ations?\b)"), "iz"),
    (re.compile(r"ys(?=e[ds]?\b|ers?\b|ing\b)"), "yz"),
    (re.compile(r"(?<=[tb])re(?=s?\b)"), "er"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"leuco"), "leuko"),
)
_BACK = (("e", "ae"), ("e", "oe"), ("or", "our"), ("iz", "is"), ("yz", "ys"), ("er", "re"), ("sulf", "sulph"))
_LEAST = 5
"""Letters of a word that is spelt in two ways; `does` and `des`, `four` and `for` are not the same."""


def american(text: str) -> str:
    """Lower-case words in American spelling, as far as rules of letters know: `journal` and `noise` come out wrong."""
    for british, plain in _RULES:
        text = british.sub(plain, text)
    return text


@lru_cache(maxsize=4096)
def spellings(word: str) -> tuple[str, ...]:
    """The other spellings that a lower-case word may have; some of them are not words."""
    plain = american(word)
    if len(plain) < _LEAST or not word.isalpha():
        return ()
    places = ((one, other, m.start()) for one, other in _BACK for m in re.finditer(one, plain))
    british = [plain[:at] + other + plain[at + len(one) :] for one, other, at in places]
    return tuple(w for w in dict.fromkeys((plain, *british)) if w != word and american(w) == plain)


_NUMBERS = ((r"ies", "y"), (r"([^aeiou])y", r"\1ies"), (r"es", ""), (r"(s|x|z|ch|sh)", r"\1es"), (r"is", "es"),
            (r"es", "is"), (r"um", "a"), (r"a", "um"), (r"s", ""), (r"(.*[^s])", r"\1s"))  # fmt: skip
"""Endings of words in one number and in the other: `abscesses`, `therapies`, `metastasis`, `bacterium`."""
_SHORTEST = 3


@lru_cache(maxsize=4096)
def forms(word: str) -> tuple[str, ...]:
    """A lower-case word in the other number and in other spellings; some of them are not words."""
    if not word.isalpha() or len(word) < _SHORTEST:
        return ()
    endings = ((re.search(rf"{ending}$", word), ending, other) for ending, other in _NUMBERS)
    numbers = [re.sub(rf"{ending}$", other, word, count=1) for found, ending, other in endings if found]
    every = (form for one in (word, *numbers) for form in (one, *spellings(one)))
    return tuple(form for form in dict.fromkeys(every) if form != word and len(form) >= _SHORTEST)


# Character variants: typographic quotation marks, full-width letters and Greek letters.

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_PLAIN = (
    str.maketrans(
        {
            **dict.fromkeys("“”„‟«»″〝〞", '"'),
            **dict.fromkeys("‘’‚‛′", "'"),
            **dict(zip("【】", "[]", strict=True)),
            **dict.fromkeys("‐‑‒–—―−", "-"),
            **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2009\u202f\u3000\ufeff", " "),
        }
    )
    | _FULL_WIDTH
)
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060"))


def plain(text: str) -> str:
    """Replace typographic quotation marks, brackets, dashes and spaces with ASCII ones. The length does not change."""
    return text if text.isascii() else text.translate(_PLAIN)


def without_zero_width(text: str) -> str:
    """Remove zero-width characters."""
    return text if text.isascii() else text.translate(_ZERO_WIDTH)


_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
    "nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega"
)
GREEK = {chr(ord("α") + index): name for index, name in enumerate(_GREEK_NAMES.split())}
"""Lower-case Greek letters and their names, including both forms of sigma."""
_GREEK = str.maketrans(GREEK | {letter.upper(): name for letter, name in GREEK.items()} | {"µ": "mu", "ϵ": "epsilon"})


def spell_out_greek(text: str) -> str:
    """Spell out Greek letters, as PubMed does: `TNF-α` becomes `TNF-alpha`."""
    return text if text.isascii() else text.translate(_GREEK)


_DROPPED = b"',"
"""Removed without a space: `Marfan's` becomes `marfans`, and the comma of an inverted name is redundant."""
_KEPT = set(b"abcdefghijklmnopqrstuvwxyz0123456789|\n")
_TABLE = bytes(b if b >= 128 or b in _KEPT else ord(" ") for b in bytes(range(256)).lower())
_REPLACED = str.maketrans({**GREEK, "’": ""})


def fold(name: str) -> str:
    """Return the name in lower case, without accents and punctuation, and with Greek letters spelt out."""
    if name.isascii() and name.isalnum():
        return name.lower()
    if not name.isascii():
        decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_REPLACED))
        name = "".join(c for c in decomposed if not unicodedata.combining(c))
    folded = name.casefold().encode("utf-8", "replace").translate(_TABLE, _DROPPED).replace(b"|", b" ")
    return " ".join(folded.decode("utf-8").split())


def fold_lines(text: str) -> str:
    """Fold many names at once, separated by `|` and line ends. Only ASCII names are folded fully."""
    folded = text.encode("utf-8").translate(_TABLE, _DROPPED)
    while b"  " in folded:
        folded = folded.replace(b"  ", b" ")
    for mark in (b"|", b"\n"):
        folded = folded.replace(b" " + mark, mark).replace(mark + b" ", mark)
    return folded.decode("utf-8").strip(" ")


# Words that PubMed ignores in an untagged search.

STOPWORDS = frozenset(word for row in rows("pubmed", "stopwords") for word in row) | {"or", "not"}
"""Includes lower-case `or` and `not`: they are not operators, and as words they would only exclude records."""


def letters_of(text: str) -> str:
    """The letters and digits of a text alone, in lower case: what is left is the same however it is set."""
    return re.sub(r"[\W_]+", "", text.casefold())
