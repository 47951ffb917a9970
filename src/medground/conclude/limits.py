"""Warn readers if a decision is based only on hedged sentences, or only on animals or cells."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Verdict
from medground.evidence import Evidence
from medground.operators.keyless.flags.cues import DOUBT
from medground.run import Run
from medground.sentence import Sentence
from medground.verify.overclaim import not_of_people


def limits(supporting: Sequence[tuple[Sentence, Verdict]], run: Run) -> list[str]:
    """One line for each limit that all sentences behind a decision share.

    A decision of yes or no cannot hedge, so a warning says what its sentences leave open.
    """
    if not supporting:
        return []
    found: list[str] = []
    hedges = [DOUBT.search(sentence.text) for sentence, _ in supporting]
    if all(hedges):
        words = dict.fromkeys(hedge[0].lower() for hedge in hedges if hedge)
        found.append(f"every sentence behind the decision is hedged ({', '.join(words)})")
    species = [
        not_of_people(quote.quote, run.ledger.documents[quote.document_id]) for quote in _deciding(supporting, run)
    ]
    if species and all(species):
        named = dict.fromkeys(word for word in species if word)
        found.append(f"every quote behind the decision is about animals or cells ({', '.join(named)})")
    return found


def _deciding(supporting: Sequence[tuple[Sentence, Verdict]], run: Run) -> list[Evidence]:
    cited = {e for sentence, verdict in supporting for e in ((verdict.best,) if verdict.best else sentence.evidence)}
    return [e for e in run.ledger.evidence if e.id in cited and e.origin == "text"]
