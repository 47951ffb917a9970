"""Sentences of real abstracts, with the split that each belongs to.

The sets are SciFact's corpus (held out: abstracts that development claims cite), PubMedQA (held out: the official test
split) and Evidence Inference (held out: articles with prompts in the validation or test split).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from medground.language.sentences import sentence_spans

Split = Literal["train", "held out"]
LEAST, MOST = 50, 400
"""Minimum and maximum characters of a usable sentence."""


@dataclass(frozen=True)
class Abstract:
    """One abstract as sentences. `text` is the premise for a critic."""

    document: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentences joined with single spaces."""
        return " ".join(self.sentences)

    @property
    def usable(self) -> tuple[str, ...]:
        """Whole sentences of a reasonable length that state something."""
        return tuple(s for s in self.sentences if _states(s))


def abstracts(path: Path, split: Split = "train") -> Iterator[Abstract]:
    """The abstracts of a folder `scifact`, `pubmedqa` or `evidence_inference`, in the file's order.

    Raises:
        ValueError: the folder has another name.
    """
    readers = {"scifact": _scifact, "pubmedqa": _pubmedqa, "evidence_inference": _evidence_inference}
    if path.name not in readers:
        raise ValueError(f"{path}: expected a folder named {', '.join(readers)}")
    for document, held_out, sections in readers[path.name](path):
        if held_out == (split == "held out"):
            joined = [" ".join(section.split()) for section in sections]
            found = tuple(text[start:end] for text in joined for start, end in sentence_spans(text))
            if found:
                yield Abstract(document, found)


def sentences(path: Path, split: Split = "train") -> Iterator[tuple[str, Abstract]]:
    """Each usable sentence of a folder's abstracts, with its abstract."""
    for abstract in abstracts(path, split):
        for sentence in abstract.usable:
            yield sentence, abstract


def _states(sentence: str) -> bool:
    return (
        LEAST <= len(sentence) <= MOST
        and (sentence[0].isupper() or sentence[0].isdigit())
        and sentence.endswith(".")
        and sentence.count("(") == sentence.count(")")
        and len(sentence.split()) >= 8
    )


_Read = Iterator[tuple[str, bool, list[str]]]


def _scifact(folder: Path) -> _Read:
    claims = (json.loads(line) for line in (folder / "claims_dev.jsonl").read_text(encoding="utf-8").splitlines())
    cited = {str(document) for claim in claims for document in (*claim["cited_doc_ids"], *claim["evidence"])}
    for record in _lines(folder / "corpus.jsonl.gz"):
        name = str(record["doc_id"])
        yield f"DOC:{name}", name in cited, [" ".join(sentence.strip() for sentence in record["abstract"])]


def _pubmedqa(folder: Path) -> _Read:
    for record in _lines(folder / "pqa_l.jsonl.gz"):
        yield f"PMID:{record['pmid']}", record["split"] == "test", [*record["contexts"], record["long_answer"]]


def _evidence_inference(folder: Path) -> _Read:
    prompts = _lines(folder / "prompts_labelled.jsonl.gz")
    held_out = {prompt["pmid"] for prompt in prompts if prompt["split"] != "train"}
    for path in sorted(folder.glob("rct_abstracts_*.jsonl.gz")):
        for record in _lines(path):
            yield f"PMID:{record['pmid']}", record["pmid"] in held_out, [part["text"] for part in record["abstract"]]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
