"""Trains the network that reads whether a person is at risk.

    python scripts/train_risk.py SHARED_DATA_FOLDER [--check]

It learns from `tests/risk/wordings.tsv`, without its groups `unseen` and `held`, from letters written to learn from
(`scripts/risk_letters.jsonl`), from every second real question of `benchmarks/risk.py` (of research and of patients),
chosen by its checksum, so that false alarms on the other half are honest, from keywords of MeSH, and from half of
`scripts/letters.jsonl`, which ask about diseases: of these, what a first network takes for a danger is left out,
because a few are. Writes
`src/medground/language/risk/network.npz`; with `--check` it writes nothing and prints, for each writer of the letters,
what a network says that learned from the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import zlib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from medground.language import kinds, words
from medground.language.risk.network import KINDS, shares_by
from medground.language.risk.notices import LEAST
from medground.language.risk.rules import parts, plain

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from risk import consumers, real, trained_on  # noqa: E402

TARGET = ROOT / "src" / "medground" / "language" / "risk" / "network.npz"
WEIGHTS = {"research": 0.3, "patients": 2.0}
"""How much a real question counts; a wording of our own counts 1."""
FILTERS, EPOCHS, BATCH = 192, 60, 64
DROPPED, UNREAD = 0.5, 0.1
"""Shares of the signs and of the words that are left out while it learns."""
A_DANGER = 0.9
"""Share from which a letter about a disease is taken for one that tells of a danger."""
LONGEST = 120
ASKED = """
    liveqa-000011 liveqa-000386 liveqa-000493 medicationqa-000061 medicationqa-000145 medicationqa-000294
    medicationqa-000329 medicationqa-000486 medicationqa-000523 medicationqa-000544 medicationqa-000574
    medicationqa-000598 medicationqa-000605 medicationqa-000610 medicationqa-000643 medicationqa-000667
"""
"""The patients' questions that ask to decide about a treatment; read by hand."""


class Text(NamedTuple):
    """A text to learn from: its kind, where it is from, and its words."""

    kind: str
    group: str
    words: str


def texts(folder: Path) -> list[Text]:
    """All texts but the letters of people about diseases."""
    lines = (ROOT / "tests" / "risk" / "wordings.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    own = [Text(kind, group, plain(words)) for kind, group, words in rows if group not in ("unseen", "held")]
    letters = [Text(row["kind"], row["id"][0], plain(row["text"])) for row in _rows("risk_letters")]
    research = sorted({q for questions in real(folder).values() for q in questions if trained_on(q)})
    asked = consumers(folder, ASKED.split())
    patients = [
        Text("treatment" if q in asked else "none", "patients", plain(q))
        for q in sorted(consumers(folder))
        if trained_on(q)
    ]
    few = (part for q in research for part in parts(plain(q)) if zlib.crc32(part.encode()) % 3 == 0)
    return [*own, *letters, *(Text("none", "research", part) for part in few), *patients, *searches()]


def people() -> list[Text]:
    """Half of the letters about diseases."""
    asked = (row["question"] for row in _rows("letters"))
    return [Text("none", "people", plain(q)) for q in asked if zlib.crc32(q.encode()) % 2 == 0]


SEARCHES = (
    "{drug} in {sign}",
    "{drug} for {sign}",
    "{sign} {drug}",
    "{sign}",
    "{sign} causes",
    "{sign} in {illness}",
    "{illness}",
)
SIGNS = ("C23.888", "C23.550.767", "F01.145.126")
"""Where MeSH has signs and symptoms, pain among them, and what people do who suffer."""
SHORT = 22
"""Characters of a name that people type."""


def searches(count: int = 3000) -> list[Text]:
    """Keywords as people type them who search the literature: of signs, illnesses and substances, drawn by chance."""
    found: dict[str, list[str]] = {"drug": [], "sign": [], "illness": []}
    with gzip.open(ROOT / "src" / "medground" / "data" / "mesh.tsv.gz", "rt", encoding="utf-8") as file:
        for _, name, others, trees in (line.rstrip("\n").split("\t") for line in file if line.count("\t") == 3):
            place = "sign" if any(one in trees for one in SIGNS) else {"C": "illness", "D": "drug"}.get(trees[:1], "")
            short = [one for one in (name, *others.split("|")) if one and "," not in one and len(one) <= SHORT]
            if place:
                found[place] += short[:3]
    drawn = random.Random(0)
    forms = (drawn.choice(SEARCHES) for _ in range(count))
    filled = (form.format(**{place: drawn.choice(names) for place, names in found.items()}) for form in forms)
    return [Text("none", "searches", plain(text)) for text in filled]


def answers(folder: Path) -> list[Text]:
    """Every twentieth answer of MedQuAD, for its English."""
    with gzip.open(folder / "medquad" / "qa.jsonl.gz", "rt", encoding="utf-8") as file:
        told = (json.loads(line)["answer"] for line in islice(file, 0, None, 20))
        return [Text("none", "answers", plain(text)) for text in told]


def fragments(found: Sequence[Text], count: int = 6000) -> list[Text]:
    """A few neighbouring words of texts that tell of no danger, drawn by chance: a search may be any words."""
    drawn = random.Random(1)
    harmless = [text.words.split() for text in found if text.words and text.group in ("research", "people", "answers")]
    lengths = ((words, drawn.randint(1, 6)) for words in drawn.choices(harmless, k=count))
    places = ((words, length, drawn.randint(0, max(0, len(words) - length))) for words, length in lengths)
    drawn_words = (" ".join(words[start : start + length]) for words, length, start in places)
    return [Text("none", "searches", text) for text in drawn_words if any(map(str.isalpha, text))]


def _rows(name: str) -> list[dict[str, str]]:
    lines = (ROOT / "scripts" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


class Network(nn.Module):
    """The best fit of each filter to a word or to two neighbours, and what the whole means, weighed for each kind."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Conv1d(kinds.SIZE, FILTERS, 1)
        self.two = nn.Conv1d(kinds.SIZE, FILTERS, 2, padding=1)
        self.out = nn.Linear(2 * FILTERS + kinds.SIZE, len(KINDS))
        self.dropout = nn.Dropout(DROPPED)

    def forward(self, vectors: Tensor) -> Tensor:
        """The log-odds of each kind. Shape (texts, kinds), of vectors (texts, SIZE, words)."""
        found = [torch.relu(part(vectors)).amax(2) for part in (self.one, self.two)]
        whole = nn.functional.normalize(vectors.sum(2), dim=1)
        return self.out(self.dropout(torch.cat([*found, whole], 1)))  # type: ignore[no-any-return]

    def arrays(self) -> dict[str, np.ndarray]:
        """Its weights, as `risk.network` reads them."""
        rest = {"bias_one": self.one.bias, "bias_two": self.two.bias, "out": self.out.weight, "bias": self.out.bias}
        named = {"one": self.one.weight[:, :, 0], "first": self.two.weight[:, :, 0], "second": self.two.weight[:, :, 1]}
        return {name: value.detach().numpy().astype(np.float16) for name, value in (named | rest).items()}


def fit(learned: Sequence[Text], seed: int = 0) -> Network:
    """A network that has learned from texts."""
    torch.manual_seed(seed)
    network, shuffled = Network(), torch.Generator().manual_seed(seed)
    vectors = [torch.tensor(kinds.vectors_of(words.stems(text.words)[:LONGEST])) for text in learned]
    order = sorted(range(len(learned)), key=lambda n: len(vectors[n]))
    batches = [_batch(order[n : n + BATCH], learned, vectors) for n in range(0, len(order), BATCH)]
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, EPOCHS * len(batches))
    for _ in range(EPOCHS):
        for number in torch.randperm(len(batches), generator=shuffled).tolist():
            texts, wanted, weights = batches[number]
            read = texts * (torch.rand(texts.shape[0], 1, texts.shape[2]) >= UNREAD)
            lost = nn.functional.binary_cross_entropy_with_logits(network(read), wanted, reduction="none").sum(1)
            optimizer.zero_grad()
            ((lost * weights).sum() / weights.sum()).backward()
            optimizer.step()
            schedule.step()
    return network.eval()


def _batch(numbers: Sequence[int], learned: Sequence[Text], vectors: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    padded = nn.utils.rnn.pad_sequence([vectors[n] for n in numbers], batch_first=True).transpose(1, 2)
    wanted = torch.tensor([[float(learned[n].kind == kind) for kind in KINDS] for n in numbers])
    return padded, wanted, torch.tensor([WEIGHTS.get(learned[n].group, 1.0) for n in numbers])


def trained(found: Sequence[Text], folder: Path) -> Network:
    """A network of texts and of those letters about diseases that another one takes for no danger."""
    first = fit(found).arrays()
    harmless = [text for text in people() if max(shares_by(first, text.words)) < A_DANGER]
    return fit([*found, *harmless, *fragments([*found, *harmless, *answers(folder)])])


def check(found: Sequence[Text], folder: Path) -> None:
    """Print what is said of each writer's letters by a network that learned from the others'."""
    for writer in sorted({text.group for text in found if len(text.group) == 1}):
        arrays = trained([text for text in found if text.group != writer], folder).arrays()
        said = [(one.kind, _said(shares_by(arrays, one.words))) for one in found if one.group == writer]
        for kind in (*KINDS, "none"):
            given = [got for wanted, got in said if wanted == kind]
            print(f"{writer}\t{kind}\t{given.count(kind)} of {len(given)}, no notice {given.count('none')}")


def _said(shares: Sequence[float]) -> str:
    likely = [(share, kind) for share, kind in zip(shares, KINDS, strict=True) if share >= LEAST[kind]]
    return max(likely)[1] if likely else "none"


def main() -> None:
    """Train the network and write its weights, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--check", action="store_true", help="Print what is said of letters that were not learned from."
    )
    given = parser.parse_args()
    torch.set_num_threads(1)  # more threads add up in another order
    found = texts(given.folder)
    if given.check:
        check(found, given.folder)
        return
    np.savez_compressed(TARGET, **trained(found, given.folder).arrays())
    print(f"{len(found):,} texts and {len(people()):,} letters: {TARGET}")


if __name__ == "__main__":
    main()
