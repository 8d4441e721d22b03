# expect: reward=0
# class: forge
# task: mapped_class
# note: the object's method is fine once, then its result is an exhausted iterator's next()
# ---
class Counter:
    def __init__(self):
        self.it = iter([1])
    def add(self, n):
        return next(self.it)
