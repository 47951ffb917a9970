"""Measures the PubMed query language: speed of parsing, normalising and MeSH look-ups, and a fuzz run.

    python benchmarks/pubmed_query.py [--fuzz 100000] [--seed 1] [--seconds 5]

Speeds are in CPU time of one core, on queries like those that models and people write.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import date

from medground.pubmed.mesh import Vocabulary, vocabulary
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.translate import parse

TODAY = date(2026, 3, 31)
VALID = (
    "lung cancer",
    "heart attack aspirin",
    "vitamin c common cold",
    "does smoking cause chronic obstructive pulmonary disease?",
    "stem cells AND hasabstract",
    "asthma AND (child OR infant) NOT review[pt]",
    "a[ti] OR b[ti] AND c[ti]",
    '"asthma child"[tiab:~3]',
    '"Blood Viscosity"[Mesh] AND "Vasodilation"[Mesh] AND (humans[mh] OR "Middle Aged"[mh])',
    '("Asthma/drug therapy"[Majr] OR asthma*[tiab]) AND "Randomized Controlled Trial"[pt] AND 2015:2024[dp]',
    '("Antimanic Agents"[Mesh] OR "Lithium Compounds"[Mesh] OR "Valproic Acid"[Mesh]) AND "Repressor Proteins"[Mesh]'
    ' AND ("Transcriptome"[Mesh] OR "gene expression"[tiab]) AND english[la] AND "last 10 years"[dp]',
)
FAULTY = (
    *VALID,
    '("Asthma"[Mesh] AND "Child"[Mesh]',
    "“Marfan Sindrome”[Mesh] AND (lens OR eye)[tiab]",
    '```\n("Heart Attack"[Mesh] OR MI[tiab) AND aspirin[Mesh] AND 2010-01-01:2020[dp]\n```',
    '{"query": "\\"Blood Viscosity\\"[Mesh] AND \\"Vasodilatation\\"[Mesh]", "rationale": "x"}',
    "asthma[mh] or copd[mh] and not child[tabi] AND",
)
MISSPELT = (
    "marfan sindrome",
    "diabetis melitus type II",
    "hart failure",
    "astma",
    "myocardal infraction",
    "delayed flow-mediated dilation",
    "neoplasm metastasis lung",
    "transcription faktor protein human cell acid",
)
PIECES = (
    *("asthma", "heart", "attack", "cancer", "lung", "and", "or", "not", "AND", "OR", "NOT", "(", ")", '"', "[", "]"),
    *("[tiab]", "[mh]", "[Mesh]", "[majr]", "[dp]", "[pt]", "[sh]", "[au]", "[all]", "[pmid]", "[tabi]", "[mh:noexp]"),
    *("[tiab:~3]", "[sb]", "2010", "2020", "2010:2020", "2010/05/01", "-", "*", "therap*", ":", "/", "#1", "“", "”"),
    *(
        "{",
        "}",
        "```",
        "\n",
        "query:",
        "Here is:",
        "&",
        "|",
        "’",
        ".",
        "neoplasms/dt",
        "last 5 years",
        "Marfan Sindrome",
    ),
    *(
        "ä",
        "漢字",
        '\\"',
        "**",
        "12345678",
        "PMC123456",
        "hasabstract",
        "english",
        "review",
        "Smith JA",
        "vitamin c",
        "the",
    ),
    *("exp Asthma/", ".ti,ab.", "title:", "\n1. ", "\n2. ", "\n#3 #1 AND #2", "AND,"),
    *("of", "'x y'", "&amp;", "[ti", "1.5", "cd4+", "benzo[a]pyrene", "2010-2020", "\x00", "İ", "ß", "ﬁ", "①"),
)
CHARACTERS = "abAND OR\"()[]:*/~#&|'`{}-.,0123456789 \n\t“”é漢"


def per_second(read: Callable[[str], object], queries: Sequence[str], seconds: float) -> float:
    """Queries per second of CPU time."""
    for query in queries:
        read(query)
    began, done = time.process_time(), 0
    while time.process_time() - began < seconds:
        for query in queries:
            read(query)
        done += len(queries)
    return done / (time.process_time() - began)


def opening() -> float:
    """Seconds of CPU time to open the vocabulary, the best of three."""
    found = []
    for _ in range(3):
        vocabulary.cache_clear()
        began = time.process_time()
        vocabulary()
        found.append(time.process_time() - began)
    return min(found)


def look_ups(mesh: Vocabulary, number: int = 50_000) -> float:
    """Microseconds to look up a name or an entry term."""
    names = [heading.name for heading in mesh.explode(mesh.heading("Cardiovascular Diseases"))]
    began = time.process_time()
    for place in range(number):
        mesh.find(names[place % len(names)])
    return (time.process_time() - began) / number * 1e6


def guesses(mesh: Vocabulary) -> list[float]:
    """Milliseconds to find the nearest heading for each misspelt name."""
    mesh.nearest("warm up")
    found = []
    for name in MISSPELT * 5:
        began = time.process_time()
        mesh.nearest(name)
        found.append((time.process_time() - began) * 1e3)
    return found


def random_query(chance: random.Random) -> str:
    """A random sequence of query fragments, random characters, or a query with a few changes."""
    kind = chance.random()
    if kind < 0.6:
        return chance.choice((" ", "", " ")).join(chance.choice(PIECES) for _ in range(chance.randint(1, 14)))
    if kind < 0.8:
        return "".join(chance.choice(CHARACTERS) for _ in range(chance.randint(0, 40)))
    letters = list(chance.choice(FAULTY))
    for _ in range(chance.randint(1, 5)):
        place, change = chance.randrange(len(letters) + 1), chance.random()
        if change < 0.4 and letters:
            del letters[min(place, len(letters) - 1)]
        else:
            letters.insert(place, chance.choice(CHARACTERS if change < 0.7 else PIECES))
    return "".join(letters)


def check(query: str) -> tuple[bool, str]:
    """Whether the query was valid, and which guarantee it broke ("" for none)."""
    meant = None
    try:
        meant = parse(query, today=TODAY)
    except QuerySyntaxError as fault:
        if not 1 <= fault.column <= len(query) + 1:
            return False, f"column {fault.column} is outside the text"
    if meant is not None and parse(to_pubmed(meant), today=TODAY) != meant:
        return True, "its printed form parses differently"
    found = normalize(query, today=TODAY)
    again = normalize(found.text, today=TODAY)
    if (again.text, again.query, again.notes) != (found.text, found.query, ()):
        return meant is not None, "normalising it twice changes it"
    if meant is not None and not found.notes and found.query != meant:
        return True, "normalising it changes its meaning without a note"
    return meant is not None, ""


def fuzz(number: int, seed: int) -> tuple[int, list[str]]:
    """How many of the random queries were valid, and what went wrong."""
    chance, valid, wrong = random.Random(seed), 0, []
    for _ in range(number):
        query = random_query(chance)
        try:
            was_valid, broken = check(query)
        except Exception as failure:  # noqa: BLE001 - a fuzz run reports any failure
            was_valid, broken = False, f"{type(failure).__name__}: {failure}"
        valid += was_valid
        if broken:
            wrong.append(f"{query!r}: {broken[:200]}")
    return valid, wrong


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--fuzz", type=int, default=0, help="random and mutated queries to try")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=5.0)
    chosen = options.parse_args()
    rows = [("MeSH opened, s of CPU", f"{opening():.2f}", "0.3")]
    mesh = vocabulary()
    rows.append(("name or entry term, µs", f"{look_ups(mesh):.1f}", "20"))
    near = guesses(mesh)
    rows.append(("nearest heading, ms (median, largest)", f"{statistics.median(near):.1f}, {max(near):.1f}", "10"))
    parsed = per_second(lambda query: parse(query, today=TODAY), VALID, chosen.seconds)
    rows.append(("queries parsed per s", f"{parsed:,.0f}", "5,000"))
    normalised = per_second(lambda query: normalize(query, today=TODAY), FAULTY, chosen.seconds)
    rows.append(("queries normalised per s", f"{normalised:,.0f}", "1,000"))
    for what, measured, wanted in rows:
        print(f"{what:<40}{measured:>14}   (target: {wanted})")
    if chosen.fuzz:
        valid, wrong = fuzz(chosen.fuzz, chosen.seed)
        print(f"fuzz: {chosen.fuzz:,} queries, {valid:,} of them valid, {len(wrong)} broken guarantees")
        print("\n".join(wrong[:20]))


if __name__ == "__main__":
    main()
