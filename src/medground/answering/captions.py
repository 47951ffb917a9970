"""What is said beside quotes and statements, the same in every face: facts about a source, and a verdict in words."""

import re
from collections.abc import Mapping, Sequence

from medground.corpus.design import design_level, named_level
from medground.corpus.retraction import RETRACTED, doubt, why_aside
from medground.home.files import tables
from medground.language.clean import clean, sentence
from medground.values.answer import SourceDocument
from medground.values.document import Document
from medground.values.statement import Verdict
from medground.values.usage import KEYLESS

# What is plainly so of a source: its design or kind, whether it may be evidence, and where it can be read.

_KINDS: Mapping[str, str] = tables("answering", "words")["kinds"]
_ADDRESS = re.compile(r"https?://[^\s<>\"'\\`\[\]]+", re.IGNORECASE)
"""Web addresses that no output format can misread."""


def design(document: SourceDocument | Document) -> str:
    """The strongest study design that a record names, or the kind of a source that is not a paper; else empty."""
    named = [t for t in document.publication_types if named_level([t]) is not None or "review" in t.casefold()]
    if named:
        return clean(min(named, key=lambda t: design_level([t])).lower())
    return _KINDS.get(document.kind, "")


def state(document: SourceDocument) -> str:
    """What a reader must know of a document before trusting it; empty where there is nothing."""
    if aside := why_aside(document):
        return f"{'RETRACTED' if aside == RETRACTED else aside.capitalize()}: not used as evidence."
    if document.retraction == "concern":
        return "An expression of concern has been published about this paper."
    if why := doubt(document):
        return f"This record {why}; check it before you rely on it."
    return ""


def address(document: SourceDocument) -> str:
    """Where a document can be read, as its record says; else PubMed for a PMID; else empty."""
    return clean(document.url).strip() if document.url else in_pubmed(document.id)


def in_pubmed(document_id: str) -> str:
    """The address of a record in PubMed; empty if the id is not a PMID."""
    prefix, _, number = document_id.partition(":")
    known = prefix == "PMID" and number.isascii() and number.isdigit()
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if known else ""


def is_web_address(text: str) -> bool:
    """Whether a text is an address that is safe to link to."""
    return _ADDRESS.fullmatch(text) is not None


def web_address(document: SourceDocument) -> str:
    """The address of a document if it is safe to link to; else empty."""
    found = address(document)
    return found if is_web_address(found) else ""


# The verdict on a statement in words, the same in every face.

_LABELS: Mapping[str, str] = tables("answering", "words")["labels"]
_ASSESSED: Mapping[str, str] = tables("answering", "words")["assessed"]
"""What a judge says that has not proved itself, for which the word `supported` is kept."""
NOTHING_FOUND = "no evidence on this question was found in the sources searched"
"""A reason that the first line of an answer says better."""
NOT_VALIDATED = "not validated here"
"""What is said of a judge that is neither proven on this machine nor trusted by the settings."""
_NO_FINDING = {"title": "a title, not a finding", "purpose": "an aim, question or assumption, not a finding"}
_FAULTS = {
    "retrieval": "no relevant passage was retrieved",
    "generation": "the text goes beyond the retrieved passages",
}
_RULES = ("verbatim", "citation", "retraction", "form", "graph", "context", KEYLESS)
"""Critics that compare ids, letters and words. Their verdict is complete without a name."""
_EXPLAINED = (
    *("purpose", "title", "reference", "quotation", "quantity", "retracted", "misplaced", "citation", "contradiction"),
    *("opposite", "incorrect", "disputed", "own knowledge", "subject", "foreign"),
)
"""Flags that a verdict explains in words. The others name a difference from the quote."""
_FOLDERS = re.compile(r"(?<=:)[/.~].*/(?=[^/])")
"""The folders of a model that is named by its path."""


def verdict(found: Verdict, place: Sequence[str] = (), source: SourceDocument | None = None) -> str:
    """The verdict on a sentence; of a quoted one it says who says so and where. Who is not validated is named apart.

    Args:
        place: where in the paper it is, such as its section and page.
        source: the paper, whose design and year are named as far as they are known.
    """
    label, note, differences = _LABELS[found.label], clean(found.note), _differences(found)
    if found.label == "quoted":
        who = ", ".join(filter(None, [design(source), str(source.year or "")])) if source else ""
        said, in_words = clean(", ".join(place)), bool(who and place and place[0].isalpha())
        where = f" from the {said}" if in_words else f" ({said})" if place else ""
        no_finding = [why for flag, why in _NO_FINDING.items() if flag in found.flags][:1]
        quoted, joint = (f"{who}: quoted", "; ") if who else (label, ": ")
        return _noted(quoted + where, [*no_finding, *differences], joint)
    if found.assessed and not note.startswith("assessed by"):  # as in answers of earlier versions
        return _noted(_ASSESSED[found.assessed], [*differences, note], joint="; ")
    if found.label == "not judged" and note:  # the note names the judge and what the judge said
        return _noted(note, differences, joint="; ")
    if found.label == "not found" and found.critic in _RULES and note:
        return _noted("not supported", [note, *differences])
    if found.label == "related" and not found.judged_by_model:
        return _noted("related text, not assessed", [*differences, note])
    return _noted(label + _judge(found), [*differences, note])


def category(found: Verdict) -> str:
    """The eight-label category with who gave it, and where an unsupported statement went wrong; may be empty."""
    if found.category is None:
        label = ""
    elif found.critic == "graph":
        label = f"{found.category} (from the stored relation)"
    else:
        label = f"{found.category} ({found.labelled_by if found.labelled_by_model else 'by word comparison'})"
    error = f"{found.error_source} error: {_FAULTS[found.error_source]}" if found.error_source else ""
    return "; ".join(part for part in (clean(label), error) if part)


def _noted(label: str, notes: Sequence[str], joint: str = ": ") -> str:
    noted = "; ".join(filter(None, notes))
    return sentence(label + joint + noted if noted else label)


def _judge(found: Verdict) -> str:
    """Who gave a verdict, and how sure that judge was, in brackets."""
    shown = [] if found.critic in _RULES else [critic_name(found.critic)]
    if found.probability is not None and found.label != "not judged":
        shown.append(f"{found.probability:.0%}")
    return f" ({', '.join(shown)})" if shown else ""


def critic_name(critic: str) -> str:
    """A critic's name without the folders of its model."""
    return _FOLDERS.sub("", clean(critic))


def _differences(found: Verdict) -> list[str]:
    differing = [clean(flag) for flag in found.flags if flag not in _EXPLAINED]
    said = [f"may differ from the quote in {', '.join(differing)}"] if differing else []
    misplaced = ["the quote may give its number for another group or outcome"] if "misplaced" in found.flags else []
    return said + misplaced
