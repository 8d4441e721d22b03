"""A judge reads the answer key; what it says does not carry it."""

from __future__ import annotations

from typing import Any

import whileai_exp as wai
from whileai_exp.schema import Privileged

KEY = Privileged(reference="Refuse: the order's\nwindow is closed", hidden_state={"tool": "cancel_order", "code": "A-10482"})
ROW = {"rollout_id": "r", "prompt": "cancel A-10482 please", "privileged": KEY, "final_text": "Done."}


def said(value: Any) -> str:
    def judge(row: Any) -> Any:
        return value(row) if callable(value) else value

    row = wai.run_judge([ROW], judge).rows[0]
    return str({key: item for key, item in row.items() if key not in ("privileged", "prompt")})


def test_a_quoted_key_is_hidden_in_every_spelling_and_field() -> None:
    def quotes(row: Any) -> dict[str, Any]:
        key = row["privileged"]
        return {
            "reward": 1,
            "reason": str(dict(key)),
            "failure_class": key["reference"],
            "notes": {key["reference"]: [key["reference"]]},
        }

    told = said(quotes)
    assert "window is closed" not in told and "cancel_order" not in told and told.count("[answer key]") >= 4


def test_an_error_that_quotes_the_key_is_hidden_too() -> None:
    def raises(row: Any) -> None:
        raise ValueError(row["privileged"]["reference"])

    told = said(raises)
    assert "window is closed" not in told and "[answer key]" in told and "ValueError" in told


def test_what_the_row_shows_anyway_stays_readable() -> None:
    told = said({"reward": 0, "reason": "A-10482 was not touched: no reference, no tool"})
    assert "A-10482 was not touched: no reference, no tool" in told


def test_a_short_reference_is_hidden_as_a_word_even_where_the_row_has_the_same_figure() -> None:
    row = {**ROW, "prompt": "2+2? in 4 words", "final_text": "5", "privileged": Privileged(reference=4)}
    told = wai.run_judge([row], lambda row: {"reward": 0, "reason": f"wanted {row['privileged']['reference']}, 14 tries"}).rows[0]
    assert told["reason"] == "wanted [answer key], 14 tries"


def test_a_failure_class_or_a_marker_alone_does_not_carry_it_either() -> None:
    secret = KEY["reference"]
    assert "window" not in said({"reward": 0, "failure_class": secret}) + said({"reward": 0, "markers": {secret: 1.0}})
