"""A question as plain words: lower case, no accents, no apostrophes, common misspellings mended."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"[a-z0-9]+|[.?!;:]+")
_APOSTROPHES = re.compile("['’‘`´ʼ\u00ad\u200b-\u200f\u2060\ufeff]")
_QUOTED = re.compile(r"[\"“”„«»][^\"“”„«»]*[\"“”„«»]")
_OWN = re.compile(r"\b(?:i|im|my|me)\b", re.IGNORECASE)

_SPELLINGS = {
    "want": "wnat watn wan wantt waant",
    "want to": "wanna wana wantto",
    "going to": "gonna gunna",
    "kill": "kil killl kiil kll",
    "killing": "kiling killin",
    "myself": "mysef myslef mself myselve mysellf meself",
    "die": "dei diee dye",
    "suicide": "sucide suiside suicde suicidee",
    "suicidal": "sucidal suicidle suicidel suicidial suicdial suisidal suicdal",
    "live": "liv",
    "chest": "ches chets cheast",
    "breathe": "breath breeth breahte brethe breate",
    "breathing": "breating brething breathin",
    "heart": "hart haert",
    "stroke": "storke stoke",
    "seizure": "siezure seizur seisure",
    "unconscious": "unconcious unconsious uncontious",
    "overdose": "overdoes overdosed od",
    "overdosing": "overdozing",
    "swallowed": "swalowed swallowd swollowed",
    "bleeding": "bleading bleedin",
    "throat": "throte throath",
    "should": "shoud shuld shold",
    "medication": "medicaton medecation meds",
    "i am": "im iam",
    "i have": "ive",
    "he is": "hes",
    "she is": "shes",
    "they are": "theyre",
    "disappear": "dissapear disapear dissappear",
    "cant": "cannot cnat",
    "wont": "wnt",
    "dont": "dnt donot",
    "kill myself": "kms",
    "tablets": "tabs",
}
_MENDED = {wrong: right for right, many in _SPELLINGS.items() for wrong in many.split()}
_PAIRS = {
    "can not": "cant",
    "do not": "dont",
    "will not": "wont",
    "my self": "myself",
    "any more": "anymore",
    "id like": "i would like",
    "id rather": "i would rather",
}
_PAIR = re.compile(rf"\b(?:{'|'.join(_PAIRS)})\b")


def plain(text: str) -> str:
    """The words of a text with one space between them; the end of a sentence is a word of its own, a full stop.

    What others are quoted as saying is left out, unless the text speaks of its writer ("my son said ...").
    """
    folded = text
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        folded = "".join(c for c in apart if not unicodedata.combining(c)).replace("ı", "i")
    folded = _without_quotes(_APOSTROPHES.sub("", folded).casefold())
    words = (_MENDED.get(word, word) if word[0].isalnum() else "." for word in _TOKEN.findall(folded))
    return _PAIR.sub(lambda found: _PAIRS[found[0]], " ".join(words))


def _without_quotes(text: str) -> str:
    if not _QUOTED.search(text):
        return text
    outside = _QUOTED.sub(" . ", text)
    return outside if re.search(r"\w", outside) and not _OWN.search(outside) else text
