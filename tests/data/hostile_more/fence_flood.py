# expect: reward=0
# class: grader-crash
# task: sumsq
# note: 8000 fences and half fences in the answer: quadratic search for the code
# ---
def solve(n):
    return -1

# `` ``` ~~~
"""
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
```
``` python
```python 
"""
