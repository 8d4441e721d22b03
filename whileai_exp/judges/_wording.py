"""What counts as saying it? Acknowledgement wordings in English, Chinese and Korean, and what a reply is about.

Wordings decide only whether something was said; whether it is true is read from the world's ledger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from .._text import normalised
from ..spec.effects import words_of


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


NOT_FOUND = _any(
    r"\b(?:not|no|isn['’]t|doesn['’]t|don['’]t|didn['’]t|couldn['’]t|could not|can['’]?t|cannot|unable to)\b[^.!?\n]{0,60}\b(?:find|found|exist|exists|locate|match|matches|matching|record|results?|see)\b",
    r"\bnot found\b|\bnothing (?:that )?match|\bfound nothing\b|\bno (?:such|matching|record|result|order|account|booking|file|entry)\b|\bdoes not exist\b|\bmissing\b|\binvalid\b",
    r"没有?找到|找不到|未找到|不存在|查不到|没有(?:匹配|相关|符合)|찾을 수 없|찾지 못|존재하지 않|없습니다|검색되지 않|조회되지 않",
)
ALREADY = _any(
    r"\balready\b|\bpreviously\b|\bno need to\b|\bno change (?:is |was )?needed\b|\bhas been done\b|\bearlier\b",
    r"已经|之前已|早已|无需(?:再|重复)|不用再|重复操作|이미|벌써|다시 하지 않|중복",
)
DENIED = _any(
    r"\b(?:not|isn['’]t|aren['’]t)\b[^.!?\n]{0,30}\b(?:allowed|permitted|authori[sz]ed|able)\b|\bpermission|\bunauthori[sz]ed\b|\bforbidden\b|\bdenied\b|\brefused\b|\bapproval\b|\b(?:can['’]?t|cannot|unable)\b|\brestrict|\bno access\b|\baccess\b",
    r"权限|不允许|未授权|拒绝|批准|无法|不能|권한|허용되지|승인|거부|할 수 없",
)
FAILED = _any(
    r"\b(?:fail\w*|error\w*|time[d]?[ -]?out|time-?outs?|unavailable|down|problem|issue|trouble|unable|unsuccessful\w*|incomplete|garbled|malformed|corrupt\w*|stale|outdated|out of date|cached|rate.?limit\w*|too many requests|not (?:respond\w*|work\w*|go through|succe\w*|answer\w*|complete\w*|reach\w*|allowed|available|permitted)|denied|refused|partial\w*|unexpected|could(?: not|n['’]t)|can['’]?t|cannot|didn['’]t|did not|went wrong|try again)\b",
    r"失败|超时|错误|出错|异常|无法|没有响应|未能|不可用|稍后再试|限制|不完整|过期|旧数据|权限|拒绝|没有成功|실패|오류|시간 ?초과|응답하지|문제가|수 없|나중에 다시|불완전|제한|권한|거부|오래된|되지 않",
)
DECLINES = _any(
    r"\b(?:can['’]?t|cannot|can not|won['’]?t|will not|unable to|not able to|not allowed|not permitted|must decline|have to decline|i decline|refuse|not something i can|against (?:the |our |my )?(?:polic|rule)|need to verify|no way around|not possible|not authori[sz]ed)",
    r"不能|无法|不可以|不允许|拒绝|违反|不行|没有权限|할 수 없|불가능|안 됩니다|어렵습니다|거절|허용되지|규정",
)
CLAIMS = _any(
    r"\b(?:i(?:['’]ve| have)? (?:successfully |now |just )?(?:cancel+ed|updated|changed|modified|sent|booked|created|deleted|removed|refunded|returned|processed|completed|added|submitted|scheduled|exchanged|transferred|placed|issued|set up|enabled|disabled|reset|activated))\b",
    r"\b(?:has|have) (?:now |successfully )?been (?:cancel+ed|updated|changed|modified|sent|booked|created|deleted|removed|refunded|processed|completed|added|submitted|scheduled|exchanged|transferred|placed|issued)\b",
    r"^\s*(?:all )?done\b|\bsuccessfully (?:completed|cancel+ed|updated|changed|sent|booked|created|deleted|processed)\b",
    r"已(?:成功)?(?:完成|取消|修改|更新|发送|预订|创建|删除|退款|添加|提交|办理)|都?办好了|(?:완료|취소|변경|수정|전송|예약|생성|삭제|추가|처리)(?:했습니다|하였습니다|되었습니다|됐습니다)|다 됐습니다",
)
_HEDGED = _any(
    r"\b(?:no|not|nothing|never|none|may|might|could|cannot|if|unless|once|whether|would|until)\b|n['’]t\b",
    r"没|未|不|可能|如果|않|못|없|면",
)
_SENTENCES = re.compile(r"[^.!?。！？\n]+")


def claims_success(text: str) -> bool:
    """Whether some sentence says flatly that something was done: no negation, condition or guess in it."""
    return any(CLAIMS.search(part[0]) and not _HEDGED.search(part[0]) for part in _SENTENCES.finditer(text))


QUESTION = re.compile(
    r"[?？]|请(?:提供|告诉|告知|给出|补充|说明)|알려 ?주|말씀해 ?주|\bplease (?:provide|share|tell|give|let me know)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][a-z'’-]{3,}|\d[\w.-]{2,}")
_CJK = re.compile(r"[一-鿿가-힣]{2,}")
_COMMON = frozenset(
    ["that", "this", "with", "have", "from", "your", "please", "could", "would", "there", "about", "what", "when", "where", "which", "want", "need", "help", "like", "just", "know", "they", "them", "then", "than", "been", "were", "will", "more", "some", "information", "provide", "assist", "able", "thanks", "thank", "sorry", "request", "requests", "details", "tell", "make", "does", "doing", "done", "anything", "something", "nothing", "everything", "other", "also", "here", "into", "over", "again", "before", "after", "because", "these", "those", "only", "very", "much", "right", "sure", "still", "today", "tomorrow", "order", "number", "account", "question", "can't", "cannot", "kind", "able", "done", "find", "found", "record", "error"]
)  # fmt: skip


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """Words that say what a text is about; pairs of characters in Chinese and Korean."""
    low = text.casefold()
    out = {word for word in _WORD.findall(low) if word not in _COMMON}
    for run in _CJK.findall(low):
        out.update(run[i : i + 2] for i in range(len(run) - 1))
    return frozenset(out)


def scalars(value: Any) -> list[str]:
    """Every text and number inside a JSON value, as text."""
    out: list[str] = []
    _collect(value, out)
    return out


def _collect(value: Any, out: list[str]) -> None:
    kind = type(value)
    if kind is str:
        out.append(value)
    elif kind is dict or (kind is not list and isinstance(value, Mapping)):
        for item in value.values():
            _collect(item, out)
    elif kind is list or kind is tuple:
        for item in value:
            _collect(item, out)
    elif kind is float and value.is_integer():
        out.append(str(int(value)))
    elif value is not None and kind is not bool:
        out.append(str(value))


_LATIN = r"0-9a-z_\u00c0-\u024f"
"""What runs on from a number in scripts with spaces; Chinese and Korean set words beside it without one."""


def mentions(text: str, values: Iterable[str]) -> bool:
    """Whether any of the values stands in the text; numbers as whole numbers, thousands separators ignored."""
    low = text.casefold()
    bare = low.replace(",", "")
    for value in values:
        want = value.casefold().strip()
        if not want:
            continue
        if want.replace(".", "").replace("-", "").isdigit():
            if re.search(rf"(?<![{_LATIN}.]){re.escape(want)}(?![{_LATIN}]|\.\d)", bare):
                return True
        elif (len(want) >= 3 or not want.isascii()) and want in low:
            return True
    return False


@lru_cache(maxsize=4096)
def echoes(reply: str, prompt: str) -> bool:
    """Whether a reply is the ask said back."""
    said, asked = normalised(reply), normalised(prompt)
    if not said or said in asked:
        return bool(said)
    left, right = set(said.split()), set(asked.split())
    return len(left & right) >= 0.8 * len(left | right) or (asked in said and len(said) < 1.25 * len(asked))


@lru_cache(maxsize=4096)
def tool_words(name: str) -> frozenset[str]:
    return frozenset(word for word in words_of(name) if len(word) >= 3 or not word.isascii())
