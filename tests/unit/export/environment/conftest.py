"""One run that the environment tests share: two tools, sixty situations, eight repeats, graded by the default reward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import whileai_exp as wai

TOOLS: list[dict[str, Any]] = [
    {
        "name": "get_order",
        "description": "Look an order up",
        "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
    },
    {
        "name": "refund_order",
        "description": "Refund an order",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}, "reason": {"type": "string"}},
            "required": ["order_id"],
        },
    },
]
POLICY = "You help with orders. Look an order up before you refund it."


@pytest.fixture(scope="session")
def run() -> wai.SimulationData:
    return wai.simulate(
        agent="scripted",
        tools=TOOLS,
        system_prompt=POLICY,
        mode="rl",
        situations=60,
        repeats=8,
        repeat_policy="fixed",
        grader="task_checklist",
        seed=3,
    )


@pytest.fixture(scope="session")
def exported(run: wai.SimulationData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as an environment."""
    path = tmp_path_factory.mktemp("envs") / "my-agent"
    wai.export_environment(run, path)
    return path


def asked(task: str, rewards: list[float], *, prompt: str | None = None, **more: Any) -> list[dict[str, Any]]:
    """Rows of one task that brings its own answer key, one per reward."""
    return [
        {
            "task_id": task,
            "prompt": prompt or f"What is the number of {task}?",
            "steps": [{"text": f"It is {n}"}],
            "final_text": f"It is {n}",
            "rollout_id": f"{task}/{n}",
            "rollout_index": n,
            "reward": reward,
            "judge_name": "given",
            "judge_status": "ok",
            "reference": "42",
            **more,
        }
        for n, reward in enumerate(rewards)
    ]
