"""Sentences in other languages than English: told apart, and the plainest facts in a few of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from trajwiki.language.lexicon import word_set
from trajwiki.language.stopwords import STOPWORDS

_NOT_LATIN: Final = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

_FUNCTION: Final[frozenset[str]] = word_set(
    # Spanish, French, German, Portuguese, Italian, Dutch
    """yo tú él ella nosotros ellos el los las un una unos de del que y en con por para mi mis su es soy estoy está
    tengo vivo me te se lo no muy pero como ayer hoy mañana más fue he hemos desde hace llamo gusta
    je tu il elle nous vous ils le la les un une des du et en dans avec pour mon ma mes ton sa son est suis ai avons
    j'ai j'habite c'est ne pas très mais hier aujourd'hui demain depuis où qui au aux ce cette
    ich du er sie wir ihr der die das den dem ein eine einen und ist bin habe hat sind mit für von zu im am auf mein
    meine nicht sehr aber gestern heute morgen seit bei nach wohne arbeite heiße auch
    eu ele ela nós o os as um uma do da dos das em no na com por para meu minha é sou estou tenho moro não muito mas
    ontem hoje amanhã
    io lui lei noi il lo gli uno di che e ho sono mio mia non molto ieri oggi domani
    ik jij hij zij wij het een en van met voor mijn niet zeer maar gisteren vandaag"""
)
_AMBIGUOUS: Final = word_set(
    "a i no me as do so he in on de die am an was will man most her son come is or one la el le"
)
MIN_WORDS: Final = 3


def is_foreign(text: str) -> bool:
    """Tell whether a text is in another language than English: by its script, or by its function words."""
    letters = len(_LETTER.findall(text))
    if not letters:
        return False
    if len(_NOT_LATIN.findall(text)) * 2 > letters:
        return True
    found = [w.lower().replace("’", "'") for w in _WORD.findall(text)]
    if len(found) < MIN_WORDS:
        return False
    theirs = sum(w in _FUNCTION and w not in _AMBIGUOUS for w in found)
    ours = sum(w in STOPWORDS and w not in _AMBIGUOUS and w not in _FUNCTION for w in found)
    if theirs <= ours or theirs * 6 < len(found):
        return False
    return theirs > 1 or bool(foreign_facts(text))


@dataclass(frozen=True, slots=True)
class ForeignFact:
    """A plain fact read from a sentence in another language.

    Attributes:
        facet: Name of the relation.
        value: In the speaker's words.
        form: English sentence with {name} and {value}.
        start: Offset of the words it was read from.
        end: Offset behind them.
    """

    facet: str
    value: str
    form: str
    start: int
    end: int


_NAME: Final = r"(?P<v>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+){0,2})"
_THING: Final = r"(?P<v>[\w'’-]+(?: [\w'’-]+){0,3}?)(?=[.,!;:)]| y | et | und | e |$)"
_WORDS: Final = r"(?P<v>\w+(?:[- ]\w+){0,2}?)(?=[.,!;:،؛]|\s+(?:и|с|но|مع|و\w*|منذ)\b|\s*\Z)"
_CJK: Final = r"(?P<v>[\u3400-\u9fffA-Za-z·]{1,12}?)(?=[,。！，、；;.!]|的|了|$)"

_FORMS: Final = {
    "name": "{name} is called {value}.",
    "lives_in": "{name} lives in {value}.",
    "works_at": "{name} works at {value}.",
    "likes": "{name} likes {value}.",
}
_I_AM_CALLED: Final = (
    "[Mm]e llamo|[Mm]i nombre es|[Jj]e m['’]appelle|[Mm]on nom est|[Ii]ch heiße|[Mm]ein Name ist"
    "|[Mm]e chamo|[Mm]eu nome é|[Mm]i chiamo"
)
_I_LIVE_IN: Final = (
    "[Vv]ivo en|[Jj]['’]habite (?:à|en|au)|[Jj]e vis (?:à|en|au)|[Ii]ch (?:wohne|lebe) in|[Mm]oro (?:em|no|na)"
    "|[Vv]ivo em|[Aa]bito a|[Vv]ivo a"
)
_I_WORK_AT: Final = (
    "[Tt]rabajo en|[Tt]rabajo para|[Jj]e travaille (?:chez|à)|[Ii]ch arbeite (?:bei|für)|[Tt]rabalho (?:na|no|em)"
    "|[Ll]avoro (?:a|per|da)"
)
_I_LIKE: Final = (
    "[Mm]e gustan?|[Mm]e encantan?|[Jj]['’]aime|[Jj]['’]adore|[Ii]ch mag|[Ii]ch liebe|[Ee]u gosto de|[Ee]u adoro"
)
_FACTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (facet, re.compile(pattern))
    for facet, pattern in (
        ("name", rf"\b(?:{_I_AM_CALLED}) {_NAME}"),
        ("lives_in", rf"\b(?:{_I_LIVE_IN}) {_NAME}"),
        ("works_at", rf"\b(?:{_I_WORK_AT}) {_NAME}"),
        ("likes", rf"\b(?:{_I_LIKE}) ?{_THING}"),
        ("name", rf"我(?:的名字)?(?:叫|是叫){_CJK}"),
        ("lives_in", rf"我(?:现在)?(?:住在|搬到了?){_CJK}"),
        ("works_at", r"我(?:现在)?在(?P<v>[\u3400-\u9fffA-Za-z·]{1,12}?)(?:工作|上班)"),
        ("likes", rf"我(?:很|最)?(?:喜欢|爱){_CJK}"),
        ("name", r"(?P<v>[\u3040-\u30ff\u3400-\u9fff]{1,10})(?:と申します|といいます|と言います)"),
        ("lives_in", r"(?P<v>[\u30a0-\u30ff\u3400-\u9fff]{1,10})に住んで"),
        ("works_at", r"(?P<v>[\u30a0-\u30ff\u3400-\u9fffA-Za-z]{1,12})で働いて"),
        ("likes", r"(?P<v>[\u30a0-\u30ff\u3400-\u9fff]{1,10})が(?:大好き|好き)"),
        ("name", rf"\b[Мм]еня зовут {_WORDS}"),
        ("lives_in", rf"\b[Яя] (?:сейчас )?живу в {_WORDS}"),
        ("works_at", rf"\b[Яя] (?:сейчас )?работаю (?:в|на) {_WORDS}"),
        ("likes", rf"\b[Яя] люблю {_WORDS}"),
        ("name", rf"(?<!\w)اسمي {_WORDS}"),
        ("lives_in", rf"(?<!\w)(?:أعيش|أسكن) في {_WORDS}"),
        ("works_at", rf"(?<!\w)أعمل (?:في|لدى) {_WORDS}"),
        ("likes", rf"(?<!\w)أحب {_WORDS}"),
    )
)


def foreign_facts(text: str) -> list[ForeignFact]:
    """Give the plain first-person facts (name, home, work, likes) of a sentence in a few languages, in order."""
    found = []
    for facet, pattern in _FACTS:
        for match in pattern.finditer(text):
            value = match["v"].strip()
            if value:
                found.append(ForeignFact(facet, value, _FORMS[facet], match.start(), match.end()))
    return sorted(found, key=lambda f: f.start)


_GREETINGS: Final = re.compile(
    r"\W*(?:hola|buen[oa]s \w+|gracias|adiós|salut|bonjour|bonsoir|merci|au revoir|hallo|guten \w+|danke|tschüss|olá|oi"
    r"|bom dia|obrigad[oa]|ciao|grazie|你好|您好|谢谢|再见|早上好|晚安|こんにちは"
    r"|ありがとう\w*|おはよう\w*|안녕\w*|감사\w*|مرحبا|شكرا|السلام عليكم|привет|спасибо|здравствуйте|नमस्ते|धन्यवाद)"
    r"(?:[ ,]+\w+)?\W*\Z",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(r"[?？؟]\s*\Z|\A\s*¿|[吗呢么][。.]?\s*\Z|か[。.]?\s*\Z")


def is_foreign_statement(text: str) -> bool:
    """Tell whether a sentence in another language may state something: no greeting, thanks or question."""
    return not _GREETINGS.match(text) and not _QUESTION.search(text) and len(_LETTER.findall(text)) >= 4
