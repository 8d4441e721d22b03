"""Patterns from outside cost bounded time wherever they are met, and still mean what `re` says they mean."""

from __future__ import annotations

import random
import re
from time import process_time
from typing import Any

import pytest

from whileai_exp._rng import Rng
from whileai_exp.errors import SpecError
from whileai_exp.schema import Spec
from whileai_exp.spec import load_spec
from whileai_exp.spec._bounded import TooLong, Unbounded, _longest, _machine, searcher
from whileai_exp.spec._patterns import parser
from whileai_exp.spec.values import draw_arguments
from whileai_exp.world.validate import Validator

CATASTROPHIC = [
    (r"(a+)+$", "a"),
    (r"^(a*)*b", "a"),
    (r"^(a|a)*$", "a"),
    (r"^(a|aa)+$", "a"),
    (r"^(\w+\s?)*$", "word "),
    (r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$", "a"),
    (r"^" + "a?" * 25 + "a" * 25 + "$", "a"),
    (r".*.*.*.*=.*!", "x"),
    (r"^((a{1,9}){1,9}){1,9}$", "a"),
]


def tool_with(pattern: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "string", "pattern": pattern, **more}
    return {"name": "get_code", "parameters": {"type": "object", "properties": {"code": schema}, "required": ["code"]}}


def spec_with(pattern: str, **more: Any) -> Spec:
    return load_spec({"tools": [tool_with(pattern, **more)]}).spec


@pytest.mark.parametrize(("pattern", "unit"), CATASTROPHIC, ids=[pattern[:20] for pattern, _ in CATASTROPHIC])
def test_a_catastrophic_pattern_holds_up_neither_loading_drawing_nor_checking(pattern: str, unit: str) -> None:
    start = process_time()
    tool = spec_with(pattern, examples=["aaab", "ab", "a=!"]).tools[0] if ".*=" in pattern else spec_with(pattern).tools[0]
    for seed in range(5):
        code = draw_arguments(tool, Rng(seed).at("x"), optional_share=0.0)["code"]
        assert re.search(pattern, code)
    validator = Validator(tool.parameters)
    for count in (30, 200, 5000):
        assert validator.problems({"code": unit * count + "\x00"}), count
    assert process_time() - start < 3.0


def test_an_answer_that_would_take_too_long_is_a_refusal_that_says_so() -> None:
    said = Validator(spec_with(r"^(a|a?){3,40}$").tools[0].parameters).problems({"code": "a" * 2_000_000 + "b"})
    assert len(said) == 1 and "too long to be checked" in said[0] and len(said[0]) < 300


@pytest.mark.parametrize("pattern", [r"^(?=(a+)+$)a", r"^(a+)+(?!b)$", r"(\w+)*\1$"])
def test_what_no_bounded_method_can_match_is_refused_when_the_spec_is_loaded(pattern: str) -> None:
    with pytest.raises(SpecError, match="can take for ever"):
        spec_with(pattern)
    with pytest.raises(Unbounded):
        searcher(pattern)


def test_names_of_properties_are_held_to_the_same() -> None:
    parameters = {"type": "object", "properties": {}, "patternProperties": {r"^(x+)+$": {"type": "string"}}}
    with pytest.raises(SpecError, match="patternProperties.*can take for ever"):
        load_spec({"tools": [{"name": "get_code", "parameters": parameters}]})
    parameters["patternProperties"] = {r"^x-\w+$": {"type": "string"}}
    load_spec({"tools": [{"name": "get_code", "parameters": parameters}]})


def test_look_arounds_of_a_password_rule_stay_allowed() -> None:
    found = searcher(r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,}$")
    assert found("Passw0rdX") and not found("password1")
    with pytest.raises(TooLong):
        found("a" * 100_000)


PATTERNS = [
    r"^[A-Z]{2}\d{3,}$", r"(ab|a)(bc|c)$", r"\bcat\b", r"a.c", r"^\s*(\d+(\.\d+)?)\s*$", r"(a*)*b", r"[^ab]+$", r"^$", r"x*",
    r"\A\w+\Z", r"a{2,3}b?", r"(?:a|b)*?abb", r"\Bb", r"^(a|b)*a(a|b){2}$", r"[\d\-]+c", r"\W",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_simulation_finds_what_re_finds(pattern: str) -> None:
    machine = _machine(parser.parse(pattern))
    assert machine is not None
    rng = random.Random(pattern)
    for _ in range(300):
        text = "".join(rng.choice("aabbc -12.A\nX") for _ in range(rng.randrange(9)))
        assert machine.search(text, pattern) == (re.search(pattern, text) is not None), (pattern, text)


def test_plain_patterns_are_left_to_re_on_texts_of_any_usual_length() -> None:
    for pattern, least in ((r"^#W\d{7}$", 10_000), (r"^[A-Z]+$", 10_000), (r"\d{4}-\d{2}", 10_000), (r"^\w+@\w+\.\w+$", 90)):
        assert _longest(parser.parse(pattern)) >= least
