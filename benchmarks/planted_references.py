"""Measures what holds a written sentence: references that were never retrieved, and quotes that were altered.

    python benchmarks/planted_references.py DATA [--sentences 2000] [--planted 200] [--seed 1] [--show]

Real sentences come from PubMedQA and SciFact, names of authors from the records in `pubmed_xml`.

- false alarms: real sentences as they are; every one held is printed with `--show`, because some do refer to a work;
- planted references: real sentences with a reference to a work that was not retrieved, in each of `FORMS` in turn;
- own references: the same sentences with a reference to a retrieved document, by its ids or its first author and year;
- altered quotes: a real sentence in quotes with one change (`scripts/planted_errors.py`), cited to its own abstract;
- true quotes: the same sentences unchanged, or with other quotes, dashes, spaces, an ellipsis, or a part of them.

Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from verification import share

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from planted_errors import plant
from real_sentences import Abstract, abstracts

from medground.answering.verify.named import unfounded
from medground.values.document import Document

Dice = random.Random
QUOTES = (('"', '"'), ("“", "”"), ("‘", "’"), ("«", "»"))


def _digits(dice: Dice, count: int) -> str:
    return str(dice.randrange(10 ** (count - 1), 10**count))


def _year(dice: Dice) -> int:
    return dice.randrange(1995, 2026)


FORMS: tuple[Callable[[Dice, Sequence[str]], str], ...] = (
    lambda d, n: f"(PMID: {_digits(d, 8)})",
    lambda d, n: f"(PMID {_digits(d, 7)})",
    lambda d, n: f"[pmid={_digits(d, 8)}]",
    lambda d, n: f"(PubMed ID {_digits(d, 8)})",
    lambda d, n: f"[{_digits(d, 8)}]",
    lambda d, n: f"(PMC{_digits(d, 7)})",
    lambda d, n: f"(PMCID: PMC{_digits(d, 7)})",
    lambda d, n: f"(doi:10.{_digits(d, 4)}/j.{_digits(d, 6)})",
    lambda d, n: f"(https://doi.org/10.{_digits(d, 4)}/s{_digits(d, 5)}-{_digits(d, 3)})",
    lambda d, n: f"(https://pubmed.ncbi.nlm.nih.gov/{_digits(d, 8)}/)",
    lambda d, n: f"(NCT0{_digits(d, 7)})",
    lambda d, n: f"(ISRCTN{_digits(d, 8)})",
    lambda d, n: f"(ChiCTR{_digits(d, 10)})",
    lambda d, n: f"(EudraCT 20{_digits(d, 2)}-00{_digits(d, 4)}-{_digits(d, 2)})",
    lambda d, n: f"(Cochrane review CD0{_digits(d, 5)})",
    lambda d, n: f"({d.choice(n)} et al., NEJM {_year(d)})",
    lambda d, n: f"({d.choice(n)} et al., {_year(d)})",
    lambda d, n: f"[{d.choice(n)} {d.choice('ABCDEFG')}{d.choice('HJKLM')}, et al. {_year(d)}]",
    lambda d, n: f"as {d.choice(n)} and {d.choice(n)} ({_year(d)}) reported",
    lambda d, n: f"({d.choice(n)} & {d.choice(n)}, {_year(d)})",
    lambda d, n: f"({d.choice(n)}, {_year(d)})",
    lambda d, n: f"in agreement with {d.choice(n)} ({_year(d)})",
    lambda d, n: f"(Lancet {_year(d)};{_digits(d, 3)}:{_digits(d, 3)}-{_digits(d, 3)})",
    lambda d, n: f"as found by {d.choice(n)} and colleagues",
)


def with_end(sentence: str, reference: str) -> str:
    """A sentence with a reference before its full stop."""
    return f"{sentence.rstrip('.')} {reference}."


def own(document: Document, dice: Dice) -> str:
    """A reference to a document, in one of the forms of its ids or its first author."""
    name, number = document.authors[0].split()[0], document.id.partition(":")[2]
    doi, pmc = document.identifiers["doi"], document.identifiers["pmc"]
    forms = (
        f"(PMID: {number})", f"[{number}]", f"(PubMed ID {number})", f"(doi:{doi})", f"({pmc})", f"(PMCID: {pmc})",
        f"(https://pubmed.ncbi.nlm.nih.gov/{number}/)", f"({name} et al., {document.year})",
        f"({name} et al., NEJM {document.year})", f"({name} and Other, {document.year})", f"{name} ({document.year})",
    )  # fmt: skip
    return dice.choice(forms)


def typeset(quote: str, dice: Dice) -> str:
    """The same words in other typography, a part of them, or with words left out."""
    words = quote.split()
    middle = len(words) // 2
    shortened = f"{' '.join(words[:middle])} ... {' '.join(words[middle + 1 :])}"
    forms = (
        quote, quote.replace("-", "–"), quote.replace(" ", "\u00a0", 2), shortened, " ".join(words[:-1]),
        quote[0].lower() + quote[1:], quote.replace("%", " %"),
    )  # fmt: skip
    return dice.choice(forms)


def surnames(data: Path) -> list[str]:
    """Family names of authors of real records, of at least four letters."""
    found: set[str] = set()
    for path in (data / "pubmed_xml" / "raw").glob("*.xml*"):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found.update(re.findall(r"<LastName>([^<>]{4,20})</LastName>", content.decode(errors="ignore")))
    return sorted(name for name in found if " " not in name and not name.isupper())


def sentences(data: Path) -> Iterator[tuple[str, Abstract]]:
    """Every usable sentence of PubMedQA and SciFact with its abstract."""
    for folder in ("pubmedqa", "scifact"):
        for split in ("train", "held out"):
            for abstract in abstracts(data / folder, split):
                yield from ((sentence, abstract) for sentence in abstract.usable)


def document_of(abstract: Abstract, dice: Dice, names: Sequence[str]) -> Document:
    """An abstract as a retrieved paper, with ids and a first author."""
    ids = {"doi": f"10.{_digits(dice, 4)}/x.{_digits(dice, 5)}", "pmc": f"PMC{_digits(dice, 7)}"}
    author, year = f"{dice.choice(names)} {dice.choice('ABCDEFG')}", _year(dice)
    number = _digits(dice, 8)
    return Document(
        id=f"PMID:{number}", text=abstract.text, year=year, authors=(author,), identifiers=ids, journal="N Engl J Med"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--planted", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    names = surnames(arguments.data)
    everything = list(sentences(arguments.data))
    cases = [(text, document_of(a, dice, names)) for text, a in dice.sample(everything, arguments.sentences)]
    rows: dict[str, list[tuple[bool, str]]] = {"real sentences held": []}
    for text, document in cases:
        rows["real sentences held"].append(_held(text, document))
    planted = cases[: arguments.planted]
    rows["planted references held"] = [
        _held(with_end(text, FORMS[n % len(FORMS)](dice, names)), document)
        for n, (text, document) in enumerate(planted)
    ]
    rows["own references held"] = [_held(with_end(text, own(document, dice)), document) for text, document in planted]
    rows["altered quotes held"], rows["true quotes held"] = [], []
    kinds = ("number", "negation", "direction", "subject", "strengthened")
    for n, (text, document) in enumerate(cases):
        changed = plant(kinds[n % len(kinds)], text, dice)
        if changed is None or len(rows["altered quotes held"]) >= arguments.planted:
            continue
        left, right = QUOTES[n % len(QUOTES)]
        for row, quote in (("altered quotes held", changed), ("true quotes held", typeset(text, dice))):
            rows[row].append(_held(f"The authors state: {left}{quote}{right}", document))
    print("| | share |\n| --- | --- |")
    for row, found in rows.items():
        count = sum(held for held, _ in found)
        print(f"| {row} | {count} of {len(found)}: {share(count, len(found))} |")
        if arguments.show:
            odd = not ("planted" in row or "altered" in row)
            print("\n".join(f"    {text[:250]}" for held, text in found if held == odd))


def _held(sentence: str, document: Document) -> tuple[bool, str]:
    return unfounded(sentence, [document], [document]) is not None, sentence


if __name__ == "__main__":
    main()
