"""Character training data: how the model should talk, as a constitution, made into pairs and rows to imitate.

A constitution is a list of principles and, of each, labelled replies that keep or break it. The principles are the rubric that a
judge grades replies by; the labelled replies are what the judge itself is checked against, before anybody trains on its grades.
Pairs are matched in length, since character is easily confused with talking more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .._hash import sha
from .._text import did_you_mean
from ..errors import ConfigError, Problem
from ..judges import Criterion, Rubric
from ..knobs import RunKnobs
from ..measures._show import Report, plain
from ..measures.markers import MetricSummary, metric_summary
from ..measures.trust import Trust, judge_trust
from ..schema import Selection, reward_of
from ._report import SelectionReport
from .preference import PairReport, build_preference_pairs, without_key
from .sft import select_sft

Row = Mapping[str, Any]
_PRINCIPLE = ("title", "description", "weight", "kind", "examples")
_EXAMPLE = ("prompt", "reply", "keeps")


@dataclass(frozen=True, slots=True)
class Example:
    """A reply that the constitution's author labelled."""

    prompt: str
    reply: str
    keeps: bool
    """Whether the reply is as the constitution wants it."""
    principle: str | None = None
    """Title of the principle it is an example of; None for the whole."""


@dataclass(frozen=True, slots=True)
class Constitution:
    """How the model should talk. `sha` is identity: it changes with any principle or example."""

    name: str
    principles: tuple[Criterion, ...]
    """hard: must be kept; principle: earns its weight; pitfall: costs its weight when shown."""
    examples: tuple[Example, ...] = ()
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        listed = [[c.title, c.description, c.weight, c.kind] for c in self.principles]
        told = [[e.prompt, e.reply, e.keeps, e.principle] for e in self.examples]
        object.__setattr__(self, "sha", sha([self.name, listed, told], 16))

    @property
    def rubric(self) -> Rubric:
        """The principles as a judge's rubric."""
        return Rubric(self.principles)

    @classmethod
    def of(cls, given: Any) -> Constitution:
        """A constitution from a YAML or JSON file, a mapping, or a Constitution itself.

        `{name, principles: [{title, description, weight, kind, examples: [{prompt, reply, keeps}]}], examples: [...]}`. A
        principle may be a string. ConfigError names everything that is wrong at once.
        """
        if isinstance(given, Constitution):
            return given
        read = _read(Path(given)) if isinstance(given, (str, os.PathLike)) else given
        if not isinstance(read, Mapping) or not isinstance(read.get("principles"), (list, tuple)) or not read["principles"]:
            raise ConfigError(Problem("constitution", "has no principles", "write principles: [{title: …, description: …}]"))
        problems: list[Problem] = list(_unknown("constitution", read, ("name", "principles", "examples")))
        principles: list[Criterion] = []
        examples: list[Example] = []
        for at, item in enumerate(read["principles"]):
            where = f"principles[{at}]"
            told = {"title": item} if isinstance(item, str) else item
            if not isinstance(told, Mapping) or not told.get("title"):
                problems.append(Problem(where, "has no title", f"a principle has {', '.join(_PRINCIPLE)}"))
                continue
            problems += _unknown(where, told, _PRINCIPLE)
            settings: dict[str, Any] = {key: told[key] for key in _PRINCIPLE[:-1] if key in told}
            try:
                principles.append(Criterion(**settings))
            except (ConfigError, TypeError) as error:
                problems.append(Problem(where, str(error)))
            examples += _examples(f"{where}.examples", told.get("examples"), str(told["title"]), problems)
        examples += _examples("examples", read.get("examples"), None, problems)
        if problems:
            raise ConfigError(problems)
        made = cls(str(read.get("name", "character")), tuple(principles), tuple(examples))
        _ = made.rubric
        return made


def _read(path: Path) -> Any:
    if not path.is_file():
        raise ConfigError(Problem("constitution", f"there is no file {path}", "give a YAML or JSON file, or a mapping"))
    text = path.read_text("utf-8")
    try:
        return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise ConfigError(Problem(str(path), f"cannot be read: {' '.join(str(error).split())[:200]}")) from error


def _unknown(where: str, given: Mapping[str, Any], known: Sequence[str]) -> Iterable[Problem]:
    return [Problem(f"{where}.{key}", "is not a part of it", did_you_mean(str(key), known)) for key in given if key not in known]


def _examples(where: str, given: Any, principle: str | None, problems: list[Problem]) -> list[Example]:
    out: list[Example] = []
    for at, item in enumerate(given or ()):
        place = f"{where}[{at}]"
        if not isinstance(item, Mapping) or not all(isinstance(item.get(key), str) for key in _EXAMPLE[:2]):
            problems.append(Problem(place, "has no prompt and reply", f"an example has {', '.join(_EXAMPLE)}"))
            continue
        problems += _unknown(place, item, _EXAMPLE)
        label = reward_of(item.get("keeps"))
        if label not in (0.0, 1.0):
            problems.append(Problem(f"{place}.keeps", f"{item.get('keeps')!r} is not yes or no", "write true or false"))
            continue
        out.append(Example(item["prompt"], item["reply"], bool(label), principle))
    return out


def label_rows(constitution: Constitution) -> list[dict[str, Any]]:
    """The labelled replies as rows with `gold_reward`, ready for the judge. Equal asks are one task."""
    return [
        {
            "task_id": f"label/{sha(example.prompt, 12)}",
            "rollout_id": f"label/{constitution.sha}/{at}",
            "prompt": example.prompt,
            "messages": [{"role": "user", "content": example.prompt}, {"role": "assistant", "content": example.reply}],
            "final_text": example.reply,
            "status": "ok",
            "gold_reward": float(example.keeps),
            "gold_kind": "human",
            "principle": example.principle,
        }
        for at, example in enumerate(constitution.examples)
    ]


@dataclass(frozen=True, slots=True)
class CharacterData(Report):
    """What a constitution made of replies, and whether the judge that graded them reads it as its author does."""

    constitution: str
    sha: str
    pairs: tuple[dict[str, Any], ...]
    sft: tuple[dict[str, Any], ...]
    """Rows to imitate, without privileged data."""
    judge: Trust
    """The judge against the constitution's own labels."""
    kept: Mapping[str, MetricSummary]
    """By principle: the share of replies that keep it, over tasks."""
    pair_report: PairReport
    sft_report: SelectionReport
    n: int
    n_graded: int
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """The judge agrees with the labels and there is something to train on."""
        return self.judge.ok and bool(self.pairs or self.sft)

    def to_dict(self) -> dict[str, Any]:
        """Counts and reports; the rows and pairs themselves are what gets written, not reported."""
        facts = {"constitution": self.constitution, "sha": self.sha, "ok": self.ok, "n": self.n, "n_graded": self.n_graded}
        reports = {"judge": self.judge.to_dict(), "pairs": self.pair_report.to_dict(), "sft": self.sft_report.to_dict()}
        kept = {name: summary.to_dict() for name, summary in self.kept.items()}
        return plain({**facts, **reports, "kept": kept, "warnings": list(self.warnings)})

    def __str__(self) -> str:
        head = f"{self.constitution}: {self.n_graded} of {self.n} replies graded, {len(self.pairs)} pairs, {len(self.sft)} rows to imitate"
        lines = [head, *(f"  {summary}" for summary in self.kept.values()), str(self.judge), str(self.pair_report)]
        return "\n".join([*lines, *(f"note: {warning}" for warning in self.warnings)])


def character_sets(
    graded: Sequence[Row],
    labels: Sequence[Row],
    constitution: Constitution,
    *,
    min_margin: float = 0.5,
    min_reward: float = 1.0,
    pairs_per_task: int = 1,
    rows_per_task: int = 1,
    knobs: RunKnobs | None = None,
) -> CharacterData:
    """Pairs and rows to imitate from graded replies; `labels` are the `label_rows` as the same judge graded them."""
    knobs = knobs or RunKnobs()
    pairs, pair_report = build_preference_pairs(
        graded, min_margin=min_margin, max_pairs_per_task=pairs_per_task, length_match=True, knobs=knobs
    )
    chosen: Selection = select_sft(graded, knobs=knobs, min_reward=min_reward, per_task=rows_per_task)
    trust = judge_trust(labels, knobs=knobs)
    slugs = {criterion.slug: criterion.title for criterion in constitution.principles}
    kept = {title: metric_summary(graded, f"marker:rubric:{slug}", knobs=knobs) for slug, title in slugs.items()}
    stamp = {"constitution": constitution.name, "constitution_sha": constitution.sha}
    return CharacterData(
        constitution=constitution.name,
        sha=constitution.sha,
        pairs=tuple({**pair, **stamp} for pair in pairs),
        sft=tuple({**without_key(row), **stamp} for row in chosen.rows),
        judge=trust,
        kept={title: summary for title, summary in kept.items() if summary.n_rows},
        pair_report=pair_report,
        sft_report=SelectionReport.of(chosen.report, chosen.drops, graded),
        n=len(graded),
        n_graded=sum(reward_of(row.get("reward")) is not None for row in graded),
        warnings=tuple(_warnings(graded, labels, constitution, trust)),
    )


def _warnings(graded: Sequence[Row], labels: Sequence[Row], constitution: Constitution, trust: Trust) -> Iterable[str]:
    if not constitution.examples:
        yield "the constitution labels no reply: nobody knows whether the judge reads it as it was meant"
    elif not trust.measured:
        yield "the constitution's labels do not suffice to measure the judge: add replies that keep and that break it"
    elif not trust.ok:
        yield "the judge disagrees with the constitution's own labels: mend the principles or the judge before training"
    missing = [example.principle for example in constitution.examples]
    bare = [c.title for c in constitution.principles if c.title not in missing]
    if constitution.examples and bare:
        yield f"no labelled reply shows {', '.join(bare[:5])}"
    prompts = {example.prompt for example in constitution.examples}
    shared = sum(row.get("prompt") in prompts for row in graded)
    if shared:
        yield f"{shared} replies answer an ask that the constitution labels: the judge's check and the training data overlap"
    versions = {str((row.get("judge_meta") or {}).get("version")) for row in [*graded, *labels] if row.get("judge_meta")}
    if len(versions) > 1:
        yield f"replies and labels were graded by {len(versions)} versions of the judge"
