"""Each verifier's rule, and that none of them quotes the key, guesses, or crashes."""

from __future__ import annotations

from typing import Any

import pytest

import whileai_exp as wai
from whileai_exp.errors import ConfigError
from whileai_exp.schema import Privileged
from whileai_exp.verify import (
    All,
    ExactMatch,
    Includes,
    JSONField,
    JSONSchema,
    JSONValid,
    MultipleChoice,
    Numeric,
    Regex,
    ToolCalls,
    Weighted,
    WorldState,
    verifier,
)  # fmt: skip
from whileai_exp.verify import (
    Any as AnyOf,
)


def verdict(check: Any, said: str, gold: Any = None, **row: Any) -> dict[str, Any]:
    held = {"privileged": Privileged(reference=gold)} if gold is not None else {}
    return check({"final_text": said, **held, **row})


def reward(check: Any, said: str, gold: Any = None, **row: Any) -> float | None:
    return verdict(check, said, gold, **row)["reward"]


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("The answer is 3.14", "3.14", 1), ("The answer is 3.14", "3", 0), ("answer is .5", 0.5, 1), ("$1.50 per unit", 1.5, 1), ("-5", 5, 0),
        ("−5", -5, 1), ("It is 1,234.5 in all", "1234.5", 1), ("50%", 0.5, 1), ("50", "50%", 1), ("2 1/2", 2.5, 1), ("½", 0.5, 1),
        ("1.2e3", 1200, 1), ("3 x 10^2", 300, 1), ("\\boxed{7} and 8 more", 7, 1), ("First 3. The result is 4. Not 5.", 4, 1),
        ("28 + 32 = 60\nThis solves it.", 60, 1), ("the value is 110", "10", 0), ("no number", 3, 0), ("got 12 apples", ["11", "12"], 1),
        ("\\frac{3}{4}", 0.75, 1), ("1 000", 1000, 1), ("result: 三", 3, 1),
    ],
)  # fmt: skip
def test_numbers(said: str, gold: Any, right: int) -> None:
    assert reward(Numeric(), said, gold) == right


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("-5", "5", 0), ("3.14", "314", 0), ("1.5", "15", 0), ("C++", "C", 0), ("!!!", "", 0), ("é", "e\u0301", 1), ("Paris.", "paris", 1),
        ("Thinking…\n**Paris**", "Paris", 1), ("Answer: Paris", "Paris", 1), ("London", ["Paris", "London"], 1), ("Paris, France", "Paris", 0),
    ],
)  # fmt: skip
def test_exact_text(said: str, gold: Any, right: int) -> None:
    assert reward(ExactMatch(), said, gold) == right


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("It costs 15", "5", 0), ("It costs 5.", "5", 1), ("It costs 1.5", "5", 0), ("not refunded", "refunded", 0), ("It was refunded", "refunded", 1),
        ("It wasn't cancelled but it was refunded", "refunded", 1), ("unrefunded", "refunded", 0), ("a and b", ["a", "b"], 1), ("a", ["a", "b"], 0),
    ],
)  # fmt: skip
def test_inclusion(said: str, gold: Any, right: int) -> None:
    assert reward(Includes(), said, gold) == right


def test_an_empty_reference_is_no_reference_to_include() -> None:
    assert reward(Includes(), "anything", [""]) is None and reward(Includes(), "anything", []) is None


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("The answer depends on B", "D", 0), ("The best choice given this is A", "G", 0), ("The answer is definitely B", "B", 1), ("I think so", "I", 0),
        ("Answer: A, B, and C", ["A", "B", "C"], 1), ("ANSWER: A, C,", ["A", "C"], 1), ("ANSWER: A,", "A", 1), ("", "A", 0), ("Answer: A or B", "A", 0),
        ("\\boxed{C}", "C", 1), ("So (B) it is", "B", 1), ("The answer is **(D)**", "D", 1), ("Answer: Mars", "B", 1), ("Answer: C\nOn reflection, Answer: D", "D", 1),
    ],
)  # fmt: skip
def test_choices(said: str, gold: Any, right: int) -> None:
    assert reward(MultipleChoice(choices=["Venus", "Mars", "Earth", "Sun"]), said, gold) == right


def test_a_reason_never_quotes_the_key() -> None:
    for check, said, gold in ((MultipleChoice(), "Answer: C", "B"), (Numeric(), "It is 41", 42), (ExactMatch(), "x", "SECRET-1")):
        told = verdict(check, said, gold)
        assert str(gold) not in str(told.get("reason", "")).replace("another option", "")

    @verifier
    def leaky(candidate: str, reference: Any, row: Any) -> Any:
        return 0, f"wanted {reference} or {float(reference)}"

    assert verdict(leaky, "x", 42)["reason"] == "wanted [answer key] or [answer key]"


def test_a_pattern_that_never_ends_is_a_timeout_and_hurts_no_other_row() -> None:
    rows = [{"rollout_id": str(n), "final_text": "a" * 40 + "b" if n == 1 else "aaa"} for n in range(4)]
    judged = wai.run_judge(rows, Regex(pattern="^(a+)+$", timeout_s=0.2), concurrency=2).rows
    assert [row["judge_status"] for row in judged] == ["ok", "timeout", "ok", "ok"]


def test_patterns_and_groups() -> None:
    assert reward(Regex(pattern=r"id-\d+"), "see id-77") == 1 and reward(Regex(pattern=r"id-\d+"), "see") == 0
    assert (
        reward(Regex(pattern="(foo) (bar)", group=1), "foo bar", "foo") == 1
        and reward(Regex(pattern="(x)?y", group=1), "y", "42") == 0
    )
    with pytest.raises(ConfigError, match="pattern"):
        Regex(pattern="(")
    with pytest.raises(ConfigError, match="group"):
        Regex(pattern="(a)", group=3)


@pytest.mark.parametrize(
    ("said", "right"),
    [("null", 1), ('{"a": 1}', 1), ('{"a": 1} {"b": 2}', 0), ("NaN", 0), ('{"a": NaN}', 0), ('```json\n{"a": 1}\n```', 1), ("Here: [1, 2] done", 1), ("no", 0), ("[" * 100_000, 0)],
)  # fmt: skip
def test_json_or_not(said: str, right: int) -> None:
    assert reward(JSONValid(), said) == right


def test_a_schema_counts_whole_and_a_broken_one_is_refused_before_any_row() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "additionalProperties": False}
    check = JSONSchema(schema)
    assert [reward(check, said) for said in ('{"a": 1}', '{"a": 3}', '{"b": 1}', "[]", "not json")] == [1, 0, 0, 0, 0]
    assert "3" not in verdict(check, '{"a": 3}')["reason"]
    with pytest.raises(ConfigError, match="schema"):
        JSONSchema({"type": "objcet"})
    assert reward(JSONSchema({"type": "string", "pattern": "^(a+)+$"}), '"aaa"') == 1


def test_fields_are_compared_as_json() -> None:
    said = '{"a": {"b": [1.0, {"c": true}]}, "x.y": {"p": 1, "q": 2}}'
    assert reward(JSONField("a.b.0", 1), said) == 1 and reward(JSONField("a.b.1.c", 1), said) == 0
    assert reward(JSONField("/x.y", {"q": 2, "p": 1}), said) == 1 and reward(JSONField("a.z", None), said) == 0
    assert reward(JSONField("a.b.1.c"), said) is None and reward(JSONField("a.b.1.c"), said, True) == 1


def test_tool_calls_by_mode() -> None:
    a, b = {"tool": "a", "arguments": {"n": 1}}, {"tool": "b", "arguments": {}}

    def told(mode: str, made: list[Any], wanted: list[Any], **more: Any) -> float | None:
        return reward(ToolCalls(mode=mode, **more), "", wanted, steps=made)

    assert told("strict", [a, b], [a, b]) == 1 and told("strict", [b, a], [a, b]) == 0 and told("unordered", [b, a], [a, b]) == 1
    assert told("subset", [a], [a, b]) == 1 and told("superset", [a], [a, b]) == 0 and told("superset", [a, b, b], [a, b]) == 1
    assert told("superset", [], [a]) == 0 and told("unordered", [a, a], [a, b]) == 0
    assert told("strict", [{"tool": "a", "arguments": {"n": 1, "m": 2}}], [a], arguments="subset") == 1
    assert told("strict", [{"name": "a", "tool": "a", "arguments": {"n": 9}}], [a], arguments="ignore") == 1


def test_the_worlds_end() -> None:
    change = {"tool": "refund", "entity": "order/1", "op": "update"}
    assert reward(WorldState(), "", "abc", world_after="abc") == 1 and reward(WorldState(), "", "abc", world_after="abd") == 0
    assert reward(WorldState(), "", "abc") is None
    assert reward(WorldState(), "", [{"entity": "order/1"}], changes=[change]) == 1
    assert reward(WorldState(), "", [], changes=[change]) == 0


def test_compositions_take_plain_judges_and_say_nothing_when_a_part_is_silent() -> None:
    def good(row: Any) -> int:
        return 1

    def bad(row: Any) -> float:
        return 0.5

    def broken(row: Any) -> int:
        raise KeyError("x")

    row = {"final_text": "x"}
    assert All(good, bad)(row)["reward"] == 0.5 and AnyOf(good, broken)(row)["reward"] == 1.0
    assert All(good, broken)(row)["reward"] is None and All(lambda row: 0, broken)(row)["reward"] == 0.0
    assert (
        Weighted((good, 1), (bad, 1))(row)["reward"] == 0.75 and Weighted((good, 1), (broken, 1))(row)["judge_status"] == "error"
    )
    assert set(All(good, good)(row)["markers"]) == {"part:good", "part:good#2"}
    for weights in ((2, -1), (0, 0), (float("nan"), 1)):
        with pytest.raises(ConfigError, match="weights"):
            Weighted((good, weights[0]), (bad, weights[1]))
    with pytest.raises(ConfigError, match="empty"):
        All()


def test_failures_keep_their_status_through_the_runner_and_out_of_range_is_never_clamped() -> None:
    @verifier
    def boom(candidate: str, reference: Any, row: Any) -> Any:
        raise KeyError("x")

    @verifier
    def large(candidate: str, reference: Any, row: Any) -> Any:
        return 250

    rows = [{"rollout_id": "a", "final_text": "x", "answer": 1}, {"rollout_id": "b", "final_text": "x"}]
    assert [row["judge_status"] for row in wai.run_judge(rows, boom).rows] == ["error", "abstained"]
    assert "KeyError" in wai.run_judge(rows, boom).rows[0]["judge_meta"]["error"]
    assert wai.run_judge(rows[:1], large).rows[0]["judge_status"] == "invalid_result"
    assert wai.run_judge(rows[:1], Numeric(field="answer")).rows[0]["judge_meta"]["kind"] == "verifier"


def test_verifiers_are_judges_by_name_and_compose_in_configuration() -> None:
    row = {"rollout_id": "a", "final_text": '{"n": 4}', "answer": 4}
    config = {"kind": "all", "parts": [{"kind": "json_valid"}, {"kind": "numeric"}]}
    assert wai.run_judge([row], config).rows[0]["reward"] == 1.0
    weighted = {"kind": "weighted", "parts": [{"kind": "json_valid"}, {"kind": "regex", "pattern": "zzz"}], "weights": [3, 1]}
    assert wai.run_judge([row], weighted).rows[0]["reward"] == 0.75
