"""What `simulate` returns: the rows of a run, and the stages after it as methods."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from .._aio import run_sync
from ..errors import ConfigError, Problem
from ..judges.llm import LLMJudge
from ..measures.passat import PassAt, pass_at
from ..models.backend import named_models
from ..plan import PARAMETERS, Plan
from ..run.delivered import delivered, people
from ..run.experiment import roles_of, sidecar_of
from ..run.pipeline import Played
from .judging import judged_copies, judged_in_place
from .saving import save_rows
from .scored import ScoredData

_WORLD_NOTE = (
    "fault_rate is the share of situations about a failing tool that keep their failure; a planned failure names the calls it hits "
    "and fires on each of them, which is the default_fault_rate of 1"
)


def parameters_of(plan: Plan) -> dict[str, Any]:
    """Every parameter by its keyword, as resolved; those of the spec are in its hash instead."""
    out: dict[str, Any] = {}
    for name, (path, _) in PARAMETERS.items():
        value: Any = plan.config
        for part in path.split("."):
            value = value[part]
        if not path.startswith(("spec.", "world.options")):
            out[name] = value
    return {**out, "judge": (plan.judge or {}).get("kind") or (plan.judge or {}).get("target")}


class RowList(list[dict[str, Any]]):
    """A list of rows that can also be called, so that both `data.rows` and `data.rows()` are the rows."""

    def __call__(self) -> RowList:
        return self


class SimulationData:
    """One run: `trajectories` (rows with the judge-only `privileged` object, in memory) and `rows` (what goes to disk)."""

    def __init__(self, played: Played) -> None:
        self._played = played
        self.plan = played.plan
        self.mode = str(played.plan.mode)

    @property
    def trajectories(self) -> list[dict[str, Any]]:
        """One row per rollout, in canonical order, with `privileged` for judges."""
        return self._played.rows

    @cached_property
    def rows(self) -> RowList:
        """The rows as they are saved: the same, without privileged data. `data.rows()` works too."""
        return RowList({key: value for key, value in row.items() if key != "privileged"} for row in self._played.rows)

    @property
    def pass_at(self) -> PassAt:
        """pass@1, pass^k, pass@k of the graded rows."""
        return pass_at(self.trajectories, k=self.plan.k, level=self.plan.level, knobs=self.plan.knobs)

    @property
    def warnings(self) -> list[str]:
        """Full sentences, each naming its fix."""
        return self._played.ledger.warnings

    @property
    def degraded(self) -> dict[str, Any]:
        """Machine-readable flags of what was not as asked."""
        return self._played.ledger.degraded

    @property
    def search(self) -> dict[str, Any]:
        """How repeats were spent: `search["groups"]`."""
        return {"groups": dict(self._played.execution.report)}

    @property
    def stopped_because(self) -> str:
        return str(self._played.execution.report.get("stopped_because", "complete"))

    @property
    def system_prompts(self) -> dict[str, str]:
        """Full text of the system prompt by the hash that rows carry."""
        return {self.plan.spec.prompt_sha: self.plan.spec.system_prompt}

    @property
    def declared_tools(self) -> list[dict[str, Any]]:
        return [tool.wire() for tool in self.plan.spec.tools]

    @property
    def metadata(self) -> dict[str, Any]:
        """Who did which job, and everything the sidecar holds."""
        sidecar = sidecar_of(self.plan, self._played, None)
        roles = roles_of(self.plan, self.trajectories)
        return {
            **sidecar,
            "writer_model": roles["writer"],
            "user_model": roles["user"],
            "agent_model": roles["agent"],
            "judge_model": roles["judge"],
        }

    def report(self) -> dict[str, Any]:
        """Coverage, requested against delivered, and every value that produced the run, as resolved."""
        played, plan = self._played, self.plan
        coverage = played.draw.coverage
        return {
            **parameters_of(plan),
            "tasks": coverage.get("tasks", 0) if coverage.get("replayed") else 0,
            "traces": coverage.get("trace_leakage", {}).get("sources", 0),
            "seeds": len(plan.writer.seeds),
            "world": {**plan.world_options, "default_fault_rate": 1.0},
            "world_note": _WORLD_NOTE,
            **coverage,
            "rows": len(played.rows),
            **delivered(plan, played.draw, played.rows),
            "people": people(played.draw.tasks, played.rows),
            "stopped_because": self.stopped_because,
            "knobs": plan.knobs.model_dump(mode="json"),
            "config": dict(plan.config),
            "origins": dict(plan.origins),
            "fault_rate": plan.writer.fault_rate,
            "roles": roles_of(plan, played.rows),
            "warnings": list(self.warnings),
            "degraded": dict(self.degraded),
            "timings": dict(played.ledger.timings),
        }

    def grade(
        self,
        judge: Any = None,
        *,
        rubric: Any = None,
        timeout: float | None = None,
        concurrency: int | None = None,
        scale: tuple[float, float] | None = None,
    ) -> Any:
        """Grade the rows.

        With `judge` (a callable, `{kind: …}`, or a registered name) this run is left as it is and graded copies come back
        as ScoredData. Without one, the judge the run was configured with, or the model in WHILEAI_EXP_JUDGE, writes onto
        this run's rows and its report (a dict) comes back. `rubric` replaces the spec's. `scale`: what the judge rates
        on. ConfigError when there is no judge at all.
        """
        options: dict[str, Any] = {
            "knobs": self.plan.knobs,
            "deadline_s": timeout,
            "concurrency": concurrency,
            "scale": scale,
            "spec": self.plan.spec,
        }
        if judge is not None:
            done = run_sync(judged_copies(self.trajectories, judge, **options))
            return ScoredData(
                done.rows,
                judge=done.identity,
                knobs=self.plan.knobs,
                mode=self.mode,
                system_prompt=self.plan.spec.system_prompt,
                tools=self.plan.spec.tools,
                warnings=done.warnings,
                notes=done.notes,
            )
        report = run_sync(judged_in_place(self.trajectories, self._configured_judge(rubric), **options))
        self.__dict__.pop("rows", None)
        self._played.judged = True
        return report

    def _configured_judge(self, rubric: Any) -> Any:
        if self.plan.judge is not None:
            return {**self.plan.judge, **({"rubric": rubric} if rubric is not None else {})}
        if named_models().get("WHILEAI_EXP_JUDGE"):
            return LLMJudge(rubric=rubric)
        raise ConfigError(
            Problem(
                "judge",
                "no judge is configured",
                "pass judge=your_function or judge='task_checklist', set WHILEAI_EXP_JUDGE, or give simulate a grader=",
            )
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows whole or not at all (JSON lines, or a table when the name ends in `.parquet`), and
        `<name>.meta.json` beside them; see `load_rows`.
        """
        return save_rows(self._played.rows, path, sidecar=self.metadata)

    def __len__(self) -> int:
        return len(self._played.rows)

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<SimulationData: {len(self)} rows, {len(self._played.draw.tasks)} tasks, mode {self.mode}>"
