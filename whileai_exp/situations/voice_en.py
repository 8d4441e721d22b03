"""What a person wants from a tool, in English: its description or name turned into a request with room for values.

`goal_of(tool)` compiles a tool once into a verb phrase with slots (`cancel my pending order {order_id}`) and says which
arguments have no slot; `say_goal` fills it. Nothing here draws at random: the caller hands in what varies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..schema import Tool
from ..spec._kept import kept_per_tool
from ..spec._kinds import kind_of
from ..spec.effects import effect_of, is_verb, words_of
from ..spec.values import spoken

_ACRONYMS = {
    "id": "ID", "ids": "IDs", "sim": "SIM", "apn": "APN", "vpn": "VPN", "mms": "MMS", "sms": "SMS", "url": "URL", "api": "API", "pdf": "PDF", "gb": "GB",
    "wifi": "Wi-Fi", "dob": "date of birth", "zip": "zip code", "faq": "FAQ", "rtm": "RTM", "git": "Git", "sql": "SQL", "csv": "CSV", "usb": "USB",
    "num": "number", "usergroup": "user group", "usergroups": "user groups", "pnr": "booking reference", "qty": "quantity", "tz": "time zone",
    "timezone": "time zone", "repo": "repository", "dir": "folder", "msg": "message", "desc": "description", "img": "image", "info": "information",
    "calendar": "calendar", "kb": "knowledge base", "dpi": "DPI", "vin": "VIN", "iban": "IBAN", "cvv": "CVV", "pin": "PIN", "iso": "ISO", "json": "JSON",
}  # fmt: skip
_VERB_SAID = {
    "retrieve": "pull up", "retrieves": "pull up", "fetch": "get", "lookup": "look up", "display": "show me", "show": "show me", "return": "return",
    "obtain": "get", "gets": "get", "reserve": "book", "infer": "work out", "execute": "run", "finds": "find", "establish": "set up", "initiate": "start",
    "generate": "make", "query": "look up", "modify": "change", "provide": "give me", "provides": "give me", "view": "show me", "describe": "tell me about",
    "read": "read me", "determine": "find out", "simulate": "try", "record": "record",
}  # fmt: skip
_EXTRA_VERBS = frozenset(
    [
        "switch",
        "pass",
        "make",
        "give",
        "give",
        "pull",
        "look",
        "lookup",
        "perform",
        "control",
        "measure",
        "toggle",
        "turn",
        "restart",
        "reseat",
        "mark",
        "push",
        "publish",
        "establish",
        "initiate",
        "determine",
        "obtain",
        "provide",
        "allow",
        "infer",
        "record",
        "stage",
        "unstage",
        "recursively",
        "assign",
        "trigger",
        "request",
        "ask",
        "rate",
        "play",
        "pause",
        "skip",
        "stop",
        "begin",
        "finish",
        "end",
        "simulate",
        "help",
        "tell",
        "explain",
        "suggest",
        "compare",
        "rank",
        "score",
        "predict",
        "enable",
        "disable",
        "mute",
        "unmute",
        "block",
        "unblock",
        "report",
        "dispute",
        "redeem",
        "link",
        "unlink",
        "attach",
        "detach",
        "access",
        "browse",
        "retrieve",
        "fetch",
        "query",
    ]
)
_CUT = re.compile(
    r"(?:,? and (?:returns?|provides?|optionally|adds? it|hydrates?|auto-assigns?|will|sends?|displays?|shows?|get back)\b.*|,? (?:using|based on|filtered|including|"
    r"by (?:their|its|a|the|user|first|name|email|phone|id)|that match(?:es)?|that was found|which|so that|so they|when|while|in the format|as a json|"
    r"with the (?:provided|given)|for verification|from user text|from the server|with the option|with options?|optionally|for the authenticated|for an application|"
    r"for authentication|in the system|within the system|in the application|according to|given (?:a|an|the|as)|via the|through the|with detailed|"
    r"for (?:his|her|their)|after|unless|because|since|associated with|from an optional|to new items|or ensure|or completely|or overwrite)\b.*|[:;].*|"
    r", (?:most|in|e\.g\.|such as|could|should|like|or of|with|adding|check|including|retrieving)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_CUT_IF = re.compile(r"(?<!check)(?<!checks)(?<!see)(?<!verify)(?<!verifies) if\b.*$", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:this (?:function|tool|method|endpoint|api|command)\s+(?:is (?:designed|used|intended) (?:for|to)\s+|allows? (?:you|users?|the user) to\s+|can be used to\s+|will\s+)?|"
    r"use this (?:tool )?to\s+|allows? (?:you|users?|the user) to\s+|used to\s+|tool (?:to|for)\s+|function to\s+|recursively\s+)",
    re.IGNORECASE,
)
NAMES = frozenset(
    {"city", "hotel", "restaurant", "company", "car_rental", "merchant", "country", "person", "entity", "app", "group", "region", "timezone", "airport"}
)  # fmt: skip
_IDS = frozenset(
    {
        "id",
        "flight",
        "confirmation",
        "path",
        "folder",
        "repo",
        "branch",
        "revision",
        "url",
        "hash",
        "card",
        "username",
        "email",
        "phone",
    }
)


@lru_cache(maxsize=4096)
def label_of(name: str) -> str:
    """An argument's name as a person says it: `new_seat` is new seat, `userId` is user ID."""
    words = words_of(name)
    if words[-1:] == ["name"] and words[:1] in (["first"], ["last"], ["full"], ["user"]) or words == ["name"]:
        return " ".join(words)
    if words[-1:] in (["1"], ["2"]):
        words = words[:-1]
    said = " ".join(_ACRONYMS.get(word, word) for word in words)
    return said.replace("e mail", "email").replace("time zone name", "time zone")


def phrase_of(words: list[str]) -> str:
    return " ".join(_ACRONYMS.get(word, word) for word in words)


def base_verb(word: str) -> str | None:
    """The base form of a verb as descriptions use it (`Retrieves`, `Modify`), or None when it is no verb."""
    word = word.lower()
    forms = [word]
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        forms.append(word[:-1])
    if word.endswith("ing") and len(word) > 6:
        forms.extend((word[:-3], word[:-3] + "e", word[:-4]))
    for form in sorted(forms, key=len):
        if is_verb(form) or form in _EXTRA_VERBS:
            return form
    return None


@dataclass(frozen=True, slots=True)
class Goal:
    """A tool as something to want."""

    phrase: str
    """Verb phrase with `{argument}` slots."""
    slots: tuple[str, ...]
    plain: str
    """The phrase without values, for asks that leave them out."""
    writes: bool
    verb: str
    noun: str
    """What it is about, for sentences that refer to it."""


_NAMELESS = re.compile(r" (?:for|of|by|with) (?:the|a|an) (?:[a-z]+ )?(?:number|ID|code)$")
"""The end of a phrase that only makes sense with a value behind it."""


@lru_cache(maxsize=2048)
def _compiled(name: str, description: str, params: tuple[tuple[str, str], ...]) -> tuple[str, tuple[str, ...], str]:
    kinds = dict(params)
    if "thought" in kinds.values():
        thought = next(key for key, kind in kinds.items() if kind == "thought")
        return f'think this through with me: "{{{thought}}}"', (thought,), "think something through with me"
    phrase = _from_description(description, kinds) or _from_name(name)
    plain = _tidy(re.sub(r"\s*\{\w+\}", "", phrase))
    slots: list[str] = re.findall(r"\{(\w+)\}", phrase)
    for key, kind in params:
        if key not in slots:
            placed = _placed(phrase, key, kind, name)
            if placed is not None:
                phrase = placed
                slots.append(key)
    extra = re.search(r"_with_([a-z_]+)$", name)
    if extra and extra[1].split("_")[0].rstrip("s") not in phrase:
        phrase = f"{phrase} with {extra[1].replace('_', ' ')}"
    phrase = _tidy(phrase)
    for rule, better in _PLAIN_RULES:
        plain = rule.sub(better, plain)
    return phrase, tuple(slots), _NAMELESS.sub("", plain)


_PLAIN_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rule), better)
    for rule, better in (
        (r"^calculate the result$", "calculate something for me"),
        (r" in (?:a|the) path$", " in a folder for me"),
        (r"^(\w+) files and directories$", r"\1 a file"),
        (r"^look up frequently asked questions$", "answer a question"),
        (r"^unlock the internal tool$", "unlock that form for me"),
        (r"^call the internal tool\b.*$", "call up what you have unlocked"),
        (r"^pass a tool$", "pass that form on to me"),
        (r"^log that I have been verified$", "do the identity verification with me"),
        (r"\bthe restaurants$", "that restaurant"),
        (r"\bthe hotels?$", "that hotel"),
        (r"\bthe car rental companies$", "that car rental"),
        (r"\bfor a (hotel|restaurant|car rental)$", r"at a \1 for me"),
        (r"^get (?=(?:the|all|my) )", "show me "),
    )
)
"""What a request without its values says instead of words that only a value makes clear."""


@kept_per_tool
def goal_of(tool: Tool) -> Goal:
    """The tool as a request. Slots hold required arguments only."""
    effect = effect_of(tool)
    phrase, slots, plain = _compiled(tool.name, tool.description, _params(tool))
    verb = phrase.split(" ")[0]
    noun = phrase_of(effect.noun.split()) if effect.noun else "this"
    return Goal(phrase, slots, plain, effect.writes, verb, noun)


def _params(tool: Tool) -> tuple[tuple[str, str], ...]:
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    owner = " ".join(words_of(tool.name)) + " " + tool.description[:120]
    required = tool.parameters.get("required") or ()
    out: list[tuple[str, str]] = []
    for name in required:
        schema = properties.get(name)
        text = str(schema.get("description") or "") if isinstance(schema, Mapping) else ""
        kind = kind_of(name, text, owner)
        if isinstance(schema, Mapping) and schema.get("type") in ("boolean", "object"):
            kind = "flag" if schema.get("type") == "boolean" else "object"
        items = schema.get("items") if isinstance(schema, Mapping) else None
        if isinstance(items, Mapping) and items.get("type") == "object":
            kind = "object"
        out.append((name, kind))
    return tuple(out)


def _first_sentence(text: str) -> str:
    text = text.strip().split("\n\n")[0].replace("\n", " ")
    found = re.match(r"(.+?[.!?])(?:\s|$)", text)
    return " ".join((found[1] if found else text).rstrip(".!? ").split())


def _from_description(description: str, kinds: Mapping[str, str]) -> str | None:
    text = _first_sentence(description)
    if not text.isascii() or len(text) < 6:
        return None
    text = re.sub(r"`(\w+)`", lambda found: f"{{{found[1]}}}" if found[1] in kinds else found[1], text)
    text = re.sub(r"\s*\([^)]*\)", "", text)
    text = _LEAD.sub("", text).replace("you're using", "you use")
    text = _CUT_IF.sub("", _CUT.sub("", text)).strip(" ,.")
    text = re.sub(r"^(\w+) (?:or|and) \w+ (?=(?:a|an|the|files)\b)", r"\1 ", text)
    words = text.split(" ")
    verb = base_verb(re.sub(r"\W", "", words[0])) if words else None
    if verb is None or not 2 <= len(words) <= 16:
        return None
    text = " ".join(["".join(_VERB_SAID.get(verb, verb)), *words[1:]])
    return _personal(text)


def _from_name(name: str) -> str:
    words = [word for word in words_of(name.rsplit(".", 1)[-1]) if word not in ("tool", "api", "v1", "v2")]
    if "." in name and len(words) == 1:
        words = [*words, *words_of(name.rsplit(".", 1)[0])]
    index = next((i for i, word in enumerate(words) if base_verb(word)), None)
    if index is None:
        return f"get help with {phrase_of(words)}" if words else "get help"
    verb = base_verb(words[index]) or words[index]
    rest = words[index + 1 :] if index == 0 else words[:index] + words[index + 1 :]
    by = rest.index("by") if "by" in rest else len(rest)
    rest = rest[:by] or rest
    said = _VERB_SAID.get(verb, verb)
    if not rest:
        return said
    thing = phrase_of(rest)
    article = "" if rest[0] in ("all", "my", "the", "a", "to", "new") or rest[-1].endswith("s") else "the "
    return _personal(f"{said} {article}{thing}")


_SWAPS: tuple[tuple[str, str], ...] = (
    (r"\bif the (?:agent|assistant) has sent you\b", "if you have sent me"),
    (r"\bthat the (?:agent|assistant) has sent you\b", "that you sent me"),
    (r"\b(?:that|which) you have (?:previously )?(\w+)$", r"that you have \1"),
    (r"\b(?:find|search for|look up|get|pull up) (?:a )?(?:customers?|users?)(?: information)?(?: directly)?$", "find my customer record"),
    (r"\b(?:find|look up) (?:the )?user id\b", "find my user ID"),
    (r"\b(?:the|a|an|any|each)? ?(?:specified |given |specific )?(?:customer|user|client|account holder)'s\b", "my"),
    (r"\b(?:the|a) (?:user|customer)(?= (?:information|details|data|profile|account|settings))", "my"),
    (r"\b(all|the) ((?:[\w-]+ ){0,5}[\w-]+) (?:for|of|made by|by) (?:a|the|an) (?:user|customer)\b(?! (?:in|group|groups)\b)", r"\1 my \2"),
    (r"\bthe my\b", "my"),
    (r"\b(?:by|of|for|to|from) (?:a|the|an|any) (?:specified |given |specific )?(?:user|customer)(?= with\b| by\b|$)", ""),
    (r"\byou're\b", "I'm"),
    (r"\byour\b", "my"),
    (r"\byou\b(?! (?:have|sent))", "I"),
    (r"\bthe user to a human agents?\b", "me to a human agent"),
    (r"\bto the (?:user|customer) for\b", "to me for"),
    (r"\bthe (?:user|customer)$", "me"),
    (r"\btransfer to human agents?\b", "transfer me to a human agent"),
    (r"\btoggle (.*) on or off\b", r"toggle \1"),
    (r"\bconnect (?:to )?(?:the|my) VPN\b", "connect my VPN"),
    (r"^try removing and reinserting\b", "remove and reinsert"),
    (r"\b(?:the )?specified (?=\w+s\b)", "my "),
    (r"\b(?:a|the) (?:specified|specific|given|particular|certain|provided) (?=\w)", "the "),
    (r"\b(?:specified|given|provided|multiple|specific) ", ""),
    (r"\b(?:pull up|get|show me|find|return|give me) (?:a|the) (?:paginated )?(?:detailed )?list(?:ing)? of\b", "list"),
    (r"^return (?=the name|a\b|all)", "tell me "),
    (r"^tell me all\b", "list all"),
    (r"^return\b(?= my appointments)", "show me"),
    (r"\bpull up (?:detailed )?information about\b", "tell me about"),
    (r"\btell me about users$", "tell me about one of the users"),
    (r"\b(cancel|change|return|exchange|book|suspend|resume) (?:a|an|some|the) (?=pending|delivered|order|booking|reservation|appointment|subscription|flight|line|suspended)", r"\1 my "),
    (r"^book my (?=new|flight)", "book a "),
    (r"\bof (?:a|an) (?=order|booking|reservation|appointment|account|pending|delivered|line|bill)", "of my "),
    (r"\b(?:on|for) (?:a|an) (?=line\b)", "for my "),
    (r"\b(in|from) (?:a|an) (?=pending|delivered|order)", r"\1 my "),
    (r"\b(new|replacement) or (?:new|replacement) ", r"\1 "),
    (r"\bthe result of a mathematical expression\b", "the result of"),
    (r"\bwork out the disrupted .* trip\b", "look into my disrupted trip"),
    (r"\bcreate a compensation case and issue (?:hotel/meal )?vouchers\b", "open a compensation case for me and issue vouchers"),
    (r"^assign front row or special service seating for medical needs\b", "assign me special service seating"),
    (r"\bfrom the departure city to the arrival city\b", ""),
    (r"\bbetween timezones\b", ""),
    (r"\bconvert time\b", "convert the time"),
    (r"\bget current time\b", "get the current time"),
    (r"\bmessages? that (?:I|you) have\b", "messages I have"),
    (r"\blog a verification record\b", "log that I have been verified"),
    (r"\b(?:an|the) (?:agent )?discoverable (?:agent )?tool\b", "the internal tool"),
    (r"^pass a tool(?: to me)?$", "give me the self-service tool"),
    (r"\bopenning\b", "opening"),
    (r"^give (?:a|the) permission\b", "grant the permission"),
    (r"\btell me about (?=the |one |a )", "give me information about "),
    (r"\(s\)", ""),
    (r"\ba Real Time Messaging(?: connection)?\b", "a real-time messaging connection"),
    (r"^look up and retrieves? ", "look up "),
    (r"^return (my|the) ", r"show me \1 "),
    (r"\ball referrals made$", "all my referrals"),
    (r"\bagent discoverable tools\b", "internal tools"),
    (r"\busergroups?\b", "user group"),
    (r"\bthe \{", "{"),
    (r"\bremove a star from a repository\b.*", "remove a star from a repository"),
    (r"\bset the online presence status for me\b", "set my online presence status"),
    (r"\bpull up my identity\b|\bpull up the identity\b", "look up my identity"),
    (r"\bpull up the online presence status\b", "check the online presence status"),
    (r"\bmake a payment for the bill\b.*", "make a payment for the bill that you sent me"),
    (r"\bchange the type of cellular network my phone prefers to connect to\b", "change the network type my phone prefers"),
    (r"\bcontrol (?:a|the) (?:home )?appliance.*", "control a home appliance"),
    (r"\bup-to-date information by searching the web\b", "up-to-date information from the web"),
    (r"\bhotels within the budget\b.*", "the prices of hotels"),
    (r"^get all the prices of hotels", "get the prices of the hotels"),
)  # fmt: skip
_SWAP_RULES = tuple((re.compile(pattern, re.IGNORECASE), better) for pattern, better in _SWAPS)


def _personal(text: str) -> str:
    for rule, better in _SWAP_RULES:
        text = rule.sub(better, text)
    return _tidy(text)


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" ,.")
    text = re.sub(r"\b(my|the|a|an) (?:my|the)\b", r"\1", text)
    text = re.sub(r"\bme me\b", "me", text)
    text = re.sub(r"(?<!\{)\b(?:id|ids)\b(?!\})", lambda found: found[0].replace("id", "ID"), text)
    return re.sub(r"(?<! part)(?<! connect) (?:of|for|by|with|to|in|from|the|a|an|and|on|about|me to)$", "", text)


def _file_word(tool_name: str) -> str:
    """`file`, with the word that the tool's name puts before it (`media file`)."""
    words = words_of(tool_name)
    at = words.index("file") if "file" in words else 0
    return f"{words[at - 1]} file" if at > 0 and base_verb(words[at - 1]) is None else "file"


_LOCATED = {
    "path": re.compile(
        r"\b(?:the )?(?:a (?:new )?(?:text )?file(?: or directory)?|files|files and directories)(?: simultaneously)?(?: from the file system)?(?= as\b|$)",
        re.IGNORECASE,
    ),
    "folder": re.compile(r"\b(?:a file or |the |a )?(?:new )?(?:path|directory)$", re.IGNORECASE),
    "url": re.compile(r"\b(?:a|the) (?:url|page|website)\b", re.IGNORECASE),
    "expression": re.compile(r"\bthe result(?: of)?$"),
    "revision": re.compile(r"(?<= )(?:a|the) commit\b"),
}
"""Kinds whose value replaces the words that stand for it."""
_DETERMINER = r"(?:(?:a|an|the|my|this|all|any)\s+)?(?:(?:given|specified|specific|provided|new|single)\s+)?"


def _placed(phrase: str, name: str, kind: str, tool_name: str) -> str | None:
    """The phrase with a slot for an argument at the noun it belongs to, or None when it has no place."""
    words = [
        word
        for word in words_of(name)
        if word not in ("id", "ids", "name", "names", "number", "no", "code", "new", "identifier", "path")
    ]
    if kind == "permission" and "the permission" in phrase:
        return phrase.replace("the permission", f"the {{{name}}} permission", 1)
    if words_of(name) == ["id"] and phrase.endswith("the ID"):
        return f"{phrase} {{{name}}}"
    if kind in ("path", "folder") and phrase.startswith(("create", "write")):
        return f"{phrase} {{{name}}}"
    if kind in _LOCATED:
        found = _LOCATED[kind].search(phrase)
        if found is not None and "{" not in found[0]:
            if kind == "revision":
                return f"{phrase[: found.start()]}commit {{{name}}}{phrase[found.end() :]}"
            if kind == "path" and phrase[: found.start()].strip() in ("read me", "move", "open", "get", "delete"):
                return f"{phrase[: found.start()]}the {_file_word(tool_name)} {{{name}}}{phrase[found.end() :]}"
            return phrase[: found.start()] + f"{{{name}}}" + phrase[found.end() :]
        return None
    if not words or "customer record" in phrase or kind in ("object", "flag", "password", "token", "reason", "note", "summary"):
        return None
    head = words[-1].removesuffix("s") if len(words[-1]) > 3 else words[-1]
    plural = head[:-1] + "ies" if head.endswith("y") else head + "s"
    noun = rf"(?<!\{{)\b({_DETERMINER}(?:[\w-]+\s+){{0,2}}?)({re.escape(head)}|{re.escape(plural)}|{re.escape(head)}es)\b(?:\s+(?:number|id|code|name|record)\b)?(?!\}}|'s)(?! \{{)"
    if kind in NAMES:
        exact = re.compile(
            rf"\b(?:the|a|an)\s+(?:given\s+|specific\s+|specified\s+)?(?:[\w-]+\s+){{0,2}}(?:{head}|{plural})\b(?! \{{)",
            re.IGNORECASE,
        )
        found = list(exact.finditer(phrase))
        if found and found[-1].end() == len(phrase) and " " in phrase[: found[-1].start()].strip():
            return phrase[: found[-1].start()] + f"{{{name}}}"
        return None
    if kind in ("id", "flight", "confirmation"):
        found = list(re.finditer(noun, phrase, re.IGNORECASE))
        if not found or words_of(name)[:1] == ["new"]:
            return None
        last = found[-1]
        text = phrase[: last.end()] + f" {{{name}}}" + phrase[last.end() :]
        named = rf"((?:{head}|{plural}) \{{{name}\}})"
        text = re.sub(rf"\b(?:a|an) (\w+) {named}", r"the \1 \2", text)
        return re.sub(rf"\b(?:a|an{'' if kind == 'id' else '|the'}) {named}", r"\1", text)
    return None


def say_goal(goal: Goal, values: Mapping[str, str]) -> str:
    """The phrase with its values; slots without one are dropped."""
    text = goal.phrase
    for name in goal.slots:
        if name.endswith("s") and name in values and " and " not in values[name]:
            text = text.replace(f"s {{{name}}}", f" {{{name}}}")
        text = text.replace(f" {{{name}}}", f" {values[name]}" if name in values else "")
        text = text.replace(f"{{{name}}}", values.get(name, ""))
    return _tidy(text) if not all(name in values for name in goal.slots) else text


def said_values(tool: Tool, arguments: Mapping[str, Any], lang: str = "en") -> dict[str, str]:
    """Every argument as a person says it."""
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    out: dict[str, str] = {}
    for name, value in arguments.items():
        schema = properties.get(name)
        text = spoken(value, name, schema if isinstance(schema, Mapping) else None, lang)
        if text:
            out[name] = text
    return out
