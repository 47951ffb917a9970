"""What the server shows in a browser, without scripts: a search, a record; and the document types of its replies."""

from importlib import resources

from medground.corpus.readers.medline_record import MedlineRecord
from medground.corpus.readers.xml import record_element
from medground.faces.eutils.exchange import Context, InvalidRequest, Parameters, Reply
from medground.faces.eutils.formats import held
from medground.faces.eutils.texts import citation_source
from medground.wording.templates import template

_PAGE = 20
_MOST = 10_000
DTDS = {path.name: path.read_bytes() for path in (resources.files(__package__) / "dtd").iterdir()}
"""Document types that clients may lack, by the names under which our replies refer to them."""


def page(context: Context, parameters: Parameters) -> Reply:
    """Show the records that a query finds, or the one with an `id`. All that records say is text there."""
    term, pmid = parameters.text("term"), "".join(parameters.ids[:1])
    start = 0
    told: dict[str, object] = {"error": "", "count": 0, "reading": None}
    ids = [pmid] if pmid else []
    try:
        start = parameters.number("start", 0, _MOST)
        if term and not pmid:
            found = context.catalogue.search(term, None, "newest", start=start, limit=_PAGE, check=context.check)
            ids, told["count"], told["reading"] = [*found.ids], found.count, found.reading
    except InvalidRequest as invalid:
        told["error"] = invalid.reason
    records = [MedlineRecord(record_element(xml)) for _, xml in held(context, ids)]
    if pmid and not records:
        told["error"] = f"This corpus has no record {pmid[:20]}"
    html = template(__package__, "page.html").render(
        about=context.catalogue.about,
        term=term,
        pmid=pmid,
        records=records,
        states={each: one.retraction for each, one in context.catalogue.fetch(ids).items()},
        start=start,
        size=_PAGE,
        source=citation_source,
        dtds=sorted(DTDS),
        **told,
    )
    return Reply(html.encode(), "text/html; charset=UTF-8", 404 if pmid and not records else 200)
