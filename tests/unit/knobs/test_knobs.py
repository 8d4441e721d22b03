"""Every knob keeps its promises: bounds, meaning, source, and being read by somebody."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import KnobInfo, Knobs, RunKnobs, info_of, knob, resolve
from whileai_exp.knobs._knob import convention
from whileai_exp.knobs.tables import all_infos, parameter_infos

PACKAGE = Path(__file__).resolve().parents[3] / "whileai_exp"
INFOS = info_of(RunKnobs)


def wrong_values(info: KnobInfo) -> list[Any]:
    out: list[Any] = ["a word", [1], {"a": 1}]
    if "int" in info.type or "float" in info.type:
        out += [math.nan, math.inf, True]
    if info.low is not None:
        out.append(info.low - 1 if not info.open_low else info.low)
    if info.high is not None:
        out.append(info.high + 1)
    return [
        v for v in out if not (info.type == "str" and isinstance(v, str)) and not (info.type == "bool" and isinstance(v, bool))
    ]


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_a_value_outside_its_bounds_is_refused_by_name(info: KnobInfo) -> None:
    for value in wrong_values(info):
        with pytest.raises(ConfigError) as caught:
            resolve(RunKnobs, {info.name: value})
        assert f"advanced.{info.name}" in str(caught.value), value
        assert repr(info.default) in str(caught.value)


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_a_knob_says_why_and_where_its_default_comes_from(info: KnobInfo) -> None:
    assert len(info.why) > 10 and info.source.kind in ("measured", "paper", "chapter", "derived", "convention")
    assert resolve(RunKnobs, {info.name: info.default}) == RunKnobs()


def test_no_knob_is_dead() -> None:
    read: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name == "knobs":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute):
                read[node.attr] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"\w+", node.value):
                read[node.value] += 1
    assert [info.name for info in INFOS if not read[info.name]] == []


def test_names_are_unique_over_stages() -> None:
    names = [name for base in RunKnobs.__mro__ if issubclass(base, Knobs) for name in getattr(base, "__annotations__", {})]
    assert [name for name, count in Counter(names).items() if count > 1 and name != "model_config"] == []


def test_all_problems_come_at_once_and_an_unknown_name_is_corrected() -> None:
    class Table(Knobs):
        probe: int = knob(2, ge=1, le=64, unit="rollouts", why="the fewest results that can disagree", source=convention())
        gain: float = knob(4.0, ge=0, why="pull of a hot region", source=convention())

    with pytest.raises(ConfigError) as caught:
        resolve(Table, {"probe": 0, "gian": 3}, origins={"probe": "command line: advanced.probe=0"})
    first, second = sorted(map(str, caught.value.problems))
    assert first == "advanced.gian: unknown key; did you mean 'gain'?"
    assert second == (
        "advanced.probe: 0 is below its floor 1; the default is 2 (the fewest results that can disagree) [from command line: advanced.probe=0]"
    )


def test_the_table_lists_parameters_and_knobs_once() -> None:
    names = [name for name, _ in all_infos()]
    assert len(names) == len(set(names)) == len(parameter_infos()) + len(INFOS)
