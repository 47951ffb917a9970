"""Count how often a lookup holds evidence for the gold answer.

`python scripts/count_source_yields.py --home HOME --kb omni --rows ROWS.jsonl`

The keyless planner of sources orders its lookups by these counts (`src/medground/data/source_yields.json`, numbers
only). Only questions of the training half are counted (`half_of` of `benchmarks/source_plans.py`): PubMedQA train,
BioASQ 7b, SciFact train, the training half of MIRAGE, and the train and dev splits of the long questions.

A lookup is a query of one form (the question's words, its names, a graph's term) to one source, and its best ten
passages. It holds evidence if a passage is of a gold document. For a question without gold documents, one passage must
hold enough words of the gold answer and of the question; with options, more of the gold option's words than of any
other's. That is a proxy by words: it finds text that names the answer, and cannot tell that the text proves it.

For each type of question, lookups are ordered greedily by what they add to those before them. The check does the same
in five folds by the question's hash and prints what the plan finds on the fold left out, beside asking all sources.
Rows are kept in `--rows` as they are made, so a stopped count goes on where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from rich.progress import track

from medground.document import Passage, SourceKind
from medground.evaluate.base import Item
from medground.evaluate.datasets.registry import open_dataset
from medground.lookup import ConceptQuery, Lookup
from medground.operators.keyless.planning import ladder, lookups_of_all, plan
from medground.operators.keyless.question_types import TYPES, QuestionType, question_type
from medground.operators.keyless.source_queries import by_words
from medground.operators.keyless.source_yields import Step, Yields
from medground.query import Filters
from medground.rank.fuse import fuse
from medground.rank.merge import merge_duplicates
from medground.settings import Settings
from medground.sources.base import DescribedSource, Source
from medground.sources.open import open_sources
from medground.text import words

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))
from source_plans import half_of

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "source_yields.json"
SETS = {
    "pubmedqa": "pubmedqa",
    "bioasq": "bioasq/task7b.json.gz",
    "scifact": "scifact",
    "mirage": "mirage/questions.jsonl.gz",
    "omni-long": "omni_long/questions.jsonl.gz",
}
DEPTH, PASSAGES, TOGETHER = 20, 10, 20
"""Hits that are fused, passages of a lookup, passages of a plan."""
ANSWER, TOPIC, LONG_ANSWER = 0.5, 0.25, 0.25
"""Least weighted share in one passage: of a short gold answer's words, of the question's, of a long gold answer's.

Chosen so that few questions pass with the answer of another: with BM25 on MedQuAD and on abstracts, 9 % and 7 % of 150
exam questions pass with their own and 1 % and 2 % with another's; of 150 long ones 15 % and 9 %, against 4 % and 0 %.
"""
LONG = 12
"""Words from which on a gold answer is long."""
FOLDS, STEPS = 5, 6
Row = dict[str, Any]
"""`id`, `dataset`, `type`, `text`, `options`, `found`: "KIND FORM" -> rank of the first passage that is evidence, or
None; `sources`: the kinds that were there."""


def main() -> None:
    """Count, write the table, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--home", type=Path, required=True, help="MEDGROUND_HOME of the sources")
    parser.add_argument("--kb", default="", help="name of the knowledge base")
    parser.add_argument("--corpora", default="", help="or names of corpora, with commas; each called as its kind")
    parser.add_argument("--rows", type=Path, required=True, help="JSON Lines of what was counted; outside the project")
    parser.add_argument("--most", type=int, default=400, help="most questions of each set")
    parser.add_argument("--only-check", action="store_true", help="read the rows and print the check; write nothing")
    arguments = parser.parse_args()
    if not arguments.only_check:
        asyncio.run(count(arguments))
    rows = [json.loads(line) for line in arguments.rows.read_text(encoding="utf-8").splitlines()]
    check(rows)
    if not arguments.only_check:
        table = yields_of(rows)
        OUT.write_text(json.dumps(table.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")
        print(f"wrote {OUT}")


async def count(arguments: argparse.Namespace) -> None:
    """Look every question up in every source, in every form, and append where evidence was found."""
    chosen: dict[str, Any] = {"home": str(arguments.home)}
    if arguments.kb:
        chosen["retrieval.knowledge_base"] = arguments.kb
    if arguments.corpora:
        chosen["retrieval.corpora"] = arguments.corpora.split(",")
    opened = open_sources(Settings.load(options=chosen))
    sources = {kind: source for source in opened if (kind := kind_of(source)) and asks(source, kind)}
    print("sources:", {kind: source.name for kind, source in sources.items()})
    arguments.rows.parent.mkdir(parents=True, exist_ok=True)
    arguments.rows.touch()
    done = {(row["dataset"], row["id"]) for row in map(json.loads, arguments.rows.open(encoding="utf-8"))}
    for dataset, place in SETS.items():
        items = training_items(dataset, arguments.data / place)[: arguments.most]
        left = [item for item in items if (dataset, item.id) not in done]
        for item in track(left, description=f"{dataset:10}", disable=not left):
            known = await has_gold(item, sources)
            found = {} if known is False else await ranks(item, sources, by_document=bool(known))
            row = {"dataset": dataset, "id": item.id, "type": type_of(item), "found": found, "text": item.question.text}
            row["options"] = [option.text for option in item.question.options]
            with arguments.rows.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row) + "\n")


def kind_of(source: Source) -> SourceKind | None:
    """The kind of a source: as described, else as its corpus is called, such as `book`; None for others."""
    if isinstance(source, DescribedSource) and source.described is not None:
        return source.described.kind
    return next((kind for kind in get_args(SourceKind) if source.name.rpartition(":")[2] == kind), None)


def asks(source: Source, kind: SourceKind) -> bool:
    """Whether a source is asked as its kind is: a graph by terms, not the texts of its concepts by words."""
    return source.accepts(Lookup(asked=ConceptQuery(term="gout")) if kind == "graph" else Lookup.words("gout"))


def training_items(dataset: str, path: Path) -> list[Item]:
    """The questions of the training half with something to compare with, in an order by hash."""
    loader = open_dataset(dataset)
    items = [item for item in loader.read(loader.find(path), "all") if half_of(dataset, item) == "training"]
    usable = [item for item in items if item.documents or gold_answer(item)]
    return sorted(usable, key=lambda item: hashlib.sha256(item.id.encode()).hexdigest())


def type_of(item: Item) -> QuestionType:
    """The type of an item's question, as the planner sees it."""
    return question_type(item.question.text, options=bool(item.question.options))


def gold_answer(item: Item) -> str:
    """The words of the gold answer; empty for yes and no."""
    options = {option.letter: option.text for option in item.question.options}
    return item.reference or " ".join(options[letter] for letter in item.gold if letter in options)


async def has_gold(item: Item, sources: Mapping[SourceKind, Source]) -> bool | None:
    """Whether a gold document is in the sources; None if the question names none."""
    if not item.documents:
        return None
    return any([await source.fetch(item.documents) for source in sources.values()])


async def ranks(item: Item, sources: Mapping[SourceKind, Source], *, by_document: bool) -> dict[str, int | None]:
    """The rank of the first passage that is evidence, for each lookup: "KIND FORM", and graph terms by number."""
    texts = [option.text for option in item.question.options]
    found: dict[str, int | None] = {}
    for query, form in ladder(item.question.text, [(kind, kind) for kind in sources], options=texts):
        kind = query.source
        name = f"{kind} {form}"
        while name in found:  # a further term of the graph
            name += "+"
        passages = await look_up(sources[kind], query.text, query.term)  # type: ignore[index]
        held = (place for place, one in enumerate(passages, 1) if is_evidence(one, item, by_document=by_document))
        found[name] = next(held, None)
    return found


async def look_up(source: Source, text: str, term: str) -> list[Passage]:
    """The best passages of a source for a query: ten of the fused twenty."""
    asked = Lookup(asked=ConceptQuery(term=term, question=text)) if term else Lookup.words(text)
    lookup = asked.model_copy(update={"limit": PASSAGES if term else DEPTH})
    if not source.accepts(lookup):
        return []
    found = await source.search(lookup, Filters())
    return [hit.passage for hit in merge_duplicates(fuse(found.rankings))[:PASSAGES]]


def is_evidence(passage: Passage, item: Item, *, by_document: bool) -> bool:
    """Whether a passage is of a gold document or, without one, has enough words of the gold answer and the question."""
    if by_document:
        return passage.document_id in item.documents
    held = words.terms(f"{passage.title} {passage.text}")
    gold = words.terms(gold_answer(item))
    right = words.coverage(gold, held)
    least = LONG_ANSWER if len(gold) >= LONG and not item.question.options else ANSWER
    if right < least or words.coverage(words.topic(by_words(item.question.text)), held) < TOPIC:
        return False
    wrong = [option.text for option in item.question.options if option.letter not in item.gold]
    return all(words.coverage(words.terms(text), held) < right for text in wrong)


def steps_of(rows: Sequence[Row]) -> tuple[Step, ...]:
    """The lookups of these questions in greedy order."""
    found = [{name for name, rank in row["found"].items() if rank is not None and name[-1] != "+"} for row in rows]
    names = sorted({name for row in rows for name in row["found"] if name[-1] != "+"})
    order: list[Step] = []
    missed = list(range(len(rows)))
    while names and len(order) < STEPS:
        best = max(names, key=lambda name: (sum(name in found[n] for n in missed), sum(name in one for one in found)))
        kind, form = best.split()
        adds = sum(best in found[n] for n in missed) / len(rows)
        alone = sum(best in one for one in found) / len(rows)
        order.append(Step(kind=kind, form=form, alone=round(alone, 3), adds=round(adds, 3)))
        missed = [n for n in missed if best not in found[n]]
        names.remove(best)
    return tuple(order)


def yields_of(rows: Sequence[Row]) -> Yields:
    """The table of all types, of rows with a gold that could be found."""
    by_type: dict[QuestionType, list[Row]] = defaultdict(list)
    for row in rows:
        if row["found"]:
            by_type[row["type"]].append(row)
    kinds = sorted({name.split()[0] for row in rows for name in row["found"]})
    return Yields(
        counted=f"{sum(map(len, by_type.values()))} training questions of {', '.join(SETS)}; best {PASSAGES} passages",
        kinds=tuple(kinds),
        questions={kind: len(by_type[kind]) for kind in TYPES},
        steps={kind: steps_of(by_type[kind]) for kind in TYPES if by_type[kind]},
        overall=steps_of([row for row in rows if row["found"]]),
    )


def check(rows: Sequence[Row]) -> None:
    """Print, by data set, what plans found that were chosen without the fold of the question."""
    usable = [row for row in rows if row["found"]]
    tables = [yields_of([row for row in usable if fold_of(row) != fold]) for fold in range(FOLDS)]
    sources = [(kind, kind) for kind in yields_of(usable).kinds]
    results: dict[str, list[Mapping[str, tuple[bool, int]]]] = defaultdict(list)
    for row in usable:
        results[row["dataset"]].append(dict(compared(row, sources, tables[fold_of(row)])))
    for dataset, each in (*results.items(), ("all", [one for part in results.values() for one in part])):
        print(f"{dataset} ({len(each)} questions): share with evidence, lookups per question")
        for plan_name in each[0]:
            shares = [one[plan_name] for one in each]
            hits, lookups = sum(hit for hit, _ in shares), sum(number for _, number in shares)
            print(f"  {plan_name:24} {hits / len(each):6.1%}  {lookups / len(each):.2f}")


def fold_of(row: Row) -> int:
    """The fold of a question, by a hash of its id."""
    return hashlib.sha256(f"fold {row['dataset']}/{row['id']}".encode()).digest()[0] % FOLDS


def compared(
    row: Row, sources: Sequence[tuple[str, SourceKind]], table: Yields
) -> Iterator[tuple[str, tuple[bool, int]]]:
    """Whether each way of planning finds evidence within the same number of passages, and its number of lookups."""
    found: dict[str, int | None] = row["found"]
    chosen = plan(row["text"], sources, options=row["options"], yields=table)
    tried = dict(ladder(row["text"], sources, options=row["options"], yields=table))
    yield "keyless planner", (held(found, [f"{one.source} {tried[one]}" for one in chosen]), len(chosen))
    everywhere = [f"{kind} {'concept' if kind == 'graph' else 'words'}" for kind, _ in sources]
    asked = [name for name in everywhere if name in found]  # no graph where the question names nothing
    yield "all sources", (held(found, asked), lookups_of_all(row["text"], sources))
    for name in everywhere:
        yield f"only {name}", (held(found, [name]), 1)


def held(found: Mapping[str, int | None], names: Sequence[str]) -> bool:
    """Whether lookups hold evidence among the passages that each may give: an equal part of all, at most ten."""
    part = min(PASSAGES, TOGETHER // max(1, len(names)))
    return any((rank := found.get(name)) is not None and rank <= part for name in names)


if __name__ == "__main__":
    main()
