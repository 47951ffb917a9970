"""Learn which sentence answers a question: `python scripts/train_pair.py --data DATA --home HOME --minilm FOLDER`.

The first layers of MiniLM (in FOLDER) read the question and the sentence apart and stay as they are, so that what they
give is computed once; the last ones, copied and trained, read both together (as in DeFormer, Cao et al. 2020). A
sentence's score is its cosine with the question as MiniLM has it, plus what the trained layers add; weights are pulled
back to where they began. The stages of `STAGES` follow each other, the sets of experts before the letters. HOME keeps
the corpora, the groups (`ranking_groups.py`), what the first layers give, and checkpoints: a run that was cut resumes
with the stage that was cut. The last checkpoint is written to `src/medground/data/models/sentence_scorer.safetensors`.

It needs torch. Which length and shares are right was chosen by the letters of `letters_choosing.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from letters import noisy
from ranking_groups import written
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

LAYERS, SPLIT, HIDDEN, HEADS = 6, 4, 384, 12
"""MiniLM's layers, how many of them read a text alone, the size of a vector, and heads of attention."""
QUESTION, TITLE, SENTENCE = 80, 20, 64
"""Most tokens of each; of a longer question its beginning and its end are read."""
CLS, SEP = 101, 102
BATCH, EACH = 6, 8
"""Groups of a step, and sentences of each."""
PULL = 2.0
"""How strongly weights are pulled to where they began, by the rate of learning."""
OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "models" / "sentence_scorer.safetensors"

ABOUT = (
    "scores sentences against a question; trained layers over all-MiniLM-L6-v2 (Apache-2.0), whose last two they were"
)


class Stage(NamedTuple):
    """A part of the training.

    Attributes:
        files: its groups.
        pairs: after so many its rate of learning would be at its end.
        until: after so many it ends.
        rate: of learning, at its highest.
        shares: how often a set is read in an epoch, if not once.
        seed: of the order.
    """

    files: tuple[str, ...]
    pairs: int
    until: int
    rate: float
    shares: Mapping[str, float]
    seed: int


_ALSO = {
    **dict.fromkeys(("people", "people named", "people empty", "people named empty"), 0.3),
    **dict.fromkeys(("scifact", "covidqa", "trials", "pubmedqa"), 0.4),
    "bioasq": 0.5,
}
_BOTH = ("sets", "letters")
STAGES = {
    "sets": Stage(("sets",), 24_000, 12_000, 1e-4, {}, 0),
    "letters": Stage(_BOTH, 72_000, 72_000, 1e-4, _ALSO, 0),
    "again": Stage(_BOTH, 72_000, 72_000, 6e-5, _ALSO, 1),
}


class Layer(nn.Module):
    """A layer of BERT, with the names of its published weights."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({name: nn.Linear(HIDDEN, HIDDEN) for name in ("query", "key", "value")}),
                "output": nn.ModuleDict(
                    {"dense": nn.Linear(HIDDEN, HIDDEN), "LayerNorm": nn.LayerNorm(HIDDEN, eps=1e-12)}
                ),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(HIDDEN, 4 * HIDDEN)})
        self.output = nn.ModuleDict(
            {"dense": nn.Linear(4 * HIDDEN, HIDDEN), "LayerNorm": nn.LayerNorm(HIDDEN, eps=1e-12)}
        )

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Vectors of tokens, (batch, tokens, hidden), to the same; `mask` is true for tokens."""
        batch, tokens, _ = hidden.shape
        parts = [
            self.attention["self"][name](hidden).view(batch, tokens, HEADS, -1).transpose(1, 2)
            for name in ("query", "key", "value")
        ]
        attended = functional.scaled_dot_product_attention(*parts, attn_mask=mask[:, None, None, :])
        attended = attended.transpose(1, 2).reshape(batch, tokens, HIDDEN)
        hidden = self.attention["output"]["LayerNorm"](hidden + self.attention["output"]["dense"](attended))
        inner = functional.gelu(self.intermediate["dense"](hidden))
        return self.output["LayerNorm"](hidden + self.output["dense"](inner))


def layers(weights: Mapping[str, Tensor], numbers: Sequence[int]) -> nn.ModuleList:
    """Layers of the published weights."""
    made = nn.ModuleList([Layer() for _ in numbers])
    for layer, number in zip(made, numbers, strict=True):
        start = f"encoder.layer.{number}."
        layer.load_state_dict({k.removeprefix(start): v for k, v in weights.items() if k.startswith(start)})
    return made


class Frozen:
    """MiniLM as it is published: what its first layers give for a text, and the text's unit vector."""

    def __init__(self, folder: Path) -> None:
        self.weights = {k.removeprefix("bert."): v for k, v in load_file(folder / "model.safetensors").items()}
        self.layers = layers(self.weights, range(LAYERS))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def question(self, text: str) -> list[int]:
        """The tokens of a question."""
        ids = self._ids(text)
        if len(ids) > QUESTION:
            ids = ids[: QUESTION // 4] + ids[-QUESTION * 3 // 4 :]
        return [CLS, *ids, SEP]

    def sentence(self, title: str, text: str) -> list[int]:
        """The tokens of a sentence after its title."""
        named = [*self._ids(title)[:TITLE], *self._ids(":")] if title else []
        return [CLS, *named, *self._ids(text)[:SENTENCE], SEP]

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    @torch.inference_mode()
    def read(self, rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        """What the first layers give, (batch, tokens, hidden), and unit vectors, (batch, hidden)."""
        ids = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
        mask = ids > 0
        hidden = functional.embedding(ids, self.weights["embeddings.word_embeddings.weight"])
        hidden = hidden + self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        hidden = hidden + self.weights["embeddings.token_type_embeddings.weight"][0]
        norm = [self.weights[f"embeddings.LayerNorm.{name}"] for name in ("weight", "bias")]
        hidden = functional.layer_norm(hidden, (HIDDEN,), *norm, eps=1e-12)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for number, layer in enumerate(self.layers):
                if number == SPLIT:
                    early = hidden
                hidden = layer(hidden, mask)
        summed = (hidden.float() * mask[..., None]).sum(1)
        return early, functional.normalize(summed, dim=-1)


class Joint(nn.Module):
    """The trained layers: they read what the first layers give of a question and of a sentence together."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.layers = layers(weights, range(SPLIT, LAYERS))
        self.places = nn.Parameter(torch.zeros(2, HIDDEN))
        self.head = nn.Linear(2 * HIDDEN, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.scales = nn.Parameter(torch.tensor([10.0, 5.0, -8.0]))

    def forward(self, hidden: Tensor, mask: Tensor, second: Tensor, cosines: Tensor) -> Tensor:
        """Scores, (batch,).

        `hidden` is a question's tokens and then a sentence's, `second` true for those of the sentence.
        """
        hidden = hidden + torch.where(second[..., None], self.places[1], self.places[0])
        for layer in self.layers:
            hidden = layer(hidden, mask)
        hidden = hidden.float()
        first = _mean(hidden, mask & ~second)
        last = _mean(hidden, second)
        head = self.head(torch.cat([hidden[:, 0], last], dim=-1)).squeeze(-1)
        joint = functional.cosine_similarity(first, last, dim=-1)
        return self.scales[0] * cosines + self.scales[1] * joint + self.scales[2] + head


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    kept = mask[..., None].to(hidden.dtype)
    return (hidden * kept).sum(1) / kept.sum(1).clamp_min(1)


class Kept:
    """What the first layers give for texts, kept in a file, so that it is computed once."""

    def __init__(self, folder: Path, frozen: Frozen) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.frozen = folder, frozen
        self.index: dict[str, tuple[int, int, int]] = {}
        self.parts: list[tuple[np.ndarray, np.ndarray]] = []
        for path in sorted(folder.glob("part*.keys.json")):
            self._open(path)

    def _open(self, path: Path) -> None:
        stem = str(path).removesuffix(".keys.json")
        at = 0
        for key, length in json.loads(path.read_text()):
            self.index[key] = (len(self.parts), at, length)
            at += length
        self.parts.append((np.load(f"{stem}.early.npy", mmap_mode="r"), np.load(f"{stem}.vectors.npy")))
        for number, (key, _) in enumerate(json.loads(path.read_text())):
            part, at, length = self.index[key]
            self.index[key] = (part, at, length * 1_000_000 + number)

    def add(self, texts: Mapping[str, list[int]], most: int = 12_000) -> None:
        """Read the texts that are not kept yet."""
        new = sorted((key for key in texts if key not in self.index), key=lambda key: len(texts[key]))
        for start in range(0, len(new), most):
            keys = new[start : start + most]
            early = np.empty((sum(len(texts[key]) for key in keys), HIDDEN), np.float16)
            vectors, at = np.empty((len(keys), HIDDEN), np.float32), 0
            for first in range(0, len(keys), 48):
                batch = [texts[key] for key in keys[first : first + 48]]
                hidden, units = self.frozen.read(batch)
                vectors[first : first + len(batch)] = units.numpy()
                for row, ids in zip(hidden, batch, strict=True):
                    early[at : at + len(ids)] = row[: len(ids)].float().numpy()
                    at += len(ids)
            stem = self.folder / f"part{len(self.parts):03}"
            np.save(f"{stem}.early.npy", early)
            np.save(f"{stem}.vectors.npy", vectors)
            path = Path(f"{stem}.keys.json")
            path.write_text(json.dumps([[key, len(texts[key])] for key in keys]))
            self._open(path)
            print(f"{time.strftime('%X')} kept {start + len(keys)} of {len(new)} texts", flush=True)

    def early(self, key: str) -> Tensor:
        """What the first layers give, (tokens, hidden)."""
        part, at, packed = self.index[key]
        return torch.from_numpy(np.array(self.parts[part][0][at : at + packed // 1_000_000], np.float32))

    def vector(self, key: str) -> np.ndarray:
        """The unit vector of a text."""
        part, _, packed = self.index[key]
        return np.asarray(self.parts[part][1][packed % 1_000_000])


class Group(NamedTuple):
    """Keys of a question's wordings and of its sentences, and what these are worth."""

    name: str
    questions: tuple[str, ...]
    sentences: tuple[str, ...]
    worth: tuple[float, ...]


def read_groups(paths: Sequence[Path], kept: Kept, seed: int) -> list[Group]:
    """The groups of files, with all their texts read by the first layers."""
    chance, texts, groups = random.Random(seed), dict[str, list[int]](), []
    for row in (json.loads(line) for path in paths for line in path.open(encoding="utf-8")):
        wordings = (row["question"], noisy(row["question"], random.Random(row["id"])))
        questions = tuple(f"Q|{wording}" for wording in dict.fromkeys(wordings))
        sentences = tuple(f"S|{title}|{text}" for title, text, _ in row["sentences"])
        texts |= {key: kept.frozen.question(key[2:]) for key in questions if key not in kept.index}
        for key, (title, text, _) in zip(sentences, row["sentences"], strict=True):
            if key not in kept.index:
                texts[key] = kept.frozen.sentence(title, text)
        groups.append(Group(row["set"], questions, sentences, tuple(worth for *_, worth in row["sentences"])))
    kept.add(texts)
    chance.shuffle(groups)
    return groups


def together(pairs: Sequence[tuple[str, str]], kept: Kept) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pairs of question and sentence as the trained layers read them."""
    firsts, lasts = [kept.early(first) for first, _ in pairs], [kept.early(last) for _, last in pairs]
    rows = [torch.cat([first, last]) for first, last in zip(firsts, lasts, strict=True)]
    hidden = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    places = torch.arange(hidden.shape[1])[None, :]
    begins = torch.tensor([len(first) for first in firsts])[:, None]
    ends = torch.tensor([len(row) for row in rows])[:, None]
    mask = places < ends
    cosines = torch.tensor([float(kept.vector(first) @ kept.vector(last)) for first, last in pairs])
    return hidden, mask, mask & (places >= begins), cosines


def loss_of(scores: Tensor, worth: Tensor) -> Tensor:
    """Listwise where something is worth quoting, and for each sentence whether it answers."""
    sure = (worth >= 0.9) | (worth <= 0.2)
    answers = functional.binary_cross_entropy_with_logits(scores[sure], (worth[sure] > 0.5).float())
    if worth.max() < 0.75:
        return 0.5 * answers
    chosen = (torch.log_softmax(scores, 0).exp() * worth).sum().clamp_min(1e-6)
    return -torch.log(chosen) + 0.5 * answers


@torch.inference_mode()
def scores_of(network: Joint, pairs: Sequence[tuple[str, str]], kept: Kept, size: int = 64) -> np.ndarray:
    """The score of each pair."""
    order = sorted(range(len(pairs)), key=lambda n: kept.index[pairs[n][0]][2] + kept.index[pairs[n][1]][2])
    found = np.empty(len(pairs), np.float32)
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        found[batch] = network(*together([pairs[n] for n in batch], kept)).numpy()
    return found


def train(network: Joint, groups: Sequence[Group], kept: Kept, stage: Stage) -> None:
    """Train for the pairs of a stage."""
    chance = random.Random(stage.seed)
    initial = [parameter.detach().clone() for parameter in network.layers.parameters()]
    slow, fast = list(network.layers.parameters()), [network.places, network.scales, *network.head.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": slow, "lr": stage.rate}, {"params": fast, "lr": 10 * stage.rate}], weight_decay=0.0
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    seen, step, losses, began = 0, 0, list[float](), time.time()
    for batch in _batches(groups, chance, stage.shares):
        share = seen / stage.pairs
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, (step + 1) / 60) * max(0.02, 1 - share)
        pairs, worths = [], []
        for question, sentences, worth in batch:
            pairs += [(question, sentence) for sentence in sentences]
            worths.append(torch.tensor(worth))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = network(*together(pairs, kept)).float()
        parts = scores.split([len(worth) for worth in worths])
        loss = torch.stack([loss_of(part, worth) for part, worth in zip(parts, worths, strict=True)]).mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        with torch.no_grad():
            pull = PULL * optimiser.param_groups[0]["lr"]
            for parameter, first in zip(slow, initial, strict=True):
                parameter.lerp_(first, pull)
        step, seen = step + 1, seen + len(pairs)
        losses.append(loss.item())
        if step % 50 == 0:
            pace = seen / (time.time() - began)
            print(
                f"{time.strftime('%X')} {seen} pairs, {pace:.0f} a second, loss {np.mean(losses[-50:]):.3f}", flush=True
            )
        if seen >= stage.until:
            return


def _batches(
    groups: Sequence[Group], chance: random.Random, shares: Mapping[str, float]
) -> Iterator[list[tuple[str, list[str], list[float]]]]:
    """Groups for ever, some at a time; of each a wording and some of its sentences, the best ones among them."""
    while True:
        epoch = []
        for group in groups:
            share = shares.get(group.name, 1.0)
            epoch += [group] * (int(share) + (chance.random() < share % 1))
        chance.shuffle(epoch)
        for start in range(0, len(epoch) - BATCH + 1, BATCH):
            yield [_drawn(group, chance) for group in epoch[start : start + BATCH]]


def _drawn(group: Group, chance: random.Random) -> tuple[str, list[str], list[float]]:
    top = max(group.worth)
    best = [n for n, worth in enumerate(group.worth) if worth == top and worth > 0.75][:1]
    rest = [n for n in range(len(group.worth)) if n not in best]
    chosen = best + chance.sample(rest, min(EACH - len(best), len(rest)))
    return chance.choice(group.questions), [group.sentences[n] for n in chosen], [group.worth[n] for n in chosen]


def shipped(network: Joint) -> dict[str, np.ndarray]:
    """The trained weights as the package has them, in half precision."""
    state = {name: value.detach().float().numpy() for name, value in network.state_dict().items()}
    found = {f"joint.layer.{name.removeprefix('layers.')}": state[name] for name in state if name.startswith("layers.")}
    apart, joint, shift = state["scales"]
    found |= dict(zip(("place.question", "place.sentence"), state["places"], strict=True))
    found |= {"scale.apart": apart.reshape(1), "scale.joint": joint.reshape(1)}
    found |= {"head.weight": state["head.weight"], "head.bias": state["head.bias"] + shift}
    return {name: np.ascontiguousarray(value, np.float16) for name, value in found.items()}


def main() -> None:
    """Train, and write the weights that ship."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--minilm", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    frozen = Frozen(options.minilm)
    kept = Kept(options.home / "kept", frozen)
    network = Joint(frozen.weights)
    for name, stage in STAGES.items():
        checkpoint = options.home / f"{name}.safetensors"
        if not checkpoint.exists():
            paths = [written(part, options.data, options.home) for part in stage.files]
            train(network, read_groups(paths, kept, stage.seed), kept, stage)
            save_file(network.state_dict(), checkpoint)
        network.load_state_dict(load_file(checkpoint))
    save_numpy(shipped(network), OUT, {"about": ABOUT})
    print(f"{sum(stage.until for stage in STAGES.values())} pairs, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
