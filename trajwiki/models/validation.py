"""From a parsed value to a reply: a bad item costs that item, and is reported; and the schema that asks for it."""

from __future__ import annotations

import typing
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from trajwiki.domain.problems import Problem

R = TypeVar("R", bound="ReplyModel")

REPORTED: Final = 10  # bad items of one reply that are told one by one


class ReplyModel(BaseModel):
    """Base of reply types: what is not asked for is left aside, and white space around texts goes."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True, frozen=True)


def validate(kind: type[R], value: Any) -> tuple[R | None, list[Problem]]:
    """Give the reply that a value is, with what was dropped of it; None when it is none.

    Args:
        kind: The reply type; a list of it of which no item is good makes the whole reply useless.
        value: A dict; or a list, where the type has one list and nothing else that is required.
    """
    lists = {name: _item_type(field.annotation) for name, field in kind.model_fields.items()}
    lists = {name: item for name, item in lists.items() if item is not None}
    if isinstance(value, list) and len(lists) == 1:
        value = {next(iter(lists)): value}
    if not isinstance(value, dict):
        return None, [Problem("model.reply-not-an-object", f"the reply is a {type(value).__name__}")]
    problems: list[Problem] = []
    kept = dict(value)
    for name, item in lists.items():
        if isinstance(value.get(name), list):
            kept[name] = [v for v in (_item(item, raw, name, n, problems) for n, raw in enumerate(value[name])) if v]
            if value[name] and not kept[name]:
                return None, [*problems[:REPORTED], Problem("model.reply-invalid", f"no item of “{name}” is one")]
    try:
        return kind.model_validate(kept), problems[:REPORTED]
    except ValidationError as error:
        return None, [*problems[:REPORTED], Problem("model.reply-invalid", _first(error))]


def schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    """Give the JSON schema of a reply type in the strict form: all fields required, none added, no comments."""
    made: dict[str, Any] = _strict(kind.model_json_schema())
    return made


def _item_type(annotation: Any) -> Any:
    """The type of the items of a list, or None."""
    if typing.get_origin(annotation) in (list, tuple):
        return typing.get_args(annotation)[0]
    return None


def _item(kind: Any, raw: Any, name: str, n: int, problems: list[Problem]) -> Any:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        try:
            return kind.model_validate(raw)
        except ValidationError as error:
            problems.append(Problem("model.item-invalid", f"item {n + 1} was dropped: {_first(error)}", name))
            return None
    if isinstance(raw, str):
        return raw.strip()
    problems.append(Problem("model.item-invalid", f"item {n + 1} was dropped: {type(raw).__name__}, not a text", name))
    return None


def _first(error: ValidationError) -> str:
    """Say what is wrong, without the value, which may be long and is not ours."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'reply'}: {first['msg'][:200]}"


_DROPPED: Final = frozenset({"title", "default", "minLength", "maxLength", "maxItems", "minItems", "description"})


def _strict(node: Any, *, names: bool = False) -> Any:
    """Walk a schema. `names`: the keys of this node are names of fields, not words of the schema."""
    if isinstance(node, list):
        return [_strict(part) for part in node]
    if not isinstance(node, dict):
        return node
    out = {k: _strict(v, names=k in ("properties", "$defs")) for k, v in node.items() if names or k not in _DROPPED}
    if not names and out.get("type") == "object":
        out["additionalProperties"] = False
        out["required"] = list(out.get("properties", {}))
    return out
