"""Group the names of a question: those joined by "and" or "or" are one group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from medground.graph.linking import Mention, Piece
from medground.graph.relation import ConceptKind
from medground.graph.vocabulary import CUES, JOINTS, word_set

MODES = word_set("dominant recessive x-linked mitochondrial dominantly recessively autosomal")
"""Words for a mode of inheritance."""
_KIND = CUES["disease"] - {"diagnosis", "diagnoses"}
_BE = ("is", "are")
_ARTICLES = word_set("a an the both either")


@dataclass(frozen=True)
class Group:
    """Names joined by "and" or "or", and the word before them."""

    mentions: tuple[Mention, ...]
    joint: str
    before: str

    def can(self, kind: ConceptKind) -> bool:
        """Whether every name has a meaning of this kind."""
        return all(mention.of(kind) for mention in self.mentions)

    @property
    def is_organ(self) -> bool:
        """Whether one of the names is a part of the body."""
        return any(mention.organ for mention in self.mentions)

    def of(self, *kinds: ConceptKind) -> tuple[Mention, ...]:
        """The names with their meanings of these kinds."""
        return tuple(replace(mention, concepts=mention.of(*kinds)) for mention in self.mentions)


def without_pairs(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without the "and" of "signs and symptoms" and the "or" of "dominant or recessive"."""
    pairs = (CUES["feature"], MODES)
    joined = {
        number
        for number, piece in enumerate(pieces[1:-1], start=1)
        if isinstance(piece, str)
        and piece in JOINTS
        and any(pieces[number - 1] in pair and pieces[number + 1] in pair for pair in pairs)
    }
    return [piece for number, piece in enumerate(pieces) if number not in joined]


def grouped(pieces: Sequence[Piece]) -> tuple[list[Group], list[str]]:
    """The groups of names, and the words that are in none."""
    groups: list[Group] = []
    words: list[str] = []
    between: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            between.append(piece)
            continue
        joint = _joint(between, groups[-1], piece) if groups else ""
        if joint:
            last = groups.pop()
            groups.append(Group((*last.mentions, piece), _stronger(joint, last.joint), last.before))
        else:
            words += between
            said = [word for word in between if word not in _ARTICLES]
            groups.append(Group((piece,), "", said[-1] if said else ""))
        between = []
    return groups, [word for word in (*words, *between) if word != ","]


def _joint(between: Sequence[str], group: Group, piece: Mention) -> str:
    """How a mention is joined to the group before it; empty if it is not."""
    words = [word for word in between if word not in _ARTICLES]
    both = {c.kind for c in piece.concepts}.intersection(*({c.kind for c in m.concepts} for m in group.mentions))
    if words == ["with"] or words == ["together", "with"]:
        return "and" if "phenotype" in both else ""
    joints = [JOINTS.get(word) for word in words]
    if not joints or None in joints or not both:
        return ""
    return "or" if "or" in joints else "," if set(words) == {","} else "and"


def _stronger(*joints: str) -> str:
    """The joint of a list, where a comma stands for the last one."""
    return next((joint for joint in ("or", "and") if joint in joints), ",")


def is_part_of_a_name(pieces: Sequence[Piece]) -> bool:
    """Whether a name runs on in a word or a name that does not belong to it: "multiple lentigines | syndrome"."""
    if pieces and pieces[0] in _BE and isinstance(last := pieces[-1], Mention) and last.lay:
        pieces = pieces[:-1]  # "Are people with Marfan syndrome | tall?"
    pairs = zip(pieces, [*pieces[1:], ""], [*pieces[2:], "", ""], strict=False)
    return any(
        isinstance(one, Mention) and (isinstance(two, Mention) or two in _KIND or (two == "," and _differ(one, three)))
        for one, two, three in pairs
    )


def _differ(one: Mention, other: Piece) -> bool:
    """Whether two names after a comma cannot be a list: "Ehlers-Danlos syndrome, kyphoscoliosis (type)"."""
    return isinstance(other, Mention) and {c.kind for c in one.concepts}.isdisjoint(c.kind for c in other.concepts)
