"""One resolver for files and keywords: what it fills in, what it refuses, and that it is idempotent."""

from __future__ import annotations

from typing import Any

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.plan import PARAMETERS, ModelRef, RepeatPolicy, nested, parse_ref, resolve_plan
from whileai_exp.plan.resolve import patience_of

SPEC = {
    "tools": [
        {
            "name": "get_order",
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        }
    ]
}


def problems_of(config: dict[str, Any], **options: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        resolve_plan({"spec": SPEC, **config}, **options)
    return [str(problem) for problem in caught.value.problems]


def test_a_mode_fills_in_what_was_not_said_and_says_so() -> None:
    plan = resolve_plan({"spec": SPEC, "mode": "rl", "counts": {"situations": 10}})
    assert (plan.counts.phrasings, plan.counts.repeats, plan.policy, plan.writer.fault_rate) == (
        1,
        8,
        RepeatPolicy.SUCCESSIVE,
        0.8,
    )
    assert plan.origins["counts.repeats"] == "mode rl" and "counts.situations" not in plan.origins


def test_an_explicit_value_beats_its_mode() -> None:
    plan = resolve_plan(
        {"spec": SPEC, "mode": "rl", "counts": {"repeats": 3}, "world": {"fault_rate": 0.1}, "allocation": {"kind": "fixed"}}
    )
    assert (plan.counts.repeats, plan.writer.fault_rate, plan.policy) == (3, 0.1, RepeatPolicy.FIXED)


def test_resolving_a_resolved_configuration_changes_nothing() -> None:
    plan = resolve_plan({"spec": SPEC, "mode": "sft", "budget": {"rollouts": 100}})
    again = resolve_plan(plan.config)
    assert again.config == plan.config and again.spec.sha == plan.spec.sha


def test_every_problem_is_reported_at_once() -> None:
    found = problems_of(
        {"mode": "rk", "counts": {"repeats": 0, "situations": "x"}, "user": {"patience": "long"}, "seed": -1, "nope": 1}
    )
    starts = sorted(line.split(":")[0] for line in found)
    assert starts == ["counts.repeats", "counts.situations", "mode", "nope", "seed", "user.patience"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"agent": {"api_key": "sk-123456"}}, "environment variable"),
        ({"agent": {"base_url": "http://user:pw@host/v1"}}, "credentials"),
        ({"agent": {"kind": "openai"}}, "agent.model=gpt-4.1-mini"),
        ({"agent": {"kind": None}}, "agent.target"),
        ({"measures": {"k": 9}, "counts": {"repeats": 4}}, "above counts.repeats=4"),
        ({"counts": {"unique": True, "repeats": 4}}, "no room"),
        ({"writer": {"strategy": "trace"}}, "needs writer.traces"),
        ({"judge": {}}, "either kind or target"),
        ({"writer": {"temperature": [1.5, 0.5]}}, "band"),
        ({"experiment": {"name": "../../evil"}}, "names a folder"),
        ({"agent": {"base_url": "http://h/v1?api_key=abc"}}, "secret inside a URL"),
        ({"budget": {"time_s": float("nan")}}, "finite"),
        ({"allocation": {"timeout_s": float("inf")}}, "finite"),
        ({"allocation": {"concurrency": 0}}, "below its floor 1"),
        ({"allocation": {"concurrency": True}}, "not a whole number"),
    ],
)
def test_contradictions_and_secrets_are_refused_with_a_fix(config: dict[str, Any], words: str) -> None:
    assert words in "\n".join(problems_of(config))


def test_a_missing_spec_names_the_nearest(tmp_path: Any) -> None:
    (tmp_path / "refunds").mkdir()
    with pytest.raises(ConfigError, match="did you mean 'refunds'"):
        resolve_plan({"spec": {"path": str(tmp_path / "refund")}})


def test_without_an_agent_the_embedded_one_plays_and_it_is_said() -> None:
    assert "embedded_agent" in resolve_plan({"spec": SPEC}).degraded
    named = resolve_plan({"spec": SPEC}, env={"WHILEAI_EXP_AGENT": "vllm:qwen@http://127.0.0.1:1/v1"})
    assert named.agent == ModelRef("vllm", "qwen", ("http://127.0.0.1:1/v1",)) and "embedded_agent" not in named.degraded


def test_one_model_in_three_roles_is_said_with_its_fix() -> None:
    plan = resolve_plan({"spec": SPEC, "agent": {"kind": "openai", "model": "m"}})
    assert plan.degraded["same_model"] == ["writer", "user"]
    assert any("simulator=" in note for note in plan.notes) and any("user_model=" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("scripted", ModelRef("scripted")),
        ("openai:gpt-4.1-mini", ModelRef("openai", "gpt-4.1-mini", (), "OPENAI_API_KEY")),
        ("vllm:org/model:tag@http://h:1/v1", ModelRef("vllm", "org/model:tag", ("http://h:1/v1",))),
        ("http://h:1/v1", ModelRef("url", None, ("http://h:1/v1",))),
    ],
)
def test_spec_strings(text: str, ref: ModelRef) -> None:
    assert parse_ref(text) == ref


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("openai/gpt", "openai:gpt"),
        ("openai", "openai:<model>"),
        ("opnai:x", "openai"),
        ("gpt-4", "provider:model"),
        ("openai:", "openai:<model>"),
    ],
)
def test_near_misses_of_spec_strings_get_their_fix(text: str, fix: str) -> None:
    with pytest.raises(ConfigError, match=fix):
        parse_ref(text)


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_every_alias_of_a_keyword_means_the_same(name: str) -> None:
    path, aliases = PARAMETERS[name]
    for spelling in (name, *aliases):
        config, origins = nested({spelling: 3})
        assert path in origins and origins[path] == f"keyword {spelling}="


def test_two_spellings_with_different_values_are_an_error_naming_both() -> None:
    with pytest.raises(ConfigError, match="repeats.*rollouts_per_request"):
        nested({"rollouts_per_request": 2, "repeats": 3})
    with pytest.raises(ConfigError, match="seed"):
        nested({"seed": 1}, {"seed": 2})
    assert nested({"repeats": 3, "rollouts_per_request": 3})[0] == {"counts": {"repeats": 3}}


def test_an_unknown_keyword_is_corrected() -> None:
    with pytest.raises(ConfigError, match="did you mean 'situations'"):
        nested({"situation": 3})


@pytest.mark.parametrize("value", ["short", "normal", "endless", (0.1, 0.9), {"second": 0.2, "later": 0.3}])
def test_patience_can_be_a_level_or_two_chances(value: Any) -> None:
    assert patience_of(value) is not None


@pytest.mark.parametrize("value", ["long", (2, 0), {"second": 0.1}, 0.5, None, (float("nan"), 0)])
def test_what_is_no_patience(value: Any) -> None:
    assert patience_of(value) is None
