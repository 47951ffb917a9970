"""MeSH qualifiers (subheadings), their abbreviations and their hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from medground.pubmed.mesh.fold import fold

_ABBREVIATIONS = """
AB abnormalities|AD administration & dosage|AE adverse effects|AG agonists|AA analogs & derivatives|AN analysis
AH anatomy & histology|AI antagonists & inhibitors|BI biosynthesis|BL blood|BS blood supply|CF cerebrospinal fluid
CS chemical synthesis|CI chemically induced|CH chemistry|CL classification|CO complications|CN congenital|CY cytology
DF deficiency|DI diagnosis|DG diagnostic imaging|DH diet therapy|DE drug effects|DT drug therapy|EC economics
ED education|EM embryology|EN enzymology|EP epidemiology|ES ethics|EH ethnology|ET etiology|GE genetics
GD growth & development|HI history|IM immunology|IN injuries|IR innervation|IS instrumentation
IP isolation & purification|LJ legislation & jurisprudence|ME metabolism|MT methods|MI microbiology|MO mortality
NU nursing|OG organization & administration|PS parasitology|PY pathogenicity|PA pathology|PK pharmacokinetics
PD pharmacology|PH physiology|PP physiopathology|PO poisoning|PC prevention & control|PX psychology
RE radiation effects|RT radiotherapy|RH rehabilitation|SC secondary|ST standards|SN statistics & numerical data
SD supply & distribution|SU surgery|TU therapeutic use|TH therapy|TO toxicity|TM transmission|TR transplantation
TD trends|UL ultrastructure|UR urine|VE veterinary|VI virology
"""
_NARROWER = {
    "analysis": "BL CF IP UR",
    "anatomy & histology": "BS CY EM IR PA UL",
    "chemistry": "AG AA AI CS",
    "complications": "SC",
    "cytology": "PA UL",
    "diagnosis": "DG PA",
    "embryology": "AB",
    "epidemiology": "EH MO",
    "etiology": "CI CO CN EM GE IM MI PS TM",
    "adverse effects": "PO TO",
    "metabolism": "BI BL CF DF EN PK UR",
    "microbiology": "VI",
    "organization & administration": "EC LJ ST SN SD TD",
    "pharmacology": "AD AE AG AI PK",
    "physiology": "GE GD IM ME PP",
    "statistics & numerical data": "EP SD",
    "surgery": "TR",
    "therapeutic use": "AD AE",
    "therapy": "DH DT NU PC RT RH SU",
}
_ABBREVIATION_LENGTH = 2


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A qualifier, such as `drug therapy` (`DT`)."""

    name: str
    abbreviation: str


@cache
def qualifiers() -> tuple[Qualifier, ...]:
    """Return all qualifiers, sorted by name."""
    pairs = (line.split(" ", 1) for row in _ABBREVIATIONS.split("\n") if row for line in row.split("|"))
    return tuple(sorted((Qualifier(name, short) for short, name in pairs), key=lambda q: q.name))


@cache
def _by_name() -> dict[str, Qualifier]:
    found = {fold(q.name): q for q in qualifiers()}
    found |= {fold(q.name.replace("&", "and")): q for q in qualifiers()}
    return found | {fold(q.abbreviation): q for q in qualifiers()}


def find_qualifier(name: str) -> Qualifier | None:
    """Find a qualifier by name (with `&` or `and`) or abbreviation, in any case. Returns None if not found."""
    return _by_name().get(fold(name))


def find_folded_qualifier(folded: str) -> Qualifier | None:
    """Find a qualifier by a name already passed through `fold`. Abbreviations are not accepted."""
    return _by_name().get(folded) if len(folded) > _ABBREVIATION_LENGTH else None


@cache
def narrower(name: str) -> tuple[str, ...]:
    """Return the qualifier's name and the names of all narrower qualifiers."""
    shorts = _NARROWER.get(name, "").split()
    below = (deeper for short in shorts for deeper in narrower(_by_name()[fold(short)].name))
    return tuple(dict.fromkeys([name, *below]))
