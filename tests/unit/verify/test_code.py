"""CodeExec: extraction, what tests see, what crosses between the boxes, and who gets paid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox_check import CORPUS, NEEDS_PROCESSES, check, corpus
from whileai_exp.errors import ConfigError
from whileai_exp.schema import Privileged
from whileai_exp.verify import CodeExec
from whileai_exp.verify._extract import code_of
from whileai_exp.verify._levels import held, level_of_this_machine
from whileai_exp.verify.box.wire import Foreign, decode, encode

TESTS = "assert solve(3) == 14\ndef test_ten():\n    assert solve(10) == 385\n"
RIGHT = "def solve(n):\n    return n * (n + 1) * (2 * n + 1) // 6\n"
boxed = pytest.mark.skipif(level_of_this_machine()[0] < 2, reason=f"no containment here: {level_of_this_machine()[1]}")


def told(reply: str, tests: str = TESTS, **settings: Any) -> dict[str, Any]:
    return CodeExec(**settings)({"final_text": reply, "privileged": Privileged(tests=tests)})


@pytest.mark.parametrize(
    ("reply", "has"),
    [
        (f"```python\n{RIGHT}```", "def solve"), (f"Sure:\n~~~Py3 title=x\n{RIGHT}~~~\nDone", "def solve"), (RIGHT.replace("\n", "\r\n"), "def solve"),
        (f"```python\n{RIGHT}```\n```\nsolve(3) == 14\n```", "def solve"), (f"```bash\nls\n```\n```\n{RIGHT}```", "def solve"),
        ('```python\ndef solve(n):\n    """\n    ```\n    x\n    ```\n    """\n    return 1\n```', "return 1"), (f"```python\n{RIGHT}", "def solve"),
        ("```python\nimport math\ndef helper(n):\n    return n\n```\nthen\n```python\ndef solve(n):\n    return helper(n)\n```", "def solve"),
    ],
)  # fmt: skip
def test_the_program_is_found_however_it_is_fenced(reply: str, has: str) -> None:
    found = code_of(reply, ("solve",))
    assert found is not None and has in found and "```python" not in found


def test_prose_is_no_program() -> None:
    assert code_of("I cannot do that.") is None and code_of("") is None


def test_values_cross_as_what_they_are_and_nothing_else_does() -> None:
    class Sly(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    values = [
        None,
        True,
        2**200,
        -0.1,
        float("inf"),
        1 + 2j,
        "é\ud800",
        b"\x00",
        [1, (2, {3})],
        {"a": frozenset({1})},
        {(1, 2): 3},
    ]
    for value in values:
        back = decode(json.loads(json.dumps(encode(value, lambda item: 0))), lambda n: n)
        assert back == value and type(back) is type(value)
    assert type(decode(encode(Sly(3), lambda item: 0), lambda n: n)) is int
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(Foreign):
        encode(deep, lambda item: 0)
    for bad in ("x", [], ["z", 1], ["i", 3], ["l", "x"], ["b", 1], ["s"]):
        with pytest.raises((ValueError, TypeError)):
            decode(bad, lambda n: n)


def test_settings_and_rows_that_cannot_be() -> None:
    with pytest.raises(ConfigError, match="min_level"):
        CodeExec(min_level=4)
    assert CodeExec()({"final_text": RIGHT})["reward"] is None
    below = (
        told(RIGHT, level=3, min_level=3) if level_of_this_machine()[0] < 3 else {"reward": None, "reason": "sandbox_unavailable"}
    )
    assert below["reward"] is None and below["reason"].startswith("sandbox_unavailable")


@boxed
@pytest.mark.parametrize(
    ("reply", "reward", "reason"),
    [
        (RIGHT, 1.0, "pass"), ("def solve(n):\n    return -1", 0.0, "wrong_answer"), ("import sys\nsys.exit(0)", 0.0, "candidate_ended"),
        ("def solve(n):\n    raise SystemExit(0)", 0.0, "candidate_ended"), ("x = 1", 0.0, "missing_name"), ("def solve(n):\n    return 1 / 0", 0.0, "raised:ZeroDivisionError"),
        ("import nothing_here", 0.0, "load_error:ModuleNotFoundError"), ("I cannot.", 0.0, "no_code"),
        ("class Secret14(Exception): pass\ndef solve(n):\n    raise Secret14()", 0.0, "raised:Exception"),
    ],
)  # fmt: skip
def test_verdicts_in_a_closed_vocabulary(reply: str, reward: float, reason: str) -> None:
    found = told(reply)
    assert (found["reward"], found["reason"]) == (reward, reason) and found["sandbox_level"] >= 2


@boxed
def test_kinds_of_tests_are_collected_and_no_test_is_no_verdict() -> None:
    unit = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(solve(3), 14)\n    def test_b(self):\n        self.assertEqual(solve(3), 15)\n"
    assert told(RIGHT, unit, partial=True)["reward"] == 0.5
    parametrised = "import pytest\n@pytest.mark.parametrize('n,want', [(3, 14), (10, 385), (1, 2)])\ndef test_it(n, want):\n    assert solve(n) == want\n"
    assert told(RIGHT, parametrised, partial=True)["reward"] == pytest.approx(2 / 3)
    helper = "def check(candidate):\n    assert candidate(3) == 14\ncheck(solve)\n"
    assert told(RIGHT, helper)["reward"] == 1.0
    assert told(RIGHT, "x = 1\n")["reward"] is None and told(RIGHT, "assert (")["reward"] is None
    raising = "import pytest\ndef test_it():\n    with pytest.raises(ValueError):\n        solve(-1)\n"
    assert told("def solve(n):\n    raise ValueError('no')", raising)["reward"] == 1.0 and told(RIGHT, raising)["reward"] == 0.0


@boxed
def test_objects_iterators_and_lists_changed_in_place_work_across_boxes() -> None:
    stack = "class Stack:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def pop(self): return self.items.pop()\n"
    assert told(stack, "s = Stack()\ns.push(4)\nassert s.pop() == 4 and s.items == []\n")["reward"] == 1.0
    assert told("def sort(xs):\n    xs.sort()", "a = [3, 1, 2]\nsort(a)\nassert a == [1, 2, 3]\n")["reward"] == 1.0
    assert told("def up(n):\n    yield from range(n)", "assert list(up(3)) == [0, 1, 2]\n")["reward"] == 1.0
    callback = told("def apply(f): return f(1)", "assert apply(lambda x: x) == 1\n")
    assert callback["reward"] is None and callback["reason"] == "unsupported"


@boxed
def test_endless_work_ends_and_endless_output_is_never_kept() -> None:
    spin = told("def solve(n):\n    while True:\n        pass", cpu_s=0.3, timeout_s=6)
    assert spin["reward"] == 0.0 and spin["reason"] in ("timeout_cpu", "timeout")
    loud = told("print('é' * 1000000)\n" + RIGHT)
    assert loud["reward"] == 1.0 and len(str(loud)) < 500


@boxed
@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize(
    "program", [p for p in corpus() if p.kind in ("early-exit", "fool-compare", "forge", "read-tests")][::3], ids=lambda p: p.name
)
def test_some_hostile_programs_are_not_paid(program: Any, level: int) -> None:
    if held(level):
        pytest.skip(f"level {level}: {held(level)}")
    assert check(program, json.loads((CORPUS / "tests.json").read_text("utf-8")), level)[0] in ([], ["late"])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("level", [2, 3])
def test_no_hostile_program_is_paid_and_every_honest_one_is(level: int) -> None:
    if held(level):
        pytest.skip(f"level {level}: {held(level)}")
    tests = json.loads((CORPUS / "tests.json").read_text("utf-8"))
    wrong = {p.name: found for p in corpus() if (found := check(p, tests, level)[0]) and found != ["late"]}
    assert not wrong and (level == 3 or NEEDS_PROCESSES)
