"""The shape of the code: imports go left only, edges keep their libraries, and importing the package is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "whileai_exp"
ORDER = [
    ["errors", "_rng", "_hash", "_clock", "_jsonl", "_aio", "_text"],
    ["schema"],
    ["ports"],
    ["knobs"],
    ["registry"],
    ["stats"],
    ["spec"],
    ["plan"],
    ["journal"],
    ["models"],
    ["world"],
    ["verify"],
    ["judges"],
    ["traces"],
    ["situations"],
    ["rollouts"],
    ["measures"],
    ["selection"],
    ["gates"],
    ["export"],
    ["run"],
    ["api"],
    ["config"],
    ["record"],
    ["cli"],
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
FREE = {"testing", "__init__", "__main__", "_packaged"}
EDGES = {
    "hydra": ("config", "cli/_jobs.py"),
    "omegaconf": ("config",),
    "mlflow": ("record/mlflow_sink.py", "record/deliver.py", "record/traces.py", "record/listing.py"),
    "aiohttp": ("models", "testing"),
    "openai": ("models", "testing"),
    "httpx": ("models", "testing"),
    "pydantic": ("config", "knobs", "spec", "plan/resolve.py", "schema/validate.py"),
    "scipy": ("stats",),
    "random": (),
    "pickle": (),
    "uuid": (),
}
MODULES = sorted(PACKAGE.rglob("*.py"))
REASONS: dict[str, str] = {}
"""Modules above the size limit, each with its one-line reason."""


def _package_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def _imports(path: Path) -> list[tuple[str, int]]:
    """Absolute dotted names a module imports, function-local imports included."""
    here = ["whileai_exp", *path.relative_to(PACKAGE).with_suffix("").parts]
    if here[-1] == "__init__":
        here = [*here[:-1], "__init__"]
    out = []
    tree = ast.parse(path.read_text("utf-8"))
    typing_only = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            out += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = here[: -node.level]
                module = ".".join([*base, *(node.module.split(".") if node.module else [])])
            else:
                module = node.module or ""
            out.append((module, node.lineno))
            if module == "whileai_exp":
                out += [(f"whileai_exp.{alias.name}", node.lineno) for alias in node.names]
    return out


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_package_imports_only_what_stands_to_its_left(path: Path) -> None:
    own = _package_of(path)
    if own in FREE:
        return
    assert own in RANK, f"{own} has no place in the order"
    for name, line in _imports(path):
        parts = name.split(".")
        if parts[0] != "whileai_exp" or len(parts) < 2 or parts[1] == own:
            continue
        assert RANK.get(parts[1], 99) <= RANK[own], f"{path.name}:{line} imports {name}, which stands to its right"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_libraries_stay_at_their_edges(path: Path) -> None:
    where = str(path.relative_to(PACKAGE))
    for name, line in _imports(path):
        allowed = EDGES.get(name.split(".")[0])
        if allowed is not None:
            assert any(where == edge or where.startswith(edge + "/") for edge in allowed), f"{where}:{line} imports {name}"


def test_nothing_evaluates_text_or_reads_the_environment_elsewhere() -> None:
    for path in MODULES:
        where = str(path.relative_to(PACKAGE))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile"), f"{where}:{node.lineno} calls {node.func.id}"
                if node.func.id == "print":
                    assert where.startswith(("cli/", "testing/")), f"{where}:{node.lineno} prints"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                spelled = f"{node.value.id}.{node.attr}"
                if spelled == "os.environ":
                    assert where == "models/backend.py" or where.startswith("config/"), (
                        f"{where}:{node.lineno} reads the environment"
                    )
                assert (
                    where.startswith("testing/")
                    or spelled not in ("time.time", "os.system")
                    and (spelled != "yaml.load" or where == "spec/load.py")
                ), f"{where}:{node.lineno} uses {spelled}"


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ["mlflow", "scipy", "openai", "hydra", "omegaconf", "httpx", "aiohttp", "numpy", "pydantic", "pandas"]
    code = f"import sys, whileai_exp; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from whileai_exp.cli import main; main(['--help']); print([m for m in ('mlflow','hydra','numpy','pydantic','aiohttp') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_modules_stay_small() -> None:
    sizes = sorted(
        ((len(path.read_text("utf-8").splitlines()), str(path.relative_to(PACKAGE))) for path in MODULES), reverse=True
    )
    too_large = [(lines, name) for lines, name in sizes if lines > 500 and name not in REASONS]
    assert not too_large, f"which noun is hiding in {too_large}?"


def test_no_public_name_is_hidden_by_a_package_of_the_same_name() -> None:
    import whileai_exp

    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages.isdisjoint(whileai_exp.__all__)


def test_every_public_name_can_be_loaded_and_is_documented() -> None:
    import whileai_exp

    for name in whileai_exp.__all__:
        value = getattr(whileai_exp, name)
        assert value.__doc__, f"{name} has no docstring"
