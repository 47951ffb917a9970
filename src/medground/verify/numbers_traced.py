"""Hold back a sentence with a number that none of the documents which it cites contains, whoever judged it.

A judge reads meaning and easily takes 12 % for 21 %. A number that is in no cited source was made up, copied wrongly,
calculated, or taken from a source that is not cited: readers could not find it.
"""

from __future__ import annotations

from dataclasses import replace

from medground.run import Run
from medground.sentence import Sentence
from medground.verify.checked import Checked
from medground.verify.context import cited_evidence
from medground.verify.named import HELD
from medground.verify.quantities import QUANTITY, missing_quantities

_LONGEST = 120
_OWN = ("quoted", "contradicted")
"""Labels that stay: the source's own words, and what is never released."""


def numbers_traced(sentence: Sentence, checked: Checked, run: Run) -> Checked:
    """The checked statement; `not found` and flagged if its sentence has a number that its cited sources lack.

    Numbers of the question and of what was given with it may be repeated. A sentence that cites nothing has no source
    to compare with.
    """
    verdict, cited = checked.verdict, cited_evidence(sentence, run)
    if not cited or verdict.label in _OWN or not set(HELD).isdisjoint(verdict.flags):
        return checked
    documents = [run.ledger.documents[name] for name in dict.fromkeys(e.document_id for e in cited)]
    sources = [part for d in documents for part in (d.text, d.title, str(d.year or ""))]
    sources += [*(e.quote for e in cited), run.question.text, run.question.context]
    missing = missing_quantities(sentence.whole.text, sources)
    if not missing:
        return checked
    numbers = ", ".join(dict.fromkeys(quantity.text for quantity in missing))[:_LONGEST]
    note = f"it gives {numbers}, which the source that it cites does not contain"
    changed = {"label": "not found", "assessed": None, "flags": (*verdict.flags, QUANTITY), "note": note}
    return replace(checked, verdict=verdict.model_copy(update=changed))
