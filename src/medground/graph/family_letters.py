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
_BESIDE = word_set(
    "be being been test tested testing worried plan planning diagnosed well sick ill gene genes give gives"
)
"""Words that may stand in a letter that says that something is passed on, or asks for a chance."""
_AHEAD = word_set("will would could get")
_OTHERWISE = word_set("many much know healthy unaffected")
"""Words of letters that ask how many have it, how it is found, or tell of parents who may not have it."""
_FAMILY = (_KIN | _PASSES | _CHANCES | _BESIDE) | word_set(
    "my our his her their your i we me us he she they him them himself herself it its this that i'm i've we're he's if "
    "when while and or but too also not no never ever again so then still just as husband wife partner family families "
    "healthy unaffected affected born both either neither one two three first second third next another only more like "
    "people person someone somebody anyone am was were will would could should might may want have having has had get "
    "gets getting got pregnant expecting know through side come comes possible copy in on to for by at with "
    "before from of the a an is are do does did can how what who which why many much long now up down "
    "every all each always there ,"
)
"""Words of letters on a family: any other word limits what is asked."""


def asked_of_family(pieces: Sequence[Piece]) -> Intent | None:
    """What a letter asks of the disease of a family; None if it has words beside those of families."""
    names = [piece for piece in pieces if isinstance(piece, Mention)]
    words = {piece for piece in pieces if isinstance(piece, str)}
    meant = dict.fromkeys(one.meanings("disease") for one in names)
    ahead = words & _AHEAD and not words & _BESIDE and "pregnant" not in words
    asked = (
        words & _PASSES or (words & _KIN and (words & _CHANCES or ahead)) or (words & _CHANCES and "getting" in words)
    )
    if (
        words & _OTHERWISE
        or not asked
        or len(meant) != 1
        or not all(meant)
        or not words <= EMPTY | CUES["inheritance"] | _FAMILY
    ):
        return None
    return Intent("inheritance of", diseases=(replace(names[0], concepts=(*meant,)[0]),), personal=True)
