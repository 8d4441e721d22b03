"""The offline writer in Chinese and Korean.

Chinese requests come from Chinese descriptions (`获取特定商家的商品列表` with a value is `查一下达美乐的商品列表`). Korean ones come
from Korean descriptions, else from the words of the tool's name through a small dictionary; a tool that neither covers
is asked for in English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from .._rng import Stream
from ..schema import Tool
from ..spec._kept import kept_per_tool
from ..spec.effects import EffectKind, effect_of, words_of
from ..spec.values import spoken
from .facts import kinds_of
from .lines import around
from .lint import faults_of
from .phrases import line_of, phrases, said
from .templates import Ask, AskPlan, compose, off_topic

Bank = Mapping[str, tuple[str, ...]]


_TRIES = 4


def compose_zh(plan: AskPlan, stream: Stream, texture: float, share: float) -> Ask:
    """An opening ask in Chinese."""
    return _compose("zh", plan, stream, texture, share)


def compose_ko(plan: AskPlan, stream: Stream, texture: float, share: float) -> Ask:
    """An opening ask in Korean."""
    return _compose("ko", plan, stream, texture, share)


def _compose(lang: str, plan: AskPlan, stream: Stream, texture: float, share: float) -> Ask:
    made = _composed(lang, plan, stream, texture, share)
    for attempt in range(_TRIES):
        if made is None or not faults_of(made.text, plan.values(), lang):
            break
        made = _composed(lang, plan, stream, texture, 0.0 if attempt == _TRIES - 2 else share)
    return made if made is not None else compose(plan, stream, texture, share)


def _composed(lang: str, plan: AskPlan, stream: Stream, texture: float, share: float) -> Ask | None:
    """The ask, or None for a tool that this language has no words for."""
    bank = phrases(lang)
    register = stream.choice(("terse", "formal", "chatty", "terse")) if stream.chance(texture) else "plain"
    if plan.axes.get("stance") in ("hurried", "adversarial") and register in ("formal", "chatty"):
        register = "plain"
    beside = around(plan.axes, plan.tool, plan.keep_back, stream, bank, share)
    gap = _gap(lang)
    if plan.tool is None:
        text = gap.join(part for part in (off_topic(bank, stream), beside.after) if part)
        return Ask(_dressed(text, plan, register, stream, bank, lang, bool(beside.after)), register, None, beside.unvoiced)
    goal = _goal(plan.tool, plan.arguments, plan.keep_back, lang, stream)
    if goal is None:
        return None
    phrase, facts = goal
    frame = "{goal}。" if register == "terse" and lang == "zh" else said(stream.choice(bank["ask"]), stream)
    if lang == "zh":
        phrase = re.sub(r"(?<=想)帮我|^给我", "", phrase) if "帮我" in frame else phrase
        frame = frame.replace("一下。", "。") if "一下" in phrase or facts else frame
    body = frame.format(goal=phrase) + (gap + facts if facts else "")
    if plan.second is not None:
        then = _goal(plan.second, plan.second_arguments or {}, frozenset(), lang, stream)
        if then is not None:
            body += gap + stream.choice(bank["then"]).format(goal=then[0]) + (gap + then[1] if then[1] else "")
    text = gap.join(part for part in (beside.before, body, beside.after) if part)
    text = _dressed(text, plan, register, stream, bank, lang, bool(beside.before or beside.after))
    return Ask(text, register, beside.rule_expressed, beside.unvoiced)


def _gap(lang: str) -> str:
    return " " if lang == "ko" else ""


def _dressed(text: str, plan: AskPlan, register: str, stream: Stream, bank: Bank, lang: str, beside: bool) -> str:
    pressing = plan.axes.get("stance") in ("adversarial", "hurried")
    gap = _gap(lang)
    if register == "formal" and not pressing:
        text = stream.choice(bank["formal_open"]) + text + gap + stream.choice(bank["formal_close"])
    elif register == "chatty" and not pressing and not beside:
        text = stream.choice(bank["hello"]) + line_of(bank, "chatty", stream) + gap + text
    elif register != "terse" and not pressing:
        roll = stream.random()
        if roll < 0.4:
            text = stream.choice(bank["hello"]) + text
        if 0.25 < roll < 0.6:
            text += gap + stream.choice(bank["thanks"])
    if plan.careless:
        text = text.rstrip("。.!！") if lang == "ko" else text.replace("，", " ").rstrip("。！")
    return re.sub(r"([。！？])。", r"\1", re.sub(r" +", " ", text)).strip()


def _goal(
    tool: Tool, arguments: Mapping[str, Any], keep_back: frozenset[str], lang: str, stream: Stream
) -> tuple[str, str] | None:
    """The request and the sentence of facts behind it."""
    given = {name: value for name, value in arguments.items() if name not in keep_back and not isinstance(value, bool)}
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    values = {name: spoken(value, name, properties.get(name), lang) for name, value in given.items()}
    worded = _idiom(tool, values, lang, stream)
    if worded is not None:
        return worded, ""
    return _goal_zh(tool, values, properties) if lang == "zh" else _goal_ko(tool, values, arguments)


@lru_cache(maxsize=4)
def _idioms(lang: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    text = resources.files("whileai_exp.situations.phrases").joinpath(f"idioms_{lang}.json").read_text("utf-8")
    return tuple((re.compile(rule), tuple(lines)) for rule, lines in json.loads(text))


@kept_per_tool
def _lines(tool: Tool, lang: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The everyday wordings of a tool with the arguments they tell, slots tied to its arguments by name, else by kind."""
    text = " ".join(words_of(tool.name)) + " | " + " ".join(tool.description[:120].lower().split())
    kinds = kinds_of(tool)
    out: list[tuple[str, frozenset[str]]] = []
    for line in next((lines for rule, lines in _idioms(lang) if rule.search(text)), ()):
        slots = re.findall(r"\{(\w+)\}", line)
        tied = {slot: slot if slot in kinds else next((name for name in kinds if kinds[name] == slot), "") for slot in slots}
        if "" not in tied.values():
            for slot, name in tied.items():
                line = line.replace(f"{{{slot}}}", f"{{{name}}}")
            out.append((line, frozenset(tied.values())))
    return tuple(out)


def _idiom(tool: Tool, values: Mapping[str, str], lang: str, stream: Stream) -> str | None:
    """An everyday wording that tells exactly these values, or None when there is none."""
    told = values.keys()
    fitting = [line for line, slots in _lines(tool, lang) if slots == told]
    if not fitting:
        return None
    text = said(stream.choice(fitting), stream)
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value.rstrip("。.") if lang == "zh" else value)
    return text


_ZH_LEAD = re.compile(
    r"^(?:根据|通过|使用|按照?|基于)[^，。]{1,12}?(?=删除|查看|搜索|登录|获取|查询|修改|更新|取消|添加|查找|列出|发送|计算|预订)"
)
_ZH_SENDS = re.compile(r"^将(.+?)从.*?(发送|转移|转账|移动)[给到].*$")
_ZH_LABELS: tuple[tuple[str, str], ...] = (
    ("sender", "发送人"), ("receiver", "接收人"), ("recipient", "接收人"), ("username", "用户名"), ("user_name", "用户"), ("password", "密码"),
    ("merchant", "商家"), ("message_id", "消息ID"), ("keyword", "关键字"), ("title", "标题"), ("time", "时间"), ("date", "日期"),
    ("items", "商品"), ("product", "商品"), ("quantity", "数量"), ("city", "城市"), ("address", "地址"), ("phone", "电话"), ("email", "邮箱"),
)  # fmt: skip


def _zh_label(name: str, description: str) -> str:
    snake = "_".join(words_of(name))
    for mark, label in _ZH_LABELS:
        if mark in snake:
            return label
    text = re.split(r"[，。,（(]", description)[0].strip()
    tail = re.sub(r"\s+", "", text.rsplit("的", 1)[-1]) if text else ""
    return tail if 0 < len(tail) <= 8 else name.replace("_", " ")


def _goal_zh(tool: Tool, values: Mapping[str, str], properties: Mapping[str, Any]) -> tuple[str, str] | None:
    text = re.split(r"[。；\n]", tool.description.strip())[0].strip()
    if not text or text.isascii():
        return None
    text = _ZH_SENDS.sub(lambda found: f"{found[2]}{found[1]}", _ZH_LEAD.sub("", text))
    left = dict(values)
    kinds = kinds_of(tool)
    for name, value in values.items():
        nouns = {"merchant": "商家", "person": "用户", "city": "城市", "query": "关键字", "topic": "关键字"}
        noun = nouns.get(kinds.get(name, ""))
        marked = re.search(rf"(?:特定|指定|给定|另一个|某个)的?{noun}", text) if noun else None
        if marked:
            shown = value if kinds.get(name) in ("merchant", "person", "city") else f"“{value}”"
            text = text[: marked.start()] + shown + text[marked.end() :]
            left.pop(name)
    for name, value in list(left.items()):
        if kinds.get(name) in ("query", "topic") and text.startswith("搜索"):
            text = f"搜索和“{value}”有关的{text.removeprefix('搜索')}"
            left.pop(name)
    for mark, better in (
        ("特定的", ""),
        ("特定", ""),
        ("指定的", ""),
        ("一个新的", "一个"),
        ("获取", "查一下"),
        ("。", ""),
        (" ID", "ID"),
        ("的 ID", "的ID"),
    ):
        text = text.replace(mark, better)
    facts = [_zh_fact(name, kinds.get(name, ""), value, properties.get(name)) for name, value in left.items()]
    return text.replace(" ", "") if not re.search(r"[A-Za-z] [A-Za-z]", text) else text, "，".join(facts) + (
        "。" if facts else ""
    )


def _zh_fact(name: str, kind: str, value: str, schema: Any) -> str:
    label = _zh_label(name, str(schema.get("description") or "") if isinstance(schema, Mapping) else "")
    if kind in ("message", "title", "note", "text"):
        label = {"message": "内容", "note": "描述"}.get(kind, label)
        return f"{label}是“{value.rstrip('。')}”"
    return f"{label}是{value}"


_KO_NOUNS: Mapping[str, str] = {
    "weather": "날씨", "news": "뉴스", "recipe": "레시피", "order": "주문", "orders": "주문", "reservation": "예약", "booking": "예약", "user": "사용자 정보",
    "file": "파일", "message": "메시지", "messages": "메시지", "hotel": "호텔", "flight": "항공편", "restaurant": "식당", "map": "지도", "calendar": "일정",
    "event": "일정", "reminder": "알림", "music": "음악", "song": "노래", "movie": "영화", "stock": "주가", "translation": "번역", "product": "상품",
    "account": "계정", "payment": "결제", "email": "이메일", "contact": "연락처", "time": "시간", "wqa": "정보", "web": "정보", "address": "주소",
}  # fmt: skip
_KO_DOES: Mapping[EffectKind, str] = {
    EffectKind.SEARCH: "찾아", EffectKind.READ: "알려", EffectKind.COMPUTE: "계산해", EffectKind.CREATE: "만들어", EffectKind.UPDATE: "바꿔",
    EffectKind.DELETE: "취소해", EffectKind.SEND: "보내", EffectKind.OTHER: "처리해",
}  # fmt: skip
_KO_MAIN = ("query", "topic", "ingredient", "city", "food", "question", "thing", "title", "person", "company", "product")


def _goal_ko(tool: Tool, values: Mapping[str, str], arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    kinds = kinds_of(tool)
    effect = effect_of(tool)
    command = next((name for name in values if words_of(name)[-1:] == ["command"]), None)
    wants_command = any(words_of(name)[-1:] == ["command"] for name in arguments)
    if wants_command:
        phrase = f"'{values[command]}' 명령을 실행해" if command else "집에 있는 가전을 작동시켜"
        return phrase, _ko_facts({name: value for name, value in values.items() if name != command}, kinds)
    described = re.split(r"[.\n]", tool.description.strip())[0].strip()
    noun = next((_KO_NOUNS[word] for word in reversed(words_of(tool.name)) if word in _KO_NOUNS), None)
    if not described.isascii() and described.endswith(("합니다", "한다", "하기", "함")):
        phrase = re.sub(r"(?:합니다|한다|하기|함)$", "해", described)
        return phrase, _ko_facts(values, kinds)
    if noun is None:
        return None
    main = next((name for name in values if kinds.get(name) in _KO_MAIN), None)
    lead = (
        ""
        if main is None
        else f"{values[main]}에 대한 "
        if kinds[main] in ("topic", "query") and noun != "레시피"
        else f"{values[main]} "
    )
    phrase = f"{lead}{noun} {_KO_DOES[effect.kind]}"
    return phrase, _ko_facts({name: value for name, value in values.items() if name != main}, kinds)


_KO_LABELS: Mapping[str, str] = {
    "date_range": "기간", "category": "분야", "sort_by": "정렬 기준", "language": "언어", "cuisine": "요리 종류", "units": "단위", "api_key": "API 키",
    "result_format": "결과 형식", "max_results": "최대 결과 수",
}  # fmt: skip


def _ko_facts(values: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    parts = [
        f"{_KO_LABELS.get(name, _KO_NOUNS.get(words_of(name)[-1], name.replace('_', ' ')))}: {value}"
        for name, value in values.items()
    ]
    return ", ".join(parts) + ("." if parts else "")
