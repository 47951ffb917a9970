"""The small critic's network: MiniLM from its PyPI wheel as a cross-encoder. Needs torch, for training only.

The three labels are computed from the first token, and the mean and maximum of all tokens. The maximum helps because a
single word can make a statement wrong. `pairing/tokens.py` prepares the input.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import torch
from pairing.tokens import LABELS, Row
from transformers import BertConfig, BertModel

BATCH_TOKENS = 2560
CHUNK = 1137
"""Number of pairs that are sorted by length together."""
Example = tuple[Row, int]
"""A pair and the index of its label."""


class CrossEncoder(torch.nn.Module):
    """A BERT with a linear layer over the first token, the mean and the maximum."""

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
        """Logits, float32 of shape (pairs, labels), for token ids, kinds and mask, int64 of shape (pairs, tokens)."""
        hidden = self.bert(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        absent = (mask == 0).unsqueeze(-1)
        mean = hidden.masked_fill(absent, 0).sum(1) / mask.sum(1, keepdim=True)
        most = hidden.masked_fill(absent, -1e4).amax(1)
        return self.head(torch.cat((hidden[:, 0], mean, most), dim=-1)).float()


def bucketed(examples: Sequence[Example], seed: int) -> list[list[Example]]:
    """Batches of similar length, in a seeded random order."""
    rng = random.Random(seed)
    order = rng.sample(range(len(examples)), len(examples))
    batches: list[list[Example]] = []
    for start in range(0, len(order), CHUNK):
        batches.append([])
        for example in sorted((examples[i] for i in order[start : start + CHUNK]), key=lambda e: len(e[0][0])):
            if (len(batches[-1]) + 1) * len(example[0][0]) > BATCH_TOKENS:
                batches.append([])
            batches[-1].append(example)
    rng.shuffle(batches)
    return batches
