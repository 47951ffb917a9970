"""A search strategy, a line each, as librarians write it in PubMed's syntax: `#1`, `#2`, `#1 AND #2`."""

import re
from collections.abc import Sequence

from medground.answering.run import Run
from medground.errors import UsageError
from medground.pubmed.other_syntax import from_other_service
from medground.pubmed.syntax import tokens
from medground.pubmed.translate import parse
from medground.sources.base import MOST_HITS
from medground.values.document import Document, Frozen
from medground.values.lookup import Lookup

MOST_LINES = 60
_LONGEST = 100_000
"""Characters of a line with all that its references stand for."""
_NUMBERED = re.compile(r"^#?(\d+)[.:)]\s+")
"""The number of a line that is pasted with it, such as `1. asthma`; its own may also stand as `#1 asthma`."""
_BARE = re.compile(r"(?i)(?:\d+\s+(?:and|or|not)\s+)+\d+|(?:and|or)/\d+(?:[-,]\d+)*")
"""Lines that are named by their numbers alone, as Ovid does."""


class StrategyLine(Frozen):
    """A line: as typed, as searched, and the number of its records in each place together; or why it was not."""

    typed: str
    query: str = ""
    records: int | None = None
    problem: str = ""


class StrategyFound(Frozen):
    """All lines, and the records of the last one, each once: at most so many as one search returns."""

    lines: tuple[StrategyLine, ...]
    documents: tuple[Document, ...] = ()


def whole(line: str, before: Sequence[str]) -> str:
    """A line with what its references stand for; lines that cannot be read are empty in `before`.

    >>> whole("#1 NOT #2", ["asthma OR wheeze", "adult"])
    '(asthma OR wheeze) NOT (adult)'

    Raises UsageError: a reference to a line that is not there, comes later or cannot be read; a number that is not the
    line's own; numbers alone for lines; more than 100,000 characters.
    """
    line, own = line.strip(), len(before) + 1
    if (numbered := _NUMBERED.match(line)) and int(numbered[1]) != own:
        raise UsageError(f"this is line {own}, and its number is {numbered[1]}; number the lines from 1")
    query = _NUMBERED.sub("", line).removeprefix(f"#{own} ")
    if _BARE.fullmatch(query):
        raise UsageError("numbers alone are searched as words; write lines as #1 AND #2")
    pieces, end, length = list[str](), 0, len(query)
    for token in [token for token in tokens(query) if token.kind == "history"]:
        number, start = int(token.text[1:]), token.column - 1
        meant = before[number - 1] if 1 <= number <= len(before) else ""
        if not meant:
            raise UsageError(f"{token.text} is no line before this one that can be read")
        length += len(meant)
        if length > _LONGEST:
            raise UsageError(f"with what its numbers stand for this line has more than {_LONGEST:,} characters")
        pieces += [query[end:start], f"({meant})"]
        end = start + len(token.text)
    return "".join([*pieces, query[end:]])


async def run_strategy(run: Run, lines: Sequence[str]) -> StrategyFound:
    """The records of each line.

    Raises UsageError: no line, or too many; SourceUnavailable: no source could be searched.
    """
    typed = [line for line in lines if line.strip()]
    if not 1 <= len(typed) <= MOST_LINES:
        raise UsageError(f"a strategy has 1 to {MOST_LINES} lines, not {len(typed)}; write each search on its own line")
    done, queries = list[StrategyLine](), list[str]()
    lookup = None
    for line in typed:
        lookup = None
        try:
            query, problem = from_other_service(whole(line, queries))
            if problem and not query:
                raise UsageError(problem)
            lookup = Lookup(asked=parse(query), shown=query, limit=MOST_HITS)
            done.append(StrategyLine(typed=line, query=query, records=await run.count(lookup)))
            queries.append(query)
        except UsageError as error:
            done.append(StrategyLine(typed=line, problem=str(error)))
            queries.append("")
    rankings = [ranking for one in await run.look_up(lookup) for ranking in one.rankings] if lookup else []
    names = list(dict.fromkeys(hit.passage.document_id for ranking in rankings for hit in ranking))
    await run.retrieve(names)
    known = run.ledger.documents
    return StrategyFound(lines=tuple(done), documents=tuple(known[name] for name in names if name in known))
