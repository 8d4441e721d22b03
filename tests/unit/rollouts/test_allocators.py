"""Who gets another rollout: whole groups, within budget, whatever the order of arrival."""

from __future__ import annotations

import random

import pytest

from whileai_exp.errors import ConfigError
from whileai_exp.knobs import RolloutKnobs
from whileai_exp.ports import Allocator, Outcome
from whileai_exp.rollouts import make_allocator
from whileai_exp.rollouts.allocators import allocators

KNOBS = RolloutKnobs(allocation_cohort=4)


def made(kind: str, groups: int, repeats: int = 4, **more) -> Allocator:
    return make_allocator(
        kind, task_ids=[f"t{i}" for i in range(groups)], repeats=repeats, knobs=more.pop("knobs", KNOBS), **more
    )


def played(allocator: Allocator, result, concurrency: int = 8, shuffle: int | None = None) -> dict[str, list[int]]:
    """Run it to its end; `result(task, repeat)` gives reward, signature. Arrival order is shuffled by seed."""
    rng, flight, jobs = random.Random(shuffle), [], {}
    while True:
        flight += allocator.ask(concurrency - len(flight))
        if not flight:
            break
        task, repeat = flight.pop(rng.randrange(len(flight)) if shuffle is not None else 0)
        jobs.setdefault(task, []).append(repeat)
        reward, signature = result(task, repeat)
        allocator.tell([Outcome(task, repeat, "ok", reward, signature)])
    assert allocator.done
    return {task: sorted(repeats) for task, repeats in sorted(jobs.items())}


def draws(share: float, seed: int = 0):
    """Each task has a pass rate of 0, 1 or in between; a draw depends on its address alone."""

    def result(task: str, repeat: int) -> tuple[float, str]:
        rate = random.Random(f"{seed}{task}").choice([0.0, 1.0, share])
        reward = float(random.Random(f"{seed}{task}/{repeat}").random() < rate)
        return reward, f"sig{reward}"

    return result


@pytest.mark.parametrize("kind", ["fixed", "none"])
def test_fixed_gives_every_task_all_its_repeats(kind):
    jobs = played(made(kind, 5), draws(0.5))
    assert jobs == {f"t{i}": [0, 1, 2, 3] for i in range(5)}


def test_successive_stops_unanimous_groups_and_fills_split_ones():
    jobs = played(
        made("successive", 40, 8, rewards=True), lambda task, repeat: (float(repeat % 2) if task in ("t3", "t7") else 1.0, "")
    )
    assert jobs["t3"] == jobs["t7"] == list(range(8))
    assert jobs["t0"] == [0, 1]
    assert sum(map(len, jobs.values())) < 40 * 8 / 2


def test_successive_without_rewards_splits_by_behaviour():
    jobs = played(made("successive", 4, 8), lambda task, repeat: (None, f"{task}{repeat if task == 't1' else 0}"))
    assert len(jobs["t1"]) == 8 and len(jobs["t0"]) == 2


def test_a_rollout_without_a_label_counts_as_done_but_splits_nothing():
    allocator = made("successive", 1, 4, rewards=True)
    assert allocator.ask(9) == [("t0", 0), ("t0", 1)]
    allocator.tell([Outcome("t0", 0, "ok", 1.0), Outcome("t0", 1, "truncated", None)])
    assert allocator.report()["mixed"] == 0


def test_adaptive_repeats_where_the_first_rollout_met_trouble():
    jobs = played(made("adaptive", 3), lambda task, repeat: (0.0 if task == "t1" else 1.0, ""))
    assert jobs == {"t0": [0], "t1": [0, 1, 2, 3], "t2": [0]}
    allocator = made("adaptive", 2)
    assert allocator.ask(9) == [("t0", 0), ("t1", 0)]
    allocator.tell([Outcome("t0", 0, "ok", None, "a", faulted=True), Outcome("t1", 0, "agent_error", None)])
    assert len(allocator.ask(99)) == 6


@pytest.mark.parametrize("kind", sorted(allocators))
@pytest.mark.parametrize("budget", [None, 4, 37, 100])
def test_what_is_played_does_not_depend_on_arrival_order_or_concurrency(kind, budget):
    runs = [
        played(made(kind, 50, budget=budget, rewards=True), draws(0.5), concurrency, shuffle)
        for concurrency, shuffle in ((1, None), (3, 1), (8, 2), (64, 3), (500, 4))
    ]
    assert all(run == runs[0] for run in runs)


@pytest.mark.parametrize("kind", sorted(allocators))
def test_the_budget_is_never_exceeded_and_no_group_is_half_paid(kind):
    for budget in range(4, 60, 7):
        allocator = made(kind, 30, budget=budget, rewards=True)
        jobs = played(allocator, draws(0.5), 16, 5)
        assert sum(map(len, jobs.values())) <= budget
        report = allocator.report()
        assert report["partial"] == 0 and report["opened"] + report["unopened"] == 30
        assert list(jobs) == sorted(f"t{i}" for i in range(report["opened"]))


def test_a_tight_budget_completes_whole_groups_like_fixed_repeats_would():
    allocator = made("fixed", 22, budget=60)
    played(allocator, draws(0.5))
    assert allocator.report()["complete"] == 15


def test_what_stopped_groups_saved_opens_later_ones():
    allocator = made("successive", 40, 8, budget=80, rewards=True)
    played(allocator, lambda task, repeat: (1.0, ""))
    report = allocator.report()
    assert report["opened"] > 80 // 8 and report["rollouts"] <= 80 and report["rollouts_saved"] > 0


def test_the_report_counts_every_group_once():
    allocator = made("successive", 30, 6, rewards=True)
    jobs = played(allocator, draws(0.5))
    report = allocator.report()
    assert report["complete"] + report["stopped_unanimous"] + report["partial"] == report["opened"] == 30
    assert report["rollouts"] == sum(map(len, jobs.values())) == 30 * 6 - report["rollouts_saved"]
    assert report["by"] == "reward" and report["policy"] == "successive" and 0 < report["mixed_rate"] < 1


def test_room_is_an_upper_bound():
    allocator = made("fixed", 3)
    assert len(allocator.ask(5)) == 5 and allocator.ask(0) == [] and not allocator.done


def test_a_budget_below_one_group_and_twin_ids_are_refused():
    with pytest.raises(ConfigError, match="below one group of 4"):
        made("fixed", 3, budget=3)
    with pytest.raises(ConfigError, match="same id"):
        make_allocator("fixed", task_ids=["a", "a"], repeats=1, knobs=KNOBS)
    with pytest.raises(ConfigError, match="did you mean 'successive'"):
        made("sucessive", 1)


def test_no_tasks_is_done_at_once():
    assert made("successive", 0).done and made("fixed", 0).ask(3) == []


def test_saturation_opens_nothing_after_a_cohort_without_news_whatever_the_order():
    def result(task: str, repeat: int):
        number = int(task[1:])
        return None, f"sig{min(number, 9)}"

    runs = []
    for concurrency, shuffle in ((1, None), (5, 1), (64, 2)):
        allocator = made("fixed", 200, 2, until="saturation")
        runs.append(played(allocator, result, concurrency, shuffle))
    assert runs[0] == runs[1] == runs[2]
    assert 12 <= len(runs[0]) <= 24 and allocator.report()["saturated"] and allocator.report()["behaviors"] == 10
    assert len(played(made("fixed", 40, 2, until="saturation"), lambda t, r: (None, t))) == 40
