"""Where configuration lives: a checkout's own conf/ and experiments/, or the copies packaged in the wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def conf_dir() -> Path:
    """The folder of configuration groups."""
    checkout = _PACKAGE.parent / "conf"
    return checkout if (checkout / "config.yaml").is_file() else _PACKAGE / "_packaged" / "conf"


def experiments_dir() -> Path:
    """The folder of what experiments own; `${experiments:}` in a file stands for it."""
    checkout = _PACKAGE.parent / "experiments"
    return checkout if checkout.is_dir() else _PACKAGE / "_packaged" / "experiments"
