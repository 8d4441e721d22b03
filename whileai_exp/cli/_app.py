"""The verbs, put together; a first word that is none of them belongs to `run`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer

from ._outcome import guarded
from .compare import compare
from .doctor import doctor
from .export import export
from .init import init
from .knobs import knobs
from .label import label
from .plan import plan
from .push import push
from .replay import replay
from .report import report
from .resume import resume
from .run import run
from .runs import runs
from .show import show
from .sync import sync

_EPILOG = """\
\b
Exit codes: 0 complete, 1 a fault of ours, 2 configuration, 3 gates refused, 5 replay differs, 73 directory busy,
74 disk, 75 incomplete but resumable, 77 key refused, 130 interrupted.
"""

app = typer.Typer(
    name="whileai-exp",
    help="Measure tool-using agents and make the data that trains them. A run is the default verb: whileai-exp +experiment=rl_v1",
    epilog=_EPILOG,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_FREE = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}


def verb(function: Callable[..., int]) -> Callable[..., None]:
    """The function as a command: what it returns, or what it raises of ours, becomes the exit code."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> None:
        raise typer.Exit(guarded(lambda: function(*args, **kwargs)))

    return called


for _verb in (run, plan):
    app.command(context_settings=_FREE)(verb(_verb))
for _verb in (resume, replay, compare, report, show, label, push, export, runs, sync, knobs, init, doctor):
    app.command()(verb(_verb))
VERBS = tuple(sorted(str(command.callback.__name__) for command in app.registered_commands if command.callback))
_OPTIONS = ("-h", "--help", "--install-completion", "--show-completion")


def call(tokens: Sequence[str]) -> int:
    """Run the verb that the tokens name; a first word that is none belongs to `run`."""
    first = tokens[0] if tokens else ""
    if first and first not in VERBS and first not in _OPTIONS:
        if first.isidentifier():
            return _unknown(first)
        tokens = ["run", *tokens]
    try:
        app(args=list(tokens), prog_name="whileai-exp")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _unknown(word: str) -> int:
    from .._text import did_you_mean

    print(f"{word!r} is not a verb; {did_you_mean(word, VERBS)} (a run starts with +experiment=…)", file=sys.stderr)
    return 2
