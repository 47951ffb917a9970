"""What the words between the names of a question ask for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from medground.graph.linking import Mention, Piece
from medground.graph.names import ALL, CUES, EMPTY, JOINTS, RECORD_ONLY, cues_of, word_set
from medground.graph.relation import Concept, ConceptKind
from medground.language.predicate_words import ARTICLES, BE, DO, HAVE, MODAL
from medground.values.graph import RelationKind

MODES = word_set("dominant recessive x-linked mitochondrial dominantly recessively autosomal")
"""Words for a mode of inheritance."""
_KIND = CUES["disease"] - {"diagnosis", "diagnoses"}
_ARTICLES = ARTICLES | {"both", "either"}


@dataclass(frozen=True)
class Group:
    """Names joined by "and" or "or", and the word before them."""

    mentions: tuple[Mention, ...]
    joint: str
    before: str

    def can(self, kind: ConceptKind) -> bool:
        """Whether every name has a meaning of this kind."""
        return all(mention.meanings(kind) for mention in self.mentions)

    @property
    def is_organ(self) -> bool:
        """Whether one of the names is a part of the body."""
        return any(mention.organ for mention in self.mentions)

    def meanings(self, kind: ConceptKind) -> tuple[Mention, ...]:
        """The names that have meanings of this kind, with these."""
        return tuple(replace(mention, concepts=found) for mention in self.mentions if (found := mention.meanings(kind)))


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
            # A comma in a list stands for its last joint.
            whole = next((one for one in ("or", "and") if one in (joint, last.joint)), ",")
            groups.append(Group((*last.mentions, piece), whole, last.before))
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


def is_part_of_a_name(pieces: Sequence[Piece]) -> bool:
    """Whether a name runs on in a word or a name that does not belong to it: "multiple lentigines | syndrome"."""
    if pieces and pieces[0] in BE and isinstance(last := pieces[-1], Mention) and last.lay:
        pieces = pieces[:-1]  # "Are people with Marfan syndrome | tall?"
    for one, two, three in zip(pieces, [*pieces[1:], ""], [*pieces[2:], "", ""], strict=False):
        if isinstance(one, Mention) and (isinstance(two, Mention) or two in _KIND):
            return True
        after = three.concepts if two == "," and isinstance(three, Mention) else ()
        # These two cannot be a list: "Ehlers-Danlos syndrome, kyphoscoliosis (type)".
        if isinstance(one, Mention) and after and {c.kind for c in one.concepts}.isdisjoint(c.kind for c in after):
            return True
    return False


Amount = Literal["any", "common", "rare", "most", "all"]
"""How many patients a closed question asks about."""

_AUXILIARY = BE | DO | HAVE | MODAL
_CAUSES = word_set("cause causes causing lead leads results")
_CAUSED = word_set("caused due result results")
_AGES = word_set("childhood infancy adolescence adulthood")
_BEGINS = word_set("onset begin begins start starts starting when age old")
_ABOUT = (
    word_set("what is are was a an the tell give me about please of on by you know can do does any list")
    | CUES["definition"]
)
_ASKS = word_set("what tell give about know list") | CUES["definition"]
_OFTEN = CUES["frequency"] - {"how"}
_COMPARED = word_set("share both together common")
_OF_DISEASES = word_set("genetic hereditary inherited")
"""What the diseases of the graph are."""


@dataclass(frozen=True)
class Intent:
    """A relation that is asked for, with the mentions that it is asked of.

    Attributes:
        joint: "or" if one of several names is enough, else "and".
        amount: how many patients a closed question asks about.
        negated: the question is whether the relation is absent.
        closed: it starts with an auxiliary verb.
        only_recorded: it asks for more than the relation.
        modes: words for a mode of inheritance that a closed question asks about.
        personal: it asks what will happen to one person.
        shared: it asks what its diseases have in common.
    """

    relation: RelationKind
    phenotypes: tuple[Mention, ...] = ()
    diseases: tuple[Mention, ...] = ()
    genes: tuple[Mention, ...] = ()
    joint: str = "and"
    amount: Amount = "any"
    negated: bool = False
    closed: bool = False
    only_recorded: bool = False
    modes: tuple[str, ...] = ()
    personal: bool = False
    shared: bool = False

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All names."""
        return (*self.phenotypes, *self.diseases, *self.genes)


@dataclass(frozen=True)
class GraphQuestion:
    """What a question asks of the graph: of all its names, each with all its possible meanings.

    `read_as` has a note for each name that was not read as written.
    """

    relation: RelationKind
    phenotypes: tuple[Concept, ...] = ()
    diseases: tuple[Concept, ...] = ()
    genes: tuple[Concept, ...] = ()
    asked: Intent = field(default_factory=lambda: Intent("profile"))
    read_as: tuple[str, ...] = ()


def asked_of(pieces: Sequence[Piece], *, rhetorical: bool = False) -> Intent | None:
    """What the pieces of a question ask for; None if they ask for nothing, for more, or in words that are not known.

    `rhetorical`: the question began with "isn't" or the like.
    """
    if is_part_of_a_name(pieces):
        return None
    groups, words = grouped(without_pairs(pieces))
    if any(group.joint == "," for group in groups):
        return None
    if not groups or len(groups) > 2 or not set(words) <= ALL | _AGES:
        return None
    closed = rhetorical or (isinstance(pieces[0], str) and pieces[0] in _AUXILIARY)
    if len(groups) == 1:
        asked = next(_one(groups[0], words, closed=closed), None)
    else:
        asked = _two(groups[0], groups[1], words, closed=closed)
    if asked is None:
        return None
    return replace(asked, closed=closed, amount=asked.amount if closed else "any")


def _says(words: Sequence[str], cue: str) -> bool:
    return not CUES[cue].isdisjoint(words)


def _only(words: Sequence[str], *cues: str) -> bool:
    return all(word in EMPTY or word == "how" or not cues_of(word).isdisjoint(cues) for word in words)


def _one(group: Group, words: Sequence[str], *, closed: bool) -> Iterator[Intent]:
    """What may be asked of names of one kind, the most telling words first."""
    if "how" in words and {"many", "often", "likely"} & {*words}:
        return
    if len(group.mentions) > 1 and not group.can("phenotype") and not _COMPARED.isdisjoint(words):
        return  # "what do both have in common" is a comparison
    if group.can("disease"):
        yield from _course(group, words, closed=closed)
    named = group.can("disease") or group.can("phenotype")
    if named and _says(words, "gene") and _only(words, "gene", "link", "definition"):
        yield Intent("genes of", phenotypes=group.meanings("phenotype"), diseases=group.meanings("disease"))
    cued = any(cues_of(word) for word in words)
    if cued and group.can("gene") and _only(words, "gene", "disease", "link", "definition"):
        yield Intent("diseases of gene", genes=group.meanings("gene"))
    if group.can("phenotype"):
        yield from _having(group, words)
    if group.can("disease"):
        yield from _features(group, words)
    if set(words) <= _ABOUT and len(group.mentions) == 1:
        yield from _about(group, words)


def _course(group: Group, words: Sequence[str], *, closed: bool) -> Iterator[Intent]:
    telling = [word for word in words if closed or word not in MODES]
    if _says(telling, "inheritance") and _only(words, "inheritance", "definition", "link", "all"):
        modes, joint = tuple(word for word in words if word in MODES), group.joint or "and"
        amount: Amount = "all" if _says(words, "all") else "any"
        yield Intent("inheritance of", diseases=group.meanings("disease"), joint=joint, modes=modes, amount=amount)
    telling = [word for word in words if word not in _AGES]
    if not _BEGINS.isdisjoint(telling) and _only(telling, "onset", "feature", "definition", "common"):
        yield Intent("onset of", diseases=group.meanings("disease"))


def _having(group: Group, words: Sequence[str]) -> Iterator[Intent]:
    telling = [word for word in words if word not in _OF_DISEASES]
    if _asks_for_diseases(words) and _only(telling, "disease", "link", "feature", "definition"):
        causes = not _CAUSES.isdisjoint(words)
        if causes and any(mention.lay for mention in group.mentions):
            return  # "What causes diabetes?" is not a question about rare diseases
        joint = group.joint or "and"
        yield Intent("diseases with", phenotypes=group.meanings("phenotype"), joint=joint, only_recorded=causes)


def _features(group: Group, words: Sequence[str]) -> Iterator[Intent]:
    diseases = group.meanings("disease")
    if _says(words, "not") and _says(words, "feature") and _only(words, "not", "feature", "link"):
        yield Intent("excluded features of", diseases=diseases)
    presents = "how" in words and not {"present", "presents", "manifest"}.isdisjoint(words)
    if (presents or _says(words, "feature")) and _only(
        words, "feature", "definition", "link", "common", "most", "onset"
    ):
        yield Intent("features of", diseases=diseases)
    if not group.can("phenotype") and _CAUSES & {*words} and "what" in words and _only(words, "link"):
        yield Intent("genes of", diseases=diseases)


def _about(group: Group, words: Sequence[str]) -> Iterator[Intent]:
    if not words or not _ASKS.isdisjoint(words):
        if group.can("phenotype") and words:
            yield Intent("definition of", phenotypes=group.meanings("phenotype"))
        yield Intent("profile", group.meanings("phenotype"), group.meanings("disease"), group.meanings("gene"))


def _asks_for_diseases(words: Sequence[str]) -> bool:
    """Whether what has a phenotype is asked for, and not what it leads to."""
    if _CAUSED & {*words}:
        return False
    has = {"has", "have", "had"} & {*words} and "what" in words
    return _says(words, "disease") or bool(has) or (bool(_CAUSES & {*words}) and "what" in words)


def _two(first: Group, second: Group, words: Sequence[str], *, closed: bool) -> Intent | None:
    if closed and _only(words, "gene", "link", "definition"):
        for gene, disease in ((first, second), (second, first)):
            if gene.can("gene") and disease.can("disease") and not (gene.can("phenotype") and not _says(words, "gene")):
                return Intent(
                    "genes of", diseases=disease.meanings("disease"), genes=gene.meanings("gene"), only_recorded=True
                )
    if not _only(words, "feature", "link", "frequency", "common", "rare", "most", "all", "not"):
        return None
    if not closed and not (_OFTEN | {"many"}) & {*words}:
        for organ, diseases in ((first, second), (second, first)):
            if organ.is_organ:
                asks = diseases.can("disease") and not _says(words, "not")
                return (
                    Intent("features of", organ.meanings("phenotype"), diseases.meanings("disease")) if asks else None
                )
        if "what" in words or second.before == "with":
            return None  # "symptoms of microcephaly with seizures" names one disease
    pair = _roles(first, second, words)
    return _feature(*pair, words) if pair is not None else None


def _roles(first: Group, second: Group, words: Sequence[str]) -> tuple[Group, Group] | None:
    """Which names are the phenotypes and which the diseases; None if it cannot be told."""
    causes = bool(_CAUSES & {*words}) and not _CAUSED & {*words}
    forward = first.can("phenotype") and second.can("disease") and not causes
    back = second.can("phenotype") and first.can("disease")
    if forward and back:
        forward = second.before in ("in", "of", "with", "among", "for")
        back = not forward and first.before in ("in", "of", "with", "among", "does", "do", "can")
    if forward == back:
        return None
    return (first, second) if forward else (second, first)


def _feature(phenotypes: Group, diseases: Group, words: Sequence[str]) -> Intent | None:
    often = _says(words, "frequency")
    # A part of the body stands for its usual terms and not for all of them, so nothing recorded is never a "no".
    only_recorded = phenotypes.is_organ or not RECORD_ONLY.isdisjoint(words)
    if any(mention.meanings("phenotype") for mention in diseases.mentions):
        # Obesity or asthma is a rare disease in the graph and far more than that: a missing record proves nothing.
        if only_recorded:
            return None
        only_recorded = True
    amount: Amount = "any"
    for one in ("common", "rare", "most", "all"):
        if _says(words, one) and "how" not in words:
            amount = one
    joint = "or" if "or" in (phenotypes.joint, diseases.joint) else "and"
    return Intent(
        "frequency of" if often else "feature of",
        phenotypes=phenotypes.meanings("phenotype"),
        diseases=diseases.meanings("disease"),
        joint=joint,
        amount=amount,
        negated=_says(words, "not"),
        only_recorded=only_recorded,
    )
