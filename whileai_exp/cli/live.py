"""What a person sees while a run is in flight: one panel on a terminal, plain lines anywhere else.

The engine calls the view after every rollout, so noting the numbers is all that happens there; drawing has its own pace.
Escape codes never reach a pipe.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from .._clock import Clock, SystemClock
from ..stats.intervals import wilson


class LiveView:
    """A context manager that is also the run's progress listener. `total`: rollouts asked for, at most.

    `every_s`: longest gap between two plain lines.
    """

    def __init__(self, name: str, total: int, *, every_s: float, clock: Clock | None = None, stream: Any = None) -> None:
        self._name, self._total, self._every_s = name, total, every_s
        self._clock = clock or SystemClock()
        self._stream = stream or sys.stderr
        self._start = self._said = self._clock.monotonic()
        self._latest: Mapping[str, Any] = {}
        self._live: Any = None

    def __enter__(self) -> LiveView:
        if self._stream.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(file=self._stream), refresh_per_second=4, transient=True, get_renderable=self._panel
            )
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Mapping[str, Any]) -> None:
        self._latest = progress
        if self._live is None and self._clock.monotonic() - self._said >= self._every_s:
            self._said = self._clock.monotonic()
            print(f"{self._name}: {', '.join(f'{k} {v}' for k, v in self.figures())}", file=self._stream, flush=True)

    def figures(self) -> list[tuple[str, str]]:
        """Label and text of everything worth knowing now."""
        now = self._latest
        done = int(now.get("rollouts", 0))
        elapsed = max(self._clock.monotonic() - self._start, 1e-9)
        out = [("rollouts", f"{done} of at most {self._total}")]
        if now.get("in_flight"):
            out.append(("in flight", str(now["in_flight"])))
        judged, passed = int(now.get("first_judged", 0)), int(now.get("first_passed", 0))
        interval = wilson(passed, judged)
        if interval is not None:
            out.append(("pass@1 of first draws", f"{passed / judged:.2f} [{interval.low:.2f}, {interval.high:.2f}]"))
        lost = {name: count for name, count in (now.get("statuses") or {}).items() if name != "ok"}
        out += [(name, str(count)) for name, count in sorted(lost.items())]
        if now.get("output_tokens") is not None:
            out.append(("tokens", f"{now.get('input_tokens') or 0} in, {now['output_tokens']} out"))
        out.append(("rate", f"{done / elapsed:.1f}/s"))
        if 0 < done < self._total:
            out.append(("at most", f"{(self._total - done) * elapsed / done:.0f} s more"))
        return out

    def _panel(self) -> Any:
        from rich.panel import Panel
        from rich.table import Table

        table = Table.grid(padding=(0, 2))
        for label, text in self.figures():
            table.add_row(label, text)
        return Panel(table, title=self._name, expand=False)
