"""Every form that hidden tests take: run, so that a right answer is paid and a wrong one is not, or unsupported for both."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from whileai_exp.verify import CodeExec
from whileai_exp.verify._levels import level_of_this_machine

RIGHT = "def solve(n):\n    return n * (n + 1) * (2 * n + 1) // 6\n"
WRONG = "def solve(n):\n    return 0\n"
boxed = pytest.mark.skipif(level_of_this_machine()[0] < 2, reason=f"no containment here: {level_of_this_machine()[1]}")

OBJECTS = """
import functools
class V:
    def __init__(self,x,y): self.x,self.y=x,y
    def __add__(self,o): return V(self.x+o.x,self.y+o.y)
    def __mul__(self,k): return V(self.x*k,self.y*k)
    __rmul__=__mul__
    def __eq__(self,o): return isinstance(o,V) and (self.x,self.y)==(o.x,o.y)
    def __lt__(self,o): return (self.x,self.y)<(o.x,o.y)
    def __hash__(self): return hash((self.x,self.y))
    def __repr__(self): return f"V({self.x}, {self.y})"
    def __len__(self): return 2
    def __iter__(self): yield self.x; yield self.y
    def __abs__(self): return (self.x**2+self.y**2)**.5
    def __bool__(self): return bool(self.x or self.y)
    def __getitem__(self,i): return (self.x,self.y)[i]
    def __contains__(self,k): return k in (self.x,self.y)
    def __radd__(self,o): return self if o==0 else NotImplemented
    def __enter__(self): return self
    def __exit__(self,*a): return True
    @property
    def s(self): return self.x+self.y
class W(V): pass
class Mine(ValueError):
    def __init__(self,code,msg): super().__init__(msg); self.code=code
    def __str__(self): return f"[{self.code}] {self.args[0]}"
class Sub(Mine): pass
def boom(n): raise (Sub if n else Mine)(n,"bad")
class Stack(list):
    def push(self,x): self.append(x)
    def peek(self): return self[-1]
async def later(n): return n+1
import collections, enum, dataclasses
P=collections.namedtuple("P","a b")
def pt(): return P(1,2)
class Color(enum.Enum): RED=1; BLUE=2
@dataclasses.dataclass(order=True)
class D:
    a:int
    b:list=dataclasses.field(default_factory=list)
class Node:
    def __init__(self,v): self.v=v; self.next=None
class It:
    def __init__(self,n): self.n=n
    def __iter__(self): return self
    def __next__(self):
        if self.n<=0: raise StopIteration
        self.n-=1; return self.n
def quits(): raise SystemExit(3)
def ctr(s): return collections.Counter(s)
def fill(d,*,k=None):
    d[1]=2
    if k is not None: k.append(1)
def jerr():
    import json; json.loads("{")
def keyerr(): return {}["a"]
"""


class Form(NamedTuple):
    """Tests in one form, and the reward of a right and of a wrong answer."""

    name: str
    tests: str
    right: float | None = 1.0
    wrong: float | None = 0.0


FORMS = [
    Form(
        "main_guard",
        """def main():
    assert solve(3)==14
if __name__=='__main__':
    main()
""",
        1.0,
        0.0,
    ),
    Form(
        "async",
        """async def test_a():
    assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "runTest",
        """import unittest
class T(unittest.TestCase):
    def runTest(self): self.assertEqual(solve(3),14)
""",
        1.0,
        0.0,
    ),
    Form(
        "yield",
        """def test_a():
    def c(a,b): assert solve(a)==b
    yield c,3,14
    yield c,10,385
""",
        1.0,
        0.0,
    ),
    Form(
        "yield2",
        """def test_a():
    yield
    assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "unknown_fixture",
        """def test_a(monkeypatch):
    assert solve(3)==14
""",
        None,
        None,
    ),
    Form(
        "capsys",
        """assert solve(0)==0
def test_a(capsys):
    assert solve(3)==14
""",
        None,
        None,
    ),
    Form(
        "fixture params",
        """import pytest
@pytest.fixture(params=[(3,14),(10,385)])
def c(request): return request.param
def test_a(c):
    assert solve(c[0])==c[1]
""",
        1.0,
        0.0,
    ),
    Form(
        "fixture yield",
        """import pytest
seen=[]
@pytest.fixture(scope='module')
def c():
    seen.append(1)
    yield 14
    seen.append(2)
def test_a(c):
    assert solve(3)==c
def test_b(c):
    assert seen==[1]
""",
        1.0,
        0.0,
    ),
    Form(
        "autouse",
        """import pytest
x=[]
@pytest.fixture(autouse=True)
def c(): x.append(1)
def test_a():
    assert x and solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "setup_method",
        """class TestA:
    def setup_method(self): self.w=14
    def teardown_method(self): pass
    def test_a(self): assert solve(3)==self.w
""",
        1.0,
        0.0,
    ),
    Form(
        "test in base",
        """class Base:
    def test_a(self): assert solve(3)==14
class TestB(Base): pass
""",
        1.0,
        0.0,
    ),
    Form(
        "setUp",
        """import unittest
class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.k=3
    def setUp(self): self.w=14
    def test_a(self):
        for a,b in [(self.k,self.w)]:
            with self.subTest(a): self.assertEqual(solve(a),b)
""",
        1.0,
        0.0,
    ),
    Form(
        "check uncalled",
        """def check(candidate):
    assert candidate(3)==14
""",
        None,
        None,
    ),
    Form(
        "check beside",
        """assert solve(0)==0
def check(candidate):
    assert candidate(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "main uncalled",
        """assert solve(0)==0
def main():
    assert solve(3)==14
""",
        None,
        None,
    ),
    Form(
        "lambda False",
        """test_a=lambda: solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "partial",
        """from functools import partial
def go(n,w):
    assert solve(n)==w
test_a=partial(go,3,14)
""",
        1.0,
        0.0,
    ),
    Form(
        "return False",
        """def test_a(): return solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "doctest",
        """import doctest
def f():
    '''
    >>> solve(3)
    14
    '''
doctest.testmod()
""",
        None,
        None,
    ),
    Form(
        "thread",
        """import threading
def test_a():
    def go(): assert solve(3)==14
    t=threading.Thread(target=go); t.start(); t.join()
""",
        1.0,
        0.0,
    ),
    Form(
        "pool lost",
        """from concurrent.futures import ThreadPoolExecutor
def go(): assert solve(3)==14
def test_a():
    with ThreadPoolExecutor(2) as p: p.submit(go)
""",
        1.0,
        0.0,
    ),
    Form(
        "pool map",
        """from concurrent.futures import ThreadPoolExecutor
def test_a():
    with ThreadPoolExecutor(2) as p: assert list(p.map(solve,[3,10]))==[14,385]
""",
        1.0,
        0.0,
    ),
    Form(
        "sys.exit",
        """import sys
if solve(3)!=14: sys.exit(1)
""",
        1.0,
        0.0,
    ),
    Form(
        "SystemExit",
        """if solve(3)!=14:
    raise SystemExit('no')
raise SystemExit(0)
""",
        1.0,
        0.0,
    ),
    Form(
        "os._exit",
        """import os
if solve(3)!=14: os._exit(1)
os._exit(0)
""",
        1.0,
        0.0,
    ),
    Form(
        "exit msg",
        """ok = solve(3)==14
exit(0 if ok else 1)
""",
        1.0,
        0.0,
    ),
    Form(
        "loop",
        """def a():
    assert solve(3)==14
def b():
    assert solve(10)==385
TESTS=[a,b]
for t in TESTS: t()
""",
        1.0,
        0.0,
    ),
    Form(
        "loop raise",
        """def a():
    if solve(3)!=14: raise ValueError
for t in [a]: t()
""",
        1.0,
        0.0,
    ),
    Form(
        "try else",
        """try:
    r=solve(3)
except Exception:
    raise AssertionError
else:
    if r!=14: raise AssertionError
""",
        1.0,
        0.0,
    ),
    Form(
        "swallowed",
        """try:
    assert solve(3)==14
except AssertionError:
    print('FAILED')
""",
        1.0,
        0.0,
    ),
    Form(
        "print only",
        """print(solve(3))
""",
        None,
        None,
    ),
    Form(
        "main unittest",
        """import unittest,sys
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(solve(3),14)
if __name__=='__main__':
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
""",
        1.0,
        0.0,
    ),
    Form(
        "runner",
        """import unittest,sys
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(solve(3),14)
r=unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
sys.exit(not r.wasSuccessful())
""",
        1.0,
        0.0,
    ),
    Form(
        "class not Test",
        """class Solve:
    def test_a(self): assert solve(3)==14
""",
        None,
        None,
    ),
    Form(
        "from solution",
        """from solution import solve
def test_a(): assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "import *",
        """from solution import *
assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "raises stop",
        """assert solve(3)==14
import pytest
def test_it():
    with pytest.raises(StopIteration): next(iter([]))
""",
        1.0,
        0.0,
    ),
    Form(
        "approx",
        """import pytest
assert solve(3)==pytest.approx(14)
assert [solve(3)]==pytest.approx([14.0])
""",
        1.0,
        0.0,
    ),
    Form(
        "skip",
        """import pytest
@pytest.mark.skip(reason='x')
def test_b(): assert 0
def test_a(): assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "all skipped",
        """import pytest
@pytest.mark.skip
def test_b(): assert 0
""",
        None,
        None,
    ),
    Form(
        "helper unused",
        """def near(a,b): assert abs(a-b)<1
assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "test helper used",
        """def test_one(n,w): assert solve(n)==w
test_one(3,14)
test_one(10,385)
""",
        1.0,
        0.0,
    ),
    Form(
        "test args unknown",
        """def test_one(n,w): assert solve(n)==w
assert solve(0)==0
""",
        None,
        None,
    ),
    Form(
        "param class",
        """import pytest
@pytest.mark.parametrize('n,w',[(3,14),(10,385)])
class TestA:
    def test_a(self,n,w): assert solve(n)==w
""",
        1.0,
        0.0,
    ),
    Form(
        "Counter lib",
        """assert solve(3)==14
assert Counter([solve(3)])==Counter([14])
""",
        1.0,
        0.0,
    ),
    Form(
        "inspect",
        """import inspect
assert solve(3)==14
""",
        None,
        None,
    ),
    Form(
        "stdout",
        """import io,contextlib
b=io.StringIO()
with contextlib.redirect_stdout(b): solve(3)
assert b.getvalue()==''
""",
        None,
        None,
    ),
    Form(
        "MetaData",
        """METADATA={}
def check(candidate):
    assert candidate(3)==14
def test_check():
    check(solve)
test_check()
""",
        1.0,
        0.0,
    ),
    Form(
        "nested main",
        """import unittest
class T(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self): self.w=14
    async def test_a(self): assert solve(3)==self.w
if __name__=='__main__': unittest.main()
""",
        1.0,
        0.0,
    ),
    Form(
        "future",
        """from __future__ import annotations
def test_a() -> Foo:
    assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "warn/raises decorated",
        """import functools
def deco(f):
    @functools.wraps(f)
    def w(*a,**k): return f(*a,**k)
    return w
@deco
def test_a():
    assert solve(3)==14
""",
        1.0,
        0.0,
    ),
    Form(
        "dead main",
        """assert solve(0)==0
def near(a,b): assert a==b
def main():
    near(solve(3),14)
""",
        None,
        None,
    ),
    Form(
        "dead check+main",
        """assert solve(0)==0
def check(candidate): assert candidate(3)==14
def main():
    check(solve)
""",
        None,
        None,
    ),
    Form(
        "skip after",
        """import pytest
def test_a():
    if solve(3)!=14: pytest.skip()
    assert solve(3)==14
""",
        1.0,
        None,
    ),
    Form(
        "skipTest",
        """import unittest
assert solve(0)==0
class T(unittest.TestCase):
    def test_a(self):
        if solve(3)!=14: self.skipTest('x')
""",
        1.0,
        None,
    ),
    Form(
        "task lost",
        """import asyncio
async def go(): assert solve(3)==14
def test_a():
    async def main():
        asyncio.create_task(go())
        await asyncio.sleep(0.01)
    asyncio.run(main())
""",
        1.0,
        0.0,
    ),
    Form(
        "unjoined thread",
        """import threading
def test_a():
    def go():
        import time; time.sleep(.05)
        assert solve(3)==14
    threading.Thread(target=go).start()
""",
        1.0,
        0.0,
    ),
    Form(
        "expectedFailure",
        """import unittest
class T(unittest.TestCase):
    @unittest.expectedFailure
    def test_a(self): assert solve(3)==15
    def test_b(self): assert solve(3)==14
""",
        1.0,
        0.0,
    ),
]
"""Tests of `solve`, the sum of the first squares."""

HONEST = [
    Form(
        "ops",
        """assert V(1,2)+V(3,4)==V(4,6)
assert V(1,2)*3==V(3,6)
assert 2*V(1,2)==V(2,4)
assert V(1,2)!=V(2,1)
assert V(1,2)<V(2,1)
assert abs(V(3,4))==5
assert (V(1,2)*3).x==3
""",
        1.0,
    ),
    Form(
        "conv",
        """assert repr(V(1,2))=='V(1, 2)' and str(V(1,2))=='V(1, 2)' and f'{V(1,2)}'=='V(1, 2)'
assert len(V(1,2))==2 and list(V(1,2))==[1,2] and V(1,2)[1]==2 and 2 in V(1,2) and 5 not in V(1,2)
assert not V(0,0)
assert V(1,0)
x,y=V(5,6)
assert (x,y)==(5,6)
assert V(1,2).s==3
""",
        1.0,
    ),
    Form(
        "sorted",
        """assert sorted([V(2,1),V(1,2)])==[V(1,2),V(2,1)]
assert sum([V(1,1),V(2,2)],V(0,0))==V(3,3)
assert max(V(1,2),V(3,1))==V(3,1)
assert len({V(1,2),V(1,2)})==1
assert {V(1,2):3}[V(1,2)]==3
""",
        1.0,
    ),
    Form(
        "sum0",
        """assert sum([V(1,1),V(2,2)])==V(3,3)
""",
        1.0,
    ),
    Form(
        "isinstance",
        """assert isinstance(W(1,2),V) and not isinstance(V(1,2),W) and not isinstance(3,V) and issubclass(W,V)
assert type(V(1,2)) is V and type(V(1,2)).__name__=='V' and V(1,2).__class__.__name__=='V' and type(3) is int
""",
        1.0,
    ),
    Form(
        "neq other",
        """assert V(1,2)!=None
assert V(1,2)!='x'
assert not V(1,2)==3
""",
        1.0,
    ),
    Form(
        "errors",
        """import pytest
try:
    boom(0)
except Mine as e:
    assert str(e)=='[0] bad' and e.code==0 and e.args==('bad',)
else:
    raise AssertionError
with pytest.raises(Mine,match='bad') as i:
    boom(1)
assert type(i.value) is Sub and isinstance(i.value,ValueError) and isinstance(i.value,Mine)
""",
        1.0,
    ),
    Form(
        "errors2",
        """import unittest,json
class T(unittest.TestCase):
    def test_a(self):
        with self.assertRaisesRegex(ValueError,'bad') as c: boom(1)
        self.assertEqual(c.exception.code,1)
        self.assertRaises(Sub,boom,1)
        with self.assertRaises(json.JSONDecodeError): jerr()
        with self.assertRaises(KeyError) as c: keyerr()
        self.assertEqual(c.exception.args[0],'a')
        self.assertIsInstance(V(1,2),V)
        self.assertEqual(V(1,2),V(1,2))
""",
        1.0,
    ),
    Form(
        "liststack",
        """s=Stack()
s.push(1)
s.push(2)
assert s==[1,2] and s.peek()==2 and len(s)==2 and list(s)==[1,2] and isinstance(s,list) and s[0]==1
s.append(5)
assert s==[1,2,5]
""",
        1.0,
    ),
    Form(
        "async",
        """import asyncio
assert asyncio.run(later(1))==2
async def test_a():
    assert await later(2)==3
    assert await asyncio.gather(later(1),later(2))==[2,3]
""",
        1.0,
    ),
    Form(
        "namedtuple",
        """assert pt()==(1,2) and pt().a==1 and isinstance(pt(),tuple)
a,b=pt()
""",
        1.0,
    ),
    Form(
        "enum",
        """assert Color.RED is Color.RED and Color.RED==Color(1) and Color.RED!=Color.BLUE and Color.RED.value==1 and Color.RED.name=='RED' and Color['RED'] is Color.RED
assert [c.name for c in Color]==['RED','BLUE']
""",
        1.0,
    ),
    Form(
        "dataclass",
        """assert D(1)==D(1,[]) and D(1)<D(2) and repr(D(1))=='D(a=1, b=[])'
d=D(1)
d.a=5
assert d.a==5
""",
        1.0,
    ),
    Form(
        "node",
        """a,b=Node(1),Node(2)
a.next=b
assert a.next is b and a.next.v==2 and a.next.next is None and a!=b and a==a
""",
        1.0,
    ),
    Form(
        "iter",
        """assert list(It(3))==[2,1,0]
i=iter(It(1))
assert next(i)==0
import pytest
with pytest.raises(StopIteration): next(It(0))
assert next(It(0),'d')=='d'
for x in It(2): pass
""",
        1.0,
    ),
    Form(
        "exit",
        """import pytest
with pytest.raises(SystemExit) as e: quits()
assert e.value.code==3
""",
        1.0,
    ),
    Form(
        "counter",
        """from collections import Counter
assert ctr('aab')==Counter('aab') and ctr('aab').most_common(1)==[('a',2)] and ctr('a')=={'a':1}
""",
        1.0,
    ),
    Form(
        "fill",
        """from collections import defaultdict, OrderedDict
d=OrderedDict()
k=[]
fill(d,k=k)
assert d=={1:2} and k==[1]
e=defaultdict(int)
fill(e)
assert e=={1:2} and e[5]==0
""",
        1.0,
    ),
    Form(
        "ctx",
        """with V(1,2) as v:
    assert v.x==1
    raise ValueError
""",
        1.0,
    ),
    Form(
        "del/set",
        """import copy
d=D(1,[1])
e=copy.deepcopy(d)
assert e==d and e is not d
assert hasattr(d,'a') and not hasattr(d,'zz') and getattr(d,'zz',7)==7
assert callable(boom)
""",
        1.0,
    ),
    Form(
        "liar order",
        """assert V(1,2)<3
""",
        0.0,
    ),
    Form(
        "decoy add",
        """assert V(1,2)*3=='x'
""",
        0.0,
    ),
]
"""Tests of `OBJECTS`: what objects, exceptions and the library's values do across the boxes."""

QUICK = ("main_guard", "async", "check beside", "swallowed", "unknown_fixture", "thread")
QUICK_HONEST = ("ops", "errors", "isinstance")


def rewards(program: str, forms: list[Form]) -> dict[str, float | None]:
    """What a program is paid by each form."""
    with ThreadPoolExecutor(4) as pool:
        told = pool.map(lambda form: CodeExec(tests=form.tests)({"final_text": program})["reward"], forms)
        return dict(zip([form.name for form in forms], told))


@boxed
def test_the_common_forms_are_run_or_unsupported() -> None:
    forms = [form for form in FORMS if form.name in QUICK]
    assert rewards(RIGHT, forms) == {form.name: form.right for form in forms}
    assert rewards(WRONG, forms) == {form.name: form.wrong for form in forms}


@boxed
def test_the_candidate_s_own_objects_work_across_boxes() -> None:
    forms = [form for form in HONEST if form.name in QUICK_HONEST]
    assert rewards(OBJECTS, forms) == {form.name: form.right for form in forms}


@boxed
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_form_is_run_or_unsupported_for_right_and_wrong_alike() -> None:
    assert rewards(RIGHT, FORMS) == {form.name: form.right for form in FORMS}
    assert rewards(WRONG, FORMS) == {form.name: form.wrong for form in FORMS}


@boxed
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_honest_objects_are_paid() -> None:
    assert rewards(OBJECTS, HONEST) == {form.name: form.right for form in HONEST}
