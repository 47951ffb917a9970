"""Measures what a plan of sources finds without a model: the keyless planner beside simpler plans, at 20 passages.

    python benchmarks/source_planning.py --home HOME --kb omni --rows ROWS.jsonl [--most 250] [--save RESULT.json]

Questions are those of the test half (`source_plans.half_of`): PubMedQA test, BioASQ 8b and 9b, half of MIRAGE.
The planner was chosen on the other half. Every lookup is made once and kept in `--rows` (positions and word counts, no
text), so a stopped run goes on where it was, and all plans are compared on the same lookups.

- Evidence: a gold paper among the passages, if the sources hold one; the share of the gold answer's own words (those
  that the question does not give away); the share of the parts of the exact answer that are named.
- The same with the gold papers taken out: what the sources hold beside the paper that the question was made from.
- A random half of the sources is drawn anew for each question, by five seeds. The best single source is the best in
  hindsight, so it is a hard rival.
- Intervals are 95 % bootstrap intervals; differences are paired by question.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.progress import track
from source_plans import (
    KEYLESS,
    MEASURES,
    RANDOM,
    Gold,
    Outcome,
    Row,
    append_row,
    difference,
    gold_of,
    half_of,
    keyless,
    look_up,
    mean_of,
    outcome,
    read_rows,
    strategies,
)

from medground.answering.rank.fuse import fuse, merge_duplicates
from medground.engine.open_engine import open_sources
from medground.home.settings import Settings
from medground.recipes.omni_rag.by_words import Sought
from medground.sources.base import DescribedSource, Source
from medground.values.document import Hit, SourceKind
from medground.values.lookup import ConceptQuery, Lookup
from medground.values.query import Filters
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item

SETS: Mapping[str, tuple[str, ...]] = {
    "pubmedqa": ("pubmedqa/pqa_l.jsonl.gz",),
    "bioasq": ("bioasq/task8b.json.gz", "bioasq/task9b.json.gz"),
    "mirage": ("mirage/questions.jsonl.gz",),
}
DEPTH = 20
"""Passages of a lookup that are kept. The recipe keeps ten; here a plan of one lookup may fill all twenty places."""
TOKEN = 4
"""Characters of a token, roughly."""


async def main() -> None:
    """Look up, compare, print, save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--home", type=Path, required=True, help="MEDGROUND_HOME of the sources")
    parser.add_argument("--kb", default="", help="name of the knowledge base")
    parser.add_argument("--corpora", default="", help="or names of corpora, with commas; each of one kind")
    parser.add_argument("--rows", type=Path, required=True, help="JSON Lines of lookups; outside the project")
    parser.add_argument("--most", type=int, default=250, help="most questions of each set, in an order by hash")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--save", type=Path, help="file of the figures")
    arguments = parser.parse_args()
    chosen: dict[str, Any] = {"home": str(arguments.home), "retrieval.corpora": arguments.corpora.split(",")}
    if arguments.kb:
        chosen = {"home": str(arguments.home), "retrieval.corpora": [], "retrieval.knowledge_base": arguments.kb}
    sources = by_name(open_sources(Settings.load(options=chosen)))
    kinds = [(name, kind) for name, (kind, _) in sources.items()]
    if len(sources) < 2:
        raise SystemExit(
            "plans need two sources or more, each described or of one kind; name a knowledge base with --kb"
        )
    print("sources:", ", ".join(f"{name} ({kind}, {source.name})" for name, (kind, source) in sources.items()))
    rows = read_rows(arguments.rows)
    result: dict[str, Any] = {"sources": [f"{name}: {source.state}" for name, (_, source) in sources.items()]}
    for dataset in arguments.sets.split(","):
        items = questions(dataset, arguments.data, arguments.most)
        found: list[tuple[Item, Row]] = []
        planning = 0.0
        for item in track(items, description=f"{dataset:10}"):
            begun = time.perf_counter()
            keyless(item, kinds)
            planning += time.perf_counter() - begun
            row = rows.get((dataset, item.id)) or await new_row(dataset, item, sources)
            plans = strategies(item, kinds)
            wanted = [sought for plan in plans.values() for sought in plan]
            if any(row.found(sought) is None for sought in wanted):
                row = await look_up(row, wanted, gold_of(item), partial(search, sources))
                append_row(row, arguments.rows)
            found.append((item, row))
        result[dataset] = shown(dataset, found, kinds)
        result[dataset]["planning_seconds"] = planning / max(1, len(items))
        if arguments.save:  # after each set, beside the sets of earlier runs
            kept = json.loads(arguments.save.read_text(encoding="utf-8")) if arguments.save.exists() else {}
            arguments.save.write_text(json.dumps(kept | result, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def by_name(sources: Sequence[Source]) -> dict[str, tuple[SourceKind, Source]]:
    """The sources by their name in plans: as described, else their only kind."""
    found: dict[str, tuple[SourceKind, Source]] = {}
    for source in sources:
        described = source.described if isinstance(source, DescribedSource) else None
        if described is not None:
            found[described.name] = described.kind, source
        elif len(source.kinds) == 1:
            (kind,) = source.kinds
            found.setdefault(kind, (kind, source))
    return found


def questions(dataset: str, data: Path, most: int) -> list[Item]:
    """Questions of the test half with something to find, in an order by hash."""
    read = [item for name in SETS[dataset] for item in open_dataset(dataset).read(data / name, "all")]
    items = [item for item in read if half_of(dataset, item) == "test" and gold_of(item).any]
    return sorted(items, key=lambda item: hashlib.sha256(item.id.encode()).hexdigest())[:most]


async def new_row(dataset: str, item: Item, sources: Mapping[str, tuple[SourceKind, Source]]) -> Row:
    """The row of a question without lookups."""
    held = [await source.fetch(item.documents) for _, source in sources.values()] if item.documents else []
    return Row(dataset=dataset, id=item.id, has_paper=any(held))


async def search(sources: Mapping[str, tuple[SourceKind, Source]], sought: Sought) -> Sequence[Hit]:
    """The best passages of a source, its rankings fused, near-duplicates as one."""
    _, source = sources[sought.source]
    concept = ConceptQuery(term=sought.term, question=sought.text) if sought.term else None
    lookup = Lookup(asked=concept, shown=sought.term) if concept else Lookup.words(sought.text)
    lookup = lookup.model_copy(update={"limit": DEPTH})
    if not source.accepts(lookup):
        return ()
    found = await source.search(lookup, Filters())
    return merge_duplicates(fuse(found.rankings))[:DEPTH]


def shown(dataset: str, found: Sequence[tuple[Item, Row]], kinds: Sequence[tuple[str, SourceKind]]) -> dict[str, Any]:
    """Print the table of a set, and give its figures."""
    golds = [gold_of(item) for item, _ in found]
    plans = [strategies(item, kinds) for item, _ in found]
    names = list(plans[0]) if plans else []
    each = {name: outcomes(found, golds, [plan[name] for plan in plans], own=True) for name in names}
    beside = {name: outcomes(found, golds, [plan[name] for plan in plans], own=False) for name in names}
    held = sum(row.has_paper for _, row in found)
    print(f"\n{dataset}: {len(found):,} questions of the test half, {held:,} with a gold paper in the sources\n")
    print("| plan | lookups | gold paper | answer's words | exact answer | words, gold papers out | tokens | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    figures: dict[str, Any] = {}
    for name in grouped(names):
        of = [one for single in members(name, names) for one in each[single]]
        out = [one for single in members(name, names) for one in beside[single]]
        figures[name] = figures_of(of, out)
        print(f"| {name} | {' | '.join(cells(figures[name]))} |")
    print(f"\n{KEYLESS} minus another plan, paired by question, with 95 % intervals\n")
    print("| other plan | gold paper | answer's words | exact answer | words, gold papers out |")
    print("| --- | --- | --- | --- | --- |")
    differences = {}
    for name in grouped(names):
        if name != KEYLESS:
            differences[name] = differences_of(each, beside, name, names)
            print(f"| {name} | {' | '.join(map(signed, differences[name].values()))} |")
    return {"questions": len(found), "with_paper": held, "plans": figures, "keyless minus": differences}


def outcomes(
    found: Sequence[tuple[Item, Row]], golds: Sequence[Gold], plans: Sequence[Sequence[Sought]], *, own: bool
) -> list[Outcome]:
    """What one strategy found, by question."""
    made = zip(found, golds, plans, strict=True)
    return [outcome(row, plan, gold, own=own) for (_, row), gold, plan in made]


def grouped(names: Sequence[str]) -> list[str]:
    """The strategies as the table lists them: the seeds of the random half are one."""
    return list(dict.fromkeys(RANDOM.strip() if name.startswith(RANDOM) else name for name in names))


def members(name: str, names: Sequence[str]) -> list[str]:
    """The strategies behind a line of the table."""
    return [one for one in names if one == name or (name == RANDOM.strip() and one.startswith(RANDOM))]


def figures_of(each: Sequence[Outcome], beside: Sequence[Outcome]) -> dict[str, Any]:
    """Means with intervals."""
    return {
        "lookups": fmean(one.lookups for one in each),
        **{name: _as_dict(mean_of([get(one) for one in each])) for name, get in MEASURES.items()},
        "words, gold papers out": _as_dict(mean_of([one.words for one in beside])),
        "tokens": fmean(one.characters for one in each) / TOKEN,
        "seconds": fmean(one.seconds for one in each),
    }


def differences_of(
    each: Mapping[str, Sequence[Outcome]], beside: Mapping[str, Sequence[Outcome]], name: str, names: Sequence[str]
) -> dict[str, Any]:
    """The keyless planner minus a plan; of a random half, its mean over the seeds for each question."""
    found = {}
    for measure, get in MEASURES.items():
        found[measure] = _paired([get(one) for one in each[KEYLESS]], [each[n] for n in members(name, names)], get)
    found["words, gold papers out"] = _paired(
        [one.words for one in beside[KEYLESS]], [beside[n] for n in members(name, names)], lambda one: one.words
    )
    return found


def _paired(own: Sequence[float | None], others: Sequence[Sequence[Outcome]], get: Any) -> Any:
    means = [_mean([get(one) for one in of_question]) for of_question in zip(*others, strict=True)]
    return _as_dict(difference(means, own))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _as_dict(found: Any) -> dict[str, float] | None:
    return None if found is None else {name: round(value, 4) for name, value in asdict(found).items()}


def cells(figures: Mapping[str, Any]) -> list[str]:
    """A line of the table."""
    of = [figures[name] for name in (*MEASURES, "words, gold papers out")]
    shares = ["–" if one is None else f"{one['value']:.1%} [{one['low']:.1%}, {one['high']:.1%}]" for one in of]
    return [f"{figures['lookups']:.2f}", *shares, f"{figures['tokens']:,.0f}", f"{figures['seconds']:.3f}"]


def signed(found: Mapping[str, float] | None) -> str:
    """A difference in points."""
    if found is None:
        return "–"
    return f"{100 * found['value']:+.1f} [{100 * found['low']:+.1f}, {100 * found['high']:+.1f}]"


if __name__ == "__main__":
    asyncio.run(main())
