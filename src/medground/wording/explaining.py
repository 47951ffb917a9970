"""An explanation of a first line, as lines of text."""

from collections.abc import Mapping
from typing import Any

from medground.answering.explanation import Explanation
from medground.language.clean import joined
from medground.wording.templates import printed

_LARGEST = 3
"""Terms that are named as the reason."""


def explained(explanation: Explanation) -> list[str]:
    """What was understood and searched, the best sentences with the terms of their scores, and what follows."""
    ways = {"joined": joined, "is_in": _is_in, "terms": _terms, "because": _because}
    return printed(__package__, "explained", explanation=explanation, **ways)


def _is_in(sentence: Mapping[str, Any], line: Mapping[str, Any]) -> bool:
    return bool(line["text"]) and joined(sentence["sentence"]) in joined(line["text"])


def _terms(terms: Mapping[str, float]) -> str:
    """The terms of a score, the largest first."""
    ordered = sorted(terms.items(), key=lambda pair: -abs(pair[1]))
    return ", ".join(f"{name} {value:+.2f}" for name, value in ordered if value)


def _because(explanation: Explanation) -> str:
    """Why the first line is what it is."""
    line, judged = explanation.first_line, explanation.judged
    if line["reason"]:
        return joined(line["reason"])
    if not judged:
        return "no sentence was judged"
    places = [number for number, sentence in enumerate(judged) if _is_in(sentence, line)]
    if not places:
        return f"none of the {len(judged)} best sentences is in it"
    own = judged[places[0]]
    if places[0]:
        return (
            f"sentence {places[0] + 1} comes before those with higher scores: these are fragments, do not name what is "
            "asked, or stand in a paper that has a quote already"
        )
    rival = next((one for number, one in enumerate(judged) if number not in places), None)
    if rival is None:
        return "no other sentence was judged"
    ahead = {name: value - rival["terms"].get(name, 0.0) for name, value in own["terms"].items()}
    largest = {name: ahead[name] for name in sorted(ahead, key=lambda name: -ahead[name])[:_LARGEST] if ahead[name] > 0}
    return f"its score is {own['answers'] - rival['answers']:.2f} above the next, most by {_terms(largest) or 'place'}"
