"""The tests' box: collect the hidden tests, run them in order, and say how many passed."""

from __future__ import annotations

import ast
import builtins
import importlib
import os
import sys
import threading
import types

from .ask import Asker
from .fixtures import Fixtures, arguments_of, finish, finished
from .names import free_names
from .pytest_names import Skipped, pytest_stand_in
from .reading import Checks, Counting, exits, takes_candidate, uncalled, unsupported_of
from .stand import is_stand
from .wire import Channel, Ended, builtin_name, run_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OWN_MODULES = ("solution", "candidate", "submission", "answer", "main", "solve")
_MODULE = "__main__"


def tests_main(channel: Channel, tests: str) -> dict:
    """Run the tests. `{"passed": n, "total": n, "reason": …}`; total 0 when there is no test."""
    try:
        tree = ast.parse(tests)
    except (SyntaxError, ValueError):
        return {"passed": 0, "total": 0, "reason": "tests_invalid"}
    outside = unsupported_of(tree)
    if outside is not None:
        return {"passed": 0, "total": 1, "reason": f"unsupported:{outside}"}
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
    asker, checks = Asker(channel), Checks()
    asker.expects_exit = _expects_exit(tree)
    module = types.ModuleType(_MODULE)
    sys.modules[_MODULE] = module
    bind(tree, asker, checks, module.__dict__)
    return Suite(tree, asker, checks, module.__dict__).run()


def _expects_exit(tree: ast.Module) -> bool:
    raised = {id(n) for r in ast.walk(tree) if isinstance(r, ast.Raise) for n in ast.walk(r)}
    return any(isinstance(n, ast.Name) and n.id == "SystemExit" and id(n) not in raised for n in ast.walk(tree))


def bind(tree: ast.Module, asker: Asker, checks: Checks, namespace: dict) -> None:
    """Stand-ins for what the candidate should bring, the library's own names, and a world where nothing leaves the box."""
    import unittest

    def leave(code: Any = None) -> None:
        raise SystemExit(code)

    def kind_of(value: Any) -> Any:
        return asker.do("type", value) if is_stand(value) else type(value)

    os._exit = os.abort = leave  # type: ignore[assignment]
    unittest.main = lambda *a, **k: types.SimpleNamespace(result=unittest.TestResult())  # type: ignore[assignment,misc]
    sys.modules["pytest"] = pytest_stand_in(checks, lambda what: asker.end(f"unsupported:{what}"))
    namespace.update(__builtins__=builtins, __file__="tests.py", exit=leave, quit=leave)
    namespace.update(__held__=checks.held, __entered__=checks.enter, __type__=kind_of)
    free, library = free_names(tree)
    for name, (module, member) in library.items():
        found = importlib.import_module(module)
        namespace[name] = found if member is None else getattr(found, member)
    for name in free:
        try:
            namespace[name] = asker.get(name)
        except Ended as ended:
            if ended.reason != "missing_name":
                raise
            asker.ended = None

    class Own(types.ModuleType):
        __all__ = free

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return asker.get(name)

    for name in _OWN_MODULES:
        sys.modules.setdefault(name, Own(name))


class Suite:
    """The tests in order: statements that check, test functions, and classes. Each counts once."""

    def __init__(self, tree: ast.Module, asker: Asker, checks: Checks, namespace: dict) -> None:
        self.uncalled = uncalled(tree)
        self.exits = {id(n) for n in tree.body if not isinstance(n, _DEFINITIONS) and exits(n)}
        self.future = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
        self.free = free_names(tree)[0]
        self.tree, self.asker, self.checks, self.namespace = Counting(checks).visit(tree), asker, checks, namespace
        self.passed = self.total = self.skipped = 0
        self.reason = "pass"
        self.stray: list[BaseException] = []
        threading.excepthook = lambda told: self.stray.append(told.exc_value or Exception())

    def run(self) -> dict:
        try:
            self._statements()
            self._leftover()
            self._collected()
            self._one(lambda: finish(self.fixtures.at_end), counts=_never)
            self._one(_joined, counts=_never)
            if self.reason == "pass" and not self.skipped and self.checks.functions - self.checks.entered:
                raise Ended("unsupported:unrun")
        except Ended as ended:
            return {"passed": 0, "total": self.total + 1, "reason": ended.reason}
        if self.asker.ended is not None and self.asker.ended.startswith("unsupported"):
            return {"passed": 0, "total": self.total, "reason": self.asker.ended}
        return {"passed": self.passed, "total": self.total, "reason": self.reason}

    def _statements(self) -> None:
        for number, statement in enumerate(self.tree.body):
            if self._run(statement):
                rest = self.tree.body[number + 1 :]
                if self.reason == "pass" and any(isinstance(n, ast.Assert) or id(n) in self.exits for n in rest):
                    raise Ended("unsupported:exit")
                for later in rest:
                    if isinstance(later, _DEFINITIONS):
                        self._run(later)
                return

    def _run(self, statement: ast.stmt) -> bool:
        """Run a statement of the module; whether it ended the program. It is a test when it checked something."""
        before = self.checks.run
        body = ast.Module([*self.future, statement], [])
        return self._one(
            lambda: run_code(body, _MODULE, self.namespace),
            counts=lambda: self.checks.run > before or (id(statement) in self.exits and self.asker.calls > 0),
        )

    def _leftover(self) -> None:
        """Functions that check something and that nobody calls: called with the candidate as their form asks, or unsupported."""
        for node in self.uncalled:
            function = self.namespace.get(node.name)
            if takes_candidate(node) and type(function) is types.FunctionType:
                if len(self.free) != 1:
                    raise Ended("unsupported:entry")
                self._one(lambda function=function: function(self.namespace[self.free[0]]))
            elif not node.args.args or node.name.startswith(("check", "verify", "validate")):
                raise Ended("unsupported:unrun")

    def _collected(self) -> None:
        self.fixtures = Fixtures(lambda what: self.asker.end(f"unsupported:{what}")).add(self.namespace)
        values = list(self.namespace.items())
        self._around(self.namespace, "setup_module")
        for name, value in values:
            if isinstance(value, type) and value.__module__ == _MODULE:
                self._class(value, self.fixtures)
            elif name.startswith("test") and callable(value) and not is_stand(value) and not hasattr(value, "_fixture"):
                self._function(name, value)
        self._around(self.namespace, "teardown_module")

    def _function(self, name: str, value: Any) -> None:
        if isinstance(value, type) or (type(value) is not types.FunctionType and not name.startswith("test_")):
            return
        if type(value) is not types.FunctionType:
            self._one(lambda: self._finish(value()))
            return
        if getattr(value, "_skipped", False):
            self.skipped += 1
            return
        code = value.__code__
        before = self.namespace.get("setup_function"), self.namespace.get("teardown_function")
        needs = arguments_of(value)
        entered = (code.co_name, code.co_firstlineno) in self.checks.entered
        known = needs and all(n in self.fixtures.found or n in ("tmp_path", "request") for n in needs)
        if entered and not known and not hasattr(value, "_cases"):
            return
        if len(needs) == 1 and needs[0] == "candidate" and len(self.free) == 1 and "candidate" not in self.fixtures.found:
            self._one(lambda: self._finish(value(self.namespace[self.free[0]])))
            return
        self._cases(value, None, self.fixtures, [{}], before)

    def _cases(self, function: Any, make: Any, fixtures: Fixtures, outer: list[dict], around: tuple) -> None:
        """Run a function once for each of its cases and each parameter of its fixtures."""
        if getattr(function, "_unsupported", None):
            raise Ended(f"unsupported:{function._unsupported}")
        needs = arguments_of(function)
        for case in [{**a, **b} for a in outer for b in getattr(function, "_cases", [{}])]:
            if any(name not in function.__code__.co_varnames for name in case):
                raise Ended("unsupported:parametrize")
            order = fixtures.closure([n for n in needs if n not in case])
            for chosen in fixtures.choices(order):
                self._one(lambda case=case, chosen=chosen: self._call(function, make, fixtures, case, chosen, around))

    def _call(self, function: Any, make: Any, fixtures: Fixtures, case: dict, chosen: dict, around: tuple) -> None:
        instance = make() if make is not None else None
        made, close = dict(case), []
        before, after = around
        try:
            if before is not None:
                _with_optional(before, function if instance is None else getattr(instance, function.__name__), instance)
            for name in fixtures.closure([n for n in arguments_of(function) if n not in case]):
                fixtures.give(name, instance, chosen, made, close)
            given = {n: made[n] if n in made else fixtures.give(n, instance, chosen, made, close) for n in arguments_of(function)}
            given.update(case)
            owner = [instance] if instance is not None and not isinstance(function, staticmethod) else []
            self._finish(function(*owner, **given))
        finally:
            finish(close)
            if after is not None:
                _with_optional(after, function, instance)

    def _finish(self, value: Any) -> None:
        """What a test gave back: a coroutine and a generator are run; False is a failure."""
        if type(value) is types.CoroutineType:
            value = finished(value)
        if type(value) is types.GeneratorType:
            for step in value:
                if callable(step):
                    step = (step,)
                if type(step) is tuple and step and callable(step[0]):
                    self._finish(step[0](*step[1:]))
        elif type(value) is types.AsyncGeneratorType:
            raise self.asker.end("unsupported:generator")
        assert value is not False, "the test gave False"

    def _class(self, kind: type, fixtures: Fixtures) -> None:
        import unittest

        if issubclass(kind, unittest.TestCase):
            from .cases import run_cases

            run_cases(kind, self)
            return
        tests = [n for part in reversed(kind.__mro__) for n in vars(part) if n.startswith("test")]
        if not kind.__name__.startswith("Test") or not tests:
            return
        if "__init__" in vars(kind) or any(hasattr(kind, n) for n in ("pytestmark", "_unsupported")):
            raise Ended("unsupported:class")
        if getattr(kind, "_skipped", False):
            self.skipped += 1
            return
        inner = fixtures.add({n: getattr(kind, n) for n in dir(kind) if not n.startswith("__")})
        self._around({n: getattr(kind, n) for n in ("setup_class", "teardown_class") if hasattr(kind, n)}, "setup_class")
        around = [getattr(kind, n, None) or getattr(kind, short, None) for n, short in _METHODS]
        for name in dict.fromkeys(tests):
            function = getattr(kind, name)
            if getattr(function, "_skipped", False):
                self.skipped += 1
            elif type(function) is types.FunctionType and type(_raw(kind, name)) is types.FunctionType:
                self._cases(function, kind, inner, kind.__dict__.get("_cases", [{}]), tuple(around))
            elif callable(function):
                self._one(lambda function=function: self._finish(function()))
        self._around({n: getattr(kind, n) for n in ("setup_class", "teardown_class") if hasattr(kind, n)}, "teardown_class")

    def _around(self, names: dict, name: str) -> None:
        function = names.get(name)
        if callable(function) and not is_stand(function):
            self._one(lambda: _with_optional(function, None, None), counts=_never)

    def _one(self, test: Callable[[], Any], *, counts: Callable[[], bool] | None = None) -> bool:
        """Run one test; whether it ended the program without a failure. What only prepares counts when it fails."""
        self.asker.raised = None
        failed, calls, error = self.checks.failed, self.asker.calls, None
        try:
            test()
        except BaseException as met:
            error = met
        if isinstance(error, Skipped):
            self.left_out(calls)
            return False
        return self.settle(error, failed, counts)

    def left_out(self, calls: int) -> None:
        """A test that skipped itself: before it asked anything of the candidate, or its verdict would be the candidate's."""
        if self.asker.calls > calls:
            raise Ended("unsupported:skip")
        self.skipped += 1

    def settle(self, error: BaseException | None, failed: int, counts: Callable[[], bool] | None = None) -> bool:
        """Count a test that ended with this error, or with none."""
        if isinstance(error, Ended) or self.asker.ended is not None:
            reason = error.reason if isinstance(error, Ended) else str(self.asker.ended)
            if reason not in ("missing_name", "invalid_result"):
                raise Ended(reason)
            self.asker.ended = None
            self._fail(reason)
            return False
        if self.stray:
            error = self.stray[0]
            self.stray.clear()
        if type(error) is SystemExit and error.code in (None, 0, False):
            error = None
            if self.checks.failed == failed:
                self._pass(counts)
                return True
        if error is None and self.checks.failed > failed:
            error = AssertionError()
        if error is None:
            self._pass(counts)
        else:
            self._fail(self._reason(error))
        return False

    def _pass(self, counts: Callable[[], bool] | None) -> None:
        counted = counts is None or counts()
        self.passed += counted
        self.total += counted

    def _reason(self, error: BaseException) -> str:
        raised = self.asker.raised
        if isinstance(error, NameError) and raised is None and error.name:
            return "missing_name"
        if isinstance(error, (ImportError, MemoryError)) and raised is None:
            raise Ended("tests_error") from error
        own = raised is not None and builtin_name(error) in (raised, "RuntimeError")
        return f"raised:{raised}" if own and not isinstance(error, AssertionError) else "wrong_answer"

    def _fail(self, reason: str) -> None:
        self.total += 1
        if self.reason == "pass":
            self.reason = reason


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_METHODS = (("setup_method", "setup"), ("teardown_method", "teardown"))


def _joined() -> None:
    """Wait for threads that tests left running: what they assert counts."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _never() -> bool:
    return False


def _raw(kind: type, name: str) -> Any:
    return next((vars(part)[name] for part in kind.__mro__ if name in vars(part)), None)


def _with_optional(function: Any, argument: Any, instance: Any) -> None:
    """Call a set-up function, which may or may not take what it sets up."""
    owner = [instance] if instance is not None else []
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    bound = len(owner) + (hasattr(function, "__self__"))
    function(*owner, *([argument] if code is not None and code.co_argcount > bound else []))
