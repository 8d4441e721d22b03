"""Starts a box: `start.py ROLE CHANNEL_FD TEXT_FD VERDICT_FD CONFIG`. Standard library only; runs without the package."""

from __future__ import annotations

import importlib
import json
import os
import sys

_NUMBER_DIGITS = 100_000


def main() -> None:
    """Read the text, give up all rights, then play the role."""
    role, channel_fd, text_fd, verdict_fd, config = sys.argv[1], *map(int, sys.argv[2:5]), json.loads(sys.argv[5])
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, above)
    guard, wire = importlib.import_module("box.guard"), importlib.import_module("box.wire")
    part = importlib.import_module("box.candidate" if role == "candidate" else "box.tests")
    if role == "tests":
        importlib.import_module("unittest")
    sys.path.remove(above)
    sys.argv[:] = [role]
    with os.fdopen(text_fd, "rb") as file:
        text = file.read().decode("utf-8", "surrogatepass")
    if config.get("cwd"):
        os.chdir(config["cwd"])
    sys.set_int_max_str_digits(_NUMBER_DIGITS)
    guard.close(config)
    channel = wire.Channel(channel_fd)
    if role == "candidate":
        part.candidate_main(channel, text)
        return
    try:
        told = part.tests_main(channel, text)
    except wire.Ended as ended:
        told = {"passed": 0, "total": 1, "reason": ended.reason}
    os.write(verdict_fd, json.dumps({**told, "nonce": config["nonce"]}).encode() + b"\n")


if __name__ == "__main__":
    main()
