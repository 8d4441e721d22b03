# expect: reward=0
# class: forge
# task: mapped_class
# note: a method of a stateful object raises StopIteration inside the tests' map()
# ---
class Counter:
    def add(self, n):
        raise StopIteration
    def total(self):
        return 0
