"""A sweeper that searches: Optuna's TPE over Hydra's own sweep syntax, resumable, one study per experiment and space.

    whileai-exp -m hydra/sweeper=search hydra.sweeper.n_trials=12 +experiment=rl_v1 'advanced.probe=choice(2,4)' 'world.hard_share=interval(0.2,0.6)'

An override means the same set of values as in a grid: `range` excludes its stop, `choice` is its list; `interval` is
continuous, `int(interval(…))` whole numbers. Running the same command again goes on where the study stopped: what counts
towards `n_trials` are finished trials. A job that fails is told as failed and never stops the search.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

from .._hash import sha
from .._rng import Rng
from ..errors import ConfigError, Problem

if TYPE_CHECKING:
    import optuna

NAME = "hydra_plugins.whileai.SearchSweeper"
JOB = "job"
"""Attribute of a trial: the number of the job that played it."""


class SearchSweeper(Sweeper):
    """Asks the study for values, launches jobs with them in batches, tells it what they came to."""

    def __init__(
        self, n_trials: int = 20, batch: int = 1, seed: int = 0, storage: str | None = None, startup_trials: int = 5
    ) -> None:
        """`batch`: jobs launched together (more than one needs a launcher that runs them side by side).

        `storage`: an Optuna storage URL; None keeps the study in study.db beside the sweeps of the experiment.
        """
        self._n_trials, self._batch, self._seed, self._storage, self._startup = n_trials, batch, seed, storage, startup_trials
        self._config: Any = None
        self._context: Any = None
        self._launcher: Any = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self._config, self._context = config, hydra_context
        self._launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> list[Any]:
        overrides = OverridesParser.create(config_loader=self._context.config_loader).parse_overrides(arguments)
        space, fixed = space_of(overrides)
        folder = Path(self._config.hydra.sweep.dir)
        folder.mkdir(parents=True, exist_ok=True)
        OmegaConf.save(self._config, folder / "multirun.yaml")
        study = self._study(folder, space, fixed)
        returns: list[Any] = []
        job = 0
        while (left := self._n_trials - finished(study)) > 0:
            study.sampler = self._sampler(len(study.trials))
            trials = [study.ask(dict(space)) for _ in range(min(self._batch, left))]
            batch = [[*fixed, *(f"{name}={trial.params[name]}" for name in space)] for trial in trials]
            results = self._launcher.launch(batch, initial_job_idx=job)
            for offset, (trial, result) in enumerate(zip(trials, results)):
                trial.set_user_attr(JOB, job + offset)
                tell(study, trial, result)
            job += len(batch)
            returns.append(results)
            if all(_value(result) is None for result in results) and finished(study) == 0 and job >= self._startup + self._batch:
                break  # nothing has worked so far, and the jobs have said why
        return returns

    def _study(self, folder: Path, space: Mapping[str, Any], fixed: Sequence[str]) -> optuna.Study:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        asked = [token for token in fixed if not token.startswith("hydra.")]
        name = f"{self._config.experiment.name}-{sha({'space': {k: repr(v) for k, v in space.items()}, 'fixed': asked}, 12)}"
        storage = self._storage or f"sqlite:///{folder.parent.resolve() / 'study.db'}"
        return optuna.create_study(study_name=name, storage=storage, direction="maximize", load_if_exists=True)

    def _sampler(self, asked: int) -> optuna.samplers.BaseSampler:
        """A sampler whose draws depend on how many trials there were: a resumed study does not suggest the same again."""
        import optuna

        seed = Rng(self._seed).seed_of("search", asked) % 2**32
        return optuna.samplers.TPESampler(seed=seed, n_startup_trials=self._startup, constant_liar=self._batch > 1)


def _stand_under_hydra_plugins() -> None:
    """Give the sweeper the only address under which Hydra takes one, without a second top-level package of ours."""
    package, module, _ = NAME.split(".")
    try:
        parent = importlib.import_module(package)
    except ImportError:
        parent = sys.modules[package] = ModuleType(package)
        parent.__path__ = []  # a package, and an empty one: Hydra walks it
    setattr(parent, module, sys.modules[__name__])
    sys.modules[f"{package}.{module}"] = sys.modules[__name__]
    SearchSweeper.__module__ = f"{package}.{module}"


_stand_under_hydra_plugins()


def _optuna() -> Any:
    """The library; ConfigError when it is not installed."""
    try:
        import optuna
    except ImportError:
        raise ConfigError(
            Problem("hydra/sweeper=search", "optuna is not installed", "pip install 'whileai-exp[sweep]'")
        ) from None
    return optuna


def space_of(overrides: Sequence[Override]) -> tuple[dict[str, Any], list[str]]:
    """What is searched, by key, and the other overrides. ConfigError when nothing is searched."""
    optuna = _optuna()
    space: dict[str, Any] = {}
    fixed: list[str] = []
    for override in overrides:
        key = override.get_key_element()
        if not override.is_sweep_override():
            fixed.append(f"{key}={override.get_value_element_as_str()}" if not override.is_delete() else str(override.input_line))
            continue
        if override.is_interval_sweep():
            interval = override.value()
            assert isinstance(interval, IntervalSweep)
            low, high, log = interval.start, interval.end, "log" in interval.tags
            whole = isinstance(low, int) and isinstance(high, int)
            kind = optuna.distributions.IntDistribution if whole else optuna.distributions.FloatDistribution
            space[key] = kind(low, high, log=log)
        else:
            space[key] = optuna.distributions.CategoricalDistribution(list(override.sweep_string_iterator()))
    if not space:
        what = "no value is searched"
        raise ConfigError(Problem("hydra/sweeper=search", what, "give one as key=choice(…), range(…) or interval(…)"))
    return space, fixed


def first_of(overrides: Sequence[Override]) -> list[str]:
    """One job of the space, for checking before anything is launched."""
    space, fixed = space_of(overrides)
    return [
        *fixed,
        *(
            f"{name}={getattr(kind, 'choices', None) and kind.choices[0] or getattr(kind, 'low', '')}"
            for name, kind in space.items()
        ),
    ]


def finished(study: optuna.Study) -> int:
    """Trials that count."""
    import optuna

    return len(study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,)))


def tell(study: optuna.Study, trial: optuna.Trial, result: Any) -> None:
    import optuna

    value = _value(result)
    if value is None:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
    else:
        study.tell(trial, value)


def _value(result: Any) -> float | None:
    """What a job returned; None when it failed or did not measure the objective."""
    try:
        value = result.return_value
    except Exception:  # Hydra hands a job's exception on here; the job has told it already
        return None
    return float(value) if isinstance(value, (int, float)) else None
