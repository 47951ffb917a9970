"""No judge supports a statement by quotes that do not name what it is about, whole phrases and all.

A network overlooks it: a trial on intracerebral haemorrhage entails, to it, a claim on postpartum haemorrhage.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from medground.read.concepts import as_read
from medground.run import Run
from medground.sentence import Sentence
from medground.subject import unnamed
from medground.verify.checked import Checked
from medground.verify.context import cited_evidence

SUBJECT = "subject"
"""The flag of a statement about something that no quote behind it names."""


def on_subject(sentence: Sentence, checked: Checked, run: Run) -> Checked:
    """The checked statement; `not found` if a judge supports it by quotes about something else.

    Text that is only related stays so, with what it does not mention.
    """
    verdict = checked.verdict
    supported = verdict.label in ("supported", "partly") or verdict.assessed in ("supported", "partly")
    if checked.judgement is None or not (supported or verdict.label == "related"):
        return checked
    quotes = [*cited_evidence(sentence, run), *(e for e in run.ledger.evidence if e.id == verdict.best)]
    text = "\n".join(as_read(quote, run.ledger.documents[quote.document_id]) for quote in quotes)
    missing = unnamed(sentence.text, [text])
    if not missing:
        return checked
    note = f"the quote does not mention {' or '.join(missing)}"
    changed: dict[str, Any] = {
        "flags": (*verdict.flags, SUBJECT),
        "note": "; ".join(filter(None, [note, verdict.note])),
    }
    if supported:
        changed = {"label": "not found", "assessed": None, "flags": (SUBJECT,), "note": note, "probability": None}
    return replace(checked, verdict=verdict.model_copy(update=changed))
