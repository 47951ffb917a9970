"""Rewords a sentence without changing its meaning, so that agreement does not depend on identical text.

The rules are cautious: none changes a number, a negation or the side of a comparison. The same seed rewords a sentence
and its changed twin in the same way.
"""

from __future__ import annotations

import random
import re

_SAME = (
    ("increased", "elevated", "raised"), ("decreased", "reduced", "lowered"), ("increases", "raises", "elevates"),
    ("decreases", "reduces", "lowers"), ("increase in", "rise in"), ("decrease in", "reduction in", "drop in"),
    ("higher than", "greater than"), ("improved", "enhanced"), ("improves", "enhances"), ("worse", "poorer"),
    ("promotes", "stimulates", "enhances"), ("inhibits", "suppresses", "blocks"),
    ("inhibited", "suppressed", "blocked"), ("inhibition", "suppression"), ("induces", "triggers", "leads to"),
    ("induced", "triggered"), ("associated with", "linked to", "related to", "correlated with"),
    ("due to", "because of"), ("demonstrate", "show", "indicate"),
    ("demonstrated", "showed", "found"), ("effective", "efficacious"),
    ("patients", "people", "individuals", "subjects"), ("children", "pediatric patients"), ("risk of", "likelihood of"),
    ("mortality", "death", "death rate"), ("important", "key", "essential"), ("involved in", "implicated in"),
    ("required for", "necessary for", "needed for"), ("leads to", "results in", "causes"), ("cancer", "tumor"),
    ("led to", "resulted in", "caused"), ("compared with", "compared to", "relative to", "in comparison with"),
    ("treatment", "therapy"), ("did not differ", "were not different"), ("no significant difference", "no difference"),
    ("significantly", "markedly", "substantially"), ("use of", "the application of"),
    ("regulates", "controls", "modulates"),
    ("greater", "larger"), ("women", "females"), ("men", "males"), ("adults", "grown-ups"), ("prior to", "before"),
    ("following", "after"), ("deficient in", "lacking"), ("absence of", "lack of"), ("loss of", "deletion of"),
    ("protects against", "prevents"), ("play a role in", "contribute to"), ("plays a role in", "contributes to"),
    ("more common", "more frequent"), ("whereas", "while"), ("however,", "but"), ("presence of", "occurrence of"),
)  # fmt: skip
_WAYS = {way: ways for ways in _SAME for way in ways}
_ANY = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _WAYS), key=len, reverse=True))})(?![\w-])")
_LEAD = re.compile(
    r"^(?:In conclusion|In summary|Conclusions?|Taken together|Together|Overall|Moreover|Furthermore|In addition|"
    r"Additionally|Finally|Importantly|Interestingly|Notably|Thus|Therefore|Here|Also|Specifically|Indeed)"
    r",? ?(?::|(?=[A-Za-z]))\s*"
)
_FOUND = re.compile(
    r"^(?:(?:Here,? )?[Ww]e (?:also )?(?:show|found|find|observed|report|demonstrate|demonstrated|showed|conclude)"
    r"(?: here)? that|"
    r"(?:These|Our|The) (?:results|findings|data|study|observations) "
    r"(?:show|showed|demonstrate|demonstrated|confirm|reveal) that|"
    r"It was (?:found|shown|observed) that|There is evidence that),? "
)
_BRACKETS = re.compile(r" ?(?:\([^()]{1,80}\)|\[[^\[\]]{1,80}\])")
_BARE = re.compile(r" ?\((?!.*\d)[^()]{1,60}\)")
_EXTRA = re.compile(
    r"(?<=\w) (?:significantly|markedly|substantially|also|further|clearly|therefore|thus|respectively)(?= [a-z])"
)
_TAIL = re.compile(
    r",? (?:in (?:this|our|the present) (?:study|population|cohort|trial)|in vitro|in vivo|during follow-up)(?=[.,])"
)


def reworded(sentence: str, seed: int, *, keep_brackets: bool = False) -> str:
    """The sentence in other words. With `keep_brackets`, brackets with numbers are kept."""
    rng = random.Random(seed)
    text = _LEAD.sub("", sentence)
    text = _FOUND.sub("", text)
    if rng.random() < 0.75:
        text = (_BARE if keep_brackets else _BRACKETS).sub("", text)
    if rng.random() < 0.5:
        text = _EXTRA.sub("", text)
    if rng.random() < 0.5:
        text = _TAIL.sub("", text)
    share = rng.choice((0.0, 0.5, 0.9))
    text = _ANY.sub(lambda m: _another(m[0], rng) if rng.random() < share else m[0], text)
    text = text.strip()
    return text[:1].upper() + text[1:]


def _another(way: str, rng: random.Random) -> str:
    return rng.choice([w for w in _WAYS[way] if w != way])
