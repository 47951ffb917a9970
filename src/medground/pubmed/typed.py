"""What a person typed that is not a question: ids of papers, and queries in PubMed's syntax."""

from medground.errors import UsageError
from medground.pubmed.other_syntax import from_other_service
from medground.values.identifiers import papers_named
from medground.values.lookup import Lookup
from medground.values.query import Leaf, Query, Term, Words, any_of, fold


def as_typed(lookup: Lookup) -> Lookup:
    """The lookup of the papers that its text names by id, or of the query that its text is; else the lookup itself.

    Plain words that are a query stay as they are: each source reads them as it does.
    """
    text = lookup.text
    if not lookup.of_texts or not text:
        return lookup
    if names := [name for named in papers_named(text).values() for name in named]:
        papers = any_of([Term(value=name, field="identifier") for name in names])
        return lookup.model_copy(update={"asked": papers, "shown": ", ".join(names)})
    if not isinstance(lookup.asked, Words) and (query := typed_query(text)) is not None:
        return lookup.model_copy(update={"asked": query, "shown": from_other_service(text)[0]})
    return lookup


def typed_query(text: str) -> Query | None:
    """The tree of a text in PubMed's syntax; None of a question.

    A field tag makes a query. So do AND, OR and NOT in capitals, unless a question mark follows.

    Raises UsageError: it is in the syntax of another service.
    """
    text, reason = from_other_service(text)
    if reason and not text:
        raise UsageError(reason)
    joined = any(operator in text for operator in (" AND ", " OR ", " NOT ")) and not text.rstrip().endswith("?")
    if not joined and "[" not in text:
        return None
    from medground.pubmed.normalize import normalize
    from medground.pubmed.syntax import QuerySyntaxError, tokens
    from medground.pubmed.tags import read_tag
    from medground.pubmed.translate import parse

    tagged = any(token.kind == "tag" and read_tag(token.text).use for token in tokens(text))
    if not tagged and not joined:
        return None
    try:
        return parse(text)
    except QuerySyntaxError:
        return normalize(text).query if tagged else None


def names_in(text: str) -> str:
    """What a query in PubMed's syntax names and does not leave out, the first of alternatives; other text as it is."""
    query = typed_query(text)
    named = query and fold(
        query, _named, lambda parts: " ".join(one for one, left in parts if not left), lambda one, _: one[0]
    )
    return named or text


def _named(leaf: Leaf) -> str:
    return str(getattr(leaf, "heading", None) or getattr(leaf, "text", None) or getattr(leaf, "value", ""))
