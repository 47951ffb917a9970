"""Queries based on PubMed's published help, with the trees they parse to."""

from __future__ import annotations

from datetime import date

from rows import each_row

from medground.pubmed.printer import to_pubmed
from medground.pubmed.translate import parse
from medground.values.query import (
    And,
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

TREES: list[tuple[Query, *tuple[str, ...]]] = [
    (word("asthma", "title"), "asthma[ti]", "asthma [TI]", "asthma[Title]", "asthma[titl]", "ASTHMA[ti]"),
    (word("asthma", "title_abstract"), "asthma[tiab]", "asthma[Title/Abstract]", "asthma[ TITLE/ABSTRACT ]"),
    (word("asthma", "text"), "asthma[ab]", "asthma[Abstract]"),
    (word("asthma", "text_word"), "asthma[tw]", "asthma[Text Word]", "asthma[text words]"),
    (word("asthma"), '"asthma"[all]', '"asthma"[All Fields]', '"asthma"'),
    (word("asthma", "keyword"), "asthma[ot]", "asthma[Other Term]"),
    (phrase("kidney allograft"), '"kidney allograft"'),
    (phrase("kidney allograft", "text_word"), "kidney allograft[tw]"),
    (phrase("kidney allograft", "title_abstract"), "kidney allograft[tiab]", '"kidney allograft"[tiab]'),
    (phrase("kidney allograft", "title"), '"kidney   allograft" [ti]', "kidney, allograft.[ti]"),
    (word("kidney-allograft", "title"), "kidney-allograft[ti]"),
    (start("therap", "title_abstract"), "therap*[tiab]"),
    (start("therap"), "therap*"),
    (start("therap", "title"), '"therap*"[ti]'),
    (start("breast feed"), '"breast feed*"'),
    (start("breast feed", "title_abstract"), "breast feed*[tiab]"),
    (word("the", "title_abstract"), "the*[tiab]"),
    (word("color", "title_abstract"), "colo*r[tiab]"),
    (every(mapped("Heart", "heart"), start("attack")), "heart attack*"),
    (start("neoplasm", "mesh"), "neoplasm*[mh]"),
    (start("neoplasm", "mesh_major"), "neoplasm*[majr]"),
    (near("asthma child", "title_abstract", 3), '"asthma child"[tiab:~3]'),
    (near("rationing healthcare", "title", 2), '"rationing healthcare"[Title:~2]'),
    (
        near("patient physician relationship", "title_abstract", 0),
        '"patient physician relationship"[Title/Abstract:~0]',
    ),
    (near("hopkins bloomberg public", "affiliation", 45), '"hopkins bloomberg public"[ad:~45]'),
    (near("hip pain", "title", 4), '"hip pain" [ti : ~ 4]'),
    (start("hip pain", "title"), '"hip pain*"[ti:~4]'),
    (word("hip", "title"), '"hip"[ti:~4]'),
    (every(TI_A, TI_B), "a[ti] AND b[ti]", "a[ti] b[ti]", "a[ti]b[ti]", "a[ti] & b[ti]"),
    (some(TI_A, TI_B), "a[ti] OR b[ti]", "a[ti] | b[ti]"),
    (every(TI_A, no(TI_B)), "a[ti] NOT b[ti]"),
    (every(TI_A, TI_B, TI_C), "a[ti] AND b[ti] AND c[ti]", "a[ti] AND (b[ti] AND c[ti])"),
    (some(TI_A, TI_B, TI_C), "a[ti] OR b[ti] OR c[ti]", "a[ti] OR (b[ti] OR c[ti])"),
    (every(some(TI_A, TI_B), TI_C), "a[ti] OR b[ti] AND c[ti]"),
    (some(every(TI_A, TI_B), TI_C), "a[ti] AND b[ti] OR c[ti]"),
    (every(some(every(TI_A, TI_B), TI_C), TI_D), "a[ti] AND b[ti] OR c[ti] AND d[ti]"),
    (every(some(TI_A, TI_B), no(TI_C)), "a[ti] OR b[ti] NOT c[ti]"),
    (some(every(TI_A, no(TI_B)), TI_C), "a[ti] NOT b[ti] OR c[ti]"),
    (every(TI_A, no(TI_B), no(TI_C)), "a[ti] NOT b[ti] NOT c[ti]"),
    (every(TI_A, no(TI_B), TI_C), "a[ti] NOT b[ti] AND c[ti]"),
    (no(TI_A), "NOT a[ti]"),
    (every(no(TI_A), TI_B), "NOT a[ti] AND b[ti]"),
    (TI_A, "(a[ti])", "((a[ti]))"),
    (every(TI_A, some(TI_B, TI_C)), "a[ti] AND (b[ti] OR c[ti])", "a[ti](b[ti] OR c[ti])"),
    (every(some(TI_A, TI_B), some(TI_C, TI_D)), "(a[ti] OR b[ti])(c[ti] OR d[ti])"),
    (some(TI_A, every(TI_B, TI_C)), "a[ti] OR (b[ti] AND c[ti])"),
    (every(TI_A, no(some(TI_B, TI_C))), "a[ti] NOT (b[ti] OR c[ti])"),
    (every(TI_A, no(every(TI_B, TI_C))), "a[ti] NOT (b[ti] AND c[ti])"),
    (some(TI_A, no(TI_B)), "a[ti] OR (NOT b[ti])"),
    (no(no(TI_A)), "NOT (NOT a[ti])"),
    (every(some(TI_A, TI_B), TI_C, no(TI_D)), "((a[ti] OR b[ti]) AND c[ti]) NOT d[ti]"),
    (mesh("Asthma"), "asthma[mh]", "asthma[mesh]", "asthma[MeSH Terms]", "Asthma[Mesh Term]", "D001249[mh]"),
    (mesh("Myocardial Infarction"), '"heart attack"[mh]', "heart attack[mh]"),
    (mesh("Neoplasms", explode=False), "neoplasms[mh:noexp]", "neoplasms[mesh:noexp]", "neoplasms[MeSH Terms:NoExp]"),
    (mesh("Neoplasms", explode=False), "neoplasms [mh : noexp]"),
    (mesh("Neoplasms", major=True), "neoplasms[majr]", "neoplasms[MeSH Major Topic]"),
    (mesh("Neoplasms", explode=False, major=True), "neoplasms[majr:noexp]"),
    (mesh("Stress, Mechanical"), '"stress, mechanical"[mh]', "mechanical stress[mh]"),
    (mesh("Benzo(a)pyrene"), "benzo a pyrene[mh]", '"Benzo(a)pyrene"[mh]'),
    (mesh("Marfan Syndrome"), "marfan's syndrome[mh]"),
    (mesh("a heading of next year"), '"a heading of next year"[mh]'),
    (mesh("Neoplasms", "diet therapy"), "neoplasms/diet therapy", "neoplasms/diet therapy[mh]", "neoplasms/dh[mh]"),
    (mesh("Neoplasms", "diet therapy"), '"Neoplasms/DH"[Mesh]'),
    (mesh("Plants", "genetics", major=True), "plants/genetics[majr]"),
    (mesh("Hypertension", "therapy", explode=False), "hypertension/therapy[mh:noexp]"),
    (mesh("Asthma", "administration & dosage"), '"asthma/administration and dosage"[mh]'),
    (mesh("Asthma", "administration & dosage"), '"asthma/administration & dosage"[mh]'),
    (subheading("toxicity"), "toxicity[sh]"),
    (subheading("diet therapy"), "dh[sh]", "diet therapy[MeSH Subheading]"),
    (subheading("therapy", explode=False), "therapy[sh:noexp]"),
    (every(mesh("Hypertension"), subheading("toxicity")), "hypertension[mh] AND toxicity[sh]"),
    (kind("review"), "review[pt]", "Review[Publication Type]", "review[ptyp]", "review[Filter]"),
    (kind("review", explode=False), "review[pt:noexp]"),
    (kind("randomized controlled trial"), '"Randomized Controlled Trial"[pt]', "randomizedcontrolledtrial[Filter]"),
    (kind("clinical trial, phase iii"), '"clinical trial, phase iii"[pt]'),
    (years(2010, 2010), "2010[dp]", "2010[pdat]", "2010[Date - Publication]"),
    (years(2010, 2020), "2010:2020[dp]", "2010 : 2020 [dp]", '"2010":"2020"[dp]'),
    (years(2010, 2020), '"2010/01/01"[PDAT] : "2020/12/31"[PDAT]'),
    (years(2010, None), '("2010/01/01"[Date - Publication] : "3000"[Date - Publication])', "2010:3000[dp]"),
    (years(None, 2010), "1000:2010[dp]"),
    (DateRange(low=date(1998, 3, 6), high=date(1998, 3, 6)), "1998/03/06[dp]", "1998/3/6[dp]"),
    (DateRange(low=date(1998, 2, 1), high=date(1998, 2, 28)), "1998/02[dp]"),
    (DateRange(low=date(2000, 2, 1), high=date(2000, 2, 29)), "2000/02[dp]"),
    (DateRange(low=date(1998, 1, 1), high=date(1998, 4, 30)), "1998/01:1998/04[dp]"),
    (DateRange(low=date(2010, 5, 1)), "2010/05:3000[dp]"),
    (DateRange(field="entered", low=date(2024, 1, 1), high=date(2024, 12, 31)), "2024/01/01:2024/12/31[edat]"),
    (DateRange(field="created", low=date(2024, 1, 1), high=date(2024, 12, 31)), "2024[crdt]"),
    (DateRange(field="revised", low=date(2024, 5, 1), high=date(2024, 5, 31)), "2024/05[mdat]", "2024/05[lr]"),
    (DateRange(field="indexed", low=date(2000, 3, 1), high=date(2000, 4, 30)), "2000/03:2000/04[mhda]"),
    (DateRange(field="completed", low=date(2000, 3, 15), high=date(2000, 3, 15)), "2000/03/15[dcom]"),
    (DateRange(field="electronic", low=date(2001, 3, 15), high=date(2001, 3, 15)), "2001/03/15[epdat]"),
    (DateRange(low=date(2021, 3, 31), high=TODAY), '"last 5 years"[dp]', "last 5 years[dp]", "y_5[Filter]"),
    (DateRange(low=date(2025, 3, 31), high=TODAY), '"last 1 year"[dp]'),
    (DateRange(low=date(2026, 2, 28), high=TODAY), '"last 1 month"[dp]'),
    (DateRange(field="created", low=date(2026, 3, 1), high=TODAY), '"last 30 days"[crdt]'),
    (word("smith", "author"), "smith[au]"),
    (start("smith j", "author"), "smith j[au]", "Smith J[Author]", "Smith, J.[au]"),
    (phrase("smith j", "author"), '"smith j"[au]'),
    (start("o'brien jc jr", "author"), "o'brien jc jr[au]"),
    (start("smith j", "first_author"), "smith j[1au]", "smith j[First Author]"),
    (start("smith j", "last_author"), "smith j[lastau]"),
    (start("varmus h", "subject_name"), "varmus h[ps]"),
    (start("soller b", "investigator"), "soller b[ir]"),
    (phrase("orcid 0000-0001-5027-4446", "author_id"), "orcid 0000-0001-5027-4446 [auid]"),
    (phrase("gene therapy", "journal"), "gene therapy[ta]"),
    (phrase("j biol chem", "journal"), '"J Biol Chem"[jour]'),
    (word("0021-9258", "journal"), "0021-9258[ta]"),
    (every(word("cleveland", "affiliation"), word("clinic", "affiliation")), "cleveland [ad] AND clinic [ad]"),
    (pmid(17170002), "17170002[pmid]", "17170002[uid]", "17170002"),
    (some(pmid(17170002), pmid(16381840)), "17170002 16381840", "17170002 16381840[pmid]"),
    (word("10.1000/182", "identifier"), "10.1000/182[aid]"),
    (word("pmc2600426", "identifier"), "PMC2600426"),
    (word("ca101211", "grant"), "CA101211[gr]"),
    (word("genbank/af001892", "secondary_source"), "genbank/AF001892[si]"),
    (word("0375267", "nlm_id"), "0375267[jid]"),
    (every(word("97", "volume"), word("3", "issue"), word("12", "pages")), "97[vi] AND 3[ip] AND 12[pg]"),
    (word("eng", "language"), "english[la]", "eng[la]", "english[Filter]"),
    (word("chi", "language"), "chi[la]", "chinese[Language]"),
    (word("metformin", "substance"), "metformin[nm]"),
    (word("2751-14-6", "registry_number"), "2751-14-6[rn]"),
    (phrase("antihypertensive agents", "pharmacological_action"), "antihypertensive agents[pa]"),
    (word("free full text", "subset"), "free full text[sb]", "ffrft[filter]"),
    (word("medline", "subset"), "medline[sb]"),
    (word("systematic", "subset"), "systematic[sb]"),
    (Everything(), "all[sb]"),
    (word("hasabstract", "subset"), "hasabstract", "hasabstract[text]", "hasabstract[All Fields]", "fha[Filter]"),
    (mesh("Humans"), "humans[Filter]", "humans[mh]"),
    (ASTHMA, "asthma", "asthma[all]"),
    (every(ASTHMA, CHILD), "asthma child", "asthma AND child", "asthma and the child"),
    (every(ASTHMA, kind("review")), "asthma AND review[pt]"),
    (every(ASTHMA, phrase("wheezing child")), 'asthma "wheezing child"'),
    (every(ASTHMA, word("hasabstract", "subset")), "asthma hasabstract"),
    (every(word("qwertz"), word("uiop")), "qwertz uiop"),
    (word("the"), "the"),
    (start("smith ja", "author"), "Smith JA"),
    (every(CHILD, ASTHMA), "child? (asthma)"),
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
