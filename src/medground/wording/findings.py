"""The findings of a check of a text in words: the name of each kind, places in lines, counts, and a page of blocks."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from medground.language.clean import clean, joined, some
from medground.values.finding import Finding, FindingKind, JoinedReference, TextCheck
from medground.wording.blocks import Block, Line, Span, Style, heading, line, note

KINDS: Mapping[FindingKind, str] = {
    "supported": "Supported",
    "contradicted": "Contradicted",
    "silent": "Not in the cited text",
    "elsewhere": "Stated by another paper",
    "fabricated_quote": "Fabricated quotation",
    "altered_quote": "Altered quotation",
    "number": "Wrong number",
    "false_absence": "False absence",
    "retracted": "Retracted paper",
    "wrong_reference": "Wrong reference",
    "not_checked": "Not checked",
}
"""The name of each kind, for people."""
FAULTS = tuple(kind for kind in KINDS if kind not in ("supported", "not_checked"))

_LINE_END = re.compile(r"\r\n?|\n")


def style(kind: FindingKind) -> Style:
    """How a kind looks; its name always stands beside the colour."""
    return "bad" if kind in FAULTS else "good" if kind == "supported" else "caution"


class Places:
    """Lines and columns of a text, both from 1, by offsets in code points."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def at(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset."""
        number = bisect_right(self._starts, offset)
        return number, offset - self._starts[number - 1] + 1


def counted(check: TextCheck) -> dict[FindingKind, int]:
    """How many findings there are of each kind, in the order of `KINDS`."""
    counts = Counter(finding.kind for finding in check.findings)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def summary(check: TextCheck) -> str:
    """The findings in one line: `12 sentences: 8 supported, 3 wrong number, 1 not checked`."""
    kinds = ", ".join(f"{count:,} {KINDS[kind].lower()}" for kind, count in counted(check).items())
    return f"{some(len(check.findings), 'sentence')}: {kinds}" if kinds else "No sentence to check was found"


def slices(text: str, check: TextCheck, file: str) -> Iterator[tuple[str, int | None]]:
    """A text cut at its findings: each piece with the number of its finding among `check.findings`, if it has one."""
    last = 0
    own = ((at, one) for at, one in enumerate(check.findings) if one.file == file)
    for number, finding in sorted(own, key=lambda found: found[1].start):
        start, end = max(finding.start, last), min(finding.end, len(text))
        if start >= end:
            continue
        yield text[last:start], None
        yield text[start:end], number
        last = end
    yield text[last:], None


def blocks(check: TextCheck, accepted: Collection[Finding] = ()) -> Iterator[Block]:
    """The page of a check: its sentences with what was found, references that were not joined, remarks, the summary.

    `accepted`: findings that are known and were let pass.
    """
    places = places_of(check)
    for finding in check.findings:
        yield _finding(finding, place(finding, places), finding in accepted)
    if apart := unjoined(check):
        yield heading("References that were not joined to a stored paper")
        for one in apart:
            yield note(f"{one.mark} {joined(one.entry)}: {one.reason or 'not stored'}", "caution")
    if check.remarks:
        yield heading("How the text was read")
        yield from map(note, check.remarks)
    passed = f"; {len(accepted):,} accepted by the baseline" if accepted else ""
    yield Block("decision", (line(f"{summary(check)}{passed}"),))


def unjoined(check: TextCheck) -> list[JoinedReference]:
    """The references that no stored paper was found for."""
    return [reference for reference in check.references if reference.ref is None]


def places_of(check: TextCheck) -> dict[str, Places]:
    """The lines of each text."""
    return {file: Places(text) for file, text in check.texts.items()}


def place(finding: Finding, places: Mapping[str, Places]) -> str:
    """Where a sentence begins: `FILE:LINE:COLUMN`."""
    if (known := places.get(finding.file)) is None:
        return f"{finding.file}:{finding.start}"
    return f"{finding.file}:{':'.join(map(str, known.at(finding.start)))}"


def _finding(finding: Finding, where: str, accepted: bool) -> Block:
    first: Line = (
        Span(f"{where}: ", "dim"),
        Span(KINDS[finding.kind], style(finding.kind)),
        Span(" (accepted)" if accepted else "", "dim"),
    )
    lines = [first, line(joined(finding.sentence))]
    lines += [line(said) for said in details(finding)]
    return Block("paragraph", tuple(lines))


def details(finding: Finding) -> Iterator[str]:
    """What a finding rests on, a line each: the papers cited, the quote, the reason."""
    if finding.cited:
        yield f"Cited: {', '.join(finding.cited)}"
    if finding.evidence is not None:
        yield f"“{joined(finding.evidence.quote)}” ({finding.evidence.ref})"
    if finding.reason:
        yield clean(finding.reason)
