"""Records as text: in the MEDLINE format, and as PubMed's abstracts."""

import html
import re
import textwrap
from collections.abc import Iterable

from markupsafe import Markup

from medground.corpus.readers.medline_record import Abstract, MedlineRecord
from medground.home.files import tables
from medground.values.document import MeshHeading
from medground.wording.templates import template

_WIDTH = 82
_STARTS = 6
_CORRECTIONS: dict[str, str] = tables("faces/eutils", "fields")["corrections"]
_GAP = re.compile(r"\n\s*\n")


def medline_text(records: Iterable[MedlineRecord]) -> str:
    """Format records as MEDLINE: four-letter fields, wrapped, with a blank line before each record."""
    return "".join("\n" + "".join(f"{line}\n" for line in _lines(record)) for record in records)


def abstract_text(records: Iterable[MedlineRecord]) -> str:
    """Format records as PubMed's numbered abstracts, separated by two blank lines; empty if there are none."""
    texts = []
    for number, record in enumerate(records, start=1):
        text = template(__package__, "abstract.txt").render(number=number, **_about(record))
        paragraphs = _GAP.split(html.unescape(text).strip())
        texts.append("\n\n".join("\n".join(map(_wrapped, part.splitlines())) for part in paragraphs))
    return "\n\n\n".join(texts) + "\n" if texts else ""


def citation_source(record: MedlineRecord) -> str:
    """Where and when it was published: `J Clin Oncol. 2012 Jun 20;30(18):2248-55.`"""
    place = record.volume + (f"({record.issue})" if record.issue else "") + (f":{record.pages}" if record.pages else "")
    when = ";".join(filter(None, (record.printed, place)))
    return " ".join(f"{part}." for part in (record.abbreviation, when) if part)


def _lines(record: MedlineRecord) -> list[str]:
    def each(tag: str, path: str) -> Markup:
        return Markup("\n").join(_field(tag, value) for value in record.texts(path))

    text = template(__package__, "medline.txt").render(each=each, field=_field, mesh=_mesh_heading, **_about(record))
    return [line for line in text.splitlines() if line]


def _about(record: MedlineRecord) -> dict[str, object]:
    about = {"record": record, "labelled": _labelled, "corrections": _CORRECTIONS}
    return {**about, "source": citation_source(record), "dict": dict}


def _labelled(abstract: Abstract) -> list[str]:
    return [f"{label}: {text}" if label else text for label, text in abstract.parts]


def _field(tag: str, *values: str) -> Markup:
    """A field as it is printed, which is no markup; nothing without a value."""
    value = " ".join(" ".join(values).split())
    lines = textwrap.wrap(value, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return Markup(f"{tag:<4}- " + ("\n" + " " * _STARTS).join(lines) if value else "")  # noqa: S704 plain text


def _mesh_heading(heading: MeshHeading) -> str:
    """Format a heading, such as `*Asthma/drug therapy/*prevention & control`."""
    own = "*" if heading.major and not heading.major_qualifiers else ""
    qualifiers = ("*" * (name in heading.major_qualifiers) + name for name in heading.qualifiers)
    return "/".join([own + heading.descriptor, *qualifiers])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)
