"""The command line: `whileai-exp` and `python -m whileai_exp`.

A first word that is a verb goes to that verb's file; anything else is an experiment run with Hydra's overrides. Nothing
heavy is imported before it is known what is asked.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

_HELP = """\
usage: whileai-exp [VERB] [ARGUMENTS]

Run an experiment (the default verb):
  whileai-exp +experiment=rl_v1                            one run
  whileai-exp +experiment=rl_v1 seed=3 counts.repeats=4    with values of your own
  whileai-exp -m +experiment=rl_v1 seed=1,2                a sweep: one parent, a child per job
  whileai-exp --cfg job +experiment=rl_v1                  print the composed configuration

Verbs:
  resume RUN     take up a run that was cut; answered calls are not made again
  replay RUN     run again from a run directory or an MLflow run id, and compare the rows
  knobs          every tunable number with its bounds, meaning and source (--markdown)

Exit codes: 0 complete, 1 a fault of ours, 2 configuration, 3 gates refused, 5 replay differs, 73 directory busy,
74 disk, 75 incomplete but resumable, 77 key refused, 130 interrupted.
"""


_VERBS = ("run", "resume", "replay", "knobs")


def main(argv: Sequence[str] | None = None) -> int:
    """The whole program; returns the exit code."""
    tokens = list(sys.argv[1:] if argv is None else argv)
    if not tokens or tokens[0] in ("-h", "--help", "help"):
        print(_HELP, end="")
        return 0
    if tokens and tokens[0] == "--version":
        from importlib.metadata import version

        print(version("whileai-exp"))
        return 0
    if tokens and tokens[0] == "knobs":
        from .knobs import knobs_command

        return knobs_command(tokens[1:])
    from ._outcome import guarded

    if tokens and tokens[0] == "replay":
        from .replay import replay_command

        return guarded(lambda: replay_command(tokens[1:]))
    if tokens and tokens[0] == "resume":
        from .resume import resume_command

        return guarded(lambda: resume_command(tokens[1:]))
    if tokens and tokens[0].isidentifier() and tokens[0] != "run":
        return _unknown_verb(tokens[0])
    if tokens and tokens[0] == "run":
        tokens = tokens[1:]
    from .run import run_command

    return guarded(lambda: run_command(tokens))


def _unknown_verb(word: str) -> int:
    from .._text import did_you_mean

    print(f"{word!r} is not a verb; {did_you_mean(word, _VERBS)} (a run starts with +experiment=…)", file=sys.stderr)
    return 2


__all__ = ["main"]
