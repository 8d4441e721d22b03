"""What is the value of an expression a model wrote? Bounded arithmetic: it never hangs and never runs code.

Expressions are parsed to a syntax tree and only numbers, + - * / // % **, parentheses, sqrt, abs, round, min and max
are worked out, on exact integers and floats of a bounded size.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from typing import Any

_MAX_CHARS = 500
_MAX_DEPTH = 60
_CLEAN = str.maketrans({"×": "*", "÷": "/", "−": "-", "–": "-", "，": ",", "（": "(", "）": ")", "^": "^"})  # noqa: RUF001
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": math.sqrt, "abs": abs, "round": round, "min": min, "max": max}
Number = int | float


class ArithmeticProblem(ValueError):
    """The expression cannot be worked out; the message says why, for the model."""


def calculate(expression: str, max_digits: int) -> Number:
    """The value. ArithmeticProblem for what is not arithmetic, divides by zero, or grows beyond `max_digits` digits."""
    text = expression.translate(_CLEAN).replace("^", "**").strip().rstrip("=").lstrip("=").strip()
    if "max(" not in text and "min(" not in text:
        text = _THOUSANDS.sub("", text)
    if not text or len(text) > _MAX_CHARS:
        raise ArithmeticProblem(f"an expression of 1 to {_MAX_CHARS} characters is needed")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ArithmeticProblem("this is not an arithmetic expression") from error
    value = _value(tree.body, 10**max_digits, 0)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ArithmeticProblem("the result is not a finite number")
        value = round(value, 10)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def _value(node: ast.AST, limit: int, depth: int) -> Number:
    if depth > _MAX_DEPTH:
        raise ArithmeticProblem("the expression is nested too deeply")
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return _bounded(node.value, limit)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        value = _value(node.operand, limit, depth + 1)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, limit, depth + 1), _value(node.right, limit, depth + 1)
        return _bounded(_binary(node.op, left, right, limit), limit)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords:
        values = [_value(item, limit, depth + 1) for item in node.args]
        return _bounded(_called(node.func.id, values), limit)
    raise ArithmeticProblem("only numbers, + - * / // % **, parentheses and sqrt, abs, round, min, max are allowed")


def _called(name: str, values: list[Number]) -> Number:
    try:
        if name == "round" and len(values) == 2:
            return round(values[0], max(-300, min(300, int(values[1]))))
        return _FUNCTIONS[name](*values)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArithmeticProblem(f"{name} cannot take these values") from error


def _binary(op: ast.operator, left: Number, right: Number, limit: int) -> Number:
    try:
        if isinstance(op, ast.Add):
            return left + right
        if isinstance(op, ast.Sub):
            return left - right
        if isinstance(op, ast.Mult):
            return left * right
        if isinstance(op, ast.Div):
            exact = isinstance(left, int) and isinstance(right, int) and right != 0 and left % right == 0
            return left // right if exact else left / right
        if isinstance(op, ast.FloorDiv):
            return left // right
        if isinstance(op, ast.Mod):
            return left % right
        if isinstance(op, ast.Pow):
            return _power(left, right, limit)
    except ZeroDivisionError as error:
        raise ArithmeticProblem("division by zero") from error
    except OverflowError as error:
        raise ArithmeticProblem("the result is too large") from error
    raise ArithmeticProblem("only + - * / // % ** are allowed")


def _power(base: Number, exponent: Number, limit: int) -> Number:
    """A power, refused before it is computed when it would be too large."""
    if abs(base) > 1 and abs(exponent) * math.log10(abs(base)) > math.log10(limit):
        raise ArithmeticProblem("the result is too large")
    value: Any = base**exponent
    if isinstance(value, complex):
        raise ArithmeticProblem("the result is not a real number")
    return value


def _bounded(value: Number, limit: int) -> Number:
    if abs(value) > limit:
        raise ArithmeticProblem("the number is too large")
    return value
