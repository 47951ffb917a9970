"""The words of questions to the graph: those that say nothing, and those that say what is asked.

A word in none of these sets, and in no name, is a condition that no stored relation covers.
"""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


EMPTY = word_set(
    """: a an the is are was be been being do does did can could may might will would has have having had get gets
    getting got develop develops developing show shows showing display displays exhibit exhibits experience
    experiences suffer suffers suffering present presents presenting with of in for from by to at on among that
    this it its there which what who whose in into you me we any some happen happens if also really ever tell
    know please as one ones many part parts people patients persons individuals person patient individual
    someone somebody those anyone subjects sufferers affected known recorded reported described recognised
    recognized possible clinical phenotypic main seen found observed documented occur occurs occurring appear
    appears happen happens between true about list name give come comes
    go goes going become becomes becoming tend tends turn turns"""
)
"""Words that do not change which relation is asked for."""

CUES: dict[str, frozenset[str]] = {
    "feature": word_set(
        """feature features sign signs symptom symptoms manifestation manifestations finding findings phenotype
        phenotypes characteristics problems include includes involve involves"""
    ),
    "link": word_set(
        """associated linked related connected cause causes caused causing causative causal lead leads due result
        results responsible behind underlie underlies implicated involved characterised characterized combine
        combines combining share both together"""
    ),
    "frequency": word_set(
        """how common frequent often frequently commonly likely percentage percent proportion fraction share
        frequency prevalence chance probability likelihood"""
    ),
    "common": word_set("common frequent usual usually commonly often frequently typical typically"),
    "rare": word_set("rare rarely uncommon unusual infrequent"),
    "most": word_set("most majority mostly"),
    "all": word_set("all every always everyone everybody each"),
    "not": word_set("not never absent excluded lack lacks lacking missing"),
    "disease": word_set(
        """disease diseases disorder disorders condition conditions syndrome syndromes illness illnesses diagnosis
        diagnoses"""
    ),
    "gene": word_set(
        """gene genes mutation mutations variant variants mutated defect defects defective genetic genetically
        altered pathogenic disease-causing genotype"""
    ),
    "inheritance": word_set(
        """inherited inherit inherits inheritance hereditary passed run runs families family mode pattern dominant
        recessive transmitted dominantly recessively autosomal x-linked mitochondrial"""
    ),
    "onset": word_set("onset begin begins start starts starting beginning first when age old manifest manifests"),
    "definition": word_set(
        """mean means meaning meant define definition defined describe explain information info overview summary term
        word"""
    ),
}
"""What is asked, by the words that ask it."""

RECORD_ONLY = CUES["link"] - word_set("characterised characterized combine combines combining share both together")
"""Words that ask for more than a feature, so that a missing record does not answer them."""

JOINTS = {"and": "and", "or": "or", "&": "and", ",": "and", "/": "or", "plus": "and"}
"""Words between two names of one kind."""

CONTRACTED = re.compile(r"^(is|are|was|do|does|did|has|have|can|could|would)n['’]?t\b", re.IGNORECASE)
"""“Isn't”: a question that expects yes."""

CONDITIONS = word_set(
    """diagnose diagnosed prevent prevented treat test tests tested prognosis treatment treated treatments therapy
    therapies survival outcome outcomes incidence surgery surgical management children infants adults women
    girls specific severity screening prevention expectancy dosage dose cure cured curable fatal living
    mortality complication complications research clinical trial trials drug drugs vaccine"""
)
"""Words that narrow a question to what no relation covers: they are never taken for a misspelt name."""

ALL = EMPTY.union(*CUES.values())


def cues_of(word: str) -> frozenset[str]:
    """The cues that a word may give."""
    return frozenset(cue for cue, words in CUES.items() if word in words)
