"""Labels that people (or programs) give, put on rows; how far annotators agree; and several judges side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._aio import run_sync
from .._hash import sha
from ..errors import ConfigError, Problem
from ..judges._session import judge_once
from ..knobs import RunKnobs
from ..schema import reward_of
from ..schema.row import write_judgment
from ..stats.agreement import Confusion
from .trust import judge_agreement

KINDS = ("human", "program", "verifier", "model")


def attach_labels(
    rows: Sequence[dict[str, Any]],
    labels: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    annotator: str = "human",
    *,
    kind: str = "human",
    replace: bool = False,
) -> dict[str, Any]:
    """Put labels on rows as `gold_reward`; the report counts what was matched.

    `labels`: key to label, or a list of `{rollout_id | key, label | reward | gold_reward}`. A key is a rollout id,
    `<scenario_id>#<rollout_index>`, or a scenario id that only one row has. Every annotator's label is kept in
    `gold_labels`; `gold_reward` is the majority, and a tie leaves it unset. ConfigError for a key that fits no row or
    several, for a label that is not 0 or 1, and for a second label of one annotator unless `replace`.
    """
    if kind not in KINDS:
        raise ConfigError(Problem("kind", f"{kind!r} is not one of {', '.join(KINDS)}"))
    places = _places(rows)
    problems: list[Problem] = []
    matched: list[tuple[int, float]] = []
    for key, given in _listed(labels):
        label = reward_of(given)
        found = places.get(key, [])
        if label not in (0.0, 1.0):
            problems.append(Problem(key, f"{given!r} is not 0 or 1"))
        elif len(found) != 1:
            problems.append(Problem(key, "fits no row" if not found else f"fits {len(found)} rows", "use rollout_id"))
        elif not replace and annotator in (rows[found[0]].get("gold_labels") or {}):
            problems.append(Problem(key, f"has a label of {annotator!r} already", "pass replace=True"))
        else:
            matched.append((found[0], float(label or 0.0)))
    if problems:
        raise ConfigError(problems)
    ties = 0
    for index, label in matched:
        row = rows[index]
        row["gold_labels"] = {**(row.get("gold_labels") or {}), annotator: label}
        kinds = {**(row.get("gold_kinds") or {}), annotator: kind}
        row["gold_kinds"] = kinds
        ties += not _settle(row, kinds)
    return {"n_labels": len(matched), "n_rows": len(rows), "n_labelled": sum("gold_reward" in r for r in rows), "ties": ties}


def _settle(row: dict[str, Any], kinds: Mapping[str, str]) -> bool:
    """Set the majority label; False for a tie, which leaves none."""
    given = list(row["gold_labels"].values())
    passes = sum(label == 1.0 for label in given)
    row.pop("gold_reward", None)
    if passes * 2 != len(given):
        row["gold_reward"] = float(passes * 2 > len(given))
    words = sorted(set(kinds.values()))
    row["gold_kind"] = words[0] if len(words) == 1 else "mixed"
    return "gold_reward" in row


def _places(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        keys = [row.get("rollout_id"), row.get("scenario_id")]
        if row.get("scenario_id") is not None and row.get("rollout_index") is not None:
            keys.append(f"{row['scenario_id']}#{row['rollout_index']}")
        keys.append(sha([str(row.get("prompt")), str(row.get("final_text"))], 16))
        for key in dict.fromkeys(str(key) for key in keys if key is not None):
            out.setdefault(key, []).append(index)
    return out


def _listed(labels: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    if isinstance(labels, Mapping):
        return [(str(key), label) for key, label in labels.items()]
    out = []
    for item in labels:
        key = item.get("rollout_id", item.get("key", item.get("scenario_id")))
        out.append((str(key), next((item[name] for name in ("label", "gold_reward", "reward") if name in item), None)))
    return out


def annotator_agreement(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """How far annotators agree where two or more labelled the same row: per pair kappa and agreement, and unanimity."""
    pairs: dict[tuple[str, str], list[int]] = {}
    counts: dict[str, int] = {}
    shared = unanimous = 0
    for row in rows:
        given = {str(name): reward_of(label) for name, label in (row.get("gold_labels") or {}).items()}
        names = sorted(name for name, label in given.items() if label in (0.0, 1.0))
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        if len(names) < 2:
            continue
        shared += 1
        unanimous += len({given[name] for name in names}) == 1
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                cell = (0 if given[b] else 1) if given[a] else (2 if given[b] else 3)
                pairs.setdefault((a, b), [0, 0, 0, 0])[cell] += 1
    told = []
    for (a, b), cells in sorted(pairs.items()):
        c = Confusion(*cells)
        told.append({"a": a, "b": b, "n": c.n, "agreement": c.agreement, "kappa": c.kappa})
    return {"annotators": counts, "n_shared": shared, "unanimous_share": unanimous / shared if shared else None, "pairs": told}


def compare_judges(
    rows: Any, judges: Mapping[str, Any] | Sequence[Any], *, gold: str = "gold_reward", knobs: RunKnobs | None = None
) -> list[dict[str, Any]]:
    """Several judges on the same labelled rows, best kappa first; a judge that failed on rows says on how many."""
    knobs = knobs or RunKnobs()
    listed = [dict(row) for row in (getattr(rows, "trajectories", None) or getattr(rows, "rows", None) or rows)]
    labelled = [row for row in listed if reward_of(row.get(gold)) in (0.0, 1.0)]
    if not labelled:
        raise ConfigError(Problem("gold", f"no row has a label in {gold!r}", "attach labels first: attach_labels(rows, …)"))
    given = list(judges.items()) if isinstance(judges, Mapping) else [(None, judge) for judge in judges]
    out = []
    for name, judge in given:
        session = run_sync(judge_once(labelled, judge, knobs=knobs, name=name))
        mine = [dict(row) for row in labelled]
        for row, verdict in zip(mine, session.verdicts):
            write_judgment(row, verdict)
        found = judge_agreement(mine, gold, knobs=knobs)
        low = found.interval.low if found.interval else None
        kappa = found.confusion.kappa
        ok = low is not None and low >= knobs.min_agreement and kappa is not None and kappa >= knobs.min_kappa
        unjudged = sum(verdict.reward is None for verdict in session.verdicts)
        out.append({"judge": session.judge.name, "ok": ok and not unjudged, "n_unjudged": unjudged, **found.to_dict()})
    return sorted(out, key=lambda told: (-(told["kappa"] if told["kappa"] is not None else -2.0), told["judge"]))
