"""A citation in the form of ECitMatch, `journal|year|volume|first page|author|`, as a query in PubMed's syntax."""

_FIELDS = ("ta", "dp", "vi", "pg", "au")


def citation_terms(line: str) -> list[str]:
    """A part of the query for each part of the citation that is not empty: join them by AND."""
    values = [" ".join(part.replace('"', " ").split()) for part in line.split("|")[: len(_FIELDS)]]
    return [f'"{value}"[{tag}]' if tag in ("ta", "vi", "pg") else f"{value}[{tag}]"
            for tag, value in zip(_FIELDS, values, strict=False) if value]  # fmt: skip
