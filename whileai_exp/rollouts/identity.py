"""How groups and rollouts are named, and where in the journal and in the random streams they stand.

Under `runs=N` one task set is played N times; the run's index keeps ids, journal entries and draws apart.
"""

from __future__ import annotations

from ..schema import Task


def group_id(task: Task) -> str:
    """The name of the task's group of repeats in this run: `task_id`, or `task_id@r2` in a later run of `runs=N`."""
    run = task.lineage.eval_run
    return f"{task.task_id}@r{run}" if run else task.task_id


def rollout_id(task: Task, repeat: int) -> str:
    """`task_id/repeat`, with the run's suffix in a later run of `runs=N`."""
    run = task.lineage.eval_run
    return f"{task.task_id}/{repeat}@r{run}" if run else f"{task.task_id}/{repeat}"
