"""Verifiers on the cases that other people's scorers are tested with."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from whileai_exp.verify import MathEqual, MultipleChoice

DATA = Path(__file__).resolve().parents[2] / "data" / "checks"
MISSES = {28, 296, 180, 244, 256, 454}
"""Pairs that MathEqual gets otherwise: two that ask for line breaks to unmake a formula, two marked ambiguous, a sum before
its unit in French with a later number, and boxes with many words between them."""
needs_math = pytest.mark.skipif(find_spec("math_verify") is None, reason="math-verify is not installed")


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def paid(verifier: Any, candidate: str, gold: Any) -> bool:
    return verifier({"final_text": candidate, "privileged": {"reference": gold}})["reward"] == 1.0


@pytest.mark.parametrize("case", cases("multiple_choice.jsonl"), ids=lambda case: str(case["id"]))
def test_multiple_choice(case: dict[str, Any]) -> None:
    assert paid(MultipleChoice(), case["text"], case["gold"]) == case["correct"]


@needs_math
@pytest.mark.slow
def test_mathematics() -> None:
    check = MathEqual(timeout_s=20)
    pairs = cases("math_pairs.jsonl")
    wrong = {case["id"] for case in pairs if paid(check, case["candidate"], case["gold"]) != case["equal"]}
    assert wrong <= MISSES and len(wrong) / len(pairs) <= 0.03


@needs_math
@pytest.mark.parametrize(
    ("gold", "said", "equal"),
    [
        ("\\frac{1}{2004!}", "\\frac{1}{2006!}", False), ("\\frac{1}{2^{99}}", "\\frac{1}{2^{98}}", False),
        ("1-\\frac{1}{\\mathrm{e}}", "1+\\frac{1}{\\mathrm{e}}", False), ("3*x-1*y+13=0", "3x + 4y + 14=0", False),
        ("2", "\\boxed{1} no wait \\boxed{2}", True), ("7425000", "7,425,000", True), ("1000.99", "1000,99", True), ("0.5", "50%", True),
        ("2.5", "2\\frac{1}{2}", True), ("5", "\\boxed{5\\text{ cm}}", True), ("73", "Final Answer: **73**", True), ("13", "\\text{13}", True),
        ("(1,2)", "(2,1)", False), ("[1,2]", "(1,2)", False), ("\\pm 2021", "2021", False), ("12:00", "1:00", False),
        ("\\frac{1}{2}", ".5", True), ("7", "", False),
    ],
)  # fmt: skip
def test_what_is_equal_and_what_only_looks_so(gold: str, said: str, equal: bool) -> None:
    assert paid(MathEqual(timeout_s=20), said, gold) == equal


@needs_math
@pytest.mark.slow
def test_an_endless_power_is_a_timeout_in_any_thread_and_no_text_is_evaluated(tmp_path: Path) -> None:
    from whileai_exp import run_judge

    target = tmp_path / "pwned"
    rows = [
        {"rollout_id": "a", "final_text": "\\boxed{9^{9^{9^{9}}}}", "answer": "x^2+1"},
        {"rollout_id": "b", "final_text": f'\\boxed{{__import__("os").system("touch {target}")}}', "answer": "7"},
        {"rollout_id": "c", "final_text": "7", "answer": "7"},
    ]
    judged = run_judge(rows, MathEqual(timeout_s=3.0), concurrency=3).rows
    assert judged[0]["reward"] is None and judged[0]["judge_status"] in ("timeout", "error")
    assert judged[1]["reward"] == 0.0 and judged[2]["reward"] == 1.0 and not target.exists()
