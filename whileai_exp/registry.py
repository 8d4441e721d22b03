"""Plug-ins by name: one file in a stage's folder is one plug-in, and no list is edited to add it.

A `Registry` scans its package the first time a name is asked for (modules whose names start with `_` are machinery).
Outside code registers through the same decorator, or is named as `{target: "module:attr"}`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from ._text import did_you_mean
from .errors import ConfigError, Problem

T = TypeVar("T")


class Registry(Generic[T]):
    """Factories of one kind of plug-in, by name."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._factories: dict[str, Callable[..., T]] = {}
        self._scanned = False

    def register(self, name: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Decorator: `@judges.register("length")` on a class or function that builds the plug-in."""

        def keep(factory: Callable[..., T]) -> Callable[..., T]:
            known = self._factories.get(name)
            if known is not None and known is not factory:
                raise ConfigError(f"{self.kind} {name!r} is registered twice: {known!r} and {factory!r}")
            self._factories[name] = factory
            return factory

        return keep

    def _scan(self) -> None:
        if self._scanned:
            return
        self._scanned = True
        package = importlib.import_module(self.package)
        for found in pkgutil.iter_modules(package.__path__):
            if not found.name.startswith("_"):
                importlib.import_module(f"{self.package}.{found.name}")

    def names(self) -> list[str]:
        self._scan()
        return sorted(self._factories)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: str) -> bool:
        self._scan()
        return name in self._factories

    def factory(self, name: str) -> Callable[..., T]:
        """The factory behind a name; an unknown name is a ConfigError that suggests the nearest."""
        self._scan()
        if name not in self._factories:
            raise ConfigError(Problem(self.kind, f"{name!r} is no {self.kind}", did_you_mean(name, self._factories)))
        return self._factories[name]

    def create(self, config: Mapping[str, Any], **extra: Any) -> T:
        """Build from `{kind: name, **arguments}` or `{target: "module:attr", **arguments}`."""
        arguments = {key: value for key, value in config.items() if key not in ("kind", "target")}
        kind, target = config.get("kind"), config.get("target")
        if (kind is None) == (target is None):
            raise ConfigError(Problem(self.kind, f"give either kind or target, got {dict(config)!r}"))
        factory = load_target(str(target)) if target is not None else self.factory(str(kind))
        if target is not None and not isinstance(factory, type) and not arguments:
            return cast("T", factory)
        problems = list(_misfits(factory, arguments))
        if problems:
            raise ConfigError(problems)
        return factory(**arguments, **extra)


def _misfits(factory: Callable[..., Any], arguments: Mapping[str, Any]) -> Iterator[Problem]:
    """What in `arguments` the factory does not take: unknown names, missing ones, and plainly wrong types."""
    try:
        parameters = inspect.signature(factory).parameters
        hints = typing.get_type_hints(factory if not isinstance(factory, type) else factory.__init__)
    except (TypeError, ValueError, NameError):
        return
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name, value in arguments.items():
        if name not in parameters:
            if not open_ended:
                yield Problem(name, "is not a setting of it", did_you_mean(name, parameters))
        elif not _fits(value, hints.get(name, Any)):
            yield Problem(
                name,
                f"{value!r} is not {getattr(hints[name], '__name__', hints[name])}",
                f"the default is {parameters[name].default!r}",
            )
    for name, parameter in parameters.items():
        if (
            parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            and name not in arguments
        ):
            yield Problem(name, "is required and was not given")


def _fits(value: Any, hint: Any) -> bool:
    """Whether a YAML value can stand for an annotation; annotations that are not simple types accept anything."""
    options = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    simple = {int, float, str, bool, type(None)}
    if not set(options) <= simple:
        return True
    if isinstance(value, bool):
        return bool in options
    return isinstance(value, tuple(options)) or (isinstance(value, int) and float in options)


def load_target(target: str) -> Any:
    """The object behind `module:attr` or `path/to/file.py:attr`. ConfigError when it is not there."""
    where, _, attr = target.partition(":")
    if not where or not attr:
        raise ConfigError(Problem("target", f"{target!r} is not 'module:attr' or 'file.py:attr'"))
    try:
        if where.endswith(".py"):
            path = Path(where).resolve()
            spec = importlib.util.spec_from_file_location(f"whileai_exp_target_{path.stem}", path)
            if spec is None or spec.loader is None or not path.is_file():
                raise ConfigError(Problem("target", f"there is no file {where!r}"))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
    except ImportError as error:
        raise ConfigError(Problem("target", f"{where!r} cannot be imported: {error}")) from error
    value: Any = module
    for part in attr.split("."):
        if not hasattr(value, part):
            raise ConfigError(Problem("target", f"{where!r} has no {attr!r}", did_you_mean(part, vars(module))))
        value = getattr(value, part)
    return value
