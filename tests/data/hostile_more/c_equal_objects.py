# expect: reward=1
# class: control
# task: vectors
# note: right; a class with ==, + and repr, compared by the tests with another of its objects
# ---
class V:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)
    def __eq__(self, o):
        return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __repr__(self):
        return f"V({self.x}, {self.y})"
