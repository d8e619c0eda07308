"""Secrets in text and JSON found and replaced: keys, tokens, passwords, card numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trajwiki.language.secret_shapes import CARD, FIELD, FIELD_STARTS, KEYS, NAMED_TOKEN, PLACEHOLDER, URL
from trajwiki.language.secret_values import is_card, looks_random, names_secret, remembered, reveals, trimmed

MAX_REMEMBERED: Final = 200  # secrets known by the name of their field, looked for elsewhere too
MAX_PASSES: Final = 6
MAX_DEPTH: Final = 200  # of JSON
MAX_NAME: Final = 60  # characters of a field's name that are looked at

_LOWER: Final = {i: i + 32 for i in range(65, 91)}
_VALUES: Final = ("double", "single", "tick", "escaped", "deep", "bare")


class Masker:
    """Masks texts and JSON values that belong together: the same secret gets the same placeholder in all of them.

    Attributes:
        count: Replacements made so far.
    """

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._elsewhere: list[str] = []  # secrets that nothing but the name of their field gave away

    def text(self, text: str) -> str:
        """Give a text without its secrets."""
        for _ in range(MAX_PASSES):  # what is masked may leave a secret beside it that is seen only then
            before = self.count
            text = self._once(text)
            if self.count == before:
                break
        return text

    def _once(self, text: str) -> str:
        lower = text.lower()
        if len(lower) != len(text):  # some letters grow
            lower = text.translate(_LOWER)
        if any(start in text for start, _, _ in KEYS):
            text = self._keys(text)
            lower = text.lower() if len(text.lower()) == len(text) else text.translate(_LOWER)
        if "://" in text:
            text = URL.sub(lambda m: m[1] + self._unless_dummy(m[2]), text)
        if "bearer" in lower or "basic" in lower:
            text = NAMED_TOKEN.sub(self._named_token, text)
        text = self._fields(text)
        text = CARD.sub(lambda m: self._replaced(m[0], "card") if is_card(m, text) else m[0], text)
        for secret in self._elsewhere:
            if secret in text:
                self.count += text.count(secret)
                text = text.replace(secret, self._known[secret])
        return text

    def json(self, value: Any, name: str = "", depth: int = 0) -> Any:
        """Give a JSON value without its secrets; those in fields are found by the fields' names too."""
        if isinstance(value, str):
            kind = names_secret(name) if name else None
            if kind and not PLACEHOLDER.search(value) and reveals(kind, value, quoted=True):
                return self._replaced(value, kind, elsewhere=True)
            return self.text(value)
        if depth > MAX_DEPTH:
            return value
        if isinstance(value, Mapping):
            inherited = name if name.endswith("s") and names_secret(name) else ""
            return {self.text(str(k)): self.json(v, inherited or str(k), depth + 1) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(v, name, depth + 1) for v in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(value, name)
        return value

    def _number(self, value: int, name: str) -> int | str:
        kind = names_secret(name) if name else None
        if kind in ("password", "pin") and 99 < value < 10**17:
            return self._replaced(str(value), kind)
        if 10**12 <= value < 10**19 and (masked := self.text(str(value))) != str(value):
            return masked
        return value

    def _keys(self, text: str) -> str:
        """Mask what its own shape gives away: each place where a shape begins is tried, nothing else is looked at."""
        starts: list[tuple[int, str, re.Pattern[str]]] = []
        for start, kind, pattern in KEYS:
            starts += ((at, kind, pattern) for at in _places(text, start))
        parts: list[str] = []
        done = 0
        for at, kind, pattern in sorted(starts, key=lambda s: s[0]):
            if at >= done and (found := pattern.match(text, at)) is not None:
                parts += (text[done:at], self._replaced(found[0], kind))
                done = found.end()
        return "".join((*parts, text[done:])) if parts else text

    def _named_token(self, found: re.Match[str]) -> str:
        secret = looks_random(found[2]) and not found[2].startswith("secret:")
        return found[1] + (self._replaced(found[2], "token") if secret else found[2])

    def _fields(self, text: str) -> str:
        """Mask the values of fields that their names give away."""
        lower = text.lower()
        if len(lower) != len(text):
            lower = text.translate(_LOWER)
        places = sorted({at for start in FIELD_STARTS if start in lower for at in _places(lower, start)})
        parts: list[str] = []
        done = 0
        for at in places:
            found = FIELD.match(text, at) if at >= done else None
            if found is None or (at and PLACEHOLDER.match(text, at - 1)):
                continue
            group = next(g for g in _VALUES if found[g] is not None)
            start, end = found.span(group)
            secret = found[group]
            if group == "bare":
                secret = trimmed(secret)
                end = start + len(secret)
            kind = names_secret(_whole_name(text, found), found["sep"])
            if not kind or start < done or "[secret:" in secret or text.startswith("[secret:", start):
                continue
            if reveals(kind, secret, quoted=group != "bare", sep=found["sep"], after=text[end : end + 1]):
                parts += (text[done:start], self._replaced(secret, kind, elsewhere=True))
                done = end
        return "".join((*parts, text[done:])) if parts else text

    def _unless_dummy(self, secret: str) -> str:
        dummy = PLACEHOLDER.search(secret) or secret[:1] in "$<{[" or set(secret) <= set("*x.")
        return secret if dummy else self._replaced(secret, "password")

    def _replaced(self, secret: str, kind: str, *, elsewhere: bool = False) -> str:
        self.count += 1
        placeholder = self._known.get(secret)
        if placeholder is None:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            placeholder = f"[secret:{kind}]" if number == 1 else f"[secret:{kind}-{number}]"
            self._known[secret] = placeholder
            if elsewhere and remembered(kind, secret):
                self._elsewhere.append(secret)
                self._elsewhere.sort(key=lambda s: (-len(s), s))
                del self._elsewhere[MAX_REMEMBERED:]
        return placeholder


def mask(text: str) -> tuple[str, int]:
    """Give a text without secrets, and how many were replaced, by placeholders such as ``[secret:api-key]``.

    The same secret becomes the same placeholder; another of the same kind is numbered, ``[secret:api-key-2]``.
    Masking what is masked changes nothing. Time is linear in the length of the text.
    """
    masker = Masker()
    return masker.text(text), masker.count


def mask_json(value: Any) -> tuple[Any, int]:
    """Give a JSON value without secrets, and how many were replaced; names of fields tell of secrets too."""
    masker = Masker()
    return masker.json(value), masker.count


def _places(text: str, start: str) -> Iterator[int]:
    at = text.find(start)
    while at >= 0:
        yield at
        at = text.find(start, at + 1)


def _whole_name(text: str, found: re.Match[str]) -> str:
    """Give the name of a field with what stands directly before it, such as ``db_`` or ``--``."""
    left = start = found.start("name")
    while left and start - left < MAX_NAME:
        char = text[left - 1]
        if not (char.isascii() and char.isalnum()) and char not in "_-.$":
            break
        left -= 1
    return text[left : found.end("more")]
