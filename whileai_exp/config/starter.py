"""The files of a starter experiment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson

from ..errors import ConfigError, Problem
from ..knobs.editor import editor_schema
from ..plan.refs import PROVIDERS, parse_ref
from ..spec import load_spec

_POLICY = """\
You help customers of a small library.

- Look a book up before you lend it or take it back.
- A book that is lent out cannot be lent again: say when it is due.
- Never act for a card that you cannot find.
- When a tool fails, try once more, then say plainly that it did not work.
- For anything that has nothing to do with the library, say that you cannot help with it.
"""
_RUBRIC = """\
# Doing the job

- What was asked for and is allowed has happened once; what is not allowed has not happened.
- Every claim in the reply is backed by a tool result of this conversation.
- When facts were missing the person was asked.
"""


def _tool(name: str, about: str, **properties: str) -> dict[str, Any]:
    schema = {key: {"type": "string", "description": text} for key, text in properties.items()}
    return {"name": name, "description": about, "parameters": {"type": "object", "properties": schema, "required": list(schema)}}


_TOOLS = [
    _tool(
        "find_book",
        "Look up one book by its number: title, author, status and due date.",
        book_id="The book's number, such as 'B-2041'.",
    ),
    _tool(
        "lend_book",
        "Lend a book to a card.",
        book_id="The book's number, such as 'B-2041'.",
        card_id="The reader's card, such as 'C-771'.",
    ),
    _tool("return_book", "Take a lent book back.", book_id="The book's number, such as 'B-2041'."),
]


def starter_files(
    name: str, *, agent: str | None = None, tools: Path | None = None, policy: Path | None = None
) -> dict[str, str]:
    """Relative path to text. ConfigError for a name that is none, tools that cannot be read, an agent that is no reference."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,60}", name):
        raise ConfigError(Problem("--name", f"{name!r} is not a name", "letters, digits and _, a letter first"))
    prompt = policy.read_text("utf-8") if policy is not None else _POLICY
    declared: list[dict[str, Any]] = _TOOLS
    if tools is not None:
        spec = load_spec(tools).spec
        declared = [tool.wire()["function"] for tool in spec.tools]
        prompt = prompt if policy is not None or not spec.system_prompt else spec.system_prompt
    spec_text = orjson.dumps({"tools": declared}, option=orjson.OPT_INDENT_2).decode() + "\n"
    return {
        "whileai.toml": '[paths]\nconf = "conf"\nexperiments = "experiments"\n',
        f"conf/experiment/{name}.yaml": _experiment(name, agent),
        "conf/experiment.schema.json": orjson.dumps(editor_schema(), option=orjson.OPT_INDENT_2).decode() + "\n",
        f"conf/spec/{name}.yaml": f"name: {name}\npath: ${{experiments:{name}}}\n",
        f"experiments/{name}/spec.json": spec_text,
        f"experiments/{name}/policy.md": prompt,
        f"experiments/{name}/rubric.md": _RUBRIC,
    }


def _experiment(name: str, agent: str | None) -> str:
    lines = [
        "# @package _global_",
        f"# whileai-exp +experiment={name}",
        "# yaml-language-server: $schema=../experiment.schema.json",
        "defaults:",
        f"  - override /spec: {name}",
        *_agent_default(agent),
        "  - override /gates: rl_publish",
        "",
        "experiment:",
        f"  name: {name}",
        "  question: Where does this agent fail, and which situations carry training signal?",
        "mode: rl",
        "seed: 0",
        "counts:",
        "  situations: 60    # `whileai-exp plan` says what this takes and what it can show",
        "  repeats: 4",
        "advanced:",
        "  probe: 4          # all repeats of every task; fewer save rollouts where they agree",
        *_agent_lines(agent),
    ]
    return "\n".join(lines) + "\n"


def _agent_lines(agent: str | None) -> list[str]:
    if agent is None:
        return ["# agent:            # without one, the embedded scripted agent plays: free, offline, with planted flaws",
                "#   kind: openai    # or anthropic, vllm, ollama, url, http; a callable of yours: target: module:attr",
                "#   model: gpt-4.1-mini"]  # fmt: skip
    if _is_target(agent):
        return ["agent:", f"  target: {agent}"]
    ref = parse_ref(agent, "--agent")
    lines = [f"  model: {ref.model}"] if ref.model else []
    lines += [f"  base_url: {ref.base_urls[0]}"] if ref.base_urls else []
    kind = [] if ref.kind in _FILES else [f"  kind: {ref.kind}"]
    return ["agent:", *kind, *lines]


_FILES = ("openai", "vllm", "ollama")
"""Kinds of agents with a file of their own in conf/agent."""


def _is_target(agent: str) -> bool:
    """Whether an agent is named as `module:attr` and not as a model."""
    return re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", agent) is not None and agent.partition(":")[0] not in PROVIDERS


def _agent_default(agent: str | None) -> list[str]:
    if agent is None:
        return []
    if _is_target(agent):
        return ["  - override /agent: callable"]
    kind = parse_ref(agent, "--agent").kind
    return [f"  - override /agent: {kind}"] if kind in _FILES else ["  - override /agent: callable"]
