"""Which kind of situation comes at which place of the draw: hard or not, failing or not, off topic or not.

Shares are spread evenly (error diffusion), so every prefix of a draw has its requested mix to within one situation, and
the kind at place i depends on nothing but i and the shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of all situations, except `fault`, which is a share of those about a real tool."""

    hard: float
    fault: float
    unrelated: float
    multi_tool: float
    careless: float


@dataclass(frozen=True, slots=True)
class Slot:
    """What the next situation has to be."""

    topic: str
    """tool, unrelated or multi_tool."""
    hard: bool
    fault: bool
    careless: bool


class _Spread:
    """True in a share of the calls, as evenly as can be."""

    __slots__ = ("share", "_sum")

    def __init__(self, share: float, start: float = 0.5) -> None:
        self.share = share
        self._sum = start

    def next(self) -> bool:
        self._sum += self.share
        if self._sum >= 1.0 - 1e-9:
            self._sum -= 1.0
            return True
        return False


def slots(shares: Shares) -> Iterator[Slot]:
    """The endless sequence of slots. Off-topic and two-tool asks are ordinary, so a high hard share leaves less room for them."""
    room = max(0.0, 1.0 - shares.hard)
    pseudo = min(shares.unrelated + shares.multi_tool, room)
    scale = pseudo / (shares.unrelated + shares.multi_tool) if pseudo else 0.0
    unrelated, multi = _Spread(shares.unrelated * scale, 0.2), _Spread(shares.multi_tool * scale, 0.6)
    hard = _Spread(min(1.0, shares.hard / (1.0 - pseudo)) if pseudo < 1 else 0.0)
    failing = {True: _Spread(shares.fault, 0.3), False: _Spread(shares.fault, 0.7)}
    careless = _Spread(shares.careless)
    waiting: list[str] = []
    while True:
        if unrelated.next():
            waiting.append("unrelated")
        if multi.next():
            waiting.append("multi_tool")
        if waiting:
            yield Slot(waiting.pop(0), False, False, careless.next())
            continue
        is_hard = hard.next()
        yield Slot("tool", is_hard, failing[is_hard].next(), careless.next())
