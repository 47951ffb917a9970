"""Measures what the PDF reader finds of articles whose text, pages, title and year are known.

    python scripts/make_pdfs.py JATS_FOLDER OUT [--layouts unseen]
    python benchmarks/pdf_reading.py OUT [--worst 5]

- Character error: edits between the running text and the article's (legends, tables and references apart), by the
  length of the article's; white space counts as one space.
- Sentences: share of the article's sentences that are in the text letter by letter. Page: share of those found whose
  page is the one on which the print has their first letter. Boxes: share of those found that can be highlighted: the
  text inside their boxes in the file matches the sentence at 0.9. Alone: share of those found whose boxes hold the
  sentence and, but for a twentieth of the letters, nothing else.
- Section: share of those found whose section names the parts of a paper that the print's headings over them name.
- Title, year, DOI, authors: share that is right. Where the print has none, nothing found is right.
- Speed: pages per second of one core, with everything that the reader does.

Baselines, on the same files: the whole text as PDFium and as pypdf give it. Intervals: 95 %, bootstrap over articles.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from medground.corpus.readers.pdf import open_pdf
from medground.corpus.readers.pdf.highlights import highlights
from medground.language.quoting.headings import parts_of
from medground.values.document import Box, Document

LEGEND = re.compile(r"(?:Figure|Table|Scheme|Box) \S+$")
SAMPLES = 1000
ALONE = 95
SHORT = 40
"""A sentence of fewer letters may be a heading or a cell."""


@dataclass
class Scores:
    """Of one article: counts that are summed over articles."""

    name: str
    layout: str
    pages: int = 0
    seconds: float = 0.0
    counts: dict[str, tuple[float, float]] = field(default_factory=dict)
    sections: list[tuple[str, str | None, str]] = field(default_factory=list)
    """Each sentence found, the section it has, and that which the print gives it."""


def measure(path: Path) -> Scores:
    """Read one PDF, and compare with what is true of it."""
    truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    started = time.process_time()
    (document,) = (item for item in open_pdf(path).read(0) if isinstance(item, Document))
    seconds = time.process_time() - started
    running, legends = parts(document)
    scores = Scores(path.stem, truth["layout"], _pages(path), seconds)
    wanted = flat(" ".join(truth["text"]))
    scores.counts["character error"] = (Levenshtein.distance(wanted, flat(running)), len(wanted))
    found, right, boxed, alone = placed(document, truth["running"], path)
    scores.sections = list(sections(document, truth["running"], truth["sections"]))
    scores.counts["sentences"] = (found, len(truth["running"]))
    scores.counts["page"] = (right, found)
    right = sum(parts_of(there) == parts_of(wanted) for _, there, wanted in scores.sections)
    scores.counts["section"] = (right, len(scores.sections))
    scores.counts["boxes"] = (boxed, found)
    scores.counts["alone"] = (alone, found)
    told = sum(flat(said) in flat(legends) for said, page in truth["legends"] if page)
    scores.counts["legends"] = (told, sum(page is not None for _, page in truth["legends"]))
    scores.counts["title"] = (letters(document.title) == letters(truth["title"]), 1)
    scores.counts["year"] = (document.year == truth["year"], 1)
    scores.counts["DOI"] = (document.identifiers.get("doi", "") == truth["doi"].lower(), 1)
    surnames = {letters(name.split()[-1]) for name in truth["authors"][:12]}
    known = {letters(part) for name in document.authors for part in name.split()}
    scores.counts["authors"] = (len(surnames & known), len(surnames))
    return scores


def parts(document: Document) -> tuple[str, str]:
    """The running text and the legends of a document."""
    legends = [document.text[s.start : s.end] for s in document.sections if LEGEND.match(s.label)]
    first = min((s.start for s in document.sections if LEGEND.match(s.label)), default=len(document.text))
    return document.text[:first], " ".join(legends)


def placed(document: Document, sentences: Sequence[tuple[str, int]], path: Path) -> tuple[int, int, int, int]:
    """How many sentences are found, on the right page, can be highlighted, and are so alone."""
    spans, pages, last = [], [], 0
    text = flat(document.text, keep_length=True)
    for said, page in sentences:
        said = flat(said)
        at = text.find(said, last) if said in text[last:] else text.find(said)
        if at >= 0:
            spans.append((at, at + len(said)))
            pages.append(document.page_at(at) == page)
            last = at
    boxes = highlights(path, document, spans)
    said_there = inside(path, boxes)
    alone = sum(
        fuzz.ratio(letters(document.text[start:end]), letters(there)) >= ALONE
        for (start, end), there in zip(spans, said_there, strict=True)
    )
    return len(spans), sum(pages), sum(map(bool, boxes)), alone


def sections(
    document: Document, sentences: Sequence[tuple[str, int]], printed: Sequence[str]
) -> Iterator[tuple[str, str | None, str]]:
    """The sections of the sentences that stand once in a document: as it was read, and as it is printed."""
    text = flat(document.text, keep_length=True)
    for (said, _), wanted in zip(sentences, printed, strict=True):
        if text.count(flat(said)) == 1 and len(said) > SHORT:
            yield said, document.section_at(text.index(flat(said))), wanted


def inside(path: Path, found: Sequence[Sequence[Box]]) -> list[str]:
    """The text that a file has inside each list of boxes."""
    from pypdfium2 import PdfDocument

    pages = [page.get_textpage() for page in PdfDocument(path)]
    return ["".join(pages[box.page - 1].get_text_bounded(*box[1:]) for box in boxes) for boxes in found]


def baseline(path: Path, read: Callable[[Path], str]) -> dict[str, tuple[float, float]]:
    """Character error and sentences of a reader that gives the whole text."""
    truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    wanted, text = flat(" ".join(truth["text"])), flat(read(path))
    found = sum(flat(said) in text for said, _ in truth["running"])
    return {
        "character error": (Levenshtein.distance(wanted, text), len(wanted)),
        "sentences": (found, len(truth["running"])),
    }


def by_pdfium(path: Path) -> str:
    """The text as PDFium gives it."""
    from pypdfium2 import PdfDocument

    return "\n".join(page.get_textpage().get_text_range() for page in PdfDocument(path))


def by_pypdf(path: Path) -> str:
    """The text as pypdf gives it."""
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def flat(text: str, *, keep_length: bool = False) -> str:
    """White space as one space; characters of one meaning (bullets, hyphens, the two letters mu) alike."""
    text = re.sub("[\u2022\u2010\u2011]", "-", text).replace("\u00b5", "\u03bc")
    text = text.replace("\ufb01", "fi").replace("\ufb02", "fl")
    return re.sub(r"\s", " ", text) if keep_length else " ".join(text.split())


def letters(text: str) -> str:
    """Letters and digits only."""
    return re.sub(r"[\W_]+", "", text.casefold())


def share(counts: Sequence[tuple[float, float]]) -> str:
    """The share of summed counts in percent, with its interval."""
    if not sum(whole for _, whole in counts):
        return "-"
    rng = random.Random(1)
    totals = sorted(_share(rng.choices(counts, k=len(counts))) for _ in range(SAMPLES))
    return f"{100 * _share(counts):.2f} [{100 * totals[25]:.2f}, {100 * totals[-26]:.2f}]"


def _share(counts: Sequence[tuple[float, float]]) -> float:
    return sum(part for part, _ in counts) / max(sum(whole for _, whole in counts), 1e-9)


def _pages(path: Path) -> int:
    from pypdfium2 import PdfDocument

    return len(PdfDocument(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worst", type=int, default=0, help="also list the articles with the most errors")
    parser.add_argument("--baselines", type=int, default=20, help="how many articles the baselines read")
    parser.add_argument("--labels", type=int, default=0, help="also draw so many sentences, and list wrong sections")
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.glob("*.pdf"))
    scores = [measure(path) for path in paths]
    groups = {
        "all": scores,
        **{name: [s for s in scores if s.layout == name] for name in sorted({s.layout for s in scores})},
    }
    print(f"| | {' | '.join(f'{name} ({len(group)})' for name, group in groups.items())} |")
    print(f"| --- |{' --- |' * len(groups)}")
    for measured in scores[0].counts:
        print(
            f"| {measured}, % | {' | '.join(share([s.counts[measured] for s in group]) for group in groups.values())} |"
        )
    speeds = [f"{sum(s.pages for s in g) / sum(s.seconds for s in g):.0f}" for g in groups.values()]
    print(f"| pages per second | {' | '.join(speeds)} |")
    for name, read in (("PDFium", by_pdfium), ("pypdf", by_pypdf)):
        chosen = [baseline(path, read) for path in paths[: arguments.baselines]]
        said = ", ".join(f"{key} {share([one[key] for one in chosen])} %" for key in chosen[0])
        print(f"baseline {name} ({len(chosen)} articles): {said}")
    every = [(one.name, *section) for one in scores for section in one.sections]
    drawn = random.Random(1).sample(every, min(arguments.labels, len(every)))
    wrong = [label for label in drawn if parts_of(label[2]) != parts_of(label[3])]
    if drawn:
        print(f"sections right in {len(drawn) - len(wrong)} of {len(drawn)} sentences drawn")
    for name, said, there, wanted in wrong:
        print(f"{name}: {there!r} instead of {wanted!r}: {said}")
    key = "character error"
    for one in sorted(scores, key=lambda s: -s.counts[key][0] / s.counts[key][1])[: arguments.worst]:
        print(one.name, one.layout, one.pages, {k: f"{100 * _share([v]):.1f}" for k, v in one.counts.items()})


if __name__ == "__main__":
    main()
