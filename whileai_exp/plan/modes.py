"""What a mode presets. An explicit value always wins over its mode."""

from __future__ import annotations

from dataclasses import dataclass

from .types import Mode, RepeatPolicy


@dataclass(frozen=True, slots=True)
class Preset:
    phrasings: int
    repeats: int
    policy: RepeatPolicy
    fault_rate: float
    unique: bool = False
    prefer_success: bool = True
    """Outside rl most failing-tool situations are flipped to success, so that the data shows ordinary work too."""
    selection: str = "none"


PRESETS: dict[Mode, Preset] = {
    # one look at as many situations as possible
    Mode.EXPLORE: Preset(1, 1, RepeatPolicy.NONE, 0.5, unique=True),
    # k=4: the smallest k with a reported k-way number (tau2-bench, arXiv:2506.07982)
    Mode.SFT: Preset(3, 4, RepeatPolicy.ADAPTIVE, 0.5, selection="sft"),
    # k=8: group size in Dr. GRPO (arXiv:2503.20783); faults 0.8: the 80/20 mix of PALADIN (arXiv:2509.25238)
    Mode.RL: Preset(1, 8, RepeatPolicy.SUCCESSIVE, 0.8, prefer_success=False, selection="rl"),
    Mode.ADAPTIVE: Preset(3, 2, RepeatPolicy.ADAPTIVE, 0.5),
}
