"""Objects that lie to the tests: whatever they answer about themselves, a plain expected value is never taken on their word."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from whileai_exp.verify import CodeExec
from whileai_exp.verify._levels import level_of_this_machine

boxed = pytest.mark.skipif(level_of_this_machine()[0] < 2, reason=f"no containment here: {level_of_this_machine()[1]}")

YES = """
class Yes:
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    def __hash__(self): return 14
    def __sub__(self, o): return {sub}
    __add__ = __radd__ = __rsub__ = __mul__ = __truediv__ = __mod__ = __sub__
    def __abs__(self): return {abs}
    def __round__(self, *a): return 0
    def __lt__(self, o): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __bool__(self): return {true}
def solve(n): return Yes()
"""
LIARS = {
    "yes": YES.format(sub="0.0", abs="0.0", true=True),
    "zero_object": YES.format(sub="Yes()", abs="0.0", true=False),
    "once_no": "class Y:\n    n = 0\n    def __eq__(self, o):\n        Y.n += 1\n        return Y.n % 2 == 0\n    __hash__ = None\ndef solve(n): return Y()\n",
    "small_numbers": "class Y:\n    def __eq__(self, o): return o < 10000000\n    __hash__ = None\n    def __sub__(self, o): return 0 if o < 10000000 else 1\ndef solve(n): return Y()\n",
    "list_of_yes": "class L(list):\n    def __eq__(self, o): return True\n    def more(self): pass\ndef solve(n): return L()\n",
    "named": "import collections\nP = collections.namedtuple('P', 'a')\nclass Q(P):\n    def __eq__(self, o): return True\ndef solve(n): return Q(3)\n",
    "error": "class E(Exception):\n    def __eq__(self, o): return True\n    __hash__ = None\ndef solve(n): return E()\n",
    "stops": "def solve(n): raise StopIteration\n",
    "async_stops": "def solve(n): raise StopAsyncIteration\n",
    "skips": "import unittest\ndef solve(n): raise unittest.SkipTest\n",
    "remembers": "seen = []\nclass Y:\n    def __eq__(self, o): seen.append(o); return False\n    __hash__ = None\ndef solve(n): return seen[-1] if seen else Y()\n",
}
TESTS = [
    "assert solve(3) == 14",
    "assert 14 == solve(3)",
    "assert not solve(3) != 14",
    "assert abs(solve(3) - 14) < 1e-9",
    "assert not (solve(3) - 14)",
    "assert round(solve(3) - 14, 7) == 0",
    "assert 13 < solve(3) < 15",
    "assert solve(3) in {14, 15}",
    "assert {14: 1}.get(solve(3)) == 1",
    "assert solve(3) in (14,)",
    "assert [solve(3), solve(3)] == [14, 14]",
    "assert all(a == b for a, b in zip(map(solve, [3, 10]), [14, 385])) and list(map(solve, [3])) == [14]",
    "assert [a for a, b in zip(map(solve, [3, 10]), [14, 385]) if a != b] == []",
    "import pytest\nassert solve(3) == pytest.approx(14)",
    "import math\nassert math.isclose(solve(3), 14)",
    "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(solve(3), 14)",
    "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertAlmostEqual(solve(3), 14)",
    "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertIn(solve(3), [14])\n        self.assertLessEqual(solve(3), 14)",
    "try:\n    assert solve(3) == 14\nexcept BaseException:\n    pass",
]


def paid(pair: tuple[str, str]) -> bool:
    return CodeExec(tests=pair[1])({"final_text": pair[0]})["reward"] == 1.0


@boxed
def test_a_common_liar_is_not_paid() -> None:
    for liar, test in (("yes", 0), ("once_no", 0), ("zero_object", 3), ("stops", 12)):
        assert not paid((LIARS[liar], TESTS[test])), (liar, TESTS[test])


@boxed
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_liar_is_paid_by_any_comparison_with_a_plain_value() -> None:
    pairs = [(name, test) for name in LIARS for test in TESTS]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pair: paid((LIARS[pair[0]], pair[1])), pairs))
    assert [pair for pair, got in zip(pairs, found) if got] == []
