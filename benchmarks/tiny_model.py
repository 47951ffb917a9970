"""A tiny language model made by code, to prove on any machine that the training of a planner runs.

It has random weights and knows nothing. It is saved in the form of every model of the hub, so that nothing in the
training knows that it is tiny.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

VOCABULARY = 2_000
_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def make_tiny_model(
    folder: Path,
    texts: Iterable[str],
    *,
    vocabulary: int = VOCABULARY,
    hidden: int = 64,
    layers: int = 2,
    positions: int = 4_096,
    seed: int = 0,
) -> Path:
    """Save a model of Qwen2's shape and a byte-level tokenizer trained on `texts`, and return the folder.

    Args:
        folder: where it is saved.
        texts: such as prompts and plans; the tokenizer learns its words from them, so that they become few tokens.
        vocabulary: most tokens.
        hidden: width; the model has 4 attention heads.
        layers: number of layers.
        positions: longest sequence in tokens.
        seed: of the weights; another seed is another model.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    wrapped: Any = PreTrainedTokenizerFast  # it has types only where it is installed
    fast = wrapped(tokenizer_object=tokenizer, eos_token=special[2], pad_token=special[0])
    fast.chat_template = _TEMPLATE
    torch.manual_seed(seed)
    model: Any = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=hidden,
            intermediate_size=2 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=positions,
            tie_word_embeddings=False,
            bos_token_id=None,
            eos_token_id=2,
            pad_token_id=0,
        )
    )
    with torch.no_grad():  # so that a step of training moves the probabilities of words, as in a trained model
        model.get_output_embeddings().weight.normal_(0, 0.15)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
