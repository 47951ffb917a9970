"""Count the abstracts in which each stem occurs: `python scripts/train_frequencies.py --data ../shared/data`.

Reads the SciFact corpus, the open randomised-trial abstracts of Evidence Inference, and the PubMedQA training split,
but not PubMedQA's test split or any claims. Keeps only stems that occur in at least `LEAST` abstracts, so that no text
can be reconstructed from the table.

The stem of a word depends on this table: `anaemia` has that of `anemia`, because the table has `anemia`. So counting
starts from an empty table and is repeated with what was found, until nothing changes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from medground.language import words

LEAST = 5
OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "frequencies.json"


def lines(path: Path) -> Iterator[dict]:
    """Records of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def abstracts(data: Path) -> Iterator[str]:
    """Every abstract that is counted, with its title if the set has one."""
    for record in lines(data / "scifact" / "corpus.jsonl.gz"):
        yield " ".join([record["title"], *record["abstract"]])
    for record in lines(data / "evidence_inference" / "rct_abstracts_open.jsonl.gz"):
        yield " ".join([record["title"] or "", *(part["text"] for part in record["abstract"])])
    for record in lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        if record["split"] != "test":
            yield " ".join(record["contexts"])


def counted(texts: Sequence[str]) -> dict[str, int]:
    """In how many texts each stem occurs, of those that occur in `LEAST`."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words.terms(text)))
    return {term: n for term, n in counts.items() if n >= LEAST and not term[0].isdigit()}


def settled(texts: Sequence[str]) -> dict[str, int]:
    """The counts with which the same counts are found again."""
    table, before = counted_with({}, texts), dict[str, int]()
    while table != before:
        table, before = counted_with(table, texts), table
    return table


def counted_with(table: dict[str, int], texts: Sequence[str]) -> dict[str, int]:
    """The counts where stems are made as `table` says."""
    words._frequencies = lambda: (len(texts), table)
    for remembered in (words.stem, words._content_stem, words._terms):
        remembered.cache_clear()
    return counted(texts)


def main() -> None:
    """Write `frequencies.json`: number of abstracts, and stems grouped by the number of abstracts they occur in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    texts = [*abstracts(parser.parse_args().data)]
    grouped: dict[int, list[str]] = {}
    for term, n in settled(texts).items():
        grouped.setdefault(n, []).append(term)
    table = {str(n): " ".join(sorted(grouped[n])) for n in sorted(grouped)}
    content = {
        "about": "abstracts in which a stem occurs; counted by scripts/train_frequencies.py",
        "sources": ["SciFact corpus", "Evidence Inference open abstracts", "PubMedQA training split"],
        "abstracts": len(texts),
        "sha256": hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest(),
        "terms": table,
    }
    OUT.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(texts):,} abstracts, {sum(map(len, grouped.values())):,} stems, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
