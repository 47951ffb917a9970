"""Find the names of a question: each becomes a mention of the concepts that it may mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from medground.graph.names import ALL, CONDITIONS, CUES, JOINTS, WORDS, name_key, word_set
from medground.graph.relation import Concept, ConceptKind
from medground.graph.store import ID, GraphStore
from medground.home.files import rows

LONGEST = 14
"""Most words of a name that is looked for."""

_IN_FEW_NAMES = 25
_TYPES = 3
"""Maximum types for which the name of a disease stands that has no entry of its own: tuberous sclerosis."""
_KINDS: tuple[ConceptKind, ...] = ("phenotype", "disease", "gene")
_WITH_ID = re.compile(r"(?i)([^()]+) \(((?:HP|OMIM|ORPHA|DECIPHER|NCBIGene):\w+)\)")
_TOKEN = re.compile(
    r"(?i)\((?:HP|OMIM|ORPHA|DECIPHER|NCBIGene):\w+\)|[,/&](?=\s|\w)|:(?=\s)|[^\s,/&?!;:\"“”()]+(?::\w+)?"
)
_EDGE = word_set("a an the of in with for and or is are do does to by from on at")
_ASKING = frozenset().union(*CUES.values())
_GENERIC = word_set("disease diseases disorder disorders syndrome syndromes condition conditions")


@dataclass(frozen=True)
class Mention:
    """A name in a question, as written, and the concepts that it may mean, of one kind or of several.

    Attributes:
        note: how it was read, if it is not a name of the graph as written.
        organ: it is a part of the body, and its concepts are what can be wrong with it.
        lay: it is a name in plain words that the ontology does not have, such as "tall".
    """

    text: str
    concepts: tuple[Concept, ...]
    note: str = ""
    organ: bool = False
    lay: bool = False

    def meanings(self, kind: ConceptKind) -> tuple[Concept, ...]:
        """Its meanings of this kind."""
        return tuple(concept for concept in self.concepts if concept.kind == kind)


Piece = Mention | str
"""A mention, or a word in lower case."""


def tokens(text: str) -> list[str]:
    """Words, commas and ids of a question."""
    found = [token.rstrip(".'’") or token for token in _TOKEN.findall(text.replace("’", "'"))]
    return [":" if token in ("-", "–", "—") else token for token in found]


def link(store: GraphStore, words: Sequence[str], *, loosely: bool = False) -> list[Piece]:
    """The words with the longest names as mentions, from left to right.

    `loosely`: also read weaker synonyms, and names without their last word ("Tay-Sachs").
    """
    found: list[Piece] = []
    runs = (words[start : start + length] for start in range(len(words)) for length in range(1, LONGEST + 1))
    known = store.known_keys({key for run in {" ".join(run) for run in runs} for key in _keys(run)})
    start = 0
    while start < len(words):
        for end in range(min(len(words), start + LONGEST), start, -1):
            if mention := _mention(store, words[start:end], known, loosely=loosely):
                found.append(mention)
                start = end
                break
        else:
            found.append(words[start].casefold())
            start += 1
    return found


def _keys(run: str) -> tuple[str, ...]:
    return (name_key(run), name_key(f"{run} syndrome"), name_key(f"{run} disease"))


def _mention(store: GraphStore, words: Sequence[str], known: set[str], *, loosely: bool) -> Mention | None:
    text = " ".join(words).replace(" , ", ", ").replace(" / ", "/")
    if with_id := _WITH_ID.fullmatch(text):
        meant = store.find(with_id[2], *_KINDS)
        return _made(text, [c for c in meant if c in store.find(with_id[1], *_KINDS)])
    if len(words) == 1 and ID.fullmatch(text.strip("()")):
        return _made(text, store.find(text.strip("()"), *_KINDS))
    if not _may_be_a_name(words):
        return None
    found = _as_written(store, text, known)
    if full_name := abbreviations().get(text, abbreviations().get(text.casefold() if len(text) > 2 else "")):
        diseases = [c for c in store.find(full_name, "disease") if c not in found]
        return _made(text, (*found, *diseases), f"“{text}” read as {full_name}" if diseases else "")
    if found or not loosely or _is_plain(text):
        return _made(text, found)
    return _in_plain_words(store, text) or _loosely(store, text, known)


def _may_be_a_name(words: Sequence[str]) -> bool:
    if words[0].casefold() in _EDGE or words[-1] in _EDGE or not (_is_word(words[0]) and _is_word(words[-1])):
        return False
    # "Signs of Wilson" is not "Wilson sign".
    return len(words) == 1 or words[1] != "of" or words[0].casefold() not in _ASKING


def _as_written(store: GraphStore, text: str, known: set[str]) -> list[Concept]:
    """The concepts with this name; a gene only as its symbol is written, and no words that ask a question."""
    if name_key(text) not in known or (_is_plain(text) and (" " in text or not text.isupper())):
        return []
    return [c for c in store.find(text, *_KINDS) if c.kind != "gene" or c.name == text]


def _is_plain(text: str) -> bool:
    return all(word.casefold() in ALL for word in text.split())


def _in_plain_words(store: GraphStore, text: str) -> Mention | None:
    names = terms_by_name("lay_terms").get(name_key(text), ())
    meant = tuple(concept for name in names for concept in store.find(name, "phenotype"))
    note = f"“{text}” read as {' or '.join(concept.label for concept in meant)}"
    return Mention(text, meant, note, lay=True) if meant else None


def _loosely(store: GraphStore, text: str, known: set[str]) -> Mention | None:
    full, as_syndrome, as_disease = _keys(text)
    if text.split()[-1].casefold() in _GENERIC | {"type"}:
        return None
    if full in known and (weak := store.find_weakly(text, "phenotype")):
        return _made(text, weak, f"“{text}” read as {weak[0].label}")
    plain = text.casefold().removesuffix("'s")
    # One word that is part of many names names nothing: "adult", "autoimmune".
    if len(text) < 4 or (plain.isalnum() and store.words.get(plain, 0) > _IN_FEW_NAMES):
        return None
    for short, key in (("syndrome", as_syndrome), ("disease", as_disease)):
        if key in known and (found := store.find(f"{text} {short}", "disease")):
            one = len({name_key(concept.name) for concept in found}) == 1
            meant = found[0].label if one else f"“{text} {short}” ({len(found)} entries)"
            return _made(text, found, f"“{text}” read as {meant}")
    if " " in text:
        longer = store.find_longer(text) or store.family(text)[: _TYPES + 1]
    else:
        longer = store.named_after(plain) if plain.isalpha() else ()
    if not 0 < len(longer) <= _TYPES:
        return None
    return _made(text, longer, f"“{text}” read as {' and '.join(one.label for one in longer)}")


def _is_word(token: str) -> bool:
    return any(c.isalnum() for c in token) and token not in JOINTS


def _made(text: str, concepts: Sequence[Concept], note: str = "") -> Mention | None:
    return Mention(text, tuple(concepts), note) if concepts else None


@cache
def abbreviations() -> dict[str, str]:
    """Full names by abbreviation, as written; by lower case too, if it has three letters or more."""
    pairs = {row[0]: row[1] for row in rows("graph", "abbreviations")}
    return {short.casefold(): name for short, name in pairs.items() if len(short) > 2} | pairs


@cache
def terms_by_name(name: str) -> dict[str, tuple[str, ...]]:
    """Phenotypes by the key of a plain name that the ontology does not have: `lay_terms`, or parts of the body."""
    return {name_key(plain): tuple(terms.split(" | ")) for plain, terms in rows("graph", name)}


def genes_in(store: GraphStore, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with symbols in lower case read as genes, next to the word “gene” or alone."""
    beside = CUES["gene"]
    read: list[Piece] = []
    for number, piece in enumerate(pieces):
        near = {p for p in pieces[max(0, number - 2) : number + 3] if isinstance(p, str)} & beside
        if isinstance(piece, str) and piece not in ALL and (near or len(pieces) == 1):
            found = store.find(piece, "gene")
            read.append(Mention(piece, found) if found else piece)
        else:
            read.append(piece)
    return read


def diseases_in(store: GraphStore, pieces: Sequence[Piece]) -> list[Piece]:
    """Where no disease is named, the pieces with the diseases that are named after a phenotype as its meanings too:
    "Homocystinuria due to cystathionine beta-synthase deficiency"."""
    names = [piece for piece in pieces if isinstance(piece, Mention)]
    if any(name.meanings("disease") for name in names):
        return list(pieces)
    kinds = {name: (*name.concepts, *store.family(name.text)) for name in names}
    return [replace(piece, concepts=kinds[piece]) if isinstance(piece, Mention) else piece for piece in pieces]


# Parts of the body by their names in plain words: "Does Wilson disease affect the liver?".

_TOUCHES, _PASSIVE, _TROUBLES, _OWNERS = (
    WORDS[f"body {name}"] for name in ("touches", "passive", "troubles", "owners")
)


def organs_in(store: GraphStore, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with parts of the body as mentions, if a disease is named and asked to affect them.

    "Affects the heart", "heart problems" and "problems with the heart" become a mention of the heart's abnormalities;
    any other use of these words is left as it is.
    """
    words = {piece for piece in pieces if isinstance(piece, str)}
    diseases = any(isinstance(piece, Mention) and piece.meanings("disease") for piece in pieces)
    if not diseases or words.isdisjoint(_TOUCHES | _TROUBLES):
        return list(pieces)
    read: list[Piece] = []
    start = 0
    while start < len(pieces):
        mention, end = _organ(store, pieces, start)
        verb = next((n for n, piece in enumerate(pieces) if n >= end and piece in _TOUCHES - _PASSIVE), len(pieces))
        if mention and any(isinstance(piece, Mention) for piece in pieces[verb:]):
            return list(pieces)  # whether a part of the body affects a disease is another question
        read.append(mention or pieces[start])
        start = end
    if not any(isinstance(piece, Mention) and piece.organ for piece in read):
        return list(pieces)
    cues = {**dict.fromkeys(_TROUBLES, "features"), **dict.fromkeys(_TOUCHES, "involve"), **dict.fromkeys(_OWNERS, "")}
    plain = [cues.get(piece, piece) if isinstance(piece, str) else piece for piece in read]
    return [piece for piece in plain if piece]


def _organ(store: GraphStore, pieces: Sequence[Piece], start: int) -> tuple[Mention | None, int]:
    """The part of the body that begins here, with the word for its trouble, and where it ends."""
    for length in (2, 1):
        words = [piece for piece in pieces[start : start + length] if isinstance(piece, str)]
        key = name_key(" ".join(words))
        terms = terms_by_name("organs").get(key, ()) if len(key.split()) == length else ()
        meant = tuple(concept for term in terms for concept in store.find(term, "phenotype"))
        if meant:
            text, end = " ".join(words), start + length
            note = f"“{text}” read as {meant[0].label}" + (" and the like" if len(meant) > 1 else "")
            after = pieces[end] if end < len(pieces) else ""
            if after in _TROUBLES and start and pieces[start - 1] in ("a", "an"):
                break  # "Is it a skin disease?" asks what it is
            return Mention(text, meant, note, organ=True), end + (after in _TROUBLES)
    return None, start + 1


# Correct words that no name of the graph has: at most two, and never silently.

SHORTEST = 5
"""A shorter word is close to too many others."""
_LONG = 10
_SURE = 8
_MOST = 2
_HEARD = str.maketrans("ykz", "ics")
"""Letters that are heard as another."""
_DOUBLED = re.compile(r"(.)\1")
_SLIPS = frozenset({"syndrom"})
"""Misspelt in a name of the ontology itself."""
_ASKING_WORDS = CUES["feature"] | CUES["inheritance"] | CUES["gene"]
"""Words of questions that are worth correcting; others are short or close to too many."""


def corrected(store: GraphStore, words: Sequence[str]) -> dict[str, str]:
    """The one or two misspelt words, each with the word that it stands for. Empty if there are none, or more."""
    counts = store.words
    unknown = [word for word in words if _misspelt(word, counts)]
    if not 1 <= len(unknown) <= _MOST:
        return {}
    names = [*(word for word, names in counts.items() if names and word not in _SLIPS), *_ASKING_WORDS]
    return {word: near for word in unknown if (near := _nearest(word.casefold(), names))}


def is_sure(name: str, meant: Mapping[str, str], *, alone: bool) -> bool:
    """Whether a name with corrected words is certain enough to answer: "Tietze" is not a misspelt "Tietz".

    It is if a distinctive word of it is right, or if every misspelt one is long, or shows a slip that seldom makes
    another word: a letter doubled or not ("Marfann"), one heard as another, two letters swapped. If one word is all
    that the question names (`alone`), it may be the right word for something else, so that only such a slip is certain.
    """
    distinctive = [word for word in name.split() if word.casefold() not in CUES["disease"]]
    if not set(distinctive) <= set(meant.values()):
        return True
    wrong = [(word.casefold(), near) for word, near in meant.items() if near in distinctive]
    one_word = alone and " " not in name
    return all(
        (len(word) >= _SURE and not one_word)
        or (len(word) == len(near) and sorted(word) == sorted(near))
        or _sound(word) == _sound(near)
        for word, near in wrong
    )


def _sound(word: str) -> str:
    """A word as it is heard, however it is spelt: phenilketonuria."""
    return _DOUBLED.sub(r"\1", word).replace("ph", "f").translate(_HEARD)


def _misspelt(word: str, known: Mapping[str, int]) -> bool:
    plain = word.casefold().removesuffix("'s")
    if plain in _SLIPS:
        return True
    if len(plain) < SHORTEST or not plain.isalpha() or plain in known or plain in ALL | CONDITIONS:
        return False
    # "Anaemia" and "seizures" are spellings of what is known.
    return name_key(plain) not in known


def _nearest(word: str, known: Sequence[str]) -> str:
    """The only known word within one change, or two for a long word, that begins with the same letter."""
    for most in range(1, 3 if len(word) >= _LONG else 2):
        near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=4)
        same = [found for found, _, _ in near if found[0] == word[0] and len(found) >= SHORTEST]
        keys = {name_key(found) for found in same}
        if same:
            return same[0] if len(keys) == 1 else ""
    return ""
