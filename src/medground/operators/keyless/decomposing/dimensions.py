"""The dimensions of biomedical questions (D of Eq. 1): what each asks of a gene, a drug, a disease and other subjects.

Source: BioMedSearch, section III.A, which names developmental effects, physiology or endocrine regulation, clinical
phenotypes and molecular mechanisms; the others are ours.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources


@dataclass(frozen=True)
class Dimension:
    """One view of a question.

    Attributes:
        name: as plans show it.
        asks: for a kind of subject, the sub-question. `{S}` is the subject, `{C}` what it bears on, `{D}` the same
            if it is a disease, `{X}` the gene's perturbation, and `{P}` in whom, with its preposition, or nothing. A
            form with `{C}` or `{D}` is used where that is named, the next one where it is not.
        words: how questions ask for it, as a pattern.
        keyword: the word that papers use for it; empty where the subject says enough.
        synonyms: other words for `keyword`.
        fine: the fine dimension of `keyword` (D' of Eq. 2).
        after: dimensions whose results sharpen this one: the general comes before the specific.
    """

    name: str
    words: str
    keyword: str
    synonyms: tuple[str, ...]
    fine: str
    after: tuple[str, ...] = ()
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_asked(self, question: str) -> bool:
        """Whether the words of a question ask for it."""
        return bool(self.words) and re.search(rf"\b(?:{self.words})\b", question, re.IGNORECASE) is not None


BACKGROUND = "background"
DIRECT = "association"
"""The dimension of a question whose words ask for none."""


def _read() -> tuple[dict[str, Dimension], dict[str, tuple[str, ...]]]:
    stored = tomllib.loads((resources.files(__package__) / "dimensions.toml").read_text(encoding="utf-8"))
    found = {
        one["name"]: Dimension(
            one["name"],
            "|".join(one.get("words", ())),
            one.get("keyword", ""),
            tuple(one.get("synonyms", ())),
            one["fine"],
            tuple(one.get("after", ())),
            {kind: tuple(forms) for kind, forms in one["asks"].items()},
        )
        for one in stored["dimensions"]
    }
    return found, {kind: tuple(names) for kind, names in stored["usual"].items()}


DIMENSIONS, USUAL = _read()
"""All dimensions by name, the general before the specific; and those of a kind of subject, the most usual first."""
