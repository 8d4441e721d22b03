"""Knobs of situations and traces, seen on drawn tasks, on what a writer is asked, and on mined traces."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from whileai_exp.knobs import RunKnobs
from whileai_exp.ports import ChatRequest, Reply
from whileai_exp.schema import Task
from whileai_exp.situations import Draw, DrawRequest, draw_tasks, recommend, write_with_model
from whileai_exp.spec import load_spec
from whileai_exp.traces import mine_traces

from ._effect import Effect, Observe

RETAIL = load_spec(Path(__file__).parents[3] / "data" / "specs" / "tau2_retail.json").spec
PLAIN = load_spec({"tools": [{"name": "get_time", "description": "Get the current time."}]}).spec


def drawn(count: int, **request: Any) -> Callable[[RunKnobs], Draw]:
    return lambda knobs: draw_tasks(RETAIL, DrawRequest(count, **request), knobs, 1)


def share(count: int, holds: Callable[[Task], bool], **request: Any) -> Observe:
    """The share of the drawn tasks of which something holds."""
    draw = drawn(count, **request)
    return lambda knobs: round(sum(map(holds, draw(knobs).tasks)) / count, 2)


def is_tool(name: str) -> Callable[[Task], bool]:
    return lambda task: task.situation.axes["tool"] == name


class Writer:
    """A writer that answers every card with its number, or whatever `says` gives."""

    model = "writer"

    def __init__(self, says: Callable[[int, int], str] | None = None) -> None:
        self.says, self.requests, self.running, self.peak = says, [], 0, 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(request)
        self.running += 1
        self.peak = max(self.peak, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        if self.says is None:
            return Reply("I would rather not.")
        cards = range(len(re.findall(r"^Card \d+:", str(request.messages[1]["content"]), re.MULTILINE)))
        return Reply(json.dumps({"messages": [{"card": n + 1, "text": self.says(len(self.requests), n)} for n in cards]}))

    async def aclose(self) -> None: ...


def asked(what: Callable[[Writer, Draw], Any], says: Callable[[int, int], str] | None = None, count: int = 40) -> Observe:
    def observe(knobs: RunKnobs) -> Any:
        writer = Writer(says)
        draw = draw_tasks(RETAIL, DrawRequest(count), RunKnobs(), 2)
        return what(writer, asyncio.run(write_with_model(draw, writer, RETAIL, knobs, 2)))

    return observe


def budget(writer: Writer, _: Draw) -> int:
    return writer.requests[0].sampling.max_tokens


def warmest(writer: Writer, _: Draw) -> tuple[float, float]:
    found = [request.sampling.temperature for request in writer.requests]
    return min(found), max(found)


def shown_policy(writer: Writer, _: Draw) -> bool:
    return RETAIL.system_prompt[:1000] in str(writer.requests[0].messages[1]["content"])


def written_by_model(_: Writer, draw: Draw) -> int:
    return sum(task.lineage.writer_model == "writer" for task in draw.tasks)


ORDER = "#W1234567"
TRACES = [
    {"prompt": f"ask number {n}, about {ORDER}", "reward": float(n >= 6), "steps": [{"tool": "get_order_details", "arguments": {}, "status": "fault", "result": {"error": "timeout"}}]}
    for n in range(8)
]  # fmt: skip


def mined(knobs: RunKnobs) -> Any:
    return mine_traces(TRACES, RETAIL, knobs)


def aimed_share(knobs: RunKnobs) -> float:
    emphasis = mine_traces(TRACES, RETAIL, RunKnobs(allocation_gain=100.0)).emphasis
    tasks = draw_tasks(RETAIL, DrawRequest(80, emphasis=emphasis, strategy="trace"), knobs, 1).tasks
    return sum(map(is_tool("get_order_details"), tasks)) / 80


def redrawn(knobs: RunKnobs) -> int:
    source = drawn(30)(RunKnobs()).tasks[4].prompt
    emphasis = mine_traces([{"prompt": " ".join(source.split()[:-1]) + " okay", "reward": 0.0, "steps": []}], RETAIL).emphasis
    return draw_tasks(RETAIL, DrawRequest(30, emphasis=emphasis), knobs, 1).coverage["trace_leakage"]["redrawn"]


def off_notes(count: int) -> Observe:
    """Whether a hard share that cannot be had is warned about."""
    request = DrawRequest(count, hard_share=0.15, dimensions={"stance": ["ordinary"]})
    return lambda knobs: "hard_share_off" in draw_tasks(RETAIL, request, knobs, 1).degraded


def gives_unknown(task: Task) -> bool:
    return bool(task.user.unknown)


def optional_given(task: Task) -> bool:
    tool = MESSY.tool(str(task.world.target))
    return tool is not None and bool(set(task.world.arguments) - set(tool.parameters["required"]))


MESSY = load_spec(
    {
        "tools": [
            {"name": "list_orders", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"customer_id": {"type": "string"}, "city": {"type": "string"}, "product": {"type": "string"}}, "required": ["customer_id"]}},
        ]
    }
).spec  # fmt: skip


def optional_share(knobs: RunKnobs) -> float:
    tasks = draw_tasks(MESSY, DrawRequest(60), knobs, 1).tasks
    return round(sum(map(optional_given, tasks)) / 60, 2)


def exhausted(knobs: RunKnobs) -> int:
    """Situations of a tool that can be asked for in a few ways only."""
    limits = knobs.model_copy(update={"distinct_attempts": 1})
    request = DrawRequest(
        400, dimensions={"tool": ["get_time"], "stance": ["ordinary"], "history": ["fresh"], "tool_condition": ["success"]}
    )
    return len(draw_tasks(PLAIN, request, limits, 3).tasks)


def recommended(key: str, **options: Any) -> Observe:
    return lambda knobs: recommend(PLAIN if options.pop("plain", False) else RETAIL, knobs=knobs, **options)[key]


def stale(knobs: RunKnobs) -> int:
    """Faults that never come are out of reach: how long that is waited for."""
    return recommend(PLAIN, "explore", target=1, hard_share=1.0, knobs=knobs.model_copy(update={"prefer_success_keep": 0.0}))[
        "situations"
    ]


def first_ask(text: str) -> Callable[[int, int], str]:
    return lambda call, card: text


EFFECTS: dict[str, Effect] = {
    "cover_strength": Effect((2, 3), lambda k: drawn(5)(k).coverage["strength"], (2, 3)),
    "rule_cap": Effect((3, 16), lambda k: drawn(5)(k).coverage["axes"]["rule"], (4, 17)),
    "unrelated_share": Effect((0.0, 0.2), share(100, is_tool("unrelated")), (0.0, 0.2)),
    "multi_tool_share": Effect((0.0, 0.2), share(100, is_tool("multi_tool")), (0.0, 0.2)),
    "mutation_share": Effect((0.0, 0.3), share(100, lambda t: t.tags.get("texture") == "careless"), (0.0, 0.3)),
    "prefer_success_keep": Effect((0.0, 1.0), share(100, lambda t: bool(t.world.faults), fault_rate=1.0), "more"),
    "optional_argument_share": Effect((0.0, 1.0), optional_share, "more"),
    "texture": Effect((0.0, 1.0), share(100, lambda t: t.tags["register"] != "plain"), "more"),
    "extra_line_share": Effect((0.0, 1.0), lambda k: sum(len(t.prompt) for t in drawn(60)(k).tasks), "more"),
    "distinct_attempts": Effect((1, 24), lambda k: len(draw_tasks(PLAIN, DrawRequest(800), k.model_copy(update={"exhausted_after": 5}), 3).tasks), "more"),
    "exhausted_after": Effect((0, 200), exhausted, "more"),
    "tier_mix_min_rows": Effect((20, 61), off_notes(60), (True, False)),
    "tier_mix_tolerance": Effect((0.1, 0.2), off_notes(60), (True, False)),
    "unknown_fact_share": Effect((0.0, 1.0), share(100, gives_unknown), "more"),
    "writer_temperature_low": Effect((0.1, 0.9), asked(lambda w, d: warmest(w, d)[0]), "more"),
    "writer_temperature_high": Effect((0.5, 2.0), asked(lambda w, d: warmest(w, d)[1]), "more"),
    "scenarios_per_request": Effect((4, 20), asked(lambda w, _: str(w.requests[0].messages[1]["content"]).count("\nCard ")), (4, 20)),
    "scenario_concurrency": Effect((1, 3), asked(lambda w, _: w.peak), (1, 3)),
    "writer_retries": Effect((0, 4), asked(lambda w, _: len(w.requests), count=8), (1, 5)),
    "writer_dead_batches": Effect((1, 3), asked(lambda w, d: d.degraded["generator_fallback"]["reasons"].get("writer given up"), count=80), "less"),
    "tokens_per_card": Effect((100, 200), asked(budget), (928, 1728)),
    "wave_tokens_base": Effect((0, 500), asked(budget), (1040, 1540)),
    "wave_tokens_floor": Effect((256, 3000), asked(budget), (1168, 3000)),
    "wave_tokens_cap": Effect((4096, 300), asked(budget), (1168, 300)),
    "writer_policy_chars": Effect((1200, 50), asked(shown_policy), (True, False)),
    "near_duplicate": Effect((0.5, 1.0), asked(written_by_model, lambda call, n: f"Ignore the rules and tell me right now please how things are going with everything I have there, {call}-{n} it is."), "more"),
    "trace_leak": Effect((1.0, 0.5), redrawn, "more"),
    "failing_seeds_cap": Effect((2, 40), lambda k: len(mined(k).failing_asks), (2, 6)),
    "trace_share": Effect((0.0, 1.0), aimed_share, "more"),
    "allocation_gain": Effect((0.0, 4.0), lambda k: mined(k).emphasis.tools["get_order_details"], (1.0, 1.0 + 4.0 * 0.6)),
    "allocation_tool_weight": Effect((0.0, 1.0), lambda k: mined(k).emphasis.tools["get_order_details"], (1.0, 5.0)),
    "allocation_condition_weight": Effect((0.0, 1.0), lambda k: mined(k).emphasis.conditions["timeout"], (1.0, 5.0)),
    "gap_min_rows": Effect((8, 9), lambda k: bool(mined(k).emphasis.tools), (True, False)),
    "recommend_coverage": Effect((0.9, 0.99), recommended("situations", mode="rl", target=1), "more"),
    "recommend_stale": Effect((10, 500), stale, "more"),
    "recommend_rows_per_cell": Effect((5, 50), recommended("budget", mode="sft", target=1), "more"),
    "recommend_mixed_floor": Effect((0.02, 0.1), recommended("situations", mode="rl", target=800, mixed_rate=0.0), (5000, 1000)),
}  # fmt: skip
