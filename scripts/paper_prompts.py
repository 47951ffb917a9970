"""Write the prompts that a paper prints as files for the presets `*-verbatim`. The paper is yours; none of it is here.

usage: python scripts/paper_prompts.py PAPER FILE [--out FOLDER]

PAPER is 000 (PubMed Reasoner), 001 (Reason and Verify) or 002 (Omni-RAG), FILE its PDF, or its text as .txt or .md. The
files go to FOLDER/PAPER, by default in `prompts` of Medground's home. Read them before use: a PDF has its text in the
order of its layout. `paper_prompts.toml` says where each prompt stands.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PLACES = Path(__file__).with_suffix(".toml")
_BETWEEN = r"[\s#*\\_]+"
"""What may stand between two words of an anchor: white space and marks of Markdown."""
_BARE_NUMBER = re.compile(r"^[\d \t]+$\n?", re.MULTILINE)
"""Numbers of lines and pages."""
_QUOTED = re.compile(r'"\*?([^"*]+)\*?"')
_SIGNS = {"“": '"', "”": '"', "’": "'", "\u00a0": " "}


class NotFoundInPaper(Exception):
    """A heading is not in the text."""


def text_of(path: Path) -> str:
    """The text of a PDF, or of a text file."""
    if path.suffix.casefold() != ".pdf":
        return path.read_text(encoding="utf-8")
    from pypdfium2 import PdfDocument

    with PdfDocument(path) as paper:
        return "\n".join(page.get_textpage().get_text_range() for page in paper).replace("\r\n", "\n")


def cleaned(text: str) -> str:
    """Text without line numbers, marks of Markdown and curly quotes; white space at the ends of lines is gone."""
    text = _BARE_NUMBER.sub("", text)
    text = re.sub(r"\\([_*#\[\]])", r"\1", text)
    text = re.sub(r"\*\*|^#+(?: |$)|^```.*$", "", text, flags=re.MULTILINE)
    for sign, plain in _SIGNS.items():
        text = text.replace(sign, plain)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE))


def between(text: str, start: str, end: str) -> str:
    """What stands between the last place of an anchor and the next place of another, or the end of the text."""
    starts, ends = (re.compile(_BETWEEN.join(map(re.escape, anchor.split()))) for anchor in (start, end))
    places = list(starts.finditer(text))
    if not places:
        raise NotFoundInPaper(f"the text has no {start!r}; is it this paper, with its appendix?")
    first = places[-1].end()
    last = ends.search(text, first)
    return text[first : last.start() if last else None].strip()


def prompt_of(text: str, place: dict[str, Any]) -> str:
    """The file of a prompt: the system prompt, a line `---`, and the user prompt with our names of its slots."""
    parts = [cleaned(between(text, *anchors)) for anchors in place["parts"]]
    prompt = f"\n{place.get('between', '')}\n".join(parts).strip()
    for note in place.get("drop", ()):
        prompt = re.sub(rf"\s*{re.escape(note)}[^)]*\)", "", prompt)
    for note, anchors in place.get("insert", {}).items():
        prompt = prompt.replace(note, cleaned(between(text, *anchors)))
    for note, anchors in place.get("quote", {}).items():
        quoted = _QUOTED.search(cleaned(between(text, *anchors)))
        if quoted is None:
            raise NotFoundInPaper(f"nothing is quoted after {anchors[0]!r}")
        prompt = prompt.replace(note, quoted[1])
    for theirs, ours in place.get("slots", {}).items():
        if theirs not in prompt:
            raise NotFoundInPaper(f"a prompt has no {theirs!r}")
        prompt = prompt.replace(theirs, ours)
    if "user" in place:
        system, heading, user = prompt.partition(place["user"])
        prompt = f"{system.strip()}\n\n---\n{heading}{user}"
    elif "between" not in place:
        prompt = f"---\n{prompt}"
    return prompt + "\n"


def main() -> None:
    """Write the files of one paper."""
    about, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=usage)
    places = tomllib.loads(PLACES.read_text(encoding="utf-8"))
    parser.add_argument("paper", choices=sorted(places))
    parser.add_argument("file", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.out is None:
        from medground import Settings

        given.out = Settings.load().home / "prompts"
    folder = given.out / given.paper
    try:
        text = text_of(given.file)
        written = {name: prompt_of(text, place) for name, place in places[given.paper].items()}
    except (NotFoundInPaper, OSError, UnicodeDecodeError) as error:
        sys.exit(f"{given.file}: {error}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, prompt in written.items():
        (folder / name).write_text(prompt, encoding="utf-8")
        print(f"{folder / name}: {len(prompt.split())} words")


if __name__ == "__main__":
    main()
