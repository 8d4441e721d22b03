"""Configuration files compose, and what is wrong with a command is said in one line per mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from whileai_exp.config.compose import checked_plan, compose_tree, expand_sweep, normalised_tokens, plan_of
from whileai_exp.config.places import conf_dir
from whileai_exp.errors import ConfigError
from whileai_exp.knobs.experiment import ExperimentConfig
from whileai_exp.run.ports import preflight

CONF = conf_dir()
EXPERIMENTS = sorted(path.stem for path in (CONF / "experiment").glob("*.yaml"))
GROUPS = {
    str(group.relative_to(CONF)): sorted(path.stem for path in group.glob("*.yaml"))
    for group in CONF.rglob("*")
    if group.is_dir() and group.name not in ("experiment", "debug", "__pycache__") and any(group.glob("*.yaml"))
}


def problem_of(*tokens: str) -> str:
    with pytest.raises(ConfigError) as caught:
        checked_plan(normalised_tokens(tokens), preflight)
    return str(caught.value)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_composes_and_passes_its_checks(name: str) -> None:
    preflight(plan_of(compose_tree([f"+experiment={name}", "+debug=smoke"])))


@pytest.mark.slow
@pytest.mark.parametrize("at", range(max(map(len, GROUPS.values()))))
def test_every_option_of_every_group_composes(at: int) -> None:
    compose_tree([f"{group}={options[at % len(options)]}" for group, options in sorted(GROUPS.items())])


def test_package_headers_stand_first_and_experiments_show_their_command() -> None:
    for name in EXPERIMENTS:
        lines = (CONF / "experiment" / f"{name}.yaml").read_text("utf-8").splitlines()
        assert lines[0] == "# @package _global_" and f"+experiment={name}" in lines[1]


def test_files_state_no_value_that_is_the_default_anyway() -> None:
    defaults = ExperimentConfig().model_dump(mode="json")
    for path in CONF.glob("*/*.yaml"):
        group = path.parent.name
        loaded = yaml.safe_load(path.read_text("utf-8")) or {}
        if group in ("experiment", "debug") or not isinstance(defaults.get(group), dict) or path.stem in ("default", "auto"):
            continue
        same = [key for key, value in loaded.items() if defaults[group].get(key, "absent") == value]
        assert not same, f"{path} repeats {same}"


def test_values_know_their_file_or_token() -> None:
    origins = compose_tree(["+experiment=rl_v1", "counts.repeats=4"]).origins()
    assert origins["counts.repeats"] == "command line: counts.repeats=4"
    assert origins["counts.situations"] == "experiment/rl_v1.yaml"
    assert origins["judge.kind"] == "judge/task_checklist.yaml"


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["+experiment=nope"], "there is no such option"),
        (["+experiment=rl_v2"], "did you mean 'rl_v1'"),
        (["judge=nope"], "judge=nope: there is no such option"),
        (["user.kind=none"], "user.kind: 'none' is no model backend"),
        (["judge.kind=nope"], "'nope' is no judge"),
        (["advanced.prob=3"], "did you mean 'probe'"),
        (["advanced.probe=0"], "0 is below its floor 1; the default is 2"),
        (["counts.repeats=x"], "[from command line: counts.repeats=x]"),
        (["spec.path=/no/such/folder"], "there is nothing at"),
        (["gates.mixed_groups.min_share=0.3"], "+gates.mixed_groups.min_share="),
        (["+gates.mixed_groups.min_shar=0.3"], "did you mean 'min_share'"),
        (["agent.api_key=sk-1"], "api_key_env"),
        (["agent=openai"], "agent.model"),
        (["agent=callable"], "agent.target=package.module:function"),
        (["agent=callable", "agent.target=no.such:thing"], "cannot be imported"),
        (["spec.system_prompt=${oc.env:HOME}"], "environment values are not read"),
        (["seed=-1"], "seed"),
        (["judge=null"], "cannot be null"),
        (["gates=[1]"], "is not an option"),
        (["=3"], "is not an override"),
        (["objective=headroon"], "did you mean 'headroom'"),
        (["+export.foo={}"], "'foo' is no exporter"),
        (["world.execute=os:sep"], "not a function"),
        (["world.options={no_such_option: 1}"], "+world.options.no_such_option="),
        (["+world.options.no_such_option=1"], "no_such_option"),
    ],
)
def test_a_mistake_is_one_line_with_its_fix(tokens: list[str], words: str) -> None:
    text = problem_of(*tokens)
    assert words in text and "Traceback" not in text and "\n" not in text.strip()


def test_every_mistake_of_a_command_is_said_at_once() -> None:
    text = problem_of(
        "+experiment=rl_v1",
        "seed=abc",
        "counts.repeats=0",
        "advanced.prob=4",
        "counts.situatons=3",
        "spec.path=/nope",
        "world.fault_rate=2",
        "gates.foo.min=1",
        "agent.kind=scriptd",
    )
    assert sorted(line.split(":")[0] for line in text.splitlines()) == [
        "advanced.prob", "agent.kind", "counts.repeats", "counts.situatons", "gates.foo.min", "seed", "spec.path", "world.fault_rate"
    ]  # fmt: skip


def test_an_unreadable_rubric_is_a_problem_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text('{"tools": [], "system_prompt": "x"}')
    (tmp_path / "rubric.md").write_bytes(b"\xff\xfe\x00bad")
    assert "rubric.md" in problem_of(f"spec.path={tmp_path}")


def test_experiment_may_be_spelled_without_its_plus() -> None:
    assert normalised_tokens(["experiment=rl_v1", "seed=2"]) == ["+experiment=rl_v1", "seed=2"]


def test_a_sweep_is_the_product_of_its_lists() -> None:
    jobs = expand_sweep(["+experiment=rl_v1", "seed=1,2", "advanced.probe=2,4"])
    assert len(jobs) == 4 and jobs[0] == ["+experiment=rl_v1", "seed=1", "advanced.probe=2"]


def test_hydra_without_any_plugin_package_will_do() -> None:
    """A plain install has no `hydra_plugins` on disk; Hydra then walks the one that stands in for it."""
    code = (
        "import sys; sys.modules['hydra_plugins'] = None\n"
        "from whileai_exp.config.compose import compose_tree, plan_of, prepare\n"
        "prepare(); print(plan_of(compose_tree(['+experiment=rl_v1'])).name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "rl_v1", done.stderr


@pytest.mark.parametrize(
    ("tokens", "origin"),
    [
        (["+experiment=rl_v1", "advanced.prob=2"], "[from command line: advanced.prob=2]"),
        (["+experiment=nope"], "[from command line: +experiment=nope]"),
        (["+experiment=rl_v1", "judge=nope"], "[from command line: judge=nope]"),
        (["+experiment=mistyped"], "conf/experiment/mistyped.yaml]"),
        (["+experiment=misplaced"], "conf/experiment/misplaced.yaml]"),
        (["+experiment=outside"], "conf/experiment/outside.yaml]"),
    ],
)
def test_a_mistake_names_the_file_or_the_token_it_came_from(
    tokens: list[str], origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "mistyped": "advanced: {prob: 2}",
        "misplaced": "situations: 20",
        "outside": "counts: {repeats: 0}",
    }.items():
        path = tmp_path / "conf" / "experiment" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# @package _global_\n{text}\n", "utf-8")
    (tmp_path / "whileai.toml").write_text('[paths]\nconf = "conf"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert origin in problem_of(*tokens)
