"""The tests' box: collect the hidden tests, run them in order, and say how many passed."""

from __future__ import annotations

import ast
import builtins
import sys
import types

from .ask import Asker
from .pytest_names import pytest_stand_in
from .wire import Channel, Ended, builtin_name, run_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OWN_MODULES = ("solution", "candidate", "submission", "answer", "main", "solve")


def tests_main(channel: Channel, tests: str) -> dict:
    """Run the tests. `{"passed": n, "total": n, "reason": …}`; total 0 when there is no test."""
    try:
        tree = ast.parse(tests)
    except (SyntaxError, ValueError):
        return {"passed": 0, "total": 0, "reason": "tests_invalid"}
    try:
        loaded = channel.receive()
    except (EOFError, OSError):
        return {"passed": 0, "total": 1, "reason": "candidate_ended"}
    except (ValueError, RecursionError):
        return {"passed": 0, "total": 1, "reason": "invalid_result"}
    failed = loaded.get("load", "Exception") if type(loaded) is dict else "Exception"
    if failed is not None:
        known = isinstance(getattr(builtins, str(failed), None), type)
        return {
            "passed": 0,
            "total": 1,
            "reason": "candidate_ended" if failed == "ended" else f"load_error:{failed if known else 'Exception'}",
        }
    asker = Asker(channel)
    namespace = {"__name__": "tests", "__builtins__": builtins}
    bind(tree, asker, namespace)
    return Suite(tree, asker, namespace).run()


def bind(tree: ast.Module, asker: Asker, namespace: dict) -> None:
    """Stand-ins for the names that the tests use and nobody else defines."""
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    stored |= {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    stored |= {a.arg for n in ast.walk(tree) if isinstance(n, ast.arguments) for a in (*n.args, *n.posonlyargs, *n.kwonlyargs)}
    stored |= {
        (a.asname or a.name).split(".")[0] for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names
    }
    used = dict.fromkeys(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    for name in used:
        if name not in stored and not hasattr(builtins, name):
            try:
                namespace[name] = asker.ask({"op": "get", "name": name})[0]
            except Ended as ended:
                if ended.reason != "missing_name":
                    raise

    class Own(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return asker.ask({"op": "get", "name": name})[0]

    for name in _OWN_MODULES:
        sys.modules.setdefault(name, Own(name))
    if "pytest" not in sys.modules:
        sys.modules["pytest"] = pytest_stand_in()


class Suite:
    """The tests in order: statements that assert, test functions, and unittest cases. Each counts once."""

    def __init__(self, tree: ast.Module, asker: Asker, namespace: dict) -> None:
        self.tree, self.asker, self.namespace = tree, asker, namespace
        self.passed = self.total = 0
        self.reason = "pass"

    def run(self) -> dict:
        helpers = {
            n.name
            for n in self.tree.body
            if isinstance(n, ast.FunctionDef) and any(isinstance(x, ast.Assert) for x in ast.walk(n))
        }
        try:
            for statement in self.tree.body:
                self._statement(statement, helpers)
            for name, value in list(self.namespace.items()):
                if name.startswith("test") and isinstance(value, types.FunctionType):
                    self._function(value)
                elif isinstance(value, type) and value.__module__ == "tests":
                    self._class(value)
        except Ended as ended:
            self._fail(ended.reason)
            self.reason = ended.reason
            return {"passed": 0, "total": self.total, "reason": self.reason}
        return {"passed": self.passed, "total": self.total, "reason": self.reason}

    def _statement(self, statement: ast.stmt, helpers: set[str]) -> None:
        is_definition = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        asserts = not is_definition and any(isinstance(n, ast.Assert) for n in ast.walk(statement))
        calls = not is_definition and any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in helpers for n in ast.walk(statement)
        )
        body = ast.Module([statement], [])
        self._one(lambda: run_code(body, "tests", self.namespace), counts=asserts or calls)

    def _function(self, function) -> None:
        cases = getattr(function, "_cases", [{}])
        code = function.__code__
        needed = code.co_argcount - len(function.__defaults__ or ())
        for case in cases:
            if needed <= len(case):
                self._one(lambda case=case: function(**case))

    def _class(self, kind: type) -> None:
        import unittest

        if issubclass(kind, unittest.TestCase):
            for name in unittest.TestLoader().getTestCaseNames(kind):
                self._one(lambda name=name: self._unittest(kind, name))
        elif kind.__name__.startswith("Test"):
            for name in [n for n in vars(kind) if n.startswith("test")]:
                self._one(lambda name=name: getattr(kind(), name)())

    def _unittest(self, kind: type, name: str) -> None:
        case = kind(name)
        kind.setUpClass()
        case.setUp()
        try:
            getattr(case, name)()
        finally:
            case.tearDown()

    def _one(self, test, *, counts: bool = True) -> None:
        """Run one test. What only prepares counts when it fails."""
        self.asker.raised = None
        try:
            test()
        except Ended as ended:
            if ended.reason != "missing_name" and ended.reason != "invalid_result":
                raise
            self._fail(ended.reason)
        except NameError as error:
            self._fail(
                "missing_name" if self.asker.raised is None and error.name else f"raised:{self.asker.raised or 'NameError'}"
            )
        except (ImportError, MemoryError) as error:
            if self.asker.raised is None:
                raise Ended("tests_error") from error
            self._fail(f"raised:{self.asker.raised}")
        except BaseException as error:
            own = self.asker.raised is not None and builtin_name(error) == self.asker.raised
            self._fail(f"raised:{self.asker.raised}" if own and not isinstance(error, AssertionError) else "wrong_answer")
        else:
            self.passed += counts
            self.total += counts

    def _fail(self, reason: str) -> None:
        self.total += 1
        if self.reason == "pass":
            self.reason = reason
