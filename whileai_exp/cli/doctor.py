"""`whileai-exp doctor`: what is installed, how well code can be boxed in, and which endpoints answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

_PARTS = (
    ("mlflow", "tracking"), ("matplotlib", "figures of the report"), ("math_verify", "judge math_equal: pip install 'whileai-exp[math]'"),
    ("uvloop", "a faster event loop: pip install 'whileai-exp[fast]'"), ("optuna", "sweeps that search: pip install 'whileai-exp[sweep]'"),
    ("joblib", "sweeps on several processes"), ("verifiers", "running exported environments"), ("datasets", "pushing to the Hub"),
    ("ray", "one experiment on a cluster"), ("xllamacpp", "agents named local:"),
)  # fmt: skip


def doctor(
    endpoint: Annotated[
        list[str] | None, typer.Option("--endpoint", "-e", help="a base URL to ask for its models; may be repeated")
    ] = None,
) -> int:
    """Say what this machine has; with --endpoint, whether a model server answers."""
    from ..config.environment import prepare_environment

    prepare_environment()
    for line in (*installed(), *sandbox(), *settings(), *(answer for url in endpoint or () for answer in asked(url))):
        print(line)
    return 0


def installed() -> Iterable[str]:
    """Python, the package, and the optional parts."""
    import sys
    from importlib.metadata import packages_distributions, version
    from importlib.util import find_spec

    yield f"python       {sys.version.split()[0]}"
    yield f"whileai_exp  {version('whileai-exp')}"
    owners = packages_distributions()
    for module, purpose in _PARTS:
        if find_spec(module) is None:
            yield f"{module:12s} not installed ({purpose})"
        else:
            yield f"{module:12s} {version(owners[module][0]) if module in owners else 'present'}"


def sandbox() -> Iterable[str]:
    """The isolation that code graded here would get, by real probes."""
    from ..knobs import RunKnobs
    from ..verify._levels import level_of_this_machine

    (level, how), least = level_of_this_machine(), RunKnobs().sandbox_min_level
    verdict = "enough" if level >= least else f"below the {least} that code_exec asks for; install bubblewrap"
    yield f"sandbox      level {level} of 3, {verdict}{how and '; ' + how}"


def settings() -> Iterable[str]:
    """Variables that are read, by name; values of keys are never shown."""
    from ..config.environment import known_variables

    for name, state in known_variables():
        yield f"{name:24s} {state}"


def asked(url: str) -> Iterable[str]:
    """Whether a model server answers, and with which models."""
    import asyncio

    from ..errors import WhileaiError
    from ..knobs import ModelKnobs
    from ..models import connect, warm_up
    from ..plan.types import ModelRef

    async def ask() -> str:
        model = connect(ModelRef("url", None, (url,)), timeout_s=10, knobs=ModelKnobs(cold_start_s=10, unreachable_s=3))
        try:
            await warm_up(model)
            return f"answers, first model {model.model}"
        finally:
            await model.aclose()

    try:
        yield f"{url}  {asyncio.run(ask())}"
    except WhileaiError as error:
        yield f"{url}  does not serve: {error}"
