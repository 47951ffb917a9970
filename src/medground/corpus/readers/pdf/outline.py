"""Which headings stand over each paragraph of a paper, and where its abstract ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medground.corpus.readers.pdf.kinds import ABSTRACT, AFTER, KNOWN
from medground.corpus.readers.pdf.lines import Line
from medground.language.quoting.headings import parts_of

Labelled = tuple[str | None, list[Line]]
"""The section of a paragraph (`Methods > Patients`), and its lines."""


@dataclass(frozen=True)
class Heading:
    """A heading as it is printed; one without a label only ends an abstract, as keywords do.

    Attributes:
        main: it is set as the headings of sections are.
        run_in: its text goes on in the same line.
        numbered: it has a number, as no part of an abstract has.
    """

    label: str
    main: bool = False
    run_in: bool = False
    numbered: bool = False

    @property
    def stage(self) -> int | None:
        """How far on in a paper its part comes; None if it names none."""
        return max((_STAGES.index(part) for part in parts_of(self.label) if part in _STAGES), default=None)


_STAGES = ("opening", "methods", "results", "discussion", "conclusion", "back")
_CONCLUSION = _STAGES.index("conclusion")


def labelled(items: Sequence[Heading | list[Line]]) -> Iterator[Labelled]:
    """The paragraphs of a paper, each with the headings over it; `items` are both, in order."""
    abstract = _abstract(items)
    later = [one for at, one in enumerate(items) if isinstance(one, Heading) and at not in abstract]
    alike = all(one.main for one in later if one.label and not one.run_in)
    left = sum(KNOWN.fullmatch(one.label) is not None for one in later)
    path: tuple[str, ...] = ()
    for at, item in enumerate(items):
        if at == abstract.stop:
            path = ()
        if not isinstance(item, Heading):
            yield " > ".join(path) or None, item
        elif at in abstract:
            path = (path[0], item.label) if at > abstract.start else (item.label,)
        elif item.label:
            left -= KNOWN.fullmatch(item.label) is not None
            within = bool(path) and (item.run_in or alike) and _is_within(item, path[0], inside=left > 0)
            path = (path[0], item.label) if path and (within or not (item.main or item.run_in)) else (item.label,)


def _is_within(heading: Heading, section: str, *, inside: bool) -> bool:
    """Whether a heading that is not set below others is one within a section, by its name.

    `inside`: another section of a name that papers have follows, so that this is not what stands after the paper.
    """
    if not KNOWN.fullmatch(section):
        return heading.run_in and not AFTER.match(section)
    return not KNOWN.fullmatch(heading.label) and (inside or not AFTER.match(heading.label))


def _abstract(items: Sequence[Heading | list[Line]]) -> range:
    """The items of the abstract, its heading first.

    Its parts come in the order of a paper. It ends where this order begins again, at a heading of another kind, or,
    where the introduction has no heading, after the first paragraph that may be its last.
    """
    begin = next((at for at, one in enumerate(items) if isinstance(one, Heading) and ABSTRACT.match(one.label)), None)
    if begin is None or any(isinstance(one, Heading) and one.stage for one in items[:begin]):
        return range(0)
    parts: list[Heading] = []
    for at in range(begin + 1, len(items)):
        item, after_text = items[at], isinstance(items[at - 1], list)
        reached = max((part.stage or 0 for part in parts), default=0)
        if isinstance(item, Heading):
            runs_in = all(part.run_in for part in parts)
            if _ends_abstract(item, reached, after_text=after_text, runs_in=runs_in):
                return range(begin, at)
            parts.append(item)
        elif after_text and (reached >= _CONCLUSION or not parts) and not _is_introduced(items[at:]):
            return range(begin, at)
    return range(begin, len(items))


def _ends_abstract(heading: Heading, reached: int, *, after_text: bool, runs_in: bool) -> bool:
    """Whether a heading is none of an abstract that has `reached` a stage; `runs_in`: all its headings do."""
    set_apart = not heading.run_in
    if not heading.label or heading.numbered or (set_apart and after_text and runs_in):
        return True
    if heading.stage is None:
        return set_apart and reached >= _CONCLUSION
    return heading.stage < reached or (after_text and heading.label.casefold().startswith("introduction"))


def _is_introduced(items: Sequence[Heading | list[Line]]) -> bool:
    """Whether the next heading that names a part of a paper is that of an introduction."""
    stages = (one.stage for one in items if isinstance(one, Heading) and one.label)
    return next((stage for stage in stages if stage is not None), None) == 0
