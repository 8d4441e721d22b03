"""A policy read as clauses, and which of them a person's ask can touch.

Clauses are lines and sentences of a readable length, in document order, without duplicates. A clause about how the
agent works inside (one tool call at a time, output format) has no subject a person would bring up; it comes last when
the cap leaves clauses out, and an ask for it is marked as not expressing its rule.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..schema import Spec
from ..spec.effects import words_of

_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d+[.)]\s+|>\s+)")
_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"'(])|(?<=[。！？；])")
_IDENTITY = re.compile(r"^(?:you are|you're|as an?\b.*\bagent\b|i am|你是|您是|作为|당신은|너는)", re.IGNORECASE)
_SHORTEST, _LONGEST = 8, 120


@lru_cache(maxsize=32)
def clauses_of(policy: str) -> tuple[str, ...]:
    """The clauses of a policy: 8 to 120 characters each (cut at a word), in order, no duplicates."""
    out: dict[str, str] = {}
    for line in policy.splitlines():
        heading = line.lstrip().startswith("#")
        text = _MARK.sub("", line).replace("**", "").replace("`", "").replace("\\", "").strip()
        if heading or not text or text.startswith(("|", "```", "<", "{")):
            continue
        for part in _END.split(text):
            clause = " ".join(part.split()).strip(" -:;")
            if (
                len(clause) < (_SHORTEST if clause.isascii() else _SHORTEST // 2)
                or _IDENTITY.match(clause)
                or clause.endswith(":")
            ):
                continue
            if len(clause) > _LONGEST:
                clause = clause[:_LONGEST].rsplit(" ", 1)[0] if " " in clause[:_LONGEST] else clause[:_LONGEST]
            out.setdefault(clause.casefold(), clause)
    return tuple(out.values())


_THEMES: tuple[tuple[str, str], ...] = (
    ("identity", r"\b(?:authenticat|verif|identity|identif|date of birth|log ?in)|身份|核实|登录|登陆|본인"),
    ("others", r"\b(?:other users?|another user|one user|someone else|third part|account owner|only help)|其他用户|他人"),
    ("confirm", r"\b(?:confirm|explicit|consent|approval)|确认|询问|확인"),
    ("human", r"\b(?:human agent|transfer|escalat|supervisor|specialist)|人工|상담원"),
    ("opinion", r"\b(?:subjective|recommendation|opinion|advice|comments?)\b|主观|建议|评论"),
)
THEMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple((name, re.compile(rule, re.IGNORECASE)) for name, rule in _THEMES)
_SUBJECTS: tuple[str, ...] = (
    "gift card", "credit card", "debit card", "payment method", "refund", "return", "exchange", "cancellation", "shipping address", "address",
    "delivery", "pending order", "delivered order", "cabin class", "basic economy", "travel insurance", "insurance", "baggage", "seat map", "seat",
    "compensation", "voucher", "certificate", "passenger", "membership", "roaming", "data usage", "data limit", "line suspension", "bill", "overdue bill",
    "contract", "SIM card", "referral", "cash back", "rewards", "interest rate", "annual fee", "fee", "balance transfer", "credit limit",
    "overdraft", "wire transfer", "dispute", "savings account", "checking account", "business account", "loan", "mortgage", "discount", "warranty", "subscription", "calendar", "email",
    "reminder", "flight status", "rebooking", "special needs", "medical needs", "appointment", "prescription", "invoice", "password",
)  # fmt: skip
_SUBJECT_RULES = tuple(
    (word, re.compile(rf"\b{re.escape(word)}(?:s|es)?\b", re.IGNORECASE)) for word in sorted(_SUBJECTS, key=len, reverse=True)
)
_CJK_SUBJECTS = ("短信", "提醒", "外卖", "余额", "订单", "退款", "密码", "账号", "商家", "환불", "예약", "주문", "결제")
_INSIDE = re.compile(
    r"\b(?:tool calls?|one tool|function|json|handoff|respond to the user at the same time|knowledge base|api|parameter|output|internal|database|"
    r"agent should|system prompt|kb_)\b|_|函数|工具|调用|格式",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def theme_of(clause: str) -> str | None:
    """What a person would bring up about a clause: a theme's name, `about:<subject>`, or None when there is nothing."""
    if not _INSIDE.search(clause):
        for name, rule in THEMES:
            if rule.search(clause):
                return name
    if "_" in clause or "{" in clause:
        return None
    for word, rule in _SUBJECT_RULES:
        if rule.search(clause):
            return f"about:{word}"
    return next((f"about:{word}" for word in _CJK_SUBJECTS if word in clause), None)


def touches(clause: str, spec: Spec) -> frozenset[str] | None:
    """The tools that an ask about this clause can be about: None for any, empty when it cannot be asked about.

    A subject (`gift card`) goes with tools whose words share it, else with those that take arguments.
    """
    theme = theme_of(clause)
    if theme is None:
        return frozenset()
    if not theme.startswith("about:"):
        return None
    tools = _tools_about(theme.removeprefix("about:"), tuple((tool.name, tool.description) for tool in spec.tools))
    return tools or frozenset(tool.name for tool in spec.tools if tool.parameters.get("required")) or None


@lru_cache(maxsize=4096)
def _tools_about(subject: str, tools: tuple[tuple[str, str], ...]) -> frozenset[str]:
    words = set(words_of(subject)) - {"card", "status", "class"}
    if not subject.isascii():
        return frozenset(name for name, description in tools if subject in description)
    return frozenset(name for name, description in tools if words & set(words_of(name)) or subject in description.lower())
