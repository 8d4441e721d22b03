"""What does a tool answer? One stateful mock world per rollout: reads agree with writes, faults fire as planned.

A call goes through: known tool, valid arguments, planned fault, state. Every answer is a function of the task's world
seed and of the writes so far, never of the order of reads. Reads are in the ledger and never in the state's hash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._hash import plain, sha
from .._rng import Rng
from .._text import did_you_mean
from ..errors import WorldError
from ..knobs import WorldKnobs
from ..ports import World, WorldEvent, WorldFactory
from ..schema import Spec, Task, ToolStep
from ..spec.effects import EffectKind
from ..spec.values import draw_value, language_of
from .arithmetic import ArithmeticProblem, calculate
from .facts import KindFacts, SpecFacts, ToolFacts, snake
from .faults import SLOW, FaultCall, fault_modes
from .options import WorldOptions
from .records import Record, agrees, same, show_many, show_one, show_write
from .scene import Key, Records, Scene, key_text, query_of, scalars
from .user_world import UserExecute, UserWorld

Json = Any
Change = dict[str, Json]
_SCENES = 512
_EXPRESSIONS = ("expression", "formula", "equation", "calculation", "input")
_ALWAYS = frozenset(["toggle", "reset", "reboot", "reseat", "restart", "refresh", "sync", "login", "run"])


class Refusal(Exception):
    """The world says no. Becomes an error result; never leaves this module."""

    def __init__(self, code: str, message: str, **more: Json) -> None:
        super().__init__(message)
        self.result: Json = {"error": code, "message": message, **more}


def make_world_factory(
    spec: Spec,
    *,
    options: WorldOptions | Mapping[str, Any] | None = None,
    knobs: WorldKnobs,
    seed: int = 0,
    execute: UserExecute | None = None,
) -> WorldFactory:
    """A factory of fresh worlds for the tasks of one spec.

    `execute` is a user's own world, called as `(tool, arguments)` or `(tool, arguments, context)`, sync or async; planned
    faults still come first. ConfigError for bad options, all problems at once; WorldError never, failures are results.
    """
    checked = WorldOptions.read(options, tuple(tool.name for tool in spec.tools))
    facts = SpecFacts(spec, reject_unknown=checked.unknown_arguments == "reject")
    records = Records(facts, checked, language_of(spec))
    scenes: dict[str, tuple[Task, Scene]] = {}

    def scene_of(task: Task) -> Scene:
        known = scenes.get(task.task_id)
        if known is None or known[0] is not task:
            if len(scenes) >= _SCENES:
                scenes.clear()
            known = scenes[task.task_id] = (task, Scene(task, records))
        return known[1]

    def make(task: Task, repeat: int) -> World:
        if execute is not None:
            return UserWorld(task, repeat, facts, knobs, seed, execute)
        return MockWorld(scene_of(task), records, knobs, repeat)

    return make


class MockWorld:
    """The world of one rollout (`ports.World`)."""

    __slots__ = ("_counts", "_knobs", "_ledger", "_made", "_records", "_repeat", "_scene", "_seen", "_shown")

    def __init__(self, scene: Scene, records: Records, knobs: WorldKnobs, repeat: int) -> None:
        self._scene, self._records, self._knobs, self._repeat = scene, records, knobs, repeat
        self._counts: dict[str, int] = {}
        self._ledger: list[WorldEvent] = []
        self._made: dict[Key, Record | None] = {}
        """Things written to: their record now, None once gone."""
        self._seen: dict[Key, Record] = {}
        """Things shown by searches, as they were shown."""
        self._shown: list[Json] = []

    @property
    def ledger(self) -> Sequence[WorldEvent]:
        return self._ledger

    def state_hash(self) -> str | None:
        """Hash of what was written, by value: order of writes and any number of reads change nothing."""
        written = {
            f"{kind}:{key}": delta
            for (kind, key), record in self._made.items()
            if (delta := self._delta((kind, key), record)) != {}
        }
        return sha({"seed": self._scene.seed, "state": self._scene.state, "written": written}, 16)

    async def call(self, tool: str, arguments: Mapping[str, Json], call_id: str = "") -> ToolStep:
        return self.answer(tool, arguments, call_id)

    def answer(self, tool: str, arguments: Mapping[str, Json], call_id: str = "") -> ToolStep:
        """The synchronous form of `call`."""
        facts = self._records.facts.tools.get(tool)
        given = arguments if isinstance(arguments, dict) else dict(arguments)
        index = self._counts.get(tool, 0)
        if facts is None:
            refusal = {
                "error": "unknown_tool",
                "message": f"there is no tool {tool!r}; {did_you_mean(tool, self._records.facts.tools)}",
            }
            return self._step(tool, given, call_id, index, refusal, "error")
        problems = facts.validator.problems(given)
        if problems:
            return self._step(
                tool, given, call_id, index, {"error": "invalid_arguments", "message": "; ".join(problems)}, "error"
            )
        self._counts[tool] = index + 1
        fault = self._scene.fault(tool, index) if self._scene.task.world.faults else None
        if fault is not None and fault.mode != SLOW:
            return self._step(tool, given, call_id, index, self._failed(facts, given, fault.mode, index), "fault", fault.mode)
        changes: list[Change] = []
        try:
            result, status = self._perform(facts, given, changes), "ok"
        except Refusal as refusal:
            result, status = refusal.result, "error"
        if fault is not None:
            late = self._failed(facts, given, SLOW, index)
            result = {**result, **late} if isinstance(result, dict) else result
        return self._step(tool, given, call_id, index, result, status, fault.mode if fault else None, changes)

    def _step(
        self, tool: str, given: dict[str, Json], call_id: str, index: int, result: Json, status: str, fault: str | None = None, changes: list[Change] | None = None
    ) -> ToolStep:  # fmt: skip
        self._ledger.append(WorldEvent(index, tool, given, status, fault, tuple(changes) if changes else ()))
        self._shown.append(result)
        return ToolStep(tool, given, result, status, call_id)

    def _failed(self, facts: ToolFacts, given: dict[str, Json], mode: str, index: int) -> Json:
        """What a planned failure shows. A user's mode that raises is a WorldError: it is a bug in the experiment."""

        def answer() -> Json:
            try:
                return self._perform(facts, given, []) if not facts.writes else None
            except Refusal as refusal:
                return refusal.result

        stream = Rng(self._scene.seed).at("fault", facts.tool.name, mode, index)
        if mode not in fault_modes:
            raise WorldError(f"fault mode {mode!r} is planned and not registered; {did_you_mean(mode, fault_modes.names())}")
        function = fault_modes.factory(mode)
        try:
            return function(FaultCall(facts.tool.name, given, facts.writes, stream, self._knobs, answer))
        except Exception as error:
            raise WorldError(f"fault mode {mode!r} failed on {facts.tool.name}: {error}") from error

    # What tools do

    def _perform(self, facts: ToolFacts, given: dict[str, Json], changes: list[Change]) -> Json:
        target = self._scene.is_target(facts, given)
        if target and self._scene.state == "permission":
            what = facts.tool.name.replace("_", " ").replace(".", " ")
            raise Refusal("permission_denied", f"this account may not {what}: it needs an approval that it does not have")
        if facts.op is EffectKind.COMPUTE or (facts.handle is None and _is_sum(facts)):
            result, record = self._compute(facts, given), {}
        elif facts.op in (EffectKind.CREATE, EffectKind.SEND):
            result, record = self._create(facts, given, target, changes)
        elif facts.writes:
            result, record = self._update(facts, given, target, changes)
        elif facts.plural:
            result, record = self._search(facts, given, target), {}
        else:
            result, record = self._read(facts, given, target)
        own = self._records.options.results.get(facts.tool.name)
        if own is None:
            return result
        if not callable(own):
            return own
        try:
            return own(facts.tool.name, given, record)
        except Exception as error:
            raise WorldError(f"the result builder of {facts.tool.name!r} failed: {error}") from error

    def _compute(self, facts: ToolFacts, given: dict[str, Json]) -> Json:
        expression = next((given[name] for name in given if snake(name) in _EXPRESSIONS and isinstance(given[name], str)), None)
        try:
            if expression is not None:
                value: Json = calculate(expression, self._knobs.world_max_digits)
            elif _is_sum(facts):
                value = calculate(
                    _SYMBOLS[facts.verb].join(f"({number})" for number in given.values()), self._knobs.world_max_digits
                )
            else:
                return show_one(facts, self._records.base(facts.kind, sha(given, 12), None, self._scene.seed))
        except ArithmeticProblem as problem:
            raise Refusal("cannot_compute", str(problem)) from problem
        returns = facts.tool.returns or {}
        if returns.get("type") in ("number", "integer"):
            return value
        return str(value) if returns.get("type") == "string" else {"result": value}

    def _read(self, facts: ToolFacts, given: dict[str, Json], target: bool) -> tuple[Json, Record]:
        found: list[Record] = []
        for value in _handles(facts, given):
            key = self._key(facts, value)
            pair = self._scene.duplicates.get(key)
            if pair is not None and key not in self._made:
                both = [self._record(facts.kind, key_text(own), own) or {} for own in pair]
                return {"matches": both, "count": 2, "message": f"2 {facts.kind.name} records match {value!r}"}, both[0]
            record = self._existing(facts, key, value)
            if facts.handle is None and target and self._scene.state == "missing":
                raise Refusal("not_found", f"no {facts.kind.name} matches")
            found.append(record)
        if facts.handle is not None and isinstance(given.get(facts.handle), list):
            shown = [show_one(facts, record) for record in found] if not facts.tool.returns else found
            return show_many(facts, shown), found[0] if found else {}
        return show_one(facts, found[0]), found[0]

    def _search(self, facts: ToolFacts, given: dict[str, Json], target: bool) -> Json:
        scene = self._scene
        if facts.owned and facts.handle is not None:
            owner = key_text(given.get(facts.handle, ""))
            if (facts.owner_kind, owner) in scene.gone or not self._known(facts, owner):
                raise Refusal("not_found", f"there is no {facts.owner_kind} {owner!r}")
        wanted = query_of(facts, given)
        hits: list[Record] = []
        if target and scene.state == "missing":
            return show_many(facts, [])
        for (kind, _), record in self._made.items():
            if kind == facts.kind.name and record is not None and agrees(record, wanted):
                hits.append(record)
        for key, record in scene.overrides.items():
            hidden = key in self._made or key in scene.gone or key in scene.duplicates or not key[1]
            if key[0] == facts.kind.name and not hidden and agrees(record, wanted):
                hits.append(record)
        hits += self._strangers(facts, given, wanted, bool(hits))
        limit = next(
            (given[name] for name in ("limit", "max_results", "count") if isinstance(given.get(name), int) and given[name] > 0),
            None,
        )
        return show_many(facts, hits[:limit])

    def _strangers(self, facts: ToolFacts, given: dict[str, Json], wanted: Record, enough: bool) -> list[Record]:
        """Other records that match a query: drawn from it, so that the same query shows the same ones."""
        most = self._records.options.search_hits
        most = self._knobs.world_search_hits if most is None else most
        stream = Rng(self._scene.seed).at("search", facts.tool.name, sha(given, 16))
        count = stream.integer(0 if enough else min(1, most), most) if facts.lists or not enough else 0
        out: list[Record] = []
        name = facts.kind.id_field if facts.kind.id_field != "id" else f"{facts.kind.name}_id"
        for _ in range(count):
            value = draw_value(name, facts.kind.id_schema, stream, lang=self._records.lang)
            key = (facts.kind.name, key_text(value))
            if key in self._made or key in self._scene.overrides or key in self._scene.gone:
                continue
            shown = self._seen.get(key)
            if shown is None:
                shown = dict(self._records.base(facts.kind, key[1], value, self._scene.seed))
                for field, item in wanted.items():
                    if field in shown and field != facts.kind.id_field:
                        shown[field] = item
                self._seen[key] = shown
            if agrees({**shown, "query": ""}, {k: v for k, v in wanted.items() if k in shown}):
                out.append(shown)
        return out

    def _create(self, facts: ToolFacts, given: dict[str, Json], target: bool, changes: list[Change]) -> tuple[Json, Record]:
        scene, kind = self._scene, facts.kind
        if target and scene.state == "missing":
            raise Refusal(
                "not_found",
                f"there is no {facts.owner_kind or kind.name} {_handles(facts, given)[0]!r}"
                if facts.handle
                else "what this refers to does not exist",
            )
        if target and scene.state == "duplicate" and facts.handle is not None:
            raise Refusal("ambiguous", f"2 records match {given.get(facts.handle)!r}; find out which one is meant")
        if facts.handle is not None and not facts.names_new and facts.strict:
            for value in _handles(facts, given):
                if not self._known(facts, key_text(value)):
                    raise Refusal("not_found", f"there is no {facts.owner_kind or kind.name} {value!r}")
        if target and scene.state == "already_done" and scene.target_key is not None:
            existing = self._record(kind, scene.target_key[1], None) or {}
            raise Refusal("already_done", f"this {kind.name} exists already", existing=existing)
        if facts.names_new and facts.handle is not None:
            value = given[facts.handle]
        else:
            content = sha(given, 16)
            again = sum(
                1
                for event in self._ledger
                if event.tool == facts.tool.name and event.status == "ok" and sha(event.arguments, 16) == content
            )
            stream = Rng(scene.seed).at("new", kind.name, content, again)
            value = draw_value(
                kind.id_field if kind.id_field != "id" else f"{kind.name}_id", kind.id_schema, stream, lang=self._records.lang
            )
        key = (kind.name, key_text(value))
        record = {
            kind.id_field: value,
            **{
                facts.sets.get(name, snake(name)): item
                for name, item in given.items()
                if name != facts.handle or not facts.names_new
            },
        }
        record["status"] = "sent" if facts.op is EffectKind.SEND else "created"
        record["created_at"] = self._records.options.now
        self._made[key] = record
        changes.append(_change(facts, key, str(facts.op)))
        return show_write(facts, record, f"{kind.name} {value} {record['status']}"), record

    def _update(self, facts: ToolFacts, given: dict[str, Json], target: bool, changes: list[Change]) -> tuple[Json, Record]:
        scene = self._scene
        if facts.handle is None and target and scene.state == "missing":
            raise Refusal("not_found", f"no {facts.kind.name} matches these details")
        last: Record = {}
        for value in _handles(facts, given):
            key = self._key(facts, value)
            pair = scene.duplicates.get(key)
            if pair is not None:
                raise Refusal(
                    "ambiguous",
                    f"2 {facts.kind.name} records match {value!r}: {pair[0]!r} and {pair[1]!r}; pass the one that is meant",
                    candidates=list(pair),
                )
            if key in scene.gone and scene.state == "already_done" and key not in self._made:
                raise Refusal("already_done", f"{facts.kind.name} {value!r} was already {facts.done or 'handled'}")
            before = self._existing(facts, key, value)
            if target and scene.state == "already_done" and key not in self._made and (facts.sign or facts.verb in _ALWAYS):
                what = " ".join(filter(None, (facts.kind.name, key_text(value or ""))))
                raise Refusal("already_done", f"{what} was already {facts.done or 'handled'} as asked")
            after = self._after(facts, given, before)
            repeat = facts.handle is not None or (target and scene.state == "already_done")
            if repeat and facts.verb not in _ALWAYS and not facts.gone and not facts.sign and _unchanged(before, after):
                raise Refusal(
                    "already_done",
                    " ".join(filter(None, [facts.kind.name, key_text(value or ""), "is already", facts.done or "like this"])),
                    **({"status": before["status"]} if "status" in before else {}),
                )
            self._made[key] = None if facts.gone else after
            changes.append(_change(facts, key, str(facts.op)))
            last = {
                name: item
                for name, item in after.items()
                if name == facts.kind.id_field or name not in before or not same(item, before[name])
            }
            if "status" in after:
                last["status"] = after["status"]
            last.update({name: after[name] for name in facts.sets.values() if name in after})
        return show_write(facts, last, f"{facts.kind.name} {facts.done or 'updated'}"), last

    def _after(self, facts: ToolFacts, given: dict[str, Json], before: Record) -> Record:
        """The record after a write. Numbers are worked out here, never by a model."""
        after = dict(before)
        for argument, name in facts.sets.items():
            if argument in given and (name in facts.kind.fields or name in before):
                after[name] = given[argument]
        if facts.done is not None:
            after["status"] = facts.done
        if facts.gone:
            after["status"] = facts.done or "deleted"
        if facts.switch is not None:
            after[facts.switch] = (not before.get(facts.switch, False)) if facts.switch_to is None else facts.switch_to
        after.pop("progress", None)
        level = facts.kind.level
        if facts.sign and facts.amount in given and level is not None:
            amount, have = given[facts.amount], before.get(level, 0)
            if amount < 0:
                raise Refusal("invalid_arguments", f"{facts.amount} must not be negative")
            total = plain(round(have + facts.sign * amount, 6)) if isinstance(have, (int, float)) else amount
            if total < 0:
                raise Refusal("not_enough", f"only {have} {level} left, {amount} asked for", **{level: have})
            after[level] = total
        return after

    # What exists

    def _key(self, facts: ToolFacts, value: Json) -> Key:
        """The thing a call's handle stands for; a handle that is no identifier (`email`) is looked up among the records."""
        kind, text = facts.kind, "" if value is None else key_text(value)
        alias = self._scene.aliases.get((kind.name, text))
        if alias is not None:
            return (kind.name, alias)
        attr = facts.handle_attr
        if not text or attr == kind.id_field or facts.owned or facts.handle is None:
            return (kind.name, text)
        for records in (self._made, self._scene.overrides):
            for key, record in records.items():
                if key[0] == kind.name and key[1] and record is not None and same(record.get(attr), value):
                    return key
        if (kind.name, text) in self._scene.gone or (kind.name, text) in self._scene.duplicates or not self._known(facts, text):
            return (kind.name, text)
        name = kind.id_field if kind.id_field != "id" else f"{kind.name}_id"
        own = draw_value(name, kind.id_schema, Rng(self._scene.seed).at("by", kind.name, attr, text), lang=self._records.lang)
        key = (kind.name, key_text(own))
        if key not in self._seen:
            self._seen[key] = {**self._records.base(kind, key[1], own, self._scene.seed), attr: value}
        return key

    def _existing(self, facts: ToolFacts, key: Key, value: Json) -> Record:
        """The record behind a key, or a refusal saying that there is none."""
        if key in self._made:
            record = self._made[key]
            if record is None:
                raise Refusal(
                    "not_found", f"{facts.kind.name} {value!r} does not exist any more: it was {facts.done or 'deleted'}"
                )
            return record
        if key in self._scene.gone or (key[1] and not self._known(facts, key[1])):
            raise Refusal("not_found", f"there is no {facts.kind.name} {value!r}")
        record = self._record(facts.kind, key[1], value)
        assert record is not None
        return record

    def _record(self, kind: KindFacts, text: str, value: Json) -> Record | None:
        key = (kind.name, text)
        if key in self._made:
            return self._made[key]
        record = self._scene.overrides.get(key) or self._seen.get(key)
        return record if record is not None else self._records.base(kind, text, value, self._scene.seed)

    def _known(self, facts: ToolFacts, text: str) -> bool:
        """Whether an identifier exists: somebody mentioned it, a result showed it, or it is not that kind of identifier."""
        if (
            not facts.strict
            or text in self._scene.known
            or (facts.kind.name, text) in self._made
            or (facts.kind.name, text) in self._seen
        ):
            return True
        if (
            text in self._records.options.entities.get(facts.kind.name, {})
            or self._scene.mentioned(text)
            or _inside(text, self._shown)
        ):
            return True
        share = self._records.options.strangers_exist
        share = self._knobs.world_strangers_exist if share is None else share
        return share > 0 and Rng(self._scene.seed).at("exists", facts.kind.name, text).chance(share)

    def _delta(self, key: Key, record: Record | None) -> Json:
        if record is None:
            return None
        start = self._scene.overrides.get(key) or self._records._drawn.get((self._scene.seed, *key)) or {}
        return {name: value for name, value in record.items() if name not in start or not same(start[name], value)} or (
            {"progress": None} if "progress" in start and "progress" not in record else {}
        )


_SYMBOLS = {"add": "+", "sum": "+", "plus": "+", "multiply": "*", "divide": "/", "subtract": "-", "minus": "-"}


def _is_sum(facts: ToolFacts) -> bool:
    """`add(a, b)` on numbers alone is arithmetic, not a new record."""
    if facts.verb not in _SYMBOLS:
        return False
    properties = facts.tool.parameters.get("properties", {})
    return len(properties) >= 2 and all(
        isinstance(s, Mapping) and s.get("type") in ("number", "integer") for s in properties.values()
    )


def _handles(facts: ToolFacts, given: Mapping[str, Json]) -> list[Json]:
    if facts.handle is None:
        return [None]
    value = given.get(facts.handle)
    return (list(value) or [None]) if isinstance(value, list) else [value]


def _unchanged(before: Record, after: Record) -> bool:
    return len(before) == len(after) and all(name in before and same(before[name], value) for name, value in after.items())


def _change(facts: ToolFacts, key: Key, op: str) -> Change:
    return {"tool": facts.tool.name, "entity": f"{key[0]}:{key[1]}" if key[1] else key[0], "op": op}


def _inside(text: str, shown: list[Json]) -> bool:
    """Whether an identifier stands somewhere in what tools have shown."""
    return any(
        text == item for result in shown if isinstance(result, (dict, list)) and "error" not in result for item in scalars(result)
    )
