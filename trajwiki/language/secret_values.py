"""Telling what is a secret from what only stands where one could: names of fields, values, card numbers."""

from __future__ import annotations

import re
from typing import Final

from trajwiki.language.secret_shapes import FIELD, MORE, PASSWORD_NAMES, PIN_NAMES, TOKEN_NAMES

_PASSWORD: Final = re.compile(rf"(?:{PASSWORD_NAMES})s?(?:{MORE})?\Z", re.IGNORECASE)
_PIN: Final = re.compile(rf"(?:{PIN_NAMES})s?\Z", re.IGNORECASE)
_TOKEN: Final = re.compile(rf"(?:{TOKEN_NAMES})s?(?:{MORE})?\Z", re.IGNORECASE)
# Names that end like one of a secret and are none.
_HARMLESS: Final = re.compile(
    r"(?:page|next|prev|previous|continuation|cursor|sync|max|min|num|eos|bos|pad|cls|sep|mask|unk|stop|special|start|end|"
    r"input|output|prompt|completion|total|cached|first|last|public|partition|sort|foreign|primary|cancel(?:lation)?|by|"
    r"bounding|com|sur|over|under|by|tres|en)[_ .-]?(?:pass|tokens?|keys?|secret)\Z",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(
    r"(?:pass|pin|otp|ssn|cvv2?|cvc2?|pwd)\Z", re.IGNORECASE
)  # a word of its own, not the end of one
_DUMMY: Final = re.compile(
    r"(?:[*•.x#_-]{1,200}|[<$%\[(].*|\{\{?.*|(?:your|my|the|some|example|sample|dummy|enter|insert|redacted|masked|"
    r"hidden)[_ -].*|(?:self|this|os|process|config|settings|env|args|ctx|request|response|apis?)[.\[].*|f?strings?|"
    r"strs?|text|int(?:eger)?|number|bool(?:ean)?|null|none|nil|true|false|undefined|optional|required|any|object|missing|"
    r"invalid|incorrect|wrong|expired|empty|unknown|redacted|masked|hidden|n/?a|password|passwd|token|secret|key|auth|bearer|"
    r"basic|and|or|the|a|an|is|was|are|be|not|no|has|have|had|must|should|shall|may|can|cannot|will|would|for|from|to|in|"
    r"on|of|at|with|by|if|it|its|this|that|these|when|which|where|what|then|so|as|please|reset|change|changed|set|used|"
    r"using|provided|given|needed|entered|sent|fields?|type|here|there|below|above|again|correct|valid|also|only|now|"
    r"just|authentication|authorization|error|failed|failure|denied|mismatch|updated|protected|stored|saved|found|"
    r"retrieved)\Z",
    re.IGNORECASE | re.DOTALL,
)
_EXPRESSION: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,80}(?:[.\[(]|\Z)")
_NAMES_IN_CODE: Final = re.compile(
    r"pass|pwd|pw\b|_pw|secret|token|key|cred|auth|login|account|otp|pin|code|result|resp|data|value", re.I
)

_NOT_A_CARD: Final = re.compile(
    r"(?:order|tracking|track|invoice|ticket|ref(?:erence)?|booking|confirmation|transaction|txn|shipment|parcel|isbn|"
    r"imei|trace|span|request|req|message|msg|session|user|(?<![a-z])id|uid|uuid|sku|case|phone|tel)"
    r"[a-z]{0,3}[ _:#=\"'-]{0,4}(?:number|numbers|no\.?|nr\.?|id|ids|code)?[ \t_:#=\"'-]{0,5}(?:is |was )?[#\"']?\Z",
    re.IGNORECASE,
)
_A_CARD: Final = re.compile(r"card|visa|credit|debit|pan\b|payment|cc\b|karte|carte|tarjeta|卡|карт", re.IGNORECASE)


def names_secret(name: str, sep: str = ":") -> str | None:
    """Tell which kind of secret a field of that name holds: password, pin, token, api-key, secret; None for others."""
    name = name.strip().strip("\"'`*")[-80:]
    if sep.isspace() and not (name.startswith("--") and len(name) > 4):
        return None  # a space alone divides an option of a command from its value, and nothing else
    if _HARMLESS.search(name):
        return None
    short = _SHORT.search(name)
    if short and (before := name[: short.start()]) and before[-1].isascii() and before[-1].isalpha():
        camel = name[short.start()].isupper() and before[-1].islower()
        if not camel:
            return None
    if _PASSWORD.search(name):
        return "password"
    if _PIN.search(name):
        return "pin"
    found = _TOKEN.search(name)
    if found is None:
        return None
    word = found[0].lower()
    return "api-key" if "key" in word else "secret" if word.startswith("secret") else "token"


def reveals(kind: str, value: str, *, quoted: bool, sep: str = ":", after: str = "") -> bool:
    """Tell whether a value in a field of a secret is one, and not a word about it, a type, a variable or a sentence.

    Args:
        kind: Of the secret, as `names_secret` gives it.
        value: Without quotes.
        quoted: Whether it stood in quotes or is a JSON text.
        sep: What stands between name and value.
        after: The character after the value.
    """
    value = value.strip()
    if not value or _DUMMY.match(value.rstrip("=:")):
        return False
    if not quoted and FIELD.match(value):
        return False  # a field of its own
    spaces = value.count(" ")
    if kind == "pin":
        return any(c.isdigit() for c in value) and len(value) <= 16 and not spaces
    digits = any(c.isdigit() for c in value)
    if (
        not quoted
        and "=" in sep
        and _EXPRESSION.match(value)
        and (after in ("(", "[") or any(c in value for c in "([") or _NAMES_IN_CODE.search(value))
    ):
        return False  # a variable or a call
    if kind == "password":
        if spaces >= 3 and (value[-1:] in ".!?" or spaces >= 8):
            return False
        if not quoted and ("=" not in sep):  # prose
            prose = sep.strip() not in (":", "\uff1a") and not sep.isspace()
            return len(value) >= (6 if prose else 4) and (digits or not prose or not value.isalpha())
        return len(value) >= (2 if quoted else 3)
    words = value.split(" ", 1)
    if words[0].lower() in ("bearer", "basic", "token", "apikey", "digest") and len(words) > 1:
        return len(words[1]) >= 6 and not _DUMMY.match(words[1]) and "[secret:" not in words[1]
    if spaces:
        return kind == "token" and "=" in value and ";" in value  # cookies
    return len(value) >= 6 and (digits or len(value) >= 20) and not (value.isdigit() and len(value) < 12)


def is_card(found: re.Match[str], text: str) -> bool:
    """Tell whether digits are a payment card's number: by issuer and length, Luhn's check, and what stands before."""
    digits = "".join(c for c in found[0] if c.isdigit())
    start = found.start()
    before = text[max(0, start - 40) : start]
    about_card = bool(_A_CARD.search(before))
    if not _issued(digits, about_card) or not luhn(digits) or len(set(digits)) == 1:
        return False
    run = re.search(r"[A-Za-z0-9_-]{1,40}\Z", before)
    glued = run[0] if run else ""
    if any(c.isdigit() for c in glued):
        return False  # a piece of an id
    if glued and not about_card and glued[-1] in "_-":
        return False
    return about_card or not _NOT_A_CARD.search(before)


def luhn(digits: str) -> bool:
    """Tell whether the last of the digits checks the others (ISO/IEC 7812)."""
    total = 0
    for i, char in enumerate(reversed(digits)):
        value = int(char) * (1 + i % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _issued(digits: str, about_card: bool) -> bool:
    """Tell whether an issuer gives cards of that beginning and length; rare ones only where a card is spoken of."""
    length, two, four = len(digits), int(digits[:2]), int(digits[:4])
    if length == 16:
        mastercard = 51 <= two <= 55 or 2221 <= four <= 2720
        return digits[0] == "4" or mastercard or two in (62, 64, 65, 35) or four == 6011
    if length == 15:
        return two in (34, 37)
    rare = (length in (13, 19) and digits[0] == "4") or (length == 14 and two in (30, 36, 38, 39))
    return about_card and (rare or (17 <= length <= 19 and two == 62))


def looks_random(value: str) -> bool:
    """Tell whether a value is no plain word: it has letters and digits, or is long and mixes cases."""
    digits = any(c.isdigit() for c in value)
    letters = any(c.isalpha() for c in value)
    return (digits and letters) or (len(value) >= 20 and value != value.lower() and value != value.upper())


def remembered(kind: str, value: str) -> bool:
    """Tell whether a secret that its field gave away is peculiar enough to be looked for everywhere else."""
    marks = any(not c.isalnum() and not c.isspace() for c in value)
    if kind == "password" and marks and len(value) >= 6:
        return not value.isascii() or any(c.isalnum() for c in value)
    return len(value) >= 8 and looks_random(value)


def trimmed(value: str) -> str:
    """Leave out the marks and brackets that close what is around a value without quotes."""
    end = len(value)
    while end:
        char = value[end - 1]
        if char in _CLOSES and _CLOSES[char] in value[: end - 1]:
            break
        if char not in _CLOSES and char not in ".:!?…":
            break
        end -= 1
    return value[:end]


_CLOSES: Final = {")": "(", "]": "[", "}": "{"}
