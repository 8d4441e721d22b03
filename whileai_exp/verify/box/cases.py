"""Runs a `unittest.TestCase` as unittest does, with its set-up, sub-tests and async tests, and counts each test once."""

from __future__ import annotations

import unittest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .tests import Suite


class Result(unittest.TestResult):
    """Hands each test's first error to the suite. Errors are kept as they are, never written out."""

    def __init__(self, suite: Suite) -> None:
        super().__init__()
        self.suite = suite
        self.error: BaseException | None = None
        self.before = self.calls = 0
        self.left_out = False

    def startTest(self, test: Any) -> None:
        self.suite.asker.raised = None
        self.error, self.before, self.left_out = None, self.suite.checks.failed, False
        self.calls = self.suite.asker.calls

    def stopTest(self, test: Any) -> None:
        if self.left_out and self.error is None and self.suite.asker.ended is None:
            self.suite.left_out(self.calls)
        else:
            self.suite.settle(self.error, self.before)

    def addError(self, test: Any, err: Any) -> None:
        self.error = self.error or err[1]
        if not isinstance(test, unittest.TestCase):
            self.suite.settle(err[1], self.suite.checks.failed)

    addFailure = addError

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self.error = self.error or err[1]

    def addSkip(self, test: Any, reason: str) -> None:
        self.left_out = True
        if not isinstance(test, unittest.TestCase):
            self.suite.skipped += 1

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self.left_out, self.calls = True, self.suite.asker.calls
        self.suite.checks.failed = self.before

    def addUnexpectedSuccess(self, test: Any) -> None:
        self.error = self.error or AssertionError()


def run_cases(kind: type, suite: Suite) -> None:
    """Run all tests of a class, `runTest` too."""
    loader = unittest.TestLoader()
    names = loader.getTestCaseNames(kind)
    if not names and hasattr(kind, "runTest"):
        names = ["runTest"]
    unittest.TestSuite([kind(name) for name in names]).run(Result(suite))
