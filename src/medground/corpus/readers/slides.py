"""Slides (PPTX): the text of each with its tables, and its notes; a section for each, whose number is its page."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from medground.corpus.readers.compose import Composition
from medground.corpus.readers.packages import link_of, linked, linked_as, named_document, part_xml
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.word_styles import Look, Styles
from medground.corpus.readers.word_text import Printed, within
from medground.corpus.readers.xml import Element, name_of
from medground.values.document import Document

_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr", "sldImg")
"""Places for the date, the foot, the number of the slide and its picture."""


def pptx_document(top: zipfile.Path, name: str) -> Document:
    """The document of slides."""
    deck = top / "ppt/presentation.xml"
    root, parts = part_xml(deck), linked(deck)
    printed = _Printed(Styles(root), {})
    composition = Composition()
    titles: list[str] = []
    places: list[tuple[int, ...]] = []
    hidden = 0
    for number, one in enumerate(root.iterfind("{*}sldIdLst/{*}sldId"), start=1):
        part = parts[link_of(one)][1]
        slide = part_xml(part)
        if slide.get("show") == "0":
            hidden += 1
            continue
        title = printed.title(slide)
        titles += filter(None, [title])
        start = len(composition.text)
        for text in printed.texts(slide):
            composition.add(text, title or f"Slide {number}")
        for notes in linked_as(part, "notesSlide"):
            for text in printed.texts(part_xml(notes)):
                composition.add(text, f"{title or f'Slide {number}'} > Notes")
        if (end := len(composition.text)) > start:
            places.append((start + 2 if start else 0, end, number, 0, 0, 0, 0))
    cautions = [f"{hidden} hidden slide{'s' * (hidden > 1)} left out"] if hidden else []
    about = {"title": (titles or [Path(name).stem])[0], "lines": places}
    return named_document(name, composition, about, titles[:1], [*cautions, *printed.cautions(root)])


class _Printed(Printed):
    """What slides print; how their letters are set stands in attributes."""

    def title(self, slide: Element) -> str:
        """The title of a slide; empty if it has none."""
        titles = (self.paragraph(shape) for shape in within(slide, "sp") if _place_of(shape) in _TITLES)
        return next(filter(None, titles), "")

    def texts(self, slide: Element) -> Iterator[str]:
        """The paragraphs and the rows of the tables of a slide or of notes, without its title."""
        for shape in within(slide, "sp", "graphicFrame"):
            for table in within(shape, "tbl"):
                yield from lines_of([[*self._cells(row)] for row in within(table, "tr")])
            if name_of(shape) == "graphicFrame":
                self.paragraph(shape)  # what cannot be read is counted
            elif _place_of(shape) not in (*_TITLES, *_FURNITURE):
                yield from map(self.paragraph, within(shape, "p"))

    def _cells(self, row: Element) -> Iterator[Cell]:
        for cell in within(row, "tc"):
            if not (cell.get("hMerge") or cell.get("vMerge")):
                rows, columns = int(cell.get("rowSpan", 1)), int(cell.get("gridSpan", 1))
                yield Cell(self._flat(cell), rows=rows, columns=columns)

    def _look(self, run: Element) -> Look:
        properties = run.find("{*}rPr")
        said = {} if properties is None else properties.attrib
        baseline, strike = said.get("baseline", "0"), said.get("strike", "noStrike")
        look = {"vertAlign": "superscript"} if baseline.strip("0%") and baseline[0] != "-" else {}
        return look | ({"strike": ""} if strike != "noStrike" else {})


def _place_of(shape: Element) -> str:
    """Which place of its layout a shape fills."""
    place = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return "" if place is None else place.get("type", "")
