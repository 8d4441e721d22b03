"""whileai_exp: measure tool-using agents, and make the data that trains them.

    import whileai_exp as wai

    data = wai.simulate(agent="scripted", tools=TOOLS, system_prompt=POLICY, mode="rl", situations=20, repeats=4)
    scored = data.grade(judge="task_checklist")
    print(scored.pass_at)

Importing this module loads nothing heavy: each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api.auditing import audit_grades, write_rubrics
    from .api.character import character_data
    from .api.comparing import compare_pairs, llm_grade
    from .api.data import SimulationData
    from .api.doors import evaluate, mock_world, recommend, run_judge, scripted_agent
    from .api.environment import Environment, load_environment
    from .api.saving import iter_rows, load_rows, save_rows
    from .api.scored import ScoredData
    from .api.simulate import simulate
    from .errors import ConfigError, ExportError, GateError, PublishGateError, SpecError, WhileaiError
    from .export import export_dataset, push_rows, training_rows
    from .export.environment import export_environment
    from .judges import Criterion, LLMJudge, Panel, Rubric
    from .judges.checklist import task_checklist
    from .measures.calibrate import calibrate
    from .measures.dataset import dataset_report
    from .measures.flags import refusal_report, style_markers, style_report, trace_flag_report, trace_markers
    from .measures.labels import annotator_agreement, attach_labels, compare_judges
    from .measures.logprobs import logprob_report, mean_kl, staleness_report
    from .measures.markers import group_signal, marker_summary, metric_summary
    from .measures.passat import PassAt, pass_at
    from .measures.probes import cheat_probes, judge_probes
    from .measures.quality import rank
    from .measures.reference import reference_logprobs
    from .measures.sizing import detectable_effect, eval_power, holdout_size
    from .measures.trust import judge_agreement, judge_trust
    from .measures.variance import noise_band
    from .record.compare import compare_runs, delta_report, eval_variance, hack_scan, hack_scan_diff, tracked_rows
    from .run.report.page.labelling import label_sheet
    from .schema import from_row, task_key, to_row
    from .selection import (
        Constitution,
        build_preference_pairs,
        curriculum,
        decontaminate,
        near_duplicate_prompts,
        next_round,
        optimize,
        retire_solved,
    )
    from .spec import load_spec, tool
    from .traces import load_traces, mine_traces, trace_report

_DOORS: dict[str, str] = {
    "llm_grade": "api.comparing",
    "character_data": "api.character",
    "compare_pairs": "api.comparing",
    "ConfigError": "errors",
    "Constitution": "selection",
    "Criterion": "judges",
    "Environment": "api.environment",
    "ExportError": "errors",
    "GateError": "errors",
    "LLMJudge": "judges",
    "Panel": "judges",
    "PassAt": "measures.passat",
    "PublishGateError": "errors",
    "Rubric": "judges",
    "ScoredData": "api.scored",
    "SimulationData": "api.data",
    "SpecError": "errors",
    "WhileaiError": "errors",
    "annotator_agreement": "measures.labels",
    "attach_labels": "measures.labels",
    "audit_grades": "api.auditing",
    "build_preference_pairs": "selection",
    "calibrate": "measures.calibrate",
    "cheat_probes": "measures.probes",
    "compare_judges": "measures.labels",
    "compare_runs": "record.compare",
    "curriculum": "selection",
    "dataset_report": "measures.dataset",
    "decontaminate": "selection",
    "delta_report": "record.compare",
    "detectable_effect": "measures.sizing",
    "eval_variance": "record.compare",
    "eval_power": "measures.sizing",
    "evaluate": "api.doors",
    "export_dataset": "export",
    "export_environment": "export.environment",
    "from_row": "schema",
    "group_signal": "measures.markers",
    "hack_scan": "record.compare",
    "hack_scan_diff": "record.compare",
    "holdout_size": "measures.sizing",
    "iter_rows": "api.saving",
    "judge_agreement": "measures.trust",
    "judge_probes": "measures.probes",
    "judge_trust": "measures.trust",
    "label_sheet": "run.report.page.labelling",
    "load_environment": "api.environment",
    "load_rows": "api.saving",
    "load_spec": "spec",
    "load_traces": "traces",
    "logprob_report": "measures.logprobs",
    "marker_summary": "measures.markers",
    "mean_kl": "measures.logprobs",
    "metric_summary": "measures.markers",
    "mine_traces": "traces",
    "near_duplicate_prompts": "selection",
    "next_round": "selection",
    "noise_band": "measures.variance",
    "optimize": "selection",
    "pass_at": "measures.passat",
    "push_rows": "export",
    "rank": "measures.quality",
    "recommend": "api.doors",
    "reference_logprobs": "measures.reference",
    "refusal_report": "measures.flags",
    "retire_solved": "selection",
    "run_judge": "api.doors",
    "scripted_agent": "api.doors",
    "save_rows": "api.saving",
    "simulate": "api.simulate",
    "staleness_report": "measures.logprobs",
    "style_markers": "measures.flags",
    "style_report": "measures.flags",
    "task_checklist": "judges.checklist",
    "task_key": "schema",
    "to_row": "schema",
    "tool": "spec",
    "trace_flag_report": "measures.flags",
    "trace_markers": "measures.flags",
    "trace_report": "traces",
    "tracked_rows": "record.compare",
    "training_rows": "export",
    "mock_world": "api.doors",
    "write_rubrics": "api.auditing",
}

__all__ = sorted(_DOORS)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_DOORS[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({"__doc__", "__version__", *_DOORS})
