"""The summary of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from medground.faces.cli.terminal import say

if TYPE_CHECKING:
    from medground.evaluate.tally import Tally


def show_summary(tally: Tally, path: Path) -> None:
    """Print accuracy with its interval, statuses, majority class and cost. Every item counts in the denominator."""

    rows = [("items", f"{tally.items:,}" + (f", {tally.unfinished:,} unfinished" if tally.unfinished else ""))]
    if tally.final_accuracy is not None:
        rows.append(("accuracy", _share(tally.right, tally.scored + tally.unfinished, tally.final_interval)))
    if tally.majority is not None:
        gold, count = tally.majority
        rows.append((f"always {', '.join(gold)!r}", f"{count / tally.scored:.1%} ({count:,} of {tally.scored:,})"))
    rows.append(("statuses", ", ".join(f"{name} {count:,}" for name, count in tally.statuses.most_common()) or "none"))
    rows += [("incomplete", line[:200]) for line in tally.incomplete]
    if tally.error:
        rows.append(("last error", tally.error[:200]))
    guessed = f" ({tally.estimated_tokens:,} of them estimated)" if tally.estimated_tokens else ""
    rows.append(("tokens", f"{tally.input_tokens:,} in, {tally.output_tokens:,} out{guessed}"))
    cached = f" (+{tally.cached_calls:,} from the cache)" if tally.cached_calls else ""
    rows.append(("calls", f"{tally.model_calls:,} model calls{cached}, {tally.searches:,} searches"))
    each = tally.seconds / tally.lines if tally.lines else 0.0
    rows.append(("seconds", f"{tally.seconds:,.1f} for all questions, {each:.2f} each"))
    rows.append(("price", "unknown" if tally.price is None else f"${tally.price:f}"))
    rows.append(("run", str(path)))
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        say(f"{name:<{width}}  {value}")


def _share(right: int, of: int, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{right / of:.1%} [{low:.1%}, {high:.1%}] ({right:,} of {of:,}; 95 % Wilson)"
