"""What words can be in a closed question, by the headings of `predicate_words.txt`, where each list is explained."""

from medground.language.word_lists import word_lists

_LISTS = word_lists("predicate_words")
VERBS = _LISTS["verbs"]
OFTEN_VERBS = _LISTS["often verbs"]
SELDOM_VERBS = _LISTS["seldom verbs"]
ALL_VERBS = VERBS | OFTEN_VERBS | SELDOM_VERBS
STATES = _LISTS["states"]
AFTER_NOUN = _LISTS["after noun"]
LARGER = _LISTS["larger"]
PARTICIPLES = _LISTS["participles"]
NOT_PARTICIPLES = _LISTS["not participles"]
DECIDED = _LISTS["decided"]
FINAL = _LISTS["final"]
ING_NOUNS = _LISTS["ing nouns"]
LIKE_ADJECTIVES = _LISTS["like adjectives"]
PREPOSITIONS = _LISTS["prepositions"]
DETERMINERS = _LISTS["determiners"]
SUBORDINATE = _LISTS["subordinate"]
ADVERBS = _LISTS["adverbs"]
KINDS = _LISTS["kinds"]
PEOPLE = _LISTS["people"]
MASS = _LISTS["mass"]
PLURALS = _LISTS["plurals"]
IDIOMS = _LISTS["idioms"]
ARTICLES = frozenset(("a", "an", "the"))
