"""One record of EndNote's tagged format (`.enw`): `%A Author`, `%T Title`, `%J Journal`, `%D Year`."""

from __future__ import annotations

from collections import defaultdict

from medground.corpus.readers.entry import described
from medground.corpus.readers.values import joined, pmid_of_accession
from medground.document import Document

_BOOKS = ("book", "book section", "edited book", "encyclopedia")
_TOLD = {"%V": "volume", "%N": "issue", "%P": "pages", "%@": "issn", "%I": "publisher", "%C": "place", "%Z": "notes"}


def enw_document(record: str) -> Document:
    """The document of a record.

    Raises:
        ValueError: the record has neither title nor abstract.
    """
    lines: defaultdict[str, list[list[str]]] = defaultdict(list)
    last = ""
    for line in record.split("\n"):
        if line.startswith("%") and line[2:3] in (" ", ""):
            last = line[:2]
            lines[last].append([line[3:].strip()])
        elif line.strip() and last == "%K":  # EndNote writes each keyword on a line
            lines[last].append([line.strip()])
        elif line.strip() and last:
            lines[last][-1].append(line.strip())
    tags = joined(lines)
    one = {tag: values[0] for tag, values in tags.items()}
    kind = one.get("%0", "").casefold()
    accession = one.get("%M", "")
    return described(
        {
            "title": one.get("%T"),
            "abstract": one.get("%X"),
            "authors": tags["%A"],
            "year": one.get("%D"),
            "date": f"{one.get('%8', '')} {one.get('%D', '')}".strip(),
            "journal": one.get("%J") or one.get("%B"),
            "doi": one.get("%R"),
            "pmid": pmid_of_accession(accession),
            "url": one.get("%U"),
            "language": one.get("%G"),
            "keywords": [word for value in tags["%K"] for word in value.split(";")],
            "publication_types": [*([one["%0"]] if kind == "journal article" else []), *tags["%9"]],
            "kind": "book" if kind in _BOOKS else "web" if kind == "web page" else "research",
            "metadata": {name: tags[tag] for tag, name in _TOLD.items() if tags[tag]},
        }
    )
