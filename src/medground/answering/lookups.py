"""A question that names papers by id: what it is about are these papers, and only they are searched."""

from __future__ import annotations

from medground.answering.run import Run
from medground.values.identifiers import papers_named
from medground.values.lookup import Lookup
from medground.values.question import Question


async def with_titles(question: Question, run: Run) -> Question:
    """The question with the titles of the papers that it names in place of their ids; unchanged if it names none.

    A paper is quoted by its words, and an id has none.
    """
    named = papers_named(question.text)
    if not named or not run.sources:
        return question
    found = await run.look_up(Lookup.words(question.text))
    passages = [hit.passage for one in found for ranking in one.rankings for hit in ranking]
    titles = {name: passage.title for passage in reversed(passages) for name in passage.paper}
    text = question.text
    for (start, end), names in reversed(named.items()):
        if missing := [name for name in names if name not in titles]:
            run.warn(
                f"no source searched holds {', '.join(missing)}; check the id, or search PubMed too (--pubmed live)"
            )
        if known := dict.fromkeys(titles[name] for name in names if titles.get(name)):
            text = text[:start] + "; ".join(known) + text[end:]
    run.papers = tuple(dict.fromkeys(passage.document_id for passage in passages))
    return question.model_copy(update={"text": text})


def words_lookup(question: Question) -> Lookup:
    """The question for all rankers; those that rank by words also get its answer options."""
    return Lookup.words(question.text, also=" ".join(option.text for option in question.options))
