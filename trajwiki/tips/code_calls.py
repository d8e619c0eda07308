"""The calls of an environment's own functions in the Python code that an agent ran."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from trajwiki.domain.runs import Step

MAX_CODE: Final = 20_000  # characters; longer code is taken as one call
MAX_CALLS: Final = 20
MAX_TEXT: Final = 200  # characters of an argument that is no literal

_PYTHON: Final = ("python", "ipython", "code", "py", "python3")
_BUILTINS: Final = frozenset(dir(builtins))


def calls_in_code(step: Step) -> list[Step]:
    """Give an action with code as the actions that it calls: same number, but tool and arguments of each call.

    What the code neither made nor imported is the environment's: ``apis.mail.send(to="kim")`` is a call of
    ``mail.send``. Code in which nothing of the kind is found stays as it is.
    """
    code = step.arguments.get("code")
    if (step.tool or "").lower() not in _PYTHON or not isinstance(code, str) or len(code) > MAX_CODE:
        return [step]
    try:
        tree = ast.parse(code)
        found = list(_calls(tree))[:MAX_CALLS]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [step]
    return [replace(step, tool=tool, arguments=arguments) for tool, arguments in found] or [step]


def _calls(tree: ast.Module) -> Iterator[tuple[str, dict[str, Any]]]:
    own = _own_names(tree)
    known = _constants(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0)):
        parts = _parts(node.func)
        if not parts or parts[0] in own or parts[0] in _BUILTINS:
            continue
        tool = ".".join(parts[1:] if len(parts) > 2 else parts)
        given = {f"arg{i}": _value(arg, known) for i, arg in enumerate(node.args, start=1)}
        given |= {word.arg: _value(word.value, known) for word in node.keywords if word.arg}
        yield tool, given


def _own_names(tree: ast.Module) -> set[str]:
    """Names that the code assigns, defines, imports or takes as parameters."""
    own: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(node.name)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            own.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            own.add(node.name)
    return own


def _constants(tree: ast.Module) -> dict[str, Any]:
    """Names that are given one literal at the top of the code."""
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            literal = _literal(node.value)
            if literal is not None:
                found[node.targets[0].id] = literal
    return found


def _parts(node: ast.expr) -> list[str]:
    """The names of a dotted expression, or nothing where it is none."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [*names, node.id][::-1] if isinstance(node, ast.Name) else []


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    literal = _literal(node)
    return ast.unparse(node)[:MAX_TEXT] if literal is None else literal


def _literal(node: ast.expr) -> Any:
    """The JSON value of a literal, or None."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if _is_json(value) else None


def _is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_json(v) for v in value)
    if isinstance(value, dict):
        return all(isinstance(k, str) and _is_json(v) for k, v in value.items())
    return value is None or isinstance(value, str | int | float | bool)
