"""Gates: what must be true before a run's rows may be used. Each is one file; `unmeasured` is neither pass nor fail."""

from ._base import check_gates, gates, refused

__all__ = ["check_gates", "gates", "refused"]
