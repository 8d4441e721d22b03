"""The process's environment: what other libraries read from it, set before they are imported."""

from __future__ import annotations

import os

PARENT = "WHILEAI_EXP_MLFLOW_PARENT"
"""Names the sweep's MLflow run to its jobs, wherever a launcher starts them."""

_SETTINGS = {
    "HYDRA_FULL_ERROR": "1",  # errors come to us, to be said in one line
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "RAY_USAGE_STATS_ENABLED": "0",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # the default blocks for minutes on a dead server
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",  # a queue of MLflow's own would hold up the process's end
    "GIT_PYTHON_REFRESH": "quiet",
}
_FOREIGN = ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME")
"""Variables that would divert our runs into somebody else's."""


def prepare_environment() -> None:
    """Set what is not set yet, and drop what would hijack a run."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    for name in _FOREIGN:
        os.environ.pop(name, None)


def sweep_parent() -> str | None:
    """MLflow run id of the sweep that this process's jobs belong to, or None."""
    return os.environ.get(PARENT)


_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
_NAMES = ("WHILEAI_EXP_AGENT", "WHILEAI_EXP_JUDGE")


def known_variables() -> list[tuple[str, str]]:
    """Variables that are read, with their state; of a key only whether it is set."""
    keys = [(name, "set" if os.environ.get(name) else "not set") for name in _KEYS]
    return keys + [(name, os.environ.get(name) or "not set") for name in _NAMES]
