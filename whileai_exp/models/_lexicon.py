"""Which tool is this request about? Words weighted by how few tools share them; characters in pairs where words have no spaces."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..schema import Tool
from ..spec.effects import Effect, EffectKind, effect_of, words_of
from ..spec.rules import look_first

_WORD = re.compile(r"[a-z]+|[一-鿿]+|[가-힣]+")
_STOP = frozenset(
    ["the", "a", "an", "to", "of", "for", "and", "or", "in", "on", "at", "by", "with", "from", "is", "are", "was", "be", "been", "it", "its", "this", "that", "these", "those", "my", "your", "our", "their", "i", "you", "we", "he", "she", "they", "me", "us", "them", "please", "can", "could", "would", "will", "shall", "should", "do", "does", "did", "have", "has", "had", "need", "want", "like", "just", "so", "as", "if", "then", "there", "here", "what", "which", "who", "when", "where", "how", "hi", "hello", "hey", "thanks", "thank", "not", "no", "yes", "get", "got", "let", "about", "into", "out", "up", "any", "all", "some", "more", "most", "other", "given", "using", "use", "used", "user", "tool", "function", "returns", "return", "value", "values", "specified", "id", "ids", "number", "api", "type", "name", "one", "new", "also", "am", "im", "id"]
)  # fmt: skip
_HAN, _HANGUL, _LATIN = re.compile(r"[一-鿿]"), re.compile(r"[가-힣]"), re.compile(r"[A-Za-z]")
_CJK = re.compile(r"[一-鿿가-힣]")
_SAME = {
    "show": "get", "see": "get", "check": "get", "look": "get", "view": "get", "read": "get", "tell": "get", "display": "get", "find": "search", "lookup": "search",
    "list": "list", "modify": "change", "update": "change", "edit": "change", "switch": "change", "set": "change", "remove": "delete", "erase": "delete",
    "reserve": "book", "reserv": "book", "booking": "book", "purchase": "buy", "cost": "price", "phone": "phone", "mail": "email", "message": "message", "text": "message",
    "retrieve": "get", "fetch": "get", "pull": "get", "give": "get", "obtain": "get", "details": "detail", "folder": "directory", "calculate": "compute",
    "wi": "wifi", "repository": "repo", "photo": "picture", "image": "picture", "make": "create", "add": "create", "start": "create", "happening": "event",
}  # fmt: skip
_GLOSS: dict[str, str] = {
    "뉴스": "news", "소식": "news", "레시피": "recipe", "요리": "recipe", "날씨": "weather", "기온": "weather", "검색": "search", "찾": "search", "정보": "web",
    "예약": "book", "취소": "cancel", "주문": "order", "배송": "delivery", "환불": "refund", "반품": "return", "결제": "payment", "계정": "account", "비밀번호": "password",
    "메시지": "message", "문자": "message", "알림": "reminder", "일정": "event", "캘린더": "calendar", "호텔": "hotel", "식당": "restaurant", "항공": "flight",
    "비행": "flight", "좌석": "seat", "가전": "appliance", "에어컨": "appliance", "세탁": "appliance", "전원": "appliance", "켜": "appliance", "꺼": "appliance",
    "제어": "control", "로봇": "appliance", "공기청정": "appliance", "냉장고": "appliance", "상태": "status", "삭제": "delete", "변경": "change", "추가": "create",
    "전화": "phone", "이메일": "email", "메일": "email", "번역": "translate", "계산": "compute", "파일": "file", "상품": "product", "목록": "list", "주소": "address",
    "新闻": "news", "菜谱": "recipe", "天气": "weather", "搜索": "search", "查找": "search", "预订": "book", "预约": "book", "取消": "cancel",
    "订单": "order", "下单": "order", "外卖": "delivery", "退款": "refund", "退货": "return", "支付": "payment", "付款": "payment", "账户": "account",
    "账号": "account", "密码": "password", "短信": "message", "消息": "message", "信息": "message", "提醒": "reminder", "日程": "event", "日历": "calendar",
    "酒店": "hotel", "餐厅": "restaurant", "航班": "flight", "机票": "flight", "座位": "seat", "删除": "delete", "删": "delete", "修改": "change", "更改": "change",
    "添加": "create", "新建": "create", "创建": "create", "电话": "phone", "邮件": "email", "邮箱": "email", "翻译": "translate", "计算": "compute",
    "文件": "file", "商品": "product", "产品": "product", "列表": "list", "地址": "address", "登录": "login", "打开": "turn", "无线": "wifi", "发送": "send",
    "查看": "get", "最新": "latest", "最近": "latest", "最早": "earliest", "设备": "device", "平台": "platform",
}  # fmt: skip
"""Everyday words of other scripts and the stem they stand for, since tools are mostly named in English."""


_VERBS = frozenset(["get", "chang", "change", "creat", "create", "search", "list", "tell"])
"""Stems so common in requests that they say little about which tool is meant."""


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    word = _SAME.get(word, word)
    for tail in ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(tail) and len(word) - len(tail) >= 3 and not word.endswith(("us", "ss", "is")):
            word = word[: -len(tail)] + ("y" if tail in ("ied", "ies") else "")
            break
    word = word.removesuffix("e")
    return _SAME.get(word, word)


@lru_cache(maxsize=8192)
def tokens_of(text: str) -> tuple[str, ...]:
    """Stems of words, and pairs of characters in Chinese and Korean."""
    out: list[str] = []
    for found in _WORD.findall(text.lower()):
        if _CJK.match(found):
            out.extend(found[i : i + 2] for i in range(len(found) - 1))
            if len(found) == 1:
                out.append(found)
            out.extend(stem(meaning) for mark, meaning in _GLOSS.items() if mark in found)
        elif found not in _STOP and len(found) > 1:
            out.append(stem(found))
    return tuple(out)


@lru_cache(maxsize=8192)
def language_in(text: str) -> str:
    """zh, ko or en, by the script of the letters."""
    if text.isascii():
        return "en"
    han, hangul, latin = len(_HAN.findall(text)), len(_HANGUL.findall(text)), len(_LATIN.findall(text))
    if hangul * 3 > latin and hangul >= han:
        return "ko"
    return "zh" if han * 3 > latin else "en"


class ToolCard:
    """One tool as the agent reads it from the request."""

    __slots__ = ("description", "effect", "head", "name", "params", "required", "schema", "tool", "weights")

    def __init__(self, wire: Mapping[str, Any]) -> None:
        function = wire.get("function", wire)
        self.name: str = function["name"]
        self.description: str = function.get("description") or ""
        self.schema: Mapping[str, Any] = function.get("parameters") or {}
        self.params: Mapping[str, Any] = self.schema.get("properties") or {}
        self.required: tuple[str, ...] = tuple(self.schema.get("required") or ())
        self.tool = Tool(self.name, self.description, self.schema)
        self.effect: Effect = effect_of(self.tool)
        self.head = self.description.split("\n")[0].split(". ")[0]
        self.weights = self._weights()

    def _weights(self) -> dict[str, float]:
        """How much each word says about this tool."""
        out: dict[str, float] = {}
        for token in tokens_of(" ".join(words_of(self.name))):
            out[token] = max(out.get(token, 0.0), 3.0)
        for index, token in enumerate(tokens_of(self.head)):
            out[token] = max(out.get(token, 0.0), 3.4 if index == 0 else 2.2)
        for token in tokens_of(self.description[:600]):
            out[token] = max(out.get(token, 0.0), 0.7)
        for name in self.params:
            schema = self.params[name] if isinstance(self.params[name], Mapping) else {}
            for token in tokens_of(" ".join(words_of(name))):
                out[token] = max(out.get(token, 0.0), 1.2 if name in self.required else 0.5)
            for token in tokens_of(str(schema.get("description") or "")[:160]):
                out[token] = max(out.get(token, 0.0), 0.4)
            for value in schema.get("enum") or ():
                for token in tokens_of(str(value).replace("_", " ")):
                    out[token] = max(out.get(token, 0.0), 1.0)
        return out


class Toolbox:
    """All tools of a request, ready to be matched."""

    def __init__(self, wires: Sequence[Mapping[str, Any]]) -> None:
        self.cards = [ToolCard(wire) for wire in wires]
        self.by_name = {card.name: card for card in self.cards}
        counts: Counter[str] = Counter()
        for card in self.cards:
            counts.update({token for token, weight in card.weights.items() if weight >= 0.7})
        size = max(1, len(self.cards))
        self._idf = {token: math.log(1 + size / count) * (0.6 if token in _VERBS else 1.0) for token, count in counts.items()}
        self._norms = {(card.name, foreign): self._norm(card, foreign) for card in self.cards for foreign in (False, True)}
        self.heard: dict[str, object] = {}
        """What asks came to, kept by the agent that uses the box."""
        self._due: dict[tuple[str, str], bool] = {}
        self._ranked: dict[str, list[tuple[float, ToolCard]]] = {}
        self._where: dict[str, list[tuple[int, float]]] = {}
        for index, card in enumerate(self.cards):
            for token, weight in card.weights.items():
                if token in self._idf:
                    self._where.setdefault(token, []).append((index, weight * self._idf[token]))

    def _norm(self, card: ToolCard, foreign: bool) -> float:
        """What a full match would score, in words of one script, so that long descriptions have no head start."""
        heavy = sum(
            self._idf.get(token, 0.3) * weight
            for token, weight in card.weights.items()
            if weight >= 2 and token.isascii() is not foreign
        )
        return max(1.0, heavy) ** 0.35

    def ranked(self, text: str) -> list[tuple[float, ToolCard]]:
        """Tools that share a word with the text, best fit first; equal scores keep the declared order."""
        known = self._ranked.get(text)
        if known is not None:
            return known
        if len(self._ranked) > 4096:
            self._ranked.clear()
        scores: dict[int, float] = {}
        for token, count in Counter(tokens_of(text)).items():
            for index, weight in self._where.get(token, ()):
                scores[index] = scores.get(index, 0.0) + weight * min(2, count)
        foreign = language_in(text) != "en"
        cards = self.cards
        scored = [(score / self._norms[cards[index].name, foreign], cards[index]) for index, score in sorted(scores.items())]
        scored.sort(key=lambda item: -item[0])
        self._ranked[text] = scored
        return scored

    def must_look(self, policy: str, card: ToolCard) -> bool:
        """Whether the policy wants what `card` changes looked up first, and a tool here can show it."""
        key = (policy, card.name)
        if key not in self._due:
            if len(self._due) > 1024:
                self._due.clear()
            self._due[key] = bool(look_first(policy, card.tool, [other.tool for other in self.cards]))
        return self._due[key]

    def reader_for(self, card: ToolCard, arguments: Mapping[str, Any]) -> tuple[ToolCard, dict[str, Any]] | None:
        """A read tool that can show what `card` would change, and the arguments it needs out of these."""
        ids = [name for name in card.effect.id_params if name in arguments]
        for other in self.cards:
            if other.effect.kind is not EffectKind.READ or not other.required or not set(other.required) <= set(arguments):
                continue
            if any(name in ids for name in other.required):
                return other, {name: arguments[name] for name in other.required}
        return None
