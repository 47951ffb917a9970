"""What can be done with the answers that a home folder keeps, without asking anything."""

from __future__ import annotations

from itertools import islice

from medground.answer import Answer
from medground.answers import Answers, PastAnswer
from medground.errors import UsageError
from medground.export import STYLE, Format, export
from medground.kept_attachments import Attachments
from medground.settings import Settings


class KeptAnswers:
    """Reads the answers in the home folder of `settings`; an engine is one."""

    settings: Settings

    def answer(self, name: str) -> Answer:
        """A kept answer by its trace id, or the latest one with this answer id.

        Raises:
            UsageError: no such answer is kept.
        """
        return Answers(self.settings.home).read(name)

    def export(self, name: str, form: Format = "markdown", *, style: str = STYLE) -> bytes:
        """A kept answer for a reference manager (`ris`, `bibtex`, `csl-json`) or a reader (`markdown`, `docx`, `html`,
        `pdf`), with the files of a report.

        Raises:
            UsageError: no such answer, format or style; the answer quotes no source.
            ConfigError: the `export` extra is missing, which the forms for a reader need.
        """
        return export(self.answer(name), form, style=style, files=Attachments(self.settings.home).read)

    def history(self, limit: int = 20) -> list[PastAnswer]:
        """The questions that were asked last, the latest first.

        Raises:
            UsageError: `limit` is negative.
        """
        if limit < 0:
            raise UsageError(f"a history takes a limit of at least 0, not {limit}")
        return list(islice(Answers(self.settings.home).history(), limit))
