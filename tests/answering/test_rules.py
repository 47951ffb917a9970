"""Every row of the policy: a text that breaks it, and one beside it that does not, over the same quotes."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rows import each_row, tables

from medground.answering.verify.rules import TABLE, Part, broken, settles
from medground.language import words
from medground.values.document import Document

ROWS = tables(__file__)["rows"]


def part(row: Mapping[str, Any], text: str, answer: str = "") -> Part:
    quotes = tuple(row["quotes"])
    document = Document(id="PMID:1", title=row.get("title", "A trial"), text="\n".join(quotes))
    passages = tuple(f"{document.title}\n{quote}" for quote in quotes)
    cited = quotes, (document,) * len(quotes), passages
    return Part(row.get("kind", "statement"), text, *cited, answer, english=row.get("english", True))


@each_row("row", ROWS)
def test_a_rule_finds_what_breaks_it_and_nothing_in_a_faithful_text(row: dict[str, Any]) -> None:
    assert row["rule"] in broken(part(row, row["wrong"], row.get("answer", "")))
    faithful = row | {"quotes": row.get("right_quotes", row["quotes"])}
    assert broken(part(faithful, row["right"], row.get("right_answer", row.get("answer", "")))) == {}


def test_every_rule_of_the_table_has_a_row() -> None:
    assert {row["rule"] for row in ROWS} == {rule.name for rule in TABLE}


def test_a_doubt_is_settled_by_words_of_a_quote_and_by_nothing_else() -> None:
    quotes = ["Fewer patients had strokes (12 % and 15 %)."]
    assert settles("fewer patients had strokes", quotes)
    assert not any(settles(copied, quotes) for copied in ("", "patients", "fewer patients had died"))


def test_claims_that_experts_call_supported_seldom_break_a_rule(shared: Path) -> None:
    folder = shared / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        papers = {str(one["doc_id"]): one for one in map(json.loads, lines)}
    held = count = 0
    for claim in map(json.loads, (folder / "claims_dev.jsonl").read_text(encoding="utf-8").splitlines()):
        for paper, evidence in claim["evidence"].items():
            if evidence[0]["label"] != "SUPPORT":
                continue
            text = papers[paper]["abstract"]
            said = words.terms(claim["claim"])
            quotes = {text[n].strip() for one in evidence for n in one["sentences"]}
            near = sorted(quotes, key=lambda quote: (-words.coverage(said, words.terms(quote)), quote))
            row = {"quotes": near, "title": f"{papers[paper]['title']} {' '.join(text)}"}
            count += 1
            held += bool(broken(part(row, claim["claim"])))
    assert count > 100
    assert held / count < 0.1
