"""The candidate's box: load the candidate, say how that went, answer calls. Nothing here is believed by the other side."""

from __future__ import annotations

import sys
import types

from .wire import STOPS, Channel, Foreign, builtin_name, decode, encode, run_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MUTABLE = (list, dict, set, bytearray)


def candidate_main(channel: Channel, source: str) -> None:
    """Load the candidate, say how that went, and answer calls until the other side is gone."""
    held: dict[int, Any] = {}

    def keep(value: Any) -> int:
        held[len(held)] = value
        return len(held) - 1

    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    try:
        run_code(source, "candidate", module.__dict__)
    except BaseException as error:
        channel.send({"load": "ended" if builtin_name(error) in STOPS else builtin_name(error)})
        return
    channel.send({"load": None})
    while True:
        asked = channel.receive()
        try:
            answer = answered(asked, module, held, keep)
        except BaseException as error:
            answer = {"raised": builtin_name(error)}
        try:
            channel.send(answer)
        except Foreign:
            channel.send({"invalid": True})


def answered(asked, module, held: dict, keep) -> dict:
    op = asked["op"]
    if op == "get":
        if asked["name"] not in module.__dict__:
            return {"missing": True}
        return value_of(module.__dict__[asked["name"]], keep)
    target = held[asked["ref"]]
    if op == "attr":
        return value_of(getattr(target, asked["name"]), keep)
    if op == "next":
        try:
            return value_of(next(target), keep)
        except StopIteration:
            return {"stop": True}
    if op == "iter":
        return {"value": ["r", keep(iter(target))]}
    if op == "len":
        return {"value": ["i", str(len(target))]}
    if op == "item":
        return value_of(target[decode(asked["key"], held.__getitem__)], keep)
    arguments = [decode(item, held.__getitem__) for item in asked["args"]]
    named = {name: decode(item, held.__getitem__) for name, item in asked["named"].items()}
    out = value_of(target(*arguments, **named), keep)
    changed = {}
    for number, (before, now) in enumerate(zip(asked["args"], arguments)):
        if type(now) in _MUTABLE:
            after = encode(now, keep)
            if after != before:
                changed[number] = after
    if changed:
        out["changed"] = changed
    return out


def value_of(value: Any, keep) -> dict:
    try:
        return {"value": encode(value, keep)}
    except (Foreign, RecursionError, TypeError, ValueError):
        return {"invalid": True}
