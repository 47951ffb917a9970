"""What networks that read a premise and a hypothesis have in common: their tokenizer, and what it cannot read."""

from tokenizers import Tokenizer


class PairReader:
    """A network by its name, with the tokenizer of its pairs, which neither truncates nor pads.

    `longest`: most tokens of a pair.
    """

    def __init__(self, name: str, tokenizer: Tokenizer, longest: int) -> None:
        self.name, self.longest = name, longest
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # a text that writes [SEP] or </s> writes letters, not a border
        token = getattr(tokenizer.model, "unk_token", None)
        unknown = tokenizer.token_to_id(token) if token else getattr(tokenizer.model, "unk_id", None)
        self._unknown = -1 if unknown is None else int(unknown)

    def problem(self, statement: str) -> str | None:
        """Why the network cannot judge a statement, or None. Statements are never truncated."""
        ids = self._tokenizer.encode(statement, add_special_tokens=False).ids
        if not ids:
            return "the statement has no tokens that the model can read"
        if len(ids) > self.longest // 2:
            return f"the statement has {len(ids)} tokens; the model takes at most {self.longest // 2}"
        if ids.count(self._unknown) * 2 > len(ids):
            return "most of the statement is in words or letters that the model does not know"
        return None
