# expect: reward=1
# class: control
# task: sumsq
# note: right; dataclass, pickle of its own class, enum, asyncio.run, sys.modules[__name__]
# ---
import asyncio, dataclasses, enum, pickle, sys
class Kind(enum.IntEnum):
    ONE = 1
@dataclasses.dataclass(frozen=True)
class Term:
    k: "int"
    kind: Kind = Kind.ONE
async def square(t):
    await asyncio.sleep(0)
    return t.k * t.k * t.kind
def solve(n):
    assert sys.modules[__name__].Term is Term
    t = pickle.loads(pickle.dumps(Term(n)))
    async def main():
        return sum(await asyncio.gather(*(square(Term(k)) for k in range(t.k + 1))))
    return asyncio.run(main())
