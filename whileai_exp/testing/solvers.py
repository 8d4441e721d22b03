"""Two small policies that solve what they are asked, more or less often: for experiments with verifiers, offline.

Each task has a difficulty of its own, drawn from its id, and each repeat its own luck, so that pass rates differ between
tasks and groups are mixed. They play the part of a model under training; they are no model.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from .._rng import Rng
from ..ports import ChatRequest, Reply
from ..schema import Usage

_OPERATIONS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class Solver:
    """A policy that knows the answer with a chance that depends on the task (`ports.ChatModel`)."""

    deterministic = True

    def __init__(self, model: str, right: Callable[[str], str | None], wrong: Callable[[str, Any], str]) -> None:
        """`right`: the answer to an ask, None when it cannot be read; `wrong`: a mistake, from the ask and a random stream."""
        self.model = model
        self._right = right
        self._wrong = wrong

    async def complete(self, request: ChatRequest) -> Reply:
        asked = next(str(m["content"]) for m in reversed(request.messages) if m["role"] == "user")
        address = request.address
        chance = 0.15 + 0.8 * Rng(0).at(self.model, address.task_id).uniform(0.0, 1.0)
        stream = Rng(0).at(self.model, address.task_id, address.repeat)
        right = self._right(asked)
        text = right if right is not None and stream.uniform(0.0, 1.0) < chance else self._wrong(asked, stream)
        return Reply(text, usage=Usage(len(asked) // 4, len(text) // 4), model=self.model)

    async def aclose(self) -> None:
        return None


def value_of(expression: str) -> int:
    """The value of an expression of whole numbers with + - * // %. ValueError for anything else."""

    def walk(node: ast.AST) -> int:
        if isinstance(node, ast.Expression):
            return walk(node.body)
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](walk(node.left), walk(node.right))
        raise ValueError(f"{ast.dump(node)[:60]} is not arithmetic")

    return walk(ast.parse(expression, mode="eval"))


def _expression(asked: str) -> str | None:
    found = re.search(r"`([^`]+)`", asked)
    return found[1] if found else None


def _computed(asked: str) -> str | None:
    expression = _expression(asked)
    if expression is None:
        return None
    return f"Working from the inside out, `{expression}` comes to {value_of(expression)}.\n\nThe answer is \\boxed{{{value_of(expression)}}}."


def _slipped(asked: str, stream: Any) -> str:
    expression = _expression(asked)
    if expression is None:
        return "I cannot read the expression."
    kinds = (
        lambda value: f"The answer is \\boxed{{{value + stream.choice((-10, -1, 1, 10))}}}.",
        lambda value: f"It is about {value + stream.choice((-7, 3, 9))}.",
        lambda value: "I am not sure.",
    )
    return stream.choice(kinds)(value_of(expression))


_PROGRAMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "is_palindrome": (
        "def is_palindrome(text):\n    kept = [c.lower() for c in text if c.isalnum()]\n    return kept == kept[::-1]",
        ("def is_palindrome(text):\n    return text == text[::-1]", "def is_palindrome(text):\n    return True"),
    ),
    "run_lengths": (
        "def run_lengths(text):\n    out = []\n    for c in text:\n        if out and out[-1][0] == c:\n            out[-1] = (c, out[-1][1] + 1)\n        else:\n            out.append((c, 1))\n    return out",
        (
            "def run_lengths(text):\n    return [(c, text.count(c)) for c in dict.fromkeys(text)]",
            "def run_lengths(text):\n    return []",
        ),
    ),
    "merge_sorted": (
        "def merge_sorted(a, b):\n    return sorted([*a, *b])",
        ("def merge_sorted(a, b):\n    return [*a, *b]", "def merge_sorted(a, b):\n    return sorted({*a, *b})"),
    ),
    "digit_sum": (
        "def digit_sum(n):\n    return sum(int(d) for d in str(abs(n)))",
        ("def digit_sum(n):\n    return sum(int(d) for d in str(n))", "def digit_sum(n):\n    return n % 9"),
    ),
    "flatten": (
        "def flatten(items):\n    out = []\n    for item in items:\n        out.extend(flatten(item)) if isinstance(item, list) else out.append(item)\n    return out",
        ("def flatten(items):\n    return [x for item in items for x in (item if isinstance(item, list) else [item])]",),
    ),
    "nth_prime": (
        "def nth_prime(n):\n    found, candidate = [], 2\n    while len(found) < n:\n        if all(candidate % p for p in found):\n            found.append(candidate)\n        candidate += 1\n    return found[-1]",
        ("def nth_prime(n):\n    return [2, 3, 5, 7, 11][n - 1]", "def nth_prime(n):\n    return 2 * n - 1"),
    ),
    "word_counts": (
        "def word_counts(text):\n    out = {}\n    for word in text.lower().split():\n        out[word] = out.get(word, 0) + 1\n    return out",
        (
            "def word_counts(text):\n    out = {}\n    for word in text.split():\n        out[word] = out.get(word, 0) + 1\n    return out",
        ),
    ),
    "rotate": (
        "def rotate(items, k):\n    if not items:\n        return []\n    k %= len(items)\n    return items[-k:] + items[:-k] if k else list(items)",
        ("def rotate(items, k):\n    return items[k:] + items[:k]", "def rotate(items, k):\n    return items[-k:] + items[:-k]"),
    ),
}


def _fenced(source: str) -> str:
    return f"```python\n{source}\n```"


def _name(asked: str) -> str | None:
    found = re.search(r"`(\w+)\(", asked)
    return found[1] if found and found[1] in _PROGRAMS else None


def _program(asked: str) -> str | None:
    name = _name(asked)
    return _fenced(_PROGRAMS[name][0]) if name else None


def _buggy(asked: str, stream: Any) -> str:
    name = _name(asked)
    return _fenced(stream.choice(_PROGRAMS[name][1])) if name else "I do not know how."


arithmetic = Solver("embedded-arithmetic", _computed, _slipped)
"""Answers asks that hold an expression in backticks."""
programmer = Solver("embedded-programmer", _program, _buggy)
"""Writes the functions of the `code` experiment."""
