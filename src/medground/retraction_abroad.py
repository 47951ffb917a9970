"""Retractions in other languages than English: the set forms of titles, publication types and banners.

A form counts where it stands alone, as a publication type or a banner, or where a colon, a bracket or a full stop parts
it from a title. So `Rétraction : ...` is a notice, and `Rétraction capsulaire de l'épaule` is a paper. One word that
papers begin with too, such as `Widerruf`, is a form only with the word for an article beside it.
"""

from __future__ import annotations

import re
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
