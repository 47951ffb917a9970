"""Queries of every field, made by script of the raw records, and checked with lxml alone; no project code counts."""

import gzip
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from eutils_app import ask
from lxml import etree

pytestmark = pytest.mark.shared
RAW = Path(__file__).resolve().parents[3] / "shared" / "data" / "pubmed_xml" / "raw"
OF_A_KIND = 6
Values = Callable[[Any], list[str]]


def at(*paths: str) -> Values:
    """The texts at some paths of a citation."""
    return lambda one: [" ".join("".join(e.itertext()).split()) for path in paths for e in one.iterfind(path)]


def plain(text: str, apostrophe: str = "") -> str:
    """Lower-case words without accents and punctuation; an apostrophe in a name leaves no gap."""
    folded = unicodedata.normalize("NFKD", re.sub("['’]", apostrophe, text))
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in folded if not unicodedata.combining(c)).casefold()))


def people(path: str, *parts: str) -> Values:
    """Names of people, made of some of their elements."""
    return lambda one: [
        " ".join(filter(None, (e.findtext(part) for part in parts)))
        for e in one.iterfind(path)
        if e.find("LastName") is not None
    ]


NAMES: dict[str, set[str]] = {}
"""The names that a heading has in the files, by its ID: some were renamed between the years."""


def names_of(descriptor: Any) -> list[str]:
    """The names of a heading."""
    return sorted(NAMES.get(descriptor.get("UI"), {descriptor.text}))


AUTHORS = "Article/AuthorList/Author"
NAMED = ("LastName", "Initials")
JOURNAL = ("Article/Journal/Title", "Article/Journal/ISOAbbreviation", "MedlineJournalInfo/MedlineTA")
IDS = ("Article/ELocationID", "../PubmedData/ArticleIdList/ArticleId")
ABSTRACTS = ("Article/Abstract/AbstractText", "OtherAbstract/AbstractText")
WORDS = {
    "ti": at("Article/ArticleTitle"),
    "ab": at(*ABSTRACTS),
    "tiab": at("Article/ArticleTitle", *ABSTRACTS, "KeywordList/Keyword"),
    "tt": at("Article/VernacularTitle"),
    "ot": at("KeywordList/Keyword"),
    "ad": at("*//Affiliation"),
    "nm": at("ChemicalList/*/NameOfSubstance", "SupplMeshList/SupplMeshName"),
}
"""Fields in which two words next to each other are looked for."""
WHOLE = {
    "ta": at(*JOURNAL),
    "journal": at(*JOURNAL),
    "is": at("Article/Journal/ISSN", "MedlineJournalInfo/ISSNLinking"),
    "issn": at("Article/Journal/ISSN", "MedlineJournalInfo/ISSNLinking"),
    "jid": at("MedlineJournalInfo/NlmUniqueID"),
    "fau": lambda one: people(AUTHORS, "LastName", "ForeName")(one) + people(AUTHORS, "ForeName", "LastName")(one),
    "cn": at(f"{AUTHORS}/CollectiveName"),
    "la": at("Article/Language"),
    "pl": at("MedlineJournalInfo/Country"),
    "vi": at("Article/Journal/JournalIssue/Volume"),
    "ip": at("Article/Journal/JournalIssue/Issue"),
    "pg": lambda one: [re.split(r"[-;,: ]", page)[0] for page in at("Article/Pagination/MedlinePgn")(one)],
    "aid": at(*IDS),
    "rn": lambda one: [number for number in at("ChemicalList/*/RegistryNumber")(one) if number != "0"],
    "gr": at("Article/GrantList/Grant/GrantID"),
    "si": at("Article/DataBankList/*/*/AccessionNumber"),
    "pt:noexp": at("Article/PublicationTypeList/PublicationType"),
    "mh:noexp": lambda one: [name for e in one.iterfind("MeshHeadingList/*") for name in names_of(e[0])],
    "sh:noexp": at("MeshHeadingList/*/QualifierName"),
    "majr:noexp": lambda one: [
        name
        for e in one.iterfind("MeshHeadingList/*")
        if any(part.get("MajorTopicYN") == "Y" for part in e)
        for name in names_of(e[0])
    ],
    "dp": lambda one: re.findall(r"\d{4}", " ".join(at("Article/Journal/JournalIssue/PubDate")(one)))[:1],
    "sb": lambda one: (
        [{"MEDLINE": "medline", "PubMed-not-MEDLINE": "pubmednotmedline"}.get(one.get("Status"), "")]
        + ["hasabstract"] * (one.find("Article/Abstract") is not None)
        + ["haskeyword"] * (one.find("KeywordList/Keyword") is not None)
    ),
}
"""Fields that have a value as a whole. `PARTS`: also by words of it; `BARE`: without quotation marks."""
PARTS, BARE = ("gr", "si", "cn"), ("fau", "aid", "dp", "la")
BEGUN = {"au": people(AUTHORS, *NAMED), "ir": people("InvestigatorList/Investigator", *NAMED)}
BEGUN |= {"1au": lambda one: BEGUN["au"](one)[:1], "lastau": lambda one: BEGUN["au"](one)[-1:]}
"""Fields of names, whose initials PubMed completes."""


def citations(paths: list[Path]) -> dict[str, Any]:
    """The citations of articles by PMID; one that stands in several files is left out, as are books."""
    found: dict[str, list[Any]] = {}
    for path in paths:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for one in etree.parse(file).iterfind(".//MedlineCitation"):
                found.setdefault(one.findtext("PMID"), []).append(one)
                for heading in one.iterfind("MeshHeadingList/*/DescriptorName[@UI]"):
                    NAMES.setdefault(heading.get("UI"), set()).add(heading.text)
    return {pmid: every[0] for pmid, every in found.items() if len(every) == 1}


def queries(records: dict[str, Any], seed: int) -> Iterator[tuple[str, str, set[str]]]:
    """The kind of each query, the query, and the PMIDs that it should find."""
    chance = random.Random(seed)
    for tag, values in (WORDS | WHOLE | BEGUN).items():
        gap = " " if tag in WORDS else ""
        of_each = {pmid: [value for value in values(one) if value] for pmid, one in records.items()}
        said_by = {pmid: [plain(value, gap) for value in found] for pmid, found in of_each.items()}
        every = sorted({value for found in of_each.values() for value in found if value.isascii() and '"' not in value})

        def holding(pattern: str, said_by: dict[str, list[str]] = said_by) -> set[str]:
            known = re.compile(pattern)
            return {pmid for pmid, found in said_by.items() if any(map(known.fullmatch, found))}

        # a paper that was retracted since is found as such, too
        for text in chance.sample(every, min(OF_A_KIND, len(every))):
            words = plain(text, gap).split()
            start = chance.randrange(max(1, len(words) - 1))
            pair, family, whole = " ".join(words[start : start + 2]), " ".join(words[:-1]), " ".join(words)
            if tag in WORDS:
                yield tag, f'"{pair}"[{tag}]', holding(rf"(.* )?{pair}( .*)?")
            elif tag in BEGUN:
                yield tag, f"{text}[{tag}]", holding(f"{whole}[a-z]{{0,3}}")
                yield tag, f"{text.rpartition(' ')[0]}[{tag}]", holding(f"{family} [a-z]{{1,4}}")
            elif tag in PARTS:
                yield tag, f'"{text}"[{tag}]', holding(rf"(.* )?{whole}( .*)?")
            elif text != "Retracted Publication":
                yield tag, f"{text if tag in BARE else _quoted(text)}[{tag}]", holding(whole)
    pmids = sorted(records, key=int)
    for _ in range(OF_A_KIND):
        low, high = sorted(chance.sample(range(len(pmids)), 2))
        some = chance.sample(pmids, 3)
        yield "uid", f"{pmids[low]}:{pmids[high]}[uid]", set(pmids[low : high + 1])
        yield "uid", ",".join(some), set(some)


def _quoted(text: str) -> str:
    return f'"{text}"'


def compared(
    records: dict[str, Any], find: Callable[[str], dict[str, Any]], seed: int
) -> Iterator[tuple[str, str, str]]:
    """The kind of each query, whether its reply is equal, declared or silently different, and the difference."""
    for kind, query, expected in queries(records, seed):
        reply = find(query)
        found, typed = set(reply["idlist"]) & records.keys(), query.rpartition("[")[0].strip('"').casefold()
        said = reply.get("warninglist", {}).get("outputmessages", [])
        renamed = kind in ("mh:noexp", "majr:noexp") and typed not in reply["querytranslation"].casefold()
        is_told = renamed or any(note != "No items found." for note in said)
        state = "equal" if found == expected else "declared" if is_told else "silent"
        yield kind, state, f"{query}: {len(found)} for {len(expected)}, such as {[*(found ^ expected)][:3]}"


def test_no_field_is_silently_different(real_corpus: Any) -> None:
    from medground.faces.eutils.catalogue import SnapshotCatalogue
    from medground.faces.eutils.server import make_app

    app = make_app(SnapshotCatalogue.open(*real_corpus))
    records = citations([path for path in RAW.iterdir() if "medline16" not in path.name])

    def find(query: str) -> dict[str, Any]:
        return ask(app, "esearch", term=query, retmax=1000, retmode="json").json()["esearchresult"]

    rows = [row for seed in (38,) for row in compared(records, find, seed)]
    states = Counter(state for _, state, _ in rows)
    assert len(rows) >= 200 and not states["silent"], [told for _, state, told in rows if state == "silent"]
    assert states["equal"] >= 0.95 * len(rows), states
