"""What the page says, as plain tables: strings and numbers out of a record and its rows, no markup."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...._hash import leaves
from ....measures._table import table_of
from ....measures.passat import fair_rows, pass_at
from ....schema import reward_of
from ....schema.types import USABLE
from ..numbers import HEADLINE, seconds
from ._figures import Curve, Grid

Record = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]
_MOST_CELLS = 14


def value_of(measure: Mapping[str, Any]) -> str:
    """`0.612 [0.571, 0.652]`, or `not measured`."""
    if measure.get("value") is None:
        return "not measured"
    low_high = measure.get("interval")
    return f"{measure['value']:.3f}" + (f" [{low_high[0]:.3f}, {low_high[1]:.3f}]" if low_high else "")


def name_of(measure: Mapping[str, Any], k: int | None) -> str:
    shown = {"pass_at_1": "pass@1", "pass_pow_k": f"pass^{k or 'k'}", "pass_at_k": f"pass@{k or 'k'}"}
    return shown.get(measure["name"], str(measure["name"]))


def headline(record: Record) -> list[dict[str, Any]]:
    """The four numbers of the top, each with its n, its method and what to know about it."""
    k = (record["report"].get("pass_at") or {}).get("k")
    found = {measure["name"]: measure for measure in record["measures"]}
    return [
        {**found[name], "name": name_of(found[name], k), "shown": value_of(found[name])} for name in HEADLINE if name in found
    ]


def other_measures(record: Record) -> list[dict[str, Any]]:
    return [{"shown": value_of(m), **m} for m in record["measures"] if m["name"] not in HEADLINE]


def spent(record: Record) -> list[tuple[str, str, str]]:
    """What was asked for beside what was made: name, plan, outcome."""
    report = record["report"].get("delivered") or {}
    asked, made = report.get("requested") or {}, report.get("delivered") or {}
    counts, budget = record["counts"], record["config"].get("budget") or {}
    groups = record["report"].get("groups") or {}
    repeats = asked.get("repeats")
    most = asked.get("situations", 0) * asked.get("phrasings", 1) * repeats if repeats else None
    usage = record["usage"]
    tokens = sum(usage.get(name, 0) for name in ("input_tokens", "output_tokens"))
    money = [line["money"] for line in usage.get("calls", ()) if line.get("money") is not None]
    lines = [
        ("situations", _text(asked.get("situations")), _text(counts.get("situations"))),
        ("rollouts", f"at most {most}" if most and groups.get("policy") != "fixed" else _text(most), _text(counts.get("rows"))),
        ("hard situations", _share(asked.get("hard_share")), _share(made.get("hard_share"))),
        ("tasks with a planned fault", _share(asked.get("fault_rate")), _share(made.get("planned_fault_share"))),
        ("rollouts where a fault fired", "", _share(made.get("fired_fault_share"))),
        ("tokens", _text(budget.get("tokens")) or "no limit", _text(tokens or None)),
        ("money, USD", _text(budget.get("money")) or "no limit", f"{sum(money):.4f}" if money else "no price given"),
        ("time", _text(budget.get("time_s")) or "no limit", seconds(sum(record["timings"].values()))),
    ]
    return [line for line in lines if line[2]]


def calls(record: Record) -> list[dict[str, Any]]:
    """Model calls by role, with money and latency."""
    return [
        {
            **line,
            "mean": "" if line["mean_latency_s"] is None else seconds(line["mean_latency_s"]),
            "longest": seconds(line["max_latency_s"]),
            "money": "" if line["money"] is None else f"{line['money']:.4f}",
        }
        for line in record["usage"].get("calls", ())
    ]


def task_rates(rows: Rows) -> list[float]:
    """The pass rate of every task with a verdict, in task order."""
    rewards: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        reward = reward_of(row.get("reward"))
        if reward is not None and row.get("status") in USABLE:
            rewards[str(row.get("task_id"))].append(float(reward >= 1))
    return [sum(found) / len(found) for found in rewards.values()]


def first_draws(rows: Rows) -> Rows:
    """The rows that say something about the agent whatever allocation did with the rest."""
    table = table_of(rows)
    fair, _ = fair_rows(table)
    return [row for row, kept in zip(table.rows, fair) if kept]


def curves(rows: Rows, level: float) -> list[Curve]:
    """pass@k and pass^k for every k that at least three tasks have draws for; empty when that is only 1."""
    points: dict[str, list[tuple[int, float, float, float]]] = {"pass@k": [], "pass^k": []}
    most = _most_draws(rows)
    for k in range(1, most + 1):
        numbers = pass_at(rows, k=k, min_k=1, level=level)
        for name, value, interval in (
            ("pass@k", numbers.pass_at_k, numbers.pass_at_k_ci95),
            ("pass^k", numbers.pass_pow_k, numbers.pass_pow_k_ci95),
        ):
            if k == 1:
                value, interval = numbers.pass_at_1, numbers.ci95
            if value is not None and interval is not None:
                points[name].append((k, value, interval.low, interval.high))
    return [Curve(name, *map(list, zip(*found))) for name, found in points.items() if len(found) > 1]


def _most_draws(rows: Rows) -> int:
    """The largest k worth asking for: what all tasks have, or were to have before anything was seen."""
    draws: dict[str, int] = defaultdict(int)
    for row in rows:
        if reward_of(row.get("reward")) is not None:
            draws[str(row.get("task_id"))] += 1
    probe = next((int(row["allocation"]["probe"]) for row in rows if isinstance(row.get("allocation"), Mapping)), None)
    return min(16, probe or max(draws.values(), default=0))


def by_axes(rows: Rows, down: str = "tool", across: str = "tool_condition") -> Grid | None:
    """Pass rates by two axes of the grid, the most frequent values first; None when there is nothing to compare."""
    cells: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        axes, reward = row.get("scenario_dimensions") or {}, reward_of(row.get("reward"))
        if reward is not None and down in axes and across in axes:
            cells[str(axes[down]), str(axes[across])].append(float(reward >= 1))
    ups, overs = _frequent(cells, 0), _frequent(cells, 1)
    if len(ups) * len(overs) < 2:
        return None
    found = [[cells.get((up, over)) or [] for over in overs] for up in ups]
    return Grid(
        ups, overs, [[sum(c) / len(c) if c else None for c in line] for line in found], [[len(c) for c in line] for line in found]
    )


def _frequent(cells: Mapping[tuple[str, str], Sequence[float]], side: int) -> list[str]:
    counts: dict[str, int] = defaultdict(int)
    for key, found in cells.items():
        counts[key[side]] += len(found)
    return sorted(counts, key=lambda name: (-counts[name], name))[:_MOST_CELLS]


def waterfall(record: Record) -> list[dict[str, Any]]:
    """What each step of selection left, as shares of all rows."""
    total = max(record["counts"].get("rows", 0), 1)
    out = []
    for step in record["selection"].get("gates", ()):
        reasons = ", ".join(f"{name} {count}" for name, count in step["reasons"].items())
        left = step["before"] - step["dropped"]
        out.append({**step, "left": left, "share": 100 * left / total, "lost": 100 * step["dropped"] / total, "why": reasons})
    return out


def settings(record: Record) -> list[dict[str, str]]:
    """Every value of the resolved configuration with where it came from; what was set before what was not."""
    origins: Mapping[str, str] = record.get("origins") or {}
    lines = []
    for name, value in leaves(record["config"]):
        origin = origins.get(name) or (origins.get("spec") if name.startswith("spec.") else None)
        lines.append({"name": name, "value": _text(value), "origin": origin or "default"})
    return sorted(lines, key=lambda line: line["origin"] == "default")


def report_tables(record: Record, names: Iterable[str]) -> list[dict[str, Any]]:
    """Reports of the run that are there, each as a flat list of names and values."""
    found = []
    for name in names:
        report = record["report"].get(name)
        if isinstance(report, Mapping) and report:
            told = [(key, value) for key, value in leaves(report) if value not in (None, "", [], {})]
            lines = [(key, _text(value)) for key, value in told if not _is_table(value)]
            tables = [_table(key, value) for key, value in told if _is_table(value)]
            title = name.replace("_", " ")
            found.append({"title": title, "lines": lines[:60], "more": max(0, len(lines) - 60), "tables": tables})
    return found


def _is_table(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _table(name: str, items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Up to 25 lines of a list of like things; columns that are empty in all of them are left out."""
    heads = [key for key in items[0] if any(item.get(key) not in (None, "", [], {}) for item in items)]
    return {"name": name, "heads": heads, "lines": [[_text(item.get(key)) for key in heads] for item in items[:25]]}


def _share(value: Any) -> str:
    return f"{100 * value:.0f}%" if isinstance(value, (int, float)) else ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= 400 else text[:400] + "…"
