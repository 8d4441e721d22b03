"""One declaration per number: its default, bounds, unit, meaning, and where the default comes from.

A knob is a pydantic field made by `knob(...)` on a `Knobs` model. Everything else is derived from that field: bounds
errors, the Hydra group `advanced`, the printed table, MLflow params and generated tests. What a type, the schema or
the mathematics fixes (the 0.5 threshold of a pass, statuses) is not a knob.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .._text import did_you_mean
from ..errors import ConfigError, Problem


class Source(str):
    """Where a default comes from, as text that knows its `kind`: measured, paper, chapter, derived or convention."""

    kind: str

    def __new__(cls, kind: str, detail: str = "") -> Source:
        made = super().__new__(cls, f"{kind}: {detail}" if detail else kind)
        made.kind = kind
        return made


def measured(what: str) -> Source:
    """We, or somebody named, measured it."""
    return Source("measured", what)


def paper(ref: str, where: str = "") -> Source:
    """An arXiv id or a citation."""
    return Source("paper", f"{ref} {where}".strip())


def chapter(name: str) -> Source:
    """A chapter of rlhfbook.com."""
    return Source("chapter", name)


def derived(how: str) -> Source:
    """Follows from arithmetic or from the structure of the problem."""
    return Source("derived", how)


def convention(note: str = "untested") -> Source:
    """Habit. The honest label for a number nobody measured."""
    return Source("convention", note)


def knob(
    default: Any,
    *,
    ge: float | None = None,
    le: float | None = None,
    gt: float | None = None,
    unit: str = "",
    why: str,
    source: Source,
) -> Any:
    """A pydantic field that carries a knob's whole declaration."""
    extra: dict[str, Any] = {"unit": unit, "source": source}
    return Field(default, ge=ge, le=le, gt=gt, description=why, json_schema_extra=extra, validate_default=True)


class Knobs(BaseModel):
    """Base of every knob table: frozen, strict, no unknown keys, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class KnobInfo(NamedTuple):
    """One row of the knob table."""

    name: str
    default: Any
    low: float | None
    high: float | None
    open_low: bool
    type: str
    unit: str
    why: str
    source: Source
    stage: str


K = TypeVar("K", bound=Knobs)


def info_of(model: type[Knobs]) -> list[KnobInfo]:
    """Every knob of a table in declaration order, bases first."""
    out: list[KnobInfo] = []
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        if not isinstance(extra, dict) or "source" not in extra:
            continue
        low = high = None
        open_low = False
        for rule in field.metadata:
            low = getattr(rule, "ge", low)
            high = getattr(rule, "le", high)
            if getattr(rule, "gt", None) is not None:
                low, open_low = rule.gt, True
        kind = getattr(field.annotation, "__name__", str(field.annotation))
        owner = next((base for base in reversed(model.__mro__) if name in getattr(base, "__annotations__", {})), model)
        stage = getattr(owner, "__module__", "").rsplit(".", 1)[-1]
        source = extra["source"]
        assert isinstance(source, Source)
        out.append(
            KnobInfo(name, field.default, low, high, open_low, kind, str(extra["unit"]), field.description or "", source, stage)
        )
    return out


def resolve(
    model: type[K], values: Mapping[str, Any] | None, where: str = "advanced", origins: Mapping[str, str] | None = None
) -> K:
    """A table with `values` laid over its defaults. Every problem at once, each naming bound, default and meaning."""
    problems = list(problems_of(model, values or {}, where, origins or {}))
    if problems:
        raise ConfigError(problems)
    return model(**dict(values or {}))


def problems_of(model: type[BaseModel], values: Mapping[str, Any], where: str, origins: Mapping[str, str]) -> Iterable[Problem]:
    """What is wrong with `values` for `model`, nested models included, as complete sentences."""
    try:
        model(**dict(values))
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            yield problem_from(model, detail, where, origins)


def problem_from(model: type[BaseModel], detail: Mapping[str, Any], where: str, origins: Mapping[str, str]) -> Problem:
    """One pydantic error as a Problem in this package's words."""
    path = [str(part) for part in detail["loc"]]
    owner: Any = model
    for part in path[:-1]:
        field = getattr(owner, "model_fields", {}).get(part)
        owner = _model_in(field.annotation) if field is not None else None
    name = ".".join(([where] if where else []) + path)
    given = detail.get("input")
    origin = next(
        (origins[".".join(path[: n + 1])] for n in reversed(range(len(path))) if ".".join(path[: n + 1]) in origins), ""
    )
    fields = getattr(owner, "model_fields", {})
    if detail["type"] == "extra_forbidden":
        return Problem(name, "unknown key", did_you_mean(path[-1], fields), origin)
    if detail["type"] == "missing":
        return Problem(name, "is required and was not given", "", origin)
    known = {info.name: info for info in info_of(owner)} if isinstance(owner, type) and issubclass(owner, Knobs) else {}
    info = known.get(path[-1]) if path else None
    if info is None:
        return Problem(name, f"{given!r} is not allowed: {detail['msg'][:1].lower()}{detail['msg'][1:]}", "", origin)
    return Problem(name, f"{given!r} {_against(detail['type'], info)}", f"the default is {info.default!r} ({info.why})", origin)


def _against(kind: str, info: KnobInfo) -> str:
    if kind in ("greater_than_equal", "greater_than"):
        return f"is below its floor {info.low:g}{' (not included)' if info.open_low else ''}"
    if kind in ("less_than_equal", "less_than"):
        return f"is above its ceiling {info.high:g}"
    if kind == "finite_number":
        return "is not a finite number"
    return f"is not {_article(info.type)}{_range(info)}"


def _article(kind: str) -> str:
    names = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}
    return names.get(kind, kind)


def _range(info: KnobInfo) -> str:
    if info.low is None and info.high is None:
        return ""
    return f" in {'(' if info.open_low else '['}{'-inf' if info.low is None else f'{info.low:g}'}, {'inf' if info.high is None else f'{info.high:g}'}]"


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        found = _model_in(part)
        if found is not None:
            return found
    return None
