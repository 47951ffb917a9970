"""Count the abstracts in which each stem occurs: `python scripts/train_frequencies.py --data ../shared/data`.

Reads the SciFact corpus, the open randomised-trial abstracts of Evidence Inference, and the PubMedQA training split,
but not PubMedQA's test split or any claims. Keeps only stems that occur in at least `LEAST` abstracts, so that no text
can be reconstructed from the table.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
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


def main() -> None:
    """Write `frequencies.json`: number of abstracts, and stems grouped by the number of abstracts they occur in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    counts: Counter[str] = Counter()
    total = 0
    for text in abstracts(parser.parse_args().data):
        counts.update(set(words.terms(text)))
        total += 1
    grouped: dict[int, list[str]] = {}
    for term, n in counts.items():
        if n >= LEAST and not term[0].isdigit():
            grouped.setdefault(n, []).append(term)
    table = {str(n): " ".join(sorted(grouped[n])) for n in sorted(grouped)}
    content = {
        "about": "abstracts in which a stem occurs; counted by scripts/train_frequencies.py",
        "sources": ["SciFact corpus", "Evidence Inference open abstracts", "PubMedQA training split"],
        "abstracts": total,
        "sha256": hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest(),
        "terms": table,
    }
    OUT.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{total:,} abstracts, {sum(map(len, grouped.values())):,} stems, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
