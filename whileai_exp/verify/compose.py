"""Several checks as one reward: all of them, any of them, or a weighted share; verifiers and plain judges alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from .._hash import sha
from ..errors import ConfigError, Problem
from ..schema import reward_of
from ._base import Row, Verifier, as_verifier, names_of


@dataclass(frozen=True, init=False)
class _Composed(Verifier):
    parts: tuple[Callable[[Row], Any], ...]

    needs_reference = False

    def __init__(self, *parts: Any, name: str | None = None) -> None:
        given = tuple(parts[0]) if len(parts) == 1 and isinstance(parts[0], (list, tuple)) else parts
        if not given:
            raise ConfigError(Problem("parts", "is empty", f"name what {type(self).__name__} is made of"))
        wrong = [type(part).__name__ for part in given if not callable(part) or isinstance(part, type)]
        if wrong:
            raise ConfigError(Problem("parts", f"{', '.join(wrong)} cannot be called", "pass verifiers or functions of a row"))
        object.__setattr__(self, "parts", tuple(as_verifier(part) for part in given))
        object.__setattr__(self, "field", None)
        object.__setattr__(self, "name", name or f"{type(self).__name__}({', '.join(names_of(given))})")

    @property
    def version(self) -> str:
        inner = [str(getattr(part, "version", None) or getattr(part, "__qualname__", part)) for part in self.parts]
        return f"{type(self).__name__}:{sha([inner, self._settings()], 12)}"

    def _settings(self) -> Any:
        return None

    def __call__(self, row: Row) -> dict[str, Any]:
        told = [_asked(part, row) for part in self.parts]
        names = names_of(self.parts)
        rewards = [verdict["reward"] for verdict in told]
        markers = {f"part:{name}": reward for name, reward in zip(names, rewards) if reward is not None}
        for verdict in told:
            markers |= {k: v for k, v in (verdict.get("markers") or {}).items() if k not in markers}
        reward = self._combined(rewards)
        deciding = [
            f"{name}: {verdict['reason']}"
            for name, verdict in zip(names, told)
            if verdict.get("reason") and (reward is None) == (verdict["reward"] is None)
        ]
        out: dict[str, Any] = {"reward": reward, "markers": markers, "reason": "; ".join(deciding)[:500]}
        if reward is None:
            broken = next((verdict for verdict in told if verdict["reward"] is None), {})
            if broken.get("judge_status"):
                out["judge_status"] = broken["judge_status"]
        return out

    def _combined(self, rewards: Sequence[float | None]) -> float | None:
        raise NotImplementedError


def _asked(part: Callable[[Row], Any], row: Row) -> dict[str, Any]:
    try:
        value = part(row)
    except Exception as error:  # a part's failure leaves the row unjudged, with the reason
        return {"reward": None, "judge_status": "error", "reason": f"{type(error).__name__}: {error}"[:200]}
    if not isinstance(value, Mapping):
        value = {"reward": value}
    given = value.get("reward", value.get("score"))
    reward = reward_of(given)
    if reward is None and given is not None:
        return {**value, "reward": None, "judge_status": "invalid_result", "reason": "a part returned no reward in [0, 1]"}
    return {**value, "reward": reward}


class All(_Composed):
    """The least reward of the parts: right answer and right form. A part that is 0 decides; else one without a verdict
    leaves the row unjudged."""

    def _combined(self, rewards: Sequence[float | None]) -> float | None:
        known = [reward for reward in rewards if reward is not None]
        if 0.0 in known:
            return 0.0
        return min(known) if len(known) == len(rewards) else None


class Any_(_Composed):
    """The best reward of the parts. A part that is 1 decides; else one without a verdict leaves the row unjudged."""

    def _combined(self, rewards: Sequence[float | None]) -> float | None:
        known = [reward for reward in rewards if reward is not None]
        if 1.0 in known:
            return 1.0
        return max(known) if len(known) == len(rewards) else None


Any_.__name__ = Any_.__qualname__ = "Any"


@dataclass(frozen=True, init=False)
class Weighted(_Composed):
    """The weighted mean of the parts: `Weighted((verifier, 2), (other, 1))`. Weights are 0 or more, their sum is above 0.

    A part without a verdict leaves the row unjudged, unless its weight is 0.
    """

    weights: tuple[float, ...]

    def __init__(self, *pairs: Any, name: str | None = None) -> None:
        given = (
            list(pairs[0])
            if len(pairs) == 1 and isinstance(pairs[0], (list, tuple)) and not callable(pairs[0][0])
            else list(pairs)
        )
        if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in given):
            raise ConfigError(Problem("parts", "are not pairs", "Weighted((verifier, 2), (other, 1))"))
        super().__init__(*[part for part, _ in given], name=name)
        weights = [weight for _, weight in given]
        good = all(isinstance(w, (int, float)) and not isinstance(w, bool) and isfinite(w) and w >= 0 for w in weights)
        if not good or sum(weights) <= 0:
            raise ConfigError(
                Problem(
                    "weights",
                    f"{weights!r} must be 0 or more with a sum above 0",
                    "a penalty is a part that is 1 when it is clean",
                )
            )
        object.__setattr__(self, "weights", tuple(float(w) for w in weights))

    def _settings(self) -> Any:
        return list(self.weights)

    def _combined(self, rewards: Sequence[float | None]) -> float | None:
        counted = [(reward, weight) for reward, weight in zip(rewards, self.weights) if weight > 0]
        if any(reward is None for reward, _ in counted):
            return None
        return sum((reward or 0.0) * weight for reward, weight in counted) / sum(weight for _, weight in counted)
