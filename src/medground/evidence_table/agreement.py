"""How far the studies of a table agree, by design. Where no model read them, none counts for or against."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer
from medground.author import Author
from medground.evidence import Stance
from medground.evidence_table.values import Agreement, DesignCount, Row
from medground.operators.reading import extract
from medground.text.clean import clean
from medground.text.english import some

FEWEST = 5
"""Studies from which on agreement is shown: of fewer, a share says little."""
NOT_STATED = "design not stated"


def agreement_of(answer: Answer, rows: Sequence[Row]) -> Agreement | None:
    """The counts by design, the strongest design first; None below `FEWEST` studies that are not retracted."""
    counted = [row for row in rows if not row.aside]
    if len(counted) < FEWEST:
        return None
    groups: dict[tuple[int, str], list[Stance]] = {}
    for row in counted:
        groups.setdefault((row.level, row.design or NOT_STATED), []).append(row.stance)
    designs = tuple(_counted(level, name, stances) for (level, name), stances in sorted(groups.items()))
    return Agreement(
        designs=designs,
        studies=len(counted),
        retracted=len(rows) - len(counted),
        words=_words(answer, designs, len(counted), len(rows) - len(counted)),
    )


def _counted(level: int, design: str, stances: Sequence[Stance]) -> DesignCount:
    return DesignCount(
        design=design,
        level=level,
        studies=len(stances),
        supports=stances.count("supports"),
        contradicts=stances.count("contradicts"),
        neither=stances.count("mixed"),
        not_judged=stances.count("unknown"),
    )


def _words(answer: Answer, designs: Sequence[DesignCount], studies: int, retracted: int) -> str:
    aside = f" {some(retracted, 'retracted study is', 'retracted studies are')} not counted." if retracted else ""
    unjudged = sum(one.not_judged for one in designs)
    if unjudged == studies:
        return f"None of the {studies} studies was judged for or against: no model read them.{aside}"
    reader = answer.models.get(extract.name, "")
    who = clean(reader) if reader and Author(reader).is_model else "a model"
    yes, no, neither = (sum(getattr(one, name) for one in designs) for name in ("supports", "contradicts", "neither"))
    said = [
        f"{yes} {'supports' if yes == 1 else 'support'} a yes",
        f"{no} {'contradicts' if no == 1 else 'contradict'} it",
        f"{neither} {'does' if neither == 1 else 'do'} neither",
        f"and {unjudged} {'was' if unjudged == 1 else 'were'} not judged",
    ]
    return (
        f"Of {studies} studies, {', '.join(said)}, as read by {who}; "
        f"no validated judge has checked these stances.{aside}"
    )
