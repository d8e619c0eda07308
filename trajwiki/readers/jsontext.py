"""JSON from outside: pulled out of a text value by value, so that a large file is never in memory as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from trajwiki.errors import UnreadableInput
from trajwiki.readers.files import CHUNK_BYTES, Source

MAX_VALUE_CHARS: Final = 64_000_000  # one value that has to be in memory as a whole: a record, a conversation
MARGIN: Final = 16  # characters before the end of what is read where a token may be cut

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
# NaN and Infinity are not JSON, but some programs write them: nothing, rather than no file.
_DECODER: Final = json.JSONDecoder(parse_constant=lambda _: None)
# For a look at the beginning: a number of thousands of digits is the reader's error to tell.
_LENIENT: Final = json.JSONDecoder(parse_constant=lambda _: None, parse_int=lambda digits: int(digits[:4000]))
_CLOSING: Final = {"{": "}", "[": "]"}


class JsonText:
    """Pulls values from a JSON text: one value, a list, or values one after the other (JSON lines).

    `items` and `members` step into a list or an object; after each step the caller takes the value with
    `value`, or steps into it in turn.
    """

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._chunks = source.chunks()
        self._buffer = ""
        self._at = 0
        self._dropped_chars = 0
        self._line, self._counted = 1, 0  # number of the line at a place in the buffer

    def peek(self) -> str:
        """Give the next character that is not space; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._fill():
                return ""

    @property
    def line(self) -> int:
        """The number of the line where the next character stands, from 1."""
        self._line += self._buffer.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def value(self) -> Any:
        """Take the next value."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._buffer) - MARGIN
                if len(self._buffer) - self._at > MAX_VALUE_CHARS:
                    raise self.error(f"one value is longer than {MAX_VALUE_CHARS} characters") from None
                if cut and self._fill():
                    continue
                if error.msg.startswith("Unterminated") or not self._buffer[error.pos :].strip():
                    self._at = len(self._buffer)
                    raise self.error("the JSON ends in the middle of a value; the file seems cut off") from None
                self._at = error.pos
                raise self.error(f"this is not JSON: {error.msg}") from None
            except RecursionError:
                raise self.error("the JSON is nested too deeply") from None
            except ValueError as error:  # a number of thousands of digits
                raise self.error(f"cannot read the JSON: {error}") from None
            if end == len(self._buffer) and not isinstance(value, str | list | dict) and self._fill():
                continue  # a number may go on
            self._at = end
            return value

    def items(self) -> Iterator[int]:
        """Step into a list: give the number of each item, from 1; the caller then takes the item."""
        self._take("[")
        number = 0
        while (char := self.peek()) != "]" or number:
            if number:
                if char == "]":
                    break
                self._take(",")
            number += 1
            yield number
        self._take("]")

    def members(self) -> Iterator[str]:
        """Step into an object: give each key; the caller then takes its value."""
        self._take("{")
        some = False
        while (char := self.peek()) != "}" or some:
            if some:
                if char == "}":
                    break
                self._take(",")
            some = True
            if self.peek() != '"':
                raise self.error("expected a key in quotes")
            key = str(self.value())
            self._take(":")
            yield key
        self._take("}")

    def end(self) -> None:
        """Require that nothing follows."""
        if self.peek():
            raise self.error("expected the end of the file after the JSON")

    def error(self, what: str) -> UnreadableInput:
        """Make the error for the next character."""
        column = self._at - (self._buffer.rfind("\n", 0, self._at) + 1) + 1
        character = self._dropped_chars + self._at
        return UnreadableInput(f"{self._name}: line {self.line}, column {column} (character {character}): {what}")

    def _take(self, expected: str) -> None:
        if (char := self.peek()) != expected:
            raise self.error(
                f"expected {expected!r}, found {char!r}"
                if char
                else f"expected {expected!r}; the file seems cut off here"
            )
        self._at += 1

    def _fill(self) -> bool:
        """Read on, as much again as is held; False at the end."""
        wanted = max(CHUNK_BYTES, len(self._buffer) - self._at)
        parts = [self._buffer[self._at :]]
        got = 0
        for chunk in self._chunks:
            parts.append(chunk)
            got += len(chunk)
            if got >= wanted:
                break
        if not got:
            return False
        self._dropped_chars += self._at
        self._line, self._counted = self.line, 0
        self._buffer, self._at = "".join(parts), 0
        return True


def values(source: Source) -> Iterator[tuple[str, Any]]:
    """Give the records of a JSON file with their places: the items of a list, else the values one after the other."""
    text = JsonText(source)
    if not text.peek():
        raise UnreadableInput(f"{source.name}: nothing in it but space; expected JSON")
    while char := text.peek():
        if char == "[":
            for number in text.items():
                text.peek()
                yield source.at(f"item {number}"), text.value()
        else:
            place = source.at(f"line {text.line}")
            yield place, text.value()


def lines(source: Source) -> Iterator[tuple[str, Any]]:
    """Give the values of a JSON lines file with their places; blank lines are passed over."""
    for number, line in source.lines():
        if not line.strip():
            continue
        place = source.at(f"line {number}")
        try:
            yield place, _DECODER.decode(line)
        except json.JSONDecodeError as error:
            raise UnreadableInput(f"{place}, column {error.colno}: this is not JSON: {error.msg}") from None
        except RecursionError:
            raise UnreadableInput(f"{place}: the JSON is nested too deeply") from None
        except ValueError as error:
            raise UnreadableInput(f"{place}: cannot read the JSON: {error}") from None


def whole(source: Source) -> Any:
    """Give a JSON file that is one value; it must fit in memory (MAX_VALUE_CHARS)."""
    text = JsonText(source)
    value = text.value()
    text.end()
    return value


def beginning(text: str, *, cut: bool) -> tuple[tuple[Any, ...], bool]:
    """Read what can be read of the beginning of a JSON text.

    Args:
        text: The beginning.
        cut: Whether the text goes on.

    Returns:
        The items of its list, or its values one after the other, the last perhaps cut; and whether it is a list.
        Nothing when it is not JSON.
    """
    found: list[Any] = []
    at = _space(text, 0)
    while at < len(text):
        try:
            value, at = _LENIENT.raw_decode(text, at)
        except json.JSONDecodeError as error:
            at_end = error.msg.startswith("Unterminated string")
            if cut or not found:
                found += _mended(text[at:] if at_end else text[at : error.pos])
            break
        except (ValueError, RecursionError):
            break
        found.append(value)
        at = _space(text, at)
    if found and isinstance(found[0], list):
        return tuple(found[0]), True
    return tuple(found), False


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _mended(text: str) -> list[Any]:
    """Close what is open in a cut JSON value, leaving out its last unfinished piece; empty when that fails."""
    stack: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        char = token.group()
        if char in _CLOSING:
            stack.append(char)
            end = token.end()
        elif char in ("]", "}"):
            if not stack:
                return []
            stack.pop()
            end = token.end()
            if not stack:
                break
        elif char == "," and stack:
            end = token.start()
    try:
        return [_LENIENT.decode(text[:end] + "".join(_CLOSING[c] for c in reversed(stack)))]
    except (ValueError, RecursionError):
        return []
