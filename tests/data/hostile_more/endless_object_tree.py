# expect: reward=0
# class: exhaust
# task: klass
# note: an object whose every attribute and call is a new object, len() and hash() that sleep
# ---
import time
class Stack:
    kept = []
    def __getattr__(self, n):
        s = Stack()
        Stack.kept.append(s)
        return s
    def __call__(self, *a): return [Stack() for _ in range(20000)]
    def __len__(self):
        time.sleep(30)
        return 1
    def __del__(self):
        time.sleep(0.01)
