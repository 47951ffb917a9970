"""Measures the sentences that answers quote from full texts of trials.

    python benchmarks/full_texts.py --data ../shared/data --home FOLDER [--show]

The corpus: 200 trials in JATS. The questions: 515 of Evidence Inference, in whose articles doctors marked the result
(`scripts/marked_trials.py`), and 60 written by hand as a reader would ask (`full_text_questions.jsonl`). Of these it
is known which article answers them; a quote counts as the article's own finding if it stands under its results or
conclusion, or in its abstract but not under another heading. Medground's answers come from the recipe `ground` without
a model. The weights learned from the questions of Evidence Inference, and not from those by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from answers import Bench, Row, baseline, bm25, ground, sentences, share, whole_passage

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import Marked, is_in, plain
from marked_trials import build_trials, trials

from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.language.quoting.headings import parts_of
from medground.language.sentences import sentence_spans


def by_hand() -> list[Marked]:
    """The questions written by hand."""
    lines = (Path(__file__).parent / "full_text_questions.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [
        Marked("by hand", str(n), "titled", r["article"], r["question"], {f"PMC:{r['article']}": ()})
        for n, r in enumerate(records)
    ]


def own_finding(snapshot: Snapshot, document: str, quote: str) -> bool:
    """Whether a quote stands where its paper says what it found."""
    paper = snapshot.documents([document])[document]
    start = paper.text.find(quote)
    under = parts_of(paper.section_at(start))
    elsewhere = not under.isdisjoint(("back", "legend", "methods", "opening"))
    return not under.isdisjoint(("conclusion", "results")) or ("abstract" in under and not elsewhere)


def report(title: str, marked: Sequence[Marked], row: Row, snapshot: Snapshot, show: bool) -> None:
    """Print one row, and with `show` each first quote."""
    pairs = list(zip(marked, row(marked), strict=True))
    cells = ["first from the article " + share([any(d in one.gold for d, _ in q[:1]) for one, q in pairs])]
    if marked[0].name == "trials":
        for count, said in ((1, "first"), (3, "one of three")):
            right = [any(d in one.gold and _holds(t, one.gold[d]) for d, t in q[:count]) for one, q in pairs]
            cells.append(f"{said} is marked " + share(right))
    else:
        first = [any(d in one.gold and own_finding(snapshot, d, t) for d, t in q[:1]) for one, q in pairs]
        cells.append("first is its own finding " + share(first))
    print(f"{title:28} " + "   ".join(cells), flush=True)
    for one, quotes in pairs if show else []:
        print(f"\n{one.question}\n    " + (" ".join(quotes[0][1].split()) if quotes else "(no quote)"))


def _holds(text: str, marked: Sequence[str]) -> bool:
    return any(is_in(plain(text[a:b]), marked) for a, b in sentence_spans(text))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print the first quotes of the questions by hand")
    arguments = parser.parse_args()
    data, home = arguments.data, arguments.home
    with Library(home).open(build_trials(data, home)) as snapshot:
        bench = Bench("trials", home, snapshot)
        ours: Row = ground(bench, "trials", vectors=False)
        for marked in (trials(data), by_hand()):
            print(f"{marked[0].name}, {len(marked)} questions")
            rows = [
                ("BM25, best sentence", baseline(bench, bm25)),
                ("BM25, best two neighbours", baseline(bench, bm25, 2)),
                ("BM25, whole passage", whole_passage(bench)),
                ("BM25 over sentences", sentences(bench)),
                ("Medground", ours),
            ]
            for title, row in rows:
                report(title, marked, row, snapshot, arguments.show and row is ours and marked[0].name == "by hand")


if __name__ == "__main__":
    main()
