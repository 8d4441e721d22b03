"""What does the world need to know of each tool? Which kind of thing it handles, by which argument, and what it does to it.

Built once per spec and shared by all rollouts. Everything here is read from names, descriptions and schemas; what they
do not say is decided towards the plainest reading (a tool with no identifier acts on one thing that always exists).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..schema import Spec, Tool
from ..spec import effect_of
from ..spec.effects import WRITES, EffectKind, words_of
from .validate import Validator

_CREDENTIAL = re.compile(r"(?:^|_)(?:token|key|hash|password|secret|credential|credentials|session|signature)$")
_LENIENT = re.compile(r"(?:^|_)(?:code|slug|path|paths|url|handle)$")
_ID_TAIL = re.compile(r"_(?:ids?|numbers?|nos?|nums?|refs?|references?|codes?|uuids?|keys?|pnrs?)$")
_NAME_TAIL = re.compile(r"_names?$")
JOINTS = frozenset(["by", "for", "of", "to", "from", "in", "with", "on", "between", "at", "per"])
NOISE = frozenset(
    [
        *["tool", "api", "the", "a", "an", "all", "my", "details", "detail", "info", "information", "status", "list", "data", "v1", "v2"],
        *["id", "ids", "new", "latest", "earliest", "current", "day", "available", "matching", "multiple", "allowed", "pending"],
        *["delivered", "active", "open", "installed", "history", "summary", "can", "get", "record", "records"],
    ]
)  # fmt: skip
_ADJECTIVES = {
    "pending": "pending", "delivered": "delivered", "active": "active", "paid": "paid", "unpaid": "unpaid", "overdue": "overdue",
    "confirmed": "confirmed", "shipped": "shipped", "draft": "draft",
}  # fmt: skip
_BEFORE = {
    "resume": "suspended", "activate": "inactive", "reactivate": "inactive", "enable": "disabled", "disable": "enabled", "unlock": "locked",
    "reopen": "closed", "restore": "deleted", "connect": "disconnected", "disconnect": "connected",
}  # fmt: skip
DONE_WORDS = {
    "cancel": "cancelled", "delete": "deleted", "remove": "removed", "refund": "refunded", "return": "return requested", "clear": "cleared",
    "drop": "dropped", "void": "voided", "terminate": "terminated", "close": "closed", "revoke": "revoked", "uninstall": "uninstalled",
    "erase": "erased", "destroy": "destroyed", "unsubscribe": "unsubscribed", "purge": "purged", "exchange": "exchange requested",
    "enable": "enabled", "disable": "disabled", "activate": "active", "deactivate": "inactive", "complete": "completed", "approve": "approved",
    "reset": "reset", "resume": "active", "suspend": "suspended", "lock": "locked", "unlock": "unlocked", "pay": "paid",
    "confirm": "confirmed", "connect": "connected", "disconnect": "disconnected", "pause": "paused", "play": "playing", "login": "logged in",
    "logout": "logged out", "reboot": "rebooted", "reseat": "reseated", "mark": "marked", "submit": "submitted", "escalate": "escalated",
    "reschedule": "rescheduled", "ship": "shipped", "archive": "archived", "grant": "granted", "turn": "on", "refuel": "active",
    "删除": "已删除", "取消": "已取消", "退": "已退", "삭제": "삭제됨", "취소": "취소됨",
}  # fmt: skip
_GONE = frozenset(["delete", "remove", "erase", "destroy", "purge", "uninstall", "clear", "drop", "删除", "清空", "移除", "삭제"])
_PLUS = frozenset(["return", "reimburse", "deposit", "add", "restock", "receive", "refill", "refuel", "credit", "load", "increase", "replenish", "restore", "top", "earn", "put"])  # fmt: skip
_MINUS = frozenset(["ship", "withdraw", "remove", "consume", "use", "spend", "deduct", "sell", "debit", "dispatch", "take", "decrease", "redeem", "charge", "reduce"])  # fmt: skip
_AMOUNT = re.compile(r"(?:^|_)(?:amount|quantity|qty|units|count|points|value|stock|credits|number_of_\w+|how_many)$")
_LEVEL = re.compile(r"(?:^|_)(?:stock|balance|quantity|available|inventory|remaining|level|credits?|points|on_hand)$")
_RESERVES = {"book": "booking", "reserve": "reservation"}
_NAMING = frozenset(["create", "add", "register", "new", "insert", "write", "upload", "save", "generate", "创建", "添加", "新增", "생성", "추가"])  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """One field of a record."""

    name: str
    schema: Mapping[str, Any]
    description: str | None = None


@dataclass(slots=True)
class KindFacts:
    """One kind of thing in the world, with the fields its tools speak of."""

    name: str
    id_field: str = "id"
    id_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    fields: dict[str, FieldFacts] = field(default_factory=dict)
    level: str | None = None
    """The field that numeric changes move (`stock`, `balance`), or None."""
    stateful: bool = False
    """Whether some tool changes it, so that records show a status."""


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """One tool as the world plays it."""

    tool: Tool
    op: EffectKind
    verb: str
    kind: KindFacts
    handle: str | None
    """The argument that names the thing, or None when the tool acts on the one thing of its kind."""
    handle_attr: str
    """The record field the handle speaks of: the kind's identifier, or an attribute such as `email`."""
    strict: bool
    """Whether a handle nobody mentioned is not found."""
    names_new: bool
    """The handle names what is about to be made."""
    plural: bool
    """Answers with a list."""
    lists: bool
    """Its name speaks of several, so that a query may match more than one."""
    owned: bool
    """The handle names the owner of what is listed (`get_bills_for_customer(customer_id)`)."""
    owner_kind: str
    sets: Mapping[str, str]
    """Argument to the record field it changes."""
    filters: tuple[str, ...]
    done: str | None
    """Status after success, or None when the status does not change."""
    before: str | None
    """Status a thing must have for this call to make sense, when the name says so."""
    gone: bool
    """The thing no longer exists afterwards."""
    sign: int
    """+1 or -1 when the tool moves the kind's level by `amount`."""
    amount: str | None
    switch: str | None
    """A yes/no field that the tool turns on, off or over."""
    switch_to: bool | None
    validator: Validator

    @property
    def writes(self) -> bool:
        return self.op in WRITES


class SpecFacts:
    """Every tool of a spec, by name, and the kinds they share."""

    def __init__(self, spec: Spec, *, reject_unknown: bool = True) -> None:
        self.spec = spec
        self.kinds: dict[str, KindFacts] = {}
        self.tools: dict[str, ToolFacts] = {}
        for tool in spec.tools:
            self.tools[tool.name] = self._tool(tool, reject_unknown)
        for facts in self.tools.values():
            self._learn(facts)
        for facts in self.tools.values():
            if facts.sign and facts.kind.level is None:
                facts.kind.level = "quantity" if "quantity" not in facts.kind.fields else "available"
                facts.kind.fields.setdefault(facts.kind.level, FieldFacts(facts.kind.level, {"type": "integer"}))

    def _tool(self, tool: Tool, reject_unknown: bool) -> ToolFacts:
        effect = effect_of(tool)
        properties: Mapping[str, Any] = tool.parameters.get("properties", {})
        required = tuple(tool.parameters.get("required", ()))
        nouns, head, plural = nouns_of(tool.name, effect.verb)
        ids = [name for name in effect.id_params if not _CREDENTIAL.search(snake(name))]
        handle = _handle(ids, nouns)
        if handle is None and effect.kind is not EffectKind.CREATE:
            handle = _named(required, properties, nouns)
        kind_name = _RESERVES.get(effect.verb, head) if effect.kind is EffectKind.CREATE else head
        about = (kind_of_param(handle) or _own_kind(snake(handle))) if handle is not None else ""
        owned = (
            handle in ids
            and bool(about)
            and about != head
            and (effect.kind is EffectKind.SEARCH or (plural and effect.kind is EffectKind.READ))
        )
        if handle is not None and not owned and effect.kind not in (EffectKind.CREATE, EffectKind.SEARCH, EffectKind.SEND):
            kind_name = about or head
        kind = self.kinds.setdefault(kind_name, KindFacts(kind_name))
        names_new = (
            handle is not None
            and effect.kind is EffectKind.CREATE
            and effect.verb in _NAMING
            and (about == kind_name or snake(handle) in ("id", "path", "slug", "name"))
        )
        attr = snake(handle) if handle else ""
        if handle is not None and (about == kind_name or attr in ("id", "path")):
            own = properties.get(handle, {})
            if own.get("type") == "array":
                attr, own = singular(attr), own.get("items", {})
            kind.id_field, kind.id_schema = attr, own or {"type": "string"}
        others = [name for name in properties if name != handle and not _CREDENTIAL.search(snake(name))]
        amount = next((name for name in others if _AMOUNT.search(snake(name)) and _numeric(properties[name])), None)
        sign = 0
        if (
            amount is not None
            and handle is not None
            and effect.kind is not EffectKind.READ
            and effect.kind is not EffectKind.SEARCH
        ):
            words = set(words_of(tool.name))
            sign = 1 if words & _PLUS else -1 if words & _MINUS else 0
        switch, to = _switch(effect.verb, effect.kind, nouns, kind_name, tool.name)
        return ToolFacts(
            tool=tool,
            op=effect.kind,
            verb=effect.verb,
            kind=kind,
            handle=handle,
            handle_attr=attr,
            strict=handle is not None and handle in ids and not _LENIENT.search(attr),
            names_new=names_new,
            plural=owned or (effect.kind is EffectKind.SEARCH and handle is None) or (plural and handle is None),
            lists=plural or effect.verb in ("search", "list", "query", "browse", "recommend"),
            owned=owned,
            owner_kind=about,
            sets={name: snake(name).removeprefix("new_") for name in others if not (sign and name == amount)},
            filters=tuple(others),
            done=None if sign else DONE_WORDS.get(effect.verb),
            before=next((_ADJECTIVES[word] for word in words_of(tool.name) if word in _ADJECTIVES), None)
            or _BEFORE.get(effect.verb),
            gone=effect.kind is EffectKind.DELETE and effect.verb in _GONE and not sign,
            sign=sign,
            amount=amount if sign else None,
            switch=switch,
            switch_to=to,
            validator=Validator(tool.parameters, reject_unknown=reject_unknown),
        )

    def _learn(self, facts: ToolFacts) -> None:
        """Add the fields this tool speaks of to its kind."""
        kind, tool = facts.kind, facts.tool
        properties: Mapping[str, Any] = tool.parameters.get("properties", {})
        for name, schema in record_properties(tool.returns).items():
            kind.fields.setdefault(snake(name), FieldFacts(snake(name), schema, schema.get("description")))
        if facts.writes:
            kind.stateful = True
            for argument, record_field in facts.sets.items():
                if argument in properties and record_field != kind.id_field and not _fleeting(record_field):
                    schema = properties[argument]
                    kind.fields.setdefault(record_field, FieldFacts(record_field, schema, schema.get("description")))
        for name in kind.fields:
            if kind.level is None and _LEVEL.search(name) and _numeric(kind.fields[name].schema):
                kind.level = name


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    return "_".join(words_of(name)) or name


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def kind_of_param(name: str) -> str:
    """`order_id` is about an order; a bare `id`, `email` or `path` does not say."""
    word = snake(name)
    for prefix in ("new_", "old_", "target_", "source_"):
        word = word.removeprefix(prefix)
    for tail in (_ID_TAIL, _NAME_TAIL):
        short = tail.sub("", word)
        if short != word:
            return singular(short.rsplit("_", 1)[-1]) if short not in ("phone", "zip", "first", "last", "full") else ""
    return ""


_ATTRIBUTES = frozenset(
    [
        "email",
        "phone",
        "phone_number",
        "username",
        "name",
        "full_name",
        "id",
        "path",
        "url",
        "code",
        "slug",
        "number",
        "handle",
        "zip",
    ]
)


def _own_kind(attr: str) -> str:
    """A bare identifier such as `sku` or `iban` is a kind of its own; an email or a name is one side of something."""
    return "" if attr in _ATTRIBUTES or attr.rsplit("_", 1)[-1] in _ATTRIBUTES else attr.rsplit("_", 1)[-1]


def nouns_of(name: str, verb: str) -> tuple[frozenset[str], str, bool]:
    """The nouns of a tool's name (singular), the one it is about, and whether it speaks of several."""
    words = words_of(name)
    head_words: list[str] = []
    for word in words:
        if word in JOINTS and head_words:
            break
        if word != verb and word not in NOISE and word not in JOINTS:
            head_words.append(word)
    nouns = frozenset(singular(word) for word in words if word != verb)
    if not head_words:
        loose = [word for word in words if word != verb and word not in JOINTS and word not in ("tool", "get", "id")]
        head_words = loose[-1:] or ["record"]
    last = head_words[-1]
    plural = singular(last) != last or "all" in words or words[0] == "list"
    return nouns, singular(last), plural


def _handle(ids: list[str], nouns: frozenset[str]) -> str | None:
    """Which identifier the call is about: the one the name speaks of, else the most specific (the last)."""
    for name in ids:
        if kind_of_param(name) in nouns:
            return name
    scoped = [name for name in ids if not snake(name).startswith(("new_", "payment_"))]
    return scoped[-1] if scoped else None


def _named(required: tuple[str, ...], properties: Mapping[str, Any], nouns: frozenset[str]) -> str | None:
    """A name that stands for the thing (`hotel_names`, `app_name`), when the tool's name speaks of that kind."""
    for name in required:
        if _NAME_TAIL.search(snake(name)) and kind_of_param(name) in nouns:
            return name
    return None


def _switch(verb: str, op: EffectKind, nouns: frozenset[str], kind: str, name: str) -> tuple[str | None, bool | None]:
    """`enable_roaming(line_id)` turns on the field `roaming_enabled`; `toggle` turns it over (None)."""
    if verb not in ("enable", "disable", "toggle", "turn") or op is not EffectKind.UPDATE:
        return None, None
    rest = [singular(word) for word in words_of(name) if word not in (verb, "on", "off", kind)]
    label = ("_".join(rest) + "_enabled") if rest else "enabled"
    words = words_of(name)
    to = None if verb == "toggle" else verb == "enable" or (verb == "turn" and "off" not in words)
    return label, to


def _numeric(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    return kind in ("number", "integer") or (isinstance(kind, list) and bool({"number", "integer"} & set(kind)))


_FLEETING = re.compile(r"(?:^|_)(?:reason|confirm|confirmation|confirmed|dry_run|limit|page|cursor|count|force|sort|notify)$")


def _fleeting(name: str) -> bool:
    """An argument about the call, not about the thing."""
    return bool(_FLEETING.search(name))


def record_properties(returns: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """The fields of one record in a declared result: of the object, or of the items of a list."""
    if not returns:
        return {}
    if returns.get("type") == "array" and isinstance(returns.get("items"), Mapping):
        return record_properties(returns["items"])
    properties = returns.get("properties", {})
    return {name: schema for name, schema in properties.items() if isinstance(schema, Mapping)}
