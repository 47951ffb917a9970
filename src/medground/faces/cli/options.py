"""Options that several commands share, what the shell completes in them, and the settings made from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, get_args

from typer import Argument, Option, Typer
from typer.core import TyperGroup

from medground.errors import MedgroundError, UsageError
from medground.home.layers import parse_options, preset_names
from medground.home.registry import recipe_names

if TYPE_CHECKING:
    from medground.home.settings import Settings


T = TypeVar("T")
_FORMER = {"output": "out", "refs": "corpus"}
"""Options that had another name, which is still understood."""
WRITTEN = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 1_000,  # the terminal's own width
    "token_normalize_func": lambda name: _FORMER.get(name, name),
}
"""How commands are written and their help is laid out."""
_WHOLE = 1_000


class Commands(TyperGroup):
    """Commands whose help lists them by sections, each with its whole first sentence."""

    titles: ClassVar[tuple[str, ...]] = ("Commands",)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list."""
        for title in self.titles:
            commands: Iterable[tuple[str, Any]] = self.commands.items()
            known = ((name, one) for name, one in commands if title in (one.rich_help_panel, "Commands"))
            if rows := [(name, one.get_short_help_str(_WHOLE)) for name, one in known]:
                with formatter.section(title):
                    formatter.write_dl(rows)


def corpora(incomplete: str) -> list[str]:
    """Names of the corpora."""
    from medground.corpus.library import Library

    return _matching(_kept(lambda home: Library(home).list()), incomplete)


def knowledge_bases(incomplete: str) -> list[str]:
    """Names of the knowledge bases."""
    from medground.graph.bases.record import Bases

    return _matching(_kept(lambda home: Bases(home).list()), incomplete)


def recipes(incomplete: str) -> list[str]:
    """Names of the recipes."""
    return _matching(recipe_names(), incomplete)


def presets(incomplete: str) -> list[str]:
    """Names of the presets."""
    return _matching(preset_names(), incomplete)


def formats(incomplete: str) -> list[str]:
    """Formats of an export."""
    from medground.wording.export import Format

    return _matching(get_args(Format), incomplete)


def answers(incomplete: str) -> list[tuple[str, str]]:
    """The latest answers, by trace id and question."""
    from medground.engine.answers import Answers

    found = _kept(lambda home: islice(Answers(home).history(), 20))
    return [(past.trace_id, past.question[:60]) for past in found if past.trace_id.startswith(incomplete)]


def _kept(read: Callable[[Path], Iterable[T]]) -> list[T]:
    """What is read of the user's folder; nothing where that fails."""
    from medground.home.settings import Settings

    try:
        return list(read(Settings.load().home))
    except (MedgroundError, OSError):
        return []


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


Sets = Annotated[list[str] | None, Option("--set", metavar="KEY=VALUE", help="Change a setting; repeatable.")]
Preset = Annotated[str | None, Option(help="Start from a built-in preset.", autocompletion=presets)]
SettingsFile = Annotated[Path | None, Option("--settings", metavar="FILE", help="A settings file.")]
AnswerName = Annotated[
    str,
    Argument(
        metavar="ID", autocompletion=answers, help="The trace id of an answer, or its id for the latest; or last."
    ),
]
PrintJson = Annotated[bool, Option("--json", help="Print JSON.")]
JsonLines = Annotated[bool, Option("--json", help="Print JSON Lines.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation.")]


def out_option(about: str, metavar: str = "FILE") -> Any:
    """The option that says where a result is written, of every command that writes one."""
    return Option("--out", "-o", metavar=metavar, help=about)


ToFile = Annotated[Path | None, out_option("Write to this file, replacing it if it exists.")]
SearchWords = Annotated[str, Argument(help="Words to search for.", metavar="QUERY")]
MostPassages = Annotated[int, Option(help="Maximum number of passages to show.", min=1, max=10_000)]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Do not show progress.")]

Where = Annotated[
    list[str] | None,
    Option(
        metavar="FIELD=VALUE",
        help="Only documents with this value, such as journal=Lancet, design=RCT, date=2019-03..2020-06 or a field of "
        "your own files; repeatable: any value of a field, and all fields.",
    ),
]


KnowledgeBase = Annotated[
    str | None, Option("--kb", metavar="NAME", help="Search this knowledge base.", autocompletion=knowledge_bases)
]


def group(about: str) -> Typer:
    """Commands under one name, also where there is only one of them."""
    made = Typer(help=about, no_args_is_help=True, cls=Commands)
    made.callback()(lambda: None)
    return made


def searched(corpus: list[str] | None, kb: str | None = None, model: str | None = None) -> dict[str, object]:
    """The settings of what is searched, and of the model that answers: what is named replaces both corpora and
    knowledge base of the settings."""
    answering: dict[str, object] = {} if model is None else {"model.default": model}
    if not corpus and not kb:
        return answering
    return {"retrieval.corpora": corpora_named(corpus or ()), "retrieval.knowledge_base": kb or "", **answering}


def named(corpus: list[str] | None, kb: str | None, pubmed: str | None, source: list[str] | None) -> dict[str, object]:
    """The settings of what is searched; a source that is named replaces the corpora of the settings."""
    only = {"retrieval.corpora": (), "retrieval.knowledge_base": ""} if pubmed or source else {}
    return only | {
        **searched(corpus, kb),
        "retrieval.pubmed": pubmed,
        "retrieval.sources": tuple(source) if source else None,
    }


def corpora_named(corpora: Iterable[str]) -> tuple[str, ...]:
    """Names of corpora.

    Raises UsageError: one is the path of files that are not a corpus yet; it is answered with the line that builds one.
    """
    from medground.corpus.library import elsewhere

    names = tuple(corpora)
    for path in (Path(name) for name in names if ("/" in name or "." in name) and not elsewhere(name)):
        if path.expanduser().exists():
            own = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "papers"
            raise UsageError(f"{path} is not a collection; build one first: medground corpus build {own[:64]} {path}")
    return names


def load_settings(
    sets: list[str] | None = None,
    preset: str | None = None,
    file: Path | None = None,
    extra: dict[str, object] | None = None,
) -> Settings:
    """Settings from all layers; `extra` are options with their own flags, and override `--set`.

    Raises ConfigError: a key or value is invalid.
    """
    from medground.home.settings import Settings

    options = parse_options(sets or [])
    options.update({key: value for key, value in (extra or {}).items() if value is not None})
    return Settings.load(preset=preset, file=file, options=options)


def home_folder() -> Path:
    """The user's folder."""
    from medground.home.settings import Settings

    return Settings.load().home


QuestionText = Annotated[str | None, Argument(help="The question, in quotes; or - to read it from standard input.")]
Corpora = Annotated[
    list[str] | None, Option("--corpus", "-c", help="Corpus to search; repeatable.", autocompletion=corpora)
]
PubMed = Annotated[
    str | None, Option(metavar="live|URL", help="Also search PubMed; only PubMed if no corpus is named.")
]
SourceNames = Annotated[list[str] | None, Option(help="Also search this source, by name; repeatable.")]
RecipeName = Annotated[str | None, Option(help="Recipe to use.", autocompletion=recipes)]
ModelName = Annotated[str | None, Option(help="Language model to use; none by default.")]
TaskName = Annotated[
    str | None,
    Option(help="yes-no, yes-no-maybe, direction, single-choice, multiple-choice or free; guessed by default."),
]
Choices = Annotated[list[str] | None, Option(help="An answer option; repeat for A, B, C, ...")]
Context = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Text that the question is about, such as a patient's case (or -); read with the question, never cited.",
    ),
]
YearFrom = Annotated[int | None, Option(help="Earliest year of publication.")]
YearTo = Annotated[int | None, Option(help="Latest year of publication.")]
Follow = Annotated[
    str | None,
    Option(
        metavar="ID",
        autocompletion=answers,
        help="Ask a follow-up to this answer (or `last`); its subject and documents are kept.",
    ),
]
Again = Annotated[
    str | None,
    Option(metavar="ID", autocompletion=answers, help="Ask this answer's question again and show what changed."),
]
FromFile = Annotated[
    Path | None, Option("--from", metavar="FILE", help="Ask each line of a file (or -); run again to resume.")
]
Json = Annotated[bool, Option("--json", help="Print JSON; with --from, one line for each question.")]
Markdown = Annotated[bool, Option("--markdown", help="Print a report in Markdown.")]
Details = Annotated[bool, Option("--details", help="Also show labels, offsets, queries, hashes and the trace.")]
NoCache = Annotated[bool, Option("--no-cache", help="Do not reuse stored model calls.")]
