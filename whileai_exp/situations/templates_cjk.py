"""The offline writer in Chinese and Korean.

Chinese requests come from Chinese descriptions (`获取特定商家的商品列表` with a value is `查一下达美乐的商品列表`). Korean ones come
from Korean descriptions, else from the words of the tool's name through a small dictionary; a tool that neither covers
is asked for in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._rng import Stream
from ..schema import Tool
from ..spec.effects import EffectKind, effect_of, words_of
from ..spec.values import spoken
from .facts import kinds_of
from .phrases import phrases
from .templates import Ask, AskPlan, around, compose, off_topic

Bank = Mapping[str, tuple[str, ...]]


def compose_zh(plan: AskPlan, stream: Stream, texture: float) -> Ask:
    """An opening ask in Chinese."""
    return _compose("zh", plan, stream, texture)


def compose_ko(plan: AskPlan, stream: Stream, texture: float) -> Ask:
    """An opening ask in Korean."""
    return _compose("ko", plan, stream, texture)


def _compose(lang: str, plan: AskPlan, stream: Stream, texture: float) -> Ask:
    bank = phrases(lang)
    register = stream.choice(("terse", "formal", "chatty", "terse")) if stream.chance(texture) else "plain"
    if plan.axes.get("stance") in ("hurried", "adversarial") and register in ("formal", "chatty"):
        register = "plain"
    if plan.tool is None:
        return Ask(_dressed(off_topic(bank, stream), plan, register, stream, bank, lang), register, None)
    goal = _goal(plan.tool, plan, plan.arguments, plan.keep_back, lang)
    if goal is None:
        return compose(plan, stream, texture)
    phrase, facts = goal
    frame = bank["ask"][0] if register == "terse" and lang == "zh" else stream.choice(bank["ask"])
    if register == "terse" and lang == "zh":
        frame = "{goal}。"
    body = frame.format(goal=phrase) + (_gap(lang) + facts if facts else "")
    if plan.second is not None:
        then = _goal(plan.second, plan, plan.second_arguments or {}, frozenset(), lang)
        if then is not None:
            body += _gap(lang) + stream.choice(bank["then"]).format(goal=then[0]) + (_gap(lang) + then[1] if then[1] else "")
    lines, expressed = around(plan, stream, bank, writes=effect_of(plan.tool).writes)
    before = [line for line, first in lines if first and line]
    after = [line for line, first in lines if not first and line]
    text = _gap(lang).join([*before, body, *after])
    return Ask(_dressed(text, plan, register, stream, bank, lang), register, expressed)


def _gap(lang: str) -> str:
    return " " if lang == "ko" else ""


def _dressed(text: str, plan: AskPlan, register: str, stream: Stream, bank: Bank, lang: str) -> str:
    pressing = plan.axes.get("stance") in ("adversarial", "hurried")
    gap = _gap(lang)
    if register == "formal" and not pressing:
        text = stream.choice(bank["formal_open"]) + text + gap + stream.choice(bank["formal_close"])
    elif register == "chatty" and not pressing:
        text = stream.choice(bank["hello"]) + stream.choice(bank["chatty"]) + gap + text
    elif register == "plain" and not pressing:
        roll = stream.random()
        if roll < 0.4:
            text = stream.choice(bank["hello"]) + text
        if 0.25 < roll < 0.6:
            text += gap + stream.choice(bank["thanks"])
    if plan.careless:
        text = text.rstrip("。.!！") if lang == "ko" else text.replace("，", " ").rstrip("。！")
    return re.sub(r"([。！？])。", r"\1", re.sub(r" +", " ", text)).strip()


def _goal(
    tool: Tool, plan: AskPlan, arguments: Mapping[str, Any], keep_back: frozenset[str], lang: str
) -> tuple[str, str] | None:
    """The request and the sentence of facts behind it."""
    given = {name: value for name, value in arguments.items() if name not in keep_back and not isinstance(value, bool)}
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    said = {name: spoken(value, name, properties.get(name), lang) for name, value in given.items()}
    return _goal_zh(tool, said, properties) if lang == "zh" else _goal_ko(tool, said, arguments)


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


def _goal_zh(tool: Tool, said: Mapping[str, str], properties: Mapping[str, Any]) -> tuple[str, str] | None:
    text = re.split(r"[。；\n]", tool.description.strip())[0].strip()
    if not text or text.isascii():
        return None
    text = _ZH_SENDS.sub(lambda found: f"{found[2]}{found[1]}", _ZH_LEAD.sub("", text))
    left = dict(said)
    kinds = kinds_of(tool)
    for name, value in said.items():
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


def _goal_ko(tool: Tool, said: Mapping[str, str], arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    kinds = kinds_of(tool)
    effect = effect_of(tool)
    command = next((name for name in said if words_of(name)[-1:] == ["command"]), None)
    wants_command = any(words_of(name)[-1:] == ["command"] for name in arguments)
    if wants_command:
        phrase = f"'{said[command]}' 명령을 실행해" if command else "집에 있는 가전을 작동시켜"
        return phrase, _ko_facts({name: value for name, value in said.items() if name != command}, kinds)
    described = re.split(r"[.\n]", tool.description.strip())[0].strip()
    noun = next((_KO_NOUNS[word] for word in reversed(words_of(tool.name)) if word in _KO_NOUNS), None)
    if not described.isascii() and described.endswith(("합니다", "한다", "하기", "함")):
        phrase = re.sub(r"(?:합니다|한다|하기|함)$", "해", described)
        return phrase, _ko_facts(said, kinds)
    if noun is None:
        return None
    main = next((name for name in said if kinds.get(name) in _KO_MAIN), None)
    lead = (
        ""
        if main is None
        else f"{said[main]}에 대한 "
        if kinds[main] in ("topic", "query") and noun != "레시피"
        else f"{said[main]} "
    )
    phrase = f"{lead}{noun} {_KO_DOES[effect.kind]}"
    return phrase, _ko_facts({name: value for name, value in said.items() if name != main}, kinds)


_KO_LABELS: Mapping[str, str] = {
    "date_range": "기간", "category": "분야", "sort_by": "정렬 기준", "language": "언어", "cuisine": "요리 종류", "units": "단위", "api_key": "API 키",
    "result_format": "결과 형식", "max_results": "최대 결과 수",
}  # fmt: skip


def _ko_facts(said: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    parts = [
        f"{_KO_LABELS.get(name, _KO_NOUNS.get(words_of(name)[-1], name.replace('_', ' ')))}: {value}"
        for name, value in said.items()
    ]
    return ", ".join(parts) + ("." if parts else "")
