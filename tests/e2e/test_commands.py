"""The verbs as a person types them, in an empty folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow


@pytest.fixture
def started(run: Run, tmp_path: Path) -> Path:
    """A starter experiment of two runs, a and b, on one task set, with agents that are not equally good."""
    assert run("init", check=True).stdout.count("wrote") == 7
    run("+experiment=my_agent", "record=local", "counts.situations=30", "hydra.run.dir=a", check=True)
    worse = ("agent=scripted", "+agent.flaw_rate=0.9", "gates=none")
    run("+experiment=my_agent", "record=local", "counts.situations=30", *worse, "hydra.run.dir=b", check=True)
    return tmp_path


def test_a_starter_runs_around_the_users_own_files_and_says_whose_they_are(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(
        '{"tools": [{"name": "water_plant", "description": "Water one plant.", "parameters": {"type": "object", "properties": {"plant_id": {"type": "string"}}, "required": ["plant_id"]}}]}'
    )
    (tmp_path / "policy.txt").write_text("Water only plants that are dry.")
    done = run(
        "init",
        "--name",
        "garden",
        "--tools",
        "mine.json",
        "--policy",
        "policy.txt",
        "--agent",
        "vllm:q@http://127.0.0.1:9/v1",
        check=True,
    )
    assert "whileai-exp +experiment=garden" in done.stdout
    again = run("init", "--name", "garden", check=True)
    assert again.stdout.count("kept") == 7 and "vllm" in (tmp_path / "conf" / "experiment" / "garden.yaml").read_text()
    done = run("+experiment=garden", "agent=scripted", "record=local", "counts.situations=6", "gates=none")
    assert done.returncode == 0 and f"conf     {tmp_path / 'conf'} before the shipped one" in done.stderr, done.stderr
    (folder,) = (tmp_path / "outputs" / "garden").iterdir()
    record = orjson.loads((folder / "record.json").read_bytes())
    assert [tool["function"]["name"] for tool in record["config"]["spec"]["tools"]] == ["water_plant"]
    assert record["config"]["spec"]["system_prompt"].strip() == "Water only plants that are dry."
    assert record["origins"]["counts.repeats"] == f"{tmp_path / 'conf'}/experiment/garden.yaml"


def test_a_folder_of_configuration_named_on_the_command_line_wins(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine" / "gates").mkdir(parents=True)
    (tmp_path / "mine" / "gates" / "basic.yaml").write_text("truncation:\n  max_share: 0.5\n")
    done = run(
        "--config-dir", "mine", "+experiment=sft_v1", "gates=basic", "record=local", "counts.situations=4", "hydra.run.dir=r"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    record = orjson.loads((tmp_path / "r" / "record.json").read_bytes())
    assert record["config"]["gates"] == {"truncation": {"max_share": 0.5}}
    assert run("--config-dir", "nowhere", "+experiment=sft_v1").returncode == 2


def test_plan_says_what_a_run_takes_and_spends_nothing(run: Run, tmp_path: Path) -> None:
    arguments = (
        "+experiment=rl_v1",
        "agent=openai",
        "agent.model=m",
        "agent.base_url=http://127.0.0.1:9/v1",
        "counts.situations=50",
    )
    priced = run("plan", *arguments, "+agent.price={input: 1.0, output: 4.0}", "--json", check=True)
    found = orjson.loads(priced.stdout)
    agent = next(role for role in found["roles"] if role["role"] == "agent")
    assert found["rollouts"] == 400 and found["rollouts_least"] == 200
    assert 400 <= agent["calls"] <= 4000 and found["calls"] == sum(r["calls"] for r in found["roles"] if not r["offline"])
    assert agent["money"] == pytest.approx((agent["input_tokens"] + 4 * agent["output_tokens"]) / 1e6)
    assert 0.10 < found["half_width"] < 0.15
    assert not (tmp_path / "outputs").exists()
    refused = run(*arguments, "budget.ask_calls=10")
    assert refused.returncode == 2 and "above budget.ask_calls=10" in refused.stderr and "--yes" in refused.stderr
    assert run("plan", "+experiment=rl_v1", "counts.situations=0").returncode == 2


def test_compare_shows_the_difference_of_configuration_and_of_tasks(run: Run, started: Path) -> None:
    done = run("compare", "a", "b", "--html", "cmp.html", "--must-not-regress", "pass_at_1")
    assert done.returncode in (2, 3), done.stdout + done.stderr
    done = run("compare", "a", "b", "--html", "cmp.html")
    assert done.returncode == 3 and "agent.flaw_rate: not set -> 0.9" in done.stdout, done.stdout + done.stderr
    assert "to failing, of 30" in done.stdout
    page = (started / "cmp.html").read_text()
    assert "agent.flaw_rate" in page and "<script" not in page
    (found,) = orjson.loads(run("compare", "a", "b", "--json").stdout)
    assert found["report"]["target_moved"] == "worse" or found["report"]["metrics"]["pass_at_1"]["comparison"]["delta"] < 0
    assert sum(task["after"] - task["before"] for task in found["tasks"]) / len(found["tasks"]) == pytest.approx(
        found["report"]["metrics"]["pass_at_1"]["comparison"]["delta"]
    )
    assert run("compare", "a").returncode == 2


def test_rollouts_are_read_by_id_task_and_line(run: Run, started: Path) -> None:
    rows = [orjson.loads(line) for line in (started / "a" / "rows.jsonl").read_bytes().splitlines()]
    assert rows[4]["prompt"] in run("show", "a", "5", check=True).stdout
    assert (
        run("show", "a", rows[4]["rollout_id"], "--json", check=True).stdout.encode()
        == (started / "a" / "rows.jsonl").read_bytes().splitlines()[4] + b"\n"
    )
    assert run("show", "a", rows[4]["task_id"], check=True).stdout.count("verdict") == sum(
        r["task_id"] == rows[4]["task_id"] for r in rows
    )
    assert len(run("show", "a/rows.jsonl", "--failed", check=True).stdout.splitlines()) == sum(r["reward"] == 0 for r in rows)
    assert run("show", "a", "no-such").returncode == 2


def test_a_report_is_written_again_from_what_the_run_left(run: Run, started: Path) -> None:
    first = (started / "a" / "report.html").read_text()
    run("report", "a", "--out", "again.html", check=True)
    assert (started / "again.html").read_text() == first


def test_tracked_runs_are_listed_best_first_and_found_by_filter(run: Run) -> None:
    assert run("runs").returncode == 2
    for seed in ("1", "2"):
        run("+experiment=sft_v1", f"seed={seed}", "counts.situations=6", "gates=none", check=True)
    lines = run("runs", "sft_v1", check=True).stdout.splitlines()[1:]
    assert len(lines) == 2
    assert len(run("runs", "--where", "params.seed = '2'", check=True).stdout.splitlines()) == 2
    assert run("runs", "--where", "nonsense !!").returncode == 2
    assert run("runs", "no_such").returncode == 2


def test_doctor_says_what_is_there_and_shows_no_key(run: Run) -> None:
    done = run("doctor", "--endpoint", "http://127.0.0.1:9", env={"OPENAI_API_KEY": "sk-canary-doctor"})
    assert done.returncode == 0 and "sandbox      level" in done.stdout and "does not serve" in done.stdout, done.stderr
    assert "sk-canary" not in done.stdout + done.stderr and "OPENAI_API_KEY           set" in done.stdout


def test_help_of_every_verb_loads_nothing_heavy() -> None:
    code = (
        "import sys; from whileai_exp.cli._app import VERBS, call; [call([verb, '--help']) for verb in VERBS]; "
        "print('heavy', [m for m in ('mlflow', 'hydra', 'numpy', 'aiohttp', 'scipy', 'matplotlib', 'rich', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("heavy []"), done.stdout[-300:]


@pytest.mark.parametrize("tokens", [["replay"], ["show"], ["compar"], ["report", "nowhere"], ["replay", "x", "--no-such"]])
def test_a_mistyped_command_is_one_message_and_exit_2(run: Run, tokens: list[str]) -> None:
    done = run(*tokens)
    assert done.returncode == 2 and "Traceback" not in done.stderr and done.stderr.strip(), done.stderr


def test_labels_given_in_the_terminal_are_kept_one_by_one_and_taken_up_again(started: Path) -> None:
    def label(answers: str) -> str:
        command = [sys.executable, "-m", "whileai_exp", "label", "a", "-n", "4"]
        done = subprocess.run(command, cwd=started, input=answers, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = label("y\nperhaps\nn\nq\n")
    assert "1 of 4" in first and "verdict" not in first
    second = label("n\ny\n")
    assert "1 of 2" in second
    labels = [orjson.loads(line) for line in (started / "labels.jsonl").read_bytes().splitlines()]
    assert len({line["rollout_id"] for line in labels}) == 4 and [line["label"] for line in labels] == [1, 0, 0, 1]


def test_what_a_run_kept_is_published_and_what_a_check_refuses_is_not(run: Run, started: Path) -> None:
    done = run("push", "a", "garden")
    assert done.returncode == 0 and "garden v1:" in done.stdout, done.stdout + done.stderr
    (version,) = (started / "outputs" / "registry" / "garden").iterdir()
    assert orjson.loads((version / "manifest.json").read_bytes())["config"]["experiment"]["name"] == "my_agent"
    refused = run("push", "a", "other", "--holdout", "a/selected.jsonl")
    assert refused.returncode == 3 and "share their ask with the holdout" in refused.stdout
    assert not (started / "outputs" / "registry" / "other").exists()


@pytest.mark.slow
def test_a_function_beside_the_configuration_is_found_by_the_console_script(tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text("def agent(prompt):\n    return 'I looked into it.'\n", "utf-8")
    command = [
        str(Path(sys.executable).with_name("whileai-exp")),
        "+experiment=rl_v1",
        "agent=callable",
        "agent.target=my_agent:agent",
    ]
    small = ["counts.situations=4", "counts.repeats=2", "gates=none", "record=local", "record.html=false", "hydra.run.dir=r"]
    done = subprocess.run([*command, *small], cwd=tmp_path, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
