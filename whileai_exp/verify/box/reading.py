"""What do the tests check, and is all of it going to be run? Read from their text, and counted while they run.

Each assert is counted, and each function that checks something says when it is entered: a check that nobody runs must not
pay, and an assert that failed is a failure even where the tests catch it.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_EXITS = frozenset({"exit", "quit", "_exit", "abort"})
_ENTRY = frozenset({"candidate", "solution", "func", "function", "fn", "f", "entry_point"})
_OUTSIDE = frozenset({"doctest", "inspect", "multiprocessing", "subprocess", "ast", "dis", "tracemalloc"})
"""Modules by which tests look at more than the candidate's values: at its source, signature or output, or by other processes."""


class Checks:
    """The count: asserts that ran, asserts that failed, functions that check something and were entered."""

    def __init__(self) -> None:
        self.run = self.failed = 0
        self.entered: set[tuple[str, int]] = set()
        self.functions: set[tuple[str, int]] = set()
        """Functions without arguments that hold an assert."""

    def held(self, value: Any) -> bool:
        """What an assert tests, counted."""
        self.run += 1
        true = bool(value)
        self.failed += not true
        return true

    def enter(self, name: str, line: int, checks: bool) -> None:
        self.entered.add((name, line))
        self.run += checks


def line_of(node: Any) -> int:
    """The first line of a function with its decorators, as its code object has it."""
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def exits(node: ast.AST) -> bool:
    """Whether something in it raises, or ends the program."""
    for part in ast.walk(node):
        if isinstance(part, ast.Raise):
            return True
        if isinstance(part, ast.Call):
            name = (
                part.func.id
                if isinstance(part.func, ast.Name)
                else part.func.attr
                if isinstance(part.func, ast.Attribute)
                else ""
            )
            if name in _EXITS or (isinstance(part.func, ast.Attribute) and name.startswith("assert")):
                return True
    return False


def asserts(node: ast.AST) -> bool:
    """Whether something in it asserts."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        called = part.func.attr if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) else ""
        if called.startswith("assert") or called in ("raises", "fail"):
            return True
    return False


def required(node: Any) -> list[str]:
    """Parameters without a default, but for `self` and `cls`."""
    given = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    plain = given[: len(given) - len(node.args.defaults)]
    named = [a.arg for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is None]
    return [name for name in (*plain, *named) if name not in ("self", "cls")]


def unsupported_of(tree: ast.Module) -> str | None:
    """What in the tests cannot be run or seen from here. None when nothing."""
    for node in ast.walk(tree):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
            if any(a.name in ("patch", "redirect_stdout", "redirect_stderr", "getsource", "signature") for a in node.names):
                return "patch"
        if any(module.split(".")[0] in _OUTSIDE for module in modules):
            return next(module.split(".")[0] for module in modules if module.split(".")[0] in _OUTSIDE)
        if isinstance(node, ast.Attribute):
            if node.attr in ("redirect_stdout", "redirect_stderr") or (node.attr == "patch" and "mock" in ast.dump(node.value)):
                return "patch"
            if not isinstance(node.ctx, ast.Load) and node.attr in ("stdout", "stderr", "stdin", "input"):
                return "output"
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.bases and not node.name.startswith("Test"):
            methods = [n for n in node.body if isinstance(n, _FUNCTIONS) and n.name.startswith("test") and asserts(n)]
            if methods and not used_elsewhere(tree, node):
                return "class"
    return None


def used_elsewhere(tree: ast.Module, definition: Any) -> bool:
    """Whether anything outside a definition reads its name."""
    name = definition.name
    inside = {id(n) for n in ast.walk(definition)}
    return any(
        id(n) not in inside and ((isinstance(n, ast.Name) and n.id == name) or (isinstance(n, ast.Constant) and n.value == name))
        for n in ast.walk(tree)
    )


def uncalled(tree: ast.Module) -> list[Any]:
    """Functions at the top that check something, and that neither a statement, a class nor a test leads to."""
    functions = {n.name: n for n in tree.body if isinstance(n, _FUNCTIONS)}
    named = ("test", "setup_", "teardown_")
    live = [n for n in tree.body if not isinstance(n, _FUNCTIONS) or n.decorator_list or n.name.startswith(named)]
    dead = dict(functions)
    while live:
        node = live.pop()
        dead.pop(getattr(node, "name", ""), None)
        live += [dead.pop(name) for name in _mentioned(node) if name in dead]
    checking = {name for name, node in dead.items() if asserts(node) or exits(node)}
    leading = {name for name, node in dead.items() if not required(node) and _mentioned(node) & checking}
    return [node for name, node in dead.items() if name in checking | leading]


def _mentioned(node: ast.AST) -> set[str]:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def takes_candidate(node: Any) -> bool:
    """Whether a function is made to be called with the candidate's function."""
    needed = required(node)
    return len(needed) == 1 and needed[0] in _ENTRY


class Counting(ast.NodeTransformer):
    """The tests with their asserts and functions counted, and `type(x)` asked of the other side."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        node.test = _call("__held__", [node.test], node.test)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        body = ast.Module([n for n in node.body if not isinstance(n, _DEFINITIONS)], [])
        hard = asserts(body)
        soft = exits(body) and not any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(body))
        key = (node.name, line_of(node))
        self.generic_visit(node)
        if hard and not required(node):
            self.checks.functions.add(key)
        constants = [ast.Constant(part) for part in (*key, hard or soft)]
        first = next((n for n in node.body), node)
        call = ast.copy_location(ast.Expr(_call("__entered__", constants, first)), first)
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        node.body[documented:documented] = [call]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1 and not node.keywords:
            node.func.id = "__type__"
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr == "__class__" and isinstance(node.ctx, ast.Load):
            return _call("__type__", [node.value], node)
        return node


def _call(name: str, arguments: list, place: Any) -> ast.Call:
    made = ast.Call(ast.Name(name, ast.Load()), arguments, [])
    return ast.fix_missing_locations(ast.copy_location(made, place))
