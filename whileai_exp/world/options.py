"""What can a user change about the mock world? Options, checked in full before anything is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..registry import load_target

Json = Any
ResultBuilder = Callable[..., Json]


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """Options of the mock world, as `world.options` in an experiment or `world=` in a call."""

    entities: Mapping[str, Mapping[str, Mapping[str, Json]]] = field(default_factory=dict)
    """Things that exist from the start: kind to identifier to fields, e.g. `{"item": {"SKU-1": {"stock": 100}}}`."""
    results: Mapping[str, Json] = field(default_factory=dict)
    """Tool to a fixed result, or to a builder `(tool, arguments, record) -> result` (a callable or `module:attr`)."""
    search_hits: int | None = None
    """Most extra records a search shows; None: the knob `world_search_hits`."""
    strangers_exist: float | None = None
    """Share of identifiers nobody mentioned that exist; None: the knob `world_strangers_exist`."""
    unknown_arguments: str = "reject"
    """`reject` or `ignore` arguments a tool does not declare, where its schema leaves that open."""
    now: str = "2026-03-09T10:00:00"
    """The world's clock: what time tools say, and when new records are made. ISO 8601."""

    @classmethod
    def read(cls, raw: Mapping[str, Any] | WorldOptions | None, tools: tuple[str, ...] = ()) -> WorldOptions:
        """Options from plain data. ConfigError carries every problem: unknown names, wrong types, tools that are not there."""
        if isinstance(raw, WorldOptions):
            return raw
        values = dict(raw or {})
        known = [item.name for item in fields(cls)]
        problems = [
            Problem(f"world.{name}", "unknown option", did_you_mean(str(name), known)) for name in values if name not in known
        ]
        made: dict[str, Any] = {name: value for name, value in values.items() if name in known}
        problems += _entities(made.get("entities", {}))
        problems += _results(made, tools)
        problems += _numbers(made)
        if made.get("unknown_arguments", "reject") not in ("reject", "ignore"):
            problems.append(Problem("world.unknown_arguments", f"{made['unknown_arguments']!r} is not 'reject' or 'ignore'"))
        if "now" in made:
            problems += _clock(made["now"])
        if problems:
            raise ConfigError(problems)
        return cls(**made)


def _entities(raw: Any) -> list[Problem]:
    if not isinstance(raw, Mapping):
        return [Problem("world.entities", f"is {type(raw).__name__}, not an object of kind to identifier to fields")]
    out: list[Problem] = []
    for kind, things in raw.items():
        if not isinstance(things, Mapping):
            out.append(Problem(f"world.entities.{kind}", f"is {type(things).__name__}, not an object of identifier to fields"))
            continue
        out += [
            Problem(f"world.entities.{kind}.{key}", f"is {type(record).__name__}, not an object of fields")
            for key, record in things.items()
            if not isinstance(record, Mapping)
        ]
    return out


def _results(made: dict[str, Any], tools: tuple[str, ...]) -> list[Problem]:
    raw = made.get("results", {})
    if not isinstance(raw, Mapping):
        return [Problem("world.results", f"is {type(raw).__name__}, not an object of tool to result")]
    out = [
        Problem(f"world.results.{name}", "there is no such tool", did_you_mean(str(name), tools))
        for name in raw
        if tools and name not in tools
    ]
    loaded: dict[str, Any] = {}
    for name, value in raw.items():
        loaded[name] = value
        if isinstance(value, Mapping) and set(value) == {"target"}:
            try:
                loaded[name] = load_target(str(value["target"]))
            except ConfigError as error:
                out += [Problem(f"world.results.{name}", str(problem)) for problem in error.problems]
    if loaded:
        made["results"] = loaded
    return out


def _numbers(made: Mapping[str, Any]) -> list[Problem]:
    out: list[Problem] = []
    hits = made.get("search_hits")
    if hits is not None and (not isinstance(hits, int) or isinstance(hits, bool) or not 0 <= hits <= 50):
        out.append(Problem("world.search_hits", f"{hits!r} is not a whole number from 0 to 50"))
    share = made.get("strangers_exist")
    if share is not None and (not isinstance(share, (int, float)) or isinstance(share, bool) or not 0 <= share <= 1):
        out.append(Problem("world.strangers_exist", f"{share!r} is not a number from 0 to 1"))
    return out


def _clock(now: Any) -> list[Problem]:
    from datetime import datetime

    try:
        datetime.fromisoformat(now)
    except (TypeError, ValueError):
        return [Problem("world.now", f"{now!r} is not an ISO 8601 date and time")]
    return []
