"""The numbers set by hand that decide how a question is read, and with it the first line of an answer.

Each says what it decides and what it is worth: of the questions of `benchmarks/worth.py`, how many first lines become
right and wrong when it is halved or doubled; "not measured" where nobody has done so.
"""

MOST_OF_IT = 0.6
"""Minimum share of a topic, by weight, in a text about a question that names nothing that decides. Not measured."""
RARE_WORD = 5.0
"""Weight from which a word says what is asked though it names nothing. Not measured."""
TOGETHER = 3
"""Maximum subjects that one text must name together; a longer list is not found in one place. Not measured."""
BROADEST = 40
"""Maximum MeSH headings below one that decides; a broader one, such as Neoplasms, is named in too many ways. Not
measured."""
ORDINARY = 2.5
"""Weight below which a single word is too ordinary to decide, such as pain or surgery. Of 1,748 questions it changes
what decides in 4."""
SHORT_NAME = 4
"""Letters of a name that means something else in lower case or inside a word, such as MG or AIDS. Not measured."""
INITIALS = 2
"""Letters of an abbreviation that may be of anything, such as GP. Not measured."""
APART = 2
"""Content words that may stand between those of a name. Not measured."""
SEARCHED_NAMES = 12
"""Maximum other names of one subject that are searched for. Not measured."""
UNSEEN = 5
"""Letters of a plain word that decides because no abstract and no heading has it. 6 changes what decides in 15 of 4,054
questions: four of these are slang, such as gynae, the others names, such as atopy."""
DISEASE, RARE_DISEASE = 5, 4.5
"""Letters and weight of the first word of a disease's name that may stand for it. Not measured."""
SHORTEST_SLIP, LONG_SLIP = 6, 8
"""Letters of a misspelt word or of what it is meant for; where both are shorter, too many are near to each other. Only
in a long one may a letter be taken for another, and only a long one may be misspelt for what no abstract has: perineal
is not peroneal, purity not parity. Of 1,748 questions, corrections change 13, each to what is meant."""
LONGEST_SLIP = 10
"""Letters from which an unknown name may differ in two letters from one in a text. Not measured; without slips one of
28 questions of `invented` is refused."""
COMMON = 100
"""Abstracts, of those that are counted, that hold a plain word which may be meant. Not measured."""
FORBIDS = 0.5
"""Minimum share, by weight, that a prohibition has of the question's words beside its diseases and people. A promise:
not measured."""
SURE = 0.5
"""Share from which a question or a sentence is of a kind whatever its words. Not measured."""
