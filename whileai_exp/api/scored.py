"""Graded rows: what a judge made of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._hash import sha
from ..export import push_rows
from ..export.publish import Entry
from ..knobs import RunKnobs
from ..measures.dataset import DatasetReport, dataset_report
from ..measures.passat import PassAt, pass_at
from ..measures.trust import Agreement, Trust, corrected_pass_rate, judge_agreement, judge_trust
from ..schema import JudgeIdentity, Tool, reward_of
from .saving import agent_sidecar, save_rows


class ScoredData:
    """A list of graded rows with views on it. `rows` carry `privileged` in memory where the run had it."""

    def __init__(
        self,
        rows: list[dict[str, Any]],
        *,
        judge: JudgeIdentity,
        knobs: RunKnobs,
        mode: str = "rl",
        system_prompt: str = "",
        tools: Sequence[Tool] = (),
        warnings: Sequence[str] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        self.rows = rows
        self.warnings = list(warnings)
        """Full sentences about the judging: rows without a verdict, no rubric, a model that judged itself."""
        self.notes = dict(notes or {})
        self.judge = judge
        self.mode = mode
        self.system_prompt = system_prompt
        self.tools = tuple(tools)
        self.knobs = knobs

    @property
    def pass_at(self) -> PassAt:
        return pass_at(self.rows, knobs=self.knobs)

    @property
    def trajectories(self) -> list[dict[str, Any]]:
        """The same rows, under the name that runs use."""
        return self.rows

    def passes(self) -> ScoredData:
        """Rows with reward 1."""
        return self._where(lambda row: reward_of(row.get("reward")) == 1.0)

    def failures(self) -> ScoredData:
        """Rows with reward 0."""
        return self._where(lambda row: reward_of(row.get("reward")) == 0.0)

    def failed_traces(self) -> list[dict[str, Any]]:
        """The failures as traces for `simulate(traces=…)`, without privileged data."""
        return [{key: value for key, value in row.items() if key != "privileged"} for row in self.failures().rows]

    def partials(self) -> ScoredData:
        """Rows with a reward strictly between 0 and 1."""
        return self.select_by_reward_range(0.0, 1.0, inclusive=False)

    def select_by_reward_range(self, low: float, high: float, *, inclusive: bool = True) -> ScoredData:
        """Rows whose reward lies in the range; a row without a verdict lies in none."""

        def inside(row: Mapping[str, Any]) -> bool:
            reward = reward_of(row.get("reward"))
            return reward is not None and (low <= reward <= high if inclusive else low < reward < high)

        return self._where(inside)

    def unjudged(self) -> ScoredData:
        """Rows without a verdict: a broken judge shows here, never as failures."""
        return self._where(lambda row: row.get("judge_status") != "ok")

    def agreement(self, gold: str = "gold_reward") -> Agreement:
        """The verdicts against gold labels on the same rows."""
        return judge_agreement(self.rows, gold, knobs=self.knobs)

    def trust(self, judge: Any = None, *, gold: str = "gold_reward") -> Trust:
        """Whether these verdicts can be believed, and the pass rate without the judge's errors; see `judge_trust`."""
        return judge_trust(self.rows, judge, gold=gold, knobs=self.knobs)

    @property
    def corrected_pass_rate(self) -> dict[str, Any] | None:
        """pass@1 without the judge's errors, as measured on the rows that carry gold; None where that cannot be told."""
        return corrected_pass_rate(self.rows, self.agreement().confusion)

    def report(self) -> DatasetReport:
        """What is in these rows: verdicts, rewards by tenth, failure classes, what to imitate, and who judged."""
        return dataset_report(self.rows, knobs=self.knobs)

    def push(self, name: str, **options: Any) -> Entry:
        """Publish these rows; see `push_rows`."""
        return push_rows(self.rows, name, **{"mode": self.mode if self.mode in ("rl", "sft") else "rl", **options})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows (JSON lines, or a table when the name ends in `.parquet`) without privileged data, and beside them
        `<name>.meta.json`: the agent's prompt and tools, who judged, and the warnings. See `load_rows`.
        """
        agent = agent_sidecar(self.system_prompt, self.tools, sha(self.system_prompt, 16))
        judge = {"judge": asdict(self.judge), "mode": self.mode, "warnings": self.warnings, "notes": self.notes}
        return save_rows(self.rows, path, sidecar={**agent, **judge})

    def _where(self, keep: Any) -> ScoredData:
        return ScoredData(
            [row for row in self.rows if keep(row)],
            judge=self.judge,
            knobs=self.knobs,
            mode=self.mode,
            system_prompt=self.system_prompt,
            tools=self.tools,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]

    def __repr__(self) -> str:
        return f"<ScoredData: {len(self)} rows judged by {self.judge.name}>"
