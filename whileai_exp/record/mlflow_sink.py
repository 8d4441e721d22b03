"""The record in MLflow: a run opened with its parameters, followed while it goes on, closed with its numbers and files.

MLflow takes seconds to import and a dead server blocks it for minutes, so it works on a thread of its own, from what is
on disk already. A run waits for a server only as long as it answers: one call without an answer for `patience_s` once
the rollouts are over, and the rest is left to `whileai-exp sync`. Whatever goes wrong there never fails the experiment.
A run that ends without a record is marked FAILED or KILLED, never left running.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._clock import SystemClock
from ..schema import RunRecord
from .deliver import (
    DIRECTORY,
    RUN_ID,
    Watched,
    experiment_id_of,
    open_client,
    opened_run,
    send_params,
    send_record,
    send_steps,
    status_of,
)
from .spool import Owed, Spool, Step

_LOCAL_PATIENCE_S = 60.0
_STEP_EVERY_S = 5.0


class MlflowSink:
    """One MLflow run for one experiment run. `uri`: the tracking store; `parent`: run id of a sweep's parent."""

    def __init__(
        self,
        uri: str,
        experiment: str,
        *,
        directory: Path,
        parent: str | None = None,
        tags: Mapping[str, str] | None = None,
        labels: Any = (),
        patience_s: float = 1.0,
    ) -> None:
        """`labels`: of people or programs, shown on the sampled rollouts. `patience_s` is for servers: a file of
        this machine gets a minute, as its first opening makes its tables."""
        self.uri, self.experiment = uri, experiment
        self.trouble: str | None = None
        """Why the record is not whole in MLflow; None while it is, or will be."""
        self._spool = Spool(directory)
        self._parent, self._tags, self._labels = parent, dict(tags or {}), labels
        self._patience_s = _LOCAL_PATIENCE_S if uri.startswith("sqlite:") else patience_s
        self._jobs: queue.SimpleQueue[Callable[[Watched], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._client: Watched | None = None
        self._clock = SystemClock()
        self._last_s = 0.0

    @property
    def run_id(self) -> str | None:
        return self._spool.run_id

    def open(self, run_id: str, params: Mapping[str, Any], tags: Mapping[str, str]) -> None:
        """Start the run on the side; returns at once."""
        all_tags = {"mlflow.runName": self.experiment, **tags, **self._tags, RUN_ID: run_id}
        all_tags[DIRECTORY] = str(self._spool.folder.resolve())
        if self._parent:
            all_tags["mlflow.parentRunId"] = self._parent
        self._spool.owe(Owed(self.uri, self.experiment, all_tags, {name: str(value) for name, value in params.items()}))

        def start(client: Watched) -> None:
            send_params(client, opened_run(client, self._spool), self._spool.owed().params)

        self._jobs.put(start)
        self._thread = threading.Thread(target=self._work, name="whileai-mlflow", daemon=True)
        self._thread.start()

    def progress(self, progress: Mapping[str, Any]) -> None:
        """Numbers of a run that goes on; some seconds apart, the others are let go."""
        now_s = self._clock.monotonic()
        if now_s - self._last_s < _STEP_EVERY_S:
            return
        self._last_s = now_s
        values = {
            f"running/{name}": float(progress[name])
            for name in ("rollouts", "input_tokens", "output_tokens")
            if progress.get(name)
        }
        if progress.get("first_judged"):
            values["running/pass_at_1"] = progress["first_passed"] / progress["first_judged"]
        step = Step(int(progress["rollouts"]), int(self._clock.now().timestamp() * 1000), values)
        self._spool.add(step)
        self._jobs.put(lambda client: send_steps(client, str(self.run_id), [step]))

    def close(self, record: RunRecord) -> None:
        """Numbers, files, the dataset, a sample of rollouts, and the final status."""

        self._finish(lambda client: deliver_rest(client, self._spool, self._labels))

    def fail(self, reason: str) -> None:
        def finish(client: Watched) -> None:
            client.set_tag(self.run_id, "whileai.failure", reason[:4000])
            client.set_terminated(self.run_id, "FAILED")

        self._finish(finish)

    def _finish(self, work: Callable[[Watched], None]) -> None:
        if self._thread is None:
            return
        self._jobs.put(work)
        self._jobs.put(None)
        while self._thread.is_alive():
            self._thread.join(0.02)
            since = self._client.since if self._client is not None else None
            if since is not None and self._clock.monotonic() - since > self._patience_s:
                self.trouble = self.trouble or f"{self.uri} did not answer within {self._patience_s:g} s"
                return

    def _work(self) -> None:
        try:
            client = self._client = Watched(self.uri)
            while (job := self._jobs.get()) is not None:
                job(client)
        except Exception as error:  # tracking never fails a run; the trouble is shown with it, and sync sends the rest
            self.trouble = self.trouble or f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def deliver_rest(client: Watched, spool: Spool, labels: Any = ()) -> None:
    """The record on disk, whatever of it is there already, and how the run ended."""
    run_id, record = str(spool.run_id), spool.record()
    if record is not None:
        send_record(client, run_id, spool, record, labels)
    client.set_terminated(run_id, status_of(record))
    spool.mark_done()


def sync_run(folder: Path, labels: Any = ()) -> str | None:
    """Bring a run directory into the store it names. The MLflow run id; None when it is whole there already."""
    spool = Spool(folder)
    owed = spool.owed()
    if spool.done():
        return None
    client = Watched(owed.uri)
    run_id = opened_run(client, spool)
    send_params(client, run_id, owed.params)
    send_steps(client, run_id, spool.steps())
    deliver_rest(client, spool, labels)
    return run_id


class MlflowParent:
    """The run that holds a sweep together: its jobs are nested in it."""

    def __init__(self, uri: str, experiment: str, tags: Mapping[str, str]) -> None:
        self._client = open_client(uri)
        made = self._client.create_run(experiment_id_of(self._client, uri, experiment), tags={**tags, "whileai.kind": "sweep"})
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
