"""Bringing a run directory into MLflow: everything is read from disk, and sending it again changes nothing.

A param or metric that is there already is the same one, a file is put in its place again, and a rollout has one trace.
"""

from __future__ import annotations

import fcntl
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from .._clock import SystemClock
from .._hash import sha
from .flatten import metrics_of
from .spool import Spool, Step

RUN_ID = "whileai.run_id"
DIRECTORY = "whileai.directory"
"""Tag that says where the run's own files are, for readers on the same machine."""
_BESIDE = ("journal.sqlite",)
"""What goes to MLflow beside the record's own files: the calls that make an offline replay possible."""
_CHUNK = 100
_METRIC_CHUNK = 1000


class Watched:
    """MLflow's client, which also says since when it has been waiting for an answer."""

    def __init__(self, uri: str) -> None:
        self._client = open_client(uri)
        self.since: float | None = None
        """By the monotonic clock, in seconds; None while nothing is asked."""

    def ask(self, function: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Call a function that talks to the store."""
        self.since = SystemClock().monotonic()
        try:
            return function(*args, **more)
        finally:
            self.since = None

    def __getattr__(self, name: str) -> Any:
        return partial(self.ask, getattr(self._client, name))


def open_client(uri: str) -> Any:
    """A client on a store that exists: the first opening of a sqlite store migrates it, which only one process may do."""
    import mlflow
    from mlflow import MlflowClient

    mlflow.set_tracking_uri(uri)
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if not uri.startswith("sqlite:///"):
        return MlflowClient(uri)
    path = Path(uri.removeprefix("sqlite:///"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        client = MlflowClient(uri)
        client.search_experiments(max_results=1)
        return client


def experiment_id_of(client: Any, uri: str, name: str) -> str:
    """The experiment of that name, made when it is not there; beside a sqlite store its files go next to the database."""
    from mlflow.exceptions import MlflowException

    found = client.get_experiment_by_name(name)
    if found is not None:
        return found.experiment_id
    try:
        beside = Path(uri.removeprefix("sqlite:///")).resolve().parent / "mlartifacts" if uri.startswith("sqlite:///") else None
        return client.create_experiment(name, artifact_location=(beside / sha(name, 12)).as_uri() if beside else None)
    except MlflowException:  # another process was first
        return client.get_experiment_by_name(name).experiment_id


def opened_run(client: Any, spool: Spool) -> str:
    """The MLflow run of a directory: the one it has, the one whose opening was never answered, or a new one."""
    owed = spool.owed()
    if spool.run_id is not None:
        client.update_run(spool.run_id, status="RUNNING")
        return spool.run_id
    experiment_id = experiment_id_of(client, owed.uri, owed.experiment)
    mine = f"tags.`{RUN_ID}` = '{owed.tags[RUN_ID]}'"
    found = [
        run
        for run in client.search_runs([experiment_id], mine, max_results=20)
        if run.data.tags.get(DIRECTORY) == owed.tags[DIRECTORY]
    ]
    run_id = str(found[0].info.run_id if found else client.create_run(experiment_id, tags=dict(owed.tags)).info.run_id)
    spool.opened(run_id)
    return run_id


def send_params(client: Any, run_id: str, params: Mapping[str, str]) -> None:
    from mlflow.entities import Param

    batch = [Param(name, str(value)) for name, value in params.items()]
    for at in range(0, len(batch), _CHUNK):
        client.log_batch(run_id, params=batch[at : at + _CHUNK])


def send_steps(client: Any, run_id: str, steps: Sequence[Step]) -> None:
    from mlflow.entities import Metric

    batch = [Metric(name, value, step.time_ms, step.step) for step in steps for name, value in step.values.items()]
    for at in range(0, len(batch), _METRIC_CHUNK):
        client.log_batch(run_id, metrics=batch[at : at + _METRIC_CHUNK])


def send_record(
    client: Watched, run_id: str, spool: Spool, record: Mapping[str, Any], labels: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Numbers, tags, the dataset, files and a sample of rollouts as traces."""
    from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, RunTag

    metrics, tags = metrics_of(record)
    batch = [Metric(name, value, 0, 0) for name, value in metrics.items()]
    for at in range(0, len(batch), _METRIC_CHUNK):
        client.log_batch(run_id, metrics=batch[at : at + _METRIC_CHUNK])
    marks = {**tags, "whileai.status": record["status"], "rows.sha256": record["shas"].get("rows", "")}
    named = [RunTag(name, text) for name, text in marks.items()]
    for at in range(0, len(named), _CHUNK):
        client.log_batch(run_id, tags=named[at : at + _CHUNK])
    dataset = Dataset(
        name=record["experiment"],
        digest=record["shas"].get("rows", "")[:36],
        source_type="local",
        source='{"uri": "rows.jsonl"}',
        profile=f'{{"num_rows": {record["counts"].get("rows", 0)}}}',
    )
    client.log_inputs(run_id, [DatasetInput(dataset, [InputTag("mlflow.data.context", "rollouts")])])
    for name in ("record.json", *record["files"], *_BESIDE):
        path = spool.folder / name
        if path.is_file():
            client.log_artifact(run_id, str(path), str(Path(name).parent) if "/" in name else None)
    _send_sample(client, run_id, spool, record, labels)


def _send_sample(
    client: Watched, run_id: str, spool: Spool, record: Mapping[str, Any], labels: Sequence[Mapping[str, Any]]
) -> None:
    from ..run.gold import with_labels
    from ..run.report.page.labelling import label_sample
    from .traces import send_traces

    most = int((record["config"].get("record") or {}).get("traces") or 0)
    path = spool.folder / "rows.jsonl"
    if not most or not path.is_file():
        return
    with path.open("rb") as lines:
        chosen = label_sample([orjson.loads(line) for line in lines], most)
    labelled = {row["rollout_id"]: row for row in with_labels(chosen, labels)[0]}
    info = client.get_run(run_id).info
    rows = [labelled.get(row["rollout_id"], row) for row in chosen]
    if rows:
        send_traces(rows, info.experiment_id, run_id, info.start_time, client.ask)


def status_of(record: Mapping[str, Any] | None) -> str:
    """MLflow's word for how a run ended."""
    return {None: "FAILED", "failed": "FAILED", "incomplete": "FAILED", "interrupted": "KILLED"}.get(
        record["status"] if record else None, "FINISHED"
    )
