"""Measures the relevance of results of a web search without a model, to choose tau (BioMedSearch, Eq. 4).

    python benchmarks/web_relevance.py DATA --home HOME [--questions 300]

DATA has `medquad/qa.jsonl.gz` and `scifact/`. HOME has the embedding model. There is no engine to ask, so results are
made: the title of a page or paper, and the first 200 characters of its text as the summary. MedQuAD: the page that
answers a question, and other pages on the same disease. SciFact: the best of the abstracts that a claim cites. Against
both stand the 50 results on other subjects that share most of its words by weight: what an engine would also show. The
cosine and the keyless rating must both reach tau. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.corpus.embedder import embed_passages, embed_queries
from medground.language import words
from medground.models.embedders import open_embedder
from medground.recipes.biomedsearch.web import RatePagesInput, ResultView, rate_pages
from medground_evaluate.statistics import wilson

SUMMARY, NEAREST, POOL = 200, 50, 6000
TAUS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)


@dataclass(frozen=True)
class Case:
    """A question, the results that are right, others on its subject, and those that only share words with it."""

    text: str
    right: tuple[int, ...]
    same: tuple[int, ...]
    other: tuple[int, ...]


def result(title: str, text: str) -> str:
    """Title and summary as an engine shows them."""
    return f"{title}\n\n{' '.join(text.split())[:SUMMARY].rpartition(' ')[0]}"


def sharing(text: str, among: Sequence[int], stems: Sequence[frozenset[str]]) -> tuple[int, ...]:
    """The results that share most words with a text, by weight."""
    wanted = frozenset(words.terms(text))
    return tuple(sorted(among, key=lambda at: -sum(words.weight(term) for term in wanted & stems[at]))[:NEAREST])


def medquad(data: Path, count: int) -> tuple[list[str], list[Case]]:
    """Results of MedQuAD's pages, and questions."""
    with gzip.open(data / "medquad" / "qa.jsonl.gz", "rt", encoding="utf-8") as file:
        rows: list[dict[str, Any]] = [json.loads(line) for line in file]
    rows = random.Random(7).sample(rows, POOL)
    shown = [result(row["focus"], row["answer"]) for row in rows]
    stems = [frozenset(words.terms(text)) for text in shown]
    cases = []
    for at, row in enumerate(rows[:count]):
        same = [n for n, one in enumerate(rows) if n != at and one["focus"].lower() == row["focus"].lower()]
        near = {*same, at, *(n for n, one in enumerate(rows) if set(one["cuis"] or ()) & set(row["cuis"] or ()))}
        others = sharing(row["question"], [n for n in range(len(rows)) if n not in near], stems)
        cases.append(Case(row["question"], (at,), tuple(same), others))
    return shown, cases


def scifact(data: Path, count: int) -> tuple[list[str], list[Case]]:
    """Results of SciFact's abstracts, and claims."""
    folder = data / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        papers = [json.loads(line) for line in file]
    lines = [line for name in ("train", "dev") for line in (folder / f"claims_{name}.jsonl").read_text().splitlines()]
    claims = [claim for line in lines if (claim := json.loads(line)).get("cited_doc_ids")]
    shown = [result(paper["title"], " ".join(paper["abstract"])) for paper in papers]
    stems = [frozenset(words.terms(text)) for text in shown]
    place = {int(paper["doc_id"]): at for at, paper in enumerate(papers)}
    cases = []
    for claim in random.Random(7).sample(claims, count):
        right = tuple(place[int(name)] for name in claim["cited_doc_ids"])
        others = sharing(claim["claim"], [at for at in range(len(papers)) if at not in right], stems)
        cases.append(Case(claim["claim"], right, (), others))
    return shown, cases


def relevances(text: str, at: Sequence[int], shown: Sequence[str], near: Sequence[float]) -> list[float]:
    """For each result the lesser of cosine and keyless rating: both must reach tau."""
    views = tuple(
        ResultView(id=f"W{n}", title=shown[n].partition("\n\n")[0], summary=shown[n], cosine=float(near[n])) for n in at
    )
    rated = rate_pages.keyless(RatePagesInput(subquestion=text, results=views)).ratings
    return [min(view.cosine, rating.relevance) for view, rating in zip(views, rated, strict=True)]


def measure(name: str, shown: Sequence[str], cases: Sequence[Case], home: Path, model: str) -> None:
    """Print the share of results that reach each tau."""
    embedder = open_embedder(model, home)
    used = sorted({at for case in cases for at in (*case.right, *case.same, *case.other)})
    vectors = dict(zip(used, embed_passages(embedder, [("", shown[at]) for at in used]), strict=True))
    asked = embed_queries(embedder, [case.text for case in cases])
    right: list[float] = []
    same: list[float] = []
    other: list[float] = []
    for case, query in zip(cases, asked, strict=True):
        at = [*case.right, *case.same, *case.other]
        near = {n: float(vectors[n] @ query) for n in at}
        found = relevances(case.text, at, shown, near)
        right.append(max(found[: len(case.right)]))
        same += found[len(case.right) : len(case.right) + len(case.same)]
        other += found[len(case.right) + len(case.same) :]
    print(f"{name}: {len(cases)} questions")
    for tau in TAUS:
        print(
            f"  tau {tau:.2f}  right {share(right, tau)}  same subject {share(same, tau)}  others {share(other, tau)}"
        )


def share(values: Sequence[float], tau: float) -> str:
    """The share of values that reach tau, with its interval."""
    if not values:
        return "-"
    reached = sum(value >= tau for value in values)
    low, high = wilson(reached, len(values))
    return f"{reached / len(values):.1%} [{low:.1%}, {high:.1%}]"


def main() -> None:
    """Measure both sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--questions", type=int, default=300)
    chosen = parser.parse_args()
    for name, read in {"MedQuAD": medquad, "SciFact": scifact}.items():
        measure(name, *read(chosen.data, chosen.questions), chosen.home, chosen.model)


if __name__ == "__main__":
    main()
