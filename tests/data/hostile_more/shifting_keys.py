# expect: reward=0
# class: grader-crash
# task: asserts
# note: a dict with keys whose hash and equality change at each look, and a set of them
# ---
import random
class K(str):
    def __hash__(self): return random.getrandbits(60)
    def __eq__(self, o): return random.random() < 0.5
    def __lt__(self, o): return random.random() < 0.5
def solve(n):
    return {K("k%d" % i): {K(str(j)) for j in range(50)} for i in range(2000)}
