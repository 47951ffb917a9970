"""Templates: of markup next to the code of a package, and of what commands print in a folder `texts` there."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from medground.language.clean import clean, one_line

if TYPE_CHECKING:
    from jinja2 import Environment, Template


@cache
def template(package: str, name: str) -> Template:
    """A template next to the code of a package, which renders to markup."""
    from jinja2 import Environment, StrictUndefined  # late: most outputs need none
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) else clean(str(value))

    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=shown)
    return environment.from_string((resources.files(package) / name).read_text(encoding="utf-8"))


def percent(value: float | None) -> str:
    """A share in percent; `-` for None."""
    return "-" if value is None else f"{value:.1%}"


def number(value: float | None, decimals: int = 3) -> str:
    """A number with some decimals; `-` for None."""
    return "-" if value is None else f"{value:.{decimals}f}"


@cache
def _texts(package: str) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

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
    return _texts(package).get_template(f"{name}.jinja").render(values).split("\n")[:-1]
