"""Reading a spec: a folder, a JSON or YAML file, a mapping, or tools and policy handed in.

Only `tools` and the policy keys reach the agent. A rubric, notes or any other field of a spec file never becomes part
of the system prompt: unknown fields are listed in `notes`, not used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._hash import sha
from .._text import did_you_mean
from ..errors import Problem, SpecError
from ..schema import Spec
from .tools import as_tools

POLICY_KEYS = ("system_prompt", "system", "policy", "instructions", "rules")
_FILES = ("spec.json", "spec.yaml", "spec.yml", "agent.json", "agent.yaml")
_RUBRICS = ("rubric.md", "rubric.txt")
_POLICIES = ("policy.md", "system_prompt.md", "policy.txt")
_KNOWN = frozenset(
    {*POLICY_KEYS, "tools", "rubric", "situations", "seeds", "name", "id", "description", "source", "licence", "license"}
)
_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """A spec and what was noticed while reading it."""

    spec: Spec
    notes: tuple[str, ...] = ()


def load_spec(
    source: str | Path | Mapping[str, Any] | None = None,
    *,
    tools: Iterable[Any] | None = None,
    system_prompt: str | None = None,
    rubric: str | None = None,
    seeds: Iterable[str] | None = None,
    name: str | None = None,
) -> LoadedSpec:
    """The agent's spec. `source` is a folder, a file or a mapping; the keywords lay over it.

    SpecError carries every problem at once: an unreadable file, a broken tool, no tools and no policy at all.
    """
    problems: list[Problem] = []
    notes: list[str] = []
    raw, found_name = _read(source, problems)
    unknown = sorted(set(raw) - _KNOWN)
    if unknown:
        notes.append(f"spec fields {unknown} are not used; the agent sees only tools and policy")
    declared = tools if tools is not None else raw.get("tools", ())
    made, tool_problems, tool_notes = as_tools(declared if declared is not None else ())
    problems.extend(tool_problems)
    notes.extend(tool_notes)
    policy = system_prompt if system_prompt is not None else _policy(raw, problems)
    own_rubric = rubric if rubric is not None else raw.get("rubric")
    if own_rubric is not None and not isinstance(own_rubric, str):
        problems.append(Problem("spec.rubric", f"is {type(own_rubric).__name__}, not text"))
        own_rubric = None
    asks = seeds if seeds is not None else raw.get("seeds", raw.get("situations", ()))
    if isinstance(asks, str) or not isinstance(asks, Iterable) or not all(isinstance(ask, str) for ask in asks):
        problems.append(Problem("spec.seeds", f"is {asks!r:.60}, not a list of opening asks", "put each ask in a list: ['…']"))
        asks = ()
    if not problems and not made and not policy:
        problems.append(
            Problem(
                "spec",
                "gives neither tools nor a policy",
                "set spec.path to a folder with spec.json, or pass tools= and system_prompt=",
            )
        )
    if problems:
        raise SpecError(problems)
    identity = sha({"tools": [tool.wire() for tool in made], "policy": policy, "rubric": own_rubric}, 16)
    spec_name = name or str(raw.get("name") or raw.get("id") or found_name or "agent")
    return LoadedSpec(Spec(made, policy, own_rubric, tuple(dict.fromkeys(asks)), spec_name, identity), tuple(notes))


def _policy(raw: Mapping[str, Any], problems: list[Problem]) -> str:
    given = [key for key in POLICY_KEYS if raw.get(key)]
    if len(given) > 1 and len({json.dumps(raw[key], sort_keys=True) for key in given}) > 1:
        problems.append(Problem("spec", f"gives the policy twice, differently: {given}", "keep one"))
    if not given:
        return ""
    policy = raw[given[0]]
    if isinstance(policy, (list, tuple)) and all(isinstance(line, str) for line in policy):
        return "\n".join(policy)
    if not isinstance(policy, str):
        problems.append(Problem(f"spec.{given[0]}", f"is {type(policy).__name__}, not text"))
        return ""
    return policy


def _read(source: str | Path | Mapping[str, Any] | None, problems: list[Problem]) -> tuple[dict[str, Any], str | None]:
    if source is None:
        return {}, None
    if isinstance(source, Mapping):
        return dict(source), None
    path = Path(source).expanduser()
    if path.is_dir():
        return _read_folder(path, problems)
    if not path.exists():
        near = did_you_mean(path.name, [p.name for p in path.parent.iterdir()]) if path.parent.is_dir() else ""
        problems.append(Problem("spec.path", f"there is nothing at {str(path)!r}", near))
        return {}, None
    return _parse(path, problems), path.stem if path.stem not in ("spec", "agent") else path.resolve().parent.name


def _read_folder(folder: Path, problems: list[Problem]) -> tuple[dict[str, Any], str | None]:
    file = next((folder / name for name in _FILES if (folder / name).is_file()), None)
    if file is None:
        problems.append(Problem("spec.path", f"{str(folder)!r} holds none of {', '.join(_FILES)}"))
        return {}, None
    raw = _parse(file, problems)
    rubric = _text_file(folder, _RUBRICS, problems)
    if rubric is not None:
        raw["rubric"] = rubric
    if not any(raw.get(key) for key in POLICY_KEYS):
        policy = _text_file(folder, _POLICIES, problems)
        if policy is not None:
            raw["system_prompt"] = policy
    return raw, folder.resolve().name


def _text_file(folder: Path, names: Iterable[str], problems: list[Problem]) -> str | None:
    for name in names:
        path = folder / name
        if path.exists():
            return _text(path, problems)
    return None


def _text(path: Path, problems: list[Problem]) -> str | None:
    try:
        if path.stat().st_size > _MAX_BYTES:
            problems.append(Problem(str(path), f"is larger than {_MAX_BYTES} bytes"))
            return None
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem(str(path), f"cannot be read: {error}"))
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each; a second one would silently win."""
    out = dict(pairs)
    if len(out) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in out if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return out


def _yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Safe loading that refuses a key given twice."""

    def mapping(loader: Loader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if (key.tag, key.value) in seen:
                    raise ValueError(f"the key {key.value!r} is given twice (line {key.start_mark.line + 1})")
                seen.add((key.tag, key.value))
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return yaml.load(text, Loader)  # noqa: S506 - a safe loader


def _parse(path: Path, problems: list[Problem]) -> dict[str, Any]:
    text = _text(path, problems)
    if text is None:
        return {}
    try:
        if path.suffix in (".yaml", ".yml"):
            value = _yaml(text)
        else:
            value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        problems.append(Problem(str(path), f"is not valid {path.suffix[1:].upper()}: {error}"))
        return {}
    except Exception as error:  # yaml has its own tree of errors, all of them about the file
        problems.append(Problem(str(path), f"is not valid YAML: {' '.join(str(error).split())}"))
        return {}
    if isinstance(value, list):
        return {"tools": value}
    if not isinstance(value, dict):
        problems.append(Problem(str(path), f"holds {type(value).__name__}, not an object with tools and policy"))
        return {}
    return {str(key): item for key, item in value.items()}
