"""What words can be in a closed question, by the headings of `predicate_words.txt`, where each list is explained."""

from medground.language.word_lists import word_lists

_LISTS = word_lists("predicate_words")
VERBS = _LISTS["verbs"]
OFTEN_VERBS = _LISTS["often verbs"]
ALL_VERBS = VERBS | OFTEN_VERBS | _LISTS["seldom verbs"]
STATES = _LISTS["states"]
PARTICIPLES = _LISTS["participles"]
NOT_PARTICIPLES = _LISTS["not participles"]
ING_NOUNS = _LISTS["ing nouns"]
PREPOSITIONS = _LISTS["prepositions"]
DETERMINERS = _LISTS["determiners"]
SUBORDINATE = _LISTS["subordinate"]
ADVERBS = _LISTS["adverbs"]
KINDS = _LISTS["kinds"]
PEOPLE = _LISTS["people"]
MASS = _LISTS["mass"]
PLURALS = _LISTS["plurals"]
IDIOMS = _LISTS["idioms"]
NOT_ADVERBS = frozenset(("family", "early", "only", "assembly", "elderly"))
BE = frozenset(("is", "are", "was", "were"))
DO = frozenset(("does", "do", "did"))
HAVE = frozenset(("has", "have", "had"))
MODAL = frozenset(("can", "could", "may", "might", "will", "would", "should", "must"))
ARTICLES = frozenset(("a", "an", "the"))
