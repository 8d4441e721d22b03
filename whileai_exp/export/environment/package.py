"""The files of an exported environment: an installable package whose code is a few lines that name ours.

Bytes depend on what is written alone: no time, no host, no order of a set. The folder appears whole or not at all.
"""

from __future__ import annotations

import keyword
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from ...errors import ConfigError, DiskError, ExportError, Problem
from ...schema import GateResult
from ..files import record_line, write_lines
from .loaded import KEYS, META, WORLDS, public_line, world_line
from .tasks import Calibrated, Split

SHAPES: Mapping[str, str] = {"classic": ">=0.1.12,<0.4", "v1": ">=0.4,<0.5"}
"""Shape to the versions of `verifiers` that have it."""
_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_TAKEN = frozenset({"whileai_exp", "verifiers", "datasets", "openai", "test", "tests"})
_MODULE = '''"""{title}, exported by whileai-exp. The environment is `env.json` and the task files beside this module."""

from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
__all__ = ["Environment", "Harness", "Taskset", "load_environment"]


def load_environment(**options: Any) -> Any:
    """The classic shape of verifiers: `split` ("train" or "holdout", None for both), `user`, and what MultiTurnEnv takes."""
    from whileai_exp.export.environment.classic import load_environment

    return load_environment(HERE, **options)


def __getattr__(name: str) -> Any:
    """The v1 shape of verifiers, made when it is asked for."""
    if name not in ("Environment", "Harness", "Taskset"):
        raise AttributeError(name)
    from whileai_exp.export.environment.v1 import shapes_of

    return getattr(shapes_of(HERE), name)
'''


def names_of(path: Path, name: str | None) -> tuple[str, str]:
    """The package's name and its module's. ConfigError when neither can be installed or imported."""
    given = name if name is not None else path.name
    package = re.sub(r"[-_.]+", "-", given).lower().strip("-")
    module = package.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9-]*", package) or not module.isidentifier() or keyword.iskeyword(module):
        raise ConfigError(
            Problem("name", f"{given!r} cannot name a package", "use letters, digits and dashes, starting with a letter")
        )
    if module in _TAKEN or module in sys.stdlib_module_names:
        raise ConfigError(Problem("name", f"{given!r} is the name of another module", "choose another name="))
    return package, module


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to be filled, which takes the target's place when the block ends well and is gone when it does not.

    ExportError when something stands there that is no exported environment.
    """
    target = target.resolve()
    if target.exists() and not (target.is_dir() and (not any(target.iterdir()) or any(target.glob(f"*/{META}")))):
        raise ExportError(f"{target} exists and is no exported environment; nothing was written: choose another path")
    partial, old = target.with_name(f".{target.name}.part"), target.with_name(f".{target.name}.old")
    try:
        for leftover in (partial, old):
            shutil.rmtree(leftover, ignore_errors=True)
        partial.mkdir(parents=True)
        yield partial
        if target.exists():
            os.replace(target, old)
        os.replace(partial, target)
    except OSError as error:
        if old.exists() and not target.exists():
            os.replace(old, target)
        raise DiskError(f"{target}: {error.strerror or error}; nothing was written") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)


def write_package(folder: Path, meta: Mapping[str, Any], split: Split, *, requires: Sequence[str], shape: str) -> Path:
    """Everything but the README; gives the module's folder."""
    inside = folder / str(meta["module"])
    for where in (inside / "data", inside / "server"):
        where.mkdir(parents=True)
    write_lines(inside / META, [orjson.dumps(meta, option=_PRETTY)])
    for name, items in (("train", split.train), ("holdout", split.holdout)):
        lines = (record_line(public_line(item.task, item.wire())) for item in items)
        write_lines(inside / "data" / f"{name}.jsonl", lines, empty=True)
    both = (*split.train, *split.holdout)
    write_lines(inside / WORLDS, (record_line(world_line(item.task)) for item in both), empty=True)
    write_lines(inside / KEYS, _keys(both), empty=True)
    _text(inside / "__init__.py", _MODULE.format(title=meta["name"]))
    _text(folder / "pyproject.toml", project_text(meta, requires, shape))
    return inside


def _keys(items: Iterable[Calibrated]) -> Iterator[bytes]:
    for item in items:
        held = item.task.privileged
        line: dict[str, Any] = {"task_id": item.task.task_id, "key": None if held is None else dict(held)}
        if item.fields:
            line["fields"] = dict(item.fields)
        try:
            yield record_line(line)
        except TypeError as error:
            raise ExportError(f"the answer key of {item.task.task_id} is no JSON ({error}); nothing was written") from error


def _text(path: Path, text: str) -> None:
    write_lines(path, [text.encode("utf-8", "replace")])


def project_text(meta: Mapping[str, Any], requires: Sequence[str], shape: str) -> str:
    """`pyproject.toml`: what it needs, with upper bounds, and what the evaluation command plays."""
    needs = [
        f"whileai-exp{own_bounds()}",
        f"verifiers{SHAPES[shape]}",
        *(["datasets>=3,<6"] if shape == "classic" else []),
        *requires,
    ]
    listed = "".join(f"    {_quoted(need)},\n" for need in needs)
    return (
        "[build-system]\n"
        'requires = ["hatchling>=1.25,<2"]\n'
        'build-backend = "hatchling.build"\n\n'
        "[project]\n"
        f"name = {_quoted(str(meta['name']))}\n"
        'version = "0.1.0"\n'
        f"description = {_quoted(str(meta['description']))}\n"
        'readme = "README.md"\n'
        'requires-python = ">=3.11,<3.14"\n'
        f"dependencies = [\n{listed}]\n\n"
        "[tool.hatch.build.targets.wheel]\n"
        f"packages = [{_quoted(str(meta['module']))}]\n\n"
        "[tool.verifiers.eval]\n"
        f"num_examples = {min(5, max(1, int(meta['counts']['holdout'])))}\n"
        "rollouts_per_example = 3\n"
    )


def _quoted(text: str) -> str:
    """A TOML basic string."""
    return orjson.dumps(" ".join(text.split())).decode().replace("\x7f", "\\u007F")


def own_version() -> str:
    """This package's version."""
    return version("whileai-exp")


def own_bounds() -> str:
    """From this version to before the next that may read environments differently."""
    major, minor, *_ = [*(int(part) for part in re.findall(r"\d+", own_version())), 0, 0]
    return f">={own_version()},<{f'0.{minor + 1}' if major == 0 else major + 1}"


def write_readme(
    folder: Path, meta: Mapping[str, Any], split: Split, gates: Sequence[GateResult], warnings: Sequence[str], shape: str
) -> None:
    """The README: how to use it, what is in it, and the gate's result."""
    _text(folder / "README.md", readme_text(meta, split, gates, warnings, shape))


def readme_text(meta: Mapping[str, Any], split: Split, gates: Sequence[GateResult], warnings: Sequence[str], shape: str) -> str:
    name, module = meta["name"], meta["module"]
    counts, config = meta["counts"], meta["config"]
    drops = "\n".join(f"| {reason.replace('_', ' ')} | {len(ids)} |" for reason, ids in split.drops.items()) or "| none | 0 |"
    checks = "\n".join(f"| {gate.gate} | {gate.status} | {_cell(gate.reason)} |" for gate in gates)
    told = "".join(f"- {warning}\n" for warning in warnings) or "- none\n"
    tools = ", ".join(f"`{tool['function']['name']}`" for tool in config["spec"]["tools"]) or "none"
    person = "one person, simulated" if meta["person"] else "no person: one ask, one answer"
    return f"""# {name}

{meta["description"]}

```
pip install -e .
{_command(name, module, shape)}
```

In Python: `whileai_exp.load_environment("{module}").play("openai:<policy>", split="holdout")`.

| | |
| --- | --- |
| train tasks | {counts["train"]} |
| held-out tasks | {counts["holdout"]} |
| tools | {tools} |
| turns of the agent, at most | {config["allocation"]["max_turns"]} |
| person | {person} |
| world | {_cell(str(config["world"].get("execute") or "mock world, seeded per task"))} |
| reward | {_cell(orjson.dumps(meta["reward"]).decode())} |
| a rollout cut at a cap | {"is worth 0" if meta["truncated"] == "zero" else "is judged"} |
| logged policy | {_cell(", ".join(meta["policies"]) or "unknown")} |

## The gate

Train tasks are those that the logged policy sometimes solved and sometimes did not, with a rate in the band {list(split.band)}. The
holdout is drawn by situation, before the band and without it. Train tasks that are, or paraphrase, held-out ones are left out.

| left out of training | tasks |
| --- | --- |
{drops}

| check | result | |
| --- | --- | --- |
{checks}

Warnings:

{told}
## Answer keys

`{module}/server/` holds the answer keys and what the world is made of. The reward and the world read them in the process that runs
the environment; they are in no prompt, tool result, `info` or trace. Whoever has the package has them: keep it from models that
are evaluated with it. A rollout that the reward cannot judge is masked, never scored 0.
"""


def _command(name: str, module: str, shape: str) -> str:
    if shape == "classic":
        return f'vf-eval {module} -a \'{{"split": "holdout"}}\' -m <policy> -b <base url> -k <key variable>'
    return (
        f"vf-eval {name} --env.taskset.split holdout -m <policy> --client.base-url <base url> "
        "--client.api-key-var <key variable> --no-push"
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
