"""What titles, publication types and banners say of a record, in English and in other languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

_RETRACTED: Mapping[str, str] = {
    "fr": r"(?:(?:article|publication|étude) )?r[ée]tract[ée]e?|(?:article|publication|étude) retirée?"
    r"|cet article a été r(?:étract|etir)é",
    "es": r"(?:(?:art[ií]culo|publicaci[oó]n|estudio) )?(?:retractad[oa]|retirad[oa])"
    r"(?: por (?:el|los) (?:autor(?:es)?|editor(?:es)?))?|este art[ií]culo ha sido (?:retractado|retirado)",
    "pt": r"(?:(?:artigo|publicaç[aã]o|estudo) )?(?:retratad[oa]|retirad[oa])"
    r"(?: pel[oa]s? (?:autor(?:es)?|editor(?:es)?))?|este artigo foi (?:retratado|retirado)",
    "it": r"(?:(?:articolo|pubblicazione|studio) )?(?:ritirat[oa]|ritrattat[oa])",
    "de": r"(?:zurückgezogen|retrahiert|widerrufen)"
    r"(?:er?s? (?:artikel|arbeit|beitrag|publikation|studie|veröffentlichung))?"
    r"|dieser (?:artikel|beitrag) wurde (?:zurückgezogen|retrahiert)",
    "nl": r"ingetrokken|teruggetrokken",
    "sv": r"tillbakadragen",
    "da": r"trukket tilbage",
    "pl": r"(?:artykuł )?wycofany",
    "tr": r"geri çek(?:i̇|i)l(?:d|m)(?:i̇|i)(?:ş makale)?",
    "ru": r"(?:статья )?отозван[ао]?|отозванная (?:статья|публикация)|ретрагирована",
    "zh": r"(?:被|已)?(?:撤[稿回]|撤销)的?(?:论文|論文|文章|出版物|稿件)?|(?:论文|論文|(?:本|该)文)已?被?撤[稿回]",
    "ja": r"撤回(?:済み?|された)?(?:論文|出版物|文献)?|論文取り?下げ|取り?下げ(?:済み?|られた)?(?:論文)?",
    "ko": r"철회(?:된 논문)?",
    "ar": r"(?:(?:مقالة?|بحث|دراسة|ورقة|منشور) )?مسحوبة?|تم سحب (?:هذ[اه] )?(?:المقالة?|البحث|الدراسة|الورقة)",
}
_NOTICE: Mapping[str, str] = {
    "fr": r"(?:(?:avis|note) de )?r[ée]tract(?:at)?ion(?: (?:de l['’]|d['’](?:une )?)(?:article|publication|étude))?"
    r"|(?:avis de )?retrait (?:de l['’]|d['’](?:un )?)(?:article|étude)|avis de retrait",
    "es": r"(?:(?:nota|aviso) de )?(?:retractación|retracción)"
    r"(?: (?:del?|de la)(?: (?:art[ií]culo|publicaci[oó]n|estudio))?)?|(?:retirada|retiro) del? art[ií]culo",
    "pt": r"(?:(?:nota|aviso) de )?retratação(?: d[eoa](?: (?:artigo|publicação|estudo))?)?|retirada d[eo] artigo",
    "it": r"ritrattazione|ritiro (?:dell['’]articolo|di articolo)",
    "de": r"(?:retraktion|zurückziehung)(?: (?:des|der|eines|einer) (?:artikels|arbeit|publikation|studie))?"
    r"|(?:rückzug|rücknahme|widerruf) (?:des|der|eines|einer) (?:artikels|arbeit|publikation|veröffentlichung)",
    "ru": r"ретракция(?: статьи)?|отзыв статьи",
    "zh": r"(?:关于)?(?:论文|出版物)?撤(?:稿|回|销)(?:论文|文章|稿件)?的?(?:声明|通知|启事|公告|说明)|出版物撤回",
    "ja": r"論文の?(?:撤回|取り?下げ)(?:の?(?:お知らせ|公告)|について)|撤回の?(?:お知らせ|通知|公告)|出版の撤回",
    "ko": r"논문 철회",
    "ar": r"(?:إشعار|إعلان|بيان) ب?سحب(?: (?:ال)?(?:مقالة?|بحث|دراسة))?|سحب (?:ال)?(?:مقالة?|بحث|دراسة)",
}
CONCERN_ABROAD = r"expresión de preocupación|expression de préoccupation|expressão de preocupação"
ERRATUM_ABROAD = r"fe de err(?:atas|ores)|berichtigung|rectificatif|更正|勘[误誤]|訂正|정정"
RETRACTED_ABROAD = "|".join(_RETRACTED.values())
NOTICE_ABROAD = "|".join(_NOTICE.values())

_KIND_RETRACTED = re.compile(f"(?:{RETRACTED_ABROAD})", re.IGNORECASE)
_KIND_NOTICE = re.compile(f"(?:{NOTICE_ABROAD})", re.IGNORECASE)


@lru_cache(maxsize=4096)
def said_alone(words: str) -> Literal["retracted", "notice"] | None:
    """What words by themselves say, without the punctuation around them; None if they are no such form."""
    if _KIND_RETRACTED.fullmatch(words):
        return "retracted"
    return "notice" if _KIND_NOTICE.fullmatch(words) else None


# What the title of a record says of it: that its paper was retracted, or that it is a notice about another.

Said = Literal["retracted", "removed", "notice", "concern", "erratum", "in doubt"]

_THING = (
    r"(?:(?:published |conference )?(?:article|paper)|chapter|manuscript|study|preprint|publication|review|letter"
    r"|protocol|abstract|editorial|(?:case )?(?:report|series)|(?:original|research|review) (?:article|paper))"
)
_DONE = r"(?:retracted|withdrawn)"
_BY = r"(?:(?:and|&) (?:republished|replaced)|as (?:a )?duplicate|by (?:the )?(?:authors?|editors?|publisher|journal))"
_END = r"(?:\s*[:\])}>*=|;】]|\.\s|\s+[-–—]\s|[–—])"
"""What stands between such a word and the title of the paper."""
_MARK = r"(?:\s*[:\])】]|\.\s|\s+[-–—]\s|[–—]|\.?$)"
_QUOTE = r"\s*[:\"“‘'«]"
_WHO = (
    r"(?:(?:editorial|editor|author|publisher|journal|article|partial|full|formal|voluntary)(?:['’]?s?['’]?)? "
    r"|(?:note|notice)(?: of |: ))*"
)
_AFTER_ABROAD = r"(?:\s*[:\]】)«“\"]|\.\s|\s+[-–—]\s)"

_HEADS: Mapping[Said, str] = {
    "in doubt": r"(?-i:(?:Retraction|Withdrawal|Correction): (?:an?|the|is|its|why|what|when|how|in|of)\b)",
    "retracted": rf"(?:(?:(?:this|the following) )?{_THING} (?:(?:has been|was) )?)?{_DONE}(?: {_THING})?(?: {_BY})?"
    rf"(?: [(\[]?\d{{4}}[)\]]?)?{_END}"
    r"|(?-i:(?:RETRACTED|WITHDRAWN)(?: ARTICLE| PAPER)?\b(?=.*[a-z]{3}))"
    rf"|(?:{RETRACTED_ABROAD}){_AFTER_ABROAD}",
    "removed": rf"(?:temporary removal|temporarily (?:removed|withdrawn)|article removed|removed(?: {_THING})?){_END}",
    "notice": r"(?:notice|statement|notification|announcement) of (?:partial )?retraction\b"
    rf"|(?:notice|statement) of (?:withdrawal|removal){_QUOTE}"
    rf"|{_WHO}retraction(?: (?:notice|notification|announcement|note|statement|letter|request)\b"
    rf"|(?:/withdrawal)?{_MARK}|\s+-\s|\s+to\b| of(?: the)?{_QUOTE}| (?:of|for) (?:(?:the|this) )?{_THING}\b"
    rf"| (?:of|for) .{{0,80}}\bet al\b| for{_QUOTE}|\s\((?-i:(?=[A-Z]))"
    r"| by (?:the )?(?:authors?|editors?|publisher|journal)\b| (?:and|with) (?:replacement|republication|apology)\b)"
    r"|(?-i:RETRACTION\b(?=.*[a-z]{3}))|correction and retraction\s*:"
    r"|(?:article )?(?:withdrawal|removal) (?:notice|statement)\b"
    rf"|(?:article )?withdrawal(?:\s*:| of(?: the)?(?: {_THING})?{_QUOTE})"
    rf"|(?:{NOTICE_ABROAD}){_AFTER_ABROAD}",
    "concern": r"(?:(?:editorial|editor['’]?s?['’]?|publisher['’]?s?['’]?|journal|jmir|interim|updated|partial"
    r"|note|notice|of|and)[:\s]+)*expressions? of (?:editorial )?concern"
    r"(?:\s*[:\])】.]|\s+[-–—]\s|\s*$| (?:for|on|to|about|regarding)\b)"
    rf"|(?:notice|note|statement) of (?:editorial )?concern{_QUOTE}|editorial concern\s*:|(?:{CONCERN_ABROAD})\s*:",
    "erratum": rf"(?:publisher['’]?s?['’]? )?(?:errat(?:um|a)|corrigend(?:um|a))(?:{_MARK}|\s+-\s| (?:to|for|zu|à)\b)"
    rf"|corrections?(?: notice)?(?:{_MARK}|\s+-\s|\s+(?:to|on|of){_QUOTE}| for{_QUOTE}| for .{{0,80}}\bet al\b)"
    r"|(?:author|publisher|editor|editorial)(?:['’]?s?['’]?)? (?:note: )?corrections?\b|correction notice\b"
    r"|notice of correction\s*:|(?:addend(?:um|a)|additions?) and corrections?\b"
    rf"|(?:{ERRATUM_ABROAD})\s*[:】]",
}
_TAILS: Mapping[Said, str] = {
    "retracted": rf"[\[({{<*【](?:this )?(?:{_THING} (?:has been )?)?(?:{_DONE}(?: {_THING}| version)?(?: {_BY})?"
    r"|retracted(?: (?:article|paper|publication))?[.,:]? (?:see|in\b|\d{4}).{0,80}"
    r"|withdrawn article\. see .{0,80}|retraction (?:of publication |published )?in\b.{0,80})\W*$"
    rf"|[\[({{<*【](?:{RETRACTED_ABROAD})\W*$"
    rf"|(?:[:.|]|\s[-–—]{{1,2}})\s+(?=(?-i:[RW])){_DONE}(?: {_THING})?\W*$"
    rf"|\s[-–—]{{1,2}}\s+this {_THING} (?:has been|was) {_DONE}\W*$"
    r"|(?-i:(?<=[a-z,;] )(?:RETRACTED|WITHDRAWN)(?: ARTICLE| PAPER)?\W*$)",
    "removed": r"\[removed\]\W*$",
    "notice": r"\(retraction of vol\b.{0,80}$|\[retraction(?: notice)?\]\W*$|: retraction (?:notice|note)\W*$",
    "concern": r"(?:[\[(:]\s*)expression of concern\W*$",
    "in doubt": r"(?:[:.]|\s[-–—]{1,2}|\()\s*retraction\W*$",
    "erratum": r"\[(?:erratum|correction)\]\W*$|\(erratum\)\W*$|\((?:correction of )?vol\.? \d+,.{0,60}\d{4}\)\W*$",
}
_PATTERNS: Mapping[Said, tuple[re.Pattern[str], re.Pattern[str]]] = {
    said: (re.compile(rf"\W*(?:{_HEADS[said]})", re.IGNORECASE), re.compile(_TAILS[said], re.IGNORECASE))
    for said in _HEADS
}
_WORTH_A_LOOK = re.compile(
    r"retra|r[ée]tra|withdraw|remov|concern|errat|corri|correct|\bvol\b|addend|[^\x00-\x7f]|retir|rit[ir]|ingetr|terugg"
    r"|geri|wycof|tillbaka|trukket|bericht|rectif|widerruf|(?:\b\w ){5}|\bfe de\b",
    re.IGNORECASE,
)
_TAGS = re.compile(r"</?(?:b|i|em|strong|u|sup|sub|p|span)\b[^<>]{0,80}>", re.IGNORECASE)
_SPACED = re.compile(r"\b(?:[A-Z] ){6,}[A-Z]\b")
_LONGEST = 5_000


@lru_cache(maxsize=4096)
def said_by(title: str) -> Said | None:
    """What a title says of its record; None of a paper like any other."""
    if not _WORTH_A_LOOK.search(title):
        return None
    plain = "".join(c for c in unicodedata.normalize("NFKC", title[:_LONGEST]) if unicodedata.category(c) != "Cf")
    plain = _SPACED.sub(lambda found: found[0].replace(" ", ""), _TAGS.sub("", " ".join(plain.split())))
    headed = (said for said, (head, _) in _PATTERNS.items() if head.match(plain))
    return next(headed, None) or next((said for said, (_, tail) in _PATTERNS.items() if tail.search(plain)), None)
