"""`whileai-exp init FOLDER`: a starter experiment around the user's own tools, agent and policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    folder: Annotated[Path, typer.Argument(help="where to write it; made when it is not there")] = Path(),
    name: Annotated[str, typer.Option(help="the experiment's name")] = "my_agent",
    agent: Annotated[
        str | None, typer.Option(help="a model (openai:gpt-4.1-mini, vllm:…@http://…) or your callable (module:attr)")
    ] = None,
    tools: Annotated[Path | None, typer.Option(help="a JSON or YAML file of your tools, or a spec folder", exists=True)] = None,
    policy: Annotated[
        Path | None, typer.Option(help="a text file: the agent's system prompt", exists=True, dir_okay=False)
    ] = None,
) -> int:
    """Write whileai.toml, an experiment, a spec folder and a rubric to start from. Files that are there stay as they are."""
    from ..config.starter import starter_files

    wrote = []
    for path, text in starter_files(name, agent=agent, tools=tools, policy=policy).items():
        target = folder / path
        if target.exists():
            print(f"kept     {target} (it was there)")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        wrote.append(target)
        print(f"wrote    {target}")
    step = "" if folder in (Path(), Path(".")) else f"cd {folder} && "
    print(f"next     {step}whileai-exp plan +experiment={name}")
    print(f"         {step}whileai-exp +experiment={name}")
    return 0
