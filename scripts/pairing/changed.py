"""Errors planted on either side, so that neither side alone reveals the label.

A sentence `s` and its changed twin `t` give four pairs: s under s and t under t agree, s under t and t under s do not.
All four are drawn equally often.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from planted_errors import plant
from planting.inflection import base, third
from real_sentences import Abstract

from pairing.pair import Label, Pair, Weights, around, joined
from pairing.paraphrase import reworded

CONTRARY = ("negation", "direction", "number")
_ORDERS = (
    ("strengthened", "subject", "direction", "negation"),
    ("subject", "strengthened", "direction"),
    ("subject", "direction", "number"),
    ("direction", "strengthened", "negation", "subject"),
    ("direction", "negation", "number"),
    ("number", "subject", "negation", "direction"),
)  # fmt: skip
_WRONG: Mapping[str, Label] = {"subject": "unsupported", "strengthened": "neutral"}
_VERBS = (
    "regulates|induces|promotes|inhibits|reduces|increases|improves|causes|predicts|enhances|prevents|protects|mediates|"
    "controls|affects|influences|requires|activates|suppresses|decreases|contributes|leads|results|plays|binds|drives|"
    "impairs|stimulates|triggers|modulates|correlates|supports|limits|blocks|facilitates|determines|depends|encodes|"
    "reveals|restores|maintains|interacts|targets|links|attenuates|accelerates|delays|alters|confers|provides|has|shows"
)
_PRESENT = re.compile(rf"(?<=[\w)] )({_VERBS})(?= )")
_FINDING = re.compile(
    r"\b(?:associat|correlat|increas|decreas|reduc|improv|higher|lower|greater|longer|shorter|better|worse|significant|"
    r"differ|effect|caus|induc|inhibit|promot|prevent|predict|requir|regulat|mediat|protect|risk|suggest|conclu|"
    r"demonstrat|show|found|indicat|reveal|no |not |impair|enhanc|activat|suppress|lack|role)"
)
"""Words of a sentence that reports a result, which an error in it would falsify."""
_LACKING = re.compile(r"\b(?:lacks|lack)\b")


def contrary(kind: str, sentence: str, rng: random.Random, others: Sequence[str] = ()) -> str | None:
    """Like `plant`, but a negation also applies to plain verbs, which are common in claims and titles."""
    found = plant(kind, sentence, rng, others=others)
    if kind != "negation" or found is not None:
        return found
    if _LACKING.search(sentence):
        return _LACKING.sub(lambda m: "has" if m[0] == "lacks" else "have", sentence, count=1)
    if re.search(r"\b(?:no|not|nor|never|without|whether|cannot)\b", sentence):
        return None
    matches = list(_PRESENT.finditer(sentence))
    if not matches:
        return None
    match = rng.choice(matches[:2])
    verb = next((b for b in (match[1][:-1], match[1][:-2], "have") if third(b) == match[1]), base(match[1]))
    return f"{sentence[: match.start()]}does not {verb}{sentence[match.end() :]}"


def from_own_passage(abstract: Abstract, rng: random.Random, most: int) -> Iterator[Pair]:
    """Pairs from up to `most` sentences that report a result: a similar statement under the passage it is from.

    Nearly every sentence has a number or a verb to negate, but few have a direction, so the rarer kinds are preferred:
    a different subject and a greater certainty are the hardest to notice.
    """
    places = [i for i, s in enumerate(abstract.sentences) if s in abstract.usable and _FINDING.search(s)]
    for place in rng.sample(places, min(most, len(places))):
        yield from _one(_ORDERS[rng.randrange(len(_ORDERS))], abstract, place, rng)


def from_hedges(abstract: Abstract, rng: random.Random) -> Iterator[Pair]:
    """Pairs from every sentence with a hedge, or an association, that can be made too strong. They are rare."""
    for place, sentence in enumerate(abstract.sentences):
        if sentence in abstract.usable:
            for pair in _one(("strengthened",), abstract, place, rng):
                yield replace(pair, source="strong")


def _one(kinds: Sequence[str], abstract: Abstract, place: int, rng: random.Random) -> Iterator[Pair]:
    """Pairs with the first kind of error that applies to a sentence."""
    sentence = abstract.sentences[place]
    others = [s for s in abstract.sentences if s != sentence]
    for kind in kinds:
        if twin := contrary(kind, sentence, rng, others):
            yield from _own(kind, sentence, twin, abstract.sentences, place, rng)
            return


def _own(
    kind: str, sentence: str, twin: str, sentences: Sequence[str], place: int, rng: random.Random
) -> Iterator[Pair]:
    seed = rng.getrandbits(30)
    s, t = (reworded(x, seed, keep_brackets=kind == "number") for x in (sentence, twin))
    if s == t:
        return
    near = around(sentences, place, rng)
    plain, turned = joined(near), joined([twin if x == sentence else x for x in near])
    wrong = _WRONG.get(kind, "contradicts")
    # A hedged statement stays true if the passage is certain.
    weak: Label = "entails" if kind == "strengthened" else wrong
    cells: list[tuple[str, str, Label]] = [
        (plain, s, "entails"), (turned, t, "entails"), (plain, t, wrong), (turned, s, weak)
    ]  # fmt: skip
    often = 0.75 if kind == "strengthened" else 0.5
    for premise, statement, label in (rng.choice(cells[:2]), cells[2] if rng.random() < often else cells[3]):
        yield Pair(premise, statement, label, f"own {kind}")


def from_summary(
    summary: str,
    sentences: Sequence[str],
    weights: Weights,
    rng: random.Random,
    *,
    source: str,
    least: float = 0.45,
    polish: Callable[[str, int], str] = reworded,
) -> Iterator[Pair]:
    """A title or a conclusion under the sentences it summarises, which do not include it."""
    places = weights.best(summary, sentences, 3)
    if not places:
        return
    top = max(places, key=lambda i: weights.overlap(summary, sentences[i]))
    if weights.overlap(summary, sentences[top]) < least:
        return
    premise = [sentences[i] for i in places] if rng.random() < 0.6 else [sentences[top]]
    kinds = [(k, t) for k in ("negation", "direction") if (t := contrary(k, summary, rng))]
    seed = rng.getrandbits(30)
    if not kinds:
        yield Pair(joined(premise), polish(summary, seed), "entails", source)
        return
    kind, twin = rng.choice(kinds)
    turned = contrary(kind, sentences[top], rng)
    s, t = polish(summary, seed), polish(twin, seed)
    if turned and rng.random() < 0.5:
        yield Pair(turned, s, "contradicts", source)
        yield Pair(turned, t, "entails", source)
    else:
        yield Pair(joined(premise), s, "entails", source)
        yield Pair(joined(premise), t, "contradicts", source)
