"""A text checked against its own references."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from medground.engine.guards import guarded
from medground.engine.papers import PaperEngine
from medground.errors import UsageError
from medground.values.document import Document
from medground.values.grouping import portions
from medground.values.question import Question

if TYPE_CHECKING:
    from medground.checking.sentences import CitingText
    from medground.values.finding import Finding, TextCheck

LONGEST = 2_000_000
"""Characters of a text that is checked."""
_AT_ONCE = 50
ASKED = "What do the cited texts say of these sentences?"
"""What a judge that is a language model reads as the question."""


@dataclass(repr=False)
@guarded
class CheckEngine(PaperEngine):
    """Checks texts sentence by sentence against the papers that they cite."""

    async def check_text(
        self, text: str, *, file: str = "text", references: Sequence[Path] = (), fields: Sequence[str] = ()
    ) -> TextCheck:
        """What the papers that a text cites say of each of its sentences.

        Args:
            text: the text, with its list of references; Markdown, LaTeX and HTML as their files have them.
            file: its name in the findings; the ending says what it is.
            references: files of references beside it: BibTeX, RIS, CSL JSON.
            fields: of YAML and JSON, the dotted paths of the fields that are checked.

        Raises:
            UsageError: the text is empty or too long; a file of references cannot be read; the engine is closed.
            SourceUnavailable: no corpus can be searched.
            BudgetExhausted: a limit was reached.
        """
        if not text.strip():
            raise UsageError(f"{file} has no text; give one with sentences that cite")
        if len(text) > LONGEST:
            raise UsageError(f"{file} has {len(text):,} characters; check at most {LONGEST:,} at once, part by part")
        from medground.checking.check import CHECKING_A_TEXT, check
        from medground.checking.files import entries_in, fields_of, shown
        from medground.checking.sentences import read_fields, read_text

        def reading() -> CitingText:
            if fields:
                return read_fields(text, file, fields_of(text, tuple(fields), file))
            return read_text(text, file, shown(text, file))

        read = await asyncio.to_thread(reading)
        setup = await self._setup(None, None, None)
        beside = [entry for path in references for entry in entries_in(path)]
        run = self._run(Question.ask(ASKED, task="free"), setup, CHECKING_A_TEXT, traced=False)
        with self._under_way():
            found = await check(read, beside, run, self._fetched)
        return found.replace(texts={file: text})

    async def check_against(self, sentences: Sequence[tuple[str, Sequence[Document]]]) -> list[Finding]:
        """What given papers say of sentences that cite them, each sentence apart from the others.

        Raises:
            UsageError: the engine is closed.
            SourceUnavailable: a corpus of the engine, where another paper may say it, cannot be searched.
            BudgetExhausted: a limit was reached.
        """
        from medground.checking.check import CHECKING_A_TEXT, citing
        from medground.checking.judging import findings_of

        asked = await asyncio.to_thread(citing, sentences)
        setup = await self._setup(None, None, None)
        run = self._run(Question.ask(ASKED, task="free"), setup, CHECKING_A_TEXT, traced=False)
        with self._under_way():
            return await findings_of("", asked, run, weigh_all=True)

    async def _fetched(self, names: Sequence[str]) -> Mapping[str, Document]:
        """Papers that no corpus holds, from PubMed and its services, where they may be asked."""
        if self._paper_services() is None:
            return {}
        parts = portions(names, _AT_ONCE)
        found = [one for part in parts for one in await self.papers([name.replace("pmc:", "") for name in part])]
        return {name: one.document for name, one in zip(names, found, strict=True) if one.document is not None}
