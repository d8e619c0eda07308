"""Messages on their way in: checked, named, and compared with what is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import MAX_NAME, MAX_TEXT, Message, NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import SpaceState
from trajwiki.errors import InvalidMessage
from trajwiki.language.masking import Masker

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


def masked(message: NewMessage) -> NewMessage:
    """Give a message without keys, tokens, passwords and card numbers, for a space that asks for it."""
    hide = Masker()
    return replace(
        message,
        text=hide.text(message.text),
        caption=hide.text(message.caption) if message.caption else message.caption,
        metadata={name: hide.text(value) for name, value in message.metadata.items()},
    )


def check(message: NewMessage, where: str) -> NewMessage:
    """Give the message as it can be stored.

    NUL and lone surrogates, which databases refuse, become U+FFFD.

    Args:
        message: As it came.
        where: Its place, for the error.

    Raises:
        InvalidMessage: It has no speaker, a naive time, or is too large.
    """
    if not isinstance(message, NewMessage):
        raise InvalidMessage(f"{where}: expected a NewMessage, got {type(message).__name__}")
    if message.sent_at is not None and message.sent_at.tzinfo is None:
        raise InvalidMessage(f"{where}: sent_at {message.sent_at.isoformat()} has no time zone; give an aware time")
    if not message.speaker.strip():
        raise InvalidMessage(f"{where}: a message needs a speaker")
    names = {
        "speaker": message.speaker,
        "session": message.session,
        "source": message.source,
        "source_ref": message.source_ref or "",
    }
    for name, value in names.items():
        if len(value) > MAX_NAME:
            raise InvalidMessage(f"{where}: {name} has {len(value)} characters, at most {MAX_NAME} are allowed")
    if len(message.text) + len(message.caption or "") > MAX_TEXT:
        raise InvalidMessage(f"{where}: the text is longer than {MAX_TEXT} characters; split it")
    return NewMessage(
        speaker=storable(message.speaker).strip(),
        text=storable(message.text),
        sent_at=message.sent_at,
        session=storable(message.session),
        source_ref=storable(message.source_ref) if message.source_ref else None,
        source=storable(message.source),
        caption=storable(message.caption) if message.caption else None,
        role=message.role,
        metadata=_metadata(message.metadata, where),
    )


def identify(messages: Sequence[NewMessage], state: SpaceState, *, ids: Ids) -> tuple[list[Message], list[Problem]]:
    """Give ids and places to checked messages, leaving out those that are there already.

    A message with the key of a stored one and other content is its next revision.

    Returns:
        New messages and revisions in order of arrival, and what was noticed.
    """
    out: list[Message] = []
    problems: list[Problem] = []
    known: dict[str, Message] = {}
    refs: dict[str, str] = {}
    occurrences: Counter[str] = Counter()
    added: Counter[tuple[str, str]] = Counter()
    ordinal = state.next_ordinal
    named = [(_message_id(new, occurrences, ids), new) for new in messages]
    last = {message_id: _content(new) for message_id, new in named}
    for message_id, new in named:
        stored = state.messages.get(message_id)
        if stored is not None and _content(stored) == last[message_id]:
            continue  # also when the file tells the edits that led here once more
        old = known.get(message_id) or stored
        if old is not None:
            if _content(old) == _content(new):
                continue
            message = _stored(new, message_id, old.ordinal, old.source_ref, old.revision + 1)
            problems.append(
                Problem("message.edited", "the message was stored before with other content", old.source_ref)
            )
        else:
            place = len(state.sessions.get((new.source, new.session), ())) + added[new.source, new.session] + 1
            ref = _free_ref(new, place, state, refs)
            if new.source_ref and ref != new.source_ref:
                problems.append(
                    Problem("message.ref-taken", f"the ref {new.source_ref} is taken; stored as {ref}", ref)
                )
            message = _stored(new, message_id, ordinal, ref, 0)
            ordinal += 1
            added[new.source, new.session] += 1
            refs[ref] = message_id
        known[message_id] = message
        out.append(message)
    return out, problems


def _message_id(new: NewMessage, occurrences: Counter[str], ids: Ids) -> str:
    if new.source_ref is not None:
        return ids.of("message", new.source, new.session, new.source_ref)
    at = new.sent_at.isoformat() if new.sent_at else None
    content = (new.source, new.session, new.speaker, at, new.text, new.caption)
    plain = ids.of("message", *content)
    occurrences[plain] += 1
    return ids.of("message", *content, occurrences[plain])


def _free_ref(new: NewMessage, place: int, state: SpaceState, refs: Mapping[str, str]) -> str:
    """Give the caller's ref, or one made of session and place; qualified while it is taken by another message."""
    ref = new.source_ref or f"{new.session or new.source or 'message'}:{place}"
    candidates = [ref, f"{new.session}/{ref}", f"{new.source}/{ref}", f"{new.source}/{new.session}/{ref}"]
    candidates += [f"{ref}~{n}" for n in range(2, 5)]
    for candidate in candidates:
        if candidate not in state.message_by_ref and candidate not in refs:
            return candidate
    return f"{ref}~{len(state.messages) + len(refs) + 1}"


def _content(message: Message | NewMessage) -> tuple[str, str, str | None]:
    return message.speaker, message.text, message.caption


def _stored(new: NewMessage, message_id: str, ordinal: int, ref: str, revision: int) -> Message:
    return Message(
        id=message_id,
        ordinal=ordinal,
        source_ref=ref,
        source=new.source,
        session=new.session,
        speaker=new.speaker,
        role=new.role,
        text=new.text,
        caption=new.caption,
        sent_at=new.sent_at,
        revision=revision,
        metadata=new.metadata,
    )


def _metadata(metadata: Mapping[str, str], where: str) -> dict[str, str]:
    if not all(isinstance(k, str) and isinstance(v, str) for k, v in metadata.items()):
        raise InvalidMessage(f"{where}: metadata must map strings to strings")
    if sum(len(k) + len(v) for k, v in metadata.items()) > MAX_TEXT:
        raise InvalidMessage(f"{where}: metadata is longer than {MAX_TEXT} characters")
    return {storable(k): storable(v) for k, v in metadata.items()}


def storable(text: str) -> str:
    """Give the text with NUL and lone surrogates, which databases refuse, replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)
