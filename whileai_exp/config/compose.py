"""Composing a configuration with Hydra, and saying what is wrong with it in one line per mistake.

The keys that Hydra must know (so that `advanced.probe=2` needs no plus sign) are generated from the pydantic models at
start and stored as the group-less config `base`: there is no second copy of a default to fall out of step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.errors import HydraException
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..gates import gates
from ..knobs.experiment import ExperimentConfig
from ..models.backend import named_models
from ..plan import Plan, resolve_plan
from ..run.ports import unknown_names
from .origin import OWN, origins_of
from .places import conf_dir, conf_dirs, experiment_path
from .search import SearchSweeper, first_of

CONFIG_NAME = "config"


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed configuration as plain data, with where each value came from."""

    tree: Mapping[str, Any]
    tokens: Sequence[str]

    def origins(self) -> Mapping[str, str]:
        """Dotted name to the file or token that set it. Asked for apart: it costs as much as composing."""
        GlobalHydra.instance().clear()
        with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3", job_name="whileai_exp"):
            return origins_of(self.tokens)


def prepare() -> None:
    """Register the generated base config, our resolvers and the user's folders. Safe to call twice."""
    Plugins.instance().register(_OwnConf)
    Plugins.instance().register(SearchSweeper)
    ConfigStore.instance().store(name="base", node=ExperimentConfig().model_dump(mode="json"))
    OmegaConf.register_new_resolver("experiments", lambda *parts: str(experiment_path(*parts)), replace=True)
    OmegaConf.register_new_resolver("oc.env", _no_env, replace=True)


class _OwnConf(SearchPathPlugin):
    """Puts the user's folder of configuration before the shipped one."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for folder in conf_dirs()[:-1]:
            search_path.prepend(provider=OWN, path=f"file://{folder}")


def _no_env(name: str, default: Any = None) -> Any:
    raise ConfigError(
        Problem(
            f"${{oc.env:{name}}}",
            "environment values are not read into configuration, where they would be saved",
            "name the variable in api_key_env instead",
        )
    )


def normalised_tokens(argv: Sequence[str]) -> list[str]:
    """Command-line tokens with `experiment=x` spelled as Hydra wants it. ConfigError: a token that carries a secret."""
    problems = []
    out = []
    for token in argv:
        key, _, value = token.partition("=")
        if re.search(r"(api_key|token|password|secret|authorization)$", key, re.I) and value and not key.endswith("_env"):
            problems.append(
                Problem(
                    key,
                    "a secret on the command line would be saved in records and shell history",
                    "put it in an environment variable and name that in api_key_env",
                )
            )
        out.append(f"+{token}" if re.match(r"experiment=", token) else token)
        problems += _malformed(token)
    if problems:
        raise ConfigError(problems)
    return out


def _malformed(token: str) -> list[Problem]:
    """What is wrong with the shape of one token, before Hydra sees it."""
    key, equals, value = token.partition("=")
    name = key.lstrip("+~").split("@")[0]
    if token.startswith("~") and not equals:
        return []
    if not equals or not name:
        return [Problem(token, "is not an override", "write key=value, a group as group=option, or ~key to remove one")]
    if (
        name in _groups()
        and not re.fullmatch(r"[A-Za-z_][\w/.-]*(,[A-Za-z_][\w/.-]*)*", value)
        and not value.startswith(("{", "glob(", "choice("))
    ):
        return [
            Problem(name, f"{value!r} is not an option", f"it is a group of files: choose one of {', '.join(_options(name))}")
        ]
    if name in _groups() and value == "null":
        return [Problem(name, "cannot be null", f"choose one of {', '.join(_options(name))}")]
    return []


def compose_tree(tokens: Sequence[str]) -> Composed:
    """The configuration that command-line overrides describe. ConfigError in our words for every way it can fail."""
    prepare()
    GlobalHydra.instance().clear()
    with (
        hydra_in_our_words(tokens),
        initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3", job_name="whileai_exp"),
    ):
        cfg = compose(config_name=CONFIG_NAME, overrides=list(tokens))
        return Composed(to_tree(cfg), list(tokens))


@contextmanager
def hydra_in_our_words(tokens: Sequence[str]) -> Iterator[None]:
    """ConfigError, with the token or file, for whatever Hydra cannot make of the overrides within the block."""
    try:
        yield
    except ConfigError:
        raise
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        raise ConfigError(_placed(_explained(error), tokens)) from error


def _placed(problem: Problem, tokens: Sequence[str]) -> Problem:
    """The problem with the token or the file that it came from, where that can be told."""
    said = next((f"command line: {token}" for token in tokens if _is_about(problem, token)), "")
    if not said and problem.where:
        with suppress(HydraException, OmegaConfBaseException, YAMLError):
            said = Composed({}, list(tokens)).origins().get(problem.where, "")
    return replace(problem, origin=said)


def to_tree(cfg: DictConfig) -> dict[str, Any]:
    """Plain data with every interpolation resolved. ConfigError lists all values still missing."""
    missing = sorted(str(key) for key in OmegaConf.missing_keys(cfg))
    if missing:
        raise ConfigError(
            [Problem(key, "must be given", f"add {key}=… to the command or the experiment file") for key in missing]
        )
    try:
        tree = OmegaConf.to_container(cfg, resolve=True)
    except OmegaConfBaseException as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, ConfigError):
            cause = cause.__cause__ or cause.__context__
        if cause is not None:
            raise cause from None
        raise ConfigError(Problem(str(error.full_key or ""), str(error).split("\n")[0])) from error
    assert isinstance(tree, dict)
    return {str(key): value for key, value in tree.items() if key != "hydra"}


def plan_of(composed: Composed) -> Plan:
    """The plan of a composed configuration, without origins."""
    return resolve_plan(composed.tree, env=named_models())


def checked_plan(tokens: Sequence[str], check: Callable[[Plan], None]) -> Plan:
    """The plan that command-line overrides describe, checked. ConfigError with every problem of every token at once.

    Hydra stops at the first token it cannot place; that one is noted and left out, and the rest goes on.
    """
    problems: list[Problem] = []
    left = list(tokens)
    while True:
        try:
            composed = compose_tree(left)
            break
        except ConfigError as error:
            problems += [problem for problem in error.problems if problem not in problems]
            kept = [token for token in left if not any(_is_about(problem, token) for problem in error.problems)]
            if len(kept) == len(left):
                raise ConfigError(problems) from error
            left = kept
    try:
        plan = plan_of(composed)
        check(plan)
    except ConfigError:
        try:
            plan = resolve_plan(composed.tree, composed.origins(), env=named_models())
        except ConfigError as error:
            raise ConfigError([*problems, *error.problems, *unknown_names(composed.tree)]) from error
        try:
            check(plan)
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return plan


def _is_about(problem: Problem, token: str) -> bool:
    """Whether a composing problem was caused by this token."""
    key, where = token.split("=", 1)[0].lstrip("+~").replace("/", "."), problem.where.replace("/", ".")
    return bool(where) and (where == key or where.startswith(f"{key}.") or key.startswith(f"{where}."))


def _explained(error: Exception) -> Problem:
    """What Hydra, OmegaConf or YAML could not do, in our words, with the key it is about where that can be told."""
    text = str(error).strip()
    if isinstance(error, YAMLError):
        return Problem("", f"not valid YAML: {' '.join(text.split())}")
    unknown = re.search(r"(?:Could not find|In '[^']*': Could not find) '([^']+)'", text)
    if unknown:
        group, _, name = unknown[1].rpartition("/")
        return Problem(group, f"{group or 'config'}={name}: there is no such option", did_you_mean(name, _options(group)))
    key = re.search(r"Key '([^']+)' is not in struct", text)
    if key:
        full = re.search(r"full_key: (\S+)", text)
        return _unknown(full[1] if full else key[1])
    plus = re.search(r"Could not override '([^']+)'", text)
    if plus:
        where, cause = plus[1], error.__cause__
        if cause is not None and "is not in struct" in str(cause):
            full = re.search(r"full_key: (\S+)", str(cause))
            return _unknown(max(where, full[1] if full else "", key=len))
        if where.startswith("hydra."):
            return _unknown(where)
        if where in _groups():
            return Problem(where, "is a group of files", f"choose one of {', '.join(_options(where))}")
        return Problem(where, str(cause or text).splitlines()[0])
    return Problem("", " ".join(text.split()))


def _groups() -> list[str]:
    return sorted({p.name for folder in conf_dirs() for p in folder.iterdir() if p.is_dir()})


def _options(group: str) -> list[str]:
    wanted = [folder / group for folder in conf_dirs() if group and (folder / group).is_dir()]
    wanted = wanted if group else [conf_dir()]
    return sorted({p.stem for folder in wanted for p in folder.glob("*.yaml")})


_OPEN = ("hydra", "gates", "export", "judge", "selection", "world.options", "record.tags", "agent", "writer", "user")
"""Parts whose keys are names of plug-ins or their settings, so that new ones may be added with a plus sign."""


def _unknown(where: str) -> Problem:
    part, _, rest = where.partition(".")
    if part == "gates" and rest and rest.split(".")[0] not in gates:
        return Problem(where, f"{rest.split('.')[0]!r} is not a gate", did_you_mean(rest.split(".")[0], gates))
    if any(where.startswith(opened + ".") for opened in _OPEN):
        return Problem(where, "is not set by any file here", f"to add it write +{where}=…")
    return Problem(where, "unknown key", did_you_mean(where.rsplit(".", 1)[-1], _siblings(where)))


def _siblings(where: str) -> list[str]:
    node: Any = ExperimentConfig().model_dump(mode="json")
    for part in where.split(".")[:-1]:
        node = node.get(part) if isinstance(node, Mapping) else None
    return sorted(node) if isinstance(node, Mapping) else []


def expand_sweep(tokens: Sequence[str]) -> list[list[str]]:
    """The override lists of a grid sweep's jobs, in launch order; of a search, one job of its space."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

    parser = OverridesParser.create()
    try:
        if "hydra/sweeper=search" in tokens:
            return [first_of(parser.parse_overrides(list(tokens)))]
        return [list(job) for batch in BasicSweeper.split_arguments(parser.parse_overrides(list(tokens)), None) for job in batch]
    except HydraException as error:
        raise ConfigError(Problem("", " ".join(str(error).split()))) from error
