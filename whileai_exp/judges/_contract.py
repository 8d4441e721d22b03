"""The judge contract: what a judge may return, and what each thing it returns becomes.

    a number or bool in [0, 1]                      that reward (bool, numpy and torch scalars, Decimal, Fraction; never text)
    {"reward"|"score": number, "reason"?, "markers"?, "failure_class"?, …}   that reward; the rest is kept
    {"reward": None, …}                             abstained: the judge declines
    a mapping without reward or score               missing_reward
    anything else, or a number outside [0, 1]       invalid_result
    an exception                                    error
    too slow                                        timeout

With `scale=(lo, hi)` the number is read from `rating`, else `score`, else `reward`, must lie on the scale, and becomes
(x - lo) / (hi - lo). Nothing is scored zero by accident: reward is None unless the status is ok.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from .._hash import plain
from ..schema import JudgeIdentity, JudgeStatus, Judgment, reward_of

_OWN = frozenset({"reward", "score", "rating", "reason", "markers", "failure_class", "judge_meta", "judge_status", "status"})


_STATUSES = frozenset(str(status) for status in JudgeStatus)
Scale = tuple[float, float]


def verdict_of(
    value: Any, rollout_id: str, judge: JudgeIdentity, *, reason_chars: int = 2000, scale: Scale | None = None
) -> Judgment:
    """The judgment that a judge's return value stands for."""
    if not isinstance(value, Mapping):
        return _from_number(value, rollout_id, judge, scale)
    meta = {str(key): _meta_value(item) for key, item in value.items() if key not in _OWN or (key == "rating" and scale is None)}
    nested = value.get("judge_meta")
    if isinstance(nested, Mapping):
        meta.update({str(key): _meta_value(item) for key, item in nested.items()})
    markers, dropped = _markers(value.get("markers"))
    if dropped:
        meta["markers_not_numbers"] = dropped
    reason = value.get("reason")
    failure = value.get("failure_class")
    common: dict[str, Any] = {
        "rollout_id": rollout_id,
        "judge": judge,
        "reason": str(reason)[:reason_chars] if reason is not None else "",
        "markers": markers,
        "failure_class": str(failure) if failure is not None else None,
    }
    own_status = value.get("judge_status", value.get("status"))
    if own_status is not None and own_status != "ok" and own_status in _STATUSES:
        return Judgment(reward=None, status=JudgeStatus(own_status), meta=meta, **common)
    named = ("reward", "score") if scale is None else ("rating", "score", "reward")
    key = next((name for name in named if name in value), None)
    if key is None:
        return Judgment(
            reward=None, status=JudgeStatus.MISSING_REWARD, meta={**meta, "returned_keys": sorted(map(str, value))}, **common
        )
    if value[key] is None:
        return Judgment(reward=None, status=JudgeStatus.ABSTAINED, meta=meta, **common)
    reward, told = _on_scale(value[key], scale)
    if reward is None:
        return Judgment(reward=None, status=JudgeStatus.INVALID_RESULT, meta={**meta, "returned": _shown(value[key])}, **common)
    return Judgment(reward=reward, status=JudgeStatus.OK, meta={**meta, **told} if told else meta, **common)


def _from_number(value: Any, rollout_id: str, judge: JudgeIdentity, scale: Scale | None) -> Judgment:
    reward, told = _on_scale(value, scale)
    if reward is None:
        return Judgment(rollout_id, judge, None, JudgeStatus.INVALID_RESULT, meta={"returned": _shown(value)})
    return Judgment(rollout_id, judge, reward, JudgeStatus.OK, meta=told)


def _on_scale(value: Any, scale: Scale | None) -> tuple[float | None, dict[str, Any]]:
    """The reward, and what is noted about how it was read. A bool is no rating; a number off the scale is no reward."""
    if scale is None:
        return reward_of(value), {}
    low, high = scale
    if isinstance(value, (bool, str, bytes)) or value is None:
        return None, {}
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, Fraction)):
        return None, {}
    rating = float(value)
    if not isfinite(rating) or not low <= rating <= high:
        return None, {}
    return round((rating - low) / (high - low), 6), {"rating": plain(rating), "scale": [plain(low), plain(high)]}


def failed(rollout_id: str, judge: JudgeIdentity, status: JudgeStatus, why: str, **more: Any) -> Judgment:
    """A judgment that could not be made, with the reason where a person finds it."""
    return Judgment(rollout_id, judge, None, status, meta={"error": why, **more})


def _markers(given: Any) -> tuple[dict[str, float], list[str]]:
    if not isinstance(given, Mapping):
        return {}, []
    kept: dict[str, float] = {}
    dropped: list[str] = []
    for name, value in given.items():
        number = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
        if isinstance(number, (bool, int, float)) and isfinite(number):
            kept[str(name)] = float(number)
        else:
            dropped.append(str(name))
    return kept, dropped


def _meta_value(value: Any) -> Any:
    try:
        return plain(value)
    except TypeError:
        return f"<{type(value).__name__}>"


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"[:120] if isinstance(value, (int, float, str, bool)) else type(value).__name__
