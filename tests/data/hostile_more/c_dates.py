# expect: reward=1
# class: control
# task: dates
# note: right; returns a date, a timedelta and a deque
# ---
import collections, datetime
def solve(n):
    if n == 0:
        return collections.deque([1, 2])
    return (datetime.date(2020, 1, n), datetime.timedelta(days=n))
