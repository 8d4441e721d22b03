"""The figures of a report, drawn once: as SVG in the page, as PNG for MLflow.

Colours are mid-tones that read on white and on black; what matplotlib draws in black takes the page's text colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any, NamedTuple

BLUE, ORANGE, GREY = "#3b82c4", "#d97a26", "#888888"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "whileai",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


class Curve(NamedTuple):
    """One line with its band over k."""

    name: str
    ks: Sequence[int]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


class Grid(NamedTuple):
    """Pass rates by two axes; a value is None where nothing was judged."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    counts: Sequence[Sequence[int]]


def pass_rates(rates: Sequence[float], band: tuple[float, float] | None) -> Any:
    """A histogram of tasks by pass rate; the band that selection keeps is shaded."""
    figure, axes = _figure(6.4, 2.6)
    edges = [at / 10 - 0.05 for at in range(12)]
    counts = [0] * 11
    for rate in rates:
        counts[min(int(rate * 10 + 0.5), 10)] += 1
    if band is not None:
        axes.axvspan(band[0], band[1], color=ORANGE, alpha=0.18, lw=0, label=f"band {band[0]:g} to {band[1]:g}")
        axes.legend(frameon=False, fontsize=9, loc="upper left")
    axes.bar([edge + 0.05 for edge in edges[:-1]], counts, width=0.085, color=BLUE)
    axes.set_xlim(-0.06, 1.06)
    axes.set_xlabel("pass rate of a task")
    axes.set_ylabel("tasks")
    return figure


def pass_curve(curves: Sequence[Curve]) -> Any:
    """pass@k and pass^k over k, each with its interval."""
    figure, axes = _figure(6.4, 2.8)
    for curve, colour in zip(curves, (BLUE, ORANGE, GREY)):
        axes.fill_between(curve.ks, curve.low, curve.high, color=colour, alpha=0.18, lw=0)
        axes.plot(curve.ks, curve.values, color=colour, marker="o", ms=4, label=curve.name)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xticks(curves[0].ks)
    axes.set_xlabel("k")
    axes.legend(frameon=False, fontsize=9)
    return figure


def heat_map(grid: Grid) -> Any:
    """Pass rate by two axes, each cell with its rate and how many rollouts it rests on."""
    figure, axes = _figure(max(4.5, 1.4 + 0.72 * len(grid.columns)), 0.9 + 0.36 * len(grid.rows))
    numbers = [[float("nan") if value is None else value for value in line] for line in grid.values]
    axes.imshow(numbers, cmap="RdYlBu", vmin=0, vmax=1, aspect="auto")
    for y, (line, counts) in enumerate(zip(grid.values, grid.counts)):
        for x, (value, count) in enumerate(zip(line, counts)):
            if value is not None:
                dark = value < 0.15 or value > 0.85
                axes.text(
                    x, y, f"{value:.2f}\nn={count}", ha="center", va="center", fontsize=7, color="white" if dark else "#111111"
                )
    axes.set_xticks(range(len(grid.columns)), grid.columns, rotation=30, ha="right", fontsize=8)
    axes.set_yticks(range(len(grid.rows)), grid.rows, fontsize=8)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def differences(values: Sequence[float]) -> Any:
    """One bar per task in the order given, up or down by what changed."""
    figure, axes = _figure(7.2, 2.2)
    axes.bar(range(len(values)), values, width=1.0, color=[ORANGE if value < 0 else BLUE for value in values])
    axes.axhline(0.0, color=GREY, lw=0.8)
    axes.set_ylim(-1.05, 1.05)
    axes.set_xticks([])
    axes.set_ylabel("after - before")
    return figure


def parallel(settings: Mapping[str, Sequence[str]], values: Sequence[float], objective: str) -> Any:
    """One line per job across its settings to the objective, coloured by the objective."""
    import matplotlib

    figure, axes = _figure(max(5.0, 1.9 * (len(settings) + 1)), 3.4)
    places = [_places(found) for found in settings.values()]
    low, high = min(values), max(values)
    heights = [(value - low) / (high - low) if high > low else 0.5 for value in values]
    colours = matplotlib.colormaps["viridis"]
    for job, height in enumerate(heights):
        axes.plot(range(len(places) + 1), [*(column[job] for column in places), height], color=colours(height), alpha=0.8, lw=1.4)
    for x, found in enumerate(settings.values()):
        for text, y in dict(zip(found, places[x])).items():
            axes.text(x + 0.03, y, text, fontsize=8)
    axes.text(len(places) + 0.03, 0.0, f"{low:.3g}", fontsize=8)
    axes.text(len(places) + 0.03, 1.0, f"{high:.3g}", fontsize=8)
    axes.set_xticks(range(len(places) + 1), [*settings, objective], fontsize=8)
    axes.set_yticks([])
    axes.set_xlim(-0.1, len(places) + 0.4)
    return figure


def _places(found: Sequence[str]) -> list[float]:
    """Heights in [0, 1] of the values of one setting, numbers by size and words in their order."""
    try:
        order: list[Any] = sorted(set(found), key=float)
    except ValueError:
        order = sorted(set(found))
    return [order.index(value) / max(len(order) - 1, 1) for value in found]


def bars(shares: Mapping[str, float], label: str) -> Any:
    """Shares by name, the largest on top."""
    figure, axes = _figure(6.4, 0.9 + 0.36 * len(shares))
    names = list(shares)[::-1]
    axes.barh(names, [shares[name] for name in names], color=BLUE)
    axes.set_xlim(0, 1)
    axes.set_xlabel(label)
    return figure


def svg(figure: Any) -> str:
    """The figure as an `<svg>` element: the same bytes for the same numbers, black turned into the text's colour."""
    import matplotlib

    out = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    for black in ("#000000", "black"):
        text = text.replace(f"stroke: {black}", "stroke: currentColor").replace(f"fill: {black}", "fill: currentColor")
    return text.replace("<text ", '<text fill="currentColor" ')


def png(figure: Any) -> bytes:
    import matplotlib

    out = BytesIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(out, format="png", dpi=144, metadata={"Software": None})
    return out.getvalue()


def _figure(width: float, height: float) -> tuple[Any, Any]:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots()
