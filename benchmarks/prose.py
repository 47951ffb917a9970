"""Measures which sentences are taken for front matter, references or legends, and which addresses a boundary cuts.

    python benchmarks/prose.py --data ../shared/data [--show]

Sentences that experts chose must be prose: BioASQ's snippets, SciFact's evidence, the sentences of COVID-QA that hold
an answer, PubMedQA's abstracts and conclusions. Lines that are not prose are collected by their place: the heads of
COVID-QA's articles, and what JATS articles hold beside their text, as PubMed Central prints it; 25 lines of each of
eight kinds. The rules were written with articles of even number; those of odd number are the test. Intervals are
Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from lxml import etree

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import lines

from medground.corpus.readers.xml import flat_text
from medground.language.prose import why_not_prose
from medground.language.sentences import sentence_spans
from medground_evaluate.statistics import wilson

PER_KIND = 25
ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)\S+|\b10\.\d{4,9}/\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
BROKEN = re.compile(r"(?:https?://|www\.)\S*\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


# Prose


def bioasq(data: Path) -> Iterator[str]:
    """The sentences of the snippets."""
    for task in "789":
        content = json.loads(gzip.decompress((data / "bioasq" / f"task{task}b.json.gz").read_bytes()))
        for question in content["questions"]:
            for snippet in question["snippets"]:
                yield from sentences(snippet["text"])


def scifact(data: Path) -> Iterator[str]:
    """The evidence sentences of the claims."""
    texts = {str(r["doc_id"]): r["abstract"] for r in lines(data / "scifact" / "corpus.jsonl.gz")}
    for part in ("train", "dev"):
        for claim in lines(data / "scifact" / f"claims_{part}.jsonl"):
            for document, found in claim["evidence"].items():
                yield from (texts[document][n] for one in found for n in one["sentences"])


def covidqa(data: Path) -> Iterator[str]:
    """The sentences that an answer touches."""
    texts = {r["doc_id"]: r["text"] for r in lines(data / "covidqa" / "documents.jsonl.gz")}
    spans = {name: sentence_spans(text) for name, text in texts.items()}
    for r in lines(data / "covidqa" / "questions.jsonl"):
        for answer in r["answers"]:
            first, last = answer["answer_start"], answer["answer_start"] + len(answer["text"])
            for start, end in spans[r["doc_id"]]:
                if start < last and first < end:
                    yield texts[r["doc_id"]][start:end]


def pubmedqa(data: Path) -> Iterator[str]:
    """The abstracts and conclusions."""
    for r in lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        for text in (*r["contexts"], r["long_answer"]):
            yield from sentences(text)


PROSE = {"BioASQ": bioasq, "SciFact": scifact, "COVID-QA": covidqa, "PubMedQA": pubmedqa}


# Not prose

Line = tuple[int, str, str]
"""Number of the article, kind of the line, and the line."""


def heads(data: Path) -> Iterator[Line]:
    """The lines between the title and the abstract of COVID-QA's articles."""
    for number, r in enumerate(lines(data / "covidqa" / "documents.jsonl.gz")):
        head, *body = re.split(r"\n\n(?:Abstract|Text):", r["text"], maxsplit=1)
        for line in filter(str.strip, head.split("\n")[1:] if body else ()):
            yield number, "head of an article", line


def beside(data: Path) -> Iterator[Line]:
    """What JATS articles hold beside their text."""
    for number, path in enumerate(sorted((data / "jats").rglob("*.nxml.gz"))):
        root = etree.fromstring(gzip.decompress(path.read_bytes()))
        names = [f"{_of(c, 'given-names')} {_of(c, 'surname')}" for c in root.iterfind(".//contrib-group/contrib")]
        if len(names) > 1:
            yield number, "authors", ", ".join(names)
        for kind, paths in ELEMENTS.items():
            for element in (e for way in paths for e in root.iterfind(way)):
                label, caption = _of(element, "label"), ". ".join(map(flat_text, element.iterfind("caption/*")))
                text = flat_text(element, leave_out=("label", "institution-id", "caption"))
                yield number, kind, f"{label}. {caption}".strip(". ") if caption else f"{label} {text}".strip()
        for kind, way in (("reference", ".//ref-list/ref"), ("legend", ".//fig"), ("legend", ".//table-wrap")):
            for element in root.iterfind(way):
                yield number, kind, _reference(element) if kind == "reference" else _legend(element)


ELEMENTS = {
    "place of work": [".//article-meta//aff", ".//article-meta//corresp"],
    "licence": [".//copyright-statement", ".//license//p", ".//license-p"],
    "declaration": [".//ack//p", ".//back//fn//p", ".//author-notes//fn//p"],
    "supplement": [".//supplementary-material"],
}


def _of(element: Any, name: str) -> str:
    return flat_text(element.find(f".//{name}"))


def _legend(element: Any) -> str:
    """Its label and first sentence."""
    caption = flat_text(element.find("caption"))
    return f"{_of(element, 'label')} {(sentences(caption) or [''])[0]}"


def _reference(ref: Any) -> str:
    """As printed, or put together as PubMed Central does it."""
    printed = ref.find("mixed-citation")
    if printed is not None and not len(printed):
        return flat_text(printed)
    authors = ", ".join(f"{_of(n, 'surname')} {_of(n, 'given-names')}" for n in ref.iterfind(".//name"))
    where = f"{_of(ref, 'source')} {_of(ref, 'year')};{_of(ref, 'volume')}:{_of(ref, 'fpage')}-{_of(ref, 'lpage')}"
    title = _of(ref, "article-title")
    return f"{authors} {title.rstrip('.')}. {where.replace(';:-', '')}." if authors and title else ""


def sample(found: Iterable[Line], odd: int) -> dict[str, list[str]]:
    """Up to `PER_KIND` lines of each kind, at random, of the articles of one half."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for number, kind, line in found:
        if number % 2 == odd and len(line.split()) > 1:
            kinds[kind].append(line)
    order = random.Random(odd)
    return {k: order.sample(sorted(set(one)), min(PER_KIND, len(set(one)))) for k, one in sorted(kinds.items())}


# Addresses


def cut(texts: Iterable[str]) -> tuple[int, int]:
    """How many addresses there are, with those that a space breaks, and how many a boundary cuts."""
    found = broken = 0
    for text in texts:
        spans = sentence_spans(text)
        ends = {end for _, end in spans}
        for match in ADDRESS.finditer(text):
            found += 1
            last = match.start() + len(re.split(r"[).;]+[A-Z]|[.,;:)\]>\"']+$", match[0])[0])
            broken += any(end in ends for end in range(match.start() + 1, last))
        for (start, end), (after, _) in pairwise(spans):
            goes_on = text[after].islower() and "\n" not in text[end:after]
            broken += goes_on and BROKEN.search(text[max(start, end - 200) : end]) is not None
    return found, broken


def share(part: int, of: int) -> str:
    """A share with its interval."""
    low, high = wilson(part, of)
    return f"{part} of {of} ({part / max(of, 1):.2%}; {low:.2%} to {high:.2%})"


def report(kinds: dict[str, list[str]], show: bool) -> None:
    """Print how many lines of each kind are found."""
    for kind, found in kinds.items():
        missed = [line for line in found if why_not_prose(line) is None]
        print(f"  {kind:20} {len(found) - len(missed)} of {len(found)}")
        for line in missed if show else []:
            print(f"      {line[:220]}")
    every: Sequence[str] = [line for found in kinds.values() for line in found]
    parts = [sentence for line in every for sentence in sentences(line)]
    for name, texts in (("all", every), ("all, by sentence", parts)):
        print(f"  {name:20} {share(sum(why_not_prose(text) is not None for text in texts), len(texts))}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="also print what is wrong")
    arguments = parser.parse_args()
    data = arguments.data
    print("Sentences that experts chose, taken for something else:")
    for name, read in PROSE.items():
        found = sorted(set(read(data)))
        wrong = [(why, one) for one in found if (why := why_not_prose(one))]
        print(f"  {name:10} {share(len(wrong), len(found))}")
        for why, one in wrong if arguments.show else []:
            print(f"      {why}: {one[:220]}")
    collected = [*heads(data), *beside(data)]
    for odd, half in enumerate(("with which the rules were written", "never looked at")):
        print(f"Lines that are not prose, found; articles {half}:")
        report(sample(collected, odd), arguments.show and not odd)
    print("Addresses that a sentence boundary cuts:")
    texts = {
        "COVID-QA": (r["text"] for r in lines(data / "covidqa" / "documents.jsonl.gz")),
        "SciFact": (" ".join(r["abstract"]) for r in lines(data / "scifact" / "corpus.jsonl.gz")),
    }
    for name, read_texts in texts.items():
        found_addresses, broken = cut(read_texts)
        print(f"  {name:10} {broken} cut, {found_addresses} whole in the text")


if __name__ == "__main__":
    main()
