# expect: reward=1
# class: control
# task: fractions
# note: right; returns Fraction and Decimal
# ---
from decimal import Decimal
from fractions import Fraction
def solve(n):
    return (Fraction(1, n), Decimal(n).scaleb(-1))
