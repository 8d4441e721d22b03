"""Where a configured value came from: the file or the command-line token that set it last.

Hydra does not say, so its own defaults list is asked for again and each file's keys are noted in order. That uses
Hydra's loader below its public door; should it change, values lose their origin and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

OWN = "whileai-own"
"""Provider of the user's folder on Hydra's search path."""


def origins_of(tokens: Sequence[str]) -> dict[str, str]:
    """Dotted name to origin, for everything set by a file or a token. Call inside an initialised Hydra."""
    out: dict[str, str] = {}
    with suppress(AttributeError, TypeError, KeyError):  # Hydra's inner loader changed shape: origins are a courtesy
        out.update(_from_files(tokens))
    for override in OverridesParser.create().parse_overrides(list(tokens)):
        key = override.key_or_group
        if not override.is_delete():
            out[key.replace("/", ".").replace("@", ".")] = f"command line: {override.input_line}"
    return {key: value for key, value in out.items() if not key.startswith("hydra")}


def _from_files(tokens: Sequence[str]) -> dict[str, str]:
    hydra = GlobalHydra.instance().hydra
    assert hydra is not None
    loader: Any = hydra.config_loader
    overrides = OverridesParser.create().parse_overrides(list(tokens))
    defaults = loader.compute_defaults_list("config", [o.input_line for o in overrides], RunMode.RUN)
    out: dict[str, str] = {}
    for entry in defaults.defaults:
        path = entry.config_path
        if path is None or path == "base" or path.startswith("hydra"):
            continue
        loaded = loader.repository.load_config(path)
        if loaded is None or not isinstance(loaded.config, DictConfig):
            continue
        package = entry.package or ""
        tree = OmegaConf.to_container(loaded.config, resolve=False)
        if isinstance(tree, Mapping):
            tree = {key: value for key, value in tree.items() if key != "defaults"}
            for key in _leaves(tree, "" if package in ("_global_", "") else package):
                out[key] = f"{loaded.path.removeprefix('file://')}/{path}.yaml" if loaded.provider == OWN else f"{path}.yaml"
    return out


def _leaves(node: Any, path: str) -> Iterator[str]:
    if path:
        yield path
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
