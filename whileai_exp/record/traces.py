"""A sample of rollouts as MLflow traces: who said what and which tool answered, with the verdicts as assessments.

A rollout's row holds no times, so spans are a millisecond each, in order; their length says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

_ID = "whileai.rollout_id"
_MS = 1_000_000
_MODEL_JUDGES = ("llm", "panel")


def send_traces(
    rows: Sequence[Mapping[str, Any]], experiment_id: str, run_id: str, start_ms: int, ask: Callable[..., Any]
) -> int:
    """One trace per row, linked to the run; rows that the run has a trace of already are left out. The number sent.

    `ask` calls what talks to the store. `start_ms`: when the run started, in milliseconds since 1970.
    """
    import mlflow
    from mlflow import MlflowClient

    known = {
        trace.info.tags.get(_ID)
        for trace in ask(MlflowClient().search_traces, locations=[experiment_id], run_id=run_id, include_spans=False)
    }
    fresh = [row for row in rows if row["rollout_id"] not in known]
    for at, row in enumerate(fresh):
        trace_id = ask(_trace, row, experiment_id, run_id, (start_ms + 1000 * at) * _MS)
        for name, value, source, why in _verdicts(row):
            ask(mlflow.log_feedback, trace_id=trace_id, name=name, value=value, source=source, rationale=why)
    return len(fresh)


def _trace(row: Mapping[str, Any], experiment_id: str, run_id: str, at_ns: int) -> str:
    import mlflow
    from mlflow.entities import SpanType

    root = mlflow.start_span_no_context(
        "rollout",
        span_type=SpanType.AGENT,
        inputs={"messages": [{"role": "user", "content": row.get("prompt", "")}]},
        attributes={
            "status": str(row.get("status")),
            "tier": str(row.get("tier")),
            **{f"axis.{axis}": str(value) for axis, value in (row.get("scenario_dimensions") or {}).items()},
        },
        tags={_ID: str(row["rollout_id"]), "whileai.task_id": str(row.get("task_id"))},
        metadata={"mlflow.sourceRun": run_id, "mlflow.trace.session": str(row.get("task_id"))},
        experiment_id=experiment_id,
        start_time_ns=at_ns,
    )
    now = at_ns
    for name, kind, given, told in _turns(row):
        span = mlflow.start_span_no_context(name, span_type=kind, parent_span=root, inputs=given, start_time_ns=now)
        now += _MS
        span.end(outputs=told, end_time_ns=now)
    root.end(outputs=row.get("final_text", ""), end_time_ns=now + _MS, status="ERROR" if row.get("error") else "OK")
    return str(root.trace_id)


def _turns(row: Mapping[str, Any]) -> Iterator[tuple[str, str, Any, Any]]:
    """(name, span type, inputs, outputs) of each turn after the first message, in order."""
    from mlflow.entities import SpanType

    heard: list[Mapping[str, Any]] = []
    open_calls: dict[str, Mapping[str, Any]] = {}
    for message in row.get("messages") or ():
        role = message.get("role")
        if role == "assistant":
            said = {key: message[key] for key in ("role", "content", "tool_calls") if message.get(key)}
            yield "agent", SpanType.CHAT_MODEL, {"messages": list(heard)}, said
            open_calls = {str(call.get("id")): call.get("function") or {} for call in message.get("tool_calls") or ()}
        elif role == "tool":
            call = open_calls.get(str(message.get("tool_call_id")), {})
            yield str(call.get("name") or "tool"), SpanType.TOOL, call.get("arguments"), message.get("content")
        elif role == "user" and heard:
            yield "user", SpanType.UNKNOWN, None, message.get("content")
        heard.append(message)


def _verdicts(row: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any, str | None]]:
    """The judge's verdict and the label, where there are any: (name, value, source, rationale)."""
    from mlflow.entities import AssessmentSource

    if row.get("judge_status") == "ok" and row.get("reward") is not None:
        kind = (row.get("judge_meta") or {}).get("kind")
        source = AssessmentSource("LLM_JUDGE" if kind in _MODEL_JUDGES else "CODE", str(row.get("judge_name") or "judge"))
        yield "reward", float(row["reward"]), source, row.get("reason") or None
    for annotator, label in sorted((row.get("gold_labels") or {}).items()):
        human = (row.get("gold_kinds") or {}).get(annotator, "human") == "human"
        yield "gold", float(label), AssessmentSource("HUMAN" if human else "LLM_JUDGE", annotator), None
