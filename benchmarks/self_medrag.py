"""Compares Self-MedRAG with its base without a critic, on PubMedQA's official test split over its 1,000 abstracts.

    python benchmarks/self_medrag.py --out RESULTS.jsonl [--data ../shared/data] [--model keyless] [--limit 500]
        [--concurrency 1] [--corpus titled --corpus untitled] [--home FOLDER] [--set KEY=VALUE ...]

Each question is asked twice, first with the base (`self_medrag.critic=false`), then with the loop. Each result is
appended to RESULTS.jsonl at once; run the same command to resume. A failure is a result with its status and counts as
wrong. Model replies are cached, so the loop's first round, which is the same as the base, is paid for once.

Prints the base next to the loop with Wilson's 95 % intervals and McNemar's exact test on the same questions, and the
majority class. For each round it prints how many questions reached it, the steering score, and whether the own abstract
was in the context. `written` is the generator's answer, which the paper counts; `shown` is what Medground shows after
verification. In this data the question is the title of its own abstract, so a corpus without titles is used too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pubmed_reasoner import without_titles
from pubmedqa import FILE, Record, read, shown
from sklearn.metrics import f1_score

from medground.answering.trace import read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.engine import Engine
from medground.errors import MedgroundError
from medground.home.layers import parse_options
from medground.home.settings import Settings
from medground.models.embedders import open_embedder
from medground.values.question import Question
from medground_evaluate.runner import shuffle_key

Result = dict[str, Any]
MODES = ("base", "loop")
CLASSES = ("yes", "no", "maybe")
SMALL = {"self_medrag.passages": 2, "self_medrag.rounds": 2, "recipe.sentences": 2, "verify.taxonomy": False}
"""Small prompts and few calls for a model on two cores; `--set` overrides them."""


def settings_of(options: argparse.Namespace, corpus: str, mode: str) -> Settings:
    """The settings of one column of the table."""
    chosen: dict[str, Any] = {
        "recipe.name": "self-medrag",
        "retrieval.corpora": (_name(corpus),),
        "model.default": options.model,
        "model.timeout": 900.0,
        **({"home": str(options.home)} if options.home else {}),
        **({} if options.model == "keyless" else SMALL),
        **parse_options(options.sets),
        "self_medrag.critic": mode == "loop",
    }
    return Settings.load(options=chosen)


def ready(settings: Settings, data: Path, corpora: Sequence[str]) -> None:
    """Build the corpora that are missing, with MiniLM's vectors."""
    library = Library(settings.home)
    missing = [corpus for corpus in corpora if _name(corpus) not in library.list()]
    if not missing:
        return
    inputs = find_inputs([data / "pubmedqa" / FILE])
    embedder = open_embedder("minilm", settings.home)
    for corpus in missing:
        given = inputs if corpus == "titled" else [without_titles(one) for one in inputs]
        build(library, _name(corpus), given, embedder=embedder)
        print(f"built {_name(corpus)}")


async def asked(engine: Engine, record: Record) -> Result:
    """Ask one question and return its result, round by round."""
    try:
        answer = await engine.ask(Question.ask(record["question"], task="yes-no-maybe"))
    except MedgroundError as error:
        return {"status": type(error).__name__, "error": str(error), "rounds": [], "written": None, "shown": None}
    spans = read_trace(engine.settings.home / "traces", answer.trace_id)
    rounds = [round_of(span, f"PMID:{record['pmid']}") for span in spans if span["name"] == "round"]
    chosen = [span["attributes"]["medground.number"] for span in spans if span["name"] == "best round"]
    best = next((one for one in rounds if chosen and one["number"] == chosen[0]), None)
    return {
        "status": answer.decision.status,
        "error": None,
        "rounds": rounds,
        "best": chosen[0] if chosen else None,
        "score": best["score"] if best else None,
        "support": answer.support,
        "labels": Counter(statement.verdict.label for statement in answer.statements),
        "written": (best["answer"] or [None])[0] if best else None,
        "shown": answer.decision.shown(),
        "usage": answer.usage.model_dump(mode="json"),
    }


def round_of(span: dict[str, Any], own: str) -> Result:
    """One round, from the trace. A round that ended because it found no new context has no answer."""
    said = {name.removeprefix("medground."): value for name, value in span["attributes"].items()}
    return {
        "number": said["number"],
        "score": said.get("steering_score"),
        "own": own in said.get("documents", ()),
        "documents": said.get("documents", []),
        "answered": "statements" in said,
        "statements": said.get("statements", 0),
        "answer": said.get("answer", []),
        "drifted": said.get("drifted", 0),
        "ended": said.get("ended"),
    }


def stored(path: Path) -> dict[tuple[str, str], Result]:
    """Results of earlier runs by settings hash and PMID. Incomplete lines are ignored."""
    found: dict[tuple[str, str], Result] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            result = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[result["settings"], result["pmid"]] = result
    return found


async def run(options: argparse.Namespace, corpus: str, records: Sequence[Record]) -> dict[str, list[Result]]:
    """Results by mode, in the order of the records."""
    known = stored(options.out)
    async with await Engine.open(settings_of(options, corpus, "base")) as base:
        # Both share sources and models: they differ only in the recipe's settings.
        loop = Engine(settings_of(options, corpus, "loop"), base.recipe, base.sources, base.models)
        engines = dict(zip(MODES, (base, loop), strict=True))
        with options.out.open("a", encoding="utf-8") as file:
            if options.out.stat().st_size and not options.out.read_text(encoding="utf-8").endswith("\n"):
                file.write("\n")
            left = iter(enumerate(records, start=1))

            async def work() -> None:
                for number, record in left:  # each worker takes the next one
                    for mode, engine in engines.items():
                        key = (engine.settings.hash, record["pmid"])
                        if key in known:
                            continue
                        about = dict(zip(("settings", "pmid"), key, strict=True)) | {"corpus": corpus, "mode": mode}
                        about |= {"model": options.model, "expected": record["final_decision"]}
                        known[key] = about | await asked(engine, record)
                        file.write(json.dumps(known[key]) + "\n")
                        file.flush()
                    if options.model != "keyless" or number % 100 == 0:
                        print(f"{corpus} {number}/{len(records)}", flush=True)

            async with asyncio.TaskGroup() as workers:
                for _ in range(options.concurrency):
                    workers.create_task(work())
    return {mode: [known[engine.settings.hash, r["pmid"]] for r in records] for mode, engine in engines.items()}


def report(corpus: str, results: dict[str, list[Result]]) -> None:
    """Print the tables of one corpus."""
    base, loop = (results[mode] for mode in MODES)
    majority = Counter(r["expected"] for r in base).most_common(1)[0][0]
    always = shown([r["expected"] == majority for r in base])
    print(f"\n### {corpus}, {len(base)} questions; always {majority!r}: {always}")
    print("\n| figure | base, no critic | self-medrag |\n| --- | --- | --- |")
    written = [what for what in ("written", "shown") if any(r[what] for r in [*base, *loop])]  # keyless writes none
    rows: list[tuple[str, Callable[[list[Result]], str]]] = [
        ("mean steering score of the round returned", lambda rs: mean([r.get("score") for r in rs])),
        (
            "mean support of the answer, if a validated judge assessed it",
            lambda rs: mean([r.get("support") for r in rs]),
        ),
        ("statements by verdict", lambda rs: counted([r.get("labels", {}) for r in rs])),
        ("own abstract in the context returned", lambda rs: shown([own_in_best(r) for r in rs])),
        *(row for what in written for row in accuracies(what)),
        ("rounds with an answer, mean", lambda rs: mean([float(len(answered(r))) for r in rs])),
        ("status", lambda rs: counted([Counter([r["status"]]) for r in rs])),
        ("failed", lambda rs: str(sum(r["error"] is not None for r in rs))),
        *(
            (f"{name} per question, beyond the cache", _paid(name))
            for name in ("model_calls", "input_tokens", "output_tokens", "seconds")
        ),
    ]
    for name, value in rows:
        print(f"| {name} | {value(base)} | {value(loop)} |")
    for what in written:
        print(f"\nMcNemar, {what}: {mcnemar(base, loop, what)}")
    by_round(loop)


def by_round(results: Sequence[Result]) -> None:
    """Print the figures of each round of the loop, and why loops ended."""
    print("\n| round | questions | own abstract in its context | and not in an earlier one | mean steering score |")
    print("| --- | --- | --- | --- | --- |")
    for number in range(1, 1 + max((len(answered(r)) for r in results), default=0)):
        so_far = [answered(r)[:number] for r in results if len(answered(r)) >= number]
        own = [rounds[-1]["own"] for rounds in so_far]
        fresh = sum(rounds[-1]["own"] and not any(r["own"] for r in rounds[:-1]) for rounds in so_far)
        print(f"| {number} | {len(own)} | {shown(own)} | {fresh} | {mean([r[-1]['score'] for r in so_far])} |")
    ends = Counter((r["rounds"][-1]["ended"] or "rounds used up") if r["rounds"] else r["status"] for r in results)
    print(f"\nended: {dict(ends.most_common())}")
    print(f"round returned: {dict(sorted(Counter(str(r.get('best')) for r in results).items()))}")
    unsupported = [one for r in results for one in r["rounds"] if one["ended"] != "supported"]
    print(f"statements excluded as drift: {sum(one['drifted'] for one in unsupported)}")


def accuracies(what: str) -> list[tuple[str, Callable[[list[Result]], str]]]:
    """Rows for one kind of answer; the paper leaves the `maybe` questions out."""
    return [
        (f"accuracy, {what}", lambda rs: accuracy(rs, what)),
        (f"accuracy, {what}, when answered", lambda rs: accuracy([r for r in rs if r[what]], what)),
        (f"accuracy, {what}, without `maybe` questions", lambda rs: accuracy(without_maybe(rs), what)),
        (f"macro-F1, {what}", lambda rs: f"{macro_f1(rs, what):.3f}"),
    ]


def answered(result: Result) -> list[Result]:
    """The rounds with an answer."""
    return [one for one in result["rounds"] if one["answered"]]


def own_in_best(result: Result) -> bool:
    """Whether the own abstract was in the context of the round that was returned."""
    return any(one["own"] for one in result["rounds"] if one["number"] == result.get("best"))


def accuracy(results: Sequence[Result], what: str) -> str:
    """Share of right answers; no answer counts as wrong."""
    return shown([r[what] == r["expected"] for r in results]) if results else "-"


def without_maybe(results: Sequence[Result]) -> list[Result]:
    """The results without `maybe` questions, which the paper leaves out."""
    return [r for r in results if r["expected"] != "maybe"]


def macro_f1(results: Sequence[Result], what: str) -> float:
    """Mean F1 of the three classes; no answer belongs to none of them."""
    expected, said = [r["expected"] for r in results], [r[what] or "none" for r in results]
    return float(f1_score(expected, said, labels=list(CLASSES), average="macro", zero_division=0.0))


def mcnemar(base: Sequence[Result], loop: Sequence[Result], what: str) -> str:
    """Questions that only one of the two answers correctly, and the exact two-sided p-value of this split."""
    pairs = [(b[what] == b["expected"], n[what] == n["expected"]) for b, n in zip(base, loop, strict=True)]
    lost, won = pairs.count((True, False)), pairs.count((False, True))
    tail = sum(math.comb(lost + won, k) for k in range(min(lost, won) + 1)) / 2 ** (lost + won)
    return f"only the loop right {won}, only the base right {lost}, p = {min(1.0, 2 * tail):.3f}"


def mean(values: Sequence[float | None]) -> str:
    """The mean of the values that are not None, and their number."""
    there = [value for value in values if value is not None]
    return f"{sum(there) / len(there):.3f} of {len(there)}" if there else "-"


def counted(labels: Sequence[dict[str, int]]) -> str:
    """The total count of each label."""
    total: Counter[str] = Counter()
    for one in labels:
        total.update(one)
    return ", ".join(f"{label} {n}" for label, n in total.most_common()) or "-"


def _paid(name: str) -> Callable[[list[Result]], str]:
    return lambda rs: mean([float(r["usage"][name]) for r in rs if r.get("usage")])


def _name(corpus: str) -> str:
    return f"self-medrag-{corpus}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", default="keyless")
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=1, help="questions at once")
    parser.add_argument("--corpus", action="append", choices=("titled", "untitled"))
    parser.add_argument(
        "--home", type=Path, help="Medground's home folder, where corpora are built; the usual one by default"
    )
    parser.add_argument("--set", dest="sets", action="append", default=[])
    options = parser.parse_args()
    corpora = options.corpus or (["titled", "untitled"] if options.model == "keyless" else ["untitled"])
    ready(settings_of(options, corpora[0], "base"), options.data, corpora)
    records = read(options.data / "pubmedqa", "test")
    # The same questions as `medground eval run --limit N --seed 0`.
    records = sorted(records, key=lambda record: shuffle_key(record["pmid"], 0))[: options.limit]
    for corpus in corpora:
        report(corpus, asyncio.run(run(options, corpus, records)))


if __name__ == "__main__":
    main()
