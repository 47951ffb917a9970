"""100 files of a retracted paper, each in another form, and which of them the readers know, by what.

    python benchmarks/retraction_forms.py [--data ../shared/data]

The paper is in the table of retractions by PMID, DOI, PMC id and title. 44 files of nine formats hold no word of
retraction; 44 say by words alone, in a title, a banner or a field, that the paper was retracted or questioned; 12 are
about a listed paper: notices by their own DOI, or with a title that contains the listed one. What is known is set aside
or warned of. With `--data`, ordinary titles are tried, too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from medground.corpus.readers import find_inputs
from medground.corpus.retraction import doubt, listed, marked, why_aside
from medground.errors import MedgroundError
from medground.values.document import Document

TITLE = "Zorbamine lowers the rate of asthma attacks in children: a randomised trial"
TEXT = (
    "Asthma is common in children. In a trial of 320 children, zorbamine lowered the rate of attacks by a third. " * 3
)
PMID, PMC, DOI, NOTICE = "39999991", "PMC9999991", "10.5555/zorbamine.2021.7", "10.5555/zorbamine.2023.retraction"
ROW = {
    "Title": TITLE,
    "RetractionPubMedID": "0",
    "PMCID": PMC,
    "RetractionDOI": NOTICE,
    "RetractionNature": "Retraction",
    "OriginalPaperPubMedID": PMID,
    "OriginalPaperDOI": DOI.upper(),
    "RetractionDate": "3/4/2023 0:00",
}
IDS = {"pmid": PMID, "pmc": PMC, "doi": DOI}
Write = Callable[[Path], Path]


@dataclass(frozen=True)
class Form:
    """A file: its group, its name, and what writes it into a folder."""

    group: str
    name: str
    write: Write


def text(name: str, content: str) -> Write:
    """A file of this text."""

    def write(folder: Path) -> Path:
        (folder / name).write_text(content, encoding="utf-8")
        return folder / name

    return write


def page(head: str = "", banner: str = "", title: str = "A page") -> Write:
    """A web page."""
    body = "".join(f"<p>{TEXT} Part {n} of the text.</p>" for n in range(3))
    return text(
        "a.html", f"<!doctype html><html><head><title>{title}</title>{head}</head><body><article>{banner}{body}"
    )


def record(**fields: object) -> Write:
    """A line of JSON."""
    return text("a.jsonl", json.dumps({"id": "LAB:1", "title": "A record", "abstract": TEXT} | fields))


def tagged(name: str, *lines: str, title: str = "A record") -> Write:
    """RIS, ENW or NBIB."""
    heads = {"a.ris": ("TY  - JOUR\nTI  - ", "AB  - ", "ER  - "), "a.enw": ("%0 Journal Article\n%T ", "%X ", "")}
    first, abstract, last = heads.get(name, ("STAT- MEDLINE\nTI  - ", "AB  - ", ""))
    return text(name, "\n".join([f"{first}{title}", f"{abstract}{TEXT}", *lines, last, ""]))


def bib(field: str, value: str) -> Write:
    """BibTeX."""
    return text("a.bib", f"@article{{a, title={{A record}}, abstract={{{TEXT}}}, {field}={{{value}}}}}\n")


def word(before: str = "", title: str = "A file", **properties: str) -> Write:
    """A Word file."""

    def write(folder: Path) -> Path:
        import docx

        file = docx.Document()
        for line in filter(None, (before, title)):
            file.add_paragraph(line)
        file.add_paragraph(TEXT)
        for name, value in properties.items():
            setattr(file.core_properties, name, value)
        file.save(str(folder / "a.docx"))
        return folder / "a.docx"

    return write


def pdf(*lines: str, **properties: str) -> Write:
    """A PDF."""

    def write(folder: Path) -> Path:
        import textwrap

        from reportlab.pdfgen import canvas

        drawn = canvas.Canvas(str(folder / "a.pdf"))
        top = 780
        for line in (*lines, "Abstract", *textwrap.wrap(TEXT * 3, 90)):
            drawn.drawString(60, top, line)
            top -= 40 if line in lines else 14
        for name, value in properties.items():
            getattr(drawn, f"set{name.title()}")(value)
        drawn.save()
        return folder / "a.pdf"

    return write


def by_identity() -> list[Form]:
    """44 files without any word of retraction."""
    own = {
        "PMID": f"PMID: {PMID}",
        "DOI": f"doi: {DOI}",
        "DOI address": f"https://doi.org/{DOI}",
        "PMC id": f"PMCID: {PMC}",
    }
    linked = json.dumps({"@type": "ScholarlyArticle", "sameAs": f"https://doi.org/{DOI}"})
    named = json.dumps({"@graph": [{"identifier": {"propertyID": "pmid", "value": PMID}}]})
    made: list[tuple[str, Write]] = [
        *((f"text, a line of its {kind}", text("a.txt", f"A note\n\n{line}\n\n{TEXT}")) for kind, line in own.items()),
        ("text, a DOI alone", text("a.txt", f"{DOI}\n\n{TEXT}")),
        ("text, its title as the first line", text("a.txt", f"{TITLE}\n\n{TEXT}")),
        ("Markdown, its title", text("a.md", f"# {TITLE}\n\n{TEXT}")),
        ("Markdown, a line of its DOI", text("a.md", f"# A note\n\nDOI: {DOI}\n\n{TEXT}")),
        ("Markdown, a field", text("a.md", f"---\npmid: {PMID}\n---\n{TEXT}")),
        *(
            (f"page, citation_{k}", page(f'<meta name="citation_{k}" content="{v}">'))
            for k, v in (("pmid", PMID), ("doi", DOI), ("pmcid", PMC), ("title", TITLE))
        ),
        ("page, canonical", page(f'<link rel="canonical" href="https://doi.org/{DOI}">')),
        ("page, JSON-LD sameAs", page(f'<script type="application/ld+json">{linked}</script>')),
        ("page, JSON-LD identifier", page(f'<script type="application/ld+json">{named}</script>')),
        ("page, a line of its PMID", page(banner=f"<h1>A page</h1><p>PMID: {PMID}</p>")),
        ("page, a line of its DOI", page(banner=f"<h1>A page</h1><p>https://doi.org/{DOI}</p>")),
        ("Word, a line of its PMID", word(f"PMID: {PMID}")),
        ("Word, a line of its DOI", word(f"https://doi.org/{DOI}")),
        ("Word, its title", word(title=TITLE)),
        ("Word, identifier", word(identifier=f"doi:{DOI}")),
        ("Word, keywords", word(keywords=f"PMID: {PMID}")),
        ("Word, subject", word(subject=f"PMID: {PMID}")),
        ("PDF, a line of its PMID", pdf("A file about asthma in children", f"PMID: {PMID}")),
        ("PDF, a line of its DOI", pdf("A file about asthma in children", f"https://doi.org/{DOI}")),
        ("PDF, its title", pdf(TITLE, title=TITLE)),
        ("PDF, its subject", pdf("A file about asthma in children", subject=f"doi:{DOI}")),
        *(
            (f"RIS {tag}", tagged("a.ris", f"{tag}  - {value}"))
            for tag, value in (("DO", DOI), ("C2", PMID), ("C2", PMC), ("UR", f"https://doi.org/{DOI}"), ("M3", DOI))
        ),
        ("RIS TI", tagged("a.ris", title=TITLE)),
        ("NBIB PMID", tagged("a.nbib", f"PMID- {PMID}")),
        ("NBIB LID", tagged("a.nbib", "PMID- 1", f"LID - {DOI} [doi]")),
        ("ENW %R", tagged("a.enw", f"%R {DOI}")),
        ("BibTeX doi", bib("doi", DOI)),
        ("BibTeX note", bib("note", f"PMID: {PMID}")),
        ("CSV", text("a.csv", f"title,abstract,doi\nA record,{TEXT.replace(',', ' ')},{DOI}\n")),
        ("CSV, its title", text("a.csv", f"title,abstract\n{TITLE},{TEXT.replace(',', ' ')}\n")),
        ("JSON externalIds", record(externalIds={"DOI": DOI})),
        ("JSON, a PMC id", record(pmcid=PMC)),
        ("JSON, its title", record(title=f"[{TITLE.upper()}].")),
    ]
    return [Form("identity", *one) for one in made]


SAID = (
    "RETRACTED: {}", "RETRACTED ARTICLE: {}", "[Retracted] {}", "/RETRACTED/ {}", "Retracted and republished: {}",
    "WITHDRAWN: {}", "Withdrawal-T: {}", "Letter of retraction: {}",
    "Retraction notice to: {}", "{} (Retracted Article)",
    "{} - RETRACTED", "Status: Retracted. {}", "Rückzug: {}", "Zurückgezogen: {}", "Trabajo retractado: {}",
    "Artículo retirado: {}", "Article rétracté : {}", "Artigo retratado: {}", "Articolo ritirato: {}", "【撤稿】{}",
    "撤回論文：{}", "Статья отозвана: {}", "Editor's Note: Retraction of: {}",
    "Expression of Concern: {}", "Erratum: {}",
    "TEMPORARY REMOVAL: {}",
)  # fmt: skip
BANNERS = (
    "RETRACTED ARTICLE", "This article has been retracted.", "Status: Retracted.", "/RETRACTED/", "Trabajo retractado",
    "Cet article a été rétracté.", "Dieser Artikel wurde zurückgezogen.", "撤稿", "Withdrawn by the authors",
    "This paper was withdrawn because of errors in its data.",
)  # fmt: skip
FIELDS: tuple[dict[str, object], ...] = (
    {"is_retracted": True}, {"retraction_date": "2023-03-04"}, {"status": "Retracted"}, {"retracted": "yes"},
    {"publication_types": ["Retracted Publication"]}, {"type": "retraction"}, {"retraction": {"date": "2023"}},
    {"updated-by": [{"type": "retraction", "DOI": NOTICE}]},
)  # fmt: skip


def by_words() -> list[Form]:
    """44 files that say so by words alone; their paper is not listed."""
    other = "Quexadol for migraine in adults: a cohort study"
    titles = [(form, record(title=form.format(other))) for form in SAID]
    banners = [(f"banner {line}", text("a.md", f"{line}\n\n# {other}\n\n{TEXT}")) for line in BANNERS]
    fields = [(f"field {json.dumps(one)}", record(title=other, **one)) for one in FIELDS]
    return [Form("words", *one) for one in (*titles, *banners, *fields)]


def about_it() -> list[Form]:
    """12 records about the listed paper."""
    heads = (
        "Comment on: {}",
        "Reply: {}",
        "Letter about “{}”",
        "Re: {}",
        "A reanalysis of '{}'",
        "Rückzug: {}",
        "Aviso: {}",
    )
    made = [(head, record(title=head.format(TITLE))) for head in heads]
    made += [(f"{{}} {tail}", record(title=f"{TITLE} {tail}")) for tail in ("[reply]", "- an answer", "(letter)")]
    made += [
        ("DOI of its notice", record(doi=NOTICE)),
        ("line of its notice", text("a.txt", f"A note\n\ndoi:{NOTICE}\n\n{TEXT}")),
    ]
    return [Form("about it", *one) for one in made]


def forms() -> list[Form]:
    """All 100."""
    return [*by_identity(), *by_words(), *about_it()]


def what_is_known(form: Form, folder: Path) -> str:
    """What is known of a file: `identity`, `words` or `warned`; empty if nothing is; or why it was not read."""
    try:
        (given,) = (one for one in find_inputs([form.write(folder)]) if one.refused is None)
        (document,) = (one for one in given.read(0) if isinstance(one, Document))
    except (MedgroundError, ValueError) as error:
        return f"not read: {error}"
    bare = document.model_copy(update={"retraction": "none", "cautions": (), "publication_types": ()})
    known = marked(document)
    if why_aside(known) is None:
        return "warned" if doubt(known) else ""
    return "identity" if marked(bare).retraction != "none" and form.group != "words" else "words"


def table_of_papers() -> str:
    """Retraction Watch's table with the one paper in it."""
    quoted = (f'"{value}"' for value in ROW.values())
    return f"{','.join(ROW)}\n{','.join(quoted)}\n"


def titles(data: Path) -> list[str]:
    """Titles of papers that nobody has retracted, as far as the table knows."""
    found: list[str] = []
    for path, key, number in (
        ("pubmedqa/pqa_l.jsonl.gz", "question", "pmid"),
        ("scifact/corpus.jsonl.gz", "title", ""),
    ):
        with gzip.open(data / path, "rt", encoding="utf-8") as lines:
            records = map(json.loads, lines)
            found += [one[key] for one in records if f"pmid:{one.get(number)}" not in listed()]
    return found


def show(found: list[tuple[Form, str]], data: Path | None) -> None:
    """Print a row for each group, what is not known, and which ordinary titles are told of falsely."""
    print("| group | files | known | by identity | by words | warned |\n| --- | --- | --- | --- | --- | --- |")
    for group in ("identity", "words", "about it"):
        own = Counter(known for form, known in found if form.group == group)
        told = [own[how] for how in ("identity", "words", "warned")]
        print(f"| {group} | {own.total()} | {sum(told)} | {' | '.join(map(str, told))} |")
    for form, known in found:
        if known not in ("identity", "words", "warned"):
            print(f"not known: {form.group}: {form.name} {known}")
    if data:
        ordinary = titles(data)
        said = [
            t
            for t in ordinary
            if (one := Document(id="X:1", title=t, text=t)) and (why_aside(marked(one)) or doubt(marked(one)))
        ]
        print(f"{len(ordinary)} ordinary titles, {len(said)} told of falsely", *said, sep="\n  ")


def main() -> None:
    """Print a row for each group, and what is not known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["MEDGROUND_HOME"] = name
        try:
            from medground.corpus.retraction_table import update
        except ImportError:
            print("(no table can be read)")
        else:
            update(Path(name), table_of_papers(), "the table")
        found = []
        for number, form in enumerate(forms()):
            (folder := Path(name) / str(number)).mkdir()
            found.append((form, what_is_known(form, folder)))
        show(found, given.data)


if __name__ == "__main__":
    sys.exit(main())
