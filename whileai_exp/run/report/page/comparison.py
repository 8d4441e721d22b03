"""Two or more runs as one page: the difference of their configurations first, then what moved, then which tasks flipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....measures.delta import DeltaReport
from . import _figures as draw

_TASKS = 200


class Change(NamedTuple):
    """A value of the configuration that differs."""

    name: str
    before: str
    after: str


class TaskPair(NamedTuple):
    """A task's pass rate in both runs, with the draws that each rests on."""

    task: str
    prompt: str
    before: float
    after: float
    n_before: int
    n_after: int

    @property
    def flipped(self) -> int:
        """1 when most draws failed before and most pass now, -1 the other way round, else 0."""
        was, now = self.before > 0.5, self.after > 0.5
        return int(now) - int(was)


class Page(NamedTuple):
    """One comparison as the page shows it."""

    base: str
    other: str
    report: DeltaReport
    changes: Sequence[Change] | None
    tasks: Sequence[TaskPair]


def comparison_html(pages: Sequence[Page]) -> str:
    """The page; no script, no network."""
    from markupsafe import Markup

    from . import asset, policy, template

    shown = [
        {
            "base": page.base,
            "other": page.other,
            "report": page.report,
            "metrics": [_metric(item) for item in page.report.metrics.values()],
            "changes": page.changes,
            "won": [task for task in page.tasks if task.flipped > 0],
            "lost": [task for task in page.tasks if task.flipped < 0],
            "tasks": page.tasks[:_TASKS],
            "n_tasks": len(page.tasks),
            "figure": Markup(draw.svg(draw.differences([t.after - t.before for t in page.tasks]))) if page.tasks else None,
        }
        for page in pages
    ]
    return template("compare.html").render(css=Markup(asset("page.css")), policy=policy(None), pages=shown)


def _metric(item: Any) -> dict[str, Any]:
    found = item.comparison
    interval = found.ci95
    return {
        "name": item.name,
        "role": str(item.role),
        "moved": str(item.moved),
        "before": _number(found.mean_a),
        "after": _number(found.mean_b),
        "delta": _number(found.delta, sign=True)
        + (f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval is not None else ""),
        "p": _number(item.p_adjusted, digits=4),
        "n": found.n_used,
    }


def _number(value: float | None, *, sign: bool = False, digits: int = 3) -> str:
    if value is None:
        return "not measured"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
