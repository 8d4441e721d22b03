"""`whileai-exp +experiment=…`: compose, check, run; for `-m`, every job is checked before the first one starts.

Hydra composes and launches; outcomes travel back by file and object, and the process's exit code is decided here, once,
from all of them. Nothing exits from inside a job.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .._text import printable
from ..config.compose import (
    checked_plan,
    compose_tree,
    expand_sweep,
    hydra_in_our_words,
    normalised_tokens,
    plan_of,
    prepare,
    to_tree,
)
from ..config.environment import PARENT, prepare_environment, sweep_parent
from ..config.origin import origins_of
from ..config.places import conf_dir, own, use_config_dir
from ..errors import ConfigError, ExitCode, Problem, WhileaiError
from ..models.backend import named_models
from ..plan import Plan, resolve_plan
from ..run.directory import RunDirectory
from ..run.experiment import Finished, run_experiment
from ..run.gold import read_labels
from ..run.ports import Given, preflight
from ..run.report.terminal import summary_lines
from ._outcome import Terminated, say_problems
from .live import LiveView

_SEVERITY = [
    ExitCode.CONFIG,
    ExitCode.KEY_REFUSED,
    ExitCode.INCOMPLETE,
    ExitCode.DISK,
    ExitCode.BUSY,
    ExitCode.FAULT,
    ExitCode.REPLAY_DIFFERS,
    ExitCode.GATES_REFUSED,
    ExitCode.COMPLETE,
]


@dataclass(slots=True)
class Jobs:
    """What the jobs of this process came to, in launch order."""

    tokens: list[str]
    done: list[dict[str, Any]] = field(default_factory=list)
    sweep: bool = False


def run_command(tokens: Sequence[str]) -> int:
    prepare_environment()
    tokens = _own_folder(tokens)
    sure = "--yes" in tokens
    tokens = [token for token in tokens if token != "--yes"]
    flags = [token for token in tokens if token.startswith("-") and token not in ("-m", "--multirun")]
    sweep = any(token in ("-m", "--multirun") for token in tokens)
    overrides = normalised_tokens([token for token in tokens if not token.startswith("-") and not _is_flag_value(tokens, token)])
    if flags:
        return _hydra_only(list(tokens))
    plans = preflight_jobs(overrides, sweep)
    if not confirmed(plans, sure):
        print("nothing was run", file=sys.stderr)
        return int(ExitCode.CONFIG)
    return _sweep(overrides) if sweep else _launch(overrides, multirun=False)


_WITH_VALUE = (
    "--cfg",
    "-c",
    "--info",
    "-i",
    "--package",
    "-p",
    "--config-name",
    "-cn",
    "--config-path",
    "-cp",
    "--config-dir",
    "-cd",
)


def _is_flag_value(tokens: Sequence[str], token: str) -> bool:
    at = list(tokens).index(token)
    return at > 0 and tokens[at - 1] in _WITH_VALUE


def _own_folder(tokens: Sequence[str]) -> list[str]:
    """The tokens without `--config-dir FOLDER`, whose folder then comes before the shipped one."""
    left = list(tokens)
    for at, token in enumerate(left):
        flag, equals, value = token.partition("=")
        if flag in ("--config-dir", "-cd"):
            if not equals and at + 1 == len(left):
                raise ConfigError(Problem("--config-dir", "names no folder", "--config-dir conf"))
            use_config_dir(value if equals else left[at + 1])
            return left[:at] + left[at + (1 if equals else 2) :]
    return left


def confirmed(plans: Sequence[Plan], sure: bool) -> bool:
    """Whether to go on where the estimate passes `budget.ask_money` or `budget.ask_calls`: asked for on a terminal.

    ConfigError without a terminal and without --yes.
    """
    money_cap, calls_cap = plans[0].config["budget"].get("ask_money"), plans[0].config["budget"].get("ask_calls")
    if sure or (money_cap is None and calls_cap is None):
        return True
    from ..run.estimate import estimate

    found = [estimate(plan) for plan in plans]
    calls, known = sum(item.calls for item in found), [item.money for item in found if item.money is not None]
    money = sum(known) if len(known) == len(found) else None
    over = []
    if calls_cap is not None and calls > calls_cap:
        over.append(f"about {calls} model calls, above budget.ask_calls={calls_cap}")
    if money_cap is not None and (money is None or money > money_cap):
        what = "an unknown sum, because a model has no price," if money is None else f"about ${money:,.2f},"
        over.append(
            f"{what} above budget.ask_money={money_cap:g}"
            if money is not None
            else f"{what} beside budget.ask_money={money_cap:g}"
        )
    if not over:
        return True
    if not sys.stdin.isatty():
        raise ConfigError(Problem("budget", f"the run would take {'; '.join(over)}", "raise it, ask for less, or say --yes"))
    return input(f"this takes {'; '.join(over)}. Go on? [y/N] ").strip().lower() in ("y", "yes")


def preflight_jobs(overrides: Sequence[str], sweep: bool) -> list[Plan]:
    """Compose and check every job, and return their plans; ConfigError with the problems of all of them."""
    jobs = expand_sweep(overrides) if sweep else [list(overrides)]
    problems, plans = [], []
    for job in jobs:
        try:
            plans.append(checked_plan([token for token in job if not token.startswith("hydra")], preflight))
        except ConfigError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise ConfigError(problems)
    if (mine := own()).conf is not None:
        print(f"conf     {mine.conf} before the shipped one (by {mine.named_by})", file=sys.stderr)
    return plans


def _hydra_only(tokens: list[str]) -> int:
    """`--cfg`, `--info`, `--help` of Hydra: it prints and no job runs."""
    return _call_hydra([f"+{t}" if t.startswith("experiment=") else t for t in tokens], Jobs(tokens))


def _launch(overrides: Sequence[str], *, multirun: bool) -> int:
    jobs = Jobs(list(overrides))
    _call_hydra([*overrides, *(["--multirun"] if multirun else [])], jobs)
    return int(worst(ExitCode(job["exit_code"]) for job in jobs.done))


def worst(codes: Any) -> ExitCode:
    """The code that decides for a set of jobs."""
    return min(codes, key=lambda code: _SEVERITY.index(code) if code in _SEVERITY else 0, default=ExitCode.FAULT)


def _call_hydra(tokens: list[str], jobs: Jobs) -> int:
    import hydra

    prepare()

    @hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name="config")
    def job(cfg: Any) -> float | None:
        return _job(cfg, jobs)

    before = sys.argv
    sys.argv = ["whileai-exp", *tokens]
    try:
        with hydra_in_our_words(tokens):
            job()
    except OSError as error:
        if jobs.done:
            raise
        raise ConfigError(
            Problem("hydra.run.dir", f"the run directory cannot be made: {error}", "choose a folder that can be written to")
        ) from error
    finally:
        sys.argv = before
    return 0


def _job(cfg: Any, jobs: Jobs) -> float | None:
    """One job: its outcome is noted whatever happens, and a failure never stops the other jobs."""
    from hydra.core.hydra_config import HydraConfig

    prepare()  # a launcher may have started this process
    runtime = HydraConfig.get()
    directory = Path(runtime.runtime.output_dir)
    overrides = list(runtime.overrides.task)
    note: dict[str, Any] = {
        "overrides": overrides,
        "directory": str(directory),
        "objective": None,
        "exit_code": int(ExitCode.FAULT),
        "error": None,
    }
    jobs.done.append(note)
    try:
        plan = _sharing(resolve_plan(to_tree(cfg), origins_of(overrides), env=named_models()), directory)
        name = " ".join(token for token in overrides if not token.startswith("+experiment"))
        finished = run_plan(plan, directory, overrides, extra_tags={"mlflow.runName": name} if sweep_parent() and name else None)
        note.update(
            exit_code=int(finished.exit_code),
            objective=finished.objective,
            status=finished.record.status,
            mlflow=finished_id(finished),
        )
        return finished.objective
    except WhileaiError as error:
        note.update(exit_code=int(error.exit_code), error=str(error))
        if isinstance(error, ConfigError):
            say_problems(error, f" of {' '.join(overrides)}")
        else:
            print(f"{type(error).__name__}: {printable(str(error))}", file=sys.stderr)
    except (KeyboardInterrupt, Terminated):
        note.update(exit_code=int(ExitCode.INTERRUPTED), error="interrupted")
        raise
    except Exception as error:
        text = traceback.format_exc()
        note.update(error=f"{type(error).__name__}: {error}", traceback=text)
        RunDirectory(directory).write_text("error.txt", text)
        print(text, file=sys.stderr)
    finally:
        if sweep_parent() or jobs.sweep:
            _note_down(directory, note)
    return None


OUTCOME = "outcome.json"
"""File of a sweep's job that says what it came to: a launcher may have run it in another process."""


def _note_down(directory: Path, note: Mapping[str, Any]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    RunDirectory(directory).write_json(OUTCOME, note)


def outcomes(folder: Path) -> list[dict[str, Any]]:
    """What the jobs under a sweep's folder came to, by number."""
    import orjson

    found = [path for path in folder.glob(f"*/{OUTCOME}") if path.parent.name.isdigit()]
    return [orjson.loads(path.read_bytes()) for path in sorted(found, key=lambda path: int(path.parent.name))]


def _sharing(plan: Plan, directory: Path) -> Plan:
    """The plan, reading through the journals of the sweep's finished jobs: a call that one of them made is not made again."""
    if not (directory.name.isdigit() and (directory.parent / "multirun.yaml").is_file()):
        return plan
    before = [
        str(path.parent) for path in sorted(directory.parent.glob(f"*/{OUTCOME}")) if (path.parent / "journal.sqlite").is_file()
    ]
    return replace(plan, record={**plan.record, "share": [*plan.record.get("share", ()), *before]}) if before else plan


_FINISHED: dict[int, str | None] = {}


def finished_id(finished: Finished) -> str | None:
    return _FINISHED.get(id(finished))


def run_plan(
    plan: Plan, directory: Path, command: Sequence[str], *, replay: bool = False, extra_tags: Mapping[str, str] | None = None
) -> Finished:
    """Run a plan in a directory, recorded there and in MLflow, and print its summary."""
    folder = RunDirectory(directory)
    sinks = []
    sink = None
    if plan.record.get("mlflow"):
        from ..record.flatten import changed_of, params_of
        from ..record.mlflow_sink import MlflowSink

        params, long = params_of(plan.config)
        extras = {f"long_values/{name}.txt": text for name, text in long.items()}
        sink = MlflowSink(
            tracking_uri(plan),
            plan.name,
            directory=directory,
            parent=sweep_parent(),
            tags={"knobs.changed": changed_of(plan), **(extra_tags or {}), **plan.record.get("tags", {})},
            labels=read_labels(plan.gold) if plan.gold else (),
            patience_s=plan.record.get("patience_s", 1.0),
        )
        sinks.append(sink)
    else:
        params, extras = {}, {}
    with LiveView(plan.name, plan.limits.rollouts or plan.counts.rollouts, every_s=plan.knobs.progress_every_s) as view:
        finished = run_experiment(
            plan,
            folder,
            sinks=sinks,
            given=Given(on_progress=both(view, sink), drain=True, resolver=_tracked(plan)),
            command=command,
            params=params,
            extras=extras,
            replay=replay,
        )
    _FINISHED[id(finished)] = sink.run_id if sink else None
    tracked = None
    if sink is not None:
        tracked = (
            f"{sink.uri} run {sink.run_id}"
            if sink.trouble is None
            else f"not complete: {printable(sink.trouble)}; later: whileai-exp sync {directory}"
        )
    for line in summary_lines(finished.record, str(directory), tracked):
        print(line)
    return finished


def both(view: LiveView, sink: Any) -> Callable[[Mapping[str, Any]], None]:
    """Progress for the one who watches, and for the tracking store where there is one."""

    def told(progress: Mapping[str, Any]) -> None:
        view(progress)
        if sink is not None:
            sink.progress(progress)

    return told


def _tracked(plan: Plan) -> Any:
    """Reads the rows of a tracked run, when a gate names one."""

    def found(run_id: str) -> Any:
        from ..record.compare import tracked_rows

        return tracked_rows(tracking_uri(plan))(run_id)

    return found


def tracking_uri(plan: Plan) -> str:
    """The MLflow store: the configured one, else sqlite under outputs/ where the command was given."""
    return str(plan.record.get("uri") or f"sqlite:///{Path.cwd() / 'outputs' / 'mlflow.db'}")


def _sweep(overrides: Sequence[str]) -> int:
    """A multirun: one MLflow parent around nested children, closed whatever the jobs do."""
    plan = plan_of(compose_tree([token for token in expand_sweep(overrides)[0] if not token.startswith("hydra")]))
    parent = None
    if plan.record.get("mlflow"):
        from ..record.mlflow_sink import MlflowParent

        parent = MlflowParent(
            tracking_uri(plan),
            plan.name,
            {"mlflow.runName": f"{plan.name} sweep", "command": " ".join(["-m", *overrides]), "objective": plan.objective},
        )
    jobs = Jobs(list(overrides), sweep=True)
    folder = _sweep_folder(overrides, plan.name)
    status = "KILLED"
    try:
        place = [] if _folder_given(overrides) else [f"hydra.sweep.dir={folder}"]
        within = [f"+hydra.job.env_set.{PARENT}={parent.run_id}"] if parent is not None else []
        _call_hydra([*overrides, *place, *within, "--multirun"], jobs)
        jobs.done = outcomes(folder) or jobs.done
        failed = [job for job in jobs.done if job["exit_code"] not in (ExitCode.COMPLETE, ExitCode.GATES_REFUSED)]
        status = "FAILED" if failed else "FINISHED"
    finally:
        if parent is not None:
            measured = [job for job in jobs.done if job["objective"] is not None]
            best = max(measured, key=lambda job: job["objective"], default=None)
            metrics = {f"best/{plan.objective}": best["objective"]} if best else {}
            tags = (
                {"best.overrides": " ".join(best["overrides"]), "best.run": str(best.get("mlflow"))}
                if best
                else {"best.missing": "no job measured the objective"}
            )
            parent.close(jobs.done, status, metrics, tags, write_sweep(folder, jobs.done, plan.objective))
    for line in _sweep_lines(jobs, plan.objective):
        print(line)
    return int(worst(ExitCode(job["exit_code"]) for job in jobs.done))


def _folder_given(overrides: Sequence[str]) -> str | None:
    return next((token.partition("=")[2] for token in overrides if token.startswith("hydra.sweep.dir=")), None)


def _sweep_folder(overrides: Sequence[str], name: str) -> Path:
    """Where the jobs of a sweep go: as asked for, else a new folder of the experiment's."""
    from .._clock import SystemClock

    given = _folder_given(overrides)
    return Path(given) if given else Path("outputs") / name / f"{SystemClock().now():%Y%m%d-%H%M%S-%f}"


def write_sweep(folder: Path, jobs: Sequence[Mapping[str, Any]], objective: str) -> dict[str, Path]:
    """The table of jobs, the best one's configuration and the figures, in the sweep's folder; file name to path."""
    import shutil

    from ..run.report.page import png
    from ..run.report.page.sweep import sweep_figures

    if not folder.is_dir():
        return {}
    written = RunDirectory(folder)
    written.write_json("jobs.json", {"objective": objective, "jobs": list(jobs)})
    out = {"jobs.json": folder / "jobs.json"}
    measured = [job for job in jobs if job["objective"] is not None]
    best = max(measured, key=lambda job: job["objective"], default=None)
    if best is not None and (source := Path(best["directory"]) / "config.yaml").is_file():
        shutil.copyfile(source, folder / "best.yaml")
        out["best.yaml"] = folder / "best.yaml"
    for name, figure in sweep_figures(measured, objective).items():
        written.write_bytes(f"{name}.png", (png(figure),))
        out[f"{name}.png"] = folder / f"{name}.png"
    return out


def _sweep_lines(jobs: Jobs, objective: str) -> list[str]:
    lines = [f"sweep: {len(jobs.done)} jobs, objective {objective}"]
    for job in jobs.done:
        value = "not measured" if job["objective"] is None else f"{job['objective']:.4f}"
        lines.append(
            f"  exit {job['exit_code']:<3d} {value:>12s}  {' '.join(job['overrides'])}"
            + (f"  {job['error']}" if job["error"] else "")
        )
    return lines
