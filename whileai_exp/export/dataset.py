"""Rows as a file that a trainer loads: which format, which rows, and a report that accounts for every one.

Rows are taken one at a time, so a source may be larger than memory; formats of tasks keep one prompt per task and
`preference` the rows themselves. Nothing is written when a row recites its answer key or when no row is left.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError, ExportError, Problem, SpecError
from ..knobs import RunKnobs
from ..schema import Tool
from ..spec import as_tools
from .files import iter_rows, read_sidecar, record_line, write_lines, write_table
from .formats import Format, formats
from .maker import Maker

_SHOWN = 3


class ExportReport(dict[str, Any]):
    """What an export did, as a dict that prints: `n` rows in, `n_written` records out, `left_out` by reason."""

    def __str__(self) -> str:
        lines = [f"{self['format']}: {self['n_written']} records of {self['n']} rows, {self['path']}"]
        lines += [f"  left out {n}: {reason.replace('_', ' ')}" for reason, n in self["left_out"].items()]
        return "\n".join([*lines, *(f"  note: {note}" for note in self["warnings"])])


def training_rows(
    source: Any,
    *,
    system_prompt: str | None = None,
    tools: Sequence[Any] | None = None,
    failures: bool = True,
    mask: str = "assistant",
    reasoning: str = "drop",
) -> list[dict[str, Any]]:
    """Conversations as objects: `messages`, `loss_mask` (1 where the loss sees the message), `tools`, and which rollout it is.

    `mask`: `assistant` trains on every turn of the agent in this rollout, `final` on its last. Rows that are no conversation
    (see `export_dataset`) are not among them. ExportError when a row recites its answer key.

    >>> rows = [{"prompt": "hi", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]}]
    >>> training_rows(rows)[0]["loss_mask"]
    [0, 1]
    """
    maker = _maker(source, system_prompt, tools, failures=failures, mask=mask, reasoning=reasoning)
    out: list[dict[str, Any]] = []
    for row in _rows(source):
        made = maker.imitated(row)
        if made is None:
            continue
        record: dict[str, Any] = {"messages": made.messages(), "loss_mask": [int(turn.trained) for turn in made.turns]}
        if maker.wired:
            record["tools"] = maker.wired
        out.append({**record, "task_id": made.task_id, "rollout_id": made.rollout_id, "reward": made.reward})
    _refuse_leaks(maker)
    return out


def export_dataset(
    source: Any,
    output: str | os.PathLike[str],
    *,
    format: str = "openai",
    system_prompt: str | None = None,
    tools: Sequence[Any] | None = None,
    failures: bool = False,
    mask: str = "assistant",
    reasoning: str = "drop",
    answer: str | None = None,
    knobs: RunKnobs | None = None,
    **settings: Any,
) -> ExportReport:
    """Write training data and say how many rows went in, how many records came out, and why the others did not.

    `source`: rows, a run, graded data, an iterator, a file of rows, or for `preference` also pairs. `format`: `openai`, `trl`,
    `prompt_completion`, `preference`, `grpo`, `verl`, `parquet`; `settings` are the format's own. `system_prompt` and `tools`
    default to those of the run, the graded data or the file's sidecar. `failures=True` keeps rows that did not pass. `mask`:
    see `training_rows`. `reasoning="keep"` leaves closed think blocks in. `answer`: the row key whose value a reward function
    is handed (grpo, verl).

    Left out and counted: rows that failed, were not judged, were cut or were graded as an evaluation; calls whose arguments
    are no JSON object, that nobody answered or that name an undeclared tool; unclosed think blocks; empty turns; unknown roles.
    ExportError, with nothing written: a row that recites its answer key, or no record. ConfigError: a format or setting that
    does not exist, tools that cannot be read.

    >>> wai.export_dataset(scored.passes(), "train.jsonl", format="trl")  # doctest: +SKIP
    """
    made = formats.create({"kind": format, **settings})
    maker = _maker(source, system_prompt, tools, failures=failures, mask=mask, reasoning=reasoning, answer=answer, knobs=knobs)
    path = Path(output)
    if path.suffix == ".parquet" and made.suffix != ".parquet":
        raise ConfigError(Problem("output", f"{path.name} names a Parquet file, {format} writes {made.suffix}", "name it so"))
    records = _checked(made.records(_rows(source), maker), maker)
    if made.suffix == ".parquet":
        written = write_table(path, records, made.schema)
    else:
        written = write_lines(path, map(record_line, records))
    if not written.n:
        raise ExportError(_nothing_left(maker, failures))
    return ExportReport(
        path=str(path),
        format=format,
        n=maker.n,
        n_written=written.n,
        left_out=dict(sorted(maker.counts.items())),
        left_out_ids=maker.left_out,
        sha256=written.sha256,
        trains=made.trains,
        with_system=bool(maker.system_prompt),
        tools=sorted(maker.names),
        leak_check={"keyed": maker.n_keyed, "too_short": maker.n_short},
        warnings=_warnings(made, maker, failures),
    )


def _checked(records: Iterator[Mapping[str, Any]], maker: Maker) -> Iterator[Mapping[str, Any]]:
    yield from records
    _refuse_leaks(maker)


def _refuse_leaks(maker: Maker) -> None:
    if maker.leaks:
        named = ", ".join(maker.leaks[:_SHOWN])
        raise ExportError(
            f"{len(maker.leaks)} rows recite their answer key ({named}); nothing was written: drop them, wai.optimize(rows) does"
        )


def _rows(source: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(source, (str, os.PathLike)):
        return iter_rows(source)
    for name in ("trajectories", "rows"):
        found: Any = getattr(source, name, None)
        if found is not None and not isinstance(source, Mapping):
            return _only_rows(found if isinstance(found, list) or not callable(found) else found())  # pyright: ignore[reportArgumentType]
    if isinstance(source, Mapping):
        raise ConfigError(Problem("source", "is one row; rows are wanted", "wrap it in a list"))
    return _only_rows(source)


def _only_rows(rows: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for n, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ConfigError(Problem(f"row {n}", f"is {type(row).__name__}, not a row", "give dictionaries"))
        yield row


def _maker(
    source: Any, system_prompt: str | None, tools: Sequence[Any] | None, *, knobs: RunKnobs | None = None, **settings: Any
) -> Maker:
    told, declared = _spec_of(source)
    made, problems, _ = as_tools(tools if tools is not None else declared)
    if problems:
        raise SpecError(problems)
    wanted = tuple(tool for tool in made if isinstance(tool, Tool))
    text = system_prompt if system_prompt is not None else told
    return Maker(system_prompt=text, tools=wanted, quote_chars=(knobs or RunKnobs()).quote_chars, **settings)


def _spec_of(source: Any) -> tuple[str, Sequence[Any]]:
    """The system prompt and tools that a source brings: a run's, graded data's, a file's sidecar."""
    plan = getattr(source, "plan", None)
    if plan is not None:
        return plan.spec.system_prompt, plan.spec.tools
    if hasattr(source, "system_prompt") and hasattr(source, "tools"):
        return source.system_prompt, source.tools
    if isinstance(source, (str, os.PathLike)):
        sidecar = read_sidecar(Path(source))
        prompts = list((sidecar.get("system_prompts") or {}).values())
        return prompts[0] if len(prompts) == 1 else "", sidecar.get("tools") or ()
    return "", ()


def _nothing_left(maker: Maker, failures: bool) -> str:
    if not maker.n:
        return "there are no rows; nothing was written"
    reasons = ", ".join(
        f"{n} {reason.replace('_', ' ')}" for reason, n in sorted(maker.counts.items(), key=lambda item: -item[1])
    )
    fix = "; failures=True keeps those that failed" if not failures and maker.counts.get("failed") else ""
    return f"none of {maker.n} rows can be exported ({reasons}); nothing was written{fix}"


def _warnings(made: Format, maker: Maker, failures: bool) -> list[str]:
    out: list[str] = []
    broken = sum(n for reason, n in maker.counts.items() if reason in _BROKEN)
    if broken:
        out.append(f"{broken} rows hold tool calls that do not stand up to a round trip and were left out")
    if failures and made.imitated:
        out.append("rows that failed are in it: a trainer that imitates learns them too")
    if maker.counts.get("mask_not_expressible"):
        out.append("format='prompt_completion' holds the rows whose mask this format cannot say")
    if maker.n_short:
        out.append(f"{maker.n_short} rows have keys too short to tell a recital from an answer")
    if made.imitated and not maker.n_keyed:
        out.append("no row came with its answer key, so recitals of it were not looked for")
    if not maker.wired and made.imitated:
        out.append("no tools are declared in it: pass tools=, if the agent has any")
    return out


_BROKEN = frozenset(
    {"broken_call", "broken_arguments", "call_without_result", "result_without_call", "undeclared_tool", "huge_number"}
)
