"""Two rollouts of one task side by side: a judging model picks the better, asked in both orders.

Answers that change with the order shown are a tie and counted: a model that prefers a place says nothing about the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BackendError
from ..knobs import JudgeKnobs
from ..ports import Address, ChatModel, ChatRequest
from ..schema import Sampling, Spec
from ._payload import shown
from ._prompts import DATA
from ._reading import last_object, read_label

Row = Mapping[str, Any]
_BAR = """You compare two runs of a tool-using agent on one task, A and B. Better is the run that does more of what the rubric
asks; without a rubric, the one that invents nothing, skips no required step and gets the work done. Length and order
count for nothing. If neither is better, say tie."""
_FORM = 'Answer with one JSON object and nothing else: {"reason": "<one sentence>", "better": "A", "B" or "tie"}.'
_SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "better": {"type": "string", "enum": ["A", "B", "tie"]}},
    "required": ["reason", "better"],
    "additionalProperties": False,
}


async def compare_pair(
    a: Row, b: Row, chat: ChatModel, knobs: JudgeKnobs, *, spec: Spec | None = None, rubric: str | None = None
) -> dict[str, Any]:
    """`{"winner": "a"|"b"|"tie"|None, "consistent": bool|None, "reasons": […]}`; None when an order has no answer."""
    first, second = await asyncio.gather(_asked(a, b, chat, knobs, spec, rubric, 0), _asked(b, a, chat, knobs, spec, rubric, 1))
    mirrored = {"A": "B", "B": "A", "tie": "tie"}
    one, two = first["better"], mirrored.get(second["better"] or "")
    reasons = [first["reason"], second["reason"]]
    if one is None or two is None:
        return {"winner": None, "consistent": None, "reasons": reasons}
    return {"winner": {"A": "a", "B": "b"}.get(one, "tie") if one == two else "tie", "consistent": one == two, "reasons": reasons}


async def _asked(
    a: Row, b: Row, chat: ChatModel, knobs: JudgeKnobs, spec: Spec | None, rubric: str | None, order: int
) -> dict[str, Any]:
    bar = f"{_BAR}\n\nRUBRIC\n{rubric}\nEND OF RUBRIC" if rubric else _BAR
    half = knobs.model_copy(update={"judge_payload_chars": knobs.judge_payload_chars // 2})
    records = "\n".join(f"Run {name}:\n{shown(row, half, spec=spec).text}" for name, row in (("A", a), ("B", b)))
    messages = ({"role": "system", "content": f"{bar}\n\n{DATA}\n\n{_FORM}"}, {"role": "user", "content": records})
    where = Address("judge", str(a.get("rollout_id", "")), order, 0, f"pair:{b.get('rollout_id', '')}")
    sampling = Sampling(temperature=knobs.judge_temperature, max_tokens=knobs.judge_max_tokens)
    try:
        reply = await chat.complete(ChatRequest(messages, where, sampling=sampling, response_format=_SCHEMA))
    except BackendError as error:
        return {"better": None, "reason": str(error)[:300]}
    if reply.finish_reason == "length":
        return {"better": None, "reason": "the answer was cut at max_tokens"}
    body = last_object(reply.text) or {}
    said = body.get("better")
    better = read_label(said if isinstance(said, str) else reply.text, ("A", "B", "tie"))
    return {"better": better, "reason": str(body.get("reason") or "")}


def pair_report(pairs: Sequence[Mapping[str, Any]], flag: float) -> dict[str, Any]:
    """Counts over compared pairs; warns when the order decides too often."""
    known = [pair for pair in pairs if pair["winner"] is not None]
    n = len(known)
    flips = sum(pair["consistent"] is False for pair in known)
    scored = [pair for pair in known if pair.get("by_reward") is not None and pair["winner"] != "tie"]
    report: dict[str, Any] = {
        "n": n,
        "n_unjudged": len(pairs) - n,
        "wins_a": sum(pair["winner"] == "a" for pair in known),
        "wins_b": sum(pair["winner"] == "b" for pair in known),
        "tie_rate": sum(pair["winner"] == "tie" for pair in known) / n if n else None,
        "position_flip_rate": flips / n if n else None,
        "agrees_with_rewards": sum(p["winner"] == p["by_reward"] for p in scored) / len(scored) if scored else None,
        "warnings": [],
    }
    if n and flips / n >= flag:
        report["warnings"].append(f"{flips} of {n} winners change with the order shown: the judge prefers a place")
    if len(pairs) > n:
        report["warnings"].append(f"{len(pairs) - n} of {len(pairs)} pairs could not be judged")
    return report
