"""The part of pytest that hidden tests use, where no package can be installed."""

from __future__ import annotations

import builtins
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


def pytest_stand_in() -> types.ModuleType:
    """The part of pytest that hidden tests use: raises, approx, mark.parametrize, fail."""
    made = types.ModuleType("pytest")

    class raises:
        def __init__(self, kind, match=None) -> None:
            self.kind = kind
            self.value = None

        def __enter__(self):
            return self

        def __exit__(self, kind, value, traceback) -> bool:
            assert kind is not None, "nothing was raised"
            self.value = value
            return issubclass(kind, self.kind)

    class approx:
        def __init__(self, wanted, rel=1e-6, abs=1e-12) -> None:
            self.wanted, self.rel, self.abs = wanted, rel, abs

        def __eq__(self, other) -> bool:
            if isinstance(self.wanted, (list, tuple)):
                same = isinstance(other, (list, tuple)) and len(other) == len(self.wanted)
                return same and all(approx(w, self.rel, self.abs) == o for w, o in zip(self.wanted, other))
            near = max(self.abs, self.rel * builtins.abs(self.wanted))
            return isinstance(other, (int, float)) and builtins.abs(other - self.wanted) <= near

        __hash__ = None  # type: ignore[assignment]

    class Mark:
        def parametrize(self, names, values, **_):
            listed = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)

            def keep(function):
                cases = [dict(zip(listed, v if len(listed) > 1 else (v,))) for v in values]
                before = getattr(function, "_cases", [{}])
                function._cases = [{**a, **b} for a in before for b in cases]
                return function

            return keep

        def __getattr__(self, name: str):
            return lambda *a, **k: a[0] if a and callable(a[0]) else (lambda function: function)

    def fail(message: str = "") -> None:
        raise AssertionError(message)

    made.raises, made.approx, made.mark, made.fail = raises, approx, Mark(), fail  # type: ignore[attr-defined]
    return made
