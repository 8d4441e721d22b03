"""What an environment is checked for before it is written, beside its battery: verdicts, keys, secrets, and the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ...knobs import RunKnobs
from ...schema import GateResult, GateStatus, Judgment, reward_of, task_key
from ...schema.steps import dumps
from ...selection._hygiene import leak_reason
from ..checks import holds_secret
from .loaded import public_line
from .tasks import BAND, Split, shows_key

Row = Mapping[str, Any]
_TOLERANCE = 1e-9


def content_gates(rows: Sequence[Row], made: Split, meta: Mapping[str, Any], knobs: RunKnobs) -> list[GateResult]:
    """The checks of what is going to be in the package."""
    return [
        _band(made),
        _holdout(made),
        _contamination(made),
        _leaks(rows, made, knobs),
        _shown(made, knobs),
        _secrets(made, meta),
        _rules(made, meta),
    ]


def _band(made: Split) -> GateResult:
    out = {reason: len(made.drops[reason]) for reason in BAND if reason in made.drops}
    said = f"{len(made.train)} train tasks in {list(made.band)}, {sum(out.values())} outside it or without two verdicts"
    return GateResult("band", GateStatus.PASS, said, {"value": len(made.train), **out})


def _holdout(made: Split) -> GateResult:
    n = len(made.holdout)
    status = GateStatus.PASS if n else GateStatus.WARN
    return GateResult("holdout", status, f"{n} tasks held out, of every difficulty", {"value": n, "n": made.n})


def _contamination(made: Split) -> GateResult:
    n = int(made.contamination["n_contaminated"])
    said = f"{n} train tasks were, or paraphrased, held-out ones and were left out"
    return GateResult("contamination", GateStatus.PASS, said, {"value": n, "n": int(made.contamination["n"])})


def _leaks(rows: Sequence[Row], made: Split, knobs: RunKnobs) -> GateResult:
    """An agent that recites its key got it from the prompt, the tools or the person: so would the next one."""
    held = {item.task.task_id: item.task.privileged for item in (*made.train, *made.holdout) if item.task.privileged is not None}
    known = [row for row in rows if task_key(row) in held]
    found = [row for row in known if leak_reason({**row, "privileged": held[task_key(row)]}, knobs.quote_chars) is not None]
    named = ", ".join(str(row.get("rollout_id")) for row in found[:5])
    said = f"{len(found)} of {len(known)} logged rollouts recite their answer key" + (f": {named}" if found else "")
    status = GateStatus.FAIL if found else GateStatus.PASS
    return GateResult(
        "no_leak", status, said, {"value": len(found), "n": len(known)}, "find where the agent was told" if found else ""
    )


def _shown(made: Split, knobs: RunKnobs) -> GateResult:
    found = [item.task.task_id for item in (*made.train, *made.holdout) if shows_key(item.task, knobs.quote_chars)]
    status = GateStatus.WARN if found else GateStatus.PASS
    said = f"{len(found)} asks hold their own reference word for word" + (f": {', '.join(found[:5])}" if found else "")
    return GateResult("key_in_ask", status, said, {"value": len(found)}, "is it meant to be found in the text?" if found else "")


def _secrets(made: Split, meta: Mapping[str, Any]) -> GateResult:
    found = [item.task.task_id for item in (*made.train, *made.holdout) if holds_secret(dumps(public_line(item.task, {})))]
    if holds_secret(orjson.dumps(meta)):
        found.append("the spec")
    said = f"{len(found)} tasks hold what looks like somebody's key" + (f": {', '.join(found[:5])}" if found else "")
    fix = "drop or mask them and revoke the keys" if found else ""
    return GateResult("secrets", GateStatus.FAIL if found else GateStatus.PASS, said, {"value": len(found)}, fix)


def _rules(made: Split, meta: Mapping[str, Any]) -> GateResult:
    """Whether the default reward has something to check beside manners."""
    both = (*made.train, *made.holdout)
    if meta["reward"].get("kind") != "task_checklist":
        return GateResult("outcome", GateStatus.PASS, "the reward is the caller's choice", {"n": len(both)})
    checked = sum(bool(_expected(item.task.privileged)) for item in both)
    said = f"the checklist can check the outcome of {checked} of {len(both)} tasks"
    if checked == len(both):
        return GateResult("outcome", GateStatus.PASS, said, {"value": checked, "n": len(both)})
    said += "; on the others it grades conduct alone, and a policy trained on that learns to do nothing"
    return GateResult("outcome", GateStatus.WARN, said, {"value": checked, "n": len(both)}, "pass reward= for these tasks")


def _expected(key: Mapping[str, Any] | None) -> Any:
    hidden = key.get("hidden_state") if key is not None else None
    return hidden.get("expected") if isinstance(hidden, Mapping) else None


def reproduction_gate(rows: Sequence[Row], again: Sequence[Judgment | None] | None, regraded: bool) -> GateResult:
    """Whether the written package gives the record's rewards. Unmeasured when that would cost model calls."""
    if again is None:
        return GateResult(
            "reproduces", GateStatus.UNMEASURED, "the reward is a model's: the record was not graded again", {"n": len(rows)}
        )
    differ = [
        str(row.get("rollout_id"))
        for row, verdict in zip(rows, again)
        if not _same(reward_of(row.get("reward")), verdict.reward if verdict is not None else None)
    ]
    of = "its own verdicts" if regraded else "the record's rewards"
    said = f"the package gives {of} on {len(rows) - len(differ)} of {len(rows)} rollouts" + (
        f"; not on {', '.join(differ[:5])}" if differ else ""
    )
    status = GateStatus.WARN if differ else GateStatus.PASS
    fix = "the reward is not a function of the rollout, or was another one" if differ else ""
    return GateResult("reproduces", status, said, {"value": len(rows) - len(differ), "n": len(rows)}, fix)


def _same(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return abs(left - right) <= _TOLERANCE
