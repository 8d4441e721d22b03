"""The report as one HTML file: no network, no markup from any model, its only script named by hash in the policy."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from . import _figures as draw
from . import _views as views
from ._browser import packed
from ._figures import png

__all__ = ["figures_of", "html_report", "png"]

_TRUST = ("judge_trust", "judge_agreement", "hack_scan", "leaks")
_FURTHER = ("coverage", "delivered", "people", "groups", "exports", "runs")
_SECTIONS = (
    ("gates", "gates"), ("spent", "spent"), ("figures", "tasks"), ("trust", "trust"), ("selection", "selection"),
    ("measures", "measures"), ("browser", "rollouts"), ("configuration", "configuration"),
)  # fmt: skip


def figures_of(record: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str, Any]]:
    """The figures by file name: title, caption, matplotlib figure. Those that have nothing to show are left out."""
    out: dict[str, tuple[str, str, Any]] = {}
    rates = views.task_rates(rows)
    if rates:
        band = record["selection"].get("band")
        out["pass_rates"] = (
            "Pass rate by task",
            f"n = {len(rates)} tasks",
            draw.pass_rates(rates, tuple(band) if band else None),
        )
    curves = views.curves(rows, float(record["config"]["measures"].get("level", 0.95)))
    if curves:
        out["pass_curve"] = ("Any and all of k", "pass@k: one of k tries passes; pass^k: all of them do", draw.pass_curve(curves))
    first = views.first_draws(rows)
    for across in ("tool_condition", "stance"):
        grid = views.by_axes(first, "tool", across)
        if grid is not None:
            out[f"by_{across}"] = (
                f"Pass rate by tool and {across.replace('_', ' ')}",
                "first draws of every task",
                draw.heat_map(grid),
            )
    return out


def html_report(
    record: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    dropped: Mapping[str, str],
    *,
    figures: Mapping[str, tuple[str, str, Any]] | None = None,
    most: int = 5000,
) -> str:
    """The page of a run. `record` as in record.json, `dropped`: rollout id to reason, `most`: rollouts the browser holds."""
    from markupsafe import Markup

    drawn = figures if figures is not None else figures_of(record, rows)
    script = asset("conversation.js") + asset("browser.js")
    flags = [f"{name}: {value}" for name, value in record["degraded"].items()]
    return template("report.html").render(
        record=record,
        css=Markup(asset("page.css")),
        script=Markup(script),
        policy=policy(script),
        rollouts=Markup(inert(packed(rows, dropped, most))),
        sections=_SECTIONS,
        headline=views.headline(record),
        notes=(record["report"].get("pass_at") or {}).get("notes") or (),
        warnings=[*record["warnings"], *flags],
        spent=views.spent(record),
        calls=views.calls(record),
        figures=[(title, caption, Markup(draw.svg(figure))) for title, caption, figure in drawn.values()],
        trust=views.report_tables(record, _TRUST),
        waterfall=views.waterfall(record),
        measures=views.other_measures(record),
        settings=views.settings(record),
        reports=views.report_tables(record, _FURTHER),
    )


def policy(script: str | None) -> str:
    """A content policy under which nothing is loaded and only `script` runs; None: nothing does."""
    digest = b64encode(sha256(script.encode()).digest()).decode() if script is not None else ""
    run = f"script-src 'sha256-{digest}'; " if script is not None else ""
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; {run}base-uri 'none'; form-action 'none'"


def inert(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
    from ....schema.steps import dumps

    text = dumps(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def asset(name: str) -> str:
    """The text of a file beside this one."""
    return files(__package__ or "").joinpath("assets", name).read_text("utf-8")


@cache
def template(name: str) -> Any:
    """A page with every value escaped."""
    from jinja2 import BaseLoader, Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=BaseLoader()
    )
    return environment.from_string(asset(name))
