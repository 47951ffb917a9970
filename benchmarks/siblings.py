"""Measures what a critic says of claims about a near, but another, condition, drug or population than the paper's.

    MEDGROUND_HOME=... python benchmarks/siblings.py SHARED_DATA_FOLDER [--seed 0]

A claim is a sentence of the conclusion of a PubMedQA abstract. In it one MeSH name is replaced by a sibling: a heading
with the same parent, of which no word stands in the abstract's own text. It is verified as a user verifies a claim,
against all 1,000 abstracts, with the critic fetched into the home. No such claim is supported by its paper; the same
sentences unchanged show that the critic can still say so. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from medground import Engine, Settings
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.language import words
from medground.language.sentences import sentence_spans
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground_evaluate.statistics import wilson

NAME = "siblings"
KINDS: dict[str, tuple[str, ...]] = {"condition": ("C", "F03"), "drug": ("D",), "population": ("M01",)}
BROAD = {"Patients", "Persons", "Population", "Disease", "Syndrome", "Pharmaceutical Preparations", "Water", "Proteins"}
OTHER_SENSES = {"lead", "complement", "solution", "solutions", "white", "polyp", "cadaver", "adhesive"}
LONGEST = 4


class Case(NamedTuple):
    """A sentence, the words that are changed in it, and what stands in their place."""

    kind: str
    sentence: str
    said: str
    sibling: str

    def claim(self) -> str:
        """The changed sentence."""
        return re.sub(rf"\b{re.escape(self.said)}\b", self.sibling, self.sentence)


def records(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """ID, title, abstract and conclusion of each paper of PubMedQA."""
    with gzip.open(folder / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield row["pmid"], row["question"], " ".join([*row["contexts"], row["long_answer"]]), row["long_answer"]


def cases(folder: Path, seed: int) -> list[Case]:
    """Claims of each kind, one of a paper, of the kind that has the fewest."""
    dice = random.Random(seed)
    papers = sorted(records(folder))
    dice.shuffle(papers)
    found: dict[str, list[Case]] = {kind: [] for kind in KINDS}
    for _, title, text, conclusion in papers:
        said = (conclusion[start:end] for start, end in sentence_spans(conclusion))
        options = [case for sentence in said for case in _changed(sentence, f"{title} {text}", dice)]
        rarest = min(options, key=lambda case: len(found[case.kind]), default=None)
        if rarest and len(found[rarest.kind]) < 34:
            found[rarest.kind].append(rarest)
    return [case for some in found.values() for case in some]


def _changed(sentence: str, text: str, dice: random.Random) -> Iterator[Case]:
    """The changes of a sentence that are possible: the longest name at each place, with a sibling drawn at random."""
    tokens, end = [one.span() for one in re.finditer(r"\w[\w'-]*", sentence)], 0
    for n, (start, _) in enumerate(tokens):
        for m in range(min(n + LONGEST, len(tokens)), n, -1):
            said = sentence[start : tokens[m - 1][1]]
            is_name = start >= end and len(said) > 3 and said.lower() not in OTHER_SENSES
            heading = vocabulary().find(said) if is_name else None
            if heading is not None and heading.name not in BROAD and (kind := _kind(heading)):
                end = tokens[m - 1][1]
                if near := siblings(heading, kind, text):
                    yield Case(kind, sentence, said, _like(dice.choice(near), said))
                break


def _kind(heading: Heading) -> str | None:
    return next((kind for kind, trees in KINDS.items() if any(t.startswith(trees) for t in heading.trees)), None)


def siblings(heading: Heading, kind: str, text: str) -> list[str]:
    """Names of headings with the same parent that a text names by none of their names."""
    mesh, stems = vocabulary(), set(words.terms(text))
    lineage = {one.id for one in (*mesh.ancestors(heading), *mesh.explode(heading))}
    near = {one for parent in mesh.parents(heading) for one in mesh.children(parent) if _kind(one) == kind}
    plain = (one for one in near if one.id not in lineage and re.fullmatch(r"[\w-]+( [\w-]+){0,2}", one.name))
    names = {one.name: (one.name, *one.entry_terms) for one in plain}
    return sorted(n for n, all_of in names.items() if not any(stems.issuperset(words.terms(m)) for m in all_of))


def _like(name: str, said: str) -> str:
    """A name in the number and the case of what it replaces."""
    if said.endswith(("s", "children")) and not said.endswith(("ss", "is", "us")) and not name.endswith("s"):
        name = f"{name}s".replace("Childs", "Children")
    return name if said[0].isupper() else " ".join(w if w.isupper() else w.lower() for w in name.split())


async def labels(claims: list[tuple[str, str]]) -> list[str]:
    """What the statements of each claim that hold the words beside it are: `supported`, in part too, `contradicted`."""
    options = {"retrieval.corpora": (NAME,), "verify.critic": "critic"}
    found: list[str] = []
    async with await Engine.open(Settings.load(options=options)) as engine:
        for claim, name in claims:
            statements = (await engine.verify(claim)).statements
            own = [one.verdict for one in statements if one.verdict and name.lower() in one.text.lower()]
            said = {word for one in own for word in (one.label, one.assessed)}
            found.append(
                "supported" if said & {"supported", "partly"} else "contradicted" if "contradicted" in said else ""
            )
    return found


def main() -> None:
    """Print the labels of changed and of unchanged claims, and each changed one that passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "papers.jsonl"
        rows = ({"id": f"PMID:{pmid}", "title": t, "text": text} for pmid, t, text, _ in records(given.folder))
        file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        build(Library(Settings.load().home), NAME, find_inputs([file]))
    found = cases(given.folder, given.seed)
    changed = asyncio.run(labels([(case.claim(), case.sibling) for case in found]))
    same = asyncio.run(labels([(case.sentence, case.said) for case in found]))
    print("| changed | claims | changed: supported or partly | contradicted | unchanged: supported or partly |")
    print("| --- | --- | --- | --- | --- |")
    for kind in (*KINDS, "all"):
        one = [n for n, case in enumerate(found) if kind in (case.kind, "all")]
        passed, right = (sum(rows[n] == "supported" for n in one) for rows in (changed, same))
        low, high = wilson(passed, len(one))
        against = sum(changed[n] == "contradicted" for n in one)
        print(f"| {kind} | {len(one)} | {passed} ({low:.0%} to {high:.0%}) | {against} | {right} |")
    for case in (case for case, label in zip(found, changed, strict=True) if label):
        print(f"\n{case.kind}: {case.said} -> {case.sibling}: {case.claim()}")


if __name__ == "__main__":
    main()
