"""The answer of a model from what it reads, which may ask to search once more."""

import contextlib
from collections.abc import Sequence

from medground.answering.read.evidence import with_findings
from medground.answering.run import Run, words_lookup
from medground.answering.verify.absence import refuting
from medground.answering.write.read_and_answer import Answered, answer_from, how_to_search
from medground.errors import SourceUnavailable
from medground.recipes.ground.search import each_question, found_readings
from medground.values.lookup import Lookup
from medground.values.query import Everything
from medground.values.question import Question

MOST_READ = 20
"""Maximum documents of one call."""


async def by_model(question: Question, run: Run, only: Sequence[str] | None) -> Answered:
    """The model's answer. If what it read does not suffice, what its own query finds beside that is read once, and what
    reports what it says that nothing reports."""
    from medground.pubmed.normalize import normalize  # it brings MeSH
    from medground.pubmed.printer import to_pubmed

    asked = run.reading(question)
    parts = [await found_readings(one, words_lookup(question, one), run, only) for one in each_question(question, run)]
    found = [reading for _, readings in parts for reading in readings]
    first = {reading.document_id: reading for reading in sorted(found, key=lambda one: -one.rank)}
    likeliest = list(first.values())[::-1][:MOST_READ]  # whichever part of a question they were found for
    likeliest = with_findings(asked, likeliest, run.ledger.documents)
    search = await how_to_search(question, run) if first else ""
    answered = await answer_from(question, likeliest, run, search=search)
    more = await refuting(answered.draft.missing, run)
    query = normalize(answered.query, today=run.now().date()).query if answered.query else Everything()
    if not isinstance(query, Everything):
        again = Lookup(asked=query, text=" ".join([question.text, *answered.draft.missing]), shown=to_pubmed(query))
        with contextlib.suppress(SourceUnavailable):  # the answer lists it
            known = answered.whole.union(one.document_id for one in more)
            _, again_found = await found_readings(asked, again, run, only)
            more += [one for one in again_found if one.document_id not in known]
    return await answer_from(question, more, run, before=answered) if more else answered
