"""What was asked for against what was delivered: mixes of the draw, length of the talks, and the people in them.

A gap that a person would want to know is a warning that names the value to change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..plan import Plan
from ..rollouts.user import fidelity
from ..schema import Task
from ..situations import Draw

Row = Mapping[str, Any]
_SAID_SHARE = 0.9
"""Under this share of what was asked for, the shortfall is said."""


def delivered(plan: Plan, draw: Draw, rows: Sequence[Row]) -> dict[str, Any]:
    """Counts and shares over rows, beside what the plan asked for; of a task set that was given, that is the set."""
    tasks, counts = draw.tasks, plan.counts
    if draw.coverage.get("replayed"):
        counts = replace(counts, situations=len(tasks), phrasings=1)
    n = len(rows)
    faulted = sum(any(fault.get("fired") for fault in row.get("faults") or ()) for row in rows)
    planned = sum(bool(row.get("faults")) for row in rows)
    turns = [1 + sum("user" in step for step in row.get("steps") or ()) for row in rows]
    hard = sum(row.get("tier") not in (None, "ordinary") for row in rows)
    return {
        "requested": {
            "situations": counts.situations,
            "phrasings": counts.phrasings,
            "repeats": counts.repeats,
            "rollouts": min(counts.rollouts, plan.limits.rollouts or counts.rollouts) * counts.runs,
            "hard_share": plan.writer.hard_share,
            "fault_rate": plan.writer.fault_rate,
        },
        "delivered": {
            "situations": len({(task.situation.situation_id, task.world.seed) for task in tasks}),
            "combinations": len({task.situation.situation_id for task in tasks}),
            "tasks": len(tasks),
            "rollouts": n,
            "by_status": _counted(row.get("status") for row in rows),
            "by_tier": _counted(row.get("tier") for row in rows),
            "by_stance": _counted(row.get("stance") for row in rows),
            "by_writer": _counted(row.get("writer_model") for row in rows),
            "hard_share": hard / n if n else None,
            "planned_fault_share": planned / n if n else None,
            "fired_fault_share": faulted / n if n else None,
            "mean_user_turns": sum(turns) / n if n else None,
            "user_turns_3plus_share": sum(t >= 3 for t in turns) / n if n else None,
        },
    }


def shortfalls(plan: Plan, report: Mapping[str, Any], stopped_because: str) -> list[str]:
    """Sentences for what fell short, each with the value that changes it."""
    asked, got = report["requested"], report["delivered"]
    out = []
    if got["situations"] < asked["situations"]:
        out.append(
            f"{got['situations']} of {asked['situations']} situations could be drawn: give the agent more tools or policy, or lower counts.situations"
        )
    adaptive = str(plan.policy) in ("successive", "adaptive")
    if not adaptive and got["rollouts"] < _SAID_SHARE * asked["rollouts"]:
        out.append(f"{got['rollouts']} of {asked['rollouts']} rollouts were played (stopped because: {stopped_because})")
    return out


def people(tasks: Sequence[Task], rows: Sequence[Row]) -> dict[str, Any]:
    """How well the simulated people kept to their briefs, over the rows in which they said more than the opening ask."""
    briefs = {task.task_id: task.user for task in tasks}
    checked = unfaithful = left = 0
    invented: Counter[str] = Counter()
    for row in rows:
        lines = [str(step["user"]) for step in row.get("steps") or () if "user" in step]
        brief = briefs.get(str(row.get("task_id")))
        left += row.get("ended_by") == "user_left"
        if not lines or brief is None:
            continue
        found = fidelity(brief, lines, left=row.get("ended_by") == "user_left")
        checked += 1
        unfaithful += not found["faithful"]
        invented.update(map(str, found["facts_invented"]))
    return {
        "n_checked": checked,
        "unfaithful_share": unfaithful / checked if checked else None,
        "left_share": left / len(rows) if rows else None,
        "facts_invented": dict(invented.most_common(10)),
    }


def _counted(values: Any) -> dict[str, int]:
    return {str(key): count for key, count in sorted(Counter(map(str, values)).items())}
