"""Queries based on PubMed's published help: the trees they parse to, and what PubMed shows for words without a tag."""

from datetime import date

from rows import each_row, tables

from medground.pubmed.mapping import Mapper, with_journals
from medground.pubmed.mesh import vocabulary
from medground.pubmed.printer import to_pubmed
from medground.pubmed.translate import parse, translate
from medground.values.query import (
    And,
    DateField,
    DateRange,
    Everything,
    FieldName,
    Mesh,
    Near,
    Not,
    Or,
    Phrase,
    PublicationType,
    Query,
    Range,
    Term,
)

TABLES = tables(__file__)

TODAY = date(2026, 3, 31)


def word(value: str, field: FieldName = "all") -> Term:
    return Term(value=value, field=field)


def start(value: str, field: FieldName = "all") -> Term:
    return Term(value=value, field=field, prefix=True)


def phrase(text: str, field: FieldName = "all") -> Phrase:
    return Phrase(text=text, field=field)


def near(text: str, field: FieldName, distance: int) -> Near:
    return Near(text=text, field=field, distance=distance)


def mesh(heading: str, *qualifiers: str, explode: bool = True, major: bool = False) -> Mesh:
    return Mesh(heading=heading, qualifiers=qualifiers, explode=explode, major=major)


def subheading(name: str, explode: bool = True) -> Mesh:
    return Mesh(qualifiers=(name,), explode=explode)


def kind(name: str, explode: bool = True) -> PublicationType:
    return PublicationType(name=name, explode=explode)


def years(low: int | None, high: int | None) -> Range:
    return Range(low=low, high=high)


def pmid(number: int) -> Term:
    return Term(value=f"PMID:{number}", field="id")


def every(*parts: Query) -> And:
    return And(parts=parts)


def some(*parts: Query) -> Or:
    return Or(parts=parts)


def no(part: Query) -> Not:
    return Not(part=part)


def mapped(heading: str, *words: str) -> Or:
    """A one-word heading, and the words searched along with it."""
    return some(mesh(heading), *(word(w) for w in words))


ASTHMA = mapped("Asthma", "asthma")
CHILD = mapped("Child", "child")
TI_A, TI_B, TI_C, TI_D = (word(letter, "title") for letter in "abcd")

FIELDS: tuple[tuple[str, FieldName], ...] = TABLES["fields"]
DATES: tuple[tuple[str, DateField], ...] = (
    ("edat", "entered"), ("crdt", "created"), ("dcom", "completed"), ("mhda", "indexed"), ("epdat", "electronic"),
)  # fmt: skip
TREES: list[tuple[Query, *tuple[str, ...]]] = [
    (word("asthma", "title"), "asthma[ti]", "asthma [TI]", "asthma[Title]", "asthma[titl]", "ASTHMA[ti]"),
    (word("asthma", "title_abstract"), "asthma[tiab]", "asthma[Title/Abstract]", "asthma[ TITLE/ABSTRACT ]"),
    (word("asthma", "text"), "asthma[ab]", "asthma[Abstract]"),
    (word("asthma", "text_word"), "asthma[tw]", "asthma[Text Word]", "asthma[text words]"),
    (word("asthma"), '"asthma"[all]', '"asthma"[All Fields]', '"asthma"'),
    (phrase("kidney allograft"), '"kidney allograft"'),
    (phrase("kidney allograft", "text_word"), "kidney allograft[tw]"),
    (phrase("kidney allograft", "title_abstract"), "kidney allograft[tiab]", '"kidney allograft"[tiab]'),
    (phrase("kidney allograft", "title"), '"kidney   allograft" [ti]', "kidney, allograft.[ti]"),
    (word("kidney-allograft", "title"), "kidney-allograft[ti]"),
    (start("therap", "title_abstract"), "therap*[tiab]"),
    (start("therap"), "therap*"),
    (start("breast feed", "title_abstract"), "breast feed*[tiab]"),
    (word("color", "title_abstract"), "colo*r[tiab]"),
    (every(mapped("Heart", "heart"), start("attack")), "heart attack*"),
    (start("neoplasm", "mesh"), "neoplasm*[mh]"),
    (near("asthma child", "title_abstract", 3), '"asthma child"[tiab:~3]'),
    (near("patient relationship", "title_abstract", 0), '"patient relationship"[Title/Abstract:~0]'),
    (near("hip pain", "title", 4), '"hip pain" [ti : ~ 4]'),
    (word("hip", "title"), '"hip"[ti:~4]'),
    (every(TI_A, TI_B), "a[ti] AND b[ti]", "a[ti] b[ti]", "a[ti]b[ti]", "a[ti] & b[ti]"),
    (some(TI_A, TI_B), "a[ti] OR b[ti]", "a[ti] | b[ti]"),
    (every(TI_A, no(TI_B)), "a[ti] NOT b[ti]"),
    (every(TI_A, TI_B, TI_C), "a[ti] AND b[ti] AND c[ti]", "a[ti] AND (b[ti] AND c[ti])"),
    (some(TI_A, TI_B, TI_C), "a[ti] OR b[ti] OR c[ti]", "a[ti] OR (b[ti] OR c[ti])"),
    (every(some(TI_A, TI_B), TI_C), "a[ti] OR b[ti] AND c[ti]"),
    (some(every(TI_A, TI_B), TI_C), "a[ti] AND b[ti] OR c[ti]"),
    (every(some(every(TI_A, TI_B), TI_C), TI_D), "a[ti] AND b[ti] OR c[ti] AND d[ti]"),
    (no(TI_A), "NOT a[ti]"),
    (TI_A, "(a[ti])", "((a[ti]))"),
    (every(TI_A, some(TI_B, TI_C)), "a[ti] AND (b[ti] OR c[ti])", "a[ti](b[ti] OR c[ti])"),
    (some(TI_A, every(TI_B, TI_C)), "a[ti] OR (b[ti] AND c[ti])"),
    (every(TI_A, no(some(TI_B, TI_C))), "a[ti] NOT (b[ti] OR c[ti])"),
    (some(TI_A, no(TI_B)), "a[ti] OR (NOT b[ti])"),
    (no(no(TI_A)), "NOT (NOT a[ti])"),
    (every(some(TI_A, TI_B), TI_C, no(TI_D)), "((a[ti] OR b[ti]) AND c[ti]) NOT d[ti]"),
    (mesh("Asthma"), "asthma[mh]", "asthma[mesh]", "asthma[MeSH Terms]", "Asthma[Mesh Term]", "D001249[mh]"),
    (mesh("Myocardial Infarction"), '"heart attack"[mh]', "heart attack[mh]"),
    (mesh("Neoplasms", explode=False), "neoplasms[mh:noexp]", "neoplasms[mesh:noexp]", "neoplasms[MeSH Terms:NoExp]"),
    (mesh("Neoplasms", major=True), "neoplasms[majr]", "neoplasms[MeSH Major Topic]"),
    (mesh("Benzo(a)pyrene"), "benzo a pyrene[mh]", '"Benzo(a)pyrene"[mh]'),
    (mesh("Marfan Syndrome"), "marfan's syndrome[mh]"),
    (mesh("a heading of next year"), '"a heading of next year"[mh]'),
    (mesh("Neoplasms", "diet therapy"), "neoplasms/diet therapy", "neoplasms/diet therapy[mh]", "neoplasms/dh[mh]"),
    (mesh("Asthma", "administration & dosage"), '"asthma/administration & dosage"[mh]'),
    (subheading("toxicity"), "toxicity[sh]"),
    (subheading("diet therapy"), "dh[sh]", "diet therapy[MeSH Subheading]"),
    (kind("review"), "review[pt]", "Review[Publication Type]", "review[ptyp]", "review[Filter]"),
    (kind("randomized controlled trial"), '"Randomized Controlled Trial"[pt]', "randomizedcontrolledtrial[Filter]"),
    (years(2010, 2010), "2010[dp]", "2010[pdat]", "2010[Date - Publication]"),
    (years(2010, 2020), "2010:2020[dp]", "2010 : 2020 [dp]", '"2010":"2020"[dp]'),
    (years(2010, 2020), '"2010/01/01"[PDAT] : "2020/12/31"[PDAT]'),
    (years(2010, None), '("2010/01/01"[Date - Publication] : "3000"[Date - Publication])', "2010:3000[dp]"),
    (years(None, 2010), "1000:2010[dp]"),
    (DateRange(low=date(1998, 3, 6), high=date(1998, 3, 6)), "1998/03/06[dp]", "1998/3/6[dp]"),
    (DateRange(low=date(2000, 2, 1), high=date(2000, 2, 29)), "2000/02[dp]"),
    (DateRange(low=date(1998, 1, 1), high=date(1998, 4, 30)), "1998/01:1998/04[dp]"),
    *((DateRange(field=field, low=date(2024, 1, 1), high=date(2024, 12, 31)), f"2024[{tag}]") for tag, field in DATES),
    (DateRange(field="revised", low=date(2024, 5, 1), high=date(2024, 5, 31)), "2024/05[mdat]", "2024/05[lr]"),
    (DateRange(low=date(2021, 3, 31), high=TODAY), '"last 5 years"[dp]', "last 5 years[dp]", "y_5[Filter]"),
    (DateRange(low=date(2026, 2, 28), high=TODAY), '"last 1 month"[dp]'),
    (DateRange(field="created", low=date(2026, 3, 1), high=TODAY), '"last 30 days"[crdt]'),
    (start("smith j", "author"), "smith j[au]", "Smith J[Author]", "Smith, J.[au]"),
    (phrase("smith j", "author"), '"smith j"[au]'),
    (pmid(17170002), "17170002[pmid]", "17170002[uid]", "17170002"),
    (some(pmid(17170002), pmid(16381840)), "17170002 16381840", "17170002 16381840[pmid]"),
    (word("10.1000/182", "identifier"), "10.1000/182[aid]"),
    (word("eng", "language"), "english[la]", "eng[la]", "english[Filter]"),
    (Everything(), "all[sb]"),
    (word("hasabstract", "subset"), "hasabstract", "hasabstract[text]", "hasabstract[All Fields]", "fha[Filter]"),
    (ASTHMA, "asthma", "asthma[all]"),
    (every(ASTHMA, CHILD), "asthma child", "asthma AND child", "asthma and the child"),
    (every(ASTHMA, kind("review")), "asthma AND review[pt]"),
    (every(ASTHMA, phrase("wheezing child")), 'asthma "wheezing child"'),
    (start("smith ja", "author"), "Smith JA"),
    (every(CHILD, ASTHMA), "child? (asthma)"),
    *((word("x1", field), f"x1[{tag}]") for tag, field in FIELDS),
]
"""Trees, each with the queries that are parsed to it."""


@each_row(("text", "tree"), [(text, tree) for tree, *texts in TREES for text in texts])
def test_a_query_parses_to_its_tree_and_so_does_what_is_printed(text: str, tree: Query) -> None:
    assert parse(text, today=TODAY) == tree
    assert parse(to_pubmed(tree), today=TODAY) == tree


@each_row(
    ("tree", "text", "read_back"),
    [
        (Term(value="2010", field="year"), "2010[Date - Publication]", Range(low=2010, high=2010)),
        (
            Phrase(text="asthma child", slop=3),
            '"asthma child"[Title/Abstract:~3]',
            Near(text="asthma child", field="title_abstract", distance=3),
        ),
    ],
)
def test_our_own_trees_are_printed_as_the_closest_pubmed_query(tree: Query, text: str, read_back: Query) -> None:
    assert to_pubmed(tree) == text
    assert parse(text, today=TODAY) == read_back


SHOWN: dict[str, str] = TABLES["shown"]
"""Queries and the translation shown for them."""


@each_row(("text", "shown"), SHOWN.items())
def test_translations_match_pubmed(text: str, shown: str) -> None:
    assert translate(text).text == shown


def test_each_concept_has_its_own_translation() -> None:
    found = translate("vitamin c common cold")
    assert [t.source for t in found.translations] == ["vitamin c", "common cold"]
    assert found.translations[1].text.startswith('"common cold"[MeSH Terms] OR ')
    assert found.text == " AND ".join(f"({t.text})" for t in found.translations)


@each_row(("text", "sources"), TABLES["concepts"])
def test_concepts_of_a_query(text: str, sources: list[str]) -> None:
    assert [one.source for one in translate(text).translations] == sources


def test_a_journal_name_is_not_a_subject_and_a_corpus_can_add_journals() -> None:
    assert translate("new england journal of medicine").text.startswith('"n engl j med"[Journal] OR ')
    mapper = Mapper(vocabulary(), with_journals(["Lab Reports of Mars"]))
    assert translate("lab reports of mars", mapper=mapper).text.startswith('"lab reports of mars"[Journal] OR ')


def test_an_author_needs_a_capital_and_initials() -> None:
    assert translate("O'Brien JC").text != translate("obrien jc").text
    assert translate("Smith JA").query == Term(value="smith ja", field="author", prefix=True)
    assert translate("Factor II").query != Term(value="factor ii", field="author", prefix=True)


@each_row("text", ["PMID: 21645374", "PMID 21645374", "pmid:21645374"])
def test_a_pmid_may_have_a_prefix(text: str) -> None:
    assert translate(text).query == Term(value="PMID:21645374", field="id")


def test_a_heading_and_a_subheading_with_the_same_name_are_both_searched() -> None:
    parts = translate("diagnosis").query.parts  # type: ignore[union-attr]
    assert Mesh(qualifiers=("diagnosis",)) in parts
    assert Mesh(heading="Diagnosis") in parts
