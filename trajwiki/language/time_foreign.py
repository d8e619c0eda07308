"""The most common relative time words of other languages, and their dates with a year."""

from __future__ import annotations

import re
from typing import Final

from trajwiki.language.time_words import FOREIGN_MONTHS

LATIN: Final[dict[str, tuple[str, int]]] = {
    # Spanish
    "ayer": ("day", -1), "hoy": ("day", 0), "mañana": ("day", 1), "anteayer": ("day", -2), "pasado mañana": ("day", 2),
    "anoche": ("day", -1), "la semana pasada": ("week", -1), "esta semana": ("week", 0),
    "la próxima semana": ("week", 1), "la semana que viene": ("week", 1), "el mes pasado": ("month", -1),
    "este mes": ("month", 0), "el próximo mes": ("month", 1), "el año pasado": ("year", -1), "este año": ("year", 0),
    "el próximo año": ("year", 1), "el fin de semana pasado": ("weekend", -1),
    # French
    "hier": ("day", -1), "hier soir": ("day", -1), "aujourd'hui": ("day", 0), "demain": ("day", 1),
    "avant-hier": ("day", -2), "après-demain": ("day", 2), "la semaine dernière": ("week", -1),
    "cette semaine": ("week", 0), "la semaine prochaine": ("week", 1), "le mois dernier": ("month", -1),
    "ce mois-ci": ("month", 0), "le mois prochain": ("month", 1), "l'année dernière": ("year", -1),
    "l'an dernier": ("year", -1), "cette année": ("year", 0), "l'année prochaine": ("year", 1),
    "le week-end dernier": ("weekend", -1),
    # German
    "gestern": ("day", -1), "heute": ("day", 0), "morgen": ("day", 1), "vorgestern": ("day", -2),
    "übermorgen": ("day", 2), "letzte woche": ("week", -1), "diese woche": ("week", 0), "nächste woche": ("week", 1),
    "letzten monat": ("month", -1), "diesen monat": ("month", 0), "nächsten monat": ("month", 1),
    "letztes jahr": ("year", -1), "dieses jahr": ("year", 0), "nächstes jahr": ("year", 1),
    "letztes wochenende": ("weekend", -1),
    # Portuguese
    "ontem": ("day", -1), "hoje": ("day", 0), "amanhã": ("day", 1), "anteontem": ("day", -2),
    "a semana passada": ("week", -1), "na semana passada": ("week", -1), "semana passada": ("week", -1),
    "próxima semana": ("week", 1), "o mês passado": ("month", -1), "mês passado": ("month", -1),
    "o ano passado": ("year", -1), "ano passado": ("year", -1), "próximo ano": ("year", 1),
    # Italian
    "ieri": ("day", -1), "oggi": ("day", 0), "domani": ("day", 1), "l'altro ieri": ("day", -2),
    "dopodomani": ("day", 2), "la settimana scorsa": ("week", -1), "la scorsa settimana": ("week", -1),
    "questa settimana": ("week", 0), "la settimana prossima": ("week", 1), "la prossima settimana": ("week", 1),
    "il mese scorso": ("month", -1), "il mese prossimo": ("month", 1), "l'anno scorso": ("year", -1),
    "quest'anno": ("year", 0), "l'anno prossimo": ("year", 1),
    # Russian
    "вчера": ("day", -1), "сегодня": ("day", 0), "завтра": ("day", 1), "позавчера": ("day", -2),
    "на прошлой неделе": ("week", -1), "на следующей неделе": ("week", 1), "в прошлом месяце": ("month", -1),
    "в прошлом году": ("year", -1), "в этом году": ("year", 0), "в следующем году": ("year", 1),
    # Arabic
    "أمس": ("day", -1), "اليوم": ("day", 0), "غدا": ("day", 1), "غداً": ("day", 1), "الأسبوع الماضي": ("week", -1),
    "هذا الأسبوع": ("week", 0), "الأسبوع القادم": ("week", 1), "الشهر الماضي": ("month", -1),
    "الشهر القادم": ("month", 1), "العام الماضي": ("year", -1), "السنة الماضية": ("year", -1),
    "العام القادم": ("year", 1),
}  # fmt: skip
"""Phrases of scripts that put spaces between words: the unit meant, and how many units from now."""

DENSE: Final[dict[str, tuple[str, int]]] = {
    # Chinese
    "昨天": ("day", -1), "今天": ("day", 0), "明天": ("day", 1), "前天": ("day", -2), "后天": ("day", 2),
    "昨晚": ("day", -1),
    "今晚": ("day", 0), "上周": ("week", -1), "上週": ("week", -1), "上星期": ("week", -1), "上个星期": ("week", -1),
    "这周": ("week", 0), "本周": ("week", 0), "下周": ("week", 1), "下週": ("week", 1), "下星期": ("week", 1),
    "上周末": ("weekend", -1), "上个周末": ("weekend", -1), "上个月": ("month", -1), "上個月": ("month", -1),
    "这个月": ("month", 0), "本月": ("month", 0), "下个月": ("month", 1), "下個月": ("month", 1), "去年": ("year", -1),
    "今年": ("year", 0), "明年": ("year", 1), "前年": ("year", -2),
    # Japanese
    "昨日": ("day", -1), "今日": ("day", 0), "明日": ("day", 1), "一昨日": ("day", -2), "おととい": ("day", -2),
    "きのう": ("day", -1), "昨夜": ("day", -1), "先週": ("week", -1), "今週": ("week", 0), "来週": ("week", 1),
    "先週末": ("weekend", -1), "先月": ("month", -1), "今月": ("month", 0), "来月": ("month", 1), "昨年": ("year", -1),
    "来年": ("year", 1),
    # Korean
    "어제": ("day", -1), "오늘": ("day", 0), "내일": ("day", 1), "그저께": ("day", -2), "지난주": ("week", -1),
    "이번 주": ("week", 0), "다음 주": ("week", 1), "지난달": ("month", -1), "다음 달": ("month", 1),
    "작년": ("year", -1),
    "올해": ("year", 0), "내년": ("year", 1),
}  # fmt: skip
"""The same for scripts without spaces, where no word boundary can be asked for."""


def _any(phrases: dict[str, tuple[str, int]] | dict[str, int]) -> str:
    return "|".join(re.escape(p) for p in sorted(phrases, key=lambda p: (-len(p), p)))


LATIN_PATTERN: Final = re.compile(rf"(?<![\w'-])(?P<phrase>{_any(LATIN)})(?!\w)")
DENSE_PATTERN: Final = re.compile(rf"(?P<phrase>{_any(DENSE)})")
DENSE_DATE: Final = re.compile(
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})\s?[年년](?:\s?(?P<m>1[0-2]|0?[1-9])\s?[月월]"
    r"(?:\s?(?P<d>3[01]|[12][0-9]|0?[1-9])\s?[日日号號일])?)?"
)
LATIN_DATE: Final = re.compile(
    rf"(?<![\w.,/-])(?:(?P<d>3[01]|[12][0-9]|0?[1-9])(?:\.|º|er)? (?:de )?)?(?P<m>{_any(FOREIGN_MONTHS)})"
    r" (?:de |del )?(?P<year>(?:19|20)[0-9]{2})(?!\w)"
)

# Words that mean something else in another language, or as nouns: what must (and must not) stand in the text.
_FRENCH: Final = re.compile(r"\b(?:je|j'ai|nous|le|la|les|est|et|un|une|avec|suis|pas|tu|il|elle|on)\b")
_GERMAN: Final = re.compile(r"\b(?:ich|und|der|die|das|ist|wir|nicht|ein|eine|mit|bin|hat|habe|gehe|fahre|es)\b")
_NOT_TOMORROW: Final = re.compile(r"(?:\bguten|\bam|\bjeden|\bder|\bla|\besta|\buna|\bthe|\ba)\s$")


def means_time(phrase: str, *, text: str, before: str) -> bool:
    """Tell whether a phrase of LATIN is the time word it looks like: "hier" needs French around it, "morgen" German.

    Args:
        phrase: The phrase.
        text: The flattened text.
        before: The characters right before the phrase.
    """
    if phrase in {"hier", "hier soir"}:
        return bool(_FRENCH.search(text)) and not _GERMAN.search(text)
    if phrase == "morgen":
        return bool(_GERMAN.search(text)) and not _NOT_TOMORROW.search(before)
    if phrase == "mañana":
        return not _NOT_TOMORROW.search(before)
    return True
