"""PDFs drawn line by line, as programs that set journals do."""

from pathlib import Path
from typing import Any

import pytest

WIDTH, HEIGHT = 595, 842
LOREM = (
    "Patients who took aspirin every day had fewer strokes than those who took placebo. The difference was seen in men "
    "and in women of all ages. Bleeding was more frequent in the group that was treated. No other harm was recorded "
    "during the two years of the trial. The effect was largest in those who had smoked before. We found no sign that "
    "it became smaller with time."
)


class Print:
    """A PDF that is being drawn; `raw` is reportlab's canvas. Lines begin 60 points from the left."""

    def __init__(self, path: Path, title: str = "", **options: Any) -> None:
        canvas = pytest.importorskip("reportlab.pdfgen.canvas")
        self.raw: Any = canvas.Canvas(str(path), pagesize=(WIDTH, HEIGHT), **options)
        self.raw.setTitle(title)
        self.path = path

    def line(self, y: float, text: str, size: float = 10, font: str = "Times-Roman", x: float = 60) -> None:
        self.raw.setFont(font, size)
        self.raw.drawString(x, y, text)

    def text(
        self, y: float, text: str, size: float = 10, font: str = "Times-Roman", x: float = 60, width: float = 470
    ) -> float:
        """Text in lines of a width, without hyphens; returns the height below its last line."""
        row = ""
        for word in [*text.split(), ""]:
            if not word or self.raw.stringWidth(f"{row} {word}", font, size) > width:
                self.line(y, row, size, font, x)
                row, y = "", y - 1.2 * size
            row = f"{row} {word}".strip()
        return y

    def bold(self, y: float, text: str, size: float = 12) -> float:
        return self.text(y, text, size, "Times-Bold")

    def page(self) -> None:
        self.raw.showPage()

    def save(self) -> Path:
        self.raw.save()
        return self.path
