"""Verdicts kept in the journal, so that a resumed or replayed run does not ask a judge twice.

A kept verdict's key is the judge's identity with its version, and the content of the row with its answer key. A judge
whose code cannot be read has no version, and nothing of it is kept. Failures are asked again on resume and repeated on
replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import orjson

from .._hash import canonical, plain
from ..errors import ReplayMismatch
from ..journal import Journal, encoded
from ..schema import JudgeIdentity, JudgeStatus, Judgment

_SETTLED = frozenset({JudgeStatus.OK, JudgeStatus.ABSTAINED, JudgeStatus.MISSING_REWARD, JudgeStatus.INVALID_RESULT})
_VERDICT = frozenset({"reward", "reason", "judge_name", "judge_status", "judge_meta", "failure_class", "markers"})


def verdict_key(who: JudgeIdentity, row: Mapping[str, Any]) -> bytes:
    """What decides a verdict, hashed: who judges, and what they are shown."""
    shown = {name: value for name, value in row.items() if name not in _VERDICT and name != "privileged"}
    held = row.get("privileged")
    secret = sha256(canonical(dict(held))).hexdigest() if isinstance(held, Mapping) else ""
    return sha256(
        encoded(["verdict", who.name, who.kind, who.model, who.prompt_sha, who.version, secret]) + canonical(shown)
    ).digest()


def kept_verdict(journal: Journal, key: bytes, who: JudgeIdentity, row: Mapping[str, Any]) -> Judgment | None:
    """The recorded verdict on a row, or None. ReplayMismatch when a replay has none."""
    entry = journal.find(key)
    rollout_id = str(row.get("rollout_id", ""))
    if entry is None:
        if journal.replay:
            raise ReplayMismatch(f"the journal has no verdict of {who.name} on {rollout_id}: the row or the judge differs")
        return None
    body = orjson.loads(entry.body)
    return Judgment(
        rollout_id,
        who,
        body["reward"],
        JudgeStatus(body["status"]),
        body["reason"],
        body["markers"],
        body["failure_class"],
        body["meta"],
    )


async def keep_verdict(journal: Journal, key: bytes, verdict: Judgment) -> None:
    """Record a verdict before anyone sees it."""
    body = {
        "reward": verdict.reward,
        "status": str(verdict.status),
        "reason": verdict.reason,
        "markers": plain(dict(verdict.markers)),
        "failure_class": verdict.failure_class,
        "meta": plain(dict(verdict.meta)),
    }
    address = f"verdict/{verdict.judge.name}/{verdict.rollout_id}"
    await journal.add(key, address, orjson.dumps(body), answered=verdict.status in _SETTLED)
