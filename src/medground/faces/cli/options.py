"""Options that several commands share, and the settings made from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.complete import answers, knowledge_bases, presets

if TYPE_CHECKING:
    from medground.settings import Settings

Sets = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; repeatable.")]
Preset = Annotated[str | None, typer.Option(help="Start from a built-in preset.", autocompletion=presets)]
SettingsFile = Annotated[Path | None, typer.Option("--settings", metavar="FILE", help="A settings file.")]
AnswerName = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        autocompletion=answers,
        help="The trace id of an answer, or its id for the latest; or last.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")]

Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Only documents with this value, such as journal=Lancet, design=RCT, date=2019-03..2020-06 or a field of "
        "your own files; repeatable: any value of a field, and all fields.",
    ),
]


KnowledgeBase = Annotated[
    str | None,
    typer.Option("--kb", metavar="NAME", help="Search this knowledge base.", autocompletion=knowledge_bases),
]


def searched(corpus: list[str] | None, kb: str | None = None) -> dict[str, object]:
    """The settings of what is searched: what is named replaces both corpora and knowledge base of the settings."""
    if not corpus and not kb:
        return {}
    return {"retrieval.corpora": tuple(corpus or ()), "retrieval.knowledge_base": kb or ""}


def load_settings(
    sets: list[str] | None = None,
    preset: str | None = None,
    file: Path | None = None,
    extra: dict[str, object] | None = None,
) -> Settings:
    """Settings from all layers; `extra` are options with their own flags, and override `--set`.

    Raises:
        ConfigError: a key or value is invalid.
    """
    from medground.layers import parse_options
    from medground.settings import Settings

    options = parse_options(sets or [])
    options.update({key: value for key, value in (extra or {}).items() if value is not None})
    return Settings.load(preset=preset, file=file, options=options)


def home_folder() -> Path:
    """The user's folder."""
    from medground.settings import Settings

    return Settings.load().home
