"""Judgements as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medground.document import Frozen
    from medground.evaluate.judges.agreement import JudgesAgreement
    from medground.evaluate.judges.lines import Judgement
    from medground.evaluate.judges.results import LongResult, PairResult


def shown_judgements(lines: Sequence[Judgement], *, json: bool) -> str:
    """Results of all judges and, if there are several, their agreement."""
    from medground.evaluate.judges.agreement import judges_agreement
    from medground.evaluate.judges.lines import by_judge
    from medground.evaluate.judges.results import long_results, pair_results

    pairs, long = pair_results(lines), long_results(lines)
    agreement = judges_agreement(lines) if len(by_judge(lines)) > 1 else []
    if json:
        from json import dumps

        content: dict[str, Sequence[Frozen]] = {"pairs": pairs, "long": long, "agreement": agreement}
        return dumps({name: [r.model_dump() for r in rows] for name, rows in content.items()}, indent=2)
    parts = [*map(_pair, pairs), *map(_long, long)]
    return "\n\n".join(parts + ([_agreement(agreement)] if agreement else []) or ["nothing was judged"])


def _pair(found: PairResult) -> str:
    from medground.text.clean import one_line

    lines = [
        f"{one_line(found.one)} against {one_line(found.other)}, judged by {one_line(found.judge)}",
        _counts(found),
    ]
    if found.first_preferred is not None:
        lines.append(f"  the answer shown first won {found.first_preferred:.0%} of decided comparisons")
    if found.axes:
        lines.append(
            f"  {'':<16}{'win':>6}{'tie':>6}{'loss':>6}{'flipped':>9}   {'wins, 95 % Wilson':<20}{'means':>11}"
        )
    for axis in found.axes:
        counts = f"{axis.wins:>6}{axis.ties:>6}{axis.losses:>6}{axis.flipped:>9}"
        interval = f"[{axis.low:.1%}, {axis.high:.1%}]"
        means = "" if axis.mean is None else f"{_number(axis.mean)} {_number(axis.other_mean)}"
        lines.append(f"  {axis.axis:<16}{counts}   {interval:<20}{means:>11}")
    return "\n".join(lines)


def _long(found: LongResult) -> str:
    from medground.text.clean import one_line

    lines = [f"long answers of {one_line(found.answer)}, marked by {one_line(found.judge)}", _counts(found)]
    return "\n".join([*lines, *(f"  {axis:<16}{_number(mean):>6}" for axis, mean in found.means.items())])


def _counts(found: PairResult | LongResult) -> str:
    return (
        f"  {found.questions:,} questions: {found.judged:,} judged, {found.not_judged:,} not judged, "
        f"{found.failed:,} failed (never a win)"
    )


def _agreement(found: Sequence[JudgesAgreement]) -> str:
    return "\n".join(["agreement between judges", *_agreement_lines(found)])


def _agreement_lines(found: Sequence[JudgesAgreement]) -> Iterator[str]:
    from medground.text.clean import one_line

    for row in found:
        who = f"{one_line(row.judges[0])} and {one_line(row.judges[1])}, {row.axis}, {row.items:,} items"
        yield f"  {who}: kappa {_number(row.kappa)} ({row.words}), same judgement {row.observed:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
