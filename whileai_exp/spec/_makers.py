"""Text values by kind: what an email, a street, an order id or a commit message looks like, in three languages.

A `Draft` is one drawing of one call's arguments. It remembers the person, the day and what was already given, which is
what keeps the arguments of a call consistent with each other.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from .._rng import Stream
from ._kinds import date_format_of, examples_in
from ._pools import AIRPORTS, CURRENCIES, FITTED_BY, FITTING, LOCALES, PINYIN, pool, relations_of
from .effects import words_of

FIXED_DAY = date(2026, 3, 9)
"""The day that drawn dates lie after when no other is known; a constant, so that rows do not depend on the clock."""
_DISTINCT = frozenset(
    {"city", "airport", "timezone", "person", "company", "entity", "path", "folder", "hotel", "restaurant", "branch", "currency",
     "language", "id", "text", "message", "product", "food", "address", "email", "repo"}
)  # fmt: skip
_END = re.compile(r"(?:^|_)(?:end|until|to|return|check_?out|checkout|latest|before|stop|finish)(?:_|$)")


class Draft:
    """One call's arguments in the making."""

    __slots__ = ("lang", "stream", "_first", "_last", "_given", "_lengths", "_clock", "_day", "today", "_numbers", "_place")

    def __init__(self, stream: Stream, lang: str, today: date | None = None) -> None:
        self.stream = stream
        self.lang = lang
        self.today = today or FIXED_DAY
        self._first: str | None = None
        self._last = ""
        self._given: dict[str, list[Any]] = {}
        self._lengths: dict[str, int] = {}
        self._day: date | None = None
        self._clock = 0
        self._numbers: dict[str, float] = {}
        self._place = -1

    def pick(self, kind: str) -> str:
        """A word of this kind, not one given before where that matters and there is another."""
        words = self._fitting(kind)
        word = self.stream.choice(words)
        if kind not in _DISTINCT:
            if kind in FITTED_BY:
                self._given.setdefault(kind, []).append(word)
            return word
        given = self._given.setdefault(kind, [])
        for _ in range(4):
            if word not in given:
                break
            word = self.stream.choice(words)
        given.append(word)
        return word

    def _fitting(self, kind: str) -> tuple[str, ...]:
        """The words of a kind that go with what was drawn before; all of them where nothing decides."""
        if kind == "relation" and len(self._given.get("entity", ())) >= 2:
            source, target = self._given["entity"][-2:]
            return relations_of(source, target)
        if kind in FITTING:
            by, words = FITTING[kind]
            given = self._given.get(by)
            if given and given[-1] in words:
                return words[given[-1]]
        return pool(kind, self.lang)

    def fresh(self, kind: str, make: Callable[[], str]) -> str:
        """A made value of this kind that was not given before."""
        given = self._given.setdefault(kind, [])
        value = make()
        for _ in range(4):
            if value not in given:
                break
            value = make()
        given.append(value)
        return value

    def person(self) -> tuple[str, str]:
        """First and last name of the one person these arguments are about."""
        if self._first is None:
            self._first = self.stream.choice(pool("first", self.lang))
            self._last = self.stream.choice(pool("last", self.lang))
        return self._first, self._last

    def another(self) -> tuple[str, str]:
        return self.stream.choice(pool("first", self.lang)), self.stream.choice(pool("last", self.lang))

    def full_name(self) -> str:
        """The person's name; the second time, somebody else's."""
        first, last = self.person() if "name" not in self._given else self.another()
        self._given.setdefault("name", []).append(first)
        return f"{first} {last}" if self.lang not in ("zh", "ko") else f"{last}{first}"

    def latin(self) -> tuple[str, str]:
        first, last = self.person()
        return PINYIN.get(first, first).lower(), PINYIN.get(last, last).lower()

    def place(self) -> int:
        """Index of one place, so that city, state, zip and country agree."""
        if self._place < 0:
            self._place = self.stream.integer(0, len(_PLACES) - 1)
        return self._place

    def day(self, later: bool) -> date:
        """A day after today; `later` puts it some days after the one given before."""
        if self._day is None:
            self._day = self.today + timedelta(days=self.stream.integer(2, 45))
        elif later:
            self._day += timedelta(days=self.stream.integer(1, 6))
        return self._day

    def clock(self, later: bool) -> tuple[int, int]:
        if self._clock and later:
            self._clock = min(23 * 60 + 30, self._clock + 30 * self.stream.integer(1, 4))
        elif not self._clock:
            self._clock = 30 * self.stream.integer(16, 40)
        return divmod(self._clock, 60)

    def keep_length(self, of: str, length: int) -> None:
        self._lengths[of] = length

    def length_of(self, of: str) -> int | None:
        return self._lengths.get(of)

    def ordered_number(self, name: str, value: float, low: float, high: float) -> float:
        """`value`, kept above its `min_`/`start_` partner when `name` is the upper one."""
        if name.startswith("total"):
            return min(high, max([value, *self._numbers.values()]))
        if name.lower().endswith("number"):
            self._numbers[name] = value
        found = re.match(r"(min|max|start|end|from|to|lower|upper)_?(.*)$", name)
        if found is None:
            return value
        side = found[1] in ("max", "end", "to", "upper")
        if not side:
            self._numbers[found[2]] = value
            return value
        partner = self._numbers.get(found[2])
        return value if partner is None or value >= partner else min(high, partner + (value - low))


_PLACES: tuple[tuple[str, str, str], ...] = (
    ("San Francisco", "CA", "941"), ("Chicago", "IL", "606"), ("Seattle", "WA", "981"), ("Denver", "CO", "802"), ("Austin", "TX", "787"),
    ("Boston", "MA", "021"), ("New York", "NY", "100"), ("Portland", "OR", "972"), ("Atlanta", "GA", "303"), ("Houston", "TX", "770"),
    ("Miami", "FL", "331"), ("Phoenix", "AZ", "850"), ("Charlotte", "NC", "282"), ("San Diego", "CA", "921"),
)  # fmt: skip


def digits(stream: Stream, count: int) -> str:
    """`count` random digits, the first not 0."""
    return (
        str(stream.integer(10 ** (count - 1), 10**count - 1))
        if 0 < count < 19
        else "".join(str(stream.integer(1, 9)) for _ in range(count))
    )


@lru_cache(maxsize=4096)
def _shape(example: str) -> tuple[int, tuple[str, ...]]:
    """An example taken apart: how many digits follow a `first_last_` name (0 when it is none), else its runs of digits and text."""
    named = re.fullmatch(r"([a-z]+)_([a-z]+)_(\d+)", example)
    if named and named[1] not in _NOT_PEOPLE:
        return len(named[3]), ()
    return 0, tuple(re.split(r"(\d+)", example))


_NOT_PEOPLE = frozenset({"credit", "gift", "debit", "paypal", "order", "user", "item", "account", "card"})


def like(example: str, draft: Draft) -> str:
    """A value of the same shape: digits drawn anew, `first_last_…` names replaced, fixed letters kept."""
    named, parts = _shape(example)
    if named:
        first, last = draft.latin()
        return f"{first}_{last}_{digits(draft.stream, named)}"
    return "".join(digits(draft.stream, len(part)) if index % 2 else part for index, part in enumerate(parts))


def _id_prefix(name: str, owner: str) -> str:
    words = [
        word
        for word in words_of(name)
        if word not in ("id", "ids", "identifier", "number", "no", "num", "new", "unique", "ref", "reference", "key", "code")
    ]
    noun = words[-1] if words else next((w for w in owner.split() if w.isalpha() and w not in _VERBISH), "")
    latin = "".join(char for char in noun if char.isascii() and char.isalpha()).upper()
    return _PREFIXES.get(latin.lower(), latin[:3] if len(latin) >= 3 else latin or "ID")


_PREFIXES: Mapping[str, str] = {
    "order": "ORD", "customer": "C", "user": "U", "line": "L", "device": "D", "bill": "B", "plan": "P", "invoice": "INV", "ticket": "TCK", "case": "CASE",
    "account": "ACC", "transaction": "TX", "booking": "BK", "reservation": "RES", "event": "EV", "message": "MSG", "product": "PRD", "item": "ITM",
    "team": "T", "app": "A", "service": "SRV", "channel": "CH", "trigger": "TRG", "reminder": "RM", "view": "V", "usergroup": "S", "group": "G",
    "photo": "PH", "appointment": "APT", "employee": "EMP", "shipment": "SHP", "file": "F",
}  # fmt: skip
_VERBISH = frozenset(
    [
        "get",
        "set",
        "add",
        "create",
        "delete",
        "update",
        "cancel",
        "find",
        "list",
        "the",
        "a",
        "an",
        "by",
        "of",
        "to",
        "for",
        "from",
        "details",
    ]
)


def _id(name: str, owner: str, text: str) -> Callable[[Draft], str]:
    example = next((item for item in examples_in(text) if any(char.isdigit() for char in item) and len(item) <= 40), None)
    if example is not None:
        return lambda draft: draft.fresh("id", lambda: like(example, draft))
    if "uuid" in name.lower() or "uuid" in text.lower():
        return lambda draft: draft.fresh("id", lambda: uuid_of(draft.stream))
    prefix = _id_prefix(name, owner)
    joint, count = ("", 7) if len(prefix) == 1 else ("-", 5)
    return lambda draft: draft.fresh("id", lambda: f"{prefix}{joint}{digits(draft.stream, count)}")


def uuid_of(stream: Stream) -> str:
    text = f"{stream.bits():016x}{stream.bits():016x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def _hex(stream: Stream, count: int) -> str:
    return "".join(f"{stream.bits():016x}" for _ in range(-(-count // 16)))[:count]


def dated(name: str, text: str, default: str, *, days: bool = False) -> Callable[[Draft], str]:
    """Dates and times; `days`: the end lies some days after the start even where it has a time."""
    form = date_format_of(text) or default
    if "unix" in text.lower() and "timestamp" in text.lower():
        return lambda draft: str(1_773_000_000 + 1800 * draft.stream.integer(0, 2000))
    later = bool(_END.search("_".join(words_of(name))))
    timed = "%H" in form and "%d" in form and not days

    def draw(draft: Draft) -> str:
        day = draft.day(later and not timed)
        hour, minute = draft.clock(later) if "%H" in form else (0, 0)
        return (
            form.replace("%Y", f"{day.year:04d}")
            .replace("%m", f"{day.month:02d}")
            .replace("%d", f"{day.day:02d}")
            .replace("%H", f"{hour:02d}")
            .replace("%M", f"{minute:02d}")
            .replace("%S", "00")
        )

    return draw


def _birth(text: str) -> Callable[[Draft], str]:
    form = date_format_of(text) or "%Y-%m-%d"

    def draw(draft: Draft) -> str:
        year, month, day = draft.stream.integer(1955, 2003), draft.stream.integer(1, 12), draft.stream.integer(1, 28)
        return form.replace("%Y", f"{year:04d}").replace("%m", f"{month:02d}").replace("%d", f"{day:02d}")

    return draw


def _address(draft: Draft) -> str:
    stream = draft.stream
    if draft.lang == "zh":
        return f"{draft.pick('city')}市{draft.pick('street')}{stream.integer(1, 280)}号"
    if draft.lang == "ko":
        return f"{draft.pick('city')}시 {draft.pick('street')} {stream.integer(1, 280)}"
    city, state, area = _PLACES[draft.place()]
    return f"{stream.integer(10, 990)} {draft.pick('street')}, {city}, {state} {area}{stream.integer(10, 39)}"


def _street(draft: Draft) -> str:
    if draft.lang in ("zh", "ko"):
        return f"{draft.pick('street')}{draft.stream.integer(1, 280)}{'号' if draft.lang == 'zh' else ''}"
    return f"{draft.stream.integer(10, 990)} {draft.pick('street')}"


def _phone(draft: Draft) -> str:
    stream = draft.stream
    if draft.lang == "zh":
        return "13" + digits(stream, 9)
    if draft.lang == "ko":
        return f"010-{digits(stream, 4)}-{digits(stream, 4)}"
    return f"555-{stream.integer(100, 989)}-{stream.integer(1000, 9899)}"


def _email(draft: Draft) -> str:
    if "email" in draft._given:
        first, last = (PINYIN.get(part, part).lower() for part in draft.another())
    else:
        first, last = draft.latin()
    value = f"{first}.{last}{draft.stream.integer(10, 99)}@example.com"
    draft._given.setdefault("email", []).append(value)
    return value


def _username(draft: Draft) -> str:
    first, last = draft.latin()
    return f"{first}_{last}{draft.stream.integer(10, 999)}"


def _path(draft: Draft, files: tuple[str, ...] = ()) -> str:
    within = draft._given.get("repo")
    folder = within[-1] if within else draft.stream.choice(pool("folder", "en"))
    before = draft._given.get("path")
    if before:
        kind = before[-1].rpartition(".")[2]
        files = tuple(name for name in pool("file", "en") if name.endswith(kind)) or files
    return draft.fresh("path", lambda: f"{folder}/{draft.stream.choice(files or pool('file', 'en'))}")


_PICTURE = (".png", ".jpg", ".jpeg", ".gif", ".mp3", ".wav")
_PROSE = (".txt", ".md")


def _path_for(owner: str) -> Callable[[Draft], str]:
    """Paths of files that the tool is for: pictures for a media tool, prose for one that edits or reads text."""
    low = owner.lower()
    endings = (
        _PICTURE
        if re.search(r"\b(?:media|image|photo|audio)\b", low)
        else _PROSE
        if re.search(r"\b(?:text|edits?|write|lines?)\b", low)
        else ()
    )
    files = tuple(name for name in pool("file", "en") if name.endswith(endings)) if endings else ()
    return lambda draft: _path(draft, files)


def _expression(draft: Draft) -> str:
    stream = draft.stream
    a, b, c = (stream.integer(2, 480) for _ in range(3))
    return stream.choice(
        (
            f"{a} + {b}",
            f"{a} * {stream.integer(2, 12)}",
            f"({a} + {b}) * {stream.integer(2, 9)}",
            f"{a}.50 + {b}.25 - {c % 90}",
            f"{a * 4} / 4",
        )
    )


def _password(draft: Draft) -> str:
    word = draft.stream.choice(("maple", "river", "sunset", "tiger", "violet", "coffee", "rocket", "meadow"))
    return f"{word.capitalize()}{digits(draft.stream, 4)}!"


_SIMPLE: Mapping[str, Callable[[Draft], str]] = {
    "password": _password,
    "token": lambda draft: f"tok_{_hex(draft.stream, 12)}",
    "email": _email,
    "phone": _phone,
    "base64": lambda draft: f"iVBORw0KGgo{_hex(draft.stream, 12)}AAAA==",
    "url": lambda draft: draft.fresh("url", lambda: f"{draft.stream.choice(pool('website', 'en'))}/{draft.stream.integer(100, 999)}"),
    "revision": lambda draft: _hex(draft.stream, 7),
    "hash": lambda draft: _hex(draft.stream, 16),
    "path": _path,
    "first_name": lambda draft: draft.person()[0],
    "last_name": lambda draft: draft.person()[1],
    "username": _username,
    "address": _address,
    "street": _street,
    "address2": lambda draft: f"Apt {draft.stream.integer(1, 48)}",
    "zip": lambda draft: (
        digits(draft.stream, 6) if draft.lang == "zh" else digits(draft.stream, 5) if draft.lang == "ko" else f"{_PLACES[draft.place()][2]}{draft.stream.integer(10, 39)}"
    ),
    "currency": lambda draft: draft.fresh("currency", lambda: draft.stream.choice(CURRENCIES)),
    "airport": lambda draft: draft.fresh("airport", lambda: draft.stream.choice(AIRPORTS)),
    "flight": lambda draft: f"{draft.stream.choice(('FLT', 'UA', 'AA', 'DL', 'LH', 'AF'))}-{draft.stream.integer(100, 989)}"
    if draft.stream.chance(0.3)
    else f"{draft.stream.choice(('UA', 'AA', 'DL', 'LH', 'AF', 'PA'))}{draft.stream.integer(100, 989)}",
    "seat": lambda draft: f"{draft.stream.integer(2, 32)}{draft.stream.choice('ABCDEF')}",
    "confirmation": lambda draft: "".join(draft.stream.choice(string.ascii_uppercase) for _ in range(3)) + digits(draft.stream, 3),
    "card": lambda draft: "4" + digits(draft.stream, 15),
    "expression": _expression,
    "json": lambda draft: f'{{"user_id": "U{digits(draft.stream, 6)}"}}',
    "tool_name": lambda draft: f"submit_request_{draft.stream.integer(1000, 9999)}",
    "page": lambda draft: str(draft.stream.integer(1, 9)),
    "limit": lambda draft: str(draft.stream.integer(1, 20)),
    "quantity": lambda draft: str(draft.stream.integer(1, 5)),
    "amount": lambda draft: str(draft.stream.integer(4, 180) * 5),
    "percent": lambda draft: f"{draft.stream.integer(1, 20)}%",
    "rating": lambda draft: str(draft.stream.integer(3, 5)),
    "year": lambda draft: str(draft.stream.integer(2023, 2026)),
    "month": lambda draft: f"2026-{draft.stream.integer(3, 12):02d}",
    "duration": lambda draft: f"{draft.stream.integer(1, 8)} days",
    "latitude": lambda draft: f"{draft.stream.uniform(30, 55):.4f}",
    "longitude": lambda draft: f"{draft.stream.uniform(-10, 30):.4f}",
    "temperature": lambda draft: str(draft.stream.integer(18, 24)),
    "age": lambda draft: str(draft.stream.integer(19, 70)),
    "weight": lambda draft: str(draft.stream.integer(1, 40)),
}  # fmt: skip


@lru_cache(maxsize=8192)
def by_kind(kind: str, name: str, text: str, owner: str, lang: str) -> Callable[[Draft], str]:
    """The maker of a text of this kind."""
    if kind in _SIMPLE and kind != "path":
        return _SIMPLE[kind]
    if kind == "id":
        return _id(name, owner, text)
    if kind == "date":
        return dated(name, text, "%Y-%m-%d", days="rental" in owner or "hotel" in owner)
    if kind == "path":
        return _path_for(owner)
    if kind == "datetime":
        default = "%Y-%m-%dT%H:%M:%SZ" if "iso" in text.lower() or not text else "%Y-%m-%d %H:%M"
        return dated(name, text, default, days="rental" in owner or "hotel" in owner)
    if kind == "time":
        return dated(name, text, "%H:%M", days="rental" in owner or "hotel" in owner)
    if kind == "date_range":
        first, last = dated("start", text, "%Y-%m-%d"), dated("end", text, "%Y-%m-%d")
        return lambda draft: f"{first(draft)} to {last(draft)}"
    if kind == "birth":
        return _birth(text)
    if kind == "person":
        return Draft.full_name
    if kind in ("city", "state", "country") and lang == "en":
        return _placed(kind, owner)
    if kind == "language" and re.search(r"\bcode\b|ISO 639|'en'", text):
        return lambda draft: draft.fresh("language", lambda: draft.stream.choice(LOCALES))
    if kind == "branch_type":
        return lambda draft: draft.stream.choice(("local", "remote", "all"))
    if kind == "code":
        return _id(name, owner, text)
    known = kind if kind in _POOLED else "thing"
    if known == "thing":
        example = next((item for item in examples_in(text) if any(c.isdigit() for c in item)), None)
        if example is not None:
            return lambda draft: like(example, draft)
    return lambda draft: draft.pick(known)


_POOLED = frozenset(
    {"app", "car_rental", "category", "cuisine", "color", "commit", "company", "country", "city", "branch", "department", "entity", "entity_type",
     "folder", "food", "genre", "group", "hotel", "ingredient", "language", "merchant", "message", "note", "observation", "pattern", "permission",
     "product", "query", "question", "baggage_query", "trip_message", "delay_reason", "pause_reason", "reason", "region", "relation", "repo", "restaurant", "seat_request", "size", "state", "summary", "text",
     "thing", "thought", "timezone", "title", "topic", "view"}
)  # fmt: skip


def _placed(kind: str, owner: str) -> Callable[[Draft], str]:
    """City and state that agree when they stand in one address; free otherwise."""
    if kind == "state":
        return lambda draft: _PLACES[draft.place()][1]
    if kind == "city" and any(word in owner for word in ("address", "shipping", "profile")):
        return lambda draft: _PLACES[draft.place()][0]
    if kind == "country" and any(word in owner for word in ("address", "shipping", "profile")):
        return lambda draft: "USA"
    return lambda draft: draft.pick(kind)
