"""The messages of an agent's log made into steps, whichever API or framework wrote them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import Role
from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers.base import Json
from trajwiki.readers.fields import ROLES, TIME_KEYS, an_object, short, some_object, some_text, timed
from trajwiki.readers.runs import react
from trajwiki.readers.runs.base import MALFORMED
from trajwiki.readers.runs.code import code_in, is_output
from trajwiki.readers.runs.parts import Part, PartKind, part_of, parts_of
from trajwiki.readers.runs.steps import Steps

ITEMS: Final = ("function_call", "function_call_output", "reasoning", "custom_tool_call", "custom_tool_call_output",
                "local_shell_call", "local_shell_call_output")  # fmt: skip  # items of the Responses API
_PART_ROLES: Final[dict[str, tuple[str, str | None]]] = {
    "system-prompt": ("system", None), "user-prompt": ("user", None), "text": ("assistant", None),
    "thinking": ("assistant", "thinking"), "tool-call": ("assistant", "tool_call"), "tool-return": ("tool", None),
    "retry-prompt": ("tool", None),
}  # fmt: skip  # of Pydantic AI: the role, and the type of the part where it is no text
_TYPES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_THINKS: Final = re.compile(r"\s*(?:\[(?:thinking|thought|reasoning)\]\s*|<(think|thinking|thought|reasoning)>)", re.I)


class Turns:
    """Makes steps of messages, one after the other.

    Attributes:
        steps: What there is so far.
        problems: Steps that could not be read.
    """

    def __init__(self, agent: str = "assistant") -> None:
        self.steps = Steps()
        self.problems: list[Problem] = []
        self._agent = agent
        self._task: str | None = None
        self._exact = True
        self._ran = False  # whether the message before was code that is being run, or a ReAct action

    @property
    def task(self) -> str:
        """The first words of the one who asked."""
        return self._task or ""

    def all(self, messages: Sequence[Any], pointer: str, where: str) -> None:
        """Add messages; one that cannot be read becomes a problem."""
        for i, message in enumerate(messages):
            following = next((m for m in messages[i + 1 : i + 2] if isinstance(m, dict)), None)
            self.add(message, f"{pointer}/{i}", f"{where}, message {i + 1}", following)

    def add(
        self,
        message: Any,
        pointer: str,
        where: str,
        following: Json | None = None,
        *,
        at: datetime | None = None,
        exact: bool = True,
    ) -> None:
        """Add one message; the one after it tells whether its code was run.

        Args:
            message: A JSON object.
            pointer: Where it is in the record.
            where: The same, for a person.
            following: The message after it.
            at: When it was, where the message does not say.
            exact: Whether the pointer may be followed into the message; not where that is JSON in text.
        """
        self._exact = exact
        try:
            row = unwrapped(an_object(message, where, "a message"))
            if at is None:
                at, unread = timed(row, where, *TIME_KEYS)
                self.problems += [p for p in unread if isinstance(p, Problem)]
            if "role" not in row and row.get("type") in ITEMS:
                said_by = {"usage": row.get("usage"), "agent": row.get("agent")}
                self._assistant(said_by, part_of(row, ""), pointer, at, False)
                return
            if row.get("kind") in ("request", "response") and isinstance(row.get("parts"), list):
                self._pydantic(row, pointer, where, at)
                return
            role = role_of(row, where)
            parts = parts_of(row, where)
        except UnreadableInput as error:
            self.problems.append(Problem(MALFORMED, str(error), where))
            return
        if role is Role.SYSTEM:
            self._texts(parts, StepKind.PROMPT, "system", pointer, at)
        elif role is Role.TOOL:
            self._tool(row, parts, pointer, at)
        elif role is Role.USER:
            self._user(row, parts, pointer, at)
        else:
            self._assistant(row, parts, pointer, at, self._answered(following))

    def _pydantic(self, row: Json, pointer: str, where: str, at: datetime | None) -> None:
        """Add what Pydantic AI keeps as a request or response: parts that each have a role of their own."""
        exact, usage = self._exact, row.get("usage")
        for i, part in enumerate(row["parts"]):
            held = an_object(part, f"{where}, part {i + 1}", "a part")
            kind = str(held.get("part_kind"))
            role, inner = _PART_ROLES.get(kind, ("assistant", held.get("content")))
            content = held.get("content") if inner is None else [{**held, "type": inner}]
            message = {"role": role, "content": content, "usage": usage if role == "assistant" else None}
            if kind in ("tool-return", "retry-prompt"):
                message |= {"tool_call_id": held.get("tool_call_id"), "name": held.get("tool_name")}
                message["is_error"] = True if kind == "retry-prompt" else None
            self.add(message, f"{pointer}/parts/{i}", f"{where}, part {i + 1}", at=at, exact=False)
        self._exact = exact

    # One a role

    def _texts(self, parts: list[Part], kind: StepKind, agent: str, pointer: str, at: datetime | None) -> None:
        text = "\n".join(p.text for p in parts if p.kind is not PartKind.CALL and p.text)
        if text.strip():
            self.steps.add(kind, text, agent=agent, at=at, where=pointer)

    def _tool(self, row: Json, parts: list[Part], pointer: str, at: datetime | None) -> None:
        results = [p for p in parts if p.kind is PartKind.RESULT]
        name = some_text(row, "name", "tool_name", "toolName")
        flag = next((row[k] for k in ("is_error", "isError") if isinstance(row.get(k), bool)), None)
        if row.get("status") == "error" or row.get("error") is True:
            flag = True
        if results:
            for part in results:
                flagged = part.flag if part.flag is not None else flag
                self._result(part, part.id or _answers(row), part.name or name, flagged, pointer, at)
            return
        if parts and all(p.kind is PartKind.CALL for p in parts):
            return  # some frameworks repeat the call before its result
        text = "\n".join(p.text for p in parts if p.text)
        self.steps.result(text, id=_answers(row), tool=name, flag=flag, at=at, where=pointer)

    def _result(
        self, part: Part, id: str | None, name: str | None, flag: bool | None, pointer: str, at: datetime | None
    ) -> None:
        self.steps.result(part.text, id=id, tool=name, flag=flag, at=at, where=self._at(pointer, part))

    def _at(self, pointer: str, part: Part) -> str:
        return pointer + part.where if self._exact else pointer

    def _user(self, row: Json, parts: list[Part], pointer: str, at: datetime | None) -> None:
        for part in (p for p in parts if p.kind is PartKind.RESULT):
            self._result(part, part.id, part.name, part.flag, pointer, at)
        for part in (p for p in parts if p.kind is PartKind.CALL):  # the user has tools of their own
            where = self._at(pointer, part)
            self.steps.call(part.name or "tool", part.arguments, id=part.id, agent="user", at=at, where=where)
        text = "\n".join(p.text for p in parts if p.kind in (PartKind.TEXT, PartKind.OTHER, PartKind.THOUGHT))
        if not text.strip():
            return
        if self._ran and is_output(text):
            self._ran = False
            self.steps.result(text, at=at, where=pointer)
            return
        agent = some_text(row, "name") or "user"
        kind = StepKind.PROMPT if self._task is None else StepKind.MESSAGE
        self._task = text if self._task is None else self._task
        self.steps.add(kind, text, agent=agent, at=at, where=pointer)

    def _assistant(self, row: Json, parts: list[Part], pointer: str, at: datetime | None, ran: bool) -> None:
        agent = some_text(row, "name", "agent") or self._agent
        tokens = usage_of(row)
        last_call = max((i for i, p in enumerate(parts) if p.kind is PartKind.CALL), default=-1)
        for i, part in enumerate(parts):
            where = self._at(pointer, part) if len(parts) > 1 or part.kind is PartKind.CALL else pointer
            if part.kind is PartKind.CALL:
                self.steps.call(
                    part.name or "tool", part.arguments, id=part.id, agent=agent, at=at, tokens=tokens, where=where
                )
            elif part.kind is PartKind.RESULT:
                self._result(part, part.id, part.name, part.flag, pointer, at)
            elif part.kind is PartKind.THOUGHT:
                self.steps.add(StepKind.THOUGHT, part.text, agent=agent, at=at, tokens=tokens, where=where)
            else:
                self._said(part.text, agent, i < last_call, ran, at, tokens, where)
            tokens = None  # told once a message

    def _said(
        self,
        text: str,
        agent: str,
        acts: bool,
        ran: bool,
        at: datetime | None,
        tokens: tuple[int, int] | None,
        where: str,
    ) -> None:
        thought, text = thought_in(text)
        if thought:
            self.steps.add(StepKind.THOUGHT, thought, agent=agent, at=at, tokens=tokens, where=where)
        if not text.strip():
            return
        if acts:
            self.steps.add(StepKind.THOUGHT, text, agent=agent, at=at, tokens=tokens, where=where)
        elif react.is_react(text):
            self._ran = add_react(self.steps, text, agent=agent, at=at, tokens=tokens, where=where)
        elif ran and add_code(self.steps, text, agent=agent, at=at, tokens=tokens, where=where):
            self._ran = True
        else:
            self.steps.add(StepKind.MESSAGE, text, agent=agent, at=at, tokens=tokens, where=where)

    def _answered(self, following: Json | None) -> bool:
        """Whether the next message reads like the output of the code in this one."""
        if following is None:
            return False
        try:
            following = unwrapped(following)
            role = role_of(following, "")
            text = "\n".join(p.text for p in parts_of(following, "") if p.kind is PartKind.TEXT)
        except UnreadableInput:
            return False
        return role is Role.TOOL or (role is Role.USER and is_output(text))


# Pieces


def unwrapped(row: Json) -> Json:
    """Give the message in a wrapper: LangChain's data or kwargs, ShareGPT's `from` and `value`, an inner `message`."""
    if row.get("lc") == 1 and isinstance(row.get("kwargs"), dict):
        path = row.get("id")
        name = str(path[-1]) if isinstance(path, list) and path else ""
        return {"type": name.removesuffix("Chunk").removesuffix("Message").lower(), **row["kwargs"]}
    if isinstance(row.get("data"), dict) and isinstance(row.get("type"), str) and "content" in row["data"]:
        return {"type": row["type"], **row["data"]}
    if isinstance(row.get("from"), str) and "value" in row and "role" not in row:
        return {"role": row["from"], "content": row["value"]}
    inner = row.get("message")
    if isinstance(inner, dict) and "role" in inner and "role" not in row:
        return {**{k: v for k, v in row.items() if k in TIME_KEYS}, **inner}
    return row


def role_of(row: Json, where: str) -> Role:
    """Give the role of a message; one whose role is a name of its own is an agent's.

    Raises:
        UnreadableInput: It names no role.
    """
    name = row.get("role") or row.get("from")
    if not isinstance(name, str):
        type_ = str(row.get("type", "")).removesuffix("MessageChunk").removesuffix("Message").lower()
        name = _TYPES.get(type_)
    if not isinstance(name, str) or not name.strip():
        raise UnreadableInput(f"{where}: expected a role in the message, found keys {short(', '.join(map(str, row)))}")
    return ROLES.get(name.strip().lower(), Role.ASSISTANT)


def usage_of(row: Json) -> tuple[int, int] | None:
    """Give the tokens (in, out) that a message or response tells of."""
    for key in ("usage", "usage_metadata", "usageMetadata", "token_usage", "metrics", "tokens"):
        usage = some_object(row, key)
        given = _count(usage, "prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count", "input", "in")
        made = _count(
            usage,
            "completion_tokens",
            "output_tokens",
            "candidatesTokenCount",
            "candidates_token_count",
            "output",
            "out",
        )
        if given is not None or made is not None:
            return given or 0, made or 0
    return None


def _count(row: Json, *keys: str) -> int | None:
    for key in keys:
        value = row.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return int(value)
    return None


def thought_in(text: str) -> tuple[str, str]:
    """Cut off the reasoning that a text begins with, where it is marked as such: (reasoning, the rest)."""
    mark = _THINKS.match(text)
    if mark is None:
        return "", text
    if mark[1] is None:
        return text[mark.end() :], ""
    inner, close, rest = text[mark.end() :].partition(f"</{mark[1]}>")
    return (inner.strip(), rest.strip()) if close else (inner.strip(), "")


def add_code(
    steps: Steps,
    text: str,
    *,
    agent: str,
    at: datetime | None = None,
    tokens: tuple[int, int] | None = None,
    where: str = "",
) -> bool:
    """Add a message whose code is run: its words as thoughts, the code as an action. False when it has no code."""
    code = code_in(text)
    if code is None:
        return False
    if code.before:
        steps.add(StepKind.THOUGHT, code.before, agent=agent, at=at, tokens=tokens, where=where)
    if code.after:  # said before the code was run, since both came at once
        steps.add(StepKind.THOUGHT, code.after, agent=agent, at=at, where=where)
    own = None if code.before else tokens
    steps.call(code.tool, {"code": code.code}, text=code.fenced, agent=agent, at=at, tokens=own, where=where)
    return True


def add_react(
    steps: Steps,
    text: str,
    *,
    agent: str = "assistant",
    at: datetime | None = None,
    tokens: tuple[int, int] | None = None,
    where: str = "",
    lines: bool = False,
    offset: int = 0,
) -> bool:
    """Add the pieces of a ReAct text; with `lines` each step tells its line. True when its last action waits."""
    found = react.pieces(text)
    waits = False
    skip = False
    for piece, after in zip(found, [*found[1:], None], strict=True):
        if skip:
            skip = False
            continue
        place = f"line {piece.line + offset}" if lines else where
        if piece.kind == "action":
            given = after.text if after is not None and after.kind == "input" else None
            skip = given is not None
            tool, arguments = react.call_in(piece.text, given)
            if tool.lower() in ("none", "n/a", ""):
                continue
            if tool.lower() in ("finish", "final_answer", "final") and given is None:
                steps.add(StepKind.FINAL, arguments, agent=agent, at=at, where=place)
                continue
            said = piece.text if given is None else f"{piece.text}\n{given}"
            steps.call(tool, arguments, text=said, agent=agent, at=at, tokens=tokens, where=place)
            waits = True
        elif piece.kind == "observation":
            steps.result(piece.text, at=at, where=place)
            waits = False
        elif piece.text:
            steps.add(_REACT_KINDS[piece.kind], piece.text, agent=_speaker(piece, agent), at=at, where=place)
    return waits


def _speaker(piece: react.Piece, agent: str) -> str:
    return "user" if piece.kind == "task" else agent


_REACT_KINDS: Final = {
    "": StepKind.THOUGHT,
    "task": StepKind.PROMPT,
    "thought": StepKind.THOUGHT,
    "input": StepKind.THOUGHT,
    "final": StepKind.FINAL,
}


def _answers(row: Json) -> str | None:
    ids = row.get("tool_call_ids")
    if isinstance(ids, list) and ids and isinstance(ids[0], str):
        return ids[0]
    return some_text(row, "tool_call_id", "tool_use_id", "toolCallId", "call_id", "id")
