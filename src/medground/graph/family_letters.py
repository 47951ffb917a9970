"""Letters on a family: what is passed on to children, asked in the words of those whom it concerns."""

from collections.abc import Sequence
from dataclasses import replace

from medground.graph.intent import Intent
from medground.graph.linking import Mention, Piece
from medground.graph.names import CUES, EMPTY, word_set

_KIN = word_set(
    "son sons daughter daughters family "
    "child children kid kids baby babies boy boys girl girls man men woman women male "
    "males female females "
    "grandchild grandchildren grandson granddaughter siblings mother mothers father fathers mom mum dad parent "
    "parents brother brothers sister sisters nephew niece uncle aunt cousin grandmother grandfather grandma grandpa "
    "offspring"
)
_PASSES = word_set(
    "inherit inherits inherited inheriting pass passes passed passing carrier carriers carry carries carrying transmit "
    "transmitted hereditary generation generations skip skips runs run"
)
_CHANCES = word_set("chance chances odds risk risks probability likelihood likely")
_OTHER_TIMES = word_set("test tested testing plan planning diagnosed")
"""With `will` and `would`, words of letters that ask for something else than whether somebody gets it."""
_AHEAD = word_set("will would could can get again worry worried")
_OTHERWISE = word_set("many much know give gives")
"""Words of letters that ask how many have it, how it is found, or of what is no gene."""
_HEALTHY = word_set("healthy unaffected")
"""Parents of whom the chances of those who have it do not hold."""
_ALIKE = word_set("alike similar same resemble look common share differ different difference between")
_FAMILY = (_KIN | _PASSES | _CHANCES | _OTHER_TIMES | _AHEAD) | word_set(
    "my our his her their your own i we me us he she they him them himself herself it its this that i'm i've we're "
    "he's if when while and or but too also not no never ever so then still just as husband wife partner family "
    "families healthy unaffected affected born unborn lost both either neither one two three first second third next "
    "another only more like people person someone somebody anyone am was were should might may want have having has "
    "had gets getting got expecting pregnant through side come comes possible copy in on to for by at with before "
    "from of the a an is are do does did how what who which why long now up down every all each always there happen "
    "be being been well sick ill gene genes need go goes mean means dangerous likely ,"
)
"""Words of letters on a family: any other word limits what is asked."""


def asked_of_family(pieces: Sequence[Piece]) -> Intent | None:
    """What a letter asks of the disease of a family; None if it has words beside those of families."""
    said = [one.text.casefold() if isinstance(one, Mention) and one.text.casefold() in _KIN else one for one in pieces]
    names = [piece for piece in said if isinstance(piece, Mention)]
    words = {piece for piece in said if isinstance(piece, str)}
    meant = dict.fromkeys(name.meanings("disease") for name in names)
    if len(meant) > 1 and all(meant) and words & _ALIKE and words <= EMPTY | _ALIKE | {"and", "with", "both"}:
        both = tuple(replace(name, concepts=name.meanings("disease")) for name in names)
        return Intent("features of", diseases=both, joint="and", shared=True)
    ahead = words & _AHEAD and not words & _OTHER_TIMES and not {"get", "pregnant"} <= words
    asked = (
        words & _PASSES or (words & _KIN and (words & _CHANCES or ahead)) or (words & _CHANCES and "getting" in words)
    )
    limited = words & _OTHERWISE or not words <= EMPTY | CUES["inheritance"] | _FAMILY
    if limited or not asked or len(meant) != 1 or not all(meant):
        return None
    disease = replace(names[0], concepts=(*meant,)[0])
    return Intent("inheritance of", diseases=(disease,), personal=words.isdisjoint(_HEALTHY))
