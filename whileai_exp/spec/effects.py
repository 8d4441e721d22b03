"""What a tool does to the world, read from its name and description: reads, changes, or neither.

Names come first (verbs split out of snake_case, camelCase or dotted names), then the first words of the description;
English, Chinese and Korean verbs are known. What stays unclear counts as a write: an unknown tool is treated with care.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from ..schema import Tool
from ._kept import kept_per_tool


class EffectKind(StrEnum):
    READ = "read"
    SEARCH = "search"
    COMPUTE = "compute"
    """A pure function of its arguments."""
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    """Cancels, removes, refunds: hard to take back."""
    SEND = "send"
    """Reaches a third party."""
    OTHER = "other"


WRITES = frozenset({EffectKind.CREATE, EffectKind.UPDATE, EffectKind.DELETE, EffectKind.SEND, EffectKind.OTHER})

_VERBS: dict[EffectKind, str] = {
    EffectKind.READ: "get read show view display fetch retrieve describe check status info details inspect whoami lookup see watch "
    "track verify validate test is has can count open monitor preview detect analyze analyse ping tail cat head ls",
    EffectKind.SEARCH: "search find list query browse lookup filter match recommend suggest discover explore directory grep",
    EffectKind.COMPUTE: "calculate compute convert estimate translate summarize summarise think echo format parse sum multiply divide",
    EffectKind.CREATE: "create add make book reserve open order place schedule register new insert append write upload generate issue log file "
    "save post start launch record enroll apply buy purchase checkout subscribe assign allocate draft push commit fork",
    EffectKind.UPDATE: "control update modify change edit set adjust exchange reschedule rename move toggle enable disable turn activate deactivate "
    "complete mark approve reset resume suspend lock unlock merge upgrade downgrade pay transfer confirm extend grant reboot reseat enroll "
    "refuel sync connect disconnect pause play sort swap login logout authorize play load deposit withdraw verify_identity",
    EffectKind.DELETE: "delete remove cancel refund return clear drop void terminate close revoke uninstall erase destroy unsubscribe purge",
    EffectKind.SEND: "send email notify message invite share reply forward call contact escalate submit handoff report publish broadcast text",
}
_BY_VERB = {verb: kind for kind, verbs in reversed(_VERBS.items()) for verb in verbs.split()}
_FOREIGN: tuple[tuple[str, EffectKind], ...] = (
    ("删除", EffectKind.DELETE), ("取消", EffectKind.DELETE), ("清空", EffectKind.DELETE), ("移除", EffectKind.DELETE), ("退", EffectKind.DELETE),
    ("삭제", EffectKind.DELETE), ("취소", EffectKind.DELETE),
    ("搜索", EffectKind.SEARCH), ("查找", EffectKind.SEARCH), ("列出", EffectKind.SEARCH), ("检索", EffectKind.SEARCH),
    ("검색", EffectKind.SEARCH), ("찾", EffectKind.SEARCH), ("목록", EffectKind.SEARCH),
    ("查看", EffectKind.READ), ("查询", EffectKind.READ), ("获取", EffectKind.READ), ("显示", EffectKind.READ), ("检查", EffectKind.READ),
    ("조회", EffectKind.READ), ("확인", EffectKind.READ), ("가져", EffectKind.READ), ("알려", EffectKind.READ),
    ("计算", EffectKind.COMPUTE), ("换算", EffectKind.COMPUTE), ("翻译", EffectKind.COMPUTE), ("계산", EffectKind.COMPUTE), ("변환", EffectKind.COMPUTE),
    ("发送", EffectKind.SEND), ("通知", EffectKind.SEND), ("转发", EffectKind.SEND), ("보내", EffectKind.SEND), ("전송", EffectKind.SEND),
    ("创建", EffectKind.CREATE), ("添加", EffectKind.CREATE), ("新增", EffectKind.CREATE), ("预订", EffectKind.CREATE), ("下单", EffectKind.CREATE),
    ("생성", EffectKind.CREATE), ("추가", EffectKind.CREATE), ("예약", EffectKind.CREATE), ("주문", EffectKind.CREATE),
    ("修改", EffectKind.UPDATE), ("更新", EffectKind.UPDATE), ("设置", EffectKind.UPDATE), ("更改", EffectKind.UPDATE), ("开启", EffectKind.UPDATE),
    ("关闭", EffectKind.UPDATE), ("登录", EffectKind.UPDATE), ("수정", EffectKind.UPDATE), ("변경", EffectKind.UPDATE), ("설정", EffectKind.UPDATE),
)  # fmt: skip
_AUXILIARY = frozenset(["is", "has", "can", "this"])
"""Words that say what a tool does only where they begin its description."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_ID_NAME = re.compile(
    r"(?:^|_)(?:id|ids|number|no|num|ref|reference|code|(?<!api_)(?<!access_)key|uuid|pnr|sku|iban|slug|path|username|handle|email)$"
)
_NOUN_NOISE = frozenset(
    [
        "tool",
        "api",
        "the",
        "a",
        "an",
        "all",
        "my",
        "user",
        "by",
        "for",
        "of",
        "to",
        "from",
        "in",
        "with",
        "on",
        "details",
        "info",
        "status",
        "list",
        "data",
        "v1",
        "v2",
    ]
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What one tool does."""

    kind: EffectKind
    verb: str
    """The verb the kind was read from, or the name's first word."""
    noun: str
    """What it acts on (`order`, `seat map`), from the name; empty when the name does not say."""
    id_params: tuple[str, ...]
    """Required text parameters that name an existing thing."""

    @property
    def writes(self) -> bool:
        return self.kind in WRITES


@lru_cache(maxsize=16384)
def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(name.replace("_", " ").replace(".", " ").replace("-", " ")))


def words_of(name: str) -> list[str]:
    """The words of an identifier, lower case: `get_orderStatus.v2` is get, order, status, v, 2."""
    return list(_words(name))


def is_verb(word: str) -> bool:
    """Whether a word is one of the verbs that effects are read from."""
    return word in _BY_VERB


def snake(name: str) -> str:
    return "_".join(words_of(name))


@lru_cache(maxsize=4096)
def _kind_of(name: str, description: str) -> tuple[EffectKind, str]:
    words = words_of(name)
    for index, word in enumerate(words[:3]):
        if word in _BY_VERB and not (index and word == "log"):
            return _BY_VERB[word], word
    lead = words_of(description.split(".")[0])[:4]
    for index, word in enumerate(lead):
        if index and word in _AUXILIARY:
            continue
        for form in (word, word.removesuffix("s"), word.removesuffix("es")):
            if form in _BY_VERB:
                return _BY_VERB[form], form
    for text in (name, description):
        found = [(text.find(mark), kind, mark) for mark, kind in _FOREIGN if mark in text]
        if found:
            _, kind, mark = min(found, key=lambda item: item[0])
            return kind, mark
    for word in reversed(words):
        if word in _BY_VERB:
            return _BY_VERB[word], word
    return EffectKind.OTHER, words[0] if words else name


@kept_per_tool
def effect_of(tool: Tool) -> Effect:
    kind, verb = _kind_of(tool.name, tool.description)
    noun = " ".join(word for word in words_of(tool.name) if word != verb and word not in _NOUN_NOISE)
    properties = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    ids = tuple(name for name in required if name in properties and _names_a_thing(name, properties[name]))
    return Effect(kind, verb, noun, ids)


def _names_a_thing(name: str, schema: object) -> bool:
    if not isinstance(schema, dict) or "enum" in schema:
        return False
    kind = schema.get("type", "string")
    return kind in ("string", "integer") and bool(_ID_NAME.search(snake(name)))
