"""What published rows must be free of, check by check: ungraded or flat data, answer keys, secrets, evaluation data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..gates import check_gates
from ..knobs import RunKnobs
from ..measures.trust import judge_trust
from ..ports import Evidence
from ..schema import GateResult, GateStatus
from ..schema.row import row_line
from ..selection import decontaminate
from ..selection._hygiene import leak_reason

Rows = Sequence[Mapping[str, Any]]
MODES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "rl": {"graded": {"min_share": 1.0}, "mixed_groups": {}, "no_leak": {}},
    "sft": {"graded": {"min_share": 1.0}, "no_leak": {}},
}
"""Gates of a run that published rows must pass too, by mode."""
_SECRETS = re.compile(
    rb"\bsk-(?:proj-|ant-|or-)?[A-Za-z0-9_-]{20,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,}|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    rb"|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----|\b[Aa]uthorization\W{1,4}[Bb]earer\s+[A-Za-z0-9._~+/-]{16,}|\bhf_[A-Za-z0-9]{30,}"
)
"""Keys by the shapes that providers give them."""
_SECRET_STARTS = (
    b"sk-",
    b"AKIA",
    b"ghp_",
    b"gho_",
    b"ghu_",
    b"ghs_",
    b"ghr_",
    b"xox",
    b"PRIVATE KEY",
    b"Bearer",
    b"bearer",
    b"hf_",
)
"""One of these stands in every key above; looking for them first is eight times faster."""
_SHOWN = 5


def holds_secret(text: bytes) -> bool:
    """Whether something in the text looks like somebody's key."""
    return any(start in text for start in _SECRET_STARTS) and _SECRETS.search(text) is not None


def checked(
    rows: Rows, mode: str, knobs: RunKnobs, *, holdout: Iterable[Mapping[str, Any]] | None, require_trust: bool
) -> tuple[GateResult, ...]:
    """Every check's verdict, in the order they are read."""
    keyed = [row for row in rows if row.get("privileged") is not None]
    leaks = {"n_checked": len(keyed), "n_leaked": sum(leak_reason(row, knobs.quote_chars) is not None for row in keyed)}
    wanted = {name: settings for name, settings in MODES[mode].items() if name != "no_leak" or keyed}
    results = [*check_gates(wanted, Evidence(mode, rows, rows, {}, {"leaks": leaks}), knobs), _eval_sourced(rows), _secrets(rows)]
    if holdout is not None:
        results.append(_contaminated(rows, list(holdout)))
    if require_trust:
        results += check_gates({"judge_trusted": {}}, _trusted(rows, mode, knobs), knobs)
    return tuple(results)


def _trusted(rows: Rows, mode: str, knobs: RunKnobs) -> Evidence:
    labelled = any(row.get("gold_reward") is not None for row in rows)
    return Evidence(mode, rows, rows, {}, {"judge_trust": judge_trust(rows, knobs=knobs).to_dict()} if labelled else {})


def _eval_sourced(rows: Rows) -> GateResult:
    found = [row for row in rows if isinstance(row.get("lineage"), Mapping) and row["lineage"].get("source") == "eval"]
    return _none(
        "eval_sourced", found, len(rows), "rows were graded as an evaluation", "train on rows that were not used to evaluate"
    )


def _secrets(rows: Rows) -> GateResult:
    found = [row for row in rows if holds_secret(row_line(row))]
    return _none("secrets", found, len(rows), "rows hold what looks like a key", "drop or mask these rows and revoke the keys")


def _contaminated(rows: Rows, holdout: Rows) -> GateResult:
    _, report = decontaminate(rows, against=[holdout])
    kept_out = report["n_contaminated"]
    numbers = {"value": kept_out, "n": len(rows), "holdout": len(holdout)}
    if not holdout:
        return GateResult("holdout", GateStatus.UNMEASURED, "the holdout is empty", numbers, "give the rows to be held out")
    said = f"{kept_out} of {len(rows)} rows share their ask with the holdout"
    return GateResult(
        "holdout",
        GateStatus.FAIL if kept_out else GateStatus.PASS,
        said,
        numbers,
        "wai.decontaminate(rows, against=[holdout])" if kept_out else "",
    )


def _none(name: str, found: Rows, n: int, what: str, fix: str) -> GateResult:
    named = ", ".join(str(row.get("rollout_id")) for row in found[:_SHOWN])
    status = GateStatus.FAIL if found else GateStatus.PASS
    said = f"{len(found)} of {n} {what}" + (f": {named}" if found else "")
    return GateResult(name, status, said, {"value": len(found), "n": n}, fix if found else "")
