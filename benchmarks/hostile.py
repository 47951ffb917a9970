"""Hostile files of every format that a corpus is built from, for `hostile_files.py`. Nothing here is random."""

# ruff: noqa: E501 (the files are lines of markup)

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path

Make = Callable[[Path], None]
MB = 1_000_000
WORDS = "Aspirin reduced pain in adults with acute migraine after two hours. "

_ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><Journal><Title>J</Title></Journal>"
    "<ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText Label='{label}'>{text}</AbstractText></Abstract>"
    "{article}</Article>{citation}</MedlineCitation>{record}</PubmedArticle>"
)
_JATS = (
    "<article><front><article-meta><article-id pub-id-type='pmid'>1</article-id><title-group><article-title>{title}"
    "</article-title></title-group>{meta}</article-meta></front><body><sec><title>{label}</title><p>{text}</p>{body}"
    "</sec></body></article>"
)


def pubmed(*, before: str = "", **fields: str) -> str:
    """PubMed XML of one article; fields that are not given are plain."""
    plain = {"pmid": "1", "title": "T", "label": "RESULTS", "text": WORDS, "article": "", "citation": "", "record": ""}
    return f"{before}<PubmedArticleSet>{_ARTICLE.format(**(plain | fields))}</PubmedArticleSet>"


def jats(**fields: str) -> str:
    """JATS of one article; fields that are not given are plain."""
    return _JATS.format(**({"title": "T", "meta": "", "label": "Results", "text": WORDS, "body": ""} | fields))


def text(name: str, content: str, *, packed: bool = False) -> Make:
    """A file of this text."""

    def make(place: Path) -> None:
        data = content.encode("utf-8", "surrogatepass")
        (place / name).write_bytes(gzip.compress(data, 6) if packed else data)

    return make


def raw(name: str, content: bytes) -> Make:
    """A file of these bytes."""
    return lambda place: (place / name).write_bytes(content) and None


def stream(name: str, first: str, unit: str, count: int, last: str, *, packed: bool = True) -> Make:
    """A file, packed as a rule, of one unit again and again, made without holding it."""

    def make(place: Path) -> None:
        block = unit * max(1, MB // max(1, len(unit)))
        left = len(unit) * count
        with gzip.open(place / name, "wt", 6) if packed else (place / name).open("w") as file:
            file.write(first)
            while left > 0:
                file.write(block[:left])
                left -= len(block)
            file.write(last)

    return make


_REF = "<ref><pub-id pub-id-type='pmid'>@</pub-id></ref>"
_LABELLED = "<AbstractText Label='L@'>x y z.</AbstractText>"
_ID = "<ArticleId IdType='x@'>@</ArticleId>"


def _each(unit: str, count: int) -> str:
    """The unit again and again, with its number for each `@`."""
    return "".join(unit.replace("@", str(n)) for n in range(count))


def words(size: int) -> str:
    """Plain prose of this many characters."""
    return (WORDS * (size // len(WORDS) + 1))[:size]


def archive(name: str, parts: dict[str, bytes]) -> Make:
    """A zip file of these parts, as they are named."""

    def make(place: Path) -> None:
        with zipfile.ZipFile(place / name, "w", zipfile.ZIP_DEFLATED) as file:
            for part, content in parts.items():
                file.writestr(part, content)

    return make


def docx(body: str, **more: bytes) -> Make:
    """A Word document with this body."""
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    parts = {
        "[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
        b'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension='
        b'"xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.'
        b'openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        b'<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument'
        b'" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{w}"><w:body>{body}</w:body></w:document>'.encode(),
    }
    return archive("a.docx", parts | more)


def _p(content: str) -> str:
    return f"<w:p><w:r><w:t>{content}</w:t></w:r></w:p>"


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects; the first is the catalogue."""
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    places = []
    for number, one in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    begun = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, begun))
    return out.getvalue()


_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def _page(content: bytes, box: bytes = b"0 0 600 800", kids: bytes = b"3 0 R", count: int = 1) -> bytes:
    packed = zlib.compress(content)
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
        b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>" % box,
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        _FONT,
    )


_SHOWN = b"BT /F1 12 Tf 50 700 Td (" + WORDS.encode() + b") Tj ET\n"


def _line(**fields: object) -> str:
    return json.dumps({"id": "A:1", "title": "T", "text": WORDS} | fields) + "\n"


PLAIN: dict[str, Make] = {
    "pubmed": text("a.xml", pubmed()),
    "jats": text("a.xml", jats()),
    "jsonl": text("a.jsonl", _line()),
    "json": text("a.json", json.dumps([{"id": "A:1", "title": "T", "text": WORDS}])),
    "csv": text("a.csv", f"id,title,text\nA:1,T,{WORDS}\n"),
    "ris": text("a.ris", f"TY  - JOUR\nTI  - T\nAB  - {WORDS}\nER  - \n"),
    "nbib": text("a.nbib", f"PMID- 1\nTI  - T\nAB  - {WORDS}\n\n"),
    "enw": text("a.enw", f"%0 Journal Article\n%T T\n%X {WORDS}\n"),
    "bib": text("a.bib", f"@article{{a, title={{T}}, abstract={{{WORDS}}}}}\n"),
    "html": text("a.html", f"<html><title>T</title><body><article><p>{WORDS * 5}</p></article></body></html>"),
    "md": text("a.md", f"# T\n\n{WORDS}\n"),
    "txt": text("a.txt", WORDS),
    "docx": docx(_p(WORDS)),
    "pdf": raw("a.pdf", _page(_SHOWN)),
    "endnote": text(
        "a.xml",
        f"<xml><records><record><titles><title>T</title></titles><abstract>{WORDS}</abstract></record></records></xml>",
    ),
    "folder": text("a.txt", WORDS),
}


def cases(kinds: Sequence[str]) -> Iterator[tuple[str, str, Make]]:
    """Kind, name and maker of each file of these kinds."""
    found: dict[str, Callable[[], Named]] = {
        "pubmed": _pubmed,
        "jats": _jats,
        "jsonl": _jsonl,
        "json": _json,
        "csv": _csv,
        "ris": _ris,
        "nbib": _nbib,
        "enw": _enw,
        "bib": _bib,
        "html": _html,
        "md": _md,
        "txt": _txt,
        "docx": _docx,
        "pdf": _pdf,
        "endnote": _endnote,
        "folder": _folder,
    }
    for kind in kinds:
        for name, make in found[kind]():
            yield kind, name, make


Named = Iterator[tuple[str, Make]]


def _bombs() -> dict[str, str]:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return {
        "entity bomb": f'<!DOCTYPE x [<!ENTITY l0 "lol">{lol}]>',
        "external entity": '<!DOCTYPE x [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
        "parameter entity": '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]>',
        "external type": '<!DOCTYPE x SYSTEM "file:///dev/zero">',
    }


def _pubmed() -> Named:
    for name, before in _bombs().items():
        yield name, text("a.xml", pubmed(before=before, text="&l9;" if "l9" in before else WORDS))
    head, tail = pubmed(record="|").split("|")
    yield "5,000,000 empty elements outside", stream("a.xml.gz", "<PubmedArticleSet>", "<a/>", 5 * MB, pubmed()[18:])
    yield "5,000,000 empty elements in a record", stream("a.xml.gz", head, "<a/>", 5 * MB, tail)
    yield "4,000,000 empty elements in a record", stream("a.xml.gz", head, "<a/>", 4 * MB, tail)
    yield (
        "empty elements nested in each other outside",
        stream("a.xml.gz", "<PubmedArticleSet>", "<a><b/></a>", 2 * MB, pubmed()[18:]),
    )
    yield "1 GB of spaces between records", stream("a.xml.gz", "<PubmedArticleSet>", " ", 1000 * MB, pubmed()[18:])
    yield "1 GB of comments", stream("a.xml.gz", "<PubmedArticleSet>", "<!-- x -->", 100 * MB, pubmed()[18:])
    yield "one comment of 100 MB", stream("a.xml.gz", "<PubmedArticleSet><!--", "x", 100 * MB, "-->" + pubmed()[18:])
    yield "one attribute of 9 MB outside", text("a.xml", f"<PubmedArticleSet><a b='{'x' * 9 * MB}'/>{pubmed()[18:]}")
    yield "100 MB before the root", stream("a.xml.gz", "", " ", 100 * MB, pubmed())
    for size in (1, 9, 15):
        yield f"title of {size} MB", text("a.xml", pubmed(title=words(size * MB)))
        yield f"label of {size} MB", text("a.xml", pubmed(label=words(size * MB)))
        yield f"text of {size} MB", text("a.xml", pubmed(text=words(size * MB)))
    yield "text of 15 MB in parts", text("a.xml", pubmed(text=f"<b>{words(MB)}</b>" * 15))
    yield "text of 15 MB without a space", text("a.xml", pubmed(text=f"<b>{'x' * MB}</b>" * 15))
    yield "100 MB in one record", stream("a.xml.gz", head, WORDS, 1_500_000, tail)
    for depth in (200, 600, 10_000, MB):
        yield f"nested {depth:,} deep", text("a.xml", pubmed(text="<b>" * depth + "x" + "</b>" * depth))
        yield (
            f"nested {depth:,} deep outside",
            text("a.xml", f"<PubmedArticleSet>{'<b>' * depth}{'</b>' * depth}{pubmed()[18:]}"),
        )
    many = 150_000
    yield (
        "150,000 authors",
        text(
            "a.xml",
            pubmed(
                article=f"<AuthorList>{'<Author><LastName>Smith</LastName><Initials>J</Initials></Author>' * many}</AuthorList>"
            ),
        ),
    )
    yield (
        "150,000 MeSH headings",
        text(
            "a.xml",
            pubmed(
                citation=f"<MeshHeadingList>{'<MeshHeading><DescriptorName>Aspirin</DescriptorName></MeshHeading>' * many}</MeshHeadingList>"
            ),
        ),
    )
    yield (
        "150,000 keywords",
        text("a.xml", pubmed(citation=f"<KeywordList>{_each('<Keyword>word@</Keyword>', many)}</KeywordList>")),
    )
    yield (
        "150,000 abstract labels",
        text(
            "a.xml",
            pubmed(article=f"<Abstract>{_each(_LABELLED, many)}</Abstract>")
            .replace("<Abstract><AbstractText Label='RESULTS'>", "<No><AbstractText>", 1)
            .replace("</Abstract><Abstract>", "</No><Abstract>", 1),
        ),
    )
    yield (
        "150,000 ids",
        text("a.xml", pubmed(record=f"<PubmedData><ArticleIdList>{_each(_ID, many)}</ArticleIdList></PubmedData>")),
    )
    yield (
        "500,000 deleted ids",
        text(
            "a.xml",
            f"<PubmedArticleSet>{_ARTICLE.format(pmid=1, title='T', label='R', text=WORDS, article='', citation='', record='')}<DeleteCitation>{'<PMID>5</PMID>' * 500_000}</DeleteCitation></PubmedArticleSet>",
        ),
    )
    yield "100,000 bad records", stream("a.xml.gz", "<PubmedArticleSet>", "<PubmedArticle/>", 100_000, pubmed()[18:])
    yield "sup of 1 MB after digits", text("a.xml", pubmed(text="<sup>1</sup>" * 300_000))
    yield "NUL inside", raw("a.xml", pubmed(text="a\x00b").encode())
    yield "invalid UTF-8", raw("a.xml", pubmed(text="a|b").encode().replace(b"|", b"\xff\xfe\x80"))
    yield "UTF-16 without a mark", raw("a.xml", pubmed().encode("utf-16-le"))
    yield "cut gzip", raw("a.xml.gz", gzip.compress(pubmed(text=words(MB)).encode())[:-20])


def _jats() -> Named:
    for name, before in _bombs().items():
        yield (
            name,
            text(
                "a.xml", before.replace("DOCTYPE x", "DOCTYPE article") + jats(text="&l9;" if "l9" in before else "x")
            ),
        )
    for size in (1, 9):
        yield f"title of {size} MB", text("a.xml", jats(title=words(size * MB)))
        yield f"heading of {size} MB", text("a.xml", jats(label=words(size * MB)))
        yield f"text of {size} MB", text("a.xml", jats(text=words(size * MB)))
    yield "text of 15 MB in paragraphs", text("a.xml", jats(body=f"<p>{words(10_000)}</p>" * 1500))
    yield "4,000,000 empty elements", stream("a.xml.gz", *_around(jats(body="|"), "<a/>", 4 * MB))
    yield "3,000,000 paragraphs", stream("a.xml.gz", *_around(jats(body="|"), "<p/>", 3 * MB))
    yield "1,000,000 paragraphs of a letter", stream("a.xml.gz", *_around(jats(body="|"), "<p>x</p>", MB))
    for depth in (100, 240, 600, 10_000, MB):
        yield (
            f"sections nested {depth:,} deep",
            text("a.xml", jats(body="<sec><title>Heading</title><p>x</p>" * depth + "</sec>" * depth)),
        )
        yield (
            f"lists nested {depth:,} deep",
            text("a.xml", jats(body="<p><list>" * depth + "x" + "</list></p>" * depth)),
        )
    yield "200,000 sections", text("a.xml", jats(body="<sec><title>H</title><p>x y.</p></sec>" * 200_000))
    yield (
        "200,000 references",
        text(
            "a.xml", jats().replace("</article>", f"<back><ref-list>{_each(_REF, 200_000)}</ref-list></back></article>")
        ),
    )
    yield "200,000 keywords", text("a.xml", jats(meta=f"<kwd-group>{_each('<kwd>k@</kwd>', 200_000)}</kwd-group>"))


def _around(whole: str, unit: str, count: int) -> tuple[str, str, int, str]:
    first, last = whole.split("|")
    return first, unit, count, last


_KILLERS = {
    "spaces": " ",
    "digits": "1",
    "dots": ".",
    "commas and digits": "1,",
    "opening brackets": "[",
    "round brackets": "(",
    "dashes": "-",
    "capitals and dots": "A.",
    "numbers and dashes": "1-2 ",
    "et al": "et al. ",
    "quotes": "\"'",
    "percent": "1% ",
    "p values": "P<0.05 ",
    "line ends": "\n",
    "paragraphs": "a\n\n",
    "tabs": "\t",
    "letters": "a",
    "surrogate pairs": "\U0001f600",
    "combining marks": "\u0301",
    "right to left": "\u202e",
    "Chinese": "\u4e2d",
    "abbreviations": "Dr. Mr. e.g. i.e. ",
    "colons": "A: ",
    "slashes": "a/b/",
    "hashes": "# ",
    "quotes of Markdown": "> ",
    "less than": "<",
    "ampersands": "&amp",
    "backslashes": "\\",
    "braces": "{",
    "dollars": "$",
    "years in brackets": "(2001) ",
    "citations": "[1,2-5] ",
    "plus minus": "1 \u00b1 2 (",
    "doi": "10.1000/",
    "addresses": "http://a.",
}


def _killers(kind: str, write: Callable[[str], Make]) -> Named:
    for name, unit in _KILLERS.items():
        yield f"1 MB of {name}", write((unit * (MB // len(unit) + 1))[:MB])


def _jsonl() -> Named:
    for size in (1, 10, 19, 50):
        yield f"text of {size} MB", text("a.jsonl", _line(text=words(size * MB)))
        yield f"title of {size} MB", text("a.jsonl", _line(title=words(size * MB)))
    yield "text of 19 MB without a space", text("a.jsonl", _line(text="x" * 19 * MB))
    yield "text of 10 MB in short lines", text("a.jsonl", _line(text="x. y\n" * 2 * MB))
    yield "line of 1 GB", stream("a.jsonl.gz", '{"text": "', "x", 1000 * MB, '"}\n' + _line())
    yield "1 GB of blank lines", stream("a.jsonl.gz", "", "\n", 1000 * MB, _line())
    for name in (
        "id",
        "year",
        "journal",
        "url",
        "license",
        "pmid",
        "doi",
        "date",
        "kind",
        "language",
        "retraction",
        "own",
    ):
        yield f"{name} of 9 MB", text("a.jsonl", _line(**{name: "9" * 9 * MB}))
        yield f"{name} of 1 MB of words", text("a.jsonl", _line(**{name: words(MB)}))
    for name in ("authors", "keywords", "mesh", "publication_types", "references", "identifiers", "cautions", "own"):
        yield f"{name}: 1,000,000 values", text("a.jsonl", _line(**{name: [f"Smith {n}" for n in range(MB)]}))
        yield f"{name}: 1,000,000 in one value", text("a.jsonl", _line(**{name: ";".join(map(str, range(MB)))}))
    yield "1,000,000 fields", text("a.jsonl", _line(**{f"f{n}": n for n in range(MB)}))
    yield "1,000,000 identifiers", text("a.jsonl", _line(identifiers={f"f{n}": str(n) for n in range(MB)}))
    yield (
        "1,000,000 sections",
        text(
            "a.jsonl",
            _line(text="x " * MB, sections=[{"label": "L", "start": 2 * n, "end": 2 * n + 1} for n in range(MB)]),
        ),
    )
    yield (
        "5,000 labels of 1,000",
        text(
            "a.jsonl",
            _line(
                text="x. " * 5000,
                sections=[{"label": "L" * 1000, "start": 3 * n, "end": 3 * n + 1} for n in range(5000)],
            ),
        ),
    )
    for depth in (600, 10_000, MB):
        yield (
            f"nested {depth:,} deep",
            text("a.jsonl", _line() + '{"text": "x", "own": ' + "[" * depth + "]" * depth + "}\n"),
        )
        yield (
            f"objects nested {depth:,} deep",
            text("a.jsonl", _line() + '{"text": "x", "own": ' + '{"a":' * depth + "1" + "}" * depth + "}\n"),
        )
        yield (
            f"first record nested {depth:,} deep",
            text("a.jsonl", '{"text": "x", "own": ' + "[" * depth + "]" * depth + "}\n" + _line()),
        )
    yield (
        "20 MB of empty lists",
        text("a.jsonl", _line() + '{"text": "x", "own": [' + ",".join(repeat("[]", 6 * MB)) + "]}\n"),
    )
    yield (
        "20 MB of brackets and braces",
        text("a.jsonl", _line() + '{"text": "x", "own": [' + ",".join(repeat("{}", 6 * MB)) + "]}\n"),
    )
    yield "a number of 5,000 digits", text("a.jsonl", _line() + '{"text": "x", "year": ' + "9" * 5000 + "}\n")
    yield "a number of 10 MB", text("a.jsonl", _line() + '{"text": "x", "year": ' + "9" * 10 * MB + "}\n")
    yield (
        "NaN, Infinity, 1e999",
        text(
            "a.jsonl",
            _line() + '{"text": "x", "year": NaN}\n{"text": "x", "id": "B:1", "year": 1e999, "pmid": Infinity}\n',
        ),
    )
    yield (
        "lone surrogates",
        text("a.jsonl", _line(text="a \ud800 b", title="\udfff", authors=["\ud83d"], own={"\ud800": "\udc00"})),
    )
    yield "NULs", text("a.jsonl", _line(text="a \0 b", title="\0", id="A:\0", own={"\0": "\0"}))
    yield "invalid UTF-8", raw("a.jsonl", _line().encode() + b'{"text": "\xff\xfe"}\n')
    yield "UTF-16 without a mark", raw("a.jsonl", _line().encode("utf-16-le"))
    yield "200,000 bad records", text("a.jsonl", _line() + "{}\n" * 200_000)
    yield "200,000 bad records of long words", text("a.jsonl", _line() + '{"pmid": "1x"}\n' * 200_000)
    yield "200,000 records of one id", text("a.jsonl", _line() * 200_000)
    yield (
        "10,000 retractions of each other",
        text(
            "a.jsonl",
            "".join(_line(id=f"A:{n}", title="Retraction: T", references=[f"A:{n - 1}"]) for n in range(10_000)),
        ),
    )
    yield from _killers("jsonl", lambda body: text("a.jsonl", _line(text=body + WORDS)))
    for name, unit in _KILLERS.items():
        yield f"title of {name}", text("a.jsonl", _line(title=(unit * 5000)[:5000]) * 1)


def _json() -> Named:
    record = {"type": "article-journal", "title": "T", "abstract": WORDS, "issued": "2001", "author": []}
    yield "1,000,000 empty records", text("a.json", "[" + "{}," * MB + json.dumps(record) + "]")
    yield "70 MB of empty lists", stream("a.json.gz", "[", "[],", 23 * MB, json.dumps(record) + "]")
    yield "70 MB of empty objects", stream("a.json.gz", "[", "{},", 23 * MB, json.dumps(record) + "]")
    yield "70 MB of digits and commas", stream("a.json.gz", "[", "1,", 35 * MB, json.dumps(record) + "]")
    yield "1 GB of spaces", stream("a.json.gz", "[", " ", 1000 * MB, json.dumps(record) + "]")
    yield "70 MB of text", text("a.json", json.dumps([record | {"abstract": words(70 * MB)}]))
    for depth in (600, 10_000, MB):
        yield f"nested {depth:,} deep", text("a.json", "[" * depth + "]" * depth)
        yield (
            f"a record nested {depth:,} deep",
            text("a.json", f'[{json.dumps(record)}, {{"title": "x", "own": {"[" * depth}{"]" * depth}}}]'),
        )
        yield (
            f"a CSL note nested {depth:,} deep",
            text(
                "a.json",
                f'[{json.dumps(record)}, {{"type": "book", "issued": "2000", "title": "x", "note": {"[" * depth}{"]" * depth}}}]',
            ),
        )
    yield "title of 9 MB", text("a.json", json.dumps([record | {"title": words(9 * MB)}]))
    yield (
        "1,000,000 authors",
        text("a.json", json.dumps([record | {"author": [{"family": "Smith", "given": "J"}] * MB}])),
    )
    yield "note of 9 MB of digits", text("a.json", json.dumps([record | {"note": "PMID " * MB}]))
    yield "note of 9 MB of spaces", text("a.json", json.dumps([record | {"note": "PMID" + " " * 9 * MB}]))
    yield (
        "genre and date of 9 MB",
        text("a.json", json.dumps([record | {"genre": words(9 * MB), "issued": "1" * 9 * MB}])),
    )
    yield "a number of 5,000 digits", text("a.json", f'[{json.dumps(record)}, {{"title": "x", "year": {"9" * 5000}}}]')


def _csv() -> Named:
    head = "id,title,text\n"
    yield "a quote never closed", text("a.csv", head + f'A:1,"T,{words(30 * MB)}\n')
    yield (
        "a quote never closed after 10,000 rows",
        text("a.csv", head + "A:1,T,x y z\n" * 10_000 + f'A:2,"T,{words(10 * MB)}\n'),
    )
    yield "70 MB of commas", stream("a.csv.gz", head, ",", 70 * MB, "\n", packed=True)
    yield "1 GB of commas", stream("a.csv.gz", head, ",", 1000 * MB, "\n", packed=True)
    yield "1,000,000 columns", text("a.csv", ",".join(f"c{n}" for n in range(MB)) + ",text\n" + "," * MB + "x\n")
    yield (
        "30 rows of 1,000,000 columns",
        text("a.csv", ",".join(f"c{n}" for n in range(MB)) + ",text\n" + ("1," * MB + "x y z\n") * 20),
    )
    yield "20 MB of line ends", text("a.csv", head + "\n" * 20 * MB + f"A:1,T,{WORDS}\n")
    yield "70 MB of rows of two letters", text("a.csv", head + "a\n" * 35 * MB)
    yield "title of 9 MB", text("a.csv", head + f"A:1,{words(9 * MB)},x\n")
    yield "text of 10 MB", text("a.csv", head + f"A:1,T,{words(10 * MB)}\n")
    yield "NULs", text("a.csv", head + f"A:1,\0,{WORDS}\n")
    yield "heading of 9 MB", text("a.csv", f"text,{'x' * 9 * MB}\n{WORDS},y\n")
    yield "first line of 30 MB", text("a.csv", words(30 * MB))
    yield "quotes only", text("a.csv", head + '"' * 10 * MB)
    yield "UTF-16 without a mark", raw("a.csv", (head + f"A:1,T,{WORDS}\n").encode("utf-16-le"))


def _ris() -> Named:
    yield from _tagged_files(
        "ris", "TY  - JOUR\nTI  - T\n{}AB  - " + WORDS + "\n{}ER  - \n", "AU  - ", "KW  - ", "N1  - "
    )
    yield "1,000,000 starts", text("a.ris", "TY  - JOUR\n" * MB)
    yield "1,000,000 ends", text("a.ris", "TY  - JOUR\nTI  - T\n" + "ER  - \n" * MB)
    yield "200,000 records", text("a.ris", "TY  - JOUR\nTI  - T\nER  - \n" * 200_000)
    yield "PMID of 9 MB of spaces", text("a.ris", "TY  - JOUR\nTI  - T\nN1  - PMID" + " " * 9 * MB + "\nER  - \n")
    yield (
        "1,000,000 unknown tags",
        text("a.ris", "TY  - JOUR\nTI  - T\n" + "".join(f"X{n % 10}  - a{n}\n" for n in range(MB)) + "ER  - \n"),
    )
    yield "preface of 9 MB of spaces", text("a.txt", (" " * 199 + "\n") * 40_000 + "TY  - JOUR\nTI  - T\nER  - \n")


def _tagged_files(kind: str, record: str, *tags: str) -> Named:
    name = f"a.{kind}"
    for tag in tags:
        yield (
            f"1,000,000 of {tag.strip(' -')}",
            text(name, record.format("", "".join(f"{tag}Smith {n}\n" for n in range(MB)))),
        )
        yield f"{tag.strip(' -')} of 10 MB", text(name, record.format("", tag + words(10 * MB) + "\n"))
        yield f"{tag.strip(' -')} of 1,000,000 lines", text(name, record.format("", tag + "x\n" + "      y\n" * MB))
    yield "title of 9 MB", text(name, record.format("", "").replace(" T\n", " " + words(9 * MB) + "\n"))
    yield "title of 9 MB of spaces", text(name, record.format("", "").replace(" T\n", " T" + " " * 9 * MB + "x\n"))
    yield "70 MB", text(name, record.format("", "").replace(WORDS, words(70 * MB)))
    yield "abstract of 15 MB", text(name, record.format("", "").replace(WORDS, words(15 * MB)))
    for unit_name in ("spaces", "line ends", "digits", "capitals and dots", "colons", "dashes", "round brackets"):
        unit = _KILLERS[unit_name]
        yield (
            f"abstract of 5 MB of {unit_name}",
            text(name, record.format("", "").replace(WORDS, unit * (5 * MB // len(unit)))),
        )
    yield "invalid UTF-8", raw(name, record.format("", "").encode() + b"\xff\x80\x81" * 10)


def _nbib() -> Named:
    yield from _tagged_files(
        "nbib", "PMID- 1\nTI  - T\n{}AB  - " + WORDS + "\n{}\n", "AU  - ", "MH  - ", "OT  - ", "RN  - ", "LID - "
    )
    yield "one MeSH term of 1,000,000 qualifiers", text("a.nbib", f"PMID- 1\nTI  - T\nMH  - A{'/b' * MB}\n\n")
    yield "200,000 records", text("a.nbib", "".join(f"PMID- {n}\nTI  - T\n\n" for n in range(1, 50_000)))
    yield (
        "500,000 retracted papers",
        text("a.nbib", "PMID- 1\nTI  - T\n" + "".join(f"ROF - J. PMID: {n}\n" for n in range(500_000)) + "\n"),
    )
    yield "labels of 60 letters", text("a.nbib", "PMID- 1\nTI  - T\nAB  - " + "A" * 5 * MB + "\n\n")
    yield "200,000 labels", text("a.nbib", "PMID- 1\nTI  - T\nAB  - " + "AIM: x y. " * 200_000 + "\n\n")


def _enw() -> Named:
    yield from _tagged_files("enw", "%0 Journal Article\n%T T\n{}%X " + WORDS + "\n{}\n", "%A ", "%K ", "%Z ")


def _bib() -> Named:
    entry = "@article{{a, title={{{}}}, abstract={{{}}}, author={{{}}}}}\n"
    for size in (1, 10):
        yield f"abstract of {size} MB", text("a.bib", entry.format("T", words(size * MB), "A"))
    yield "title of 9 MB", text("a.bib", entry.format(words(9 * MB), "x", "A"))
    yield (
        "100,000 authors",
        text("a.bib", entry.format("T", WORDS, " and ".join(f"Smith{n}, J" for n in range(100_000)))),
    )
    for depth in (600, 10_000, MB):
        yield f"braces nested {depth:,} deep", text("a.bib", entry.format("T", "{" * depth + "x" + "}" * depth, "A"))
        yield (
            f"LaTeX nested {depth:,} deep",
            text("a.bib", entry.format("T", r"\textbf{" * depth + "x" + "}" * depth, "A")),
        )
        yield f"authors nested {depth:,} deep", text("a.bib", entry.format("T", "x", "{" * depth + "x" + "}" * depth))
    yield "1 MB of open braces", text("a.bib", "@article{a, title={" + "{" * MB)
    yield "100,000 entries never closed", text("a.bib", "@article{a, title={T\n" * 100_000)
    yield "1,000,000 @", text("a.bib", "@article{a, title={T}}\n" + "@" * MB)
    yield "20,000 entries of one key", text("a.bib", entry.format("T", "x", "A") * 20_000)
    yield (
        "20,000 macros and entries of one key",
        text("a.bib", "".join(f'@string{{m{n} = "x"}}\n' for n in range(20_000)) + entry.format("T", "x", "A") * 2000),
    )
    yield (
        "a macro of macros",
        text(
            "a.bib",
            '@string{a0 = "lol"}\n'
            + "".join(f"@string{{a{n} = {' # '.join([f'a{n - 1}'] * 10)}}}\n" for n in range(1, 10))
            + "@article{a, title=a9, abstract={x}}\n",
        ),
    )
    yield (
        "a value of 1,000,000 parts",
        text("a.bib", "@article{a, title={T}, abstract=" + " # ".join(['"x"'] * 300_000) + "}\n"),
    )
    yield (
        "100,000 fields",
        text("a.bib", "@article{a, title={T}, " + ", ".join(f"f{n}={{x}}" for n in range(100_000)) + "}\n"),
    )
    for unit_name in ("spaces", "dollars", "backslashes", "quotes", "letters", "round brackets", "percent", "et al"):
        unit = _KILLERS[unit_name]
        yield f"abstract of 1 MB of {unit_name}", text("a.bib", entry.format("T", unit * (MB // len(unit)), "A"))
        yield f"authors of 1 MB of {unit_name}", text("a.bib", entry.format("T", "x", unit * (MB // len(unit))))
    yield "1 MB of dollars and letters", text("a.bib", entry.format("T", "$a" * (MB // 2), "A"))
    yield "1 MB of formulas", text("a.bib", entry.format("T", "$a_b$ " * (MB // 6), "A"))


def _html() -> Named:
    page = "<html><head><title>T</title>{}</head><body><article>{}</article></body></html>"
    good = f"<p>{WORDS * 5}</p>"
    for depth in (200, 600, 10_000, MB // 2):
        for tag in ("div", "b", "ul><li", "table><tr><td", "blockquote", "span", "p"):
            ends = "".join(f"</{one}>" for one in reversed(tag.split("><")))
            yield (
                f"{tag} nested {depth:,} deep",
                text("a.html", page.format("", f"<{tag}>" * depth + good + ends * depth)),
            )
    yield "text of 10 MB in one paragraph", text("a.html", page.format("", f"<p>{words(10 * MB)}</p>"))
    yield (
        "text of 10 MB in paragraphs",
        text("a.html", page.format("", "".join(f"<p>{n} {words(1000)}</p>" for n in range(10_000)))),
    )
    yield "heading of 1 MB", text("a.html", page.format("", f"<h1>{words(MB)}</h1>{good}"))
    yield (
        "title of 9 MB",
        text("a.html", page.format(f"<title>{words(9 * MB)}</title>", good).replace("<title>T</title>", "")),
    )
    yield "3,000,000 empty elements", text("a.html", page.format("", "<b/>" * 3 * MB + good))
    yield "200,000 hidden elements", text("a.html", page.format("", "<p hidden>a</p>" * 200_000 + good))
    yield (
        "20,000 hidden elements, white",
        text("a.html", page.format("", "<p style='color:white'>word here</p>" * 20_000 + good)),
    )
    yield "200,000 sup", text("a.html", page.format("", "<p>" + "1<sup>2</sup>" * 200_000 + "</p>" + good))
    yield (
        "200,000 attributes",
        text("a.html", page.format("", "<p " + " ".join(f"a{n}=x" for n in range(200_000)) + ">" + good)),
    )
    yield (
        "200,000 meta tags",
        text("a.html", page.format("<meta name='citation_author' content='Smith, J'>" * 200_000, good)),
    )
    yield "300,000 list items", text("a.html", page.format("", "<ul>" + "<li>a b c</li>" * 300_000 + "</ul>" + good))
    yield (
        "300,000 cells",
        text("a.html", page.format("", "<table>" + "<tr><td>a</td><td>b</td></tr>" * 150_000 + "</table>" + good)),
    )
    yield "100,000 headings", text("a.html", page.format("", "<h2>H</h2><p>x y z.</p>" * 100_000 + good))
    yield "100,000 links", text("a.html", page.format("", "<p><a href='http://a.b/c'>x</a></p>" * 100_000 + good))
    yield "style of 9 MB", text("a.html", page.format("", f"<p style='{'opacity : ' * 900_000}'>x</p>{good}"))
    yield "style of 1 MB of spaces", text("a.html", page.format("", f"<p style='display{' ' * MB}'>x</p>{good}"))
    yield "style of 1 MB of zeros", text("a.html", page.format("", f"<p style='font-size:{'0' * MB}x'>x</p>{good}"))
    yield "1 MB of comments before", text("a.html", "<!-- -->" * 8000 + page.format("", good))
    yield "a comment never closed", text("a.html", "<html><!--" + "x" * 9 * MB)
    yield "1 MB of <", text("a.html", page.format("", "<" * MB + good))
    yield "1 MB of &", text("a.html", page.format("", "&" * MB + good))
    yield "a page of 19 MB", text("a.html", page.format("", f"<p>{words(MB)}</p>" * 19))
    yield "gzip of 1 GB", stream("a.html", "<html><body><p>", WORDS, 1000 * MB // len(WORDS), "</p>", packed=True)
    yield "unknown charset", text("a.html", page.format("<meta charset='no-such-thing'>", good))
    yield "charset of a codec that is no text", text("a.html", page.format("<meta charset='zlib'>", good))
    yield "charset idna", text("a.html", page.format("<meta charset='idna'>", good * 1000))
    yield "charset punycode", text("a.html", page.format("<meta charset='punycode'>", good * 1000))
    yield "charset unicode_escape", text("a.html", page.format("<meta charset='unicode_escape'>", good + "\\ud800"))
    yield "charset undefined", text("a.html", page.format("<meta charset='undefined'>", good))
    yield "NULs", text("a.html", page.format("", "<p>a\0b</p>" + good))
    yield from _killers("html", lambda body: text("a.html", page.format("", f"<p>{body}</p>{good}")))


def _md() -> Named:
    for size in (1, 10):
        yield f"heading of {size} MB", text("a.md", f"# {words(size * MB)}\n\n{WORDS}\n")
        yield f"text of {size} MB", text("a.md", f"# T\n\n{words(size * MB)}\n")
    for depth in (600, 10_000, MB):
        yield f"quotes nested {depth:,} deep", text("a.md", f"# T\n\n{'> ' * depth}x\n")
        yield f"lists nested {depth:,} deep", text("a.md", f"# T\n\n{'- ' * depth}x\n")
        yield f"emphasis nested {depth:,} deep", text("a.md", f"# T\n\n{'*a ' * depth}x{'*' * depth}\n")
        yield f"links nested {depth:,} deep", text("a.md", f"# T\n\n{'[' * depth}x{'](a)' * depth}\n")
        yield f"images nested {depth:,} deep", text("a.md", f"# T\n\n{'![' * depth}x{'](a)' * depth}\n")
    yield "lists nested by lines, 500", text("a.md", "# T\n\n" + "".join("  " * n + "- x\n" for n in range(500)))
    yield "quotes over 5,000 lines, 100 deep", text("a.md", "# T\n\n" + (">" * 100 + " x\n") * 5000)
    yield "100,000 headings", text("a.md", "# T\n\n" + "## H\n\nx y.\n\n" * 100_000)
    yield "500,000 lines", text("a.md", "# T\n\n" + "x y z\n" * 500_000)
    yield (
        "100,000 references",
        text("a.md", "# T\n\n" + "".join(f"[a{n}]: http://x\n" for n in range(100_000)) + "[a1]" * 100_000),
    )
    yield "1 MB of backticks of all lengths", text("a.md", "# T\n\n" + "".join("`" * n + " " for n in range(1, 1400)))
    yield "1 MB of <!--", text("a.md", "# T\n\n" + "a <!-- " * 150_000)
    yield "1 MB of <a>", text("a.md", "# T\n\n" + "a <a " * 200_000)
    yield (
        "a table of 10,000 columns",
        text("a.md", "# T\n\n" + "|a" * 10_000 + "|\n" + "|-" * 10_000 + "|\n" + ("|b" * 10_000 + "|\n") * 20),
    )
    for depth in (600, 10_000, 49_000):
        yield (
            f"front matter nested {depth:,} deep",
            text("a.md", f"---\na: {'[' * depth}{']' * depth}\n---\n# T\n\n{WORDS}\n"),
        )
    yield (
        "front matter of 100 kB of keys",
        text("a.md", "---\n" + "".join(f"k{n}: {n}\n" for n in range(9000)) + f"---\n# T\n\n{WORDS}\n"),
    )
    yield "front matter: aliases", text("a.md", f"---\na: &a [x]\nb: [*a, *a]\n---\n# T\n\n{WORDS}\n")
    yield (
        "front matter: a tag of Python",
        text("a.md", f"---\na: !!python/object/apply:os.system [id]\n---\n# T\n\n{WORDS}\n"),
    )
    yield "front matter never closed", text("a.md", "---\n" + "a: b\n" * 2 * MB)
    yield from _killers("md", lambda body: text("a.md", f"# T\n\n{body}\n\n{WORDS}\n"))
    for name in ("spaces", "hashes", "tabs", "letters"):
        unit = _KILLERS[name]
        yield f"a heading of 5 MB of {name}", text("a.md", "# " + unit * (5 * MB // len(unit)) + f"\n\n{WORDS}\n")


def _txt() -> Named:
    for size in (1, 10, 19, 75):
        yield f"text of {size} MB", text("a.txt", words(size * MB))
    yield "gzip of 1 GB", stream("a.txt", "", WORDS, 1000 * MB // len(WORDS), "", packed=True)
    yield "UTF-16 without a mark", raw("a.txt", words(MB).encode("utf-16-le"))
    yield "UTF-16 with a mark, 10 MB", raw("a.txt", words(5 * MB).encode("utf-16"))
    yield "lone surrogates in UTF-16", raw("a.txt", b"\xff\xfe" + b"\x00\xd8a\x00" * 1000)
    yield "75 MB that is not UTF-8", raw("a.txt", words(75 * MB).encode()[:-1] + b"\xff")
    yield "75 MB of control signs", raw("a.txt", b"\x01\xff" * 37 * MB)
    yield from _killers("txt", lambda body: text("a.txt", body + WORDS))


def _docx() -> Named:
    yield "paragraph of 10 MB", docx(_p(words(10 * MB)))
    yield (
        "heading of 1 MB",
        docx(f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{words(MB)}</w:t></w:r></w:p>' + _p(WORDS)),
    )
    yield "1,000,000 empty paragraphs", docx("<w:p/>" * MB + _p(WORDS))
    yield "4,000,000 empty paragraphs", docx("<w:p/>" * 4 * MB + _p(WORDS))
    yield "400,000 paragraphs of a letter", docx(_p("x") * 400_000)
    yield "1,000,000 empty runs in one paragraph", docx(f"<w:p>{'<w:r/>' * MB}</w:p>" + _p(WORDS))
    yield "100,000 rows", docx("<w:tbl>" + f"<w:tr><w:tc>{_p('x')}</w:tc></w:tr>" * 100_000 + "</w:tbl>" + _p(WORDS))
    for depth in (60, 240, 600, 10_000):
        yield (
            f"tables nested {depth:,} deep",
            docx("<w:tbl><w:tr><w:tc>" * depth + _p("x") + "<w:p/></w:tc></w:tr></w:tbl>" * depth + _p(WORDS)),
        )
        yield (
            f"elements nested {depth:,} deep",
            docx(f"<w:p>{'<w:ins>' * depth}<w:r><w:t>x</w:t></w:r>{'</w:ins>' * depth}</w:p>" + _p(WORDS)),
        )
    yield "1 GB of spaces", archive("a.docx", {"word/document.xml": b" " * 1000 * MB})
    yield "250 MB of a picture", docx(_p(WORDS), **{"word/media/a.png": b"\0" * 250 * MB})
    yield (
        "29 MB of spaces in each of 10 parts",
        docx(_p(WORDS), **{f"word/p{n}.bin": b" " * 29 * MB for n in range(10)}),
    )
    yield "9,000 parts", docx(_p(WORDS), **{f"word/p{n}.bin": b"x" for n in range(9000)})
    yield "names that lead outside", docx(_p(WORDS), **{"../../../tmp/evil": b"x", "/etc/evil": b"x", "..\\evil": b"x"})
    yield "entity bomb", archive("a.docx", {"word/document.xml": (_bombs()["entity bomb"] + "<a>&l9;</a>").encode()})
    yield "a size that is not true", _lying
    yield "overlapping parts", _overlapping
    yield (
        "a link to itself",
        docx(
            _p(WORDS),
            **{
                "word/_rels/document.xml.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="a" Target="document.xml"/></Relationships>'
            },
        ),
    )
    yield (
        "styles that rest on each other",
        docx(
            '<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>x y</w:t></w:r></w:p>',
            **{
                "word/styles.xml": b'<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>',
                "word/_rels/document.xml.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
            },
        ),
    )
    yield "a zip in a zip", archive("a.zip", {f"{n}.zip": zlib.compress(b"\0" * 10 * MB) for n in range(10)})


def _lying(place: Path) -> None:
    """The main part claims to be small and unpacks to 500 MB."""
    docx("")(place)
    content = (place / "a.docx").read_bytes()
    body = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    archive(
        "a.docx",
        {
            "[Content_Types].xml": _part(content, "[Content_Types].xml"),
            "_rels/.rels": _part(content, "_rels/.rels"),
            "word/document.xml": body + b" " * 500 * MB,
        },
    )(place)
    packed = (place / "a.docx").read_bytes()
    full = len(body) + 500 * MB
    (place / "a.docx").write_bytes(packed.replace(full.to_bytes(4, "little"), (1000).to_bytes(4, "little")))


def _part(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return file.read(name)


def _overlapping(place: Path) -> None:
    """Many names for the one packed part (as in a `better zip bomb`)."""
    docx(_p(words(20 * MB)))(place)
    content = (place / "a.docx").read_bytes()
    end = content.rindex(b"PK\x05\x06")
    start = int.from_bytes(content[end + 16 : end + 20], "little")
    entries = content[start:end]
    last = entries[entries.rindex(b"PK\x01\x02") :]
    copies = b"".join(last.replace(b"word/document.xml", b"word/docume%02d.xml" % n) for n in range(50))
    table = entries + copies
    total = (3 + 50).to_bytes(2, "little")
    tail = content[end : end + 8] + total + total + len(table).to_bytes(4, "little") + content[end + 16 :]
    (place / "a.docx").write_bytes(content[:start] + table + tail)


def _pdf() -> Named:
    yield "1 GB of spaces in a stream", raw("a.pdf", _page(b" " * 1000 * MB + _SHOWN))
    yield "100 MB of text on a page", raw("a.pdf", _page(_SHOWN * (100 * MB // len(_SHOWN))))
    yield "5 MB of text on a page", raw("a.pdf", _page(_SHOWN * (5 * MB // len(_SHOWN))))
    yield (
        "5 MB of text on a page, spread",
        raw(
            "a.pdf",
            _page(
                b"".join(
                    b"BT /F1 4 Tf %d %d Td (%s) Tj ET\n" % (n * 7 % 500, n * 13 % 800, WORDS.encode())
                    for n in range(50_000)
                )
            ),
        ),
    )
    yield "one string of 1 MB", raw("a.pdf", _page(b"BT /F1 12 Tf 50 700 Td (" + words(MB).encode() + b") Tj ET"))
    yield "1,000,000 lines drawn", raw("a.pdf", _page(b"0 0 m 9 9 l S\n" * MB + _SHOWN))
    yield "1,000,000 saved states", raw("a.pdf", _page(b"q\n" * MB + _SHOWN))
    yield "a loop in the page tree", raw("a.pdf", _page(_SHOWN, kids=b"2 0 R 3 0 R", count=2))
    yield "100,000 pages that are one", raw("a.pdf", _page(_SHOWN, kids=b"3 0 R " * 100_000, count=100_000))
    yield "a count of 2,000,000,000 pages", raw("a.pdf", _page(_SHOWN, count=2_000_000_000))
    yield "1,000,000 pages that are one", raw("a.pdf", _page(_SHOWN, kids=b"3 0 R " * MB, count=MB))
    yield "a huge page", raw("a.pdf", _page(_SHOWN, box=b"0 0 1e30 1e30"))
    yield "a page of 1e9 points", raw("a.pdf", _page(_SHOWN, box=b"-1000000000 -1000000000 1000000000 1000000000"))
    yield "a page without a size", raw("a.pdf", _page(_SHOWN, box=b"0 0 0 0"))
    yield "text far away", raw("a.pdf", _page(b"BT /F1 12 Tf 1e30 -1e30 Td (far away) Tj ET\n" + _SHOWN))
    yield "text of 1e9 points", raw("a.pdf", _page(b"BT /F1 1000000000 Tf 50 700 Td (large) Tj ET\n" + _SHOWN))
    yield "arrays nested 100,000 deep", raw("a.pdf", _page(_SHOWN, box=b"[" * 100_000 + b"]" * 100_000))
    yield "parts nested 30 times over", raw("a.pdf", _forms(30))
    yield "only a signature", raw("a.pdf", b"%PDF-1.7\n" + b"x" * 10 * MB)
    yield "gzip of 1 GB", stream("a.pdf.gz", "%PDF-1.7\n", " ", 1000 * MB, "", packed=True)


def _forms(depth: int) -> bytes:
    """Each form draws the next one twice: 2^depth drawings."""
    forms = []
    for n in range(depth):
        body = b"/X Do /X Do" if n < depth - 1 else _SHOWN
        forms.append(
            b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>/XObject<</X %d 0 R>>>>/Length %d>>stream\n%s\nendstream"
            % (7 + n, len(body), body)
        )
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        b"<</Length 5>>stream\n/X Do\nendstream",
        _FONT,
        *forms,
    )


def _endnote() -> Named:
    record = (
        "<xml><records><record><titles><title>{}</title></titles><abstract>{}</abstract>{}</record></records></xml>"
    )
    for name, before in _bombs().items():
        yield (
            name,
            text(
                "a.xml",
                before.replace("DOCTYPE x", "DOCTYPE xml") + record.format("T", "&l9;" if "l9" in before else "x", ""),
            ),
        )
    yield "title of 9 MB", text("a.xml", record.format(words(9 * MB), "x", ""))
    yield "abstract of 9 MB", text("a.xml", record.format("T", words(9 * MB), ""))
    yield "4,000,000 empty elements", text("a.xml", record.format("T", "x", "<a/>" * 4 * MB))
    yield (
        "150,000 keywords",
        text("a.xml", record.format("T", WORDS, f"<keywords>{_each('<keyword>k@</keyword>', 150_000)}</keywords>")),
    )
    for depth in (200, 600, MB):
        yield (
            f"nested {depth:,} deep",
            text("a.xml", record.format("T", "<style>" * depth + "x" + "</style>" * depth, "")),
        )


def _folder() -> Named:
    def odd(place: Path, build: Callable[[Path], None]) -> None:
        (place / "a.txt").write_text(WORDS)
        build(place)

    yield "a FIFO", partial(odd, build=lambda place: os.mkfifo(place / "b.txt"))
    yield "a link to /dev/zero", partial(odd, build=lambda place: (place / "b.txt").symlink_to("/dev/zero"))
    yield "a link to /etc/passwd", partial(odd, build=lambda place: (place / "b.txt").symlink_to("/etc/passwd"))
    yield "a loop of folders", partial(odd, build=lambda place: (place / "loop").symlink_to(place))
    yield "a name that is not UTF-8", partial(odd, build=lambda place: _write(os.fsencode(place) + b"/\xff\xfe.txt"))
    yield (
        "a name of line ends and escapes",
        partial(odd, build=lambda place: _write(os.fsencode(place) + b"/a\n\x1b[2J.txt")),
    )
    yield "200 folders deep", partial(odd, build=_deep)
    yield (
        "20,000 empty files",
        partial(odd, build=lambda place: [(place / f"{n}.txt").touch() for n in range(20_000)] and None),
    )


def _write(name: bytes) -> None:
    Path(os.fsdecode(name)).write_text(WORDS, encoding="utf-8")


def _deep(place: Path) -> None:
    for _ in range(200):
        place = place / "d"
    place.mkdir(parents=True)
    (place / "b.txt").write_text(WORDS)
