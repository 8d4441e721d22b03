"""Tasks that come back: from saved rows, a file, or an earlier draw, whole and keyed by task id.

A saved row lacks what must not be saved: the right arguments, the person's brief, the answer key. `rebuild` computes them
again from the row's coordinates. Rows of other people's tasks have no coordinates; they keep what they bring (a gold
reference in memory included) and nothing is invented for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..schema import Privileged, Spec, Task, from_row
from ..schema.shapes import shape_problems
from .axes import MULTI_TOOL, UNRELATED, UNSPECIFIED
from .draw import Draw
from .files import rows_in
from .tasks import TaskMaker


def rebuild(spec: Spec, row: Mapping[str, Any], knobs: RunKnobs) -> Task:
    """The task of a saved row, equal to the one that was played: arguments, brief and answer key restored.

    A row that this package did not draw comes back as it stands. ConfigError when the row has no readable shape.
    """
    return _rebuilt(TaskMaker(spec, knobs), row)


def _rebuilt(maker: TaskMaker, row: Mapping[str, Any]) -> Task:
    saved = from_row(row).task
    axes = dict(saved.situation.axes)
    if not _is_ours(maker, axes, row):
        return saved
    made = maker.task(
        axes,
        saved.world.seed,
        saved.prompt,
        phrasing=saved.phrasing,
        task_id=saved.task_id,
        arm=saved.situation.arm,
        reason=saved.situation.reason,
        tags=saved.tags,
        lineage=saved.lineage,
        faults=saved.world.faults,
        prefix=saved.prefix,
    )
    made = replace(made, situation=replace(made.situation, situation_id=saved.situation.situation_id))
    if saved.world.state != made.world.state:
        made = replace(made, world=replace(made.world, state=saved.world.state))
    if saved.privileged is not None:
        made = replace(made, privileged=saved.privileged)
    return made


def _is_ours(maker: TaskMaker, axes: Mapping[str, str], row: Mapping[str, Any]) -> bool:
    tool = axes.get("tool")
    if tool is None or "world_seed" not in row:
        return False
    return tool in (UNRELATED, MULTI_TOOL, UNSPECIFIED) or maker.tool_of(axes) is not None


def tasks_from(
    source: Iterable[Mapping[str, Any]] | str | Path | Draw | Sequence[Task],
    spec: Spec,
    knobs: RunKnobs,
    *,
    run_id: str | None = None,
    eval_run: int | None = None,
) -> tuple[Task, ...]:
    """The task set behind `source`, one task per task id in first-seen order.

    Rows of one id that disagree on the prompt are two tasks of a broken file: ConfigError. `run_id` and `eval_run` go on
    the lineage. Gold that came with a row (`privileged`) stays with the task in memory.
    """
    if isinstance(source, Draw):
        found: Iterable[Task] = source.tasks
    else:
        items = rows_in(Path(source)) if isinstance(source, (str, Path)) else list(source)
        if items and all(isinstance(item, Task) for item in items):
            found = [item for item in items if isinstance(item, Task)]
        else:
            found = _from_rows(items, spec, knobs)
    tasks = [_marked(task, run_id, eval_run) for task in found]
    if not tasks:
        raise ConfigError(Problem("tasks", "holds no row with a prompt", "give rows, a JSONL file, or an earlier run"))
    return tuple(tasks)


def _from_rows(rows: Sequence[Any], spec: Spec, knobs: RunKnobs) -> list[Task]:
    maker = TaskMaker(spec, knobs)
    kept: dict[str, Task] = {}
    problems: list[Problem] = []
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping):
            problems.append(Problem(f"tasks.{index}", f"is {type(row).__name__}, not a row", "give rows, or only tasks"))
            continue
        broken = shape_problems(row)
        if broken:
            problems.extend(Problem(f"tasks.{index}.{problem.where}", problem.what, problem.fix) for problem in broken)
            continue
        try:
            task_id = row.get("scenario_id") or row.get("task_id")
            if task_id is not None and str(task_id) in kept:
                prompt = row.get("prompt")
                if prompt is not None and prompt != kept[str(task_id)].prompt:
                    problems.append(
                        Problem(f"tasks.{index}", f"the id {task_id!r} stands for two prompts", "give each task its own id")
                    )
                continue
            task = _rebuilt(maker, row)
        except ConfigError as error:
            problems.extend(Problem(f"tasks.{index}", problem.what, problem.fix) for problem in error.problems)
            continue
        if task.prompt or task.prefix:
            kept.setdefault(task.task_id, _with_gold(task, row))
    if problems:
        raise ConfigError(problems[:50])
    return list(kept.values())


def _with_gold(task: Task, row: Mapping[str, Any]) -> Task:
    """User-brought gold (`reference`, `gold`, `expected`) as the task's answer key, when it has none of its own."""
    if task.privileged is not None:
        return task
    gold = next((row[key] for key in ("reference", "gold", "expected_answer") if row.get(key) is not None), None)
    return task if gold is None else replace(task, privileged=Privileged(reference=gold))


def _marked(task: Task, run_id: str | None, eval_run: int | None) -> Task:
    lineage = replace(
        task.lineage,
        replayed=True,
        replayed_from_run=run_id if run_id is not None else task.lineage.replayed_from_run,
        eval_run=eval_run if eval_run is not None else task.lineage.eval_run,
    )
    return replace(task, lineage=lineage)


def for_run(tasks: Sequence[Task], eval_run: int) -> tuple[Task, ...]:
    """The same task set for run `eval_run` of `runs=N`; runs after the first are replays."""
    return tuple(
        replace(task, lineage=replace(task.lineage, eval_run=eval_run, replayed=task.lineage.replayed or eval_run > 0))
        for task in tasks
    )
