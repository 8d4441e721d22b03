"""The record in MLflow: a run opened with its parameters, closed with its numbers and files.

MLflow takes seconds to import and a dead server blocks it for minutes, so it works on a thread of its own while the
rollouts are in flight, with short time limits; whatever goes wrong there is reported and never fails the experiment,
whose record is on disk already. A run that ends without a record is marked FAILED or KILLED, never left running.
"""

from __future__ import annotations

import fcntl
import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._hash import sha
from ..schema import RunRecord
from .flatten import metrics_of

TRACKED = "mlflow_run_id"
"""File in the run directory that names its MLflow run, so that a resumed run goes on in it."""
DIRECTORY = "whileai.directory"
"""Tag that says where the run's own files are, for readers on the same machine."""
_BESIDE = ("journal.sqlite",)
"""What goes to MLflow beside the record's own files: the calls that make an offline replay possible."""
_CHUNK = 100
_METRIC_CHUNK = 1000


def open_client(uri: str) -> Any:
    """A client on a store that exists: the first opening of a sqlite store migrates it, which only one process may do."""
    import mlflow
    from mlflow import MlflowClient

    mlflow.set_tracking_uri(uri)
    logging.getLogger("mlflow").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    if not uri.startswith("sqlite:///"):
        return MlflowClient(uri)
    path = Path(uri.removeprefix("sqlite:///"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        client = MlflowClient(uri)
        client.search_experiments(max_results=1)
        return client


def _experiment_id(client: Any, uri: str, name: str) -> str:
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


class MlflowSink:
    """One MLflow run for one experiment run. `uri`: the tracking store; `parent`: run id of a sweep's parent."""

    def __init__(
        self,
        uri: str,
        experiment: str,
        *,
        directory: Path,
        run_id: str | None = None,
        parent: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """`run_id`: an MLflow run that an earlier attempt opened and that goes on; None opens a new one."""
        self.uri = uri
        self.experiment = experiment
        self.run_id: str | None = None
        self._known = run_id
        self.trouble: str | None = None
        self._directory = directory
        self._parent = parent
        self._tags = dict(tags or {})
        self._client: Any = None
        self._opening: threading.Thread | None = None

    def open(self, run_id: str, params: Mapping[str, Any], tags: Mapping[str, str]) -> None:
        """Start the run on the side; returns at once."""
        all_tags = {"mlflow.runName": self.experiment, **tags, **self._tags, "whileai.run_id": run_id}
        all_tags[DIRECTORY] = str(self._directory.resolve())
        if self._parent:
            all_tags["mlflow.parentRunId"] = self._parent

        def start() -> None:
            self._client = open_client(self.uri)
            if self._known is not None:
                self._client.update_run(self._known, status="RUNNING")
                self.run_id = self._known
                return
            made = self._client.create_run(_experiment_id(self._client, self.uri, self.experiment), tags=all_tags)
            self.run_id = run = str(made.info.run_id)
            (self._directory / TRACKED).write_text(f"{self.run_id}\n")
            _log_params(self._client, run, params)

        self._opening = threading.Thread(target=self._guarded, args=(start,), name="whileai-mlflow", daemon=True)
        self._opening.start()

    def close(self, record: RunRecord) -> None:
        """Numbers, files, the dataset, and the final status."""
        self._finish(
            lambda: self._log(record),
            "FAILED" if record.status in ("failed", "incomplete") else "KILLED" if record.status == "interrupted" else "FINISHED",
        )

    def fail(self, reason: str) -> None:
        self._finish(lambda: self._client.set_tag(self.run_id, "whileai.failure", reason[:4000]), "FAILED")

    def _finish(self, work: Callable[[], None], status: str) -> None:
        if self._opening is None:
            return
        self._opening.join()
        if self.run_id is None:
            return
        self._guarded(work)
        self._guarded(lambda: self._client.set_terminated(self.run_id, status))

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # tracking never fails a run; the trouble is shown with it
            self.trouble = self.trouble or f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"

    def _log(self, record: RunRecord) -> None:
        from mlflow.entities import DatasetInput, InputTag, Metric, RunTag

        client, run_id = self._client, self.run_id
        metrics, tags = metrics_of(record)
        batch = [Metric(name, value, 0, 0) for name, value in metrics.items()]
        for at in range(0, len(batch), _METRIC_CHUNK):
            client.log_batch(run_id, metrics=batch[at : at + _METRIC_CHUNK])
        marks = [
            RunTag(name, text)
            for name, text in {**tags, "whileai.status": record.status, "rows.sha256": record.shas.get("rows", "")}.items()
        ]
        for at in range(0, len(marks), _CHUNK):
            client.log_batch(run_id, tags=marks[at : at + _CHUNK])
        client.log_inputs(run_id, [DatasetInput(_dataset(record), [InputTag("mlflow.data.context", "rollouts")])])
        for name in (*record.files, *_BESIDE):
            path = self._directory / name
            if path.is_file():
                client.log_artifact(run_id, str(path), str(Path(name).parent) if "/" in name else None)


def _dataset(record: RunRecord) -> Any:
    from mlflow.entities import Dataset

    digest = record.shas.get("rows", "")[:36]
    return Dataset(
        name=record.experiment,
        digest=digest,
        source_type="local",
        source='{"uri": "rows.jsonl"}',
        profile=f'{{"num_rows": {record.counts.get("rows", 0)}}}',
    )


def _log_params(client: Any, run_id: str, params: Mapping[str, Any]) -> None:
    from mlflow.entities import Param

    batch = [Param(name, str(value)) for name, value in params.items()]
    for at in range(0, len(batch), _CHUNK):
        client.log_batch(run_id, params=batch[at : at + _CHUNK])


class MlflowParent:
    """The run that holds a sweep together: its jobs are nested in it."""

    def __init__(self, uri: str, experiment: str, tags: Mapping[str, str]) -> None:
        self._client = open_client(uri)
        made = self._client.create_run(_experiment_id(self._client, uri, experiment), tags={**tags, "whileai.kind": "sweep"})
        self.run_id: str = made.info.run_id

    def close(
        self,
        jobs: list[dict[str, Any]],
        status: str,
        metrics: Mapping[str, float],
        tags: Mapping[str, str],
        files: Mapping[str, Path],
    ) -> None:
        """The table of jobs, the best one's numbers, the files of the sweep, and the final status."""
        for name, value in metrics.items():
            self._client.log_metric(self.run_id, name, value)
        for name, text in tags.items():
            self._client.set_tag(self.run_id, name, text[:4000])
        if "jobs.json" not in files:
            self._client.log_dict(self.run_id, {"jobs": jobs}, "jobs.json")
        for path in files.values():
            self._client.log_artifact(self.run_id, str(path))
        self._client.set_terminated(self.run_id, status)


def find_run_directory(uri: str, run_id: str, into: Path) -> Path:
    """The artifacts of an MLflow run, downloaded into `into`."""
    client = open_client(uri)
    into.mkdir(parents=True, exist_ok=True)
    return Path(client.download_artifacts(run_id, "", str(into)))


def directory_of(uri: str, run_id: str) -> Path | None:
    """The run directory that an MLflow run names; None when it names none. The directory may be gone."""
    named = open_client(uri).get_run(run_id).data.tags.get(DIRECTORY)
    return Path(named) if named else None


def download(uri: str, run_id: str, name: str, into: Path) -> Path | None:
    """One artifact of an MLflow run, downloaded into `into`; None when the run has no such artifact."""
    client = open_client(uri)
    if not any(found.path == name for found in client.list_artifacts(run_id)):
        return None
    return Path(client.download_artifacts(run_id, name, str(into)))
