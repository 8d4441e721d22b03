"""Single calls of the library that are neither a run nor a method of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._aio import run_sync
from .._text import normalised
from ..errors import ConfigError, Problem
from ..knobs import RunKnobs
from ..models.scripted import ScriptedModel
from ..plan import resolve_plan
from ..schema import Spec
from ..selection._said import opening_of
from ..situations import recommend as _recommend
from ..spec import load_spec
from ..world.callables import callable_world
from .judging import judged_copies
from .scored import ScoredData

_SHOWN = 20


def run_judge(
    rows: Any,
    judge: Any,
    *,
    judge_name: str | None = None,
    version: str | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    scale: tuple[float, float] | None = None,
    spec: Any = None,
    run_id: str | None = None,
    knobs: RunKnobs | None = None,
) -> ScoredData:
    """Grade rows with any judge; copies come back, the rows given are not touched.

    `judge`: a callable under the judge contract, sync or async, `{kind: …}` or a registered name. `timeout`: seconds from
    the start of each call; a hung judge is left behind, never waited for. `scale`: (lowest, highest) that the judge rates
    on, mapped to [0, 1]. `spec`: the agent's spec, for judges that read its rubric and tools. `run_id` is stamped on
    every row's lineage. A broken judge shows as unjudged rows with a status. JudgeError when the judge cannot be built.

    >>> scored = run_judge(rows, lambda row: {"reward": int("sorry" not in row["final_text"])})  # doctest: +SKIP
    """
    knobs = knobs or RunKnobs()
    given = list(getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows)
    strangers = [type(row).__name__ for row in given if not isinstance(row, Mapping)]
    if strangers:
        raise ConfigError(Problem("rows", f"{len(strangers)} of {len(given)} are no rows but {strangers[0]}", "pass dicts"))
    loaded = load_spec(spec).spec if spec is not None and not isinstance(spec, Spec) else spec
    if loaded is None and hasattr(rows, "plan"):
        loaded = rows.plan.spec
    done = run_sync(
        judged_copies(
            given,
            judge,
            knobs=knobs,
            deadline_s=timeout,
            concurrency=concurrency,
            name=judge_name,
            version=version,
            scale=scale,
            spec=loaded,
            run_id=run_id,
        )
    )
    return ScoredData(done.rows, judge=done.identity, knobs=knobs, warnings=done.warnings, notes=done.notes)


def evaluate(
    rows: Any, judge: Any, *, model: str | None = None, eval_set: Iterable[Any] | None = None, **options: Any
) -> ScoredData:
    """Grade rollouts of a model you ran yourself; `model` is stamped on rows that do not name theirs.

    The rows carry `lineage.source` "eval", so that selection and publishing can tell an evaluation from training data.
    `eval_set`: asks (or rows) that should have been run; `notes["eval_coverage"]` says which were, and a warning which not.
    The other options are those of `run_judge`.
    """
    given = []
    for row in getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows:
        lineage = row.get("lineage") if isinstance(row.get("lineage"), Mapping) else {}
        made = {**row, "lineage": {**lineage, "source": "eval"}}
        if model and not row.get("model_version"):
            made["model_version"] = model
        given.append(made)
    if hasattr(rows, "plan"):
        options.setdefault("spec", rows.plan.spec)
    scored = run_judge(given, judge, **options)
    if eval_set is not None:
        wanted = dict.fromkeys(text for item in eval_set if (text := item if isinstance(item, str) else opening_of(item)))
        run = {normalised(text) for row in given if (text := opening_of(row))}
        missing = [text for text in wanted if normalised(text) not in run]
        covered = len(wanted) - len(missing)
        scored.notes["eval_coverage"] = {"eval_set": len(wanted), "covered": covered, "missing": missing[:_SHOWN]}
        if missing:
            scored.warnings.append(
                f"{len(missing)} of {len(wanted)} asks of the evaluation set were not run: {missing[0][:80]!r}"
            )
    return scored


def scripted_agent(tools: Iterable[Any] = (), *, seed: int = 0, flaw_rate: float | None = None) -> ScriptedModel:
    """The embedded offline agent as an object: behaves well, and on a seeded share plants one labelled flaw.

    It reads only the conversation. `flaw_rate`: mean share of rollouts with a flaw; None is its default. `tools` are
    checked here and sent with each request by the run.
    """
    load_spec(tools=list(tools), system_prompt="-")
    return ScriptedModel(seed=seed) if flaw_rate is None else ScriptedModel(seed=seed, flaw_rate=flaw_rate)


def mock_world(tools: Iterable[Any], *, seed: int = 0, **options: Any) -> Any:
    """A mock world for an agent that is a function of yours: `w(tool, arguments)` answers within the current rollout.

    Inside a run it is that rollout's world, faults and state included; outside it is a world of its own.
    """
    return callable_world(load_spec(tools=list(tools), system_prompt="-").spec, options=options, seed=seed)


def recommend(
    *, tools: Iterable[Any] | None = None, system_prompt: str | None = None, spec: Any = None, mode: str = "rl", **options: Any
) -> Mapping[str, Any]:
    """How much to run, from this agent's own situation grid: numbers, the keywords to pass, and the reasoning."""
    loaded = load_spec(spec, tools=list(tools) if tools is not None else None, system_prompt=system_prompt).spec
    plan = resolve_plan({"mode": mode}, spec=loaded)
    return _recommend(loaded, str(plan.mode), **options)
