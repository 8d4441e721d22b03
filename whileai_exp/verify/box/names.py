"""Which names do tests leave to the candidate, and which are the standard library's? Read from the tests alone.

A module of the standard library that the tests use without importing it, and the common members below, are the tests'
own business: a candidate that brought them could answer for itself. Where nothing else is left for the candidate to
bring, a common member is what the candidate is asked for.
"""

from __future__ import annotations

import ast
import builtins
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MEMBERS = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "dataclasses": "dataclass field asdict",
    "datetime": "timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "functools": "partial reduce lru_cache",
    "itertools": "chain islice starmap zip_longest",
    "math": "inf isclose isinf isnan nan pi",
    "pathlib": "Path",
    "copy": "deepcopy",
    "io": "StringIO",
    "unittest": "TestCase",
    "typing": "Any Callable Dict Iterable Iterator List Optional Sequence Set Tuple Union",
}
MEMBERS = {name: module for module, names in _MEMBERS.items() for name in names.split()}


def own_names(tree: ast.Module) -> set[str]:
    """Names that the tests define or import anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names


def free_names(tree: ast.Module) -> tuple[tuple[str, ...], dict[str, Any]]:
    """What the candidate should bring, in order of use; and for each of the library's names its module and member."""
    own = own_names(tree) | {"__file__", "__name__", "__doc__", "exit", "quit"}
    used = dict.fromkeys(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    free = [name for name in used if name not in own and not hasattr(builtins, name)]
    called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    modules = {n for n in free if n == "pytest" or (n in sys.stdlib_module_names and n not in called)}
    members = {name for name in free if name in MEMBERS and name not in modules}
    if not [name for name in free if name not in modules | members]:
        imported = any(
            isinstance(n, ast.ImportFrom) and n.module not in (*sys.stdlib_module_names, "pytest") for n in ast.walk(tree)
        )
        members = members if imported else set()
    library: dict[str, Any] = {name: (name, None) for name in free if name in modules}
    library |= {name: (MEMBERS[name], name) for name in free if name in members}
    return tuple(name for name in free if name not in library), library
