"""Evidence Inference: what a trial found for an intervention against a comparator, as statements from templates."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pairing.pair import Pair, words

_FORMS: Mapping[str, Sequence[str]] = {
    "1": (
        "{i} significantly increased {o} compared with {c}.",
        "{o} was higher with {i} than with {c}.",
        "{o} was lower with {c} than with {i}.",
        "Compared with {c}, {i} led to an increase in {o}.",
        "{i} increases {o}.",
        "{i} results in greater {o} than {c}.",
        "There was a significant rise in {o} after {i}.",
        "Patients who received {c} had lower {o} than those who received {i}.",
    ),
    "-1": (
        "{i} significantly decreased {o} compared with {c}.",
        "{o} was lower with {i} than with {c}.",
        "{o} was higher with {c} than with {i}.",
        "Compared with {c}, {i} led to a reduction in {o}.",
        "{i} reduces {o}.",
        "{i} results in lower {o} than {c}.",
        "There was a significant decline in {o} after {i}.",
        "Patients who received {c} had higher {o} than those who received {i}.",
    ),
    "0": (
        "There was no significant difference in {o} between {i} and {c}.",
        "{i} had no significant effect on {o} compared with {c}.",
        "{o} did not differ significantly between {i} and {c}.",
        "{o} was similar with {i} and with {c}.",
        "{i} does not affect {o}.",
        "{i} is not better or worse than {c} for {o}.",
        "No change in {o} was caused by {i} compared with {c}.",
        "Patients who received {i} or {c} had comparable {o}.",
    ),
}
_MOST_WORDS = 110


def from_trials(prompts: Sequence[Mapping[str, Any]], rng: random.Random) -> Iterator[Pair]:
    """Right and wrong statements under the evidence of each prompt, and neutral ones under that of another outcome."""
    by_article = defaultdict(list)
    for prompt in prompts:
        by_article[prompt["pmid"]].append(prompt)
    for prompt in prompts:
        for span, code in _evidence(prompt):
            yield from _judged(prompt, span, code, rng)
            if other := _elsewhere(prompt, by_article[prompt["pmid"]], span):
                yield Pair(other, _statement(prompt, rng.choice(list(_FORMS)), rng), "neutral", "trial neutral")


def _judged(prompt: Mapping[str, Any], span: str, code: str, rng: random.Random) -> Iterator[Pair]:
    """Statements of a difference, and of no difference, are right as often as wrong."""
    wrong = [c for c in _FORMS if c != code]
    right = (code,) if code == "0" else (code, code)
    for label in right:
        yield Pair(span, _statement(prompt, label, rng), "entails", "trial")
    for label in wrong if code != "0" else (rng.choice(wrong),):
        yield Pair(span, _statement(prompt, label, rng), "contradicts", "trial")


def _statement(prompt: Mapping[str, Any], code: str, rng: random.Random) -> str:
    i, c, o = (_plain(prompt[key]) for key in ("intervention", "comparator", "outcome"))
    text = rng.choice(_FORMS[code]).format(i=i, c=c, o=o)
    return text[:1].upper() + text[1:]


def _plain(name: str) -> str:
    """The name without a final full stop, in lower case at the start unless it is an abbreviation."""
    text = " ".join(name.split()).rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _evidence(prompt: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Distinct spans of text, not of table cells, with the annotator's code."""
    seen: set[str] = set()
    for annotation in prompt["annotations"]:
        span = " ".join(annotation["evidence"].split())
        fair = 8 <= len(span.split()) <= _MOST_WORDS and len(re.findall(r"[a-z]{3,}", span)) >= 6
        if annotation["label_code"] in _FORMS and fair and span[:60] not in seen:
            seen.add(span[:60])
            yield span, annotation["label_code"]


def _elsewhere(prompt: Mapping[str, Any], article: Sequence[Mapping[str, Any]], own: str) -> str | None:
    """Evidence of another prompt of the article that does not mention this outcome."""
    outcome = words(prompt["outcome"])
    spans = (span for other in article if other is not prompt for span, _ in _evidence(other))
    return next((s for s in spans if s != own and len(outcome & words(s)) < len(outcome) / 2), None)
