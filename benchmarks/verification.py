"""Measures critics on SciFact: claims against the abstracts they cite.

    python benchmarks/verification.py DATA_FOLDER [--critic keyless --critic nli:FOLDER ...] [--split dev] [--limit N]

Pairs every claim with each abstract it cites: SUPPORT, REFUTE, or NEI if the abstract has no rationale. Prints accuracy
and macro-F1 on the three labels, and SUPPORT against REFUTE on the pairs with evidence, where a critic that does not
decide is wrong, next to the majority class. AUC: evidence (for or against) or none, by the critic's own probability.
Intervals are Wilson's, 95 %.

`keyless` is not a judge and has no figures on labels. Its flags are evaluated as if they meant REFUTE, to show that
they must not be used that way. Its probability was trained on the training claims, which are other claims, but many
cite the same abstracts.

Speed is measured after one claim that loads the critic, with every premise read for the first time, by wall clock and
by this process's CPU seconds. The latter is meaningful for `keyless` and `nli` on a busy machine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from judging import JUDGED, KEYLESS, evidence_score, judge
from sklearn.metrics import confusion_matrix, f1_score, roc_auc_score

from medground.answering.verify.critic import Claim, Judgement
from medground.models.operators.base import EvidenceView
from medground_evaluate.statistics import wilson

LABELS = ("SUPPORT", "REFUTE", "NEI")
NAMES = {"SUPPORT": "SUPPORT", "CONTRADICT": "REFUTE"}


@dataclass(frozen=True)
class ClaimPair:
    """A claim, an abstract it cites, its label, and the sentences that show it; empty for NEI."""

    claim: str
    document: str
    abstract: str
    label: str
    rationale: str


def claim_pairs(folder: Path, split: str) -> Iterator[ClaimPair]:
    """Every claim of a split with each abstract it cites, in the order of the file."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        corpus = {str(record["doc_id"]): record["abstract"] for record in map(json.loads, file)}
    for line in (folder / f"claims_{split}.jsonl").read_text(encoding="utf-8").splitlines():
        claim = json.loads(line)
        for document in dict.fromkeys((*map(str, claim["cited_doc_ids"]), *claim["evidence"])):
            sentences = [" ".join(sentence.split()) for sentence in corpus[document]]
            found = claim["evidence"].get(document, [])
            label = NAMES[found[0]["label"]] if found else "NEI"
            rationale = " ".join(sentences[i] for i in (found[0]["sentences"] if found else ()) if i < len(sentences))
            yield ClaimPair(claim["claim"], document, " ".join(sentences), label, rationale)


def as_claim(statement: str, premise: str) -> Claim:
    """A statement against one premise."""
    return Claim(statement, (EvidenceView(id="E1", quote=premise),))


def share(right: int, of: int) -> str:
    """A share with its interval."""
    low, high = wilson(right, of)
    return f"{right / of:.1%} ({low:.1%} to {high:.1%})" if of else "none"


def three_labels(truth: Sequence[str], said: Sequence[str]) -> tuple[str, str, str]:
    """Accuracy, macro-F1 and SUPPORT against REFUTE, as text."""
    right = sum(a == b for a, b in zip(truth, said, strict=True))
    two = [(a, b) for a, b in zip(truth, said, strict=True) if a != "NEI"]
    f1 = f1_score(truth, said, labels=list(LABELS), average="macro", zero_division=0)
    return share(right, len(truth)), f"{f1:.3f}", share(sum(a == b for a, b in two), len(two))


def row(name: str, pairs: Sequence[ClaimPair], judgements: Sequence[Judgement], clock: float, cpu: float) -> str:
    """One row of the table."""
    truth = [pair.label for pair in pairs]
    said = [JUDGED.get(judgement.relation, "NEI") for judgement in judgements]
    cells = ("not a judge", "not a judge", "not a judge") if name == KEYLESS else three_labels(truth, said)
    auc = roc_auc_score([label != "NEI" for label in truth], [evidence_score(j) for j in judgements])
    return f"| {name} | {' | '.join(cells)} | {auc:.3f} | {len(pairs) / clock:,.0f} | {len(pairs) / cpu:,.0f} |"


def confusion(truth: Sequence[str], said: Sequence[str]) -> str:
    """The confusion matrix, with true labels in rows and predictions in columns."""
    lines = ["| true \\ predicted | " + " | ".join(LABELS) + " |", "| --- " * 4 + "|"]
    for label, counts in zip(LABELS, confusion_matrix(truth, said, labels=list(LABELS)), strict=True):
        lines.append(f"| {label} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)


def flags_read_as_refute(pairs: Sequence[ClaimPair], judgements: Sequence[Judgement]) -> str:
    """How often each flag is raised for each label, and SUPPORT against REFUTE if a flag meant REFUTE."""
    counts = Counter(pair.label for pair in pairs)
    lines = [
        f"| flag | {' | '.join(f'{label} ({counts[label]})' for label in LABELS)} | read as REFUTE |",
        "| --- " * 5 + "|",
    ]
    every = sorted({flag for judgement in judgements for flag in judgement.flags})
    for name, wanted in [
        *((flag, {flag}) for flag in every),
        ("negation or direction", {"negation", "direction"}),
        ("any", set(every)),
    ]:
        raised = [bool(wanted & set(judgement.flags)) for judgement in judgements]
        by_label = Counter(pair.label for pair, up in zip(pairs, raised, strict=True) if up)
        right = sum(up == (p.label == "REFUTE") for p, up in zip(pairs, raised, strict=True) if p.label != "NEI")
        cells = " | ".join(f"{by_label[label] / max(counts[label], 1):.1%}" for label in LABELS)
        lines.append(f"| {name} | {cells} | {share(right, counts['SUPPORT'] + counts['REFUTE'])} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, then the details of each critic."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--critic", action="append")
    parser.add_argument("--split", choices=("dev", "train"), default="dev")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    pairs = list(claim_pairs(arguments.data / "scifact", arguments.split))[: arguments.limit]
    truth = [pair.label for pair in pairs]
    print(f"{len(pairs)} pairs of SciFact {arguments.split}: {dict(Counter(truth))}\n")
    columns = ("critic", "accuracy, 3 labels", "macro-F1", "SUPPORT against REFUTE", "AUC, evidence or none")
    print("| " + " | ".join((*columns, "pairs/s", "pairs/CPU s")) + " |")
    print("| --- " * 7 + "|")
    accuracy, f1, two = three_labels(truth, [Counter(truth).most_common(1)[0][0]] * len(truth))
    print(f"| majority class | {accuracy} | {f1} | {two} | 0.500 | | |")
    claims = [as_claim(pair.claim, pair.abstract) for pair in pairs]
    details = []
    for name in arguments.critic or [KEYLESS]:
        judge(name, [as_claim("A claim that loads the critic.", "A premise that is read for nothing else.")])
        clock, cpu = time.perf_counter(), time.process_time()
        judgements = judge(name, claims)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        print(row(name, pairs, judgements, clock, cpu), flush=True)
        said = [JUDGED.get(judgement.relation, "NEI") for judgement in judgements]
        failed = sum(judgement.relation == "failed" for judgement in judgements)
        table = flags_read_as_refute(pairs, judgements) if name == KEYLESS else confusion(truth, said)
        details.append(f"\n{name}: {dict(Counter(j.relation for j in judgements))}, failed {failed}\n\n{table}")
    print("\n".join(details))


if __name__ == "__main__":
    main()
