"""Measures how often the doubts that word rules raise about a statement are right.

    python benchmarks/word_doubts.py [--each 200] [--seed 1] [-v]

Half of the statements are true of the quotes beside them and half are false, drawn by seed from SciFact (claims and the
sentences that experts chose), from `nli` (Check-COVID, Evidence Inference, HealthVer) and from the supported and the
contradicted sentences of `audit`. A doubt is right where the statement is false. Of a passage, the two sentences with
most of the statement's words are the quotes, as a model would cite them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from medground.answering.verify.marks import without_citations
from medground.answering.verify.overclaim import doubts, weighed
from medground.language import words
from medground.language.sentences import sentence_spans
from medground.values.document import Document
from medground.values.evidence import Ledger, Sentence
from medground.values.statement import Verdict

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PAIRS = ("check_covid", "evidence_inference_v2_templates", "healthver_abs")
QUOTES = 2
FALSE = ("contradicted", "number")
_OF_DOCUMENT = ("code", "name", "unheld")
"""What a whole document lacks is not known where only a passage of it is there."""
_PMID, _LINE_BREAK = re.compile(r"PMID- (\d+)"), re.compile(r"\n {6}")


class Case(NamedTuple):
    """A statement, whether it is true, what it is from, and the document with the sentences beside it, if known."""

    statement: str
    is_true: bool
    source: str
    title: str
    text: str
    sentences: tuple[str, ...] = ()


def scifact() -> Iterator[Case]:
    """Claims of the development set."""
    papers = {str(one["doc_id"]): one for one in _lines(DATA / "scifact" / "corpus.jsonl.gz")}
    for claim in map(json.loads, (DATA / "scifact" / "claims_dev.jsonl").read_text(encoding="utf-8").splitlines()):
        for paper, evidence in claim["evidence"].items():
            lines, true = papers[paper]["abstract"], evidence[0]["label"] == "SUPPORT"
            quotes = tuple(lines[n].strip() for n in evidence[0]["sentences"])
            yield Case(claim["claim"], true, "scifact", papers[paper]["title"], "".join(lines), quotes)


def pairs() -> Iterator[Case]:
    """Statements beside passages."""
    for name in PAIRS:
        for one in _lines(DATA / "nli" / f"{name}.jsonl.gz"):
            if one["label"] in ("support", "refute"):
                yield Case(one["hypothesis"], one["label"] == "support", name, "", one["premise"])


def audit() -> Iterator[Case]:
    """Sentences that cite, beside the quote that decides them and the abstract that has it."""
    records = (DATA / "audit" / "refs" / "refs.nbib").read_text(encoding="utf-8").split("\n\n")
    papers = {f"PMID:{found[1]}": _LINE_BREAK.sub(" ", one) for one in records if (found := _PMID.search(one))}
    for one in json.loads((DATA / "audit" / "truth.json").read_text(encoding="utf-8")):
        quote = (one.get("evidence") or {}).get("quote", "")
        if quote and (one["kind"] == "supported" or one["kind"] in FALSE):
            record = papers.get(one["evidence"]["ref"], "")
            text = record.partition("AB  - ")[2].partition("\n")[0] if quote in record else quote
            title = record.partition("TI  - ")[2].partition("\n")[0]
            said, source = without_citations(one["sentence"]), f"audit {one['by']}"
            yield Case(said, one["kind"] == "supported", source, title, text, (quote,))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def doubted(case: Case) -> list[tuple[str, str]]:
    """The doubts that are printed about a statement though its judge agrees: their kinds, and their words."""
    text, ledger = case.text, Ledger()
    ledger.admit([Document(id="PMID:1", title=case.title, text=text)])
    said, spans = words.terms(case.statement), sentence_spans(text)
    chosen = [(text.find(one), text.find(one) + len(one)) for one in case.sentences if one in text] or sorted(
        spans, key=lambda span: -words.coverage(said, words.terms(text[span[0] : span[1]]))
    )[:QUOTES]
    quotes = [ledger.quote("PMID:1", start, end) for start, end in chosen]
    if not quotes:
        return []
    near = max(quotes, key=lambda quote: words.coverage(said, words.terms(quote.quote)))
    sentence = Sentence(text=case.statement, evidence=tuple(quote.id for quote in quotes))
    found = doubts(sentence, near, ledger)
    printed = weighed(Verdict(label="supported", critic="model"), found, stands=True)
    of_document = () if case.sentences else _OF_DOCUMENT
    return [(one.kind, one.word) for one in found if one.kind in printed.flags and one.kind not in of_document]


def drawn(cases: list[Case], each: int, draw: random.Random) -> list[Case]:
    """As many true ones as false ones, at most `each` of both."""
    draw.shuffle(cases)
    true, false = ([one for one in cases if one.is_true is kind] for kind in (True, False))
    many = min(len(true), len(false), each)
    return true[:many] + false[:many]


def main() -> None:
    """Print a table of the kinds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    cases = [one for group in (scifact, pairs, audit) for one in drawn(list(group()), given.each, draw)]
    raised: Counter[tuple[str, bool]] = Counter()
    texts: Counter[tuple[str, bool]] = Counter()
    of: Counter[tuple[str, bool]] = Counter()
    for case in cases:
        of[case.source, case.is_true] += 1
        found = doubted(case)
        texts[case.source, case.is_true] += bool(found)
        for kind, word in found:
            raised[kind, not case.is_true] += 1
            if given.verbose and case.is_true:
                print(
                    f"  {kind} ({word[:60]}) | {case.source} | {case.statement} | {' '.join(case.text.split())[:300]}"
                )
    print("| doubt | right | wrong |\n| --- | --- | --- |")
    for kind in sorted({kind for kind, _ in raised}):
        print(f"| {kind} | {raised[kind, True]} | {raised[kind, False]} |")
    right, every = sum(n for (_, true), n in raised.items() if true), raised.total()
    print(f"doubts right: {right} of {every} ({right / max(1, every):.0%})")
    for source in dict.fromkeys(source for source, _ in of):
        told = [f"{texts[source, kind]} of {of[source, kind]}" for kind in (True, False)]
        print(f"{source}: doubted {told[0]} true, {told[1]} false")


if __name__ == "__main__":
    main()
