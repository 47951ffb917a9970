"""HTML: the main text of a page, by trafilatura, with a section per heading. Scripts are never run and never read.

Title, authors, journal, date, DOI and PMID come from the tags that publishers write for reference managers
(`citation_doi` and its like, Dublin Core, Open Graph); nothing is guessed. The reference list is left out.
"""

import contextlib
import copy
import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from itertools import islice
from pathlib import Path
from typing import Any, cast

from medground.corpus.banners import banner_fields, is_banner
from medground.corpus.readers.compose import Composition, Headings, caution_on_hidden, decoded, written
from medground.corpus.readers.entry import described, file_id
from medground.corpus.readers.record_ids import own_ids
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.values import NAMES, one_line
from medground.corpus.readers.xml import Element, flat_text, name_of
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.document import Document

# Hidden text of a page is removed before anything is read. Style sheets are not read, only the tags' own.

_HIDDEN = verbose_pattern(
    r"""
    display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0\d*)?\s*(?:;|!|$)|
    font-size\s*:\s*0*[01]?(?:\.\d+)?\s*(?:px|pt)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}|(?:left|
    top)\s*:\s*-\d{3,}
    """
)
_WHITE = lazy_pattern(r"(?i)(?<![\w-])color\s*:\s*(?:white|#f{3}(?:f{3})?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)")
_GROUND = re.compile(r"(?i)background(?:-color)?\s*:\s*(?!white|#f{3}(?:f{3})?\b|none|transparent|inherit)")


def take_out_hidden(tree: Any) -> list[str]:
    """Remove the elements that cannot be seen; returns their texts."""
    texts = []
    for element in [one for one in tree.iter() if isinstance(one.tag, str) and _is_hidden(one)]:
        if element.getparent() is not None and element.tag not in ("html", "body", "head"):
            texts.append(one_line("".join(element.itertext())))
            element.drop_tree()
    return [text for text in texts if text]


def _is_hidden(element: Any) -> bool:
    if element.get("hidden") is not None:
        return True
    style = element.get("style") or ""
    if _HIDDEN.search(style) or not _WHITE.search(style):
        return bool(_HIDDEN.search(style))
    return not any(
        _GROUND.search(outer.get("style") or "") or outer.get("bgcolor") or outer.get("class")
        for outer in (element, *element.iterancestors())
    )


_PAGE = re.compile(rb"\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype\s+html|html\b|head\b|body\b)", re.I | re.S)
_CHARSET = re.compile(rb"(?i)<meta[^>]{0,200}charset=[\"']?([\w-]{3,20})")
_LONGEST = 20_000_000
_MOST_TAGS = 200_000
"""Most tags of a page: five times those of the longest article, and what is read in seconds."""
_MOST_ATTRIBUTES = 10_000
"""Each is compared with all before it."""
_LONG_TAG = re.compile(rb"<[^<>]{20000,}")
_NO_TEXT = ("script", "style", "noscript", "template", "nav")
_OTHER = re.compile("relat|refer")
"""Tags that name other papers: `DC.relation`, `citation_reference`."""
_MARK = "\ue000"
_MARKED = re.compile(rf"{_MARK}\s*(t[dh]),(\d{{1,4}}),(\d{{1,4}})\s*{_MARK}\s*")
"""What a cell is and how far it reaches, before its text: trafilatura keeps no more than the texts of cells."""
_SPANNED = "//table[.//@rowspan or .//@colspan][count(.//td|.//th) > 2 * count(.//a)]//*[self::td or self::th]"
"""The cells of tables with spans; a table of links is a menu."""
_BANNERS = "//h1|//h2|//h3|//p|//div|//strong|//b|//span"
_NO_BANNER = frozenset(["li", "td", "th", "aside", "footer", "blockquote", "figure", "form"])
_MOST_PIECES = 20
"""Pieces of text, between tags, from which an element is more than a banner."""
_TOP = 20
"""Lines of the text among which a page gives its own ids."""
_LONG_TEXT = 300
"""Characters of a paragraph that is not a banner and begins the text."""


def is_saved_page(start: bytes) -> bool:
    """Whether the start of a file is that of a page saved in one file (MHTML): a mail of several related parts."""
    head = b"\n" + re.split(rb"\r?\n\r?\n", start.lstrip(), maxsplit=1)[0].lower()
    return b"\nmime-version:" in head and b"multipart/related" in head


def mhtml_document(content: bytes, name: str) -> Document:
    """The document of a page saved in one file: the first page in it, without pictures and frames."""
    parts = message_from_bytes(content).walk()
    page = next((part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")), None)
    if page is None:
        raise ValueError("the saved page holds no HTML")
    charset = b'<meta charset="%s">' % (page.get_content_charset() or "utf-8").encode()
    document = html_document(charset + cast("bytes", page.get_payload(decode=True)), name)
    address = str(page.get("Content-Location") or "")
    return document if document.url or not address.startswith("http") else document.replace(url=address)


def is_page(start: bytes) -> bool:
    """Whether the start of a file is that of an HTML page."""
    return _PAGE.match(start.removeprefix(b"\xef\xbb\xbf")) is not None


def html_document(content: bytes, name: str) -> Document:
    """The document of a page."""
    from lxml import etree

    tree = _parsed(content)
    linked = [*_linked_data(one.text_content() for one in tree.xpath("//script[@type='application/ld+json']"))]
    etree.strip_elements(tree, *_NO_TEXT, with_tail=False)
    fields = _tagged(tree)
    whole_tree = copy.deepcopy(tree)
    hidden = take_out_hidden(tree)
    mark = banner_fields(_banners(tree))
    composition = _main_text(tree)
    if hidden:  # most hidden text is that of menus, which is not main text anyway
        everything = _main_text(whole_tree).text
        hidden = [text for text in hidden if text in everything]
    abstract = fields.pop("abstract", None)
    if not composition.text and not abstract:
        raise ValueError("the page has no main text")
    heading = one_line("".join(tree.xpath("//title[1]//text()")))
    links = tree.xpath("//link[@rel='canonical']/@href") or tree.xpath("//meta[@property='og:url']/@content")
    address = next((str(link) for link in links if str(link).startswith("http")), None)
    cautions = (*mark.pop("cautions", ()), *caution_on_hidden(hidden, "The page"))
    kind = "research" if {"journal", "pmid"} & fields.keys() else "web"
    heading = next((value for name, value in linked if name == "headline"), heading)
    said = {"title": heading or Path(name).stem, "language": tree.get("lang"), "url": address, **fields, **mark}
    for lines in ((value for _, value in linked), composition.text.split("\n")[:_TOP]):
        said = own_ids(lines) | said
    own = {"id": file_id(name), "kind": kind, "text": composition.text or abstract, "sections": composition.sections}
    return described(said | own | {"cautions": cautions})


def shown_page(content: bytes) -> tuple[str, Composition, list[str]]:
    """Of a page in a book: its title, its main text, and its hidden texts."""
    from lxml import etree

    tree = _parsed(content)
    etree.strip_elements(tree, *_NO_TEXT, with_tail=False)
    hidden = take_out_hidden(tree)
    headings = tree.xpath("//h1|//h2|//h3|//title")
    titles = (one_line(one.text_content()) for one in sorted(headings, key=lambda one: one.tag))
    title, everything = next(filter(None, titles), ""), tree.body.text_content()
    article = etree.Element("article")  # all of it is main text
    article.extend(tree.body)
    tree.body.append(article)
    composition = _main_text(tree)
    if not composition.text:
        composition.add(one_line(everything))
    return title, composition, hidden


def _parsed(content: bytes) -> Any:
    """The page as a tree."""
    import lxml.html
    from lxml import etree

    if len(content) > _LONGEST:
        raise ValueError(f"the page has more than {_LONGEST:,} bytes")
    if content.count(b"<") > _MOST_TAGS:
        raise ValueError(f"the page has more than {_MOST_TAGS:,} tags; split it")
    if any(len(tag.split()) > _MOST_ATTRIBUTES for tag in _LONG_TAG.findall(content)):
        raise ValueError(f"a tag of the page has more than {_MOST_ATTRIBUTES:,} attributes; leave it out")
    page = None
    if named := _CHARSET.search(content[:4096]):  # what the page names, if its bytes fit
        with contextlib.suppress(UnicodeDecodeError, LookupError):
            page = content.decode(named[1].decode("ascii"))
    page = decoded(content) if page is None else page
    try:
        tree = lxml.html.document_fromstring(page.encode("utf-8"), parser=lxml.html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError) as error:
        raise ValueError("the page is empty or not HTML") from error
    return tree


def _linked_data(scripts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What the articles of a page's JSON-LD say of themselves: their headlines, and ids as lines, `pmid: 1`."""
    for script in scripts:
        with contextlib.suppress(ValueError, RecursionError):
            read = json.loads(script)
            articles = [read, *(read.get("@graph") or ()), read.get("mainEntity")] if isinstance(read, dict) else read
            for one in (article for article in articles if isinstance(article, dict)):
                for name in ("headline", "identifier", "sameAs", "@id", "url", "doi"):
                    for value in one[name] if isinstance(one.get(name), list) else filter(None, [one.get(name)]):
                        if isinstance(value, dict):
                            value = f"{value.get('propertyID') or value.get('name', '')}: {value.get('value', '')}"
                        yield name, one_line(value)


def _main_text(tree: Any) -> Composition:
    from trafilatura import bare_extraction

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it logs what is reported here
    composition = Composition()
    _write_raised(tree)
    for cell in tree.xpath(_SPANNED):
        spans = [cell.attrib.pop(name, "") for name in ("rowspan", "colspan")]
        said = ",".join(span if re.fullmatch(r"\d{1,4}", span) else "1" for span in spans)
        cell.text = f"{_MARK}{cell.tag},{said}{_MARK}{cell.text or ''}"
    for caption in [*tree.iter("caption")]:
        caption.tag = "p"
        caption.getparent().addprevious(caption)
    found = bare_extraction(tree, include_comments=False, include_tables=True, with_metadata=False)
    if found is not None and not isinstance(found, dict):
        _compose(composition, found.body)
    return composition


def _write_raised(tree: Any) -> None:
    """Superscripts as plain text: trafilatura keeps their letters alone."""
    from lxml import etree

    for raised in tree.xpath("//sup[not(ancestor::sup)]"):
        previous = raised.getprevious()
        before = [raised.getparent().text] if previous is None else [previous.text, previous.tail]
        said = written("".join(raised.itertext()), "".join(filter(None, before))) if raised.find("a") is None else ""
        raised.clear(keep_tail=True)
        raised.text = said
    etree.strip_tags(tree, "sup")


def _tagged(tree: Any) -> dict[str, Any]:
    tags: defaultdict[str, list[str]] = defaultdict(list)
    ids = []
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        if name and (value := one_line(meta.get("content") or "")):
            tags[name].append(value)
            is_pmid = value.isdigit() and "pmid" in (name[-4:], (meta.get("scheme") or "").lower())
            ids += [] if _OTHER.search(name) else [f"pmid: {value}" if is_pmid else value]
    fields: dict[str, Any] = {}
    for field, names in NAMES["tags"].items():
        values = next((tags[name] for name in names if tags[name]), [])
        if values:
            fields[field] = values if field in ("authors", "keywords") and len(values) > 1 else values[0]
    return own_ids(ids) | fields


def _banners(tree: Any) -> Iterator[str]:
    """The short texts above the running text, out of lists, tables and what stands beside it."""
    for element in tree.xpath(_BANNERS):
        pieces = list(islice(element.itertext(), _MOST_PIECES))
        text = one_line("".join(pieces))
        if element.tag == "p" and len(text) > _LONG_TEXT:
            return
        if (
            len(pieces) < _MOST_PIECES
            and is_banner(text)
            and _NO_BANNER.isdisjoint(name_of(outer) for outer in element.iterancestors())
        ):
            yield text


def _compose(composition: Composition, body: Element) -> None:
    """The blocks of trafilatura's tree in order, each labelled with the headings above it."""
    path = Headings()
    for block in _blocks(body):
        raw = "".join(block.itertext())
        text = one_line(_MARKED.sub("", raw))
        if name_of(block) == "head":
            level = (block.get("rend") or "")[-1:]
            path.enter(int(level) if level.isdecimal() else 2, text)
        elif name_of(block) == "table":
            rows = [[_cell(c) for c in row if _MARK in flat_text(c) or _MARK not in raw] for row in block.iter("row")]
            for line in lines_of([row for row in rows if row]):
                composition.add(line, path.label)
        elif not path.are_of_references:
            composition.add(text, path.label)


def _cell(cell: Element) -> Cell:
    found = _MARKED.match(text := flat_text(cell))
    if found is None:
        return Cell(text, is_head=cell.get("role") == "head")
    return Cell(text[found.end() :], found[1] == "th", rows=int(found[2]), columns=int(found[3]))


def _blocks(element: Element) -> Iterator[Element]:
    for child in element:
        if name_of(child) in ("list", "quote", "div", "main", "body"):
            if child.text and child.text.strip() and name_of(child) in ("quote", "div"):
                yield child
            else:
                yield from _blocks(child)
        elif name_of(child):
            yield child
