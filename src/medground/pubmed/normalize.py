"""QueryNormalize: turn any text from a model or a person into a valid PubMed query."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

from rapidfuzz import fuzz, process

from medground.pubmed import filters as dates
from medground.pubmed.characters import fold
from medground.pubmed.mapping import Mapper
from medground.pubmed.mesh import Vocabulary
from medground.pubmed.model_text import query_in
from medground.pubmed.other_syntax import from_other_service
from medground.pubmed.parser import MAX_CHARACTERS, Repair, clean_words, repair_syntax
from medground.pubmed.syntax import Chain, Leaf, Negated, Node, Span, to_text
from medground.pubmed.tags import Kind, TagUse, find_qualifier, qualifiers, tag_for_date, tag_for_kind
from medground.pubmed.translate import parse, standard_mapper
from medground.values.document import Frozen
from medground.values.query import Query

_SIMILAR = 0.85
"""Minimum similarity, in both letters and words, to replace a heading with another."""
_MOST_GUESSES = 50
"""Maximum fuzzy lookups per query. Each takes milliseconds, and queries can be very long."""
_SIMILAR_QUALIFIER = 75


class Repairer:
    """Repairs terms; `repairs` collects what was changed."""

    def __init__(self, mesh: Vocabulary, today: date) -> None:
        self._mesh = mesh
        self._today = today
        self._guesses: dict[str, str | None] = {}
        self.repairs: list[Repair] = []

    def repair(self, node: Node) -> Node | None:
        """Return the node with valid terms, or None if nothing searchable is left."""
        match node:
            case Leaf():
                return self._leaf(node)
            case Span():
                return self._span(node)
            case Negated():
                inner = self.repair(node.node)
                return None if inner is None else Negated(inner)
            case Chain():
                return self._chain(node)

    def _chain(self, chain: Chain) -> Node | None:
        first = self.repair(chain.first)
        rest = [(operator, kept) for operator, node in chain.rest if (kept := self.repair(node)) is not None]
        if first is None and rest:
            operator, first = rest.pop(0)
            first = Negated(first) if operator == "NOT" else first
        return first if first is None or not rest else Chain(first, tuple(rest))

    def _leaf(self, leaf: Leaf) -> Node | None:
        use = leaf.use
        if use is None:
            return leaf
        repairs: dict[Kind, Callable[[Leaf], Node | None]] = {
            "mesh": self._heading,
            "major": self._heading,
            "subheading": self._subheading,
            "type": self._type,
            "date": lambda leaf: self._date(leaf, use),
            "id": self._ids,
        }
        return repairs[use.tag.kind](leaf) if use.tag.kind in repairs else leaf

    def _heading(self, leaf: Leaf) -> Leaf:
        if leaf.text.endswith("*"):
            return leaf
        if (heading := self._mesh.find(leaf.text)) is not None:
            return leaf if leaf.quoted or leaf.text.isalnum() else replace(leaf, text=heading.name, quoted=True)
        name, slash, attached = leaf.text.rpartition("/")
        if slash and name:
            return self._pair(leaf, name.strip(), attached.strip())
        nearest = self._nearest(leaf.text)
        return (
            self._untagged(leaf, "heading", leaf.text) if nearest is None else self._closest(leaf, "heading ", nearest)
        )

    def _pair(self, leaf: Leaf, name: str, attached: str) -> Leaf:
        """Repair `heading/subheading`; either part may be wrong."""
        heading, qualifier = self._mesh.find(name), find_qualifier(attached)
        if heading is not None and qualifier is not None:
            return leaf
        known = heading.name if heading is not None else self._nearest(name)
        if known is None:
            words = clean_words(f"{name} {attached}".replace("/", " "))
            return self._untagged(replace(leaf, text=words), "heading", name)
        near = qualifier.name if qualifier else _nearest_qualifier(attached)
        return self._closest(leaf, "", f"{known}/{near}" if near else known)

    def _subheading(self, leaf: Leaf) -> Leaf:
        if find_qualifier(leaf.text) is not None:
            return leaf
        nearest = _nearest_qualifier(leaf.text)
        if nearest is None:
            return self._untagged(leaf, "subheading", leaf.text)
        return self._closest(leaf, "subheading ", nearest)

    def _type(self, leaf: Leaf) -> Leaf:
        heading = self._mesh.find(leaf.text)
        if leaf.text.endswith("*") or (heading is not None and heading.is_publication_type):
            return leaf
        candidates = (near for near in self._mesh.nearest(leaf.text, limit=8) if near.heading.is_publication_type)
        nearest = next((near.heading.name for near in candidates if near.letters >= _SIMILAR), None)
        return leaf if nearest is None else self._closest(leaf, "publication type ", nearest)

    def _date(self, leaf: Leaf, use: TagUse) -> Node | None:
        if dates.days(leaf.text) or dates.last_days(leaf.text, self._today):
            return leaf
        if single := dates.repair_date(leaf.text):
            self._note(leaf, f"rewrote the date {leaf.text!r} as {single}")
            return replace(leaf, text=single, quoted=False)
        if found := dates.repair_range(leaf.text):
            self._note(leaf, f"rewrote the dates {leaf.text!r} as {found[0]}:{found[1]}")
            return self._span(Span(*found, use, leaf.column))
        self._note(leaf, f"removed {leaf.text!r}, which is not a date")
        return None

    def _span(self, span: Span) -> Node | None:
        use = span.use
        if use.tag.date is None:
            use = TagUse(tag_for_date("published"))
            self._note(span, f"only date fields accept a range; replaced {span.use.text} with {use.text}")
        low, high = dates.repair_date(span.low), dates.repair_date(span.high)
        if low is None and high is None:
            self._note(span, f"removed {span.low}:{span.high}, which is not a date range")
            return None
        low, high = low or "1000", high or "3000"
        first, last = dates.days(low), dates.days(high)
        if first is not None and last is not None and first[0] > last[1]:
            self._note(span, f"swapped the dates of the range {low}:{high}")
            low, high = high, low
        if (low, high) != (span.low, span.high):
            self._note(span, f"rewrote the range as {low}:{high}")
        return Span(low, high, use, span.column)

    def _ids(self, leaf: Leaf) -> Leaf | None:
        numbers = [word for word in leaf.text.replace(",", " ").split() if word.isascii() and word.isdigit()]
        numbers = [number for number in numbers if len(number) <= 9]
        if not numbers:
            self._note(leaf, f"removed {leaf.text!r}, which is not a PubMed ID")
            return None
        return replace(leaf, text=" ".join(numbers), quoted=False)

    def _nearest(self, text: str) -> str | None:
        if text not in self._guesses and len(self._guesses) < _MOST_GUESSES:
            found = self._mesh.nearest(text, limit=1)
            near = bool(found) and found[0].score >= _SIMILAR and found[0].letters >= _SIMILAR
            self._guesses[text] = found[0].heading.name if near else None
        return self._guesses.get(text)

    def _closest(self, leaf: Leaf, what: str, text: str) -> Leaf:
        self._note(leaf, f"MeSH has no {what}{leaf.text!r}; using the closest match, {text}")
        return replace(leaf, text=text, quoted=True)

    def _untagged(self, leaf: Leaf, what: str, name: str) -> Leaf:
        self._note(leaf, f"MeSH has no {what} like {name!r}; searching for its words instead")
        # In lower case, so that AND inside a heading does not become an operator.
        words = clean_words(leaf.text.replace("/", " ").replace("(", " ").replace(")", " ")).casefold()
        return replace(leaf, text=words, use=None, quoted=not fold(words))

    def _note(self, node: Leaf | Span, reason: str) -> None:
        self.repairs.append(Repair(reason, node.column))


def _nearest_qualifier(text: str) -> str | None:
    names = [qualifier.name for qualifier in qualifiers()]
    found = process.extractOne(fold(text), names, processor=fold, scorer=fuzz.ratio, score_cutoff=_SIMILAR_QUALIFIER)
    return found[0] if found else None


EVERYTHING = Leaf("all", TagUse(tag_for_kind("filter")))
"""The query for a text without a word: `all[Filter]`."""
_MOST_ROUNDS = 8
_MOST_NOTES = 50


class Normalised(Frozen):
    """A valid query, its tree and a note for each repair. No notes means that the text was already valid."""

    text: str
    query: Query
    notes: tuple[str, ...] = ()


def normalize(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Normalised:
    """Turn any text into a query. Valid queries keep their meaning, and the result is idempotent.

    This repairs operators, parentheses, quotation marks, field tags, headings and dates, and removes code fences, JSON
    and prose around a model's query. A text without words becomes `all[Filter]`, with a note.
    """
    mapper = mapper or standard_mapper()
    today = today or datetime.now(UTC).date()
    translated, note = from_other_service(text)
    text, notes = translated or text, [note] * bool(note)
    for _ in range(_MOST_ROUNDS):
        repaired, found = _round(text, today, mapper)
        notes += found
        if repaired == text:
            break
        text = repaired
    else:
        text = to_text(EVERYTHING)
        notes.append("no stable interpretation was found; everything is searched")
    return Normalised(
        text=text, query=parse(text, today=today, mapper=mapper), notes=tuple(dict.fromkeys(notes))[:_MOST_NOTES]
    )


def _round(text: str, today: date, mapper: Mapper) -> tuple[str, list[str]]:
    """Repair the text once. Callers repeat this, because one repair can uncover the next fault."""
    plain, notes = query_in(text)
    if len(plain) > MAX_CHARACTERS:
        notes.append(f"only the first {MAX_CHARACTERS:,} characters were used")
    node, repairs = repair_syntax(plain)
    repairer = Repairer(mapper.mesh, today)
    repaired = None if node is None else repairer.repair(node)
    notes += [f"column {repair.column}: {repair.reason}" for repair in (*repairs, *repairer.repairs)]
    if repaired is None:
        notes.append("the text contains no word to search for; everything is searched")
        repaired = EVERYTHING
    return to_text(repaired), notes
