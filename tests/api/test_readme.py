"""What the README and the docs say is what the code does."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

import whileai_exp
from whileai_exp.config.places import conf_dir
from whileai_exp.knobs.tables import markdown_lines

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_five_calls_run_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})  # the snippet is ours
    printed = capsys.readouterr().out
    assert "pass@1 0." in printed and "headroom 0." in printed and "not measured" in printed and "orders-rl-v1 v1:" in printed


def test_the_experiment_that_is_shown_is_the_one_that_ships() -> None:
    (shown,) = blocks("yaml")
    shipped = yaml.safe_load((conf_dir() / "experiment" / "rl_v1.yaml").read_text("utf-8"))
    shipped.pop("objective")
    given = yaml.safe_load(shown)
    gates = given.pop("gates")
    assert (
        given == shipped
        and yaml.safe_load((conf_dir() / "gates" / "rl_publish.yaml").read_text("utf-8"))["mixed_groups"] == gates["mixed_groups"]
    )


def test_the_knob_table_is_the_one_that_is_generated() -> None:
    assert (ROOT / "docs" / "knobs.md").read_text("utf-8") == "\n".join(markdown_lines()) + "\n", (
        "run: whileai-exp knobs --markdown > docs/knobs.md"
    )


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(((?!http)[^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_stays_short_and_says_the_commands_that_are_there() -> None:
    assert len(README.splitlines()) < 250 and "@@" not in README
    calls = set(re.findall(r"wai\.(\w+)", README))
    further = README.split("Further calls", 1)[1].split("\n\n", 1)[0]
    calls |= set(re.findall(r"`(\w+)`", further))
    assert calls <= set(dir(whileai_exp)), calls - set(dir(whileai_exp))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?:^|`)make ([\w-]+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
    assert whileai_exp.__doc__ and sys.version_info >= (3, 11)
