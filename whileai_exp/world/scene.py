"""What is true in this task's world before the agent does anything? The target, its state, and which identifiers exist.

A `Scene` is a pure function of the task and the spec's facts, shared read-only by all repeats of the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._hash import plain
from .._rng import Rng
from ..schema import Fault, Task
from ..spec.effects import EffectKind
from ..spec.values import draw_value
from .facts import FieldFacts, KindFacts, SpecFacts, ToolFacts, snake
from .options import WorldOptions
from .records import FREE_TEXT, Record, aspect_of, aspect_schema, draw_record, same, with_text

Json = Any
Key = tuple[str, str]
"""A thing: (kind, identifier as text). The identifier is empty for the one thing of its kind."""
_PAGING = frozenset(
    ["limit", "page", "cursor", "count", "sort", "sort_by", "sort_dir", "max_results", "offset", "order", "language", "format"]
)
_CACHE = 20_000


def key_text(value: Json) -> str:
    """An identifier as text: 33 and 33.0 are one number."""
    return value if isinstance(value, str) else str(plain(value))


def scalars(value: Json) -> Iterator[str]:
    """Every scalar inside a JSON value, as identifier text."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from scalars(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from scalars(item)
    elif value is not None and not isinstance(value, bool):
        yield key_text(value)


class Records:
    """Records drawn so far, by (seed, kind, key): bounded, and shared by all worlds of a run."""

    def __init__(self, facts: SpecFacts, options: WorldOptions, lang: str) -> None:
        self.facts, self.options, self.lang = facts, options, lang
        self._drawn: dict[tuple[int, str, str], Record] = {}
        for tool in facts.tools.values():
            aspect = aspect_of(tool)
            if aspect is not None:
                tool.kind.fields.setdefault(aspect, FieldFacts(aspect, aspect_schema(aspect)))

    def base(self, kind: KindFacts, key: str, value: Json, seed: int) -> Record:
        """The record as drawn, with a user's own fields laid over it."""
        address = (seed, kind.name, key)
        record = self._drawn.get(address)
        if record is None:
            if len(self._drawn) >= _CACHE:
                self._drawn.clear()
            record = draw_record(kind, key, value, seed, self.lang, self.options.now)
            own = self.options.entities.get(kind.name, {}).get(key)
            if own is not None:
                record = {**record, **own}
            self._drawn[address] = record
        return record


class Scene:
    """The start of one task's world."""

    __slots__ = ("arguments", "aliases", "duplicates", "faults", "gone", "known", "overrides", "records", "seed", "state", "system", "target", "target_key", "task", "wanted")  # fmt: skip

    def __init__(self, task: Task, records: Records) -> None:
        self.task, self.records, self.seed, self.state = task, records, task.world.seed, task.world.state
        self.system = records.facts.spec.system_prompt
        self.arguments = task.world.arguments
        self.target: ToolFacts | None = records.facts.tools.get(task.world.target or "")
        self.known = set(scalars(self.arguments)) | set(scalars(task.user.knows))
        self.faults: dict[str, tuple[Fault, ...]] = {}
        self.overrides: dict[Key, Record] = {}
        self.gone: set[Key] = set()
        self.aliases: dict[Key, str] = {}
        self.duplicates: dict[Key, tuple[Json, Json]] = {}
        self.target_key: Key | None = None
        self.wanted: dict[str, Json] = {}
        if self.target is not None:
            self._set(self.target)

    def fault(self, tool: str, index: int) -> Fault | None:
        """The planned failure of this tool's call number `index`."""
        for fault in self.task.world.faults:
            if fault.tool in ("*", tool) and index in fault.calls:
                return fault
        return None

    def is_target(self, facts: ToolFacts, arguments: Mapping[str, Json]) -> bool:
        """Whether a call is the one the situation is about: the target tool, on the target thing."""
        if self.target is not facts:
            return False
        if facts.handle is None:
            return True
        return facts.handle not in arguments or _first_same(arguments[facts.handle], self.arguments.get(facts.handle))

    def _set(self, facts: ToolFacts) -> None:
        """Make the target's record consistent with the right call and with the world's state."""
        handle_value = self.arguments.get(facts.handle) if facts.handle else None
        first = handle_value[0] if isinstance(handle_value, list) and handle_value else handle_value
        creates = facts.op in (EffectKind.CREATE, EffectKind.SEND)
        self.wanted = query_of(facts, self.arguments)
        owner = facts.handle is not None and facts.owned
        if facts.handle is None or creates or owner:
            if facts.op is EffectKind.SEARCH or owner or (creates and self.state == "already_done"):
                self._place(facts, self._own_id(facts.kind), {} if not creates else self._after(facts))
            elif not creates:
                self._place(facts, None, {})
            if owner and self.state == "missing" and facts.handle:
                self.gone.add((facts.owner_kind, key_text(first)))
            return
        if first is None:
            return
        self._place(facts, first, {})

    def _place(self, facts: ToolFacts, value: Json, fields: Record) -> None:
        kind = facts.kind
        text = "" if value is None else key_text(value)
        if (
            value is not None
            and facts.handle
            and facts.handle_attr != kind.id_field
            and not facts.owned
            and facts.handle_attr in ("email", "phone", "phone_number", "username", "name")
        ):
            own = self._own_id(kind)
            self.aliases[(kind.name, text)] = key_text(own)
            self.known.add(key_text(own))
            fields = {**fields, facts.handle_attr: value}
            value, text = own, key_text(own)
        key = (kind.name, text)
        self.target_key = key
        if self.state == "missing":
            self.gone.add(key)
            return
        record = {**self.records.base(kind, text, value, self.seed), **fields}
        for name, given in self.wanted.items():
            if name in FREE_TEXT:
                record = with_text(record, str(given))
            elif name in record or not facts.writes:
                record[name] = given
        record = self._before(facts, record)
        if self.state == "already_done" and facts.writes:
            record = {**record, **self._after(facts)}
            if facts.gone:
                self.gone.add(key)
        elif facts.writes and "prior_partial_action" in (self.state, self.task.situation.axes.get("history")):
            record = {**record, "progress": f"{facts.verb} started earlier: step 2 of 3 done, not finished"}
        elif self.state == "duplicate" and text:
            self._double(facts, key, value, record)
        self.overrides[key] = record

    def _before(self, facts: ToolFacts, record: Record) -> Record:
        """The target as it must stand for the call to make sense: existing facts in place, new values not yet."""
        out = dict(record)
        if facts.before is not None and facts.writes and ("status" in out or facts.kind.stateful):
            out["status"] = facts.before
        if not facts.writes:
            return out
        if facts.switch is not None and facts.switch_to is not None:
            out[facts.switch] = not facts.switch_to
        if facts.done is not None and same(out.get("status"), facts.done):
            out["status"] = "active" if facts.done != "active" else "inactive"
        given = {argument: name for argument, name in facts.sets.items() if argument in self.arguments and name in out}
        refers = [argument for argument in given if not argument.startswith("new_") and snake(argument).endswith(("_id", "_ids"))]
        if len(refers) == len(given) and facts.done is None:
            refers = []
        for argument, name in given.items():
            if argument in refers:
                out[name] = self.arguments[argument]
            elif same(out[name], self.arguments[argument]):
                stream = Rng(self.seed).at("before", facts.tool.name, argument)
                schema = facts.tool.parameters["properties"].get(argument, {})
                out[name] = next(
                    (
                        v
                        for v in (draw_value(argument, schema, stream) for _ in range(4))
                        if not same(v, self.arguments[argument])
                    ),
                    None,
                )
        return out

    def _after(self, facts: ToolFacts) -> Record:
        """The fields that the right call would leave behind."""
        out = {
            name: self.arguments[argument]
            for argument, name in facts.sets.items()
            if argument in self.arguments and name in facts.kind.fields
        }
        if facts.done is not None:
            out["status"] = facts.done
        if facts.switch is not None and facts.switch_to is not None:
            out[facts.switch] = facts.switch_to
        return out

    def _double(self, facts: ToolFacts, key: Key, value: Json, record: Record) -> None:
        """Two candidates under one identifier: the one that is meant first, then its double."""
        kind = facts.kind
        stream = Rng(self.seed).at("double", *key)
        schema = facts.tool.parameters.get("properties", {}).get(facts.handle or "", {})
        open_text = schema.get("type") == "string" and not {"pattern", "format", "enum", "maxLength"} & set(schema)
        name = facts.handle or "id"
        ids = (f"{value}-1", f"{value}-2") if open_text else tuple(draw_value(name, schema, stream) for _ in range(2))
        other = dict(self.records.base(kind, key_text(ids[1]), ids[1], self.seed))
        self.duplicates[key] = (ids[0], ids[1])
        for own, fields in zip(ids, (record, other)):
            self.overrides[(kind.name, key_text(own))] = {**fields, kind.id_field: own}
            self.known.add(key_text(own))

    def _own_id(self, kind: KindFacts) -> Json:
        """The identifier of the task's own thing where the right call does not name it."""
        for name, value in self.task.user.knows.items():
            if snake(name) == kind.id_field and not isinstance(value, (list, dict)):
                return value
        name = kind.id_field if kind.id_field != "id" else f"{kind.name}_id"
        return draw_value(name, kind.id_schema, Rng(self.seed).at("own", kind.name))

    def mentioned(self, text: str) -> bool:
        """Whether somebody has spoken of this identifier: the person, the prefix, or the policy. The slow path."""
        task = self.task
        spoken = (task.prompt, *task.user.lines, self.system, *(str(message.get("content", "")) for message in task.prefix))
        return len(text) > 1 and any(text in line for line in spoken)


def query_of(facts: ToolFacts, arguments: Mapping[str, Json]) -> Record:
    """What a call asks records to look like: field to value, paging left out."""
    out: Record = {}
    for argument in facts.filters:
        name = snake(argument)
        if argument in arguments and name not in _PAGING and arguments[argument] not in (None, "", [], {}):
            out[name] = arguments[argument]
    if facts.owned and facts.handle is not None and facts.handle in arguments:
        out[facts.handle_attr] = arguments[facts.handle]
    return out


def _first_same(given: Json, wanted: Json) -> bool:
    if isinstance(given, list) and isinstance(wanted, list):
        return any(same(item, other) for item in given for other in wanted)
    return same(given, wanted)
