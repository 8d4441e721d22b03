"""Which model answers: from a reference in the plan to something that can be called.

This is the only place of the engine that reads an environment variable for a key. The key leaves it as a `Secret`,
which only the transport opens.

A back end is one file in this package: a factory `(ref, link) -> ChatModel` registered under its kind. A `target` in
the reference names a factory of the user's own, called the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, cast, runtime_checkable

from .._clock import Clock, SystemClock
from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..knobs import ModelKnobs
from ..plan.refs import PROVIDERS
from ..plan.types import ModelRef
from ..ports import ChatModel
from ..registry import Registry, load_target

backends: Registry[ChatModel] = Registry("model backend", "whileai_exp.models")


class Secret:
    """A key that cannot be printed, copied, pickled or serialised; `reveal` is for the transport alone."""

    __slots__ = ("_reveal", "name")

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        """The variable it came from."""
        self._reveal: Callable[[], str] = lambda: value

    def reveal(self) -> str:
        return self._reveal()

    def redacted(self, text: str) -> str:
        """`text` with every occurrence of the key, plain or JSON-escaped, replaced by its name."""
        value = self._reveal()
        return text.replace(value, f"[secret:{self.name}]") if len(value) > 3 else text

    def __repr__(self) -> str:
        return f"Secret({self.name})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be pickled or copied")

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self


@runtime_checkable
class Warmable(Protocol):
    """A model whose endpoint can be waited for before anything is spent."""

    async def warm_up(self) -> None: ...


async def warm_up(model: ChatModel) -> None:
    """Wait until a model's endpoint serves, one probe and not a herd; nothing to do for models without one.

    KeyRefused for a bad key and BackendError for an address that does not answer, before the first rollout.
    """
    if isinstance(model, Warmable):
        await model.warm_up()


@dataclass(frozen=True, slots=True)
class Link:
    """What a back end's factory gets beside the reference."""

    timeout_s: float
    """Deadline of one attempt of one model call, first byte and body together."""
    knobs: ModelKnobs
    clock: Clock
    key: Secret | None = None
    seed: int = 0
    """The run's seed, for models that are made of draws (the scripted one)."""


def connect(ref: ModelRef, *, timeout_s: float, knobs: ModelKnobs, clock: Clock | None = None, seed: int = 0) -> ChatModel:
    """The model that `ref` names, not yet contacted.

    ConfigError for an unknown kind (with the nearest), a missing model or address, an option that the kind does not
    have, and a key variable that is not set, which is named.
    """
    link = Link(timeout_s, knobs, clock or SystemClock(), key_of(ref), seed)
    if ref.target is not None:
        factory = cast("Callable[[ModelRef, Link], ChatModel]", load_target(ref.target))
    else:
        factory = backends.factory(ref.kind)
    return factory(ref, link)


def key_of(ref: ModelRef) -> Secret | None:
    """The key for `ref`, from the variable it names or its provider's usual one; None when it needs none.

    The usual variable may be missing when the reference brings its own address: local servers ask for no key.
    """
    usual = PROVIDERS.get(ref.kind)
    variable = ref.api_key_env or usual
    if variable is None:
        return None
    value = os.environ.get(variable, "").strip()
    if value:
        return Secret(variable, value)
    if variable == usual and ref.base_urls:
        return None
    raise ConfigError(
        Problem(
            f"{ref.kind}.api_key_env",
            f"the environment variable {variable} is not set or empty",
            f"export {variable}, or name another variable in api_key_env",
        )
    )


def options_of(ref: ModelRef, known: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
    """The reference's options, checked against the ones a kind has. ConfigError names every bad one."""
    problems = [
        Problem(f"{ref.kind}.{name}", "unknown option", did_you_mean(name, known)) for name in ref.options if name not in known
    ]
    problems += [
        Problem(f"{ref.kind}.{name}", f"{value!r} is not {known[name]!r}")
        for name, value in ref.options.items()
        if name in known and not isinstance(value, known[name])
    ]
    if problems:
        raise ConfigError(problems)
    return dict(ref.options)


def named_models() -> dict[str, str]:
    """The models that the environment names for roles nobody else named: WHILEAI_EXP_AGENT and WHILEAI_EXP_JUDGE."""
    return {name: os.environ[name] for name in ("WHILEAI_EXP_AGENT", "WHILEAI_EXP_JUDGE") if os.environ.get(name)}


def child_environment() -> dict[str, str]:
    """The environment of a process that serves a model: what Python needs to start, and no key."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ}
