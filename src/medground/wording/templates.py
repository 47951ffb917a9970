"""What commands print, by the templates of a folder `texts` next to their code."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from medground.language.clean import one_line


def percent(value: float | None) -> str:
    """A share in percent; `-` for None."""
    return "-" if value is None else f"{value:.1%}"


def number(value: float | None, decimals: int = 3) -> str:
    """A number with some decimals; `-` for None."""
    return "-" if value is None else f"{value:.{decimals}f}"


@cache
def _templates(package: str) -> Environment:
    made = Environment(
        loader=PackageLoader(package, "texts"),
        autoescape=False,  # noqa: S701 (it is text, and no line can be added)
        finalize=lambda value: one_line(str(value)),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "percent": percent,
        "number": number,
        "thousands": "{:,}".format,
        "between": lambda pair: "[{:.1%}, {:.1%}]".format(*pair),
        "as": lambda value, form: form.format(value),
    }
    return made


def printed(package: str, name: str, **values: Any) -> list[str]:
    """The lines of a text of a package, such as `measure`. A line is a line there, whatever the values contain."""
    return _templates(package).get_template(f"{name}.jinja").render(values).split("\n")[:-1]
