"""The child's side of `_worker`: one JSON line in, one out. Runs as `python -m whileai_exp.verify._work`."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Callable
from typing import Any

import orjson

_MEMORY = 2 << 30


def regex(pattern: str, text: str, group: int | str | None, ignore_case: bool) -> dict[str, Any]:
    """Whether a pattern is found, and what a group captured at each place (the first thousand)."""
    made = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    if group is None:
        return {"found": made.search(text) is not None, "captured": []}
    captured = []
    for number, found in enumerate(made.finditer(text)):
        if number >= 1000:
            break
        captured.append(found.group(group))
    return {"found": bool(captured), "captured": captured}


def schema(definition: Any, draft: str | None, instance: Any, formats: bool) -> list[str]:
    """The first complaint of a JSON Schema about an instance, or nothing."""
    from ._schemas import complaint

    said = complaint(definition, draft, instance, formats)
    return [said] if said is not None else []


def maths(gold: str, candidate: str) -> dict[str, Any]:
    """Whether two expressions are equal."""
    from ._maths import compared

    return compared(gold, candidate)


def _warm(op: str) -> bool:
    if op == "maths":
        maths("1", "1")
    return True


_OPS: dict[str, Callable[..., Any]] = {"regex": regex, "schema": schema, "maths": maths}


def main() -> None:
    """Answer until the parent is gone."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.set_int_max_str_digits(20_000)
    for line in sys.stdin.buffer:
        message = orjson.loads(line)
        op, arguments = message["op"], message["arguments"]
        try:
            value = _warm(arguments) if op == "warm" else _OPS[op](*arguments)
            answer = orjson.dumps({"value": value})
        except (Exception, RecursionError, MemoryError) as error:
            answer = orjson.dumps({"error": f"{type(error).__name__}: {error}"[:300].encode("utf-8", "replace").decode()})
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
