"""Make the questions for training the ranker: `python scripts/ranker_pairs.py ../shared/data HOME OUT [--vectors]`.

Writes `bioasq.jsonl` (tasks 7b to 9b, with the fold of each question) and `others.jsonl` (SciFact's training claims,
half of COVID-QA's articles, PubMedQA's training split, MedQuAD). A line is a question with candidates: a title, a text,
and what it is worth as a quote, 0 to 1, by what experts marked (`marked.py`). Negatives come from the same search, by
words and, with `--vectors`, by MiniLM; those of MedQuAD are other answers about the same disease. A third of the
lines, where papers are known, have passages instead of sentences.

SciFact's abstracts that development claims cite are left out, as answers and as negatives, and so are their claims;
and so is every candidate that shares ten words in a row with what is measured (`pairing/guard.py`).
HOME keeps the corpora between runs, and has MiniLM in `models` if vectors are asked for.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from marked import Marked, bioasq, build_corpus, covidqa, find, lines, pubmedqa, scifact
from pairing.guard import Guard, measured
from train_reader import folds

from medground.corpus.embedding import open_embedder
from medground.corpus.library import Library
from medground.text.sentences import sentence_spans

POSITIVES, SAME, OTHER = 2, 2, 5
"""Candidates of a line: the best, others of the papers that experts chose, and those of other papers."""
PASSAGE_WORDS = 110
Candidate = dict[str, Any]
Line = dict[str, Any]


def sentences(one: Marked, hidden: frozenset[str]) -> list[Candidate]:
    """The sentences of the candidates, with their worth; `hidden` titles are left out."""
    values = iter(one.values)
    found = [
        {"title": c.title, "text": s, "worth": float(v)}
        for c in one.candidates
        for s, v in zip(c.sentences, values, strict=False)
    ]
    return [f for f in found if f["title"] not in hidden and 4 <= len(f["text"].split()) <= 90]


def passages(one: Marked, hidden: frozenset[str], rng: random.Random) -> list[Candidate]:
    """Each candidate as one passage: the text around one of its best sentences."""
    values, found = iter(one.values), []
    for c in one.candidates:
        worth = [float(next(values)) for _ in c.sentences]
        if not worth or c.title in hidden:
            continue
        best = rng.choice([i for i, w in enumerate(worth) if w == max(worth)])
        start = end = best
        while (start > 0 or end < len(worth) - 1) and _words(c.sentences[start : end + 1]) < PASSAGE_WORDS:
            start, end = max(0, start - 1), min(len(worth) - 1, end + 1)
        text = " ".join(c.sentences[start : end + 1])
        found.append({"title": c.title, "text": text, "worth": 1.0 if max(worth) >= 0.5 else max(worth)})
    return found


def _words(texts: Sequence[str]) -> int:
    return sum(len(t.split()) for t in texts)


def chosen(found: Sequence[Candidate], rng: random.Random) -> list[Candidate]:
    """Some of the best, and harder and easier wrong ones, the first of the search more often; none if all are equal."""
    most = max((c["worth"] for c in found), default=0.0)
    if most <= 0.2:
        return []
    best = [c for c in found if c["worth"] >= 0.95 * most]
    same = [c for c in found if 0.2 < c["worth"] < 0.95 * most]
    other = [c for c in found if c["worth"] <= 0.2]
    kept = rng.sample(best, min(POSITIVES, len(best))) + rng.sample(same, min(SAME, len(same)))
    hard = sorted(range(len(other)), key=lambda i: i * rng.random())[:OTHER]
    return kept + [other[i] for i in hard] if same or other else []


def marked_lines(
    marked: Iterable[Marked], guard: Guard, rng: random.Random, hidden: frozenset[str] = frozenset()
) -> Iterator[Line]:
    """A line for each question, and for a third of those with several papers another one with passages."""
    for one in marked:
        ways = [sentences(one, hidden)]
        if len(one.candidates) > 3 and rng.random() < 0.33:
            ways.append(passages(one, hidden, rng))
        for found in ways:
            candidates = [c for c in chosen(found, rng) if guard.allows(c["text"])]
            if any(c["worth"] > 0.2 for c in candidates) and len(candidates) > 1:
                yield {"source": one.name, "group": one.group, "question": one.question, "candidates": candidates}


def medquad(data: Path, number: int, rng: random.Random) -> Iterator[Line]:
    """Consumers' questions with the start of their answer, against other answers about the same and other diseases."""
    by_focus: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in lines(data / "medquad" / "qa.jsonl.gz"):
        by_focus[row["focus"]].append(row)
    rows = [r for some in by_focus.values() if len(some) > 2 for r in some]
    for row in rng.sample(rows, number):
        near = [r for r in by_focus[row["focus"]] if r["qtype"] != row["qtype"]]
        far = [r for r in rng.sample(rows, 40) if r["qtype"] == row["qtype"] and r["focus"] != row["focus"]]
        wrong = rng.sample(near, min(3, len(near))) + far[:2]
        yield {
            "source": "medquad", "group": f"medquad {row['focus']}", "question": row["question"],
            "candidates": [
                {"title": r["focus"], "text": start(r["answer"]), "worth": float(r is row)} for r in (row, *wrong)
            ],
        }  # fmt: skip


def start(text: str) -> str:
    """The first two sentences of an answer."""
    text = " ".join(text.split())[:1200]
    return " ".join(text[a:b] for a, b in sentence_spans(text)[:2])


def hidden_titles(data: Path) -> tuple[frozenset[str], set[str]]:
    """Titles of the abstracts that SciFact's development claims cite, and their claims' ids of the training split."""
    folder = data / "scifact"
    dev = {str(d) for claim in lines(folder / "claims_dev.jsonl") for d in claim["cited_doc_ids"]}
    titles = frozenset(r["title"] for r in lines(folder / "corpus.jsonl.gz") if str(r["doc_id"]) in dev)
    claims = {str(c["id"]) for c in lines(folder / "claims_train.jsonl") if dev & set(map(str, c["cited_doc_ids"]))}
    return titles, claims


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--medquad", type=int, default=1500)
    arguments = parser.parse_args()
    data, home, rng = arguments.data, arguments.home, random.Random(0)
    arguments.out.mkdir(parents=True, exist_ok=True)
    embedder = open_embedder("minilm", home, threads=1) if arguments.vectors else None
    ours = bioasq(data)
    with Library(home).open(build_corpus("bioasq", data, home, embedder)) as snapshot:
        find(ours, snapshot, embedder)
    guard = Guard(measured(data))
    fold = folds([one for one in ours if len(one.values) and one.values.max() > 0])
    titles, claims = hidden_titles(data)
    others = [one for one in scifact(data, "train") if one.id not in claims] + covidqa(data, "train")
    for name in ("scifact", "covidqa"):
        with Library(home).open(build_corpus(name, data, home)) as snapshot:
            find([one for one in others if one.name.startswith(name)], snapshot)
    written = {
        "bioasq": [{**line, "fold": fold[line["group"]]} for line in marked_lines(ours, guard, rng)],
        "others": [
            *marked_lines([*others, *pubmedqa(data)], guard, rng, titles), *medquad(data, arguments.medquad, rng)
        ],
    }  # fmt: skip
    for name, found in written.items():
        with (arguments.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
        print(f"{name}: {len(found):,} questions, {sum(len(line['candidates']) for line in found):,} candidates")


if __name__ == "__main__":
    main()
