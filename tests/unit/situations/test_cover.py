"""Covering arrays: every feasible combination, none infeasible, quickly, whatever the order of declaration."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from time import process_time
from typing import Any

from whileai_exp.situations.axes import Grid, grid_of
from whileai_exp.situations.cover import Coverer
from whileai_exp.spec import load_spec


def many_tools(count: int, rules: int = 0) -> Any:
    verbs = ("get", "cancel", "update", "create")
    tools = [
        {
            "name": f"{verbs[i % 4]}_thing{i}",
            "parameters": {"type": "object", "properties": {"thing_id": {"type": "string"}}, "required": ["thing_id"]},
        }
        for i in range(count)
    ]
    policy = "\n".join(f"- Ask for confirmation before step {i} of the process." for i in range(rules))
    return load_spec({"tools": tools, "policy": policy}).spec


def rows_of(grid: Grid, strength: int = 2) -> tuple[list[dict[str, str]], Coverer]:
    cover = Coverer(grid, strength)
    every = cover.masks_for({})
    rows: list[dict[str, str]] = []
    while (row := cover.row(every)) is not None:
        rows.append(row)
    return rows, cover


def feasible(grid: Grid, row: dict[str, str]) -> bool:
    return all(grid.allows(a, row[a], b, row[b]) for a, b in combinations(row, 2))


def test_all_feasible_pairs_are_covered_by_feasible_rows() -> None:
    grid = grid_of(many_tools(5, 3), 16)
    rows, cover = rows_of(grid)
    assert all(feasible(grid, row) for row in rows)
    assert cover.coverage.covered == cover.coverage.planned
    seen = {(a, row[a], b, row[b]) for row in rows for a, b in combinations(sorted(row), 2)}
    assert len(seen) == cover.coverage.planned


def test_a_pair_that_no_row_can_have_is_not_planned() -> None:
    grid = grid_of(many_tools(1), 16, {"stance": ["retry"], "history": ["fresh"]})
    assert Coverer(grid).planned == 0


def test_three_way_covers_every_triple_that_brute_force_finds() -> None:
    grid = grid_of(
        many_tools(2),
        16,
        {
            "stance": ["ordinary", "boundary", "unsure"],
            "history": ["fresh", "repeat_visit"],
            "tool_condition": ["success", "timeout"],
        },
    )
    rows, cover = rows_of(grid, 3)
    from itertools import product

    names = list(grid.axes)
    whole = [dict(zip(names, values)) for values in product(*grid.axes.values())]
    triples = {(*((a, row[a]) for a in combo),) for row in whole if feasible(grid, row) for combo in combinations(names, 3)}
    got = {(*((a, row[a]) for a in combo),) for row in rows for combo in combinations(names, 3)}
    assert got == triples and cover.planned == len(triples)


def test_the_order_of_tools_changes_nothing() -> None:
    spec = many_tools(6, 2)
    turned = replace(spec, tools=tuple(reversed(spec.tools)))
    assert rows_of(grid_of(spec, 16))[0] == rows_of(grid_of(turned, 16))[0]


def test_rows_stay_inside_the_allowed_values() -> None:
    grid = grid_of(many_tools(4), 16)
    cover = Coverer(grid)
    masks = cover.masks_for({"stance": ["boundary"], "tool_condition": ["timeout", "slow"]})
    row = cover.row(masks)
    assert row is not None and row["stance"] == "boundary" and row["tool_condition"] in ("timeout", "slow")


def test_eighty_tools_take_seconds_at_most() -> None:
    start = process_time()
    _, cover = rows_of(grid_of(many_tools(80, 16), 16))
    assert cover.coverage.covered == cover.coverage.planned
    assert process_time() - start < 5.0


def test_what_a_row_that_was_not_used_would_have_covered_is_carried_by_another() -> None:
    grid = grid_of(many_tools(5, 3), 16)
    cover = Coverer(grid)
    every = cover.masks_for({})
    used: list[dict[str, str]] = []
    refused: list[dict[str, str]] = []
    while (row := cover.row(every)) is not None:
        if len(refused) < 20 and len(used) >= 3 * len(refused):
            refused.append(row)
            cover.give_back(row)
        else:
            used.append(row)
    assert refused and not any(row in used for row in refused)
    seen = {(a, row[a], b, row[b]) for row in used for a, b in combinations(sorted(row), 2)}
    assert len(seen) == cover.coverage.covered == cover.coverage.planned


def test_a_combination_that_no_row_can_carry_is_given_up_and_counted_as_uncovered() -> None:
    grid = grid_of(many_tools(3), 16)
    cover = Coverer(grid)
    every = cover.masks_for({})
    used: list[dict[str, str]] = []
    count = 0
    while (row := cover.row(every)) is not None:
        count += 1
        if row["tool"] == "get_thing0":
            cover.give_back(row)
        else:
            used.append(row)
    seen = {(a, row[a], b, row[b]) for row in used for a, b in combinations(sorted(row), 2)}
    assert len(seen) == cover.coverage.covered < cover.coverage.planned and count < 600
