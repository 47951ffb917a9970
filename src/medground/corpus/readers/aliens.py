"""What to say of a file that no reader accepts: what it is, and what to do."""

from __future__ import annotations

from pathlib import Path

_READ = "Medground reads PDF, PubMed, JATS, HTML, DOCX, RIS, nbib, BibTeX, CSV, JSON, Markdown and text"
_KINDS = {
    "an image, which holds no text": ".png .jpg .jpeg .gif .tif .tiff .bmp .webp .svg .heic .ico .eps",
    "an archive; unpack it": ".zip .rar .7z .tar .tgz .bz2 .xz .zst",
    "an old Word document; save it as .docx": ".doc .dot",
    "a text document of another program; save it as .docx": ".odt .rtf .pages .wpd",
    "a spreadsheet; save it as .csv": ".xls .xlsx .xlsm .ods .numbers",
    "slides; save them as .docx or text": ".ppt .pptx .odp .key",
    "an e-book; save it as HTML or text": ".epub .mobi .azw .azw3",
    "sound or film, which holds no text": ".mp3 .wav .m4a .mp4 .mov .avi .mkv .webm",
    "a program or its settings": ".py .r .js .css .sh .exe .dll .so .ipynb .toml .yaml .yml .ini .cfg .lock .log",
    "a reference manager's own database; export it as RIS or BibTeX": ".enl .enlx .sqlite .db .bdsk",
    "data of a statistics program; save it as .csv": ".sav .dta .sas7bdat .rdata .rds .parquet .feather .mat",
}
_REASONS = {suffix: reason for reason, suffixes in _KINDS.items() for suffix in suffixes.split()}


def is_alien(path: Path) -> bool:
    """Whether the suffix alone says that a file is no literature."""
    return path.suffix.lower() in _REASONS


def alien(path: Path, *, binary: bool) -> str:
    """Why a file is passed over, in one line."""
    known = _REASONS.get(path.suffix.lower())
    if known is not None:
        return known
    return f"this is a binary file; {_READ}" if binary else f"unknown file format; {_READ}"
