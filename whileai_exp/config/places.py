"""Where configuration lives: the user's own folders first, then a checkout's conf/ and experiments/, or the wheel's copies.

The user's folders are named by `--config-dir` or by a project file, `whileai.toml`, in the working directory or above it:

    [paths]
    conf = "conf"
    experiments = "experiments"
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from ..errors import ConfigError, Problem

PROJECT_FILE = "whileai.toml"
_PACKAGE = Path(__file__).resolve().parent.parent


class Own(NamedTuple):
    """A user's folders; None where there is none."""

    conf: Path | None = None
    experiments: Path | None = None
    named_by: str = ""


_named: list[Own] = []


def use_config_dir(folder: str | Path) -> None:
    """Take a folder of configuration groups as the user's, for this process. ConfigError when it is not there."""
    path = Path(folder).resolve()
    if not path.is_dir():
        raise ConfigError(Problem("--config-dir", f"{folder} is not a folder", "name the folder that holds experiment/"))
    beside = path.parent / "experiments"
    _named[:] = [Own(path, beside if beside.is_dir() else None, "--config-dir")]


def own() -> Own:
    """The user's folders: those of `--config-dir`, else of the nearest project file. ConfigError for a broken one."""
    if _named:
        return _named[0]
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / PROJECT_FILE
        if file.is_file():
            return _read(file)
    return Own()


def _read(file: Path) -> Own:
    try:
        paths = tomllib.loads(file.read_text("utf-8")).get("paths", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(Problem(str(file), f"not valid TOML: {error}")) from None
    problems, found = [], {}
    for name, given in (paths if isinstance(paths, dict) else {}).items():
        if name not in ("conf", "experiments") or not isinstance(given, str):
            problems.append(Problem(f"{file}: paths.{name}", "is not known", "conf and experiments are, each a folder"))
        elif not (file.parent / given).is_dir():
            problems.append(Problem(f"{file}: paths.{name}", f"{given} is not a folder"))
        else:
            found[name] = (file.parent / given).resolve()
    if problems:
        raise ConfigError(problems)
    return Own(found.get("conf"), found.get("experiments"), str(file))


def conf_dir() -> Path:
    """The folder of configuration groups that come with the package."""
    checkout = _PACKAGE.parent / "conf"
    return checkout if (checkout / "config.yaml").is_file() else _PACKAGE / "_packaged" / "conf"


def conf_dirs() -> list[Path]:
    """All folders of configuration groups, the one that wins first."""
    mine = own().conf
    return [conf_dir()] if mine is None or mine == conf_dir() else [mine, conf_dir()]


def experiments_dir() -> Path:
    """The folder of what the shipped experiments own."""
    checkout = _PACKAGE.parent / "experiments"
    return checkout if checkout.is_dir() else _PACKAGE / "_packaged" / "experiments"


def experiment_path(*parts: str) -> Path:
    """What `${experiments:name}` in a file stands for: the user's folder of that name, else the shipped one."""
    mine = own().experiments
    if mine is not None and mine.joinpath(*parts).exists():
        return mine.joinpath(*parts)
    return experiments_dir().joinpath(*parts)
