"""Checking an answer in one call: each statement against the quotes, each item, and the short answer against both.

The keyless implementation is not a judge: it tells `related` from `neutral` and raises flags, never says `entails` or
`contradicts`, and cannot tell what follows.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from medground.models.operators import base
from medground.models.operators.compare import compare
from medground.models.operators.differences import RULES
from medground.models.operators.writing import allowed_answers, answer_choices
from medground.values.evidence import SentenceKind
from medground.values.question import Option, Task

Entailment = Literal["entails", "contradicts", "related", "neutral"]
Following = Literal["follows", "contradicted", "not shown"]
"""How a short answer stands to the statements that hold."""

FLAGS = tuple(RULES)
"""Names of differences between a statement and its source."""
Flag = Annotated[str, Field(json_schema_extra={"enum": [*FLAGS]})]
"""One of them; the check of the output says which one is unknown."""


class StatementView(base.LinesView):
    """A statement to check: S1, S2, ...

    Attributes:
        kind: what is compared with all quotes may be an absence, or an item of the short answer.
        cites: ids of the quotes that it cites; empty if it is to be compared with all.
        doubts: what word filters noticed about it and its quotes.
    """

    id: str
    text: base.Untrusted
    kind: SentenceKind = "statement"
    cites: tuple[str, ...] = ()
    doubts: tuple[base.Untrusted, ...] = ()

    def lines(self) -> Iterator[str]:
        """The statement, and a line for each doubt."""
        told: list[str] = [self.kind] if self.kind != "statement" else []
        told += [f"cites {', '.join(self.cites)}"] if self.cites else []
        yield f"{' | '.join([self.id, *told])}: {self.text}"
        yield from (f"{self.id} doubt: {doubt}" for doubt in self.doubts)


class CheckInput(base.OperatorInput):
    """Statements of one answer with the quotes, each once.

    `beside` are statements of the same answer that are checked elsewhere. `answer` is a word of the task, letters, or
    the name, number, items or sentence that answers an open question; empty where only statements are checked. `doubts`
    are what word filters noticed about it.
    """

    question: base.Untrusted = ""
    task: Task = "free"
    options: tuple[Option, ...] = ()
    evidence: tuple[base.EvidenceView, ...] = ()
    statements: tuple[StatementView, ...] = ()
    beside: tuple[base.Untrusted, ...] = ()
    answer: tuple[base.Untrusted, ...] = ()
    doubts: tuple[base.Untrusted, ...] = ()


class StatementCheck(base.WeighedOutput):
    weighed: ClassVar[str] = "relation"

    statement: str
    relation: Entailment
    best: str | None = Field(default=None, description="id of the quote that decides it")
    flags: tuple[Flag, ...] = Field(default=(), description="kinds of difference from the quote")
    reason: base.FewWords = Field(default="", description="why it does not hold; empty where it holds")
    settles: str = Field(default="", max_length=300, description="words of a quote that answer its doubts; else empty")


class CheckOutput(base.OperatorOutput):
    statements: tuple[StatementCheck, ...] = Field(description="each statement once, in order")
    found: tuple[str, ...] = Field(default=(), description="the answer that the statements give; empty if none")
    result: Following | None = Field(default=None, description="how `answer` stands to them; none if it cannot be told")
    rests_on: tuple[str, ...] = Field(default=(), description="ids of the statements that decide it")
    reason: base.FewWords = Field(default="", description="why, in a few words")
    settles: str = Field(default="", max_length=300, description="words of a quote that answer `doubts`; else empty")


def _of_what_was_given(value: CheckInput, output: CheckOutput) -> None:
    statements, told = (
        {statement.id: statement for statement in value.statements},
        [statement.statement for statement in output.statements],
    )
    base.only_known([*told, *output.rests_on], statements, "statement")
    base.only_known(
        (statement.best for statement in output.statements if statement.best),
        (e.id for e in value.evidence),
        "evidence",
    )
    if missing := set(statements) - set(told):
        raise base.InvalidOutput(f"statement {min(missing)} is left out; give each statement once")
    for one in output.statements:
        given = statements[one.statement]
        # A single quote must be the one that decides, so a small model need not name it; nor one that takes away.
        if (
            not one.best
            and one.relation == "entails"
            and given.kind == "statement"
            and len(given.cites or value.evidence) != 1
        ):
            raise base.InvalidOutput(f"{one.relation!r} needs the id of the quote that decides {one.statement}")
        if unknown := set(one.flags) - set(FLAGS):
            raise base.InvalidOutput(f"unknown flag {min(unknown)[:40]!r}; flags are {', '.join(FLAGS)}")
    if (allowed := allowed_answers(value)) and not set(allowed) >= set(output.found):
        raise base.InvalidOutput(f"found {', '.join(output.found)[:60]!r} does not have the form of the task")


def _choices(value: CheckInput) -> dict[str, tuple[str, ...]]:
    ids = tuple(statement.id for statement in value.statements)
    known = {"statement": ids, "rests_on": ids, "best": tuple(e.id for e in value.evidence), "flags": FLAGS}
    return known | answer_choices(value, "found")


@base.operator(check=_of_what_was_given, choices=_choices)
def check(value: CheckInput) -> CheckOutput:
    """Each statement compared by words with the quotes that it cites; nothing is told of the answer."""
    found = []
    for statement in value.statements:
        same = compare(statement.text, [e for e in value.evidence if e.id in statement.cites] or value.evidence)
        relation: Entailment = "related" if same.related else "neutral"
        found.append(StatementCheck(statement=statement.id, relation=relation, best=same.best, flags=same.flags))
    return CheckOutput(statements=tuple(found))
