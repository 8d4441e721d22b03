"""Which rules of a policy are in force because somebody checks them? So far one: look a thing up before it is changed.

The rule is found by its wording in English, Chinese or Korean. The answer key, the checklist and the offline agent ask
here, so that what is demanded, what is judged and what is obeyed are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..schema import Tool
from .effects import EffectKind, effect_of, words_of

_LOOK = (
    r"\b(?:look(?:ing|s)?\b[^.!?;\n]{0,40}?\bup|look(?:ing|s)? (?:at|up|into)|check(?:ing|s)?|read(?:ing|s)?|retriev(?:e|es|ing)|"
    r"fetch(?:es|ing)?|inspect(?:s|ing)?|review(?:s|ing)?|verif(?:y|ies|ying)|find(?:ing|s)?|view(?:ing|s)?|pull(?:ing|s)? up)\b"
)
_CHANGE = (
    r"(?:chang|modif|cancel|refund|updat|edit|delet|remov|alter|act\b|acting|any action|the action|an action|taking action|return|exchang|"
    r"writ|touch|do(?:ing)? anything|anything is)"
)
_ENGLISH = (
    re.compile(rf"{_LOOK}[^.!?;\n]{{0,60}}?\bbefore\b[^.!?;\n]{{0,40}}?\b{_CHANGE}", re.IGNORECASE),
    re.compile(rf"\bbefore\b[^.!?;,\n]{{0,20}}?\b{_CHANGE}[^.!?;\n]{{0,60}}?,? (?:you |the agent |it )?(?:must |should |always |first )*{_LOOK}", re.IGNORECASE),
    re.compile(rf"\b(?:must|always|should|shall) (?:always )?first {_LOOK}", re.IGNORECASE),
    re.compile(rf"\bfirst,? {_LOOK}[^.!?;\n]{{0,60}}?\bthen\b[^.!?;\n]{{0,30}}?\b{_CHANGE}", re.IGNORECASE),
    re.compile(rf"\bnever {_CHANGE}\w*\b[^.!?;\n]{{0,60}}?\b(?:without|unless|until)\b[^.!?;\n]{{0,30}}?(?:{_LOOK}|\blooked\b|\bchecked\b)", re.IGNORECASE),
)  # fmt: skip
_OF_PERSONS = re.compile(
    r"\b(?:identit|identif|authenticat|passport|date of birth|permission|approval|consent|credential)\w*|"
    r"\b(?:verif\w+|check\w*|find\w*|look\w* up) (?:that )?(?:the |a |an )?(?:user|customer|caller|member)\b(?! details| record| profile)|"
    r"身份|核实用户|验证用户|本人|授权|본인|신원|인증",
    re.IGNORECASE,
)
"""Checks of who somebody is: another rule."""
_ZH_LOOK, _ZH_CHANGE = (
    "(?:查看|查询|检查|读取|核对|先查|查找|查一下|确认状态)",
    "(?:修改|更改|取消|退款|更新|删除|操作|变更|执行)",
)
_KO_LOOK, _KO_CHANGE = "(?:조회|확인|검색|찾|읽|살펴)", "(?:변경|수정|취소|환불|삭제|업데이트|처리|바꾸)"
_FOREIGN = (
    re.compile(rf"{_ZH_LOOK}[^。；！\n]{{0,20}}?(?:再|然后|才(?:能|可))[^。；！\n]{{0,12}}?{_ZH_CHANGE}"),
    re.compile(rf"{_ZH_CHANGE}[^。；！\n]{{0,12}}?(?:之前|以前|前)[^。；！\n]{{0,12}}?{_ZH_LOOK}"),
    re.compile(rf"{_KO_CHANGE}[^.。!\n]{{0,14}}?전에?[^.。!\n]{{0,24}}?{_KO_LOOK}"),
    re.compile(rf"{_KO_LOOK}[^.。!\n]{{0,12}}?(?:후에?|다음에?|뒤에?|나서)[^.。!\n]{{0,20}}?{_KO_CHANGE}"),
)
_SENTENCE = re.compile(r"[^.!?;。；！\n]+(?:\.(?=\S)[^.!?;。；！\n]+)*[.!?;。；！]?")
_CHANGES = frozenset({EffectKind.CREATE, EffectKind.UPDATE, EffectKind.DELETE, EffectKind.OTHER})


@lru_cache(maxsize=64)
def rules_to_look(policy: str) -> tuple[frozenset[str], ...]:
    """The words of every sentence that says: look it up before it is changed. Checking who somebody is does not count."""
    out: list[frozenset[str]] = []
    for found in _SENTENCE.finditer(policy):
        sentence = found[0]
        rules = _ENGLISH if sentence.isascii() else (*_ENGLISH, *_FOREIGN)
        if any(rule.search(sentence) for rule in rules) and not _OF_PERSONS.search(sentence):
            out.append(frozenset(word.removesuffix("s") for word in words_of(sentence)))
    return tuple(out)


def look_first(policy: str, tool: Tool, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools that could show what `tool` would change, where the policy demands that look; else empty.

    A rule that names things (`check the order's status`) holds for the tools that take them; one that names none, for all.
    """
    rules = rules_to_look(policy)
    readers = readers_of(tool, tools) if rules else ()
    if not readers:
        return ()
    every = frozenset().union(*(_things(other) for other in tools))
    own = _things(tool)
    return readers if any(not rule & every or rule & own for rule in rules) else ()


def _things(tool: Tool) -> frozenset[str]:
    """What the identifiers of a tool's calls name: `order_id` is an order."""
    return frozenset(
        word.removesuffix("s") for name in effect_of(tool).id_params for word in words_of(name) if word not in _ID_WORDS
    )


_ID_WORDS = frozenset(["id", "ids", "number", "no", "num", "ref", "reference", "code", "key", "name", "the", "new"])


def readers_of(tool: Tool, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools that show what `tool` would change, by an identifier and arguments that its own calls give.

    Empty when it changes nothing that exists, or when nothing can show it.
    """
    effect = effect_of(tool)
    if effect.kind not in _CHANGES or not effect.id_params:
        return ()
    given = set(tool.parameters.get("required") or ())
    out: list[Tool] = []
    for other in tools:
        needed = set(other.parameters.get("required") or ())
        if effect_of(other).kind is EffectKind.READ and needed <= given and needed & set(effect.id_params):
            out.append(other)
    return tuple(out)


def lookups_of(tools: Sequence[Tool]) -> tuple[str, ...]:
    """Names of the tools that show things: reads and searches."""
    return tuple(tool.name for tool in tools if effect_of(tool).kind in (EffectKind.READ, EffectKind.SEARCH))


def same_ask(tool: Tool, tools: Sequence[Tool]) -> tuple[str, ...]:
    """Names of the other tools that answer the same ask as well: same effect, same required arguments, same core words.

    Only tools that change nothing: two ways to read a file are one to the person, two ways to delete it need not be.
    """
    effect = effect_of(tool)
    if effect.writes:
        return ()
    required = set(tool.parameters.get("required") or ())
    name, head = set(words_of(tool.name)), _head(tool)
    out: list[str] = []
    for other in tools:
        if other is tool or effect_of(other).kind is not effect.kind or set(other.parameters.get("required") or ()) != required:
            continue
        theirs, words = set(words_of(other.name)), _head(other)
        if (name <= theirs or theirs <= name) and 5 * len(head & words) >= 3 * max(1, min(len(head), len(words))):
            out.append(other.name)
    return tuple(out)


def _head(tool: Tool) -> frozenset[str]:
    """The telling words of a description's first sentence."""
    return frozenset(word for word in words_of(tool.description.split(". ")[0]) if len(word) > 3)
